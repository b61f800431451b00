package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The selected row's cause leads the headline where all else is waited for. It must
// not when it is gone.
func TestTheHeadlineNeverNamesACauseThatIsGone(t *testing.T) {
	about := func(name string, class explain.Class) explain.Cause {
		s := explain.Subject{ID: id("apps", "Deployment", name)}
		return explain.Cause{ID: name, Code: name, Title: "trouble of " + name, Class: class, Count: 1, Subject: s, Objects: []object.ID{s.ID}, Blocks: []object.ID{s.ID}}
	}
	causes := []explain.Cause{about("a", explain.Action)}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
	p.send(rowsOn(120, 20))
	a, b := deployment("a", 0), deployment("b", 2)
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(a), root(b)}, Objects: []*object.Object{a, b}})
	p.batch(time.Second, feed.Batch{})
	p.m.Tree.click(rows.Key{ID: a.ID})
	causes = []explain.Cause{about("b", explain.Waits)}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{
		again(a, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(2), object.IntOf(2) }),
		again(b, func(o *object.Object) { o.Workload.Ready, o.Workload.Available = object.IntOf(1), object.IntOf(1) }),
	}})
	p.batch(4*time.Second, feed.Batch{})
	told, _ := p.m.Tree.Headline()
	if len(told) == 0 || strings.Contains(told[0].Title, "of a") {
		t.Errorf("the headline is %v", told)
	}
	if healed := p.m.Facts.CausesOf(a.ID); len(healed) == 0 || healed[0].Healed.IsZero() {
		t.Errorf("this test needs a cause that is shown as gone: %v", healed)
	}
}

// A reader who may read little has one row that says so, not sixty.
func TestManyMissingPermissionsAreOneRow(t *testing.T) {
	for n, want := range map[int]int{3: 3, 4: 4, 5: 1, 60: 1} {
		p := screen(t)
		web := deployment("web", 2)
		b := feed.Batch{Synced: true, Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}}
		for i := range n {
			kind := fmt.Sprint("Kind", i)
			b.Sources = append(b.Sources, feed.SourceState{
				Key: kind, Kind: kind, Resource: strings.ToLower(kind) + "s",
				Namespace: "shop", Phase: feed.Forbidden, Verb: "list",
				Error: "user dev cannot list " + kind, Children: true,
			})
		}
		p.batch(0, b)
		if got := p.m.Tree.RowCount() - 1; got != want {
			t.Errorf("%d missing permissions are %d rows, want %d:\n%s", n, got, want, strings.Join(p.rows(), "\n"))
		}
		if want > 1 {
			continue
		}
		if text := strings.Join(p.rows(), "\n"); !strings.Contains(text, fmt.Sprint(n, " kinds cannot be read")) {
			t.Errorf("no count:\n%s", text)
		}
		p.keys("G", "enter")
		if got := p.m.Tree.RowCount() - 1; got != n+1 {
			t.Errorf("opened it has %d rows, want %d:\n%s", got, n+1, strings.Join(p.rows(), "\n"))
		}
		if text := strings.Join(p.rows(), "\n"); strings.Contains(text, "enter lists them") {
			t.Errorf("it is open:\n%s", text)
		}
	}
}

