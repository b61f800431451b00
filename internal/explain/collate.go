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

// lineage is everything that objects with the same parents hang under, the
// nearest first. Siblings share one.
type lineage struct {
	parents []object.ID
	ids     []object.ID
	rooted  bool // a root is among them
}

// group is what becomes one cause: the findings with one fingerprint and the
// symptoms that they explain.
type group struct {
	members  []*Finding
	symptoms []*Finding
	progress bool       // nothing but ordinary progress
	aside    bool       // nothing but what deserves a look
	own      bool       // nothing that matters to anything above
	marked   []*lineage // where it has been noted
	leads    bool       // a log tells what it waits for
	moved    *group     // what it was folded under, whole
}

// collator folds findings into groups. Nothing in it depends on the order in
// which findings are met; the final order is made at the end.
type collator struct {
	*pass
	reached  []*entry // what is broken and somebody's business
	groups   map[uint64]*group
	list     []*group               // groups, as they were made
	below    map[object.ID][]*group // groups among the descendants of an object
	lineages map[object.ID][]*lineage
}

// collate makes causes of what has been found.
func (p *pass) collate() Explanation {
	c := &collator{
		pass: p, groups: map[uint64]*group{}, below: map[object.ID][]*group{}, lineages: map[object.ID][]*lineage{},
	}
	for _, e := range slices.Clone(p.broken) {
		if c.place(e); e.under {
			c.reach(e)
		}
	}
	for i := 0; i < len(c.reached); i++ { // grows meanwhile
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
	// The deepest first: what hangs beneath has been decided before its parent
	// asks.
	slices.SortFunc(symptoms, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(len(b.entry.up.ids), len(a.entry.up.ids)), compareFindings(a, b))
	})
	for _, f := range symptoms {
		c.fold(f, 0)
	}
	c.follow()
	return c.conclude()
}

// place finds out what something broken hangs under.
func (c *collator) place(e *entry) {
	e.up = c.lineage(e.parents)
	e.under = e.up.rooted || c.roots[e.id]
}

// reach takes in what hangs under a root, and what explains or is explained by
// that, however far off: a lost node that carries nothing of what was asked for
// is nobody's business here.
func (c *collator) reach(e *entry) {
	// What is over matters to who asked for that very object.
	if !e.reached && (!e.past || c.roots[e.id]) {
		e.reached = true
		c.reached = append(c.reached, e)
	}
}

// link takes in what is tied to something that was.
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

// business is what was found on an object if that is somebody's business.
func (c *collator) business(id object.ID) *entry {
	if e := c.entries[id]; e != nil && e.reached {
		return e
	}
	return nil
}

// absorb makes a group of a finding and of what it explains.
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

// explain puts a finding under a group as its symptom.
func (c *collator) explain(f *Finding, g *group) {
	g.symptoms = append(g.symptoms, f)
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
}

// joinOrLack puts a finding into its group, or, where it is the lack of something
// that was asked for itself and does not exist, under that: one line says it.
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

// missingValue is what evidence says of an object that does not exist.
const missingValue = "does not exist"

// conclude makes causes of the groups, in their order.
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
	// Ordinary progress is left out where everything that it keeps waiting has a
	// better reason, and where it keeps nothing.
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

