package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

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

// below returns the fields at or below a path.
func (t Template) below(prefix string) []Field {
	i, _ := slices.BinarySearchFunc(t, prefix, func(f Field, p string) int { return strings.Compare(f.Path, p) })
	j := i
	for j < len(t) && strings.HasPrefix(t[j].Path, prefix) {
		j++
	}
	return t[i:j]
}

// concerns classify fields by a part of their path.
var concerns = []struct{ part, concern string }{
	{"nodeSelector", "placement"},
	{"affinity", "placement"},
	{"tolerations", "placement"},
	{"topologySpreadConstraints", "placement"},
	{"nodeName", "placement"},
	{"schedulerName", "placement"},
	{"runtimeClassName", "runtime"},
	{"resourceClaims", "devices"},
	{"resources", "resources"},
	{"overhead", "resources"},
	{"priorityClassName", "priority"},
	{"serviceAccount", "account"},
	{"automountServiceAccountToken", "account"},
	{"imagePullSecrets", "pull"},
	{"volumes", "volumes"},
	{"securityContext", "security"},
	{"hostNetwork", "ports"},
	{"hostPID", "security"},
	{"hostIPC", "security"},
	{"labels[", "labels"},
	{"terminationGracePeriodSeconds", "lifecycle"},
	{"restartPolicy", "command"},
}

// containerConcerns classify fields within a container.
var containerConcerns = []struct{ part, concern string }{
	{"image", "image"},
	{"command", "command"},
	{"args", "command"},
	{"workingDir", "command"},
	{"env", "env"},
	{"resources", "resources"},
	{"livenessProbe", "probes"},
	{"readinessProbe", "probes"},
	{"startupProbe", "probes"},
	{"ports", "ports"},
	{"lifecycle", "lifecycle"},
	{"securityContext", "security"},
	{"volume", "volumes"},
}

// concern returns a field's class, and its container, if any.
func concern(path string) (sort, container string) {
	list := concerns
	if rest, ok := strings.CutPrefix(path, "initContainers["); ok {
		container, path, _ = strings.Cut(rest, "].")
		list = containerConcerns
	} else if rest, ok := strings.CutPrefix(path, "containers["); ok {
		container, path, _ = strings.Cut(rest, "].")
		list = containerConcerns
	}
	for _, c := range list {
		if strings.HasPrefix(path, c.part) {
			return c.concern, container
		}
	}
	return "", container
}

// changed returns how the newest revision of the object's workload differs from
// the last working one, in what concerns a container (nil for all).
func (l *look) changed(c *object.Container, matters ...string) []Change {
	return slices.Concat(l.revised(c, matters), l.respecced(matters))
}

// respecced returns observed changes of the workload's spec outside its
// template.
func (l *look) respecced(matters []string) []Change {
	if !slices.Contains(matters, "replicas") {
		return nil
	}
	return l.respecOf(l.workload(l.o.ID), "spec.replicas")
}

// respec is the last observed change of a field of the object's spec.
func (l *look) respec(path string) []Change { return l.respecOf(l.o.ID, path) }

func (l *look) respecOf(id object.ID, path string) []Change {
	return slices.DeleteFunc(slices.Clone(l.s.Respecced(id)), func(c Change) bool { return c.Path != path })
}

func (l *look) revised(c *object.Container, matters []string) []Change {
	now, before, ok := l.revisions()
	if !ok {
		return nil
	}
	after, known := l.template(now)
	was, known2 := l.template(before)
	if !known || !known2 {
		return l.changedImage(now, before, c, matters)
	}
	name := ""
	if c != nil {
		name = c.Name
	}
	return diff(was, after, name, matters)
}

// diff compares the relevant fields of two templates.
func diff(before, after Template, container string, matters []string) []Change {
	var out []Change
	told := map[string]bool{} // containers that were added or removed
	add := func(path, a, b string) {
		if len(out) < maxChanges {
			out = append(out, Change{Path: "spec.template." + path, Before: a, After: b})
		}
	}
	one := func(f Field, was, is string) {
		sort, of := concern(f.Path)
		if of != "" && container != "" && of != container || !slices.Contains(matters, sort) {
			return
		}
		if of != "" {
			prefix := f.Path[:strings.Index(f.Path, "].")+1]
			if len(before.below(prefix)) == 0 || len(after.below(prefix)) == 0 {
				if !told[prefix] {
					told[prefix] = true
					add("spec."+prefix, imageIn(before, prefix), imageIn(after, prefix))
				}
				return
			}
		}
		if i := strings.Index(f.Path, "Probe."); i >= 0 && sort == "probes" {
			// Of an added or removed probe only its action is reported.
			prefix := f.Path[:i+len("Probe.")]
			if (len(before.below(prefix)) == 0) != (len(after.below(prefix)) == 0) && !asksOf(f.Path[i+len("Probe."):]) {
				return
			}
		}
		path := "spec." + f.Path
		if strings.HasPrefix(f.Path, "labels[") {
			path = "metadata." + f.Path
		}
		add(path, was, is)
	}
	for i, j := 0, 0; i < len(before) || j < len(after); {
		switch {
		case j == len(after) || i < len(before) && before[i].Path < after[j].Path:
			one(before[i], before[i].Value, "")
			i++
		case i == len(before) || after[j].Path < before[i].Path:
			one(after[j], "", after[j].Value)
			j++
		default:
			a, b := before[i], after[j]
			if a.hash != b.hash && a.hash != 0 && b.hash != 0 {
				one(a, "a value", "another value")
			} else if a.Value != b.Value {
				one(a, a.Value, b.Value)
			}
			i, j = i+1, j+1
		}
	}
	return out
}

