package explain

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// lineage is everything that objects with the same parents hang under, the
// nearest first. Siblings share one.
type lineage struct {
	parents []status.ID
	ids     []status.ID
	rooted  bool // a root is among them
}

// group is what becomes one cause: the findings with one fingerprint and the
// symptoms that they explain.
type group struct {
	members  []*Finding
	symptoms []*Finding
	progress bool       // nothing but ordinary progress
	aside    bool       // nothing but what deserves a look
	marked   []*lineage // where it has been noted
}

// collator folds findings into groups. Nothing in it depends on the order in
// which findings are met; the final order is made at the end.
type collator struct {
	x      *Explainer
	s      *Snapshot
	run    uint64
	broken []*entry

	groups map[uint64]*group
	below  map[status.ID][]*group // groups among the descendants of an object
}

func (x *Explainer) collate(s *Snapshot) []Cause {
	x.runs++
	c := &collator{
		x: x, s: s, run: x.runs,
		groups: map[uint64]*group{},
		below:  map[status.ID][]*group{},
	}
	if x.lineages == nil || len(x.lineages) > 100_000 {
		x.lineages = map[uint64]*lineage{}
	}
	c.reach()
	var absorbers, symptoms []*Finding
	for _, e := range c.broken {
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
			e := x.broken[id]
			if e == nil || e.reached != c.run || e == f.entry {
				continue
			}
			for _, ff := range e.found {
				if ff.run != c.run {
					g.symptoms = append(g.symptoms, ff)
					c.settle(ff, g)
					c.mark(e, g)
				}
			}
		}
	}
	for _, e := range c.broken {
		for _, f := range e.found {
			switch {
			case f.run == c.run:
			case f.Symptom:
				symptoms = append(symptoms, f)
			default:
				c.join(f)
			}
		}
	}
	// The deepest first: what hangs beneath has been decided before its parent
	// asks.
	slices.SortFunc(symptoms, func(a, b *Finding) int {
		if d := cmp.Compare(len(b.entry.up.ids), len(a.entry.up.ids)); d != 0 {
			return d
		}
		return compareFindings(a, b)
	})
	for _, f := range symptoms {
		c.fold(f, 0)
	}

	c.follow()

	list := make([]ranked, 0, len(c.groups))
	for _, g := range c.groups {
		if cause, exemplar, ok := c.cause(g); ok {
			list = append(list, ranked{cause, c.fails(cause.Blocks), exemplar})
		}
	}
	slices.SortFunc(list, compareCauses)
	out := make([]Cause, len(list))
	x.reading, x.resting = x.reading[:0], x.resting[:0]
	for i := range list {
		out[i] = list[i].Cause
		for _, id := range list[i].exemplar.entry.uses {
			if len(x.resting) < MaxObjects && !slices.Contains(x.resting, id) {
				x.resting = append(x.resting, id)
			}
		}
		for _, n := range list[i].exemplar.entry.needs {
			if (n.Log != "" || n.Template) && !slices.Contains(x.reading, n) && len(x.reading) < MaxObjects {
				x.reading = append(x.reading, n)
			}
		}
	}
	return quiet(out)
}

// reach finds what is broken and hangs under a root, and what explains or is
// explained by that, however far off: a lost node that carries nothing of what
// was asked for is nobody's business here.
func (c *collator) reach() {
	var todo []*entry
	for id, e := range c.x.broken {
		if e.shape != c.x.shape || e.up == nil {
			e.up = c.lineage(e.parents)
			e.under = e.up.rooted || c.x.roots[id]
			e.shape = c.x.shape
		}
		if e.under {
			e.reached = c.run
			c.broken = append(c.broken, e)
			todo = append(todo, e)
		}
	}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, f := range e.found {
			for _, list := range f.links() {
				for _, id := range list {
					if b := c.x.broken[id]; b != nil && b.reached != c.run {
						b.reached = c.run
						c.broken = append(c.broken, b)
						todo = append(todo, b)
					}
				}
			}
		}
	}
}

// lineage lists everything above some parents.
func (c *collator) lineage(parents []status.ID) *lineage {
	h := uint64(14695981039346656037) ^ c.x.shape
	for i := range parents {
		h = mix(mix(mix(mix(h, parents[i].Group), parents[i].Kind), parents[i].Namespace), parents[i].Name)
	}
	if l := c.x.lineages[h]; l != nil && slices.Equal(l.parents, parents) {
		return l
	}
	l := &lineage{parents: parents, ids: slices.Clone(parents)}
	for i := 0; c.s.Parents != nil && i < len(l.ids); i++ {
		for _, a := range c.s.Parents(l.ids[i]) {
			if len(l.ids) < 64 && !slices.Contains(l.ids, a) {
				l.ids = append(l.ids, a)
			}
		}
	}
	l.rooted = slices.ContainsFunc(l.ids, func(a status.ID) bool { return c.x.roots[a] })
	c.x.lineages[h] = l
	return l
}

