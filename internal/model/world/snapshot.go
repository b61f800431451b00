package world

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Snapshot is the explanation's view of the world.
func (w *World) Snapshot() explain.Snapshot {
	at := func(id object.ID) *Node { return cmp.Or(w.Tree.Nodes[id], unknown) }
	return explain.Snapshot{
		Now:    w.Tree.Now,
		Object: w.Tree.Lookup,
		Absent: w.absent,
		Children: func(id object.ID) (out []*object.Object) {
			for _, k := range at(id).Kids {
				if k.Object != nil {
					out = append(out, k.Object)
				}
			}
			return out
		},
		Walk: func(root object.ID, visit func(*object.Object, status.Status, bool) bool) {
			if n := w.Tree.Nodes[root]; n != nil {
				n.walkKnown(visit)
			}
		},
		Parents: func(id object.ID) (out []object.ID) {
			n := at(id)
			if n.Parent != nil {
				out = append(out, *n.Parent.ID)
			}
			if n.Object != nil && n.Object.Pod != nil {
				for _, s := range w.Tree.pointed[n.Object.UID] {
					if s.InTree && s != n.Parent {
						out = append(out, *s.ID)
					}
				}
			}
			return out
		},
		Assessment: func(id object.ID) (status.Assessment, bool) {
			n := at(id)
			return n.Assessment(), n.Assess != unjudged
		},
		Events: func(id object.ID) []object.Event {
			if n := w.Tree.Nodes[id]; n != nil {
				return w.Records.EventsOf(n)
			}
			return w.Records.events[id]
		},
		List:      w.lister(),
		AllOnNode: w.Sources.allOnNode,
		Hidden: func(group, kind, namespace string) string {
			for _, s := range w.Sources.troubled(object.ID{Group: group, Kind: kind, Namespace: namespace}) {
				switch s.Phase {
				case feed.Forbidden:
					return Refusal(s)
				case feed.NotServed:
					return string(s.Phase)
				}
			}
			return ""
		},
		FirstSeen: func(id object.ID) time.Time { return at(id).Seen },
		ReadyLost: func(id object.ID) (int, time.Time) { return at(id).lost.within(w.Tree.Now, lostWindow) },
		Manifest: func(id object.ID) []string {
			n := at(id)
			if n.Root == nil {
				return nil
			}
			flag, file, _ := strings.Cut(n.Root.Source, " ")
			if flag != "-f" && flag != "-k" || file == "-" {
				return nil
			}
			if id.Namespace != "" && id.Namespace == w.opt.Namespace { // otherwise the manifest names it
				return []string{flag, file, "-n", id.Namespace}
			}
			return []string{flag, file}
		},
		Deleted:   func(parent object.ID) []*object.Object { return w.Tree.deletedPods[parent] },
		Gone:      func(id object.ID) time.Time { return at(id).gone },
		Rewritten: func(id object.ID) (int, time.Time) { return at(id).rewrites.within(w.Tree.Now, rewriteWindow) },
		SpecChanges: func(id object.ID) []explain.Change {
			if r := w.Records.respecs[id]; w.Tree.Now.Sub(r.at) <= respecWindow {
				return r.fields
			}
			return nil
		},
		Trouble: func(group, kind, namespace string) string {
			for _, s := range w.Sources.troubled(object.ID{Group: group, Kind: kind, Namespace: namespace}) {
				if s.Error != "" {
					return s.Error
				}
			}
			return ""
		},
		LogLine:    w.Readings.logLine,
		Complaints: w.Readings.complaints,
		Template:   w.Readings.template,
	}
}

// walkKnown is explain.Snapshot's Walk.
func (n *Node) walkKnown(visit func(o *object.Object, is status.Status, parent bool) bool) {
	if n.Object == nil || !visit(n.Object, n.Assess.Status, len(n.Kids) > 0) {
		return
	}
	for _, k := range n.Kids {
		k.walkKnown(visit)
	}
}

