package explain

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// lineage is the set of ancestors of an object, nearest first. Siblings share
// one.
type lineage struct {
	parents []object.ID
	ids     []object.ID
	rooted  bool // a root is among them
}

// group becomes one cause: the findings with one fingerprint and the symptoms
// that they explain.
type group struct {
	members  []*Finding
	symptoms []*Finding
	progress bool       // only ordinary progress
	aside    bool       // only remarks on Current objects
	own      bool       // blocks no ancestor
	marked   []*lineage // where it has been marked
	leads    bool       // a log names what it waits for
	moved    *group     // the group that it was folded under as a whole
}

// collator folds findings into groups. It does not depend on the order in which
// findings were made; the final order is made at the end.
type collator struct {
	*pass
	reached  []*entry // entries with findings that concern a root
	groups   map[uint64]*group
	list     []*group               // groups in order of creation
	below    map[object.ID][]*group // groups among an object's descendants
	lineages map[object.ID][]*lineage
}

// collate turns the findings into causes.
func (p *pass) collate() Explanation {
	c := &collator{
		pass: p, groups: map[uint64]*group{}, below: map[object.ID][]*group{}, lineages: map[object.ID][]*lineage{},
	}
	for _, e := range slices.Clone(p.broken) {
		if c.place(e); e.under {
			c.reach(e)
		}
	}
	for i := 0; i < len(c.reached); i++ { // it grows in the loop
		c.link(c.reached[i])
	}
	var absorbers, symptoms []*Finding
	for _, e := range c.reached {
		for _, f := range e.found {
			if len(f.Absorbs) > 0 {
				absorbers = append(absorbers, f)
			}
		}
	}
	slices.SortFunc(absorbers, compareFindings)
	for _, f := range absorbers {
		c.absorb(f)
	}
	for _, e := range c.reached {
		for _, f := range e.found {
			switch {
			case f.settled:
			case f.Symptom:
				symptoms = append(symptoms, f)
			default:
				c.joinOrLack(f)
			}
		}
	}
	// Deepest first: descendants are decided before their ancestors.
	slices.SortFunc(symptoms, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(len(b.entry.up.ids), len(a.entry.up.ids)), compareFindings(a, b))
	})
	for _, f := range symptoms {
		c.fold(f, 0)
	}
	c.follow()
	return c.conclude()
}

// place finds the ancestors of an entry.
func (c *collator) place(e *entry) {
	e.up = c.lineage(e.parents)
	e.under = e.up.rooted || c.roots[e.id]
}

// reach includes an entry below a root, and whatever explains it or is
// explained by it, however far away. A lost node without Pods of a root is not
// included.
func (c *collator) reach(e *entry) {
	// a past run only matters if it is a root itself
	if !e.reached && (!e.past || c.roots[e.id]) {
		e.reached = true
		c.reached = append(c.reached, e)
	}
}

// link includes the entries that an included one is linked to.
func (c *collator) link(e *entry) {
	for _, f := range e.found {
		for _, list := range f.links() {
			for _, id := range list {
				if b := c.entry(id); b != nil {
					if b.up == nil {
						c.place(b)
					}
					c.reach(b)
				}
			}
		}
	}
}

// business returns an object's entry if it is included.
func (c *collator) business(id object.ID) *entry {
	if e := c.entries[id]; e != nil && e.reached {
		return e
	}
	return nil
}

// absorb groups a finding with the findings that it explains.
func (c *collator) absorb(f *Finding) {
	g := c.join(f)
	for _, id := range f.Absorbs {
		e := c.business(id)
		if e == nil || e == f.entry {
			continue
		}
		for _, ff := range e.found {
			if !ff.settled {
				c.explain(ff, g)
			}
		}
	}
}

// explain adds a finding to a group as its symptom.
func (c *collator) explain(f *Finding, g *group) {
	g.symptoms = append(g.symptoms, f)
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
}

// joinOrLack adds a finding to its group or, if it is about a missing object
// that is followed itself, to that object's: one line says it.
func (c *collator) joinOrLack(f *Finding) {
	for i := range f.Evidence {
		ev := &f.Evidence[i]
		if ev.Path != "" || ev.Value != missingValue || ev.Ref == f.Object || !c.roots[ev.Ref] {
			continue
		}
		e := c.business(ev.Ref)
		if e == nil {
			continue
		}
		for _, ff := range e.found {
			if ff.Code == "NotFound" || ff.Code == "Disappeared" {
				c.explain(f, c.join(ff))
				return
			}
		}
	}
	c.join(f)
}

// missingValue is the evidence for an object that does not exist.
const missingValue = "does not exist"

