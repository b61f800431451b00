package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Differences between the last working revision and the newest one, if they can
// be the reason: an image for a failing pull, requests for an unschedulable
// Pod, never the whole difference.

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

// NewTemplate flattens a pod template: a map with "metadata" and "spec".
func NewTemplate(pod map[string]any) Template {
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
			t.flatten(path+"["+clip(name, 80)+"]", "", m, depth+1)
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
	*t = append(*t, Field{Path: path, Value: clip(text, 160)})
}

// at is the field at a path, or a zero one.
func (t Template) at(path string) (f Field) {
	if i, ok := slices.BinarySearchFunc(t, path, comparePath); ok {
		f = t[i]
	}
	return f
}

// has reports whether there is a field below a path.
func (t Template) has(prefix string) bool {
	i, _ := slices.BinarySearchFunc(t, prefix, comparePath)
	return i < len(t) && strings.HasPrefix(t[i].Path, prefix)
}

func comparePath(f Field, path string) int { return strings.Compare(f.Path, path) }

// concerns classify fields by the beginning of their path, within a container or
// beside them.
var concerns = []struct {
	concern  string
	prefixes []string
}{
	{"placement", []string{"nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "nodeName", "schedulerName"}},
	{"pull", []string{"imagePullSecrets"}},
	{"image", []string{"image"}},
	{"command", []string{"command", "args", "workingDir", "restartPolicy"}},
	{"env", []string{"env"}},
	{"resources", []string{"resources", "overhead"}},
	{"devices", []string{"resourceClaims"}},
	{"probes", []string{"livenessProbe", "readinessProbe", "startupProbe"}},
	{"ports", []string{"ports", "hostNetwork"}},
	{"lifecycle", []string{"lifecycle", "terminationGracePeriodSeconds"}},
	{"security", []string{"securityContext", "hostPID", "hostIPC"}},
	{"volumes", []string{"volume"}},
	{"labels", []string{"labels["}},
	{"runtime", []string{"runtimeClassName"}},
	{"priority", []string{"priorityClassName"}},
	{"account", []string{"serviceAccount", "automountServiceAccountToken"}},
}

// concern returns a field's class, and its container, if any.
func concern(path string) (sort, container string) {
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

// matters are the classes of fields that may be the reason for a cause.
func matters(code string) []string {
	switch code {
	case "ContainerCrashing", "ContainerKilled", "ContainerSignalled", "ContainerStatusLost", "InitContainerFailing":
		return []string{"image", "command", "env", "resources", "volumes", "security"}
	case "ContainerCannotStart":
		return []string{"image", "command", "volumes"}
	case "ContainerCompletes":
		return []string{"image", "command"}
	case "ContainerHookFailed":
		return []string{"image", "lifecycle"}
	case "ImageNotFound", "ImagePullDenied", "ImageRateLimited", "RegistryUnreachable", "ImageNeverPulled", "ImageNameInvalid", "ImageSignatureInvalid", "ImagePullFailed":
		return []string{"image"}
	case "ImageWrongPlatform":
		return []string{"image", "placement"}
	case "ImageRunsAsRoot":
		return []string{"image", "security"}
	case "ConfigMissing", "ConfigKeyMissing", "ContainerConfigInvalid":
		return []string{"env", "volumes"}
	case "OutOfMemory":
		return []string{"image", "command", "env", "resources"}
	case "LivenessProbeFailing", "ReadinessProbeFailing":
		return []string{"image", "command", "env", "probes", "ports"}
	case "NotEnoughResources":
		return []string{"resources", "placement", "replicas"}
	case "NoMatchingNode", "NodeCordoned", "TaintNotTolerated":
		return []string{"placement"}
	case "NodeFullOfPods":
		return []string{"placement", "replicas"}
	case "PodAffinity", "TopologySpread":
		return []string{"placement", "labels", "replicas"}
	case "HostPortTaken":
		return []string{"ports", "placement", "replicas"}
	case "VolumeTopology", "VolumeLimit":
		return []string{"volumes", "placement"}
	case "VolumeInUse":
		return []string{"volumes", "replicas"}
	case "DeviceUnavailable":
		return []string{"devices", "resources"}
	case "Unschedulable":
		return []string{"placement", "resources", "volumes"}
	case "ClaimMissing", "VolumeAttachFailed", "VolumeAttachedElsewhere", "VolumeMountFailed", "VolumeSourceMissing", "VolumeKeyMissing":
		return []string{"volumes"}
	case "QuotaExceeded":
		return []string{"resources", "replicas"}
	case "QuotaNeedsFields", "LimitRangeViolated":
		return []string{"resources"}
	case "PodSecurityViolated":
		return []string{"security", "volumes", "ports"}
	case "WebhookDenied", "PolicyDenied":
		return []string{"image", "security", "labels", "resources"}
	case "RuntimeClassMissing":
		return []string{"runtime", "placement"}
	case "PriorityClassMissing":
		return []string{"priority"}
	case "ServiceAccountMissing":
		return []string{"account"}
	}
	return nil
}

// changed returns how the newest revision of the object's workload differs from
// the last working one, in what may be the reason for a finding.
func (l *look) changed(f *Finding) []Change {
	list := matters(f.Code)
	if list == nil {
		return f.Changed
	}
	var out []Change
	if now, before, ok := l.revisions(); ok {
		after, known := l.template(now)
		was, ok := l.template(before)
		if !ok || !known {
			was, after = l.images(before), l.images(now)
		}
		if len(was) > 0 && len(after) > 0 {
			out = diff(was, after, f.Subject.Container, list)
		}
	}
	if slices.Contains(list, "replicas") {
		out = append(out, l.respec(l.workload(l.o.ID), "spec.replicas")...)
	}
	return out
}

// respec is the last observed change of a field of an object's spec.
func (l *look) respec(id object.ID, path string) []Change {
	return slices.DeleteFunc(slices.Clone(l.s.Respecced(id)), func(c Change) bool { return c.Path != path })
}

// diff compares the relevant fields of two templates. Of a container that was
// added or removed only the image is reported.
func diff(before, after Template, container string, relevant []string) (out []Change) {
	all := slices.Concat(before, after)
	slices.SortFunc(all, func(a, b Field) int { return comparePath(a, b.Path) })
	for i, f := range all {
		was, is := before.at(f.Path), after.at(f.Path)
		sort, of := concern(f.Path)
		if i > 0 && all[i-1].Path == f.Path || was == is || of != "" && container != "" && of != container || !slices.Contains(relevant, sort) {
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

// template returns a revision's template; an unknown one becomes a need.
func (l *look) template(id object.ID) (Template, bool) {
	t, ok := l.s.Template(id)
	if !ok && !l.absent(id) {
		l.need(Need{ID: id, Template: true})
	}
	return t, ok && len(t) > 0
}

// revisions returns the objects with the newest template of the object's
// workload and with the last working one: ReplicaSets or ControllerRevisions.
func (l *look) revisions() (now, before object.ID, ok bool) {
	o := l.o
	owner, owned := o.Controller()
	switch {
	case o.Kind == "Pod" && owned && owner.Kind == "ReplicaSet":
		rs := l.object(l.id("apps", "ReplicaSet", owner.Name))
		if rs == nil {
			return now, before, false
		}
		return l.sets(rs)
	case o.Kind == "ReplicaSet":
		return l.sets(o)
	case o.Kind == "Pod" && owned && (owner.Kind == "StatefulSet" || owner.Kind == "DaemonSet"):
		mine, ok := o.Label("controller-revision-hash")
		if !ok {
			return now, before, false
		}
		// A StatefulSet's Pods are labelled with the revision's name, a
		// DaemonSet's with its hash.
		prefix := ""
		if owner.Kind == "DaemonSet" {
			prefix = owner.Name + "-"
		}
		return l.revisionBefore(owner.UID, prefix+mine)
	case o.Kind == "StatefulSet" && o.Workload != nil && o.Workload.UpdateRevision != "":
		return l.revisionBefore(o.UID, o.Workload.UpdateRevision)
	case o.Kind == "DaemonSet":
		return l.revisionBefore(o.UID, "")
	}
	return now, before, false
}

// revisionBefore finds the revision before one of a StatefulSet or DaemonSet;
// before the newest if none is given. Only metadata of revisions is read, so
// they are ordered by their last write: a rollback writes the revision number
// (kubernetes pkg/controller/history, v1.36).
func (l *look) revisionBefore(owner, name string) (now, before object.ID, ok bool) {
	kind := object.ID{Group: "apps", Kind: "ControllerRevision", Namespace: l.o.Namespace}
	list, _ := l.s.List(kind.Group, kind.Kind, kind.Namespace)
	list = slices.DeleteFunc(slices.Clone(list), func(r *object.Object) bool {
		return !slices.ContainsFunc(r.Owners, func(o object.Owner) bool { return o.UID == owner })
	})
	slices.SortStableFunc(list, func(a, b *object.Object) int {
		return cmp.Or(b.Written.Compare(a.Written), b.Created.Compare(a.Created))
	})
	at := 0
	if name != "" {
		at = slices.IndexFunc(list, func(r *object.Object) bool { return r.Name == name })
	}
	if at < 0 || len(list) == 0 {
		if l.s.Hidden(kind.Group, kind.Kind, kind.Namespace) == "" {
			l.need(Need{ID: kind})
		}
		return now, before, false
	}
	if at+1 == len(list) {
		return now, before, false
	}
	return list[at].ID, list[at+1].ID, true
}

// sets finds the ReplicaSet of the last working revision: of the older ones one
// with available Pods, otherwise the newest.
func (l *look) sets(newest *object.Object) (now, before object.ID, ok bool) {
	dep, owned := newest.Controller()
	if !owned || newest.Workload == nil {
		return now, before, false
	}
	var best *object.Object
	works := func(s *object.Object) int64 { return min(s.Workload.Available.Or(0), 1) }
	for _, s := range l.s.Children(l.id("apps", "Deployment", dep.Name)) {
		if s.Workload == nil || s.Kind != "ReplicaSet" || s.UID == newest.UID || kinds.Revision(s) >= kinds.Revision(newest) {
			continue
		}
		if best == nil || works(s) > works(best) || works(s) == works(best) && kinds.Revision(s) > kinds.Revision(best) {
			best = s
		}
	}
	if best == nil {
		return now, before, false
	}
	return newest.ID, best.ID, true
}

// images is what a ReplicaSet itself tells of its template.
func (l *look) images(id object.ID) (t Template) {
	if o := l.s.Object(id); o != nil && o.Workload != nil {
		for _, i := range o.Workload.Images {
			path := "containers[" + i.Container + "]."
			t = append(t, Field{Path: path + "image", Value: i.Image}, Field{Path: path + "resources.limits.memory", Value: i.Memory})
		}
	}
	slices.SortFunc(t, func(a, b Field) int { return comparePath(a, b.Path) })
	return t
}
