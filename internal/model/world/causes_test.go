package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// showing is what shows these causes, and has for ever.
func showing(causes ...explain.Cause) *Causes {
	x := &Causes{shown: newShown()}
	w := New(Options{Screen: true})
	x.show(w, causes)
	return x
}

func TestACauseStaysForAMomentAfterItHasGone(t *testing.T) {
	web := aDeployment()
	n := &Node{ID: &web.ID, Object: web, past: noPast, Assess: &status.Assessment{Status: status.InProgress}}
	w := New(Options{Now: began, Screen: true})
	w.Tree.Nodes[*n.ID] = n
	cause := func(id string, class explain.Class) explain.Cause {
		return explain.Cause{ID: id, Class: class, Blocks: []object.ID{web.ID}}
	}
	crash, pull := cause("crash", explain.Action), cause("pull", explain.Action)
	wait := cause("wait", explain.Waits)
	x := showing(crash, pull, wait)
	step := func(after time.Duration, fresh []explain.Cause, want ...string) {
		t.Helper()
		w.Tree.Now = at(after)
		x.show(w, fresh)
		var got []string
		for _, c := range x.Causes {
			got = append(got, c.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %s: %v, want %v", after, got, want)
		}
	}
	step(0, []explain.Cause{pull}, "crash", "pull")
	step(time.Second, []explain.Cause{pull, crash}, "pull", "crash")
	step(2*time.Second, []explain.Cause{pull}, "pull", "crash")
	step(3*time.Second, nil, "pull", "crash")
	step(4*time.Second, nil, "pull")
	// What was kept from Current is Current: nothing is left to explain.
	n.Assess.Status = status.Current
	step(4500*time.Millisecond, nil)
	if len(x.known) > 0 {
		t.Errorf("still held: %v", x.known)
	}
}

func TestACauseThatHasHealedIsStruckThroughForTenSeconds(t *testing.T) {
	web := aDeployment()
	n := &Node{ID: &web.ID, Object: web, past: noPast, Assess: &status.Assessment{Status: status.InProgress}}
	w := New(Options{Now: began, Screen: true})
	w.Tree.Nodes[*n.ID] = n
	x := showing()
	step := func(after time.Duration, fresh ...explain.Cause) {
		w.Tree.Now = at(after)
		x.show(w, fresh)
	}
	struck := func() (out []string) {
		for _, c := range x.Of(n) {
			if !c.Healed.IsZero() {
				out = append(out, c.ID)
			}
		}
		return out
	}
	crash := explain.Cause{ID: "crash", Class: explain.Action, Blocks: []object.ID{web.ID}}
	blink := explain.Cause{ID: "blink", Class: explain.Action, Blocks: []object.ID{web.ID}}
	step(0, crash)
	step(5*time.Second, crash, blink)
	n.Assess.Status = status.Current
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
	if got := struck(); len(got) > 0 || len(x.Causes) != 1 {
		t.Errorf("it is back, and still struck through: %v", got)
	}
}

func TestACauseThatBecomesASymptomIsNotHeld(t *testing.T) {
	web := aDeployment()
	n := &Node{ID: &web.ID, Object: web, past: noPast, Assess: &status.Assessment{Status: status.Failed}}
	w := New(Options{Now: began, Screen: true})
	w.Tree.Nodes[*n.ID] = n
	late := explain.Cause{ID: "late", Code: "ProgressDeadlineExceeded", Class: explain.Action, Blocks: []object.ID{web.ID}, Objects: []object.ID{web.ID}}
	x := showing(late)
	pull := explain.Cause{ID: "pull", Code: "ImageNotFound", Class: explain.Action, Blocks: []object.ID{web.ID}, Symptoms: []explain.Symptom{{Ref: web.ID, Code: late.Code}}}
	x.show(w, []explain.Cause{pull})
	if len(x.Causes) != 1 || len(x.Healed) > 0 {
		t.Errorf("held %v, healed %v", x.Causes, x.Healed)
	}
}

func TestCausesDoNotJump(t *testing.T) {
	w := New(Options{Now: began, Screen: true})
	x := showing()
	x.settled = true
	step := func(after time.Duration, fresh string, want string) {
		t.Helper()
		w.Tree.Now = at(after)
		var list []explain.Cause
		for _, id := range fresh {
			class := explain.Action
			if id == 'w' {
				class = explain.Waits
			}
			list = append(list, explain.Cause{ID: string(id), Class: class})
		}
		x.show(w, list)
		var got strings.Builder
		for _, c := range x.Causes {
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
	w := New(Options{Now: began, Screen: true})
	x := showing()
	x.settled = true
	step := func(since time.Duration) time.Time {
		list := []explain.Cause{{ID: "crash", Since: at(since)}}
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

// While the children are on their way, a parent's dates are taken for the
// cause's. A replay, which has them all at once, would not agree.
func TestTheSinceOfACauseIsExactOnceEverythingIsKnown(t *testing.T) {
	w := New(Options{Now: began, Screen: true})
	x := &Causes{shown: newShown()}
	since := func(begin time.Duration) time.Duration {
		list := []explain.Cause{{ID: "crash", Since: at(begin)}}
		x.show(w, list)
		return x.Causes[0].Since.Sub(began)
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
	x = &Causes{shown: newShown()}
	x.Recall(began, []feed.Began{{ID: "crash", Found: ago(began, at(-time.Hour)), Since: ago(began, at(-time.Hour))}})
	if got := since(0); got != -time.Hour {
		t.Errorf("remembered, it lasts since %v", got)
	}
}

// While the first answers come in, what explains a large set leaves the cores to them.
func TestALargeSetIsExplainedMoreSeldomUntilItIsKnown(t *testing.T) {
	x, w := NewCauses(), New(Options{Now: began})
	if d := x.every(w); d != explainEvery {
		t.Errorf("at first every %v", d)
	}
	x.took = 50 * time.Millisecond
	if d := x.every(w); d != 2*time.Second {
		t.Errorf("while it comes in every %v, want 2 s", d)
	}
	if x.settled = true; x.every(w) != 500*time.Millisecond {
		t.Errorf("then every %v, want 500 ms", x.every(w))
	}
	for i := range 20000 {
		w.Tree.node(&object.ID{Kind: "Pod", Name: fmt.Sprint(i)})
	}
	if x.took = 0; x.every(w) != 200*time.Millisecond {
		t.Errorf("twenty thousand nodes every %v, want 200 ms", x.every(w))
	}
}

func TestAnAnswerFromBeforeAJumpIsDropped(t *testing.T) {
	var needs []explain.Need
	for i := range 20 {
		needs = append(needs, explain.Need{ID: object.ID{Group: "apps", Kind: "ReplicaSet", Name: fmt.Sprint(i)}, Template: true})
	}
	before, after := New(Options{Now: at(time.Minute)}), New(Options{Now: began})
	old, now := before.Readings.Read(needs[:1]), after.Readings.Read(needs[:1])
	for range 3 {
		after.Readings.Answer(old[0], Text{}, nil)
	}
	if _, known := after.Readings.template(needs[0].ID); known {
		t.Error("the answer from before the jump is taken")
	}
	if more := after.Readings.Read(needs); len(more) != readsAtOnce-1 {
		t.Errorf("%d are read beside the first", len(more))
	}
	after.Readings.Answer(now[0], Text{}, nil)
	if _, known := after.Readings.template(needs[0].ID); !known {
		t.Error("the answer is not taken")
	}
}

// A source of children reads a whole namespace and hands on only what belongs under something
// followed: that an object is not among them proves nothing.
func TestASourceOfChildrenIsNoCompleteList(t *testing.T) {
	l := Sources{States: map[string]feed.SourceState{}}
	deployments := edges.Need{Group: "apps", Kind: "Deployment", Namespace: "shop"}
	state := feed.SourceState{Group: "apps", Kind: "Deployment", Namespace: "shop", Phase: feed.Live, Children: true}
	l.States["deployments.apps -n shop (children)"] = state
	if l.lists(deployments) {
		t.Error("a source of children counts as a complete list")
	}
	l.States["reference deployments.apps -n shop"] = state
	if !l.lists(deployments) {
		t.Error("a reference to the kind does not count as a complete list")
	}
}

// That a list which an explanation has looked up is complete is part of the causes, also if its objects
// came with an earlier batch, or it has none.
func TestACompleteListIsExplained(t *testing.T) {
	w := New(Options{Now: began})
	for _, c := range []struct {
		key  string
		want bool
	}{{"reference pods -n shop", true}, {"pods -n other (children)", false}} {
		state := feed.SourceState{Key: c.key, Kind: "Pod", Namespace: "shop", Phase: feed.Syncing, Children: true}
		w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{state}})
		w.Tree.Unexplained = false
		state.Phase = feed.Live
		w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{state}})
		if w.Tree.Unexplained != c.want {
			t.Errorf("%s: the causes are found again: %v", c.key, w.Tree.Unexplained)
		}
	}
}

// The Pods on a node are known by a list of them, or of all Pods of the cluster.
func TestThePodsOnANodeAreKnownByAListOfThem(t *testing.T) {
	of := func(selector, namespace string) feed.SourceState {
		return feed.SourceState{Kind: "Pod", Namespace: namespace, Selector: selector, Phase: feed.Live, Children: true}
	}
	for _, c := range []struct {
		state    feed.SourceState
		key      string
		one, all bool // all Pods on n1, all Pods of the cluster
	}{
		{of("spec.nodeName=n1", ""), "reference pods", true, false},
		{of("spec.nodeName=n2", ""), "reference pods", false, false},
		{of("", "shop"), "reference pods -n shop", false, false},
		{of("", ""), "reference pods", true, true},
		{of("", ""), "pods (children)", false, false},
	} {
		c.state.Key = c.key
		l := Sources{States: map[string]feed.SourceState{c.key: c.state}}
		if one, all := l.allOnNode("n1"), l.lists(edges.Need{Kind: "Pod"}); one != c.one || all != c.all {
			t.Errorf("%s %q: all on the node %v, all %v", c.key, c.state.Selector, one, all)
		}
		if c.one && !c.all && l.hasAnswered(edges.Need{Kind: "Pod", Namespace: "shop"}) {
			t.Errorf("%s %q answers for the Pods of a namespace", c.key, c.state.Selector)
		}
	}
}

// A Pod that is followed is not stale because the Pods on some node may not be read.
func TestWhatIsLookedUpMakesNothingStale(t *testing.T) {
	w := New(Options{Now: began})
	n := w.Tree.node(&object.ID{Kind: "Pod", Namespace: "shop", Name: "web"})
	n.Object = &object.Object{ID: *n.ID}
	refused := feed.SourceState{Key: "reference pods", Kind: "Pod", Selector: "spec.nodeName=n1", Phase: feed.Forbidden, Children: true}
	w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{refused}})
	if w.Sources.Stale(n) {
		t.Error("it is stale")
	}
	refused.Key, refused.Selector = "pods", ""
	w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{refused}})
	if !w.Sources.Stale(n) {
		t.Error("without its own source it is not stale")
	}
}