// asksOf reports whether a field of a probe belongs to its action.
func asksOf(field string) bool {
	switch field {
	case "httpGet.path", "httpGet.port", "tcpSocket.port", "grpc.port", "exec.command":
		return true
	}
	return false
}

func imageIn(t Template, prefix string) string {
	for _, f := range t.below(prefix + ".image") {
		if f.Path == prefix+".image" {
			return f.Value
		}
	}
	return ""
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
		// Compare the Pod's revision with that of the ready Pods.
		for _, p := range l.s.Children(l.id("apps", owner.Kind, owner.Name)) {
			h, ok := p.Label("controller-revision-hash")
			if x := p.Condition("Ready"); ok && h != mine && p.Created.Before(o.Created) && x != nil && x.Status == "True" {
				return l.id("apps", "ControllerRevision", prefix+mine), l.id("apps", "ControllerRevision", prefix+h), true
			}
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
		if s.Workload == nil || s.Kind != "ReplicaSet" || s.UID == newest.UID || revision(s) >= revision(newest) {
			continue
		}
		if best == nil || works(s) > works(best) || works(s) == works(best) && revision(s) > revision(best) {
			best = s
		}
	}
	if best == nil {
		return now, before, false
	}
	return newest.ID, best.ID, true
}

// changedImage is changed as far as the ReplicaSets' own views tell.
func (l *look) changedImage(now, before object.ID, c *object.Container, matters []string) []Change {
	is, was := l.s.Object(now), l.s.Object(before)
	if c == nil || is == nil || was == nil || is.Workload == nil || was.Workload == nil {
		return nil
	}
	a, b := imageOf(was, c.Name), imageOf(is, c.Name)
	path := "spec.template.spec.containers[" + c.Name + "]"
	var out []Change
	switch {
	case b == nil:
	case a == nil:
		out = append(out, Change{Path: path, After: b.Image})
	default:
		if slices.Contains(matters, "image") && a.Image != b.Image {
			out = append(out, Change{Path: path + ".image", Before: a.Image, After: b.Image})
		}
		if slices.Contains(matters, "resources") && a.Memory != b.Memory {
			out = append(out, Change{Path: path + ".resources.limits.memory", Before: a.Memory, After: b.Memory})
		}
	}
	return out
}

func imageOf(o *object.Object, container string) *object.Image {
	for i := range o.Workload.Images {
		if o.Workload.Images[i].Container == container {
			return &o.Workload.Images[i]
		}
	}
	return nil
}

// mattering returns the classes of fields that may be the reason for a cause.
func mattering(code string) []string {
	if fields := matter[code]; fields != nil {
		return fields
	}
	return []string{"image", "command", "env", "resources", "volumes", "security"}
}

var matter = map[string][]string{
	"NotEnoughResources":   {"resources", "placement", "replicas"},
	"NodeFullOfPods":       {"placement", "replicas"},
	"NoMatchingNode":       {"placement"},
	"NodeCordoned":         {"placement"},
	"TaintNotTolerated":    {"placement"},
	"PodAffinity":          {"placement", "labels", "replicas"},
	"TopologySpread":       {"placement", "labels", "replicas"},
	"HostPortTaken":        {"ports", "placement", "replicas"},
	"VolumeTopology":       {"volumes", "placement"},
	"VolumeLimit":          {"volumes", "placement"},
	"VolumeInUse":          {"volumes", "replicas"},
	"DeviceUnavailable":    {"devices", "resources"},
	"Unschedulable":        {"placement", "resources", "volumes"},
	"OutOfMemory":          {"resources", "image", "command", "env"},
	"ImageWrongPlatform":   {"image", "placement"},
	"ContainerHookFailed":  {"lifecycle", "image"},
	"LivenessProbeFailing": {"probes", "ports", "image", "command", "env"},
	"ContainerCompletes":   {"command", "image"},
	"ContainerCannotStart": {"image", "command"},
}
