package rows

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
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
	GroupWave      Grouping = "wave"  // the order in which they are applied
)

// Groupings lists them in the order in which a key cycles through them.
var Groupings = []Grouping{GroupNone, GroupNamespace, GroupKind, GroupStatus, GroupCause, GroupWave}

// Sorting is the order of siblings.
type Sorting string

// The sortings.
const (
	// worst first, then by the order of the causes, then by that of the command line
	SortProblems Sorting = "problems"
	SortName     Sorting = "name"
	SortKind     Sorting = "kind"
	SortAge      Sorting = "age"   // youngest first
	SortSince    Sorting = "since" // latest change of status first
)

// Sortings lists them in the order in which a key cycles through them.
var Sortings = []Sorting{SortProblems, SortName, SortKind, SortAge, SortSince}

// Words describes an order in a few words.
func (s Sorting) Words(reversed bool) string {
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

// compare orders siblings; the sort is stable.
func (s Sorting) compare(a, b *world.Node) int {
	switch s {
	case SortName:
		return cmp.Or(cmp.Compare(a.ID.Name, b.ID.Name), cmp.Compare(a.ID.Kind, b.ID.Kind))
	case SortKind:
		return cmp.Or(cmp.Compare(a.ID.Kind, b.ID.Kind), cmp.Compare(a.ID.Name, b.ID.Name))
	case SortAge:
		created := func(n *world.Node) (at time.Time) { // what does not exist comes last
			if n.Object != nil {
				at = n.Object.Created
			}
			return at
		}
		return created(b).Compare(created(a))
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
	// The causes' places by their titles, counted from the end: all are before 0, the place of
	// the group without a cause.
	places := map[string]int{}
	for i, c := range slices.Backward(b.causes.Causes) {
		places[c.Title] = i - len(b.causes.Causes)
	}
	if !b.held || b.labels == nil {
		b.labels = map[*world.Node]string{}
	}
	by := map[string]*group{}
	for _, n := range b.top {
		if !b.visible(b.Settings, n) {
			continue
		}
		name, order := "", 0
		switch b.Group {
		case GroupNamespace:
			name = cmp.Or(n.ID.Namespace, "(no namespace)")
		case GroupKind:
			name = n.ID.Kind
		case GroupStatus:
			name, order = string(cmp.Or(n.Assess.Status, status.Unknown)), n.Rank()
		case GroupWave:
			name, order = b.world.Tree.WaveOf(n)
		case GroupCause:
			name, order = "no cause found yet", 0
			if of := b.causes.Of(n); len(of) > 0 {
				name, order = of[0].Title, places[of[0].Title]
			} else if n.Sub.Problems() == 0 {
				name, order = "no cause", 1
			}
		}
		if was, ok := b.labels[n]; ok && was != name {
			name = was
		}
		b.labels[n] = name
		g := by[name]
		if g == nil {
			g = &group{name: name, order: order}
			by[name] = g
		}
		g.nodes = append(g.nodes, n)
		g.order = min(g.order, order)
		g.sub[n.Rank()]++
		g.all.Add(&n.Sub)
	}
	out := slices.Collect(maps.Values(by))
	slices.SortFunc(out, func(x, y *group) int {
		worst := 0
		if b.Sort == SortProblems {
			worst = cmp.Compare(x.all.Worst(), y.all.Worst())
		}
		c := cmp.Or(cmp.Compare(x.order, y.order), worst, strings.Compare(x.name, y.name))
		if b.Reversed {
			c = -c
		}
		return c
	})
	return out
}

// grouped adds the rows of all groups.
func (b *builder) grouped() {
	groups := b.groups()
	trouble := slices.ContainsFunc(groups, func(g *group) bool { return g.all.Problems() > 0 })
	for _, g := range groups {
		open, set := b.Folds[Key{Kind: Group, Gap: g.name}]
		if !set {
			open = b.Folding == FoldNothing || g.all.Problems() > 0 || !trouble ||
				b.selected != nil && slices.ContainsFunc(g.nodes, b.selected.Below)
		}
		b.Refs = append(b.Refs,
			Ref{
				Kind: Group, Fold: foldOf(open), matched: true,
				special: &special{gap: g.name, count: len(g.nodes), sub: g.sub},
			})
		if !open {
			continue
		}
		fine := 0
		for _, n := range g.nodes {
			if b.inGroup(n) && n.Fold == foldGreen {
				fine++
			}
		}
		b.siblings(nil, g.nodes, 1, g.name, fine < 2 || fine == len(g.nodes))
	}
}