// conclude turns the groups into ordered causes.
func (c *collator) conclude() (out Explanation) {
	var ranks []ranked
	for _, g := range c.list {
		if g.moved != nil {
			continue
		}
		if cause, exemplar, ok := c.cause(g); ok {
			ranks = append(ranks, ranked{cause, c.fails(cause.Blocks), exemplar})
		}
	}
	slices.SortFunc(ranks, compareCauses)
	// Ordinary progress is left out if everything that waits for it has a
	// better reason, or if nothing does.
	excused := map[object.ID]bool{}
	for _, r := range ranks {
		if r.Code != codeProgressing {
			for _, b := range r.Blocks {
				excused[b] = true
			}
		}
	}
	uses, reads := map[object.ID]bool{}, map[Need]bool{}
	for _, r := range ranks {
		for _, id := range r.exemplar.entry.uses {
			if len(out.Resting) < MaxObjects && !uses[id] {
				uses[id] = true
				out.Resting = append(out.Resting, id)
			}
		}
		for _, n := range r.exemplar.entry.needs {
			if (n.Log != "" || n.Template) && len(out.Reading) < MaxObjects && !reads[n] {
				reads[n] = true
				out.Reading = append(out.Reading, n)
			}
		}
		if r.Code != codeProgressing || slices.ContainsFunc(r.Blocks, func(b object.ID) bool { return !excused[b] }) {
			out.Causes = append(out.Causes, *r.Cause)
		}
	}
	return out
}

// lineage returns the ancestors above some parents.
func (c *collator) lineage(parents []object.ID) *lineage {
	var first object.ID
	if len(parents) > 0 {
		first = parents[0]
	}
	for _, l := range c.lineages[first] {
		if slices.Equal(l.parents, parents) {
			return l
		}
	}
	l := &lineage{parents: parents, ids: slices.Clone(parents)}
	for i := 0; i < len(l.ids); i++ {
		for _, a := range c.s.Parents(l.ids[i]) {
			if len(l.ids) < 64 && !slices.Contains(l.ids, a) {
				l.ids = append(l.ids, a)
			}
		}
	}
	l.rooted = slices.ContainsFunc(l.ids, func(a object.ID) bool { return c.roots[a] })
	c.lineages[first] = append(c.lineages[first], l)
	return l
}

// join adds a finding to the group of its fingerprint.
func (c *collator) join(f *Finding) *group {
	if f.settled && len(f.groups) > 0 {
		return f.groups[0]
	}
	g := c.groups[f.print]
	if g == nil {
		g = &group{progress: true, aside: true, own: true}
		c.groups[f.print] = g
		c.list = append(c.list, g)
	}
	g.members = append(g.members, f)
	g.leads = g.leads || f.told && len(f.leads) > 0
	g.progress = g.progress && f.Code == codeProgressing
	g.aside, g.own = g.aside && f.aside, g.own && (f.own || f.aside)
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
	return g
}

// mark notes a group at every ancestor of an object.
func (c *collator) mark(e *entry, g *group) {
	if len(g.marked) > 0 && g.marked[len(g.marked)-1] == e.up || len(g.marked) < 64 && slices.Contains(g.marked, e.up) {
		return
	}
	g.marked = append(g.marked, e.up)
	for _, a := range e.up.ids {
		if list := c.below[a]; !slices.Contains(list, g) && len(list) < MaxObjects {
			c.below[a] = append(list, g)
		}
	}
}

// fold puts a symptom under the groups that explain it, or makes it a cause.
func (c *collator) fold(f *Finding, depth int) []*group {
	if f.settled {
		return f.groups
	}
	f.settled, f.groups = true, nil // breaks cycles
	because := slices.Clone(c.below[f.Object])
	add := func(list []*group) {
		for _, g := range list {
			if !slices.Contains(because, g) {
				because = append(because, g)
			}
		}
	}
	if depth < 8 {
		for _, id := range f.Because {
			add(c.below[id])
			e := c.business(id)
			if e == nil || e == f.entry {
				continue
			}
			for _, ff := range e.found {
				if ff.Symptom {
					add(c.fold(ff, depth+1))
				} else if ff.settled {
					add(ff.groups)
				}
			}
		}
	}
	because = slices.DeleteFunc(because, func(g *group) bool { return g.own })
	// Progress of a descendant explains progress, not a failure.
	if f.Code != codeProgressing {
		because = slices.DeleteFunc(because, func(g *group) bool { return g.progress })
	}
	if len(because) == 0 {
		if !f.echo {
			f.settled = false
			c.join(f)
		}
		return f.groups
	}
	for _, g := range because {
		g.symptoms = append(g.symptoms, f)
	}
	f.groups = because
	c.mark(f.entry, because[0])
	return because
}

// follow folds groups under the findings about what their exemplar's log says
// it waits for. One log line speaks for the whole group.
func (c *collator) follow() {
	resolve := func(g *group) *group {
		for range 16 {
			if g.moved == nil {
				break
			}
			g = g.moved
		}
		return g
	}
	var prints []uint64
	for _, g := range c.list {
		if g.leads {
			prints = append(prints, g.members[0].print)
		}
	}
	slices.Sort(prints)
	for _, print := range prints {
		g := c.groups[print]
		var leads []object.ID
		for _, m := range g.members {
			if m.told && len(m.leads) > 0 {
				leads = m.leads
				break
			}
		}
		for _, id := range leads {
			e := c.business(id)
			if e == nil {
				continue
			}
			var to *group
			for _, f := range e.found {
				if f.settled && len(f.groups) > 0 && f.Class != Waits && !f.groups[0].progress {
					to = resolve(f.groups[0])
					break
				}
			}
			if to == nil || to == g {
				continue
			}
			g.moved = to
			for _, m := range g.members {
				m.groups = []*group{to}
				c.mark(m.entry, to)
			}
			to.symptoms = append(append(to.symptoms, g.members...), g.symptoms...)
			delete(c.groups, print)
			break
		}
	}
}

