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
	x     *Explainer
	s     *Snapshot
	run   uint64
	*desk                        // found is everything broken; broken what of it is somebody's business, and absorbers and symptoms findings among that
	below map[object.ID][]*group // groups among the descendants of an object

	causes        []Cause
	used          int                // of the room for them, when that was in use before
	placed, noted int                // of ranks
	ordinary      bool               // some are ordinary progress
	excused       map[object.ID]bool // from being kept by progress alone
	kept          int                // of causes
}

// collate is the stages that make causes of what has been found.
func (x *Explainer) collate(s *Snapshot) []stage {
	x.runs++
	c := &collator{x: x, s: s, run: x.runs, desk: &x.desk}
	// Stages that are skipped leave nothing to do to those after them.
	return []stage{
		once(c.gather),
		each(&c.found, placeCost, c.place),
		each(&c.broken, linkCost, c.link),
		sorted(&c.absorbers, nil, compareFindings),
		each(&c.absorbers, absorbCost, c.absorb),
		each(&c.broken, divideCost, c.divide),
		// The deepest first: what hangs beneath has been decided before its parent
		// asks.
		sorted(&c.symptoms, nil, func(a, b *Finding) int {
			if d := cmp.Compare(len(b.entry.up.ids), len(a.entry.up.ids)); d != 0 {
				return d
			}
			return compareFindings(a, b)
		}),
		each(&c.symptoms, foldCost, func(f *Finding) { c.fold(f, 0) }),
		once(c.follow),
		once(c.presort),
		eachOf(&c.list, c.conclude),
		sorted(&c.ranks, &c.merged, compareCauses),
		eachOf(&c.ranks, c.order),
		each(&c.ranks, restCost, c.rests),
		eachOf(&c.causes, c.firm),
		eachOf(&c.causes, c.quiet),
		once(c.finish),
	}
}

// gather lists what is broken.
func (c *collator) gather() int {
	c.tidy()
	c.below = map[object.ID][]*group{}
	c.excused = map[object.ID]bool{}
	c.found = append(c.found, c.x.broken...)
	c.broken = slices.Grow(c.broken, len(c.found))
	return len(c.found)
}

// place finds out whether what is broken hangs under a root.
func (c *collator) place(e *entry) {
	if e.shape != c.x.shape || e.up == nil {
		e.up = c.lineage(e.parents)
		e.root = c.x.roots[e.id]
		e.under = e.up.rooted || e.root
		e.shape = c.x.shape
	}
	if e.under {
		c.reach(e)
	}
}

// reach takes in what hangs under a root, and what explains or is explained by
// that, however far off: a lost node that carries nothing of what was asked for
// is nobody's business here.
func (c *collator) reach(e *entry) {
	if e.reached == c.run || !c.lives(e) {
		return
	}
	e.reached, e.counted = c.run, nil
	c.broken = append(c.broken, e)
	if !e.tied {
		return
	}
	for _, f := range e.found {
		if len(f.Absorbs) > 0 {
			c.absorbers = append(c.absorbers, f)
		}
	}
}

// link takes in what is tied to something that was.
func (c *collator) link(e *entry) {
	if !e.tied {
		return
	}
	for _, f := range e.found {
		for _, list := range f.links() {
			for _, id := range list {
				if b := c.x.entry(id); b != nil {
					c.reach(b)
				}
			}
		}
	}
}