// What a source delivers only in part stays wanted: what it leaves out would be wanted, and not, in turns,
// without end.
func TestAReferenceIsLeftToACompleteSource(t *testing.T) {
	pods := object.ID{Kind: "Pod", Namespace: "shop"}
	state := feed.SourceState{Kind: "Pod", Phase: feed.Live}
	for _, c := range []struct {
		name    string
		change  func(*feed.SourceState)
		follows bool
	}{
		{"all of the kind", func(*feed.SourceState) {}, true},
		{"all of the namespace", func(s *feed.SourceState) { s.Namespace = "shop" }, true},
		{"of a saved cluster that may have had more", func(s *feed.SourceState) { s.Partial = true }, false},
		{"what belongs under something", func(s *feed.SourceState) { s.Children = true }, false},
		{"the reference itself", func(s *feed.SourceState) { s.Key, s.Children = "reference pods", true }, false},
	} {
		w := New(Options{Now: began})
		s := state
		s.Key = "pods"
		c.change(&s)
		w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{s}})
		if got := w.follows(pods); got != c.follows {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A refusal of what an explanation has looked up is part of the causes: they are found
// again, whatever arrives first.
func TestARefusalIsExplained(t *testing.T) {
	w := New(Options{Now: began})
	w.Tree.Unexplained = false
	secret := feed.SourceState{Key: "reference secrets", Kind: "Secret", Resource: "secrets", Namespace: "shop", Phase: feed.Forbidden}
	w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{secret}})
	if !w.Tree.Unexplained {
		t.Error("the causes stay as they were")
	}
	w.Tree.Unexplained = false
	w.Apply(&feed.Batch{At: began, Sources: []feed.SourceState{secret}})
	if w.Tree.Unexplained {
		t.Error("nothing has changed, and the causes are found again")
	}
}
