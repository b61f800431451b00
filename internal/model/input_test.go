package model

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestFiltersKeepTheMatchingRows(t *testing.T) {
	for filter, want := range map[string]string{
		"":                            "web rs p1 p2 api",
		"2xk":                         "web rs p1",
		"status=failed":               "web rs p1 p2",
		"status=fail kind=pod":        "web rs p1 p2",
		"status!=failed kind=deploy":  "api",
		"kind=deployment !api":        "web",
		"kind=deployments":            "web api",
		"reason~image ns=shop":        "web rs p1 p2",
		"name~9qd,2xk":                "web rs p1 p2",
		"age<10m kind=Pod name~2xk":   "web rs p1",
		"age>1h":                      "",
		"-l app=web":                  "",
		"status=":                     "web rs p1 p2 api", // still being typed
		"nothing-like-this":           "",
		"w7c":                         "web rs p1 p2", // the beginnings of web-7c88b
		"w9":                          "web rs p2",
		"wx":                          "",
		"KIND=POD":                    "web rs p1 p2 api",
		"status=current kind=service": "",
	} {
		t.Run(filter, func(t *testing.T) {
			p := screen(t)
			web, rs, p1, p2, api, b := shop()
			p.batch(time.Second, b)
			p.keys("down", "/")
			p.send(tea.PasteMsg{Content: filter})
			names := map[object.ID]string{web.ID: "web", rs.ID: "rs", p1.ID: "p1", p2.ID: "p2", api.ID: "api"}
			var got []string
			for _, r := range p.m.Tree.Rows(0, p.m.Tree.RowCount()) {
				if n := names[r.Key.ID]; n != "" {
					got = append(got, n)
				}
			}
			wanted := strings.Fields(want)
			slices.Sort(got)
			slices.Sort(wanted)
			if diff := cmp.Diff(wanted, got); diff != "" && len(got)+len(wanted) > 0 {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFilterThatHidesTheSelectionGivesItBack(t *testing.T) {
	p := screen(t)
	_, _, _, p2, _, b := shop()
	p.batch(0, b)
	p.keys("down", "down", "down")
	if k, _ := p.m.Tree.Selected(); k.ID != p2.ID {
		t.Fatalf("selected %v", k)
	}
	p.keys("/", "2", "x", "k")
	if k, _ := p.m.Tree.Selected(); k.ID == p2.ID {
		t.Fatal("the filter does not hide it")
	}
	p.keys("esc")
	if k, _ := p.m.Tree.Selected(); k.ID != p2.ID || filterOf(p) != "" || p.m.Keyboard.Mode() != Browsing {
		t.Errorf("after the filter: %v selected, filter %q", k, filterOf(p))
	}
}

func TestADeletedObjectThatAFilterHidIsNeverSelected(t *testing.T) {
	p := screen(t)
	d1, d2 := deployment("d1", 2), deployment("d2", 2)
	d1.UID, d2.UID = "uid-1", "uid-2"
	p.batch(0, feed.Batch{Objects: []*object.Object{d1, d2}, Roots: []feed.Root{{ID: d1.ID}, {ID: d2.ID}}, Synced: true})
	p.keys("down")
	if k, _ := p.m.Tree.Selected(); k.ID != d2.ID {
		t.Fatalf("selected %v", k)
	}
	p.keys("/", "d", "1")
	p.batch(5*time.Second, feed.Batch{Roots: []feed.Root{{ID: d2.ID, Removed: true}}, Gone: []feed.Gone{{ID: d2.ID, UID: d2.UID}}})
	p.keys("esc")
	if k, _ := p.m.Tree.Selected(); k.ID != d1.ID {
		t.Fatalf("with d2 gone, %v is selected", k)
	}
	again := deployment("d2", 2)
	again.UID = "uid-3"
	p.batch(20*time.Second, feed.Batch{Objects: []*object.Object{again}, Roots: []feed.Root{{ID: again.ID}}})
	if k, _ := p.m.Tree.Selected(); k.ID != d1.ID {
		t.Errorf("d2 came back and took the selection: %v", k)
	}
}

func TestThePreviousLogMovesOnWithTheCrashLoop(t *testing.T) {
	p := screen(t)
	_, _, p1, _, _, b := shop()
	p.batch(0, b)
	crash := func(restarts int64) *object.Object {
		return again(p1, func(o *object.Object) {
			o.Pod.Containers[0].State.Reason, o.Pod.Containers[0].Restarts = "CrashLoopBackOff", restarts
		})
	}
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{crash(3)}})
	p.send(RowClicked{rows.Key{ID: p1.ID}})
	p.keys("l")
	gen := p.m.Panes.logs.Pane.Gen
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{crash(3)}})
	if !p.m.Panes.logs.Pane.Shown().Key.Previous || p.m.Panes.logs.Pane.Gen != gen {
		t.Fatalf("nothing has happened, and the log is read again: %+v", p.m.Panes.logs.Pane.Shown())
	}
	p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{crash(4)}})
	if !p.m.Panes.logs.Pane.Shown().Key.Previous || p.m.Panes.logs.Pane.Gen == gen {
		t.Error("another crash, and the log is that of the one before")
	}
	p.keys("p", "p")
	gen = p.m.Panes.logs.Pane.Gen
	p.batch(9*time.Second, feed.Batch{Objects: []*object.Object{crash(5)}})
	if p.m.Panes.logs.Pane.Gen != gen {
		t.Error("what the user chose was replaced")
	}
}