// mix is FNV-1a over a string and a separator.
func mix(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

// settle says under which group a finding belongs.
func (c *collator) settle(f *Finding, groups ...*group) {
	f.run, f.groups = c.run, groups
}

// join puts a finding into the group of its fingerprint.
func (c *collator) join(f *Finding) *group {
	if f.run == c.run && len(f.groups) > 0 {
		return f.groups[0]
	}
	g := c.groups[f.print]
	if g == nil {
		g = &group{progress: true, aside: true}
		c.groups[f.print] = g
	}
	g.members = append(g.members, f)
	g.progress = g.progress && f.Code == codeProgressing
	g.aside = g.aside && f.aside
	f.run = c.run
	f.groups = append(f.groups[:0:0], g)
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
	if f.run == c.run {
		return f.groups
	}
	f.run, f.groups = c.run, nil // a cycle ends here
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
			e := c.x.broken[id]
			if e == nil || e.reached != c.run || e == f.entry {
				continue
			}
			for _, ff := range e.found {
				if ff.Symptom {
					add(c.fold(ff, depth+1))
				} else if ff.run == c.run {
					add(ff.groups)
				}
			}
		}
	}
	because = slices.DeleteFunc(because, func(g *group) bool { return g.aside })
	// Ordinary progress beneath explains ordinary progress, not a failure.
	if f.Code != codeProgressing {
		because = slices.DeleteFunc(because, func(g *group) bool { return g.progress })
	}
	if len(because) == 0 {
		if !f.echo {
			f.run = 0
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
	moved := map[*group]*group{}
	resolve := func(g *group) *group {
		for range 16 {
			t := moved[g]
			if t == nil {
				break
			}
			g = t
		}
		return g
	}
	for _, print := range slices.Sorted(maps.Keys(c.groups)) {
		g := c.groups[print]
		var leads []status.ID
		for _, m := range g.members {
			if m.told && len(m.leads) > 0 {
				leads = m.leads
				break
			}
		}
		for _, id := range leads {
			e := c.x.broken[id]
			if e == nil || e.reached != c.run {
				continue
			}
			var to *group
			for _, f := range e.found {
				if f.run == c.run && len(f.groups) > 0 && f.Class != Waits && !f.groups[0].progress {
					to = resolve(f.groups[0])
					break
				}
			}
			if to == nil || to == g {
				continue
			}
			moved[g] = to
			for _, m := range g.members {
				c.settle(m, to)
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

// cause makes a group a cause. A group that nothing that was asked for leads to
// is none.
func (c *collator) cause(g *group) (Cause, *Finding, bool) {
	exemplars := first(g.members, MaxObjects, exemplary)
	f := exemplars[0]
	out := Cause{
		ID: identity(f.print), Code: f.Code, Title: f.Title, Detail: f.Detail,
		Class: f.Class, Certainty: f.Certainty, Since: f.Since, Subject: f.Subject,
		Evidence: f.Evidence, Next: f.Next, Until: f.Until, UntilWhat: f.UntilWhat,
		Changed: f.Changed, Missing: f.Missing,
	}
	if !out.Until.After(c.s.Now) {
		out.Until, out.UntilWhat = time.Time{}, ""
	}
	reached := false
	block := func(id status.ID) {
		if !c.x.roots[id] || slices.Contains(out.Blocks, id) {
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
	follow := func(e *entry) {
		block(e.id)
		if len(followed) > 0 && followed[len(followed)-1] == e.up || len(followed) < 64 && slices.Contains(followed, e.up) {
			return
		}
		followed = append(followed, e.up)
		for _, a := range e.up.ids {
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
		follow(m.entry)
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
		follow(y.entry)
	}
	block(f.Subject.ID)
	slices.SortFunc(out.Blocks, status.ID.Compare)
	out.Chain = c.chain(f.Object)
	return out, f, reached
}

// chain is the way from what was asked for down to an object, by canonical
// parents.
func (c *collator) chain(id status.ID) []status.ID {
	chain := []status.ID{id}
	top := 0
	if c.x.roots[id] {
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
		if c.x.roots[parents[0]] {
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
func quiet(causes []Cause) []Cause {
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