// The same permission that is missing in several namespaces is one row.
func TestAPermissionMissingInManyNamespacesIsOneRow(t *testing.T) {
	p := screen(t)
	web := deployment("web", 2)
	b := feed.Batch{Synced: true, Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}}
	for _, space := range []string{"shop", "cert-manager", "team in shop", "monitoring"} {
		b.Sources = append(b.Sources,
			feed.SourceState{
				Key: "e " + space, Kind: "Event", Resource: "events", Namespace: space, Phase: feed.Forbidden, Verb: "list",
				Error: "user dev cannot list events in " + space + " (RBAC)", Children: true,
			},
			feed.SourceState{Key: "j " + space, Group: "batch", Kind: "Job", Resource: "jobs", Namespace: space, Phase: feed.NotServed, Children: true})
	}
	b.Sources = append(b.Sources, feed.SourceState{
		Key: "p", Kind: "Pod", Resource: "pods", Namespace: "shop", Phase: feed.Forbidden,
		Verb: "list", Error: "user dev cannot list pods in shop (RBAC)", Children: true,
	})
	p.batch(0, b)
	text := strings.Join(p.rows(), "\n")
	for _, want := range []string{
		"user dev cannot list events in cert-manager and 3 more namespaces (RBAC) - causes from events hidden",
		"jobs in cert-manager and 3 more namespaces: not served by this cluster - children hidden",
		"user dev cannot list pods in shop (RBAC) - children hidden",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no row says %q:\n%s", want, text)
		}
	}
	if got := p.m.Tree.RowCount() - 1; got != 3 {
		t.Errorf("%d rows:\n%s", got, text)
	}
}

// A cause stays for two seconds after it was last found, because a crashing container runs for
// a moment in between. It does not when the objects that showed it are gone or on their way.
func TestACauseGoesWithTheObjectsThatShowIt(t *testing.T) {
	for name, c := range map[string]struct {
		then func(one *object.Object) feed.Batch
		held bool
	}{
		"the Pod runs for a moment": {func(*object.Object) feed.Batch { return feed.Batch{} }, true},
		"the Pod is gone":           {func(o *object.Object) feed.Batch { return feed.Batch{Gone: []feed.Gone{{ID: o.ID, UID: o.UID}}} }, false},
		"the Pod is being deleted": {func(o *object.Object) feed.Batch {
			return feed.Batch{Objects: []*object.Object{again(o, func(o *object.Object) { o.Deleted = at(5 * time.Second) })}}
		}, false},
	} {
		d := deployment("web", 0)
		rs := replicaSet(d, "1", 0)
		one := pod(rs, "a", "CrashLoopBackOff")
		causes := []explain.Cause{{
			ID: "crash", Code: "crash", Title: "exits 1", Class: explain.Action, Count: 1,
			Subject: explain.Subject{ID: one.ID}, Objects: []object.ID{one.ID}, Blocks: []object.ID{d.ID},
		}}
		p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
		p.send(rowsOn(120, 20))
		p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d, rs, one}})
		p.batch(4*time.Second, feed.Batch{})
		causes = nil
		b := c.then(one)
		b.Objects = append(b.Objects, again(d, func(o *object.Object) { o.Workload.Updated = object.IntOf(0) }))
		p.batch(5*time.Second, b)
		p.send(ClockTicked{at(5200 * time.Millisecond)})
		if held := len(p.m.Facts.Causes()) > 0; held != c.held {
			t.Errorf("%s: the cause is shown: %v", name, held)
		}
	}
}

// What is merely waited for is no problem: neither the key that leads from one to the next nor the
// headline counts it, and the two counts say what they count.
func TestWhatIsMerelyWaitedForIsNoProblem(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	b := feed.Batch{Synced: true}
	var causes []explain.Cause
	for _, name := range names {
		o := deployment(name, 1)
		b.Objects, b.Roots = append(b.Objects, o), append(b.Roots, root(o))
		causes = append(causes, explain.Cause{
			ID: name, Code: name, Title: "trouble of " + name, Class: explain.Waits, Count: 1,
			Subject: explain.Subject{ID: o.ID}, Objects: []object.ID{o.ID}, Blocks: []object.ID{o.ID},
		})
	}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return slices.Clone(causes) }})
	p.send(rowsOn(120, 20))
	p.batch(0, b)
	p.send(ClockTicked{at(3 * time.Second)})
	p.keys("n")
	if got := p.m.Display.Flash(); got != "no problem: what is not Current only has to be waited for" {
		t.Errorf("the answer is %q", got)
	}
	if _, of := p.m.Tree.Headline(); of != 4 {
		t.Errorf("the headline counts %d causes, and nothing else is known", of)
	}
	causes[3].Class, causes[1].Class = explain.Action, explain.Retries
	causes[0], causes[3] = causes[3], causes[0] // d, b, c, a
	for i := range 5 {                          // causes change their order after two seconds, and rows after the last key
		p.m.Facts.World.Tree.Unexplained = true
		p.send(ClockTicked{at(time.Duration(6+i) * time.Second)})
	}
	p.keys("G", "N") // from a row that is none: the one above
	if k, _ := p.m.Tree.Selected(); k.ID.Name != "b" {
		t.Errorf("above the last row the next problem is %v", k.ID)
	}
	p.keys("g")
	var visited []string
	for range 3 {
		p.keys("n")
		k, _ := p.m.Tree.Selected()
		visited = append(visited, k.ID.Name+": "+p.m.Display.Flash())
	}
	want := []string{
		"b: problem 2 of 2: trouble of b", "d: problem 1 of 2: trouble of d", "b: problem 2 of 2: trouble of b",
	}
	if !slices.Equal(visited, want) {
		t.Errorf("visited %q", visited)
	}
	if named, of := p.m.Tree.Headline(); of != 2 || named[0].Title != "trouble of d" || len(named) != 2 {
		t.Errorf("of %d causes the headline names %v", of, named)
	}
	p.shows("Deployment/d InProgress", "Deployment/b InProgress", "Deployment/a InProgress", "Deployment/c InProgress")
}