func TestALogThatCannotBeReadIsRequestedAgain(t *testing.T) {
	p := screen(t)
	_, _, p1, _, _, b := shop()
	p.batch(0, b)
	p.send(RowClicked{rows.Key{ID: p1.ID}})
	p.keys("l")
	p.send(logs.Arrived{Gen: p.m.Panes.logs.Pane.Gen, Key: p.m.Panes.logs.Pane.Shown().Key, Err: errors.New("container is waiting to start")})
	if l := p.m.Panes.logs.Pane.Shown(); l.Err == nil || l.Ended {
		t.Fatalf("after an error: %+v", l)
	}
	p.send(ClockTicked{at(time.Second)})
	if p.m.Panes.logs.Pane.Streams[0].Reading {
		t.Error("asked again at once")
	}
	_, cmd := p.m.Update(ClockTicked{at(3 * time.Second)})
	if !p.m.Panes.logs.Pane.Open() || cmd == nil {
		t.Error("not asked again")
	}
	p.send(logs.Arrived{Gen: p.m.Panes.logs.Pane.Gen, Key: p.m.Panes.logs.Pane.Shown().Key, Chunk: feed.LogChunk{Lines: []feed.LogLine{{Text: "up"}}, Cursor: 1}})
	if l := p.m.Panes.logs.Pane.Shown(); l.Err != nil || len(l.Lines) != 1 {
		t.Errorf("after it could be read: %+v", l)
	}
}

func TestTheLogOfAServiceIsThatOfAPodItPointsAt(t *testing.T) {
	p := screen(t)
	_, _, p1, _, _, b := shop()
	svc := &object.Object{ID: id("", "Service", "front"), UID: "uid-svc"}
	slice := &object.Object{
		ID: id("discovery.k8s.io", "EndpointSlice", "front-1"), UID: "uid-slice",
		Owners:    []object.Owner{{UID: "uid-svc", Kind: "Service", Name: "front", Controller: true}},
		Endpoints: &object.Endpoints{Service: "front", Endpoints: []object.Endpoint{{Target: p1.ID, TargetUID: p1.UID}}},
	}
	b.Objects = append(b.Objects, svc, slice)
	b.Roots = append(b.Roots, feed.Root{ID: svc.ID})
	p.batch(0, b)
	p.send(RowClicked{rows.Key{ID: svc.ID}})
	if r, _ := p.m.Tree.Selected(); r.ID != svc.ID {
		p.keys("Z")
		p.send(RowClicked{rows.Key{ID: svc.ID}})
	}
	p.keys("4")
	if l := p.m.Panes.logs.Pane.Shown(); l.Key.Pod != p1.ID {
		t.Errorf("%+v of %v", l, p.m.Panes.logs.Pane.Of)
	}
}

func TestABadFilterIsExplained(t *testing.T) {
	p := screen(t)
	p.keys("/")
	p.send(tea.PasteMsg{Content: "age<soon"})
	if p.m.Tree.Settings().Filter.Err == nil {
		t.Error("nothing is said about age<soon")
	}
}

