package world

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Offline is a set of objects that were read together, without a cluster.
// Parents are judged with their children in the set, and rules look up other
// objects in it, as they do in a cluster.
type Offline struct {
	now      time.Time
	user     status.UserRules
	byID     map[object.ID]*object.Object
	children map[*object.Object][]*object.Object
	defined  map[[2]string]*object.Object // the CRDs in the set, by the group and kind that they define
	events   map[string][]object.Event    // by the UIDs of the objects that they are about
	judged   map[*object.Object]status.Assessment
}

// NewOffline returns the set as it is at a moment.
func NewOffline(objects []*object.Object, user status.UserRules, now time.Time) *Offline {
	f := &Offline{
		now: now, user: user,
		byID:     map[object.ID]*object.Object{},
		children: map[*object.Object][]*object.Object{},
		defined:  map[[2]string]*object.Object{},
		events:   map[string][]object.Event{},
		judged:   map[*object.Object]status.Assessment{},
	}
	parents := map[string][]*object.Object{}
	for _, o := range objects {
		f.byID[o.ID] = o
		if o.Kind == "CustomResourceDefinition" && o.Group == "apiextensions.k8s.io" {
			f.defined[[2]string{o.Str("spec", "group"), o.Str("spec", "names", "kind")}] = o
		}
		if o.Event != nil && o.Event.AboutUID != "" {
			f.events[o.Event.AboutUID] = append(f.events[o.Event.AboutUID], *o.Event)
		}
		for _, key := range edges.Offers(o, nil) {
			parents[key] = append(parents[key], o)
		}
	}
	for _, o := range objects {
		for _, key := range edges.Refers(o, nil) {
			for _, p := range parents[key] {
				list := f.children[p]
				twice := len(list) > 0 && list[len(list)-1] == o // by another key
				if p.UID != o.UID && !twice && edges.IsChild(p, o) {
					f.children[p] = append(list, o)
				}
			}
		}
	}
	return f
}

// World returns what is known beside the object itself.
func (f *Offline) World(o *object.Object) status.World {
	w := status.World{
		Offline: true, Searched: true, User: f.user,
		Lookup: func(id object.ID) *object.Object { return f.byID[id] },
		Judged: func(id object.ID) (a status.Assessment, known bool) {
			if o := f.byID[id]; o != nil {
				a = f.Assess(o)
			}
			return a, a.Rule != "" // none while it is being judged itself
		},
		Selected: func(by object.Selector) (out []*object.Object) {
			for _, p := range f.byID {
				if p.Pod != nil && p.Namespace == o.Namespace && edges.Selects(by, p) {
					out = append(out, p)
				}
			}
			return out
		},
		Events: func() ([]object.Event, bool) { return f.events[o.UID], false },
		Reports: func(group, kind string) (reports, known bool) {
			return status.ReportsStatus(f.defined[[2]string{group, kind}])
		},
	}
	for _, c := range f.children[o] {
		w.Children = append(w.Children, status.Child{Object: c, Assessment: f.Assess(c)})
	}
	// Input with some of a parent's children is taken to hold all of them.
	w.ChildrenKnown = len(w.Children) > 0
	return w
}

// Assess judges an object after its children.
func (f *Offline) Assess(o *object.Object) status.Assessment {
	if a, ok := f.judged[o]; ok {
		return a
	}
	// An object in a cycle of owners is reached before it has been assessed.
	f.judged[o] = status.Assessment{Status: status.Unknown, Deciding: -1}
	a := status.Assess(o, f.World(o), f.now)
	f.judged[o] = a
	return a
}
