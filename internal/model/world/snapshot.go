package world

import (
	"iter"
	"maps"
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
	return explain.Snapshot{
		Now:    w.Now,
		Object: w.Lookup,
		Absent: w.absent,
		Children: func(id object.ID) []*object.Object {
			n := w.Nodes[id]
			if n == nil || len(n.Kids) == 0 {
				return nil
			}
			out := make([]*object.Object, 0, len(n.Kids))
			for _, k := range n.Kids {
				if k.Object != nil {
					out = append(out, k.Object)
				}
			}
			return out
		},
		Parents: func(id object.ID) []object.ID {
			n := w.Nodes[id]
			if n == nil {
				return nil
			}
			var out []object.ID
			if n.Parent != nil {
				out = append(out, *n.Parent.ID)
			}
			if n.Object != nil && n.Object.Pod != nil {
				if s := w.pointed[n.Object.UID]; s != nil && s != n.Parent {
					out = append(out, *s.ID)
				}
			}
			return out
		},
		Assessment: func(id object.ID) (status.Assessment, bool) {
			n := w.Nodes[id]
			if n == nil || !n.judged {
				return status.Assessment{}, false
			}
			return n.Assessment(), true
		},
		Events: func(id object.ID) []feed.Event {
			if n := w.Nodes[id]; n != nil {
				return w.EventsOf(n)
			}
			return w.events[id]
		},
		List: w.List,
		Hidden: func(group, kind, namespace string) string {
			for s := range w.troubled(group, kind, namespace) {
				switch s.Phase {
				case feed.Forbidden:
					return Refusal(s)
				case feed.NotServed:
					return string(s.Phase)
				}
			}
			return ""
		},
		FirstSeen: func(id object.ID) time.Time {
			if n := w.Nodes[id]; n != nil {
				return n.Seen()
			}
			return time.Time{}
		},
		ReadyLost: func(id object.ID) (int, time.Time) {
			n := w.Nodes[id]
			if n == nil || n.lost == 0 || w.Now.Sub(n.lostSince) > lostWindow {
				return 0, time.Time{}
			}
			return n.lost, n.lostSince
		},
		Manifest: func(id object.ID) []string {
			n := w.Nodes[id]
			if n == nil || n.Root == nil {
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
		Deleted: func(parent object.ID) []*object.Object { return w.ghosts[parent] },
		Gone: func(id object.ID) time.Time {
			if n := w.Nodes[id]; n != nil {
				return n.gone
			}
			return time.Time{}
		},
		Rewritten: func(id object.ID) (int, time.Time) {
			n := w.Nodes[id]
			if n == nil || n.rewrites == 0 || w.Now.Sub(n.rewritten) > rewriteWindow {
				return 0, time.Time{}
			}
			return n.rewrites, n.rewritten
		},
		Respecced: func(id object.ID) []explain.Change {
			if r := w.respecs[id]; w.Now.Sub(r.at) <= respecWindow {
				return r.fields
			}
			return nil
		},
		Trouble: func(group, kind, namespace string) string {
			for s := range w.troubled(group, kind, namespace) {
				if s.Error != "" {
					return s.Error
				}
			}
			return ""
		},
		LogLine:  w.logLine,
		Template: w.template,
	}
}

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
func (r *records) respec(old, o *object.Object) {
	note := func(path, before, after string) {
		if before == after {
			return
		}
		if r.respecs == nil {
			r.respecs = map[object.ID]respec{}
		}
		// explanations hold the old list
		list := slices.DeleteFunc(slices.Clone(r.respecs[o.ID].fields), func(c explain.Change) bool { return c.Path == path })
		r.respecs[o.ID] = respec{append(list, explain.Change{Path: path, Before: before, After: after}), r.Now}
	}
	if a, b := old.Workload, o.Workload; a != nil && b != nil && o.Kind != "ReplicaSet" && a.Replicas.Set && b.Replicas.Set {
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

// ghostsHeld is how many deleted Pods of a Job are remembered.
const ghostsHeld = 5

// List returns the known objects of a kind, sorted by ID.
func (w *World) List(group, kind, namespace string) (out []*object.Object, complete bool) {
	k := kindIn{group: group, kind: kind}
	nodes, ok := w.sorted[k]
	if !ok {
		for n := range w.ofKind(k) {
			nodes = append(nodes, n)
		}
		slices.SortFunc(nodes, ByID)
		w.sorted[k] = nodes
	}
	for _, n := range nodes {
		if n.Object != nil && (namespace == "" || n.ID.Namespace == namespace) {
			out = append(out, n.Object)
		}
	}
	for _, s := range w.Sources {
		if s.Group == group && s.Kind == kind && s.Phase == feed.Live && s.Selector == "" && s.Name == "" &&
			(s.Namespace == "" || s.Namespace == namespace) {
			complete = true
			break
		}
	}
	return out, complete
}

// ofKind iterates over the nodes of a kind with an object.
func (t *tree) ofKind(k kindIn) iter.Seq[*Node] {
	if t.kinds != nil {
		return maps.Keys(t.kinds[k])
	}
	return func(yield func(*Node) bool) { // a copy has no index
		for _, n := range t.Nodes {
			if n.Object != nil && n.ID.Kind == k.kind && n.ID.Group == k.group && !yield(n) {
				return
			}
		}
	}
}

// known updates the index by kind.
func (t *tree) known(n *Node, there bool) {
	k := kindIn{group: n.ID.Group, kind: n.ID.Kind}
	if there {
		m := t.kinds[k]
		if m == nil {
			m = map[*Node]struct{}{}
			t.kinds[k] = m
		}
		m[n] = struct{}{}
	} else {
		delete(t.kinds[k], n)
	}
	delete(t.sorted, k)
}