func TestNextProblemOpensItsParents(t *testing.T) {
	web, rs, p1, _, _, b := shop()
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause {
		return []explain.Cause{{ID: "1", Class: explain.Action, Title: "trouble", Blocks: []object.ID{p1.ID}}}
	}})
	p.send(rowsOn(120, 20))
	p.batch(0, b)
	p.keys("g", "left") // fold the Deployment
	if n := p.m.Tree.RowCount(); n != 2 {
		t.Fatalf("%d rows, want 2", n)
	}
	p.keys("n")
	if k, _ := p.m.Tree.Selected(); k.ID != p1.ID {
		t.Errorf("selected %v, want the first failing pod", k.ID)
	}
	if diff := cmp.Diff([]object.ID{web.ID, rs.ID, p1.ID}, p.m.Facts.Path(p1.ID)); diff != "" {
		t.Errorf("path (-want +got):\n%s", diff)
	}
}

func TestAFrozenScreenStaysAndCountsTheUpdatesThatWait(t *testing.T) {
	p := screen(t)
	web, _, _, _, _, b := shop()
	p.batch(0, b)
	p.keys(".")
	before := p.rows()
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}})
	if diff := cmp.Diff(before, p.rows()); diff != "" {
		t.Errorf("the picture moved (-before +after):\n%s", diff)
	}
	if on, missed := p.m.Intake.Paused(); !on || missed != 1 {
		t.Errorf("paused %v, missed %d", on, missed)
	}
	p.keys(".")
	if slices.Equal(before, p.rows()) {
		t.Error("it does not go on")
	}
}

func TestThePanesOfAFrozenPictureStayToo(t *testing.T) {
	p := screen(t)
	web, _, p1, _, _, b := shop()
	p.batch(0, b)
	p.keys(".")
	type shown struct {
		Selected   object.ID
		Resource   known.Resource
		Pod        known.Resource
		Path       []object.ID
		Conditions []known.Condition
		Causes     []explain.Cause
		History    []world.Transition
		Known      int
	}
	look := func() (s shown) {
		if n := p.m.Tree.selectedNode(); n != nil {
			s.Selected = *n.ID
		}
		s.Resource, _ = p.m.Facts.Resource(web.ID)
		s.Pod, _ = p.m.Facts.Resource(p1.ID)
		s.Path, s.Conditions, s.Causes = p.m.Facts.Path(p1.ID), p.m.Facts.ConditionsOf(web.ID), p.m.Facts.CausesOf(web.ID)
		s.History, s.Known = timelineOf(p.m).Entries, p.m.Facts.Known()
		return s
	}
	before := look()
	if before.Selected != web.ID || before.Pod.Parent == (object.ID{}) || len(before.Path) != 3 {
		t.Fatalf("nothing to freeze: %+v", before)
	}
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}, {ID: p1.ID, UID: p1.UID}}})
	if diff := cmp.Diff(before, look(), cmpopts.IgnoreUnexported(status.Assessment{})); diff != "" {
		t.Errorf("the panes moved (-before +after):\n%s", diff)
	}
	p.keys(".")
	if after := look(); after.Pod.Assessment.Status == before.Pod.Assessment.Status {
		t.Errorf("they do not go on: the pod is %s", after.Pod.Assessment.Status)
	}
}

func TestKeysForTheTerminalAreBubbleTeasCommands(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	p.told = nil
	p.keys("c", "ctrl+l", "ctrl+z", "q")
	want := []Msg{tea.SetClipboard("web")(), tea.ClearScreen(), tea.SuspendMsg{}, tea.QuitMsg{}}
	if !slices.Equal(p.told, want) {
		t.Errorf("it gave %v, want %v", p.told, want)
	}
}

func TestASavedReportShowsItsPath(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	p.keys("ctrl+s")
	name := "kstatus-tui-" + t0.Local().Format("20060102-150405") + ".md"
	if p.saved[name] != "a report as md" {
		t.Errorf("saved %q, want %s", p.saved, name)
	}
	n := p.m.Facts.Notices()
	if len(n) == 0 || n[len(n)-1].Text != "saved /tmp/"+name || !n[len(n)-1].At.Equal(t0) {
		t.Errorf("told: %+v", n)
	}
}

