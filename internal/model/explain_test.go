package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestTheCausesAtTheEndAreThoseOfTheLastBatch(t *testing.T) {
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
	if len(p.m.Facts.Causes()) != 1 {
		t.Fatalf("causes %v of a pod that is not ready", p.m.Facts.Causes())
	}
	p.batch(time.Second, feed.Batch{Synced: true, Answered: p.wants.Gen}) // everything that was wished for has come
	set(time.Second+50*time.Millisecond, "True", "2")                     // too early to be explained
	if v := p.m.Facts.Verdict().Status; v != status.Current || len(p.m.Facts.Causes()) != 1 {
		t.Fatalf("%s with the causes %v: there is nothing to see here", v, p.m.Facts.Causes())
	}
	if m := p.m.Explained(); len(m.Facts.Causes()) != 0 || m.Facts.Verdict().Status != status.Current {
		t.Errorf("at the end: %s with the causes %v", m.Facts.Verdict().Status, m.Facts.Causes())
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
	ids := func(causes []explain.Cause) (out []string) {
		for _, c := range causes {
			out = append(out, c.ID)
		}
		return out
	}
	headless := newPlay(t, Options{Judge: status.Assess})
	headless.batch(0, batch)
	want := ids(headless.m.Facts.Causes())
	if len(want) < pods {
		t.Fatalf("%d causes of %d pods", len(want), pods)
	}

	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	p.send(rowsOn(200, 50))
	p.batch(0, batch)
	if len(p.m.Facts.Causes()) > 0 || len(p.found) != 1 {
		t.Fatalf("%d causes are shown, %d explanations are under way", len(p.m.Facts.Causes()), len(p.found))
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
	if got := ids(p.m.Facts.Causes()); !slices.Equal(got, want[:200]) || p.m.Facts.MoreCauses() != len(want)-200 {
		t.Errorf("%d causes are shown and %d more told", len(got), p.m.Facts.MoreCauses())
	}
	p.send(ClockTicked{at(time.Minute)})
	if p.found = p.found[1:]; len(p.found) != 1 {
		t.Fatalf("%d explanations of what came meanwhile", len(p.found))
	}
	runs := p.m.Facts.Found.Runs
	if p.send(old); p.m.Facts.Found.Runs != runs {
		t.Error("an answer to an older question is taken")
	}
	if p.explained(); p.m.Facts.Found.Runs == runs {
		t.Error("the answer is not taken")
	}
}

// To copy what is nearly all Current takes as long as to explain it.
func TestAFewProblemsOfManyObjectsAreExplainedAtOnce(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	p.send(rowsOn(200, 50))
	batch, pods := city(100)
	p.batch(0, batch)
	p.explained()
	broken := func(n int) (b feed.Batch) {
		for _, o := range pods[:n] {
			b.Objects = append(b.Objects, again(o, func(o *object.Object) { o.Pod.Phase, o.Pod.Reason = "Failed", "Evicted" }))
		}
		return b
	}
	runs := p.m.Facts.Found.Runs
	if p.batch(time.Minute, broken(10)); len(p.found) != 0 || p.m.Facts.Found.Runs != runs+1 {
		t.Errorf("ten: %d explanations beside the loop, %d on it", len(p.found), p.m.Facts.Found.Runs-runs)
	}
	if p.batch(2*time.Minute, broken(500)); len(p.found) != 1 {
		t.Errorf("five hundred: %d explanations beside the loop", len(p.found))
	}
}

func TestAnExplanationFromBeforeAJumpIsNotTakenAfterIt(t *testing.T) {
	p := jumper(t)
	batch := feed.Batch{Synced: true}
	for i := range world.InlineMost + 1 {
		o := pod(deployment("web", 1), fmt.Sprint(i), "ImagePullBackOff")
		o.Owners = nil
		batch.Roots, batch.Objects = append(batch.Roots, root(o)), append(batch.Objects, o)
	}
	p.batch(time.Minute, batch)
	there := batch
	there.Jump = &feed.Jump{Anew: true}
	p.batch(0, there)
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{again(batch.Objects[0], func(*object.Object) {})}})
	if len(p.found) != 2 {
		t.Fatalf("%d explanations beside the loop, want one before the jump and one after", len(p.found))
	}
	runs := p.m.Facts.Found.Runs
	if p.send(p.found[0]); p.m.Facts.Found.Runs != runs {
		t.Error("the one from before is taken")
	}
	if p.send(p.found[1]); p.m.Facts.Found.Runs == runs {
		t.Error("the one from after is not taken")
	}
}

// Every explanation looks at each Service, which takes little where one of its
// endpoints is ready.
func TestAnExplanationAllocatesLittleForAServiceWithEndpoints(t *testing.T) {
	const services = 200
	batch, _ := city(services)
	p := newPlay(t, Options{Screen: true})
	p.batch(0, batch)
	if got := testing.AllocsPerRun(5, func() { p.m.Facts.World.Explanation() }) / services; got > 6 {
		t.Errorf("%.0f allocations for a Service", got)
	}
}