// A problem is a cause. It is there once, at the row of what it blocks and not at the Pods that show it; and
// two causes of one row are two problems, each of which the pane shows from its beginning.
func TestTheNextProblemIsTheNextCause(t *testing.T) {
	b := trio()
	pod := func(name string) object.ID {
		return b.Objects[slices.IndexFunc(b.Objects, func(o *object.Object) bool {
			return o.Pod != nil && strings.HasPrefix(o.ID.Name, name)
		})].ID
	}
	cause := func(no, name string) explain.Cause {
		of := id("apps", "Deployment", name)
		return explain.Cause{
			ID: no, Code: no, Title: "trouble " + no, Class: explain.Action, Count: 1, Detail: strings.Repeat("because ", 40),
			Subject: explain.Subject{ID: of}, Objects: []object.ID{pod(name)}, Blocks: []object.ID{of},
		}
	}
	causes := []explain.Cause{cause("1", "a"), cause("2", "b"), cause("3", "b"), cause("4", "b")}
	causes[3].Class = explain.Waits
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return slices.Clone(causes) }})
	p.send(tea.WindowSizeMsg{Width: 120, Height: 14})
	p.batch(0, b)
	p.send(ClockTicked{at(3 * time.Second)})
	p.keys("v", "g") // the proofs are long
	seen := func() string {
		k, _ := p.m.Tree.Selected()
		c, top := p.m.Panes.Content()
		return k.ID.Kind + " " + k.ID.Name + ": " + p.m.Display.Flash() + " | " + c.Line(top).String()
	}
	for _, want := range []struct{ key, seen string }{
		{"n", "Deployment b: problem 2 of 4: trouble 2 | 1 trouble 2"},
		{"n", "Deployment b: problem 3 of 4: trouble 3 | 2 trouble 3"},
		{"n", "Pod c-1-x: problem 4 of 4: Pod/c-1-x is Failed | "},
		{"n", "Deployment a: problem 1 of 4: trouble 1 | 1 trouble 1"},
		{"N", "Pod c-1-x: problem 4 of 4: Pod/c-1-x is Failed | "},
		{"N", "Deployment b: problem 3 of 4: trouble 3 | 2 trouble 3"},
		{"N", "Deployment b: problem 2 of 4: trouble 2 | 1 trouble 2"},
	} {
		p.keys(want.key)
		if got := seen(); !strings.HasPrefix(got, want.seen) {
			t.Errorf("%s leads to %q, want %q", want.key, got, want.seen)
		}
	}
	p.keys("n", "down", "down", "n") // from a Pod of it
	if got := seen(); !strings.HasPrefix(got, "Pod c-1-x: problem 4 of 4") {
		t.Errorf("below the third problem n leads to %q", got)
	}
}