func TestQClosesAWindowOrPaneAndQuitsFromTheTree(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		p := screen(t)
		_, _, _, _, _, b := shop()
		p.batch(0, b)
		opened := []string{"?", "4", "enter", "5"}
		if key == "ctrl+c" { // in a text q is a letter
			opened = append(opened, "/", ":")
		}
		for _, opens := range opened {
			p.send(tea.WindowSizeMsg{Width: 80, Height: 24})
			p.told = nil
			p.keys(opens, key)
			if quits := slices.Contains(p.told, Msg(tea.QuitMsg{})); quits != (key == "ctrl+c") {
				t.Errorf("%s, then %s: quits %v", opens, key, quits)
			}
			if m := p.m; key == "q" && (m.Keyboard.Mode() != Browsing || m.Panes.Focus() != FocusTree || m.Panes.PaneSize() != layout.Normal) {
				t.Errorf("%s is not closed by q", opens)
			}
			p.keys("esc")
		}
		if p.told = nil; key == "q" {
			if p.keys("q"); !slices.Contains(p.told, Msg(tea.QuitMsg{})) {
				t.Errorf("q does not quit from the tree: %v", p.told)
			}
		}
	}
}

func TestKeysCanBeChanged(t *testing.T) {
	m, _ := New(Options{Now: t0, Screen: true, Keys: map[Action][]string{Quit: {"ctrl+q"}, Help: {}}})
	if m.Keyboard.action(press("q")) != "" || m.Keyboard.action(press("ctrl+q")) != Quit || m.Keyboard.action(press("?")) != "" {
		t.Errorf("q: %q, ctrl+q: %q, ?: %q", m.Keyboard.action(press("q")), m.Keyboard.action(press("ctrl+q")), m.Keyboard.action(press("?")))
	}
}

func TestNoKeyMeansTwoThingsInOneContext(t *testing.T) {
	seen := map[Context]map[string]Action{}
	for _, b := range Bindings {
		for _, k := range b.Keys() {
			if seen[b.Context] == nil {
				seen[b.Context] = map[string]Action{}
			}
			if a, ok := seen[b.Context][k]; ok {
				t.Errorf("%s means %s and %s", k, a, b.Action)
			}
			seen[b.Context][k] = b.Action
		}
	}
}

func TestTheFailingContainersLogIsChosenAndAnOldAnswerDropped(t *testing.T) {
	p := screen(t)
	_, rs, p1, _, _, b := shop()
	crash := again(p1, func(o *object.Object) { o.Pod.Containers[0].State.Reason = "CrashLoopBackOff" })
	p.batch(0, b)
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{crash}})
	p.keys("n")
	p.send(RowClicked{rows.Key{ID: crash.ID}})
	p.keys("l")
	l := p.m.Panes.logs.Pane.Shown()
	if l.Key.Pod != crash.ID || l.Key.Container != "web" || !l.Key.Previous {
		t.Errorf("stream %+v, want the previous instance of web", l.Key)
	}
	p.send(ClockTicked{at(2 * time.Second)}) // these Wants are delayed
	if !slices.Contains(p.wants.Logs, l.Key) {
		t.Errorf("wanted logs: %v", p.wants.Logs)
	}
	gen := p.m.Panes.logs.Pane.Gen
	p.send(logs.Arrived{Gen: gen - 1, Chunk: feed.LogChunk{Lines: []feed.LogLine{{Text: "old"}}}})
	if len(p.m.Panes.logs.Pane.Shown().Lines) != 0 {
		t.Error("an answer to an older question was taken")
	}
	p.send(logs.Arrived{Gen: gen, Key: l.Key, Chunk: feed.LogChunk{Lines: []feed.LogLine{{Text: "panic"}}, Cursor: 1}})
	if got := p.m.Panes.logs.Pane.Shown().Lines; len(got) != 1 || got[0].Text != "panic" {
		t.Errorf("lines %v", got)
	}
	_ = rs
}