// lineage lists everything above some parents.
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
	for i := 0; c.s.Parents != nil && i < len(l.ids); i++ {
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

// join puts a finding into the group of its fingerprint.
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

// fold puts a symptom under what explains it, or makes it a cause.
func (c *collator) fold(f *Finding, depth int) []*group {
	if f.settled {
		return f.groups
	}
	f.settled, f.groups = true, nil // a cycle ends here
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
	// Ordinary progress beneath explains ordinary progress, not a failure.
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

// follow folds whole groups under what their exemplar's log says they wait for,
// where that is in trouble itself. One log line speaks for all of a group.
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

// first keeps the first n of findings in the order that puts the exemplar
// first, without sorting all of them.
func first(list []*Finding, n int, before func(a, b *Finding) int) []*Finding {
	best := make([]*Finding, 0, min(n, len(list)))
	for _, f := range list {
		if len(best) == n && before(f, best[n-1]) >= 0 {
			continue
		}
		i, found := slices.BinarySearchFunc(best, f, before)
		if found {
			continue
		}
		if len(best) == n {
			best = best[:n-1]
		}
		best = slices.Insert(best, i, f)
	}
	return best
}

// exemplary puts those that hang under a root before those that were only
// reached, then the one that has told more than the rest (its log has been read:
// it must stay the one that is read), then the oldest.
func exemplary(a, b *Finding) int {
	if a.entry.under != b.entry.under {
		if a.entry.under {
			return -1
		}
		return 1
	}
	if a.told != b.told {
		if a.told {
			return -1
		}
		return 1
	}
	return compareFindings(a, b)
}

// told is what one finding says of its cause.
func (c *collator) told(f *Finding) *Cause {
	out := &Cause{
		ID: identity(f.print), Code: f.Code, Title: f.Title, Detail: f.Detail,
		Class: f.Class, Certainty: f.Certainty, Since: f.Since, Subject: f.Subject,
		Evidence: f.Evidence, Next: f.Next, Until: f.Until, UntilWhat: f.UntilWhat,
		Changes: f.changes, Changed: f.Changed, Missing: f.Missing,
	}
	for _, s := range f.changes {
		out.Next = append(slices.Clip(out.Next), s.Command)
	}
	if !out.Until.After(c.s.Now) {
		out.Until, out.UntilWhat = time.Time{}, ""
	}
	return out
}

// cause makes a group a cause. A group that nothing that was asked for leads to
// is none.
func (c *collator) cause(g *group) (*Cause, *Finding, bool) {
	exemplars := first(g.members, MaxObjects, exemplary)
	f := exemplars[0]
	out := c.told(f)
	reached := false
	block := func(id object.ID) {
		if !c.roots[id] || slices.Contains(out.Blocks, id) {
			return
		}
		reached = true
		if g.aside {
			return
		}
		if c.s.Assessment != nil {
			if a, ok := c.s.Assessment(id); ok && a.Status == status.Current {
				return
			}
		}
		if len(out.Blocks) < MaxObjects {
			out.Blocks = append(out.Blocks, id)
		}
	}
	var followed []*lineage
	follow := func(m *Finding) {
		e, own := m.entry, m.own || m.aside
		block(e.id)
		if own && reached || len(followed) > 0 && followed[len(followed)-1] == e.up || len(followed) < 64 && slices.Contains(followed, e.up) {
			return
		}
		if !own {
			followed = append(followed, e.up)
		}
		for _, a := range e.up.ids {
			if own {
				reached = reached || c.roots[a]
				continue
			}
			block(a)
		}
	}
	count := func(m *Finding) bool {
		// The node that its pods tell about is not one of these.
		if m.entry.counted == g || m.Object == f.Subject.ID && f.entry != m.entry {
			return false
		}
		m.entry.counted = g
		return true
	}
	for _, m := range exemplars {
		if count(m) {
			out.Count++
			out.Objects = append(out.Objects, m.Object)
		}
	}
	for _, m := range g.members {
		if count(m) {
			out.Count++
		}
		follow(m)
		if !m.Since.IsZero() && (out.Since.IsZero() || m.Since.Before(out.Since)) {
			out.Since = m.Since
		}
		if rankOf(m.Certainty) < rankOf(out.Certainty) {
			out.Certainty = m.Certainty
		}
	}
	if out.Code == "NotFound" && out.Count > 1 {
		var list []string
		for _, id := range out.Objects {
			list = append(list, id.String())
		}
		out.Title = clip(fmt.Sprintf("%d of what was asked for do not exist: %s", out.Count, names(list, 3)), 240)
		if len(list) < out.Count {
			out.Title = clip(fmt.Sprintf("%d of what was asked for do not exist: %s and %d more", out.Count, names(list[:3], 3), out.Count-3), 240)
		}
	}
	for _, y := range first(g.symptoms, MaxObjects, compareFindings) {
		out.Symptoms = append(out.Symptoms, Symptom{Ref: y.Object, Code: y.Code, Title: y.Title})
	}
	for _, y := range g.symptoms {
		follow(y)
	}
	block(f.Subject.ID)
	slices.SortFunc(out.Blocks, object.ID.Compare)
	out.Chain = c.chain(f.Object)
	return out, f, reached
}

// chain is the way from what was asked for down to an object, by canonical
// parents.
func (c *collator) chain(id object.ID) []object.ID {
	chain := []object.ID{id}
	top := 0
	if c.roots[id] {
		top = 1
	}
	for len(chain) < chainMost {
		var parents []object.ID
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

const chainMost = 16

// fingerprint identifies a cause: its code, the parameters that tell it from
// others with the same, and the workload where it is of one workload alone.
func fingerprint(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// identity is the short form of a fingerprint, for people and scripts.
func identity(print uint64) string { return fmt.Sprintf("%012x", print&0xffffffffffff) }
