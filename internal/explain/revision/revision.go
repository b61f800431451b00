// Package revision compares the Pod templates of two revisions of a workload, in
// what may be the reason for a cause: an image for a failing pull, requests for
// an unschedulable Pod, never the whole difference.
package revision

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// Change is a field in which the newest revision of a workload differs from the
// previous one, if it is relevant to the cause.
type Change struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Template is the flattened Pod template of a revision, sorted by path. It
// holds no values of environment variables, only their hashes.
type Template []Field

// Field is one field of a [Template].
type Field struct {
	Path  string // below spec.template.spec: "containers[app].image"
	Value string
	hash  uint64 // hash of a value that is not shown
}

// maxFields bounds a template, maxChanges the reported differences.
const (
	maxFields  = 2000
	maxChanges = 6
)

// New flattens a pod template: a map with "metadata" and "spec".
func New(pod map[string]any) Template {
	var t Template
	spec, _ := pod["spec"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(spec)) {
		t.flatten(k, k, spec[k], 0)
	}
	if meta, ok := pod["metadata"].(map[string]any); ok {
		labels, _ := meta["labels"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(labels)) {
			if k != "pod-template-hash" {
				t.flatten("labels["+k+"]", k, labels[k], 0)
			}
		}
	}
	slices.SortStableFunc(t, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return t
}

// listKeys are the fields that identify entries of lists.
var listKeys = []string{"name", "mountPath", "containerPort", "topologyKey"}

func (t *Template) flatten(path, key string, v any, depth int) {
	if len(*t) >= maxFields {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if key == "env" || depth > 12 {
			break
		}
		if value, ok := v["value"]; ok && strings.Contains(path, ".env[") {
			h := fnv.New64a()
			fmt.Fprint(h, value)
			*t = append(*t, Field{Path: path, Value: "a value", hash: h.Sum64()})
			return
		}
		if from, ok := v["valueFrom"].(map[string]any); ok {
			v = from
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == "name" && strings.HasSuffix(path, "["+fmt.Sprint(v[k])+"]") {
				continue // already part of the path
			}
			t.flatten(path+"."+k, k, v[k], depth+1)
		}
		return
	case []any:
		for i, e := range v {
			m, ok := e.(map[string]any)
			if !ok {
				break
			}
			name := fmt.Sprint(i)
			for _, k := range listKeys {
				if n, ok := m[k]; ok {
					name = fmt.Sprint(n)
					break
				}
			}
			t.flatten(path+"["+message.Clip(name, 80)+"]", "", m, depth+1)
			if i == len(v)-1 {
				return
			}
		}
	}
	text, ok := v.(string)
	if !ok {
		b, _ := json.Marshal(v)
		text = string(b)
	}
	*t = append(*t, Field{Path: path, Value: message.Clip(text, 160)})
}

// at is the field at a path, or a zero one.
func (t Template) at(path string) (f Field) {
	if i, ok := slices.BinarySearchFunc(t, path, ComparePath); ok {
		f = t[i]
	}
	return f
}

// has reports whether there is a field below a path.
func (t Template) has(prefix string) bool {
	i, _ := slices.BinarySearchFunc(t, prefix, ComparePath)
	return i < len(t) && strings.HasPrefix(t[i].Path, prefix)
}

func ComparePath(f Field, path string) int { return strings.Compare(f.Path, path) }

// concerns classify fields by the beginning of their path, within a container or
// beside them.
var concerns = []struct {
	concern  codes.Concern
	prefixes []string
}{
	{codes.Placement, []string{
		"nodeSelector", "affinity", "tolerations", "topologySpreadConstraints",
		"nodeName", "schedulerName",
	}},
	{codes.Pull, []string{"imagePullSecrets"}},
	{codes.Image, []string{"image"}},
	{codes.Command, []string{"command", "args", "workingDir", "restartPolicy"}},
	{codes.Env, []string{"env"}},
	{codes.Resources, []string{"resources", "overhead"}},
	{codes.Devices, []string{"resourceClaims"}},
	{codes.Probes, []string{"livenessProbe", "readinessProbe", "startupProbe"}},
	{codes.Ports, []string{"ports", "hostNetwork"}},
	{codes.Lifecycle, []string{"lifecycle", "terminationGracePeriodSeconds"}},
	{codes.Security, []string{"securityContext", "hostPID", "hostIPC"}},
	{codes.Volumes, []string{"volume"}},
	{codes.Labels, []string{"labels["}},
	{codes.Runtime, []string{"runtimeClassName"}},
	{codes.Priority, []string{"priorityClassName"}},
	{codes.Account, []string{"serviceAccount", "automountServiceAccountToken"}},
}

// concern returns a field's class, and its container, if any.
func concern(path string) (sort codes.Concern, container string) {
	for _, list := range [...]string{"initContainers[", "containers["} {
		if rest, ok := strings.CutPrefix(path, list); ok {
			container, path, _ = strings.Cut(rest, "].")
		}
	}
	for _, c := range concerns {
		if slices.ContainsFunc(c.prefixes, func(p string) bool { return strings.HasPrefix(path, p) }) {
			return c.concern, container
		}
	}
	return "", container
}

// Diff compares the relevant fields of two templates. Of a container that was
// added or removed only the image is reported.
func Diff(before, after Template, container string, relevant []codes.Concern) (out []Change) {
	all := slices.Concat(before, after)
	slices.SortFunc(all, func(a, b Field) int { return ComparePath(a, b.Path) })
	for i, f := range all {
		was, is := before.at(f.Path), after.at(f.Path)
		sort, of := concern(f.Path)
		if i > 0 && all[i-1].Path == f.Path || was == is ||
			of != "" && container != "" && of != container || !slices.Contains(relevant, sort) {
			continue
		}
		path := "spec." + f.Path
		if was.Value == is.Value { // only their hashes differ
			is.Value = "another value"
		}
		if whole := f.Path[:strings.Index(f.Path, "].")+1]; of != "" && before.has(whole) != after.has(whole) {
			path, was, is = "spec."+whole, before.at(whole+".image"), after.at(whole+".image")
		} else if strings.HasPrefix(f.Path, "labels[") {
			path = "metadata." + f.Path
		}
		change := Change{Path: "spec.template." + path, Before: was.Value, After: is.Value}
		if len(out) < maxChanges && !slices.Contains(out, change) {
			out = append(out, change)
		}
	}
	return out
}
