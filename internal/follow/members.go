package follow

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Limits for members that have left their list.
const (
	keptAfter = 5 * time.Second // a member that still exists counts as kept by its tool, also while it is being deleted
	goneRow   = 5 * time.Second // how long a deleted member keeps its row
	leftMost  = 500             // how many keep a row
)

// formerMember is a member that the inventory no longer lists.
type formerMember struct {
	inventory.Target
	since time.Time // when it was removed from the list
	gone  time.Time // when it was found to be deleted; zero while it exists
}

// follow decides that the members of a list are followed.
func (f *Follower) follow(s *set, r Root, list inventory.Set, supporting []inventory.Target) {
	now := time.Now()
	targets := make([]inventory.Target, 0, len(list.Members)+8)
	listed := make(map[object.ID]bool, len(list.Members))
	above := f.above(r)
	common := inventory.Target{Source: r.Source, In: s.root, Inventory: s.root.String(), Optional: r.Optional}
	for _, m := range list.Members {
		t := f.member(common, list, m)
		if m.Other != "" && t.Given.Status == "" {
			other := f.eitherName(s, &t, m.Other)
			listed[other] = true
			supporting = append(supporting, inventory.Target{Source: r.Source, ID: other, Supporting: true, In: s.root})
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
		targets = append(targets, labelled(common, l)...)
	}
	for _, t := range s.now.Targets {
		if t.Given.Status == "" && t.ID.Name != "" && !t.Gone && !t.Supporting && !listed[t.ID] &&
			len(s.former) < leftMost {
			t.Gone, t.Reported = true, feed.ReportedStatus{}
			s.former = append(s.former, &formerMember{Target: t, since: now})
		}
	}
	f.leave(s, listed, now)
	for _, l := range s.former {
		targets = append(targets, l.Target)
	}
	if list.Revision != "" {
		name := inventory.ShortRevision(list.Revision)
		if _, err := strconv.Atoi(name); err == nil {
			name = "revision " + name
		}
		list.Notes = slices.Insert(list.Notes, 0, name)
	}
	s.now.Facts = Facts{
		Revision: list.Revision, Target: list.Target, Pending: list.Pending,
		Applying: list.Applying, Outdated: list.Outdated,
		Note: strings.Join(list.Notes, "; "), Given: list.Given,
		NeedsMembers: r.ByUser() && !list.Hidden && (r.NamedAsInventory || !list.Unlisted),
	}
	s.now.Targets = append(targets, supporting...)
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

// above lists the inventories that a root is nested in, itself first.
func (f *Follower) above(r Root) []object.ID {
	out := []object.ID{r.ID}
	for in := r.In; !in.IsZero() && !slices.Contains(out, in); {
		out = append(out, in)
		outer, _ := f.Engine.Root(in)
		in = outer.In
	}
	return out
}

// member is the target of an entry; t has what is common to all of the set.
func (f *Follower) member(t inventory.Target, list inventory.Set, m inventory.Member) inventory.Target {
	t.ID, t.Version, t.Note, t.Reported = m.ID, m.Version, m.Note, m.Reported
	t.Optional = t.Optional || m.Optional
	cluster := cmp.Or(m.Cluster, list.Cluster)
	switch {
	case m.Unreadable != "":
		t.Given = feed.GivenStatus{
			Status: status.Unknown, Reason: "UnreadableEntry",
			Message: "this entry of the inventory cannot be read: " + m.Unreadable,
		}
	case cluster != "":
		// An object of the same name in this cluster is another one.
		t.ID.Group = strings.TrimPrefix(t.ID.Group+"@"+cluster, "@")
		t.Given = feed.GivenStatus{
			Status: cmp.Or(m.Reported.Status, status.Unknown), Reason: "OtherCluster",
			Message: "it is in " + cluster + ", where it is not looked up",
		}
		if m.Reported.Word != "" {
			t.Given.Message += "; " + m.Reported.By + " says " + m.Reported.Word
		}
		t.Optional, t.Reported = true, feed.ReportedStatus{}
		t.Note = JoinNotes("in another cluster", t.Note)
	default:
		t.ID.Namespace = cmp.Or(t.ID.Namespace, t.In.Namespace)
		t.ID = f.Reader.Scoped(t.ID)
	}
	return t
}

// labelled are the targets of a label.
func labelled(t inventory.Target, l inventory.Labels) (out []inventory.Target) {
	t.Selector, t.Filter, t.All = l.Selector, l.Filter, len(l.Kinds) == 0
	kinds, namespaces := l.Kinds, l.Namespaces
	if t.All {
		kinds = []object.ID{{}}
	}
	if len(namespaces) == 0 {
		namespaces = []string{""} // the default one
	}
	for _, ns := range namespaces {
		for _, kind := range kinds {
			t.Namespace, t.ID = ns, kind
			out = append(out, t)
		}
	}
	return out
}

// leave decides what is shown of removed members: one that is being deleted is
// followed until it is gone, and a moment longer; one that stays is marked as kept,
// and counts no longer, also where its deletion does not end.
func (f *Follower) leave(s *set, listed map[object.ID]bool, now time.Time) {
	changing := false
	s.former = slices.DeleteFunc(s.former, func(l *formerMember) bool {
		o, _ := f.Engine.Object(l.ID)
		if o == nil && l.gone.IsZero() {
			l.gone = now
		}
		switch {
		case listed[l.ID], o == nil && (l.Optional || now.Sub(l.gone) >= goneRow):
			// of a completed hook there is no row
			return true
		case o == nil:
			changing, l.Kept, l.Note = true, true, "pruned"
		case !o.Deleted.IsZero(): // its writer does not wait for one that a finalizer holds
			l.Kept, l.Note = now.Sub(l.since) >= keptAfter, "being pruned"
			changing = changing || !l.Kept
		case now.Sub(l.since) >= keptAfter:
			l.Kept, l.Note = true, "no longer in the set, but kept"
		default:
			changing, l.Kept, l.Note = true, false, "no longer in the set" // its deletion may begin unnoticed
		}
		return false
	})
	if changing {
		f.changed.AddAfter(s.root, time.Second)
	}
}

// JoinNotes joins two remarks about an object.
func JoinNotes(a, b string) string { return strings.Trim(a+"; "+b, "; ") }
