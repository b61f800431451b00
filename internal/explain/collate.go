package explain

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// group becomes one cause: the findings with one fingerprint and the symptoms
// that they explain.
type group struct {
	members  []*Finding
	symptoms []*Finding
	progress bool // only ordinary progress
	aside    bool // only remarks on Current objects
	own      bool // blocks no ancestor
}

// collator folds findings into groups. It does not depend on the order in which
// findings were made; the final order is made at the end.
type collator struct {
	*pass
	reached []*entry // entries with findings that concern a root
	groups  map[uint64]*group
	list    []*group               // groups in order of creation
	below   map[object.ID][]*group // groups among an object's descendants
}

// collate turns the findings into causes.
func (p *pass) collate() Explanation {
	c := &collator{pass: p, groups: map[uint64]*group{}, below: map[object.ID][]*group{}}
	for _, e := range slices.Clone(p.broken) {
		if e.under {
			c.reach(e)
		}
	}
	for i := 0; i < len(c.reached); i++ { // it grows in the loop
		c.link(c.reached[i])
	}
	var all, absorbers, symptoms []*Finding
	told := map[uint64]*Finding{} // a log line that names what it waits for speaks for all with its fingerprint
	for _, e := range c.reached {
		for _, f := range e.found {
			all = append(all, f)
			if len(f.Absorbs) > 0 {
				absorbers = append(absorbers, f)
			}
			if f.told && f.Symptom {
				told[f.print] = f
			}
		}
	}
	slices.SortFunc(absorbers, compareFindings)
	for _, f := range absorbers {
		c.absorb(f)
	}
	for _, f := range all {
		if t := told[f.print]; t != nil && !f.Symptom {
			f.blame(t.Because...)
		}
		switch {
		case f.settled:
		case f.Symptom:
			symptoms = append(symptoms, f)
		default:
			c.explain(f, c.lacking(f))
		}
	}
	// Deepest first: descendants are decided before their ancestors, but for the
	// consequences of what is found on those.
	slices.SortFunc(symptoms, func(a, b *Finding) int {
		return cmp.Or(boolRank(a.after)-boolRank(b.after), cmp.Compare(len(b.entry.up), len(a.entry.up)), compareFindings(a, b))
	})
	for _, f := range symptoms {
		c.fold(f, 0)
	}
	return c.conclude()
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
		for _, list := range [2][]object.ID{f.Because, f.Absorbs} {
			for _, id := range list {
				if b := c.entry(id); b != nil {
					c.reach(b)
				}
			}
		}
	}
}

// linked are the findings on another object, if it is included.
func (c *collator) linked(f *Finding, id object.ID) []*Finding {
	if e := c.entries[id]; e != nil && e.reached && e != f.entry {
		return e.found
	}
	return nil
}

// absorb groups a finding with the findings that it explains.
func (c *collator) absorb(f *Finding) {
	g := c.join(f)
	for _, id := range f.Absorbs {
		for _, ff := range c.linked(f, id) {
			if !ff.settled {
				c.explain(ff, g)
			}
		}
	}
}

// explain adds a finding to a group as its symptom; without one it becomes a
// cause.
func (c *collator) explain(f *Finding, g *group) {
	if g == nil {
		c.join(f)
		return
	}
	g.symptoms = append(g.symptoms, f)
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
}

// lacking is the group of a followed object that does not exist, if a finding is
// about its absence: one line says it.
func (c *collator) lacking(f *Finding) *group {
	for i := range f.Evidence {
		ev := &f.Evidence[i]
		if ev.Type == AbsenceEvidence && ev.Path == "" && c.roots[ev.Ref] {
			for _, ff := range c.linked(f, ev.Ref) {
				return c.join(ff)
			}
		}
	}
	return nil
}

