package fuzzworld

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

var (
	sets  = flag.Uint64("sets", 60, "how many random sets are tried")
	first = flag.Uint64("seed", 0, "the seed of the first")
)

func TestRandomSets(t *testing.T) {
	codes := map[string]int{}
	for seed := *first; seed < *first+*sets; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, c := range checkSet(t, seed) {
				codes[c.Code]++
			}
		})
	}
	t.Logf("%d kinds of causes: %v", len(codes), codes)
	if len(codes) < 20 {
		t.Errorf("only %d kinds of causes: the sets are too plain", len(codes))
	}
}

// FuzzSets looks for a seed that breaks a property: make fuzz.
func FuzzSets(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(602))   // a fault within its grace, by a condition that names an activity
	f.Add(uint64(719))   // two conditions Stalled, of which the later is not True
	f.Add(uint64(3007))  // a Pod's container without an image
	f.Add(uint64(11073)) // Stalled beside another condition that is its end
	f.Add(uint64(11413)) // a foreign Stalled on a DaemonSet that has nothing to do
	f.Fuzz(func(t *testing.T, seed uint64) { checkSet(t, seed) })
}

func checkSet(t *testing.T, seed uint64) []explain.Cause {
	g := &generator{rand.New(rand.NewPCG(seed, 1)), t}
	s := g.generate()

	whole := newWorld(s.batch())
	causes := explained(whole)
	checkCauses(t, whole, causes)
	checkContract(t, whole, causes)
	checkTimes(t, s, whole, causes)
	checkEvidence(t, s, causes)

	// The order in which objects come does not matter.
	again := newWorld(g.shuffled(s))
	same(t, "in another order", whole, again)

	// What comes batch by batch is what comes at once.
	grown := newWorld(feed.Batch{At: now, Seq: 1, Roots: s.roots})
	shuffled := g.shuffled(s)
	for rest := shuffled.Objects; len(rest) > 0; {
		n := 1 + g.IntN(len(rest))
		grown.Apply(&feed.Batch{At: now, Objects: rest[:n]})
		rest = rest[n:]
	}
	last := s.batch()
	last.Objects, last.Roots = nil, nil
	grown.Apply(&last)
	same(t, "batch by batch", whole, grown)

	// The same batch twice changes nothing.
	b := s.batch()
	again.Apply(&b)
	same(t, "twice", whole, again)

	checkReports(t, g, s)
	offline := world.NewOffline(s.objects, nil, now)
	for _, o := range s.objects {
		offline.Assess(o)
		status.Explain(o, offline.World(o), now)
		status.Lint(o)
	}
	return causes
}

// batch is all of it at once. Everything that is wanted has been answered.
func (s *set) batch() feed.Batch {
	return feed.Batch{Seq: 1, At: now, Roots: s.roots, Objects: s.objects, Events: s.events, Synced: true, Answered: 1 << 60, EventsAnswered: 1 << 60}
}

func (g *generator) shuffled(s *set) feed.Batch {
	b := s.batch()
	b.Objects = slices.Clone(b.Objects)
	g.Shuffle(len(b.Objects), func(i, j int) { b.Objects[i], b.Objects[j] = b.Objects[j], b.Objects[i] })
	return b
}

func newWorld(b feed.Batch) *world.World {
	w := world.New(world.Options{Now: now, StallAfter: time.Minute})
	w.Apply(&b)
	return w
}

func explained(w *world.World) []explain.Cause {
	return explain.Explain(w.Snapshot(), world.IDs(w.Tree.Roots)).Causes
}

// same compares tree, judgement, verdict and causes of two worlds.
func same(t *testing.T, how string, want, got *world.World) {
	t.Helper()
	a, b := lines(want), lines(got)
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("%s:\n%s\nbut at once\n%s", how,
				strings.Join(b[min(i, len(b)):], "\n"), strings.Join(a[min(i, len(a)):], "\n"))
		}
	}
}

func lines(w *world.World) (out []string) {
	for _, id := range slices.SortedFunc(maps.Keys(w.Tree.Nodes), object.ID.Compare) {
		n := w.Tree.Nodes[id]
		parent := "nothing"
		if n.Parent != nil && n.InTree {
			parent = n.Parent.ID.String()
		}
		out = append(out, fmt.Sprintf("%v below %s, in the tree %v: %s %q %q", id,
			parent, n.InTree, n.Assess.Status, n.Assess.Reason, n.Assess.Message))
	}
	out = append(out, fmt.Sprint(w.Verdict, w.Counts))
	for _, c := range explained(w) {
		out = append(out, fmt.Sprint(c.ID, c.Code, c.Title, c.Count, c.Blocks))
	}
	return out
}