// exemplary orders findings below a root before others, then the one with most
// details (its log has been read and must stay the one that is read), then the
// oldest.
func exemplary(a, b *Finding) int {
	return cmp.Or(
		boolRank(b.entry.under)-boolRank(a.entry.under),
		boolRank(b.told)-boolRank(a.told),
		compareFindings(a, b),
	)
}

// told returns a finding's part of its cause.
func (c *collator) told(f *Finding) *Cause {
	out := f.Cause
	out.ID = identity(f.print)
	for _, s := range f.Changes {
		out.Next = append(slices.Clip(out.Next), s.Command)
	}
	if !out.Until.After(c.s.Now) {
		out.Until, out.UntilWhat = time.Time{}, ""
	}
	return &out
}

// blocking collects the roots that a cause keeps from being Current.
type blocking struct {
	*collator
	aside   bool // it only remarks
	reached bool // a root leads to the cause
	roots   []object.ID
	seen    map[*lineage]bool
}

func (b *blocking) add(id object.ID) {
	if !b.collator.roots[id] || slices.Contains(b.roots, id) {
		return
	}
	b.reached = true
	if a, ok := b.s.Assessment(id); b.aside || ok && a.Status == status.Current || len(b.roots) == MaxObjects {
		return
	}
	b.roots = append(b.roots, id)
}

// follow adds the roots above a finding.
func (b *blocking) follow(f *Finding) {
	e := f.entry
	switch b.add(e.id); {
	case f.own || f.aside:
		b.reached = b.reached || e.up.rooted
	case !b.seen[e.up]:
		b.seen[e.up] = true
		for _, a := range e.up.ids {
			b.add(a)
		}
	}
}

// cause turns a group into a cause, if a root leads to it.
func (c *collator) cause(g *group) (*Cause, *Finding, bool) {
	slices.SortFunc(g.members, exemplary)
	slices.SortFunc(g.symptoms, compareFindings)
	g.symptoms = slices.Compact(g.symptoms) // one may be absorbed twice
	f := g.members[0]
	out := c.told(f)
	b := &blocking{collator: c, aside: g.aside, seen: map[*lineage]bool{}}
	for _, m := range g.members {
		// The node that its Pods report is not counted among them.
		if m.entry.counted != g && (m.Object != f.Subject.ID || f.entry == m.entry) {
			m.entry.counted = g
			out.Count++
			if len(out.Objects) < MaxObjects {
				out.Objects = append(out.Objects, m.Object)
			}
		}
		b.follow(m)
		if !m.Since.IsZero() && (out.Since.IsZero() || m.Since.Before(out.Since)) {
			out.Since = m.Since
		}
		if rankOf(m.Certainty) < rankOf(out.Certainty) {
			out.Certainty = m.Certainty
		}
	}
	if out.Code == "NotFound" && out.Count > 1 {
		nameAbsent(out)
	}
	for _, y := range g.symptoms {
		b.follow(y)
		if len(out.Symptoms) < MaxObjects {
			out.Symptoms = append(out.Symptoms, Symptom{Ref: y.Object, Code: y.Code, Title: y.Title})
		}
	}
	b.add(f.Subject.ID)
	out.Blocks = b.roots
	slices.SortFunc(out.Blocks, object.ID.Compare)
	out.Chain = c.chain(f.Object)
	return out, f, b.reached
}

// nameAbsent is the title of a cause that several objects do not exist.
func nameAbsent(out *Cause) {
	var list []string
	for _, id := range out.Objects[:min(len(out.Objects), 3)] {
		list = append(list, id.String())
	}
	title := fmt.Sprintf("%d of what was asked for do not exist: %s", out.Count, names(list, 3))
	if out.Count > 3 {
		title += fmt.Sprintf(" and %d more", out.Count-3)
	}
	out.Title = clip(title, 240)
}

// chain is the path of canonical parents from a root to an object.
func (c *collator) chain(id object.ID) []object.ID {
	chain, top := []object.ID{id}, boolRank(c.roots[id])
	for len(chain) < chainMost {
		parents := c.s.Parents(chain[len(chain)-1])
		if len(parents) == 0 || slices.Contains(chain, parents[0]) {
			break
		}
		chain = append(chain, parents[0])
		if c.roots[parents[0]] {
			top = len(chain)
		}
	}
	chain = slices.Clip(chain[:top])
	slices.Reverse(chain)
	return chain
}

const chainMost = 16

// fingerprint identifies a cause: its code, its key, and the workload unless
// the cause is shared.
func fingerprint(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// identity is a fingerprint as text.
func identity(print uint64) string { return fmt.Sprintf("%012x", print&0xffffffffffff) }