// unknown stands for what has no node.
var unknown = newNode(&object.ID{})

// lostWindow is how long a loss of Current is remembered.
const lostWindow = 10 * time.Minute

// rewriteWindow is how long changes of a spec are counted together.
const rewriteWindow = 2 * time.Minute

// respecWindow is how long a change of the spec may be the reason for a
// failure.
const respecWindow = time.Hour

// respec holds the observed changes of an object's spec that may be a reason:
// of each field the last.
type respec struct {
	fields []explain.Change
	at     time.Time
}

// respec notes which of those fields differ from before.
func (r *Records) respec(old, o *object.Object) {
	note := func(path, before, after string) {
		if before == after {
			return
		}
		if r.respecs == nil {
			r.respecs = map[object.ID]respec{}
		}
		// explanations hold the old list
		list := slices.DeleteFunc(slices.Clone(r.respecs[o.ID].fields), func(c explain.Change) bool {
			return c.Path == path
		})
		r.respecs[o.ID] = respec{append(list, explain.Change{Path: path, Before: before, After: after}), r.tree.Now}
	}
	if a, b := old.Workload, o.Workload; a != nil && b != nil &&
		o.Kind != "ReplicaSet" && a.Replicas.Set && b.Replicas.Set {
		note("spec.replicas", strconv.FormatInt(a.Replicas.V, 10), strconv.FormatInt(b.Replicas.V, 10))
	}
	if a, b := old.Service, o.Service; a != nil && b != nil {
		note("spec.selector", edges.Format(a.Selector), edges.Format(b.Selector))
		ports := func(s *object.Service) string {
			var list []string
			for _, p := range s.Ports {
				list = append(list, strconv.Itoa(int(p.Number))+"→"+p.Target)
			}
			return strings.Join(list, ",")
		}
		note("spec.ports", ports(a), ports(b))
	}
}

// deletedPodsHeld is how many deleted Pods of a Job are remembered.
const deletedPodsHeld = 5

// byKind are the nodes with an object, by group and kind: a pane asks for the few
// HorizontalPodAutoscalers among thousands of Pods with every key.
type byKind map[[2]string]map[*Node]struct{}

func (b byKind) add(n *Node) {
	of := [2]string{n.ID.Group, n.ID.Kind}
	if b[of] == nil {
		b[of] = map[*Node]struct{}{}
	}
	b[of][n] = struct{}{}
}

func (b byKind) remove(n *Node) { delete(b[[2]string{n.ID.Group, n.ID.Kind}], n) }

// List returns the known objects of a kind, sorted by ID.
func (w *World) List(group, kind, namespace string) (out []*object.Object) {
	for n := range w.Tree.kinds[[2]string{group, kind}] {
		if namespace == "" || n.ID.Namespace == namespace {
			out = append(out, n.Object)
		}
	}
	if w.Tree.kinds == nil { // a copy for an explanation
		for id, n := range w.Tree.Nodes {
			if n.Object != nil && id.Kind == kind && id.Group == group &&
				(namespace == "" || id.Namespace == namespace) {
				out = append(out, n.Object)
			}
		}
	}
	slices.SortFunc(out, func(a, b *object.Object) int { return a.ID.Compare(b.ID) })
	return out
}

// lister is List for an explanation, which asks for the same kinds again and
// again; complete says that a source delivers all of them.
func (w *World) lister() func(group, kind, namespace string) (out []*object.Object, complete bool) {
	known := map[[2]string][]*object.Object{}
	return func(group, kind, namespace string) (out []*object.Object, complete bool) {
		all, ok := known[[2]string{group, kind}]
		if !ok {
			all = w.List(group, kind, "")
			known[[2]string{group, kind}] = all
		}
		for _, o := range all {
			if namespace == "" || o.Namespace == namespace {
				out = append(out, o)
			}
		}
		return out, w.Sources.lists(edges.Need{Group: group, Kind: kind, Namespace: namespace})
	}
}