func checkCauses(t *testing.T, w *world.World, causes []explain.Cause) {
	t.Helper()
	for _, c := range causes {
		if c.ID == "" || c.Title == "" || c.Count < 1 {
			t.Errorf("%s %q: no identity, no title or nowhere", c.Code, c.Title)
		}
		if strings.Contains(c.Title, "%!") || strings.Contains(c.Title, "<nil>") {
			t.Errorf("%s: %q", c.Code, c.Title)
		}
		if steps := c.Steps(); len(steps) > 0 && steps[0].Mutates {
			t.Errorf("%s: the first command changes the cluster: %s", c.Code, steps[0].Command)
		}
		for _, e := range c.Evidence {
			if e.Type == "" || e.Path == "" && e.Type != inspect.AbsenceEvidence {
				t.Errorf("%s: evidence %+v", c.Code, e)
			}
			if e.Type == inspect.AbsenceEvidence && e.Path == "" && w.Tree.Nodes[e.Ref] != nil && w.Tree.Nodes[e.Ref].Object != nil {
				t.Errorf("%s: %v exists", c.Code, e.Ref)
			}
		}
		if c.Code == "InternalError" {
			t.Errorf("a detector panicked: %s", c.Title)
		}
	}
}

// checkTimes: nothing began in the future or in the year 1, and until the world is
// due again time changes nothing.
func checkTimes(t *testing.T, s *set, w *world.World, causes []explain.Cause) {
	t.Helper()
	for id, n := range w.Tree.Nodes {
		if n.Assess.Since.After(now) {
			t.Errorf("%v is %s (%s) since %s, in the future", id, n.Assess.Status, n.Assess.Rule, n.Assess.Since)
		}
	}
	for _, c := range causes {
		if c.Since.After(now) {
			t.Errorf("%s since %s, in the future", c.Code, c.Since)
		}
		if text := fmt.Sprint(c.Title, c.Detail, c.Evidence); strings.Contains(text, "0001-01-01") {
			t.Errorf("%s: a time that is not set: %s", c.Code, text)
		}
	}
	due := w.Due
	if due.IsZero() {
		due = now.Add(1000 * time.Hour)
	}
	later := newWorld(s.batch())
	b := feed.Batch{At: due.Add(-time.Second)}
	for _, o := range s.objects { // written again without a change, so that all is judged anew
		again := *o
		again.ResourceVersion += "0"
		b.Objects = append(b.Objects, &again)
	}
	later.Apply(&b)
	for id, n := range later.Tree.Nodes {
		if a, b := w.Tree.Nodes[id].Assess, n.Assess; a.Status != b.Status || a.Reason != b.Reason || a.Message != b.Message {
			t.Errorf("%v (%s): %s %q %q becomes (%s) %s %q %q by %s with time alone, before it is due",
				id, a.Rule, a.Status, a.Reason, a.Message, b.Rule, b.Status, b.Reason, b.Message, due)
		}
	}
}

// checkEvidence: every field that a cause rests on has the value that it says.
func checkEvidence(t *testing.T, s *set, causes []explain.Cause) {
	t.Helper()
	for _, c := range causes {
		for _, e := range c.Evidence {
			if e.Type != inspect.FieldEvidence {
				continue
			}
			if why := explaintest.Refute(s.raw[e.Ref], e); why != "" {
				t.Errorf("EVIDENCE %s: %s %s = %q does not hold: %s", c.Code, e.Ref.Kind, e.Path, e.Value, why)
			}
		}
	}
}