func TestAJudgementChangesWhenItsTimeHasCome(t *testing.T) {
	p := newPlay(t, Options{})
	d := deployment("web", 2)
	d.Annotations = []object.Label{{Key: "recheck", Value: "30s"}}
	p.batch(0, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d}, Synced: true})
	if v := p.m.Facts.Verdict().Status; v != status.InProgress {
		t.Fatalf("verdict %s", v)
	}
	if w := p.m.Intake.NextWake(); w.After(at(30 * time.Second)) {
		t.Errorf("the next wake is at %v", w)
	}
	p.send(ClockTicked{at(29 * time.Second)})
	if v := p.m.Facts.Verdict().Status; v != status.InProgress {
		t.Errorf("too early: %s", v)
	}
	p.send(ClockTicked{at(30 * time.Second)})
	if v := p.m.Facts.Verdict().Status; v != status.Failed {
		t.Errorf("in time: %s", v)
	}
}

func TestAForbiddenKindIsARowAndTheRestStays(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	b.Sources = []feed.SourceState{
		{Key: "d", Group: "apps", Kind: "Deployment", Resource: "deployments", Phase: feed.Live},
		{Key: "p", Kind: "Pod", Resource: "pods", Namespace: "shop", Phase: feed.Forbidden, Verb: "list", Children: true},
	}
	p.batch(0, b)
	rows := p.rows()
	if !slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, "cannot list pods in shop: forbidden") }) {
		t.Errorf("no row says what is hidden:\n%s", strings.Join(rows, "\n"))
	}
	if p.m.Facts.Connection().Link != world.LinkLive {
		t.Errorf("the connection is %s", p.m.Facts.Connection().Link)
	}
}

func TestCountsAndVerdictAgreeWithTheRowsWhileChildrenAreAwaited(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	p.late = true
	svc := &object.Object{ID: id("", "Service", "front"), UID: "uid-svc", Service: &object.Service{
		ClusterIP: "10.0.0.1", Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "front"}}},
	}}
	job := feed.Root{ID: id("batch", "Job", "migrate")}
	p.batch(0, feed.Batch{Objects: []*object.Object{svc}, Roots: []feed.Root{{ID: svc.ID}, job}, Absent: []object.ID{job.ID}, Synced: true})
	expect := func(want world.Counts, verdict status.Status) {
		t.Helper()
		counts := world.Counts{}
		for _, id := range p.m.Facts.Roots() {
			r, _ := p.m.Facts.Resource(id)
			counts[r.Assessment.Status]++
		}
		if !maps.Equal(counts, want) || !maps.Equal(p.m.Facts.Counts(), want) {
			t.Errorf("the rows are %v, the counts %v, want %v", counts, p.m.Facts.Counts(), want)
		}
		if v := p.m.Facts.Verdict().Status; v != verdict {
			t.Errorf("the verdict is %s, want %s", v, verdict)
		}
	}
	expect(world.Counts{status.Unknown: 1, status.NotFound: 1}, status.Unknown)
	if n := p.m.Facts.Assumed(); n != 0 {
		t.Errorf("%d are assumed", n)
	}
	p.batch(time.Second, feed.Batch{Synced: true, Answered: p.wants.Gen})
	expect(world.Counts{status.Current: 1, status.NotFound: 1}, status.InProgress)
}

func TestAGroupThatCannotBeDiscoveredLeavesTheVerdictUnknown(t *testing.T) {
	p := screen(t)
	web, _, _, _, _, b := shop()
	const said = "unable to retrieve the complete list of server APIs: example.com/v1: no server (503)"
	missing := feed.SourceState{Key: "discovery", Resource: "discovery", Mode: feed.ModeNone, Phase: feed.Stale, Error: said, Selects: true}
	b.Sources = append(b.Sources, missing)
	p.batch(0, b)
	if v := p.m.Facts.Verdict(); v.Unseen != said || v.Status == status.Current {
		t.Errorf("the verdict is %+v", v)
	}
	if list := strings.Join(p.rows(), "\n"); !strings.Contains(list, said+" - all of them hidden") {
		t.Errorf("no row says what is hidden:\n%s", list)
	}
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}, Synced: true})
	if p.m.Facts.Verdict().Gone {
		t.Error("what may not be seen is gone")
	}
	missing.Phase, missing.Error, missing.Selects = feed.Closed, "", false
	p.batch(2*time.Second, feed.Batch{Sources: []feed.SourceState{missing}, Synced: true})
	if v := p.m.Facts.Verdict(); v.Unseen != "" || strings.Contains(strings.Join(p.rows(), "\n"), said) {
		t.Errorf("when all is discovered: %+v", v)
	}
}