// conclude turns the groups into ordered causes.
func (c *collator) conclude() (out Explanation) {
	ranks := make([]ranked, 0, len(c.list))
	for _, g := range c.list {
		if cause, ok := c.cause(g); ok {
			ranks = append(ranks, ranked{cause, importance(cause, c.fails(cause.Blocks)), g.members[0].entry})
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
	out.Causes = make([]Cause, 0, len(ranks))
	for _, r := range ranks {
		for _, id := range r.exemplar.uses {
			if len(out.Resting) < MaxObjects && !slices.Contains(out.Resting, id) {
				out.Resting = append(out.Resting, id)
			}
		}
		for _, n := range r.exemplar.needs {
			if (n.Log != "" || n.Template) && len(out.Reading) < MaxObjects && !slices.Contains(out.Reading, n) {
				out.Reading = append(out.Reading, n)
			}
		}
		if r.Code != codeProgressing || slices.ContainsFunc(r.Blocks, func(b object.ID) bool { return !excused[b] }) {
			out.Causes = append(out.Causes, *r.Cause)
		}
	}
	return out
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
	g.progress = g.progress && f.Code == codeProgressing
	g.aside, g.own = g.aside && f.aside, g.own && (f.own || f.aside)
	f.settled, f.groups = true, []*group{g}
	c.mark(f.entry, g)
	return g
}

// mark notes a group at every ancestor of an object.
func (c *collator) mark(e *entry, g *group) {
	for _, a := range e.up {
		if list := c.below[a]; len(list) < MaxObjects && !slices.Contains(list, g) {
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
	if depth < 8 {
		for _, id := range f.Because {
			because = append(because, c.below[id]...)
			for _, ff := range c.linked(f, id) {
				if ff.Symptom {
					c.fold(ff, depth+1)
				}
				because = append(because, ff.groups...)
			}
		}
	}
	seen := map[*group]bool{}
	because = slices.DeleteFunc(because, func(g *group) bool {
		// Progress of a descendant explains progress, not a failure.
		drop := seen[g] || g.own || g.progress && f.Code != codeProgressing
		seen[g] = true
		return drop
	})
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

// cause turns a group into a cause, if a root leads to it.
func (c *collator) cause(g *group) (out *Cause, reached bool) {
	slices.SortFunc(g.members, exemplary)
	slices.SortFunc(g.symptoms, compareFindings)
	g.symptoms = slices.Compact(g.symptoms) // one may be absorbed twice
	f := g.members[0]
	out = &f.Cause
	out.ID = identity(f.print)
	for _, s := range f.Changes {
		out.Next = append(slices.Clip(out.Next), s.Command)
	}
	if !out.Until.After(c.s.Now) {
		out.Until, out.UntilWhat = time.Time{}, ""
	}
	blocks := func(id object.ID) {
		if !c.roots[id] {
			return
		}
		reached = true
		if a, ok := c.s.Assessment(id); !g.aside && !(ok && a.Status == status.Current) && len(out.Blocks) < MaxObjects && !slices.Contains(out.Blocks, id) {
			out.Blocks = append(out.Blocks, id)
		}
	}
	follow := func(f *Finding) {
		blocks(f.entry.id)
		if f.own || f.aside {
			reached = reached || f.entry.under
			return
		}
		for _, a := range f.entry.up {
			blocks(a)
		}
	}
	for _, m := range g.members {
		// The node that its Pods report is not counted among them.
		if m.entry.counted != g && (m.Object != f.Subject.ID || f.entry == m.entry) {
			m.entry.counted = g
			out.Count++
			if len(out.Objects) < MaxObjects {
				out.Objects = append(out.Objects, m.Object)
			}
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
		nameAbsent(out)
	}
	for _, y := range g.symptoms {
		follow(y)
		if len(out.Symptoms) < MaxObjects {
			out.Symptoms = append(out.Symptoms, Symptom{Ref: y.Object, Code: y.Code, Title: y.Title})
		}
	}
	blocks(f.Subject.ID)
	slices.SortFunc(out.Blocks, object.ID.Compare)
	out.Chain = c.chain(f.Object)
	return out, reached
}

// nameAbsent is the title of a cause that several objects do not exist.
func nameAbsent(out *Cause) {
	var list []string
	for _, id := range out.Objects[:min(len(out.Objects), 3)] {
		list = append(list, id.String())
	}
	if out.Count > 3 {
		list = append(list, "…")
	}
	out.Title = clip(fmt.Sprintf("%d of what was asked for do not exist: %s", out.Count, strings.Join(list, ", ")), 240)
}

// chain is the path of canonical parents from a root to an object.
func (c *collator) chain(id object.ID) (chain []object.ID) {
	top := 0
	chain = make([]object.ID, 0, 4)
	for len(chain) < chainMost && !slices.Contains(chain, id) {
		if chain = append(chain, id); c.roots[id] {
			top = len(chain)
		}
		parents := c.s.Parents(id)
		if len(parents) == 0 {
			break
		}
		id = parents[0]
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
	io.WriteString(h, strings.Join(parts, "\x00")+"\x00")
	return h.Sum64()
}

// identity is a fingerprint as text.
func identity(print uint64) string { return fmt.Sprintf("%012x", print&0xffffffffffff) }