// checkContract: an object is not Current while a proven cause of class action or
// terminal is about itself, one that is Failed has a cause that is not waits, and the
// condition that decides a status is among those that its causes quote of it.
func checkContract(t *testing.T, w *world.World, causes []explain.Cause) {
	t.Helper()
	blocked := map[object.ID][]explain.Cause{}
	for _, c := range causes {
		n := w.Tree.Nodes[c.Subject.ID]
		if c.Code == "WaitsForConsumer" {
			continue // the Pod that names its node itself is at fault, and its claim shows it
		}
		if n != nil && n.Assess.Status == status.Current && c.Certainty == explain.Proven &&
			(c.Class == explain.Action || c.Class == explain.Terminal) {
			t.Errorf("%s is Current (%s), and %s: %s", n.ID.Kind, n.Assess.Rule, c.Code, c.Title)
		}
		for _, id := range c.Blocks {
			blocked[id] = append(blocked[id], c)
		}
	}
	for id, list := range blocked {
		n := w.Tree.Nodes[id]
		if n.Assess.Status == status.Failed &&
			!slices.ContainsFunc(list, func(c explain.Cause) bool { return c.Class != explain.Waits }) {
			t.Errorf("%s is Failed (%s %s) with waits only: %s: %s", id.Kind,
				n.Assess.Rule, n.Assess.Reason, list[0].Code, list[0].Title)
		}
		if quoted := otherCondition(n, list); quoted != "" {
			t.Errorf("%s is %s by condition %s, and its causes quote %s", id,
				n.Assess.Status, n.Object.Conditions[n.Assess.Deciding].Type, quoted)
		}
	}
}

// otherCondition is the condition of an object that its causes quote instead of the one
// that decides its status, or "". A summary stands for others (status.Behind), a condition
// without a message says nothing, and causes about another object name a deeper reason.
func otherCondition(n *world.Node, causes []explain.Cause) (quoted string) {
	if n.Object == nil || n.Assess.Deciding < 0 || n.Assess.Status == status.Current {
		return ""
	}
	deciding := n.Object.Conditions[n.Assess.Deciding].Type
	summaries := []string{"Ready", "Available", "Succeeded", "Healthy", "Synced", "Reconciled", "Degraded", status.Stalled, status.Reconciling}
	if slices.Contains(summaries, deciding) || n.Object.Conditions[n.Assess.Deciding].Message == "" {
		return ""
	}
	for _, c := range causes {
		if c.Subject.ID != *n.ID {
			return ""
		}
		for _, e := range c.Evidence {
			path, is := strings.CutPrefix(e.Path, "status.conditions[")
			if !is || e.Ref != *n.ID {
				continue
			}
			if quoted, _, _ = strings.Cut(path, "]"); quoted == deciding {
				return ""
			}
		}
	}
	return quoted
}

// checkReports prints every report and draws the screen at random sizes after
// random keys.
func checkReports(t *testing.T, g *generator, s *set) {
	t.Helper()
	theme, err := views.NewTheme("dark", true, g.IntN(2) == 0)
	if err != nil {
		t.Fatal(err)
	}
	look := views.Look{Theme: theme}
	m, _ := model.New(model.Options{Now: now.Add(-time.Minute), Sources: []string{"x"}, Title: "x", Namespace: "shop", Screen: true})
	m, _ = m.Update(model.BatchArrived{Batch: s.batch()})
	m = m.Explained()
	end := report.End{Code: 2, Why: "out of time"}
	write := func(name string, isJSON bool, f func(w io.Writer) error) {
		var text bytes.Buffer
		if err := f(&text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := escapes.Check(text.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if isJSON && !json.Valid(text.Bytes()) {
			t.Errorf("%s is no JSON", name)
		}
	}
	for _, format := range report.StatusFormats {
		write(format, format == "json", func(w io.Writer) error { return report.Status(w, m.Facts, format, 2, report.Table{Labels: true}) })
	}
	for _, format := range report.WhyFormats {
		write("why "+format, format == "json", func(w io.Writer) error { return report.Why(w, m.Facts, format) })
	}
	write("junit", false, func(w io.Writer) error { return report.JUnit(w, m.Facts, end) })
	write("github", false, func(w io.Writer) error { return report.GitHub(w, m.Facts, end) })
	write("plain", false, func(w io.Writer) error { return report.NewPlain(w, time.UTC, true).Show(m.Facts) })
	keys := []string{
		"j", "k", "up", "down", "left", "right", "space", "enter", "esc", "tab", "/", ":", "a", "b", "s", "z", "Z", "n", "1", "2", "3", "4", "5", "6", "?", "w", "e",
		"ctrl+p", "ctrl+n", "alt+d", "ctrl+w", "backspace", "g", "G", "pgdown", "+", "_", "m", "[", "]",
	}
	canvas := views.NewCanvas(1, 1, theme)
	for range 15 {
		if g.IntN(4) == 0 {
			m, _ = m.Update(tea.WindowSizeMsg{Width: g.IntN(160), Height: g.IntN(50)})
		} else {
			m, _ = m.Update(viewstest.Press(pick(g, keys)))
		}
		views.Draw(canvas, views.Of(m), look)
		canvas.Render()
	}
}
