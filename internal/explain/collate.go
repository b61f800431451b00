package explain

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// group is what becomes one cause: the findings with one fingerprint and the
// symptoms that they explain.
type group struct {
	members  []*Finding
	symptoms []*Finding
	progress bool // nothing but ordinary progress
}

// collator folds findings into groups. Nothing in it depends on the order in
// which findings are met; the final order is made at the end.
type collator struct {
	s      *Snapshot
	roots  map[status.ID]bool
	broken map[status.ID]*entry

	groups map[string]*group
	below  map[status.ID][]*group // groups among the descendants of an object
	up     map[status.ID][]status.ID
	done   map[*Finding][]*group // what a symptom was folded under, or its own group
}

func collate(s *Snapshot, roots map[status.ID]bool, broken map[status.ID]*entry) []Cause {
	c := &collator{
		s: s, roots: roots, broken: broken,
		groups: map[string]*group{},
		below:  map[status.ID][]*group{},
		up:     map[status.ID][]status.ID{},
		done:   map[*Finding][]*group{},
	}
	var absorbers, symptoms []*Finding
	absorbed := map[status.ID]bool{}
	for _, e := range broken {
		for _, f := range e.found {
			if len(f.Absorbs) > 0 {
				absorbers = append(absorbers, f)
			}
		}
	}
	slices.SortFunc(absorbers, compareFindings)
	for _, f := range absorbers {
		g := c.join(f)
		for _, id := range f.Absorbs {
			if e := broken[id]; e != nil && !absorbed[id] && id != f.Object {
				absorbed[id] = true
				for _, ff := range e.found {
					if _, ok := c.done[ff]; !ok {
						g.symptoms = append(g.symptoms, ff)
						c.done[ff] = []*group{g}
						c.mark(id, g)
					}
				}
			}
		}
	}
	for _, e := range broken {
		for _, f := range e.found {
			if _, ok := c.done[f]; ok {
				continue
			}
			if f.Symptom {
				symptoms = append(symptoms, f)
			} else {
				c.join(f)
			}
		}
	}
	// The deepest first: what hangs beneath has been decided before its parent
	// asks.
	slices.SortFunc(symptoms, func(a, b *Finding) int {
		if d := cmp.Compare(len(c.ancestors(b.Object)), len(c.ancestors(a.Object))); d != 0 {
			return d
		}
		return compareFindings(a, b)
	})
	for _, f := range symptoms {
		c.fold(f, 0)
	}

	var out []Cause
	for _, g := range c.groups {
		if cause, ok := c.cause(g); ok {
			out = append(out, cause)
		}
	}
	slices.SortFunc(out, compareCauses)
	return quiet(out, c)
}

// join puts a finding into the group of its fingerprint.
func (c *collator) join(f *Finding) *group {
	if g := c.done[f]; len(g) > 0 {
		return g[0]
	}
	g := c.groups[f.print]
	if g == nil {
		g = &group{progress: true}
		c.groups[f.print] = g
	}
	g.members = append(g.members, f)
	g.progress = g.progress && f.Code == codeProgressing
	c.done[f] = []*group{g}
	c.mark(f.Object, g)
	return g
}

// mark notes a group at every ancestor of an object.
func (c *collator) mark(id status.ID, g *group) {
	for _, a := range c.ancestors(id) {
		if list := c.below[a]; !slices.Contains(list, g) && len(list) < MaxObjects {
			c.below[a] = append(list, g)
		}
	}
}

// fold puts a symptom under what explains it, or makes it a cause.
func (c *collator) fold(f *Finding, depth int) []*group {
	if g, ok := c.done[f]; ok {
		return g
	}
	c.done[f] = nil // a cycle ends here
	because := slices.Clone(c.below[f.Object])
	if depth < 8 {
		for _, id := range f.Because {
			for _, g := range c.below[id] {
				if !slices.Contains(because, g) {
					because = append(because, g)
				}
			}
			if e := c.broken[id]; e != nil && id != f.Object {
				for _, ff := range e.found {
					gs := c.done[ff]
					if ff.Symptom {
						gs = c.fold(ff, depth+1)
					}
					for _, g := range gs {
						if !slices.Contains(because, g) {
							because = append(because, g)
						}
					}
				}
			}
		}
	}
	// Ordinary progress beneath explains ordinary progress, not a failure.
	if f.Code != codeProgressing {
		because = slices.DeleteFunc(because, func(g *group) bool { return g.progress })
	}
	if len(because) == 0 && f.echo {
		return nil
	}
	if len(because) == 0 {
		delete(c.done, f)
		return []*group{c.join(f)}
	}
	for _, g := range because {
		g.symptoms = append(g.symptoms, f)
	}
	c.done[f] = because
	c.mark(f.Object, because[0])
	return because
}

// ancestors lists everything that an object hangs under, the nearest first.
func (c *collator) ancestors(id status.ID) []status.ID {
	if up, ok := c.up[id]; ok {
		return up
	}
	c.up[id] = nil // a cycle ends here
	var parents []status.ID
	if e := c.broken[id]; e != nil {
		parents = e.parents
	} else if c.s.Parents != nil {
		parents = c.s.Parents(id)
	}
	if len(parents) == 0 {
		return nil
	}
	up := slices.Clone(parents)
	for _, p := range parents {
		for _, a := range c.ancestors(p) {
			if !slices.Contains(up, a) && len(up) < 64 {
				up = append(up, a)
			}
		}
	}
	c.up[id] = up
	return up
}

