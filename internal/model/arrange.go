package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Grouping is what the followed objects are grouped by.
type Grouping string

// The groupings.
const (
	GroupNone      Grouping = "none"
	GroupNamespace Grouping = "namespace"
	GroupKind      Grouping = "kind"
	GroupStatus    Grouping = "status"
	GroupCause     Grouping = "cause" // the most important cause that blocks them
	GroupWave      Grouping = "wave"  // the order in which they are applied: see waves.go
)

// Groupings lists them in the order in which a key cycles through them.
var Groupings = []Grouping{GroupNone, GroupNamespace, GroupKind, GroupStatus, GroupCause, GroupWave}

// Sorting is the order of siblings.
type Sorting string

// The sortings.
const (
	SortProblems Sorting = "problems" // worst first, then in the order of the command line
	SortName     Sorting = "name"
	SortKind     Sorting = "kind"
	SortAge      Sorting = "age"   // youngest first
	SortSince    Sorting = "since" // latest change of status first
)

// Sortings lists them in the order in which a key cycles through them.
var Sortings = []Sorting{SortProblems, SortName, SortKind, SortAge, SortSince}

// Grouping is the current grouping.
func (t *tree) Grouping() Grouping { return t.group }

// Sorting is the order of siblings, and whether it is reversed.
func (t *tree) Sorting() (by Sorting, reversed bool) { return t.sort, t.reversed }

// rearrange builds the rows again at the user's request: at once, and with the
// selection kept.
func (t *tree) rearrange() {
	t.stale = true
	t.arrangeRows(true)
	t.wants.dirty = true
}

func (t *tree) groupBy(g Grouping) (said string) {
	if t.frozen != nil {
		return frozenSays
	}
	t.group, t.causes = g, t.x.Causes
	t.rearrange()
	if g == GroupNone {
		return "not grouped"
	}
	for i := t.selIndex; i >= 0; i-- { // keep the header of the selected row's group in sight
		if t.rows[i].kind == RowGroup {
			t.anchor = max(t.anchor, t.selIndex-i)
			break
		}
	}
	return "grouped by " + string(g)
}

func (t *tree) sortBy(s Sorting, reversed bool) (said string) {
	if t.frozen != nil {
		return frozenSays
	}
	t.sort, t.reversed = s, reversed
	t.rearrange()
	if s != SortProblems {
		said = "sorted by "
	}
	return said + SortWords(s, reversed)
}

// SortWords describes an order in a few words.
func SortWords(s Sorting, reversed bool) string {
	words := map[Sorting][2]string{
		SortProblems: {"problems first", "problems last"},
		SortName:     {"name", "name, from Z to A"},
		SortKind:     {"kind", "kind, from Z to A"},
		SortAge:      {"age, youngest first", "age, oldest first"},
		SortSince:    {"change, latest first", "change, latest last"},
	}[s]
	if reversed {
		return words[1]
	}
	return words[0]
}

// after returns the element after x, wrapping around.
func after[T comparable](list []T, x T) T {
	return list[(slices.Index(list, x)+1)%len(list)]
}

// compare orders siblings; the sort is stable.
func (s Sorting) compare(a, b *world.Node) int {
	switch s {
	case SortName:
		return cmp.Or(cmp.Compare(a.ID.Name, b.ID.Name), cmp.Compare(a.ID.Kind, b.ID.Kind))
	case SortKind:
		return cmp.Or(cmp.Compare(a.ID.Kind, b.ID.Kind), cmp.Compare(a.ID.Name, b.ID.Name))
	case SortAge:
		if a.Object == nil || b.Object == nil {
			return cmpBool(a.Object == nil, b.Object == nil)
		}
		return b.Object.Created.Compare(a.Object.Created)
	case SortSince:
		return b.Since.Compare(a.Since)
	}
	return cmp.Compare(a.Sub.Worst(), b.Sub.Worst())
}

// group is a group of followed objects under a header row.
type group struct {
	name  string
	order int // by the kind of grouping; then by the worst status; then by name
	nodes []*world.Node
	sub   world.Tally // of the group's objects
	all   world.Tally // of their descendants
}

