package model

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Faults that users reported of other terminal programs and lists.

// many is a set of n Deployments, all Current.
func many(n int) (b feed.Batch) {
	b.Synced = true
	for i := range n {
		o := deployment(fmt.Sprintf("d%02d", i), 2)
		b.Objects, b.Roots = append(b.Objects, o), append(b.Roots, root(o))
	}
	return b
}

// derailed/k9s#3614, #3613: ":pod" went to PodDisruptionBudgets, or to PodMetrics.
// derailed/k9s#2539: ":depl" was no command, though one resource begins so.
func TestAResourceNameMeansThatResource(t *testing.T) {
	for typed, want := range map[string]string{
		"pod": "kind=pod", "pods": "kind=pod", "pdb": "kind=poddisruptionbudget", "depl": "kind=deployment", "deploy": "kind=deployment",
		"poddis": "kind=poddisruptionbudget",
	} {
		p := screen(t)
		_, b := bazaar()
		for _, kind := range []string{"PodDisruptionBudget", "PodMetrics"} {
			o := exists(kind, "x")
			b.Objects, b.Roots = append(b.Objects, o), append(b.Roots, root(o))
		}
		p.batch(0, b)
		p.keys(":")
		p.send(tea.PasteMsg{Content: typed})
		if p.keys("enter"); filterOf(p) != want {
			t.Errorf(":%s filters by %q, want %q", typed, filterOf(p), want)
		}
	}
	// A command's own name comes first.
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys(":")
	p.send(tea.PasteMsg{Content: "rep"})
	if p.keys("enter"); filterOf(p) != "" || p.m.Keyboard.Input().Value() != "report " {
		t.Errorf(":rep filters by %q, types %q", filterOf(p), p.m.Keyboard.Input().Value())
	}
}

// derailed/k9s#1457: at the end of a list the cursor went one row back after a
// second. kbterm/kubeterm#44: a list jumped to its top when data came.
func TestTheCursorStaysWhileDataComes(t *testing.T) {
	for _, key := range []string{"G", "pgdown"} {
		p := screen(t)
		b := many(60)
		p.batch(0, b)
		p.keys("Z", key)
		sel, at := p.m.Tree.Selected()
		top := p.m.Tree.Top()
		for i := range 20 {
			p.send(ClockTicked{t0.Add(time.Duration(i+1) * time.Second)})
			p.batch(time.Duration(i+1)*time.Second, feed.Batch{Objects: []*object.Object{again(b.Objects[i], func(*object.Object) {})}})
		}
		if now, row := p.m.Tree.Selected(); now != sel || row != at || p.m.Tree.Top() != top {
			t.Errorf("%s: on row %d of a window from %d, was on row %d from %d", key, row, p.m.Tree.Top(), at, top)
		}
	}
}

// tuiwidgets/tuiwidgets#1: the selected row left the window when rows came above it.
func TestTheSelectedRowStaysInSightWhenRowsComeAboveIt(t *testing.T) {
	p := screen(t)
	b := many(60)
	p.batch(0, b)
	p.keys("Z", "down", "down")
	sel, _ := p.m.Tree.Selected()
	later := feed.Batch{}
	for _, o := range b.Objects[20:55] {
		later.Objects = append(later.Objects, again(o, func(o *object.Object) { o.Workload.Available = object.IntOf(0) }))
	}
	p.batch(10*time.Second, later)
	seen := false
	for r := range p.m.Tree.InSight(20) {
		seen = seen || r.Selected
	}
	if now, at := p.m.Tree.Selected(); now != sel || !seen {
		t.Errorf("%v on row %d is selected, in sight: %v; it was %v", now, at, seen, sel)
	}
}

// derailed/k9s#3080: another format of times took the search away.
// derailed/k9s#3106: "/" did not recall the text that was searched for.
func TestASearchStaysWhileTheFormatOfTimesChanges(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("4", "tab", "/")
	p.send(tea.PasteMsg{Content: "error"})
	p.keys("enter", "i")
	if got := p.m.Panes.SearchText().Text; got != "error" {
		t.Errorf("the search is %q", got)
	}
	if p.keys("/"); p.m.Keyboard.Input().Value() != "error" {
		t.Errorf("/ recalls %q", p.m.Keyboard.Input().Value())
	}
}