func TestAKindThatMayNotBeSeenLeavesTheVerdictUnknown(t *testing.T) {
	p := screen(t)
	web, _, _, _, _, b := shop()
	refused := feed.SourceState{Key: "c", Kind: "ConfigMap", Resource: "configmaps", Namespace: "shop", Phase: feed.Forbidden, Verb: "list", Selects: true}
	b.Sources = []feed.SourceState{refused}
	p.batch(0, b)
	const said = "cannot list configmaps in shop: forbidden"
	if v := p.m.Facts.Verdict(); v.Unseen != said || v.Status == status.Current {
		t.Errorf("the verdict is %+v", v)
	}
	if list := strings.Join(p.rows(), "\n"); !strings.Contains(list, said+" - all of them hidden") {
		t.Errorf("no row says what is hidden:\n%s", list)
	}
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}, Synced: true})
	if p.m.Facts.Verdict().Gone {
		t.Error("what may not be seen is gone")
	}
	granted := refused
	granted.Phase = feed.Live
	p.batch(2*time.Second, feed.Batch{Sources: []feed.SourceState{granted}, Synced: true})
	if v := p.m.Facts.Verdict(); v.Unseen != "" || strings.Contains(strings.Join(p.rows(), "\n"), said) {
		t.Errorf("after the right was granted: %+v", v)
	}
}

func TestARowReportsThatTheEndpointsOfAServiceMayNotBeListed(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	p.send(rowsOn(120, 20))
	svc := &object.Object{ID: id("", "Service", "front"), UID: "uid-svc", Service: &object.Service{
		ClusterIP: "10.0.0.1", Selector: object.Selector{Match: []object.Label{{Key: "app", Value: "front"}}},
	}}
	slices := feed.SourceState{
		Key: "s", Group: "discovery.k8s.io", Kind: "EndpointSlice", Resource: "endpointslices", Namespace: svc.ID.Namespace,
		Phase: feed.Forbidden, Verb: "list", Children: true,
	}
	p.batch(0, feed.Batch{Objects: []*object.Object{svc}, Roots: []feed.Root{{ID: svc.ID}}, Synced: true})
	p.batch(time.Second, feed.Batch{Sources: []feed.SourceState{slices}, Synced: true, Answered: p.wants.Gen})
	row := func() rows.Row { return p.m.Tree.Rows(0, 1)[0] }
	if r := row(); r.Status != status.Current || !r.Assumed || !strings.Contains(r.Message, "cannot be seen: cannot list endpointslices") {
		t.Fatalf("unseen: %+v", r)
	}
	ep := &object.Object{ID: id("", "Endpoints", "front"), UID: "uid-ep", Endpoints: &object.Endpoints{
		Service: "front", Endpoints: []object.Endpoint{{Addresses: 1}},
	}}
	live := feed.SourceState{Key: "e", Kind: "Endpoints", Resource: "endpoints", Namespace: svc.ID.Namespace, Name: "front", Phase: feed.Live, Children: true}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{ep}, Sources: []feed.SourceState{live}, Synced: true, Answered: p.wants.Gen})
	if r := row(); r.Status != status.InProgress || r.Assumed {
		t.Errorf("with its Endpoints, none of them ready: %+v", r)
	}
	ready := again(ep, func(o *object.Object) {
		o.Endpoints = &object.Endpoints{Service: "front", Endpoints: []object.Endpoint{{Addresses: 1, Ready: true}}}
	})
	p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{ready}})
	if r := row(); r.Status != status.Current || r.Assumed {
		t.Errorf("with its Endpoints: %+v", r)
	}
}