// groups returns the groups of the top level in display order. While rows must
// not move, a node stays in its group.
func (b *builder) groups() []*group {
	t := b.t
	causes := map[*world.Node]int{}
	if t.group == GroupCause {
		causes = causeOf(b.w, t.causes)
	}
	if !b.held || t.labels == nil {
		t.labels = map[*world.Node]string{}
	}
	by := map[string]*group{}
	for _, n := range t.topShown {
		if !b.visible(n) {
			continue
		}
		name, order := "", 0
		switch t.group {
		case GroupNamespace:
			name = cmp.Or(n.ID.Namespace, "(no namespace)")
		case GroupKind:
			name = n.ID.Kind
		case GroupStatus:
			name, order = string(cmp.Or(n.Assess.Status, status.Unknown)), n.Rank()
		case GroupWave:
			name, order = b.w.WaveOf(n)
		case GroupCause:
			order = len(t.causes)
			switch i, ok := causes[n]; {
			case ok:
				name, order = t.causes[i].Title, i
			case n.Sub.Problems() == 0:
				name, order = "nothing keeps them", order+1
			default:
				name = "no cause found yet"
			}
		}
		if was, ok := t.labels[n]; ok && was != name {
			name = was
			b.heldBack = true
		}
		t.labels[n] = name
		g := by[name]
		if g == nil {
			g = &group{name: name, order: order}
			by[name] = g
		}
		g.nodes = append(g.nodes, n)
		g.order = min(g.order, order)
		g.sub[n.Rank()]++
		g.all.Add(&n.Sub, 1)
	}
	out := slices.Collect(maps.Values(by))
	slices.SortFunc(out, func(x, y *group) int {
		worst := 0
		if t.sort == SortProblems {
			worst = cmp.Compare(x.all.Worst(), y.all.Worst())
		}
		c := cmp.Or(cmp.Compare(x.order, y.order), worst, strings.Compare(x.name, y.name))
		if t.reversed {
			c = -c
		}
		return c
	})
	return out
}

// causeOf maps each followed or listed object to the first cause that concerns
// it.
func causeOf(w *world.World, causes []Cause) map[*world.Node]int {
	out := map[*world.Node]int{}
	for i := range causes {
		c := &causes[i]
		mark := func(id object.ID) {
			for n := w.Nodes[id]; n != nil; n = n.Parent {
				if _, ok := out[n]; n.Root != nil && !ok {
					out[n] = i
				}
			}
		}
		mark(c.Subject.ID)
		for _, id := range c.Blocks {
			mark(id)
		}
		for _, id := range c.Objects {
			mark(id)
		}
	}
	return out
}

func sameCause(a, b Cause) bool {
	return a.ID == b.ID && a.Title == b.Title && len(a.Blocks) == len(b.Blocks) && len(a.Objects) == len(b.Objects)
}

// grouped adds the rows of all groups, then tail.
func (b *builder) grouped(tail []rowRef) {
	groups := b.groups()
	trouble := false
	for _, g := range groups {
		trouble = trouble || g.all.Problems() > 0
	}
	for i, g := range groups {
		open, set := b.t.folds[RowKey{Kind: RowGroup, Gap: g.name}]
		if !set {
			open = b.t.folding == foldNothing || g.all.Problems() > 0 || !trouble ||
				b.sel != nil && slices.ContainsFunc(g.nodes, b.sel.Below)
		}
		fold := Closed
		if open {
			fold = Opened
		}
		last := i == len(groups)-1 && len(tail) == 0
		b.rows = append(b.rows, rowRef{
			kind: RowGroup, last: last, fold: fold, matched: true, special: &special{gap: g.name, count: len(g.nodes), sub: g.sub},
		})
		if !open {
			continue
		}
		fine := 0
		for _, n := range g.nodes {
			if b.inGroup(n) {
				fine++
			}
		}
		b.group, b.plain = g.name, fine < 2 || fine == len(g.nodes)
		guides := uint64(1)
		if last {
			guides = 0
		}
		b.level(nil, g.nodes, 1, guides, nil)
		b.group, b.plain = "", false
	}
	for i := range tail {
		r := tail[i]
		r.last = i == len(tail)-1
		b.rows = append(b.rows, r)
	}
}
