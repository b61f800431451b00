package explain

import (
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// checkRests checks that an explanation needs nothing more once everything is forgotten that
// is neither followed nor among what it rests on. Else that would be fetched, and forgotten
// again, for ever.
func checkRests(t *testing.T, s inspect.Snapshot, roots []object.ID) {
	t.Helper()
	all := Explain(s, roots)
	followed := map[object.ID]bool{}
	var follow func(id object.ID)
	follow = func(id object.ID) {
		if followed[id] {
			return
		}
		followed[id] = true
		for _, c := range s.Children(id) {
			follow(c.ID)
		}
	}
	for _, id := range roots {
		follow(id)
	}
	listed := func(group, kind, namespace string) bool {
		return slices.ContainsFunc(all.DependsOn, func(r object.ID) bool {
			return r.Name == "" && r.Group == group && r.Kind == kind && (r.Namespace == "" || r.Namespace == namespace)
		})
	}
	known := func(id object.ID) bool {
		return followed[id] || slices.Contains(all.DependsOn, id) || listed(id.Group, id.Kind, id.Namespace)
	}
	part := s
	part.Object = func(id object.ID) *object.Object {
		if !known(id) {
			return nil
		}
		return s.Object(id)
	}
	part.Absent = func(id object.ID) bool { return known(id) && s.Absent(id) }
	part.List = func(group, kind, namespace string) (items []*object.Object, complete bool) {
		items, complete = s.List(group, kind, namespace)
		ofFollowed := len(items) == 0 || slices.ContainsFunc(items, func(o *object.Object) bool { return followed[o.ID] })
		items = slices.DeleteFunc(slices.Clone(items), func(o *object.Object) bool { return !known(o.ID) })
		return items, complete && (ofFollowed || listed(group, kind, namespace))
	}
	for _, n := range Explain(part, roots).Needs {
		if !slices.Contains(all.Needs, n) {
			t.Errorf("it rests on %v; without the others it needs %+v", all.DependsOn, n)
		}
	}
}
