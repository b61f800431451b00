package follow

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Removed members.
const (
	// keptAfter is how long a removed member may exist before it counts as
	// kept; goneRow is how long the row of a deleted one is shown.
	keptAfter = 5 * time.Second
	goneRow   = 5 * time.Second
	leftMost  = 500 // rows of removed members
)

// left is a member that the inventory no longer lists.
type left struct {
	inventory.Target
	since time.Time // when it was removed from the list
	gone  time.Time // when it was found to be deleted; zero while it exists
}

// follow decides that the members of a list are followed.
func (f *Follower) follow(s *set, r Root, list inventory.Set, asked bool, asides []inventory.Target) {
	now := time.Now()
	targets := make([]inventory.Target, 0, len(list.Members)+8)
	listed := make(map[object.ID]bool, len(list.Members))
	above := f.chain(r)
	for _, m := range list.Members {
		t := f.member(s, r, list, m)
		if m.Other != "" && t.Told.Status == "" {
			other := f.eitherName(s, &t, m.Other)
			listed[other] = true
			asides = append(asides, inventory.Target{Source: r.Source, ID: other, Aside: true, In: s.root})
		}
		if listed[t.ID] {
			continue
		}
		listed[t.ID] = true
		if slices.Contains(above, t.ID) {
			list.Notes = append(list.Notes, "it holds "+t.ID.String()+", which it stands under")
			continue
		}
		targets = append(targets, t)
	}
	for _, l := range list.Labels {
		targets = append(targets, f.labelled(s, r, l)...)
	}
	for _, t := range s.now.Targets {
		if t.Told.Status == "" && t.ID.Name != "" && !t.Gone && !t.Aside && !listed[t.ID] && len(s.left) < leftMost {
			s.left[t.ID] = left{Target: t, since: now}
		}
	}
	targets = append(targets, f.leaving(s, listed, now)...)
	if list.Revision != "" {
		name := inventory.ShortRevision(list.Revision)
		if _, err := strconv.Atoi(name); err == nil {
			name = "revision " + name
		}
		list.Notes = slices.Insert(list.Notes, 0, name)
	}
	s.now.Facts = Facts{Revision: list.Revision, Pending: list.Pending, Note: strings.Join(list.Notes, "; "), Told: list.Told, Asked: asked}
	s.now.Targets = append(targets, asides...)
}

// eitherName makes the target the one of its two names that exists, and returns
// the other. Until that has been looked at the root is held back.
func (f *Follower) eitherName(s *set, t *inventory.Target, name string) object.ID {
	other := t.ID
	other.Name = name
	o, answered := f.Engine.Object(other)
	if o == nil {
		s.now.Hold = s.now.Hold || !answered
		return other
	}
	if first, _ := f.Engine.Object(t.ID); first == nil {
		t.ID, other = other, t.ID
	}
	return other
}

// chain lists the inventories that a root is nested in, itself first.
func (f *Follower) chain(r Root) []object.ID {
	out := []object.ID{r.ID}
	for in := r.In; !in.IsZero() && !slices.Contains(out, in); {
		out = append(out, in)
		above, _ := f.Engine.Root(in)
		in = above.In
	}
	return out
}

// member is the target of an entry.
func (f *Follower) member(s *set, r Root, list inventory.Set, m inventory.Member) inventory.Target {
	t := inventory.Target{
		Source: r.Source, ID: m.ID, Version: m.Version, In: s.root, Inventory: s.title,
		Note: m.Note, Optional: m.Optional || r.Optional, Said: m.Said,
	}
	cluster := cmp.Or(m.Cluster, list.Cluster)
	switch {
	case m.Unreadable != "":
		t.Told = feed.Told{Status: status.Unknown, Reason: "UnreadableEntry", Message: "this entry of the inventory cannot be read: " + m.Unreadable}
	case cluster != "":
		// An object of the same name in this cluster is another one.
		t.ID.Group = strings.TrimPrefix(t.ID.Group+"@"+cluster, "@")
		t.Told = feed.Told{Status: cmp.Or(m.Said.Status, status.Unknown), Reason: "OtherCluster", Message: "it is in " + cluster + ", where it is not looked up"}
		if m.Said.Word != "" {
			t.Told.Message += "; " + m.Said.By + " says " + m.Said.Word
		}
		t.Optional, t.Said = true, feed.Said{}
		t.Note = JoinNotes("in another cluster", t.Note)
	default:
		if t.ID.Namespace == "" {
			t.ID.Namespace = s.root.Namespace
		}
		t.ID = f.Reader.Scoped(t.ID)
	}
	return t
}

// labelled is the target of a label.
func (f *Follower) labelled(s *set, r Root, l inventory.Labels) []inventory.Target {
	base := inventory.Target{
		Source: r.Source, Selector: l.Selector, Filter: l.Filter,
		In: s.root, Inventory: s.title, Optional: r.Optional,
	}
	namespaces := l.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{f.Namespace} // ignored for cluster-scoped kinds
	}
	var out []inventory.Target
	for _, ns := range namespaces {
		t := base
		t.Namespace = ns
		for _, gk := range l.Kinds {
			t.ID = gk
			out = append(out, t)
		}
		if len(l.Kinds) == 0 {
			t.All = true
			out = append(out, t)
		}
	}
	return out
}

// leaving returns the targets of removed members: a member that is being
// deleted is followed until it is gone, and a moment longer; one that stays is
// marked as kept.
func (f *Follower) leaving(s *set, listed map[object.ID]bool, now time.Time) []inventory.Target {
	var out []inventory.Target
	changing := false
	for _, id := range slices.SortedFunc(maps.Keys(s.left), object.ID.Compare) {
		l := s.left[id]
		if listed[id] {
			delete(s.left, id)
			continue
		}
		t := l.Target
		t.Gone, t.Said = true, feed.Said{}
		switch o, _ := f.Engine.Object(id); {
		case o == nil && t.Optional: // a completed hook
			delete(s.left, id)
			continue
		case o == nil:
			if l.gone.IsZero() {
				l.gone = now
				s.left[id] = l
			}
			if now.Sub(l.gone) >= goneRow {
				delete(s.left, id)
				continue
			}
			changing, t.Kept, t.Note = true, true, "pruned"
		case !o.Deleted.IsZero():
			t.Note = "being pruned"
		case now.Sub(l.since) >= keptAfter:
			t.Kept, t.Note = true, "no longer in the set, but kept"
		default:
			changing, t.Note = true, "no longer in the set" // its deletion may begin unnoticed
		}
		out = append(out, t)
	}
	if changing {
		f.later(s.root, time.Second)
	}
	return out
}

// JoinNotes joins two remarks about an object.
func JoinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