// cause makes a group a cause. A group that nothing that was asked for leads to
// is none.
func (c *collator) cause(g *group) (Cause, bool) {
	slices.SortFunc(g.members, compareFindings)
	g.members = slices.CompactFunc(g.members, func(a, b *Finding) bool { return a == b })
	slices.SortFunc(g.symptoms, compareFindings)
	g.symptoms = slices.CompactFunc(g.symptoms, func(a, b *Finding) bool { return a == b })
	f := g.members[0]
	out := Cause{
		ID: identity(f.print), Code: f.Code, Title: f.Title, Detail: f.Detail,
		Class: f.Class, Certainty: f.Certainty, Since: f.Since, Subject: f.Subject,
		Evidence: f.Evidence, Next: f.Next, Until: f.Until, UntilWhat: f.UntilWhat,
		Changed: f.Changed, Missing: f.Missing,
	}
	reached := false
	seen := map[status.ID]bool{}
	block := func(id status.ID) {
		if seen[id] {
			return
		}
		seen[id] = true
		if !c.roots[id] {
			return
		}
		reached = true
		if c.s.Assessment != nil {
			if a, ok := c.s.Assessment(id); ok && a.Status == status.Current {
				return
			}
		}
		if len(out.Blocks) < MaxObjects {
			out.Blocks = append(out.Blocks, id)
		}
	}
	follow := func(id status.ID) {
		block(id)
		for _, a := range c.ancestors(id) {
			block(a)
		}
	}
	members := map[status.ID]bool{}
	for _, m := range g.members {
		if members[m.Object] {
			continue
		}
		members[m.Object] = true
		if len(out.Objects) < MaxObjects {
			out.Objects = append(out.Objects, m.Object)
		}
		follow(m.Object)
		if !m.Since.IsZero() && (out.Since.IsZero() || m.Since.Before(out.Since)) {
			out.Since = m.Since
		}
		if rankOf(m.Certainty) < rankOf(out.Certainty) {
			out.Certainty = m.Certainty
		}
	}
	out.Count = len(members)
	for _, y := range g.symptoms {
		if len(out.Symptoms) < MaxObjects {
			out.Symptoms = append(out.Symptoms, Symptom{Ref: y.Object, Code: y.Code, Title: y.Title})
		}
		follow(y.Object)
	}
	if c.roots[f.Subject.ID] {
		block(f.Subject.ID)
	}
	slices.SortFunc(out.Blocks, status.ID.Compare)
	out.Chain = c.chain(f.Object)
	return out, reached
}

// chain is the way from what was asked for down to an object, by canonical
// parents.
func (c *collator) chain(id status.ID) []status.ID {
	chain := []status.ID{id}
	top := 0
	if c.roots[id] {
		top = 1
	}
	for len(chain) < 16 {
		var parents []status.ID
		if c.s.Parents != nil {
			parents = c.s.Parents(chain[len(chain)-1])
		}
		if len(parents) == 0 || slices.Contains(chain, parents[0]) {
			break
		}
		chain = append(chain, parents[0])
		if c.roots[parents[0]] {
			top = len(chain)
		}
	}
	if top == 0 {
		return nil
	}
	chain = chain[:top]
	slices.Reverse(chain)
	return chain
}

// quiet leaves out ordinary progress where everything that it keeps waiting has
// a better reason, and progress that keeps nothing.
func quiet(causes []Cause, c *collator) []Cause {
	firm := map[status.ID]bool{}
	for i := range causes {
		if causes[i].Code != codeProgressing {
			for _, b := range causes[i].Blocks {
				firm[b] = true
			}
		}
	}
	return slices.DeleteFunc(causes, func(x Cause) bool {
		return x.Code == codeProgressing && !slices.ContainsFunc(x.Blocks, func(b status.ID) bool { return !firm[b] })
	})
}

// identity is the short form of a fingerprint.
func identity(print string) string {
	h := fnv.New64a()
	h.Write([]byte(print))
	return fmt.Sprintf("%012x", h.Sum64()&0xffffffffffff)
}

func rankOf(c Certainty) int {
	switch c {
	case Proven:
		return 0
	case Likely:
		return 1
	}
	return 2
}

func classRank(c Class) int {
	switch c {
	case Terminal, Action:
		return 0
	case Retries:
		return 1
	}
	return 2
}

// compareCauses is the order of importance: what keeps something from Current
// before what is worth a look; what needs a person before what retries before
// what waits; the firmer before the vaguer; what blocks more before what blocks
// less; what began first.
func compareCauses(a, b Cause) int {
	return cmp.Or(
		cmp.Compare(min(len(b.Blocks), 1), min(len(a.Blocks), 1)),
		cmp.Compare(classRank(a.Class), classRank(b.Class)),
		cmp.Compare(rankOf(a.Certainty), rankOf(b.Certainty)),
		cmp.Compare(len(b.Blocks), len(a.Blocks)),
		cmp.Compare(b.Count, a.Count),
		compareTimes(a.Since, b.Since),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.ID, b.ID),
	)
}

// compareFindings puts the exemplar first: the oldest.
func compareFindings(a, b *Finding) int {
	return cmp.Or(
		compareTimes(a.Since, b.Since),
		a.Object.Compare(b.Object),
		cmp.Compare(a.order, b.order),
		cmp.Compare(a.print, b.print),
		cmp.Compare(a.Subject.Container, b.Subject.Container),
	)
}

// compareTimes puts the earlier first and the unknown last.
func compareTimes(a, b time.Time) int {
	switch {
	case a.IsZero() && b.IsZero():
		return 0
	case a.IsZero():
		return 1
	case b.IsZero():
		return -1
	}
	return a.Compare(b)
}
