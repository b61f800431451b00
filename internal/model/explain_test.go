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
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// showing is what shows these causes, and has for ever.
func showing(causes ...Cause) *explaining {
	x := &explaining{shown: newShown()}
	w := &world{nodes: map[object.ID]*node{}, opt: &Options{Screen: true}}
	x.show(w, causes)
	return x
}

func TestACauseStaysForAMomentAfterItHasGone(t *testing.T) {
	web := deployment("web", 0)
	n := &node{id: &web.ID, obj: web, past: noPast, assess: &status.Assessment{Status: status.InProgress}}
	w := &world{nodes: map[object.ID]*node{}, now: t0, opt: &Options{Screen: true}}
	w.nodes[*n.id] = n
	cause := func(id string, class explain.Class) Cause {
		return Cause{ID: id, Class: class, Blocks: []object.ID{web.ID}}
	}
	crash, pull := cause("crash", explain.Action), cause("pull", explain.Action)
	wait := cause("wait", explain.Waits)
	x := showing(crash, pull, wait)
	step := func(after time.Duration, fresh []Cause, want ...string) {
		t.Helper()
		w.now = at(after)
		x.show(w, fresh)
		var got []string
		for _, c := range x.causes {
			got = append(got, c.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %s: %v, want %v", after, got, want)
		}
	}
	step(0, []Cause{pull}, "crash", "pull")
	step(time.Second, []Cause{pull, crash}, "pull", "crash")
	step(2*time.Second, []Cause{pull}, "pull", "crash")
	step(3*time.Second, nil, "pull", "crash")
	step(4*time.Second, nil, "pull")
	// What was kept from Current is Current: nothing is left to explain.
	n.assess.Status = status.Current
	step(4500*time.Millisecond, nil)
	if len(x.held) > 0 {
		t.Errorf("still held: %v", x.held)
	}
}

func TestACauseThatHasHealedIsStruckThroughForTenSeconds(t *testing.T) {
	web := deployment("web", 0)
	n := &node{id: &web.ID, obj: web, past: noPast, assess: &status.Assessment{Status: status.InProgress}}
	w := &world{nodes: map[object.ID]*node{}, now: t0, opt: &Options{Screen: true}}
	w.nodes[*n.id] = n
	x := showing()
	m := Model{w: w, x: x}
	step := func(after time.Duration, fresh ...Cause) {
		w.now = at(after)
		x.show(w, fresh)
	}
	struck := func() (out []string) {
		for _, c := range m.healedOf(n) {
			out = append(out, c.ID)
		}
		return out
	}
	crash := Cause{ID: "crash", Class: explain.Action, Blocks: []object.ID{web.ID}}
	blink := Cause{ID: "blink", Class: explain.Action, Blocks: []object.ID{web.ID}}
	step(0, crash)
	step(5*time.Second, crash, blink)
	n.assess.Status = status.Current
	step(6*time.Second, crash)
	if got := struck(); len(got) > 0 {
		t.Errorf("a blink is struck through: %v", got)
	}
	step(7 * time.Second)
	step(16 * time.Second)
	if got := struck(); !slices.Equal(got, []string{"crash"}) {
		t.Errorf("nine seconds after it healed: %v", got)
	}
	step(17 * time.Second)
	if got := struck(); len(got) > 0 {
		t.Errorf("ten seconds after it healed: %v", got)
	}
	step(20*time.Second, crash)
	step(24 * time.Second)
	step(25*time.Second, crash)
	if got := struck(); len(got) > 0 || len(x.causes) != 1 {
		t.Errorf("it is back, and still struck through: %v", got)
	}
}

func TestWhatAnotherCauseExplainsIsNotHeld(t *testing.T) {
	web := deployment("web", 0)
	n := &node{id: &web.ID, obj: web, past: noPast, assess: &status.Assessment{Status: status.Failed}}
	w := &world{nodes: map[object.ID]*node{}, now: t0, opt: &Options{Screen: true}}
	w.nodes[*n.id] = n
	late := Cause{ID: "late", Code: "ProgressDeadlineExceeded", Class: explain.Action, Blocks: []object.ID{web.ID}, Objects: []object.ID{web.ID}}
	x := showing(late)
	pull := Cause{ID: "pull", Code: "ImageNotFound", Class: explain.Action, Blocks: []object.ID{web.ID}, Symptoms: []explain.Symptom{{Ref: web.ID, Code: late.Code}}}
	x.show(w, []Cause{pull})
	if len(x.causes) != 1 || len(x.healed) > 0 {
		t.Errorf("held %v, healed %v", x.causes, x.healed)
	}
}

func TestCausesDoNotJump(t *testing.T) {
	w := &world{nodes: map[object.ID]*node{}, now: t0, opt: &Options{Screen: true}}
	x := showing()
	x.settled = true
	step := func(after time.Duration, fresh string, want string) {
		t.Helper()
		w.now = at(after)
		var list []Cause
		for _, id := range fresh {
			class := explain.Action
			if id == 'w' {
				class = explain.Waits
			}
			list = append(list, Cause{ID: string(id), Class: class})
		}
		x.show(w, list)
		var got strings.Builder
		for _, c := range x.causes {
			got.WriteString(c.ID)
		}
		if got.String() != want {
			t.Errorf("after %s: %s, want %s", after, got.String(), want)
		}
	}
	step(0, "w", "w")
	step(time.Second, "aw", "aw") // what waits makes room at once
	step(2*time.Second, "baw", "abw")
	step(3*time.Second, "aw", "aw") // a blip has moved nothing
	step(4*time.Second, "baw", "abw")
	step(5500*time.Millisecond, "baw", "abw")
	step(6*time.Second, "baw", "baw") // it has been first for two seconds
	step(7*time.Second, "abw", "baw")
}

func TestACauseKeepsItsEarliestOnset(t *testing.T) {
	w := &world{nodes: map[object.ID]*node{}, now: t0, opt: &Options{Screen: true}}
	x := showing()
	x.settled = true
	step := func(since time.Duration) time.Time {
		list := []Cause{{ID: "crash", Since: at(since)}}
		x.show(w, list)
		return list[0].Since
	}
	step(-10 * time.Second)
	if got := step(30 * time.Second); !got.Equal(at(-10 * time.Second)) {
		t.Errorf("since %v: it forgets when it began", got)
	}
	if got := step(-time.Minute); !got.Equal(at(-time.Minute)) {
		t.Errorf("since %v: what is known later is not taken", got)
	}
}

func TestWhoLooksForTheLastTimeSeesTheCausesOfThatMoment(t *testing.T) {
	p := newPlay(t, Options{Judge: status.Assess})
	web := pod(deployment("web", 1), "web", "")
	web.Owners, web.Pod.Containers = nil, nil
	set := func(after time.Duration, ready, version string) {
		o := *web
		o.ResourceVersion = version
		o.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: ready, Reason: "Because"}}}
		p.batch(after, feed.Batch{Synced: true, Roots: []feed.Root{root(&o)}, Objects: []*object.Object{&o}})
	}
	set(time.Second, "False", "1")
	if len(p.m.Causes()) != 1 {
		t.Fatalf("causes %v of a pod that is not ready", p.m.Causes())
	}
	p.m.x.settled = true                              // everything that was wished for has come
	set(time.Second+50*time.Millisecond, "True", "2") // too early to be explained
	if v := p.m.Verdict().Status; v != status.Current || len(p.m.Causes()) != 1 {
		t.Fatalf("%s with the causes %v: there is nothing to see here", v, p.m.Causes())
	}
	if m := p.m.Explained(); len(m.Causes()) != 0 || m.Verdict().Status != status.Current {
		t.Errorf("at the end: %s with the causes %v", m.Verdict().Status, m.Causes())
	}
}

