package explain

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// desk is the room in which findings are collated, kept from one time to the next.
// Ten thousand groups and causes made anew each time are as much garbage, and
// while the collector is at work whoever allocates does part of it: a screen stood
// still for ten milliseconds to get room for ten thousand causes.
type desk struct {
	found, broken       []*entry
	absorbers, symptoms []*Finding
	groups              map[uint64]*group
	most                int       // that groups has held
	pieces              [][]group // groups to be used again
	list                []*group  // the same as in groups, in the order in which they were met
	slots, rest         []*group  // the same in the order that their causes had last, and those that had none
	ranks, merged       []ranked
	spare               []Cause // that nobody holds any more: see Reuse
	put                 int     // how many causes were put in order last
}

// A list that is to be filled again keeps its room, unless that is far more than
// was needed last.
const (
	roomy         = 1024
	groupsInPiece = 256
	groupsOwn     = 16 // room in a group's own lists
)

func emptied[T any](list []T) []T {
	if cap(list) > roomy && cap(list) > 4*len(list) {
		return nil
	}
	return list[:0]
}

func (d *desk) tidy() {
	d.found, d.broken = emptied(d.found), emptied(d.broken)
	d.absorbers, d.symptoms = emptied(d.absorbers), emptied(d.symptoms)
	if n := 1 + len(d.list)/groupsInPiece; len(d.pieces) > 4*n {
		d.pieces = slices.Clone(d.pieces[:n])
	}
	if d.most = max(d.most, len(d.groups)); d.groups == nil || d.most > roomy && len(d.groups) < d.most/4 {
		d.groups, d.most = map[uint64]*group{}, 0
	} else {
		clear(d.groups)
	}
	d.list, d.rest = emptied(d.list), emptied(d.rest)
	d.slots = slices.Grow(emptied(d.slots), d.put)[:d.put]
	clear(d.slots)
	d.ranks, d.merged = emptied(d.ranks), emptied(d.merged)
}

// group is the next group, empty. Its cause had that place last, or none.
func (d *desk) group(place int) *group {
	i := len(d.list)
	if i/groupsInPiece == len(d.pieces) {
		d.pieces = append(d.pieces, make([]group, groupsInPiece))
	}
	g := &d.pieces[i/groupsInPiece][i%groupsInPiece]
	d.list = append(d.list, g)
	if place > 0 && place <= d.put && d.slots[place-1] == nil {
		d.slots[place-1] = g
	} else {
		d.rest = append(d.rest, g)
	}
	*g = group{members: few(g.members), symptoms: few(g.symptoms), marked: few(g.marked), progress: true, aside: true, own: true}
	return g
}

func few[T any](list []T) []T {
	if cap(list) > groupsOwn {
		return nil
	}
	clear(list)
	return list[:0]
}

// Reuse takes causes back that Step or Update has returned and that nobody holds
// any more: the next are written in their place.
func (x *Explainer) Reuse(causes []Cause) {
	if cap(causes) > cap(x.desk.spare) {
		x.desk.spare = causes
	}
}

// presort puts the groups into the order that their causes had last, so that
// there is little to sort, and makes room for the causes.
func (c *collator) presort() int {
	d := c.desk
	n := len(d.list)
	d.slots = slices.DeleteFunc(d.slots, func(g *group) bool { return g == nil })
	copy(d.list[copy(d.list, d.slots):], d.rest)
	c.causes, c.used, d.spare = d.spare[:0], len(d.spare), nil
	if cap(c.causes) < n || cap(c.causes) > roomy && cap(c.causes) > 4*n {
		c.causes, c.used = make([]Cause, 0, n+n/8), 0
	}
	d.ranks = slices.Grow(d.ranks, n)
	return n / 4
}

// single is cause for the only finding of a group that explains nothing else,
// as most of ten thousand are. What it says beyond the finding is kept with that
// and told again for as long as it is so.
func (c *collator) single(f *Finding) (out Cause, reached, fails bool) {
	x, e, own := c.x, f.entry, f.own || f.aside
	var room [8]object.ID
	blocks := room[:0]
	block := func(id *object.ID) {
		if !x.roots[*id] || slices.Contains(blocks, *id) {
			return
		}
		reached = true
		if f.aside {
			return
		}
		failed := false
		if c.s.Assessment != nil {
			if a, ok := c.s.Assessment(*id); ok {
				if a.Status == status.Current {
					return
				}
				failed = a.Status == status.Failed
			}
		}
		if len(blocks) < MaxObjects {
			blocks = append(blocks, *id)
			fails = fails || failed
		}
	}
	if e.root {
		if reached = true; !f.aside && !e.current {
			blocks, fails = append(blocks, e.id), e.failed
		}
	}
	for i := range e.up.ids {
		if own {
			reached = reached || x.roots[e.up.ids[i]]
		} else {
			block(&e.up.ids[i])
		}
	}
	if f.Subject.ID != e.id {
		block(&f.Subject.ID)
	}
	slices.SortFunc(blocks, object.ID.Compare)
	var way [chainMost]object.ID
	chain := way[:0]
	switch {
	case len(e.up.ids) > 0 || f.Object != e.id:
		chain = c.chain(chain, f.Object)
	case e.root:
		chain = append(chain, e.id)
	}
	if f.alone == nil {
		f.alone = &alone{identity: identity(f.print), objects: []object.ID{f.Object}}
	}
	a := f.alone
	if !slices.Equal(a.blocks, blocks) {
		a.blocks = slices.Clone(blocks)
	}
	if !slices.Equal(a.chain, chain) {
		a.chain = slices.Clone(chain)
	}
	out = c.first(f, a.identity)
	out.Count, out.Objects, out.Blocks, out.Chain = 1, a.objects, a.blocks, a.chain
	return out, reached, fails
}

// alone is what the cause of a single finding says beyond it.
type alone struct {
	identity               string
	objects, blocks, chain []object.ID
}