func TestScrollingGoesOnFromAMatch(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	long := &longPane{lines: make([]markup.Line, 100)}
	long.lines[60] = markup.Plain("the needle")
	p.m.Panes.all[PaneConditions] = long
	p.keys("2", "tab", "/")
	p.send(tea.PasteMsg{Content: "needle"})
	p.keys("enter")
	match := p.m.Panes.Scroll().Top
	if _, top := p.m.Panes.Content(); top != match || match < 41 || match > 60 {
		t.Fatalf("the match in line 60 is shown from line %d", top)
	}
	p.keys("down")
	if got := p.m.Panes.Scroll().Top; got != match+1 || !p.m.Panes.SearchText().Left {
		t.Errorf("one line below the match is line %d, left alone %t; want %d", got, p.m.Panes.SearchText().Left, match+1)
	}
	p.keys("n")
	if p.m.Panes.SearchText().Left {
		t.Error("n asks for the next match, which has to come into sight")
	}
}

func TestAHalfOpenPaneBelowTheTreeIsFilled(t *testing.T) {
	p := screen(t)
	p.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	p.keys("down", "5", "esc")
	if p.m.Panes.paneOpen() {
		t.Fatal("the tree alone is on the screen")
	}
	p.keys("+")
	if p.m.Panes.PaneSize() != layout.Half || !p.m.Panes.paneOpen() || !p.m.Panes.Detail().Loading {
		t.Errorf("size %v, open %t, detail %+v: want the pane to be filled", p.m.Panes.PaneSize(), p.m.Panes.paneOpen(), p.m.Panes.Detail())
	}
}

func TestTabCompletesTheTypedText(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	p.keys("/", "s", "t")
	if got := p.hints(); !strings.Contains(got, "tab complete") {
		t.Errorf("no completion in %q", got)
	}
	p.keys("tab", "f", "tab")
	if f := p.m.Tree.Settings().Filter; f.Text != "status=failed" || f.Err != nil {
		t.Errorf("the filter is %q (%v)", f.Text, f.Err)
	}
	p.keys(",", "u", "tab", " ", "k", "i", "tab", "p", "o", "tab")
	if f := p.m.Tree.Settings().Filter; f.Text != "status=failed,unknown kind=pod" || f.Err != nil {
		t.Errorf("the filter is %q (%v)", f.Text, f.Err)
	}
	p.keys("enter", "1", "tab", "/", "w", "e", "b", "enter", "/", "ctrl+u", "w", "tab")
	if got := p.m.Panes.SearchText().Text; got != "web" {
		t.Errorf("an earlier search is completed to %q", got)
	}
	p.keys("enter", "esc", "esc", ":", "s", "o", "r")
	if in := p.m.Keyboard.Input(); in.CurrentSuggestion() != "sort " {
		t.Errorf("sor may become %q", in.CurrentSuggestion())
	}
}

func TestTheHelpScrollsBackFromItsEnd(t *testing.T) {
	p := screen(t)
	p.keys("?")
	p.keys("end", "end")
	lines, at := p.m.Keyboard.Help()
	rows := p.m.Keyboard.helpRows()
	if at == 0 || at != len(lines)-rows {
		t.Fatalf("the end is line %d of %d", at, len(lines))
	}
	p.keys("up")
	if _, up := p.m.Keyboard.Help(); up != at-1 {
		t.Errorf("one line up from %d is %d", at, up)
	}
	p.keys("pgup")
	if _, up := p.m.Keyboard.Help(); up != at-1-(rows-1) {
		t.Errorf("a page of %d lines up from %d is %d", rows, at-1, up)
	}
}

// Of what is well, and in a cluster where nothing changes, too.
func TestTheEventsOfTheSelectedRowAreWanted(t *testing.T) {
	p := screen(t)
	one, two := exists("ConfigMap", "one"), exists("ConfigMap", "two")
	p.batch(0, feed.Batch{Roots: []feed.Root{root(one), root(two)}, Objects: []*object.Object{one, two}, Synced: true})
	p.keys("Z")
	for i, key := range []string{"g", "G", "g"} {
		p.keys(key)
		p.send(ClockTicked{at(time.Duration(i+1) * time.Second)}) // they are delayed
		if sel, _ := p.m.Tree.Selected(); !slices.Contains(p.wants.Events, sel.ID) {
			t.Errorf("%v is selected, events are wanted of %v", sel.ID, p.wants.Events)
		}
	}
}