// Three thousand pods that are each broken in their own way take longer to explain
// than a frame lasts: that is done beside the loop, on a copy, and keys are answered
// meanwhile. Two hundred causes are shown, and how many more there are.
func TestAScreenDoesNotWaitForAnExplanation(t *testing.T) {
	const pods = 3000
	batch := feed.Batch{Synced: true}
	for i := range pods {
		o := pod(deployment("web", 1), fmt.Sprintf("p%04d", i), "")
		o.Owners, o.Pod.Containers = nil, nil
		o.Conditions = []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: fmt.Sprint("Because", i)}}}
		batch.Roots, batch.Objects = append(batch.Roots, root(o)), append(batch.Objects, o)
	}
	ids := func(causes []Cause) (out []string) {
		for _, c := range causes {
			out = append(out, c.ID)
		}
		return out
	}
	headless := newPlay(t, Options{Judge: status.Assess})
	headless.batch(0, batch)
	want := ids(headless.m.Causes())
	if len(want) < pods {
		t.Fatalf("%d causes of %d pods", len(want), pods)
	}

	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	p.send(tea.WindowSizeMsg{Width: 200, Height: 60}, Measured{TreeRows: 50})
	p.batch(0, batch)
	if len(p.m.Causes()) > 0 || len(p.found) != 1 {
		t.Fatalf("%d causes are shown, %d explanations are under way", len(p.m.Causes()), len(p.found))
	}
	// What comes meanwhile waits for the next one.
	gone := batch.Objects[0]
	p.keys("down")
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: gone.ID, UID: gone.UID}}})
	if len(p.found) != 1 {
		t.Fatalf("%d explanations at a time", len(p.found))
	}
	old := p.found[0]
	p.send(old)
	if got := ids(p.m.Causes()); !slices.Equal(got, want[:causesShown]) || p.m.MoreCauses() != len(want)-causesShown {
		t.Errorf("%d causes are shown and %d more told", len(got), p.m.MoreCauses())
	}
	p.send(ClockTicked{at(time.Minute)})
	if p.found = p.found[1:]; len(p.found) != 1 {
		t.Fatalf("%d explanations of what came meanwhile", len(p.found))
	}
	runs := p.m.x.runs
	if p.send(old); p.m.x.runs != runs {
		t.Error("an answer to an older question is taken")
	}
	if p.explained(); p.m.x.runs == runs {
		t.Error("the answer is not taken")
	}
}

// While the children are on their way, a parent's dates are taken for the
// cause's. A replay, which has them all at once, would not agree.
func TestACausesBeginningIsNoGuessOnceEverythingIsKnown(t *testing.T) {
	w := &world{opt: &Options{}, now: t0}
	x := &explaining{shown: newShown()}
	since := func(begin time.Duration) time.Duration {
		list := []Cause{{ID: "crash", Since: at(begin)}}
		x.show(w, list)
		return x.causes[0].Since.Sub(t0)
	}
	since(-time.Minute)
	x.settled = true
	if got := since(-time.Second); got != -time.Second {
		t.Errorf("once all is known it lasts since %v", got)
	}
	if got := since(0); got != -time.Second {
		t.Errorf("then the earliest counts, not %v", got)
	}
	// What a recording remembers is no guess.
	x = &explaining{shown: newShown()}
	x.recall(t0, []feed.Began{{ID: "crash", Found: ago(t0, at(-time.Hour)), Since: ago(t0, at(-time.Hour))}})
	if got := since(0); got != -time.Hour {
		t.Errorf("remembered, it lasts since %v", got)
	}
}