// davidbudnick/redis-tui#64: a filter could not contain the keys that quit and show the
// help. mptre/pick#45: what is typed fast was lost.
func TestEveryKeyCanBeTypedIntoAFilter(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	typed := "sidekiq?. :jG5yn"
	p.keys("/")
	for _, r := range typed {
		p.m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	if got := p.m.Keyboard.Input().Value(); got != typed || p.m.Keyboard.Mode() != Filtering {
		t.Errorf("typed %q, the filter is %q", typed, got)
	}
}

// ProxymanApp/Proxyman#409: where the newest stand first, the selection moved with each
// arrival. RobG66/Gamelist-Manager#44: another order left the selected row out of sight.
func TestTheSelectionStaysOnItsObjectInEveryOrder(t *testing.T) {
	p := screen(t)
	b := many(60)
	p.batch(0, b)
	p.keys("Z", "G")
	sel, _ := p.m.Tree.Selected()
	for i := range 12 {
		p.keys([]string{"s", "S"}[i%2])
		o := deployment(fmt.Sprintf("new%02d", i), 1)
		p.batch(time.Duration(10*(i+1))*time.Second, feed.Batch{Synced: true, Objects: []*object.Object{o}, Roots: append(b.Roots, root(o))})
		b.Roots = append(b.Roots, root(o))
		seen := false
		for r := range p.m.Tree.InSight(p.m.Tree.window) {
			seen = seen || r.Selected && r.Key == sel
		}
		if now, _ := p.m.Tree.Selected(); now != sel || !seen {
			t.Errorf("order %d: %v is selected, in sight %v; it was %v", i, now, seen, sel)
		}
	}
}

// derailed/k9s#1080: what was pasted by mistake ran as keys, one of which opened an
// editor.
func TestAPasteWhereNothingIsTypedDoesNothing(t *testing.T) {
	for _, focus := range []string{"", "tab", "5", "?"} {
		p := screen(t)
		_, b := bazaar()
		p.batch(0, b)
		p.keys("j")
		if focus != "" {
			p.keys(focus)
		}
		sel, _ := p.m.Tree.Selected()
		mode, pane, settings := p.m.Keyboard.Mode(), p.m.Panes.Pane(), fmt.Sprint(p.m.Tree.Settings())
		p.send(tea.PasteMsg{Content: "eiq:quit\r\nukdS4zZ/\x1b[A\x03"})
		now, _ := p.m.Tree.Selected()
		if now != sel || p.m.Keyboard.Mode() != mode || p.m.Panes.Pane() != pane || fmt.Sprint(p.m.Tree.Settings()) != settings || p.m.Display.Flash() != "" {
			t.Errorf("after %q: it did something: %v, mode %d, pane %d, %q", focus, now, p.m.Keyboard.Mode(), p.m.Panes.Pane(), p.m.Display.Flash())
		}
	}
}

// derailed/k9s#334, kite-org/kite#303: when other Pods went or came, the selection was on
// the row that had the place of the selected one. derailed/k9s#947: what was selected was
// still so after it had gone.
func TestTheSelectionIsOfAnObjectNotOfAPlace(t *testing.T) {
	p := screen(t)
	web := deployment("web", 6)
	rs := replicaSet(web, "7c88b", 6)
	pods := make([]*object.Object, 6)
	b := feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web, rs}, Synced: true}
	for i := range pods {
		pods[i] = pod(rs, fmt.Sprintf("p%d", 2*i), []string{"ImagePullBackOff", "CrashLoopBackOff", ""}[i%3])
		b.Objects = append(b.Objects, pods[i])
	}
	p.batch(0, b)
	p.keys("Z", "g")
	for range 20 {
		if sel, _ := p.m.Tree.Selected(); sel.ID == pods[3].ID {
			break
		}
		p.keys("j")
	}
	want := rows.Key{ID: pods[3].ID}
	for i, step := range []feed.Batch{
		{Gone: []feed.Gone{{ID: pods[0].ID, UID: pods[0].UID}}},
		{Objects: []*object.Object{pod(rs, "p1", "CrashLoopBackOff"), pod(rs, "p5", "")}},
		{Gone: []feed.Gone{{ID: pods[5].ID, UID: pods[5].UID}, {ID: pods[1].ID, UID: pods[1].UID}}},
	} {
		p.batch(time.Duration(i+1)*10*time.Second, step)
		if sel, _ := p.m.Tree.Selected(); sel != want {
			t.Fatalf("step %d: %v is selected, want %v", i, sel, want)
		}
	}
	p.batch(time.Minute, feed.Batch{Gone: []feed.Gone{{ID: pods[3].ID, UID: pods[3].UID}}})
	sel, at := p.m.Tree.Selected()
	if n := p.m.Facts.World.Tree.Nodes[sel.ID]; n == nil || n.Object == nil || at < 0 || at >= p.m.Tree.RowCount() {
		t.Errorf("row %d is selected, %v, which is gone", at, sel)
	}
}