func TestTheFocusIsNeverInAPaneThatIsNotOnTheScreen(t *testing.T) {
	p := screen(t)
	p.batch(0, trio())
	p.keys("tab")
	p.send(tea.WindowSizeMsg{Width: 100, Height: 36})
	if p.m.Panes.Focus() != FocusTree {
		t.Error("the screen has no room for the pane, and it has the focus")
	}
	p.keys("enter", "_", "_")
	if p.m.Panes.Focus() != FocusTree || p.m.Panes.PaneSize() != layout.Normal {
		t.Errorf("made as small as can be, it is of size %d, with focus %d", p.m.Panes.PaneSize(), p.m.Panes.Focus())
	}
	p.keys("?", "tab", "esc")
	if p.m.Panes.Focus() != FocusTree || p.m.Panes.PaneSize() != layout.Normal {
		t.Error("tab reaches through the help")
	}
}

func TestTheSelectedRowStaysSelectedWhenAnotherFails(t *testing.T) {
	p := screen(t)
	a, b := deployment("a", 1), deployment("b", 1)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(a), root(b)}, Objects: []*object.Object{a, b}, Synced: true})
	p.keys("enter")
	was, _ := p.m.Tree.Selected()
	rs := replicaSet(b, "1", 1)
	p.batch(10*time.Second, feed.Batch{Objects: []*object.Object{rs, pod(rs, "x", "ImagePullBackOff")}})
	if is, _ := p.m.Tree.Selected(); is != was {
		t.Errorf("reading of %s, and suddenly of %s", was.ID, is.ID)
	}
}

func TestTheMouseMovesTheSelectionAsKeysDo(t *testing.T) {
	p := screen(t)
	p.batch(0, trio())
	p.keys("f")
	first, _ := p.m.Tree.Selected()
	p.send(Scrolled{Over: FocusTree, Lines: 3})
	second, _ := p.m.Tree.Selected()
	if first == second || p.m.Tree.Following() {
		t.Errorf("the wheel over the tree goes from %s to %s, following: %v", first.ID, second.ID, p.m.Tree.Following())
	}
	p.batch(10*time.Second, feed.Batch{})
	p.send(RowClicked{first})
	if p.m.Tree.lastKey != at(10*time.Second) {
		t.Error("rows may move under the next click")
	}
}

// Whatever the library makes of a key while text is typed, the program goes on,
// and what is drawn of it can be read.
func TestNoKeyEndsTheProgramWhileTextIsTyped(t *testing.T) {
	keys := []string{
		"a", "b", " ", "é", "up", "down", "left", "right", "home", "end", "tab", "backspace", "delete",
		"ctrl+p", "ctrl+n", "ctrl+a", "ctrl+e", "ctrl+b", "ctrl+f", "ctrl+k", "ctrl+u", "ctrl+w", "ctrl+d", "ctrl+h", "ctrl+v",
		"alt+b", "alt+f", "alt+d", "alt+backspace", "alt+delete", "ctrl+left", "ctrl+right", "alt+left", "alt+right",
	}
	for _, begin := range [][]string{{"/"}, {":"}, {"1", "tab", "/"}, {"5", "tab", "/"}} {
		for _, first := range [][]string{{}, {"a", "b", "left"}, {"a", " ", "b", "left", "left"}, {"z", "home"}} {
			for _, key := range keys {
				for _, again := range keys[4:13] {
					p := screen(t)
					_, _, _, _, _, b := shop()
					p.batch(time.Second, b)
					p.keys(begin...)
					p.keys(first...)
					p.keys(key, again)
					input := p.m.Keyboard.Input()
					_, _ = input.CurrentSuggestion(), p.m.Keyboard.completion()
				}
			}
		}
	}
}

func TestInvisibleTextIsNotTyped(t *testing.T) {
	p := screen(t)
	p.keys("/")
	p.send(tea.PasteMsg{Content: "a\u202eb\nc\x1b[2J"})
	p.send(tea.KeyPressMsg{Code: '\u202e', Text: "\u202e"})
	if got := p.m.Keyboard.Input(); got.Value() != "ab c[2J" {
		t.Errorf("%q is typed", got.Value())
	}
}