// absorb makes a group of a finding and of what it explains.
func (c *collator) absorb(f *Finding) {
	g := c.join(f)
	for _, id := range f.Absorbs {
		e := c.x.entry(id)
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

// divide puts findings into the groups of their fingerprints; symptoms wait.
func (c *collator) divide(e *entry) {
	for _, f := range e.found {
		switch {
		case f.run == c.run:
		case f.Symptom:
			c.symptoms = append(c.symptoms, f)
		default:
			c.joinOrLack(f)
		}
	}
}

// joinOrLack puts a finding into its group, or, where it is the lack of something
// that was asked for itself and is not there, under that: one line says it.
func (c *collator) joinOrLack(f *Finding) {
	for i := range f.Evidence {
		ev := &f.Evidence[i]
		if ev.Path != "" || ev.Value != missingValue || ev.Ref == f.Object || !c.x.roots[ev.Ref] {
			continue
		}
		e := c.x.entry(ev.Ref)
		if e == nil || e.reached != c.run {
			continue
		}
		for _, ff := range e.found {
			if ff.Code != "NotFound" && ff.Code != "Disappeared" {
				continue
			}
			g := c.join(ff)
			g.symptoms = append(g.symptoms, f)
			c.settle(f, g)
			c.mark(f.entry, g)
			return
		}
	}
	c.join(f)
}

// missingValue is what evidence says of an object that is not there.
const missingValue = "does not exist"

// conclude makes a cause of a group.
func (c *collator) conclude(g **group) int {
	var cause Cause
	var ok, fails bool
	exemplar, cost := (*g).members[0], singleCost
	switch {
	case (*g).moved != nil:
		return 1
	case len((*g).members) == 1 && len((*g).symptoms) == 0:
		cause, ok, fails = c.single(exemplar)
	default:
		cause, exemplar, ok = c.cause(*g)
		cost, fails = causeCost, c.fails(cause.Blocks)
	}
	if ok {
		c.causes = append(c.causes, cause)
		c.ordinary = c.ordinary || cause.Code == codeProgressing
		at := len(c.causes) - 1
		c.ranks = append(c.ranks, ranked{&c.causes[at], at, fails, exemplar.entry.asks, exemplar})
	}
	return cost
}

// order moves the causes to their places, each once: they are large.
func (c *collator) order(r *ranked) int {
	to := c.placed
	c.placed++
	r.exemplar.place = c.placed
	// Where r's cause stands now: those before it have been put elsewhere.
	at := r.at
	for at < to {
		at = c.ranks[at].at
	}
	if at == to {
		return 1
	}
	c.causes[to], c.causes[at] = c.causes[at], c.causes[to]
	return moveCost
}

// rests notes what the causes' exemplars asked for.
func (c *collator) rests(r ranked) {
	x := c.x
	if c.noted == 0 {
		x.reading, x.resting = x.reading[:0], x.resting[:0]
	}
	c.noted++
	if !r.asks {
		return
	}
	for _, id := range r.exemplar.entry.uses {
		if len(x.resting) < MaxObjects && !slices.Contains(x.resting, id) {
			x.resting = append(x.resting, id)
		}
	}
	for _, n := range r.exemplar.entry.needs {
		if (n.Log != "" || n.Template) && len(x.reading) < MaxObjects && !slices.Contains(x.reading, n) {
			x.reading = append(x.reading, n)
		}
	}
}

func (c *collator) finish() int {
	if c.noted == 0 {
		c.x.reading, c.x.resting = c.x.reading[:0], c.x.resting[:0]
	}
	c.put = len(c.ranks)
	clear(c.ranks)
	clear(c.causes[c.kept:max(c.used, len(c.causes))])
	c.x.work.causes = c.causes[:c.kept]
	return 1
}

// lives reports whether what was found on an object matters: what is over matters
// to who asked for that very object.
func (c *collator) lives(e *entry) bool { return !e.past || c.x.roots[e.id] }

// lineage lists everything above some parents.
func (c *collator) lineage(parents []object.ID) *lineage {
	if c.x.lineages == nil || c.x.lineagesOf != c.x.shape {
		c.x.lineages, c.x.lineagesOf = map[uint64]*lineage{}, c.x.shape
	}
	h := uint64(14695981039346656037)
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
	l.rooted = slices.ContainsFunc(l.ids, func(a object.ID) bool { return c.x.roots[a] })
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
		g = c.group(f.place)
		c.groups[f.print] = g
	}
	g.members = append(g.members, f)
	g.leads = g.leads || f.told && len(f.leads) > 0
	g.progress = g.progress && f.Code == codeProgressing
	g.aside, g.own = g.aside && f.aside, g.own && (f.own || f.aside)
	f.run = c.run
	f.groups = append(f.groups[:0], g)
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
			e := c.x.entry(id)
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
	because = slices.DeleteFunc(because, func(g *group) bool { return g.own })
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
func (c *collator) follow() int {
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
			e := c.x.entry(id)
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
			g.moved = to
			for _, m := range g.members {
				c.settle(m, to)
				c.mark(m.entry, to)
			}
			to.symptoms = append(append(to.symptoms, g.members...), g.symptoms...)
			delete(c.groups, print)
			break
		}
	}
	return len(c.list)/4 + 1
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

// first is what one finding says of its cause.
func (c *collator) first(f *Finding, identity string) Cause {
	out := Cause{
		ID: identity, Code: f.Code, Title: f.Title, Detail: f.Detail,
		Class: f.Class, Certainty: f.Certainty, Since: f.Since, Subject: f.Subject,
		Evidence: f.Evidence, Next: f.Next, Until: f.Until, UntilWhat: f.UntilWhat,
		Changed: f.Changed, Missing: f.Missing,
	}
	if !out.Until.After(c.s.Now) {
		out.Until, out.UntilWhat = time.Time{}, ""
	}
	return out
}

// cause makes a group a cause. A group that nothing that was asked for leads to
// is none.
func (c *collator) cause(g *group) (Cause, *Finding, bool) {
	exemplars := first(g.members, MaxObjects, exemplary)
	f := exemplars[0]
	out := c.first(f, identity(f.print))
	reached := false
	block := func(id object.ID) {
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
				reached = reached || c.x.roots[a]
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
	out.Chain = c.chain(nil, f.Object)
	return out, f, reached
}

// chain is the way from what was asked for down to an object, by canonical
// parents, appended to an empty list.
func (c *collator) chain(chain []object.ID, id object.ID) []object.ID {
	chain = append(chain, id)
	top := 0
	if c.x.roots[id] {
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

const chainMost = 16

// firm notes what has a better reason to wait than ordinary progress.
func (c *collator) firm(x *Cause) int {
	if !c.ordinary {
		return 0
	}
	if x.Code != codeProgressing {
		for _, b := range x.Blocks {
			c.excused[b] = true
		}
	}
	return 1
}

// quiet leaves out ordinary progress where everything that it keeps waiting has
// a better reason, and progress that keeps nothing.
func (c *collator) quiet(x *Cause) int {
	if !c.ordinary {
		c.kept = len(c.causes)
		return 0
	}
	if x.Code != codeProgressing || slices.ContainsFunc(x.Blocks, func(b object.ID) bool { return !c.excused[b] }) {
		if to := &c.causes[c.kept]; to != x {
			*to = *x
		}
		c.kept++
	}
	return 1
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
