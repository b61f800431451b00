package model

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// bazaar is a set that spans two namespaces and two kinds: one thing fails.
func bazaar() (bad *object.Object, b feed.Batch) {
	config := func(ns, name string, created time.Duration) *object.Object {
		return &object.Object{
			ID:      object.ID{Kind: "ConfigMap", Namespace: ns, Name: name},
			Version: "v1", UID: "uid-" + ns + name, Created: at(created),
		}
	}
	bad = deployment("web", 0)
	rs := replicaSet(bad, "1", 0)
	objects := []*object.Object{
		config("tools", "zebra", -time.Hour), config("shop", "beta", -2*time.Hour), config("shop", "alpha", -3*time.Hour), bad, deployment("api", 2),
	}
	b = feed.Batch{Synced: true, Objects: append(objects, rs, pod(rs, "1", "ImagePullBackOff"))}
	for i, o := range objects {
		b.Roots = append(b.Roots, feed.Root{ID: o.ID, Order: i + 1})
	}
	return bad, b
}

func (p *play) shows(want ...string) {
	p.t.Helper()
	var got []string
	for _, r := range p.rows() {
		got = append(got, strings.TrimRight(r[1:], " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestGroupsStandWithTheWorstFirst(t *testing.T) {
	p := screen(t)
	p.send(rowsOn(120, 3)) // not all rows fit
	_, b := bazaar()
	p.batch(0, b)
	p.keys("b")
	p.shows(
		"- shop Failed",
		"  - Deployment/web Failed » ImagePullBackOff ×1",
		"    - ReplicaSet/web-1 Failed » ImagePullBackOff ×1",
		"      Pod/web-1-1 Failed",
		"  + 3 more Current Current",
		"+ tools Current",
	)
	p.keys("b")
	p.shows(
		"- Deployment Failed",
		"  - Deployment/web Failed » ImagePullBackOff ×1",
		"    - ReplicaSet/web-1 Failed » ImagePullBackOff ×1",
		"      Pod/web-1-1 Failed",
		"  Deployment/api Current",
		"+ ConfigMap Current",
	)
	p.keys("b")
	p.shows(
		"- Failed Failed",
		"  - Deployment/web Failed » ImagePullBackOff ×1",
		"    - ReplicaSet/web-1 Failed » ImagePullBackOff ×1",
		"      Pod/web-1-1 Failed",
		"+ Current Current",
	)
	if rows := p.m.Tree.Rows(4, 1); rows[0].Note != "4" {
		t.Errorf("the group says %q", rows[0].Note)
	}
	p.keys("b", "b", "b")
	if g := p.m.Tree.Settings().Group; g != rows.GroupNone {
		t.Errorf("after all of them: %s", g)
	}
}

func TestAGroupByCauseHoldsTheObjectsThatItBlocks(t *testing.T) {
	bad, b := bazaar()
	p := newPlay(t, Options{Screen: true, Group: rows.GroupCause, Explain: func() []explain.Cause {
		return []explain.Cause{{ID: "1", Title: "the image is gone", Blocks: []object.ID{bad.ID}}}
	}})
	p.send(rowsOn(120, 20))
	p.batch(0, b)
	p.send(ClockTicked{at(3 * time.Second)}) // causes are found after the rows
	p.send(ClockTicked{at(4 * time.Second)})
	p.shows(
		"- the image is gone Failed",
		"  - Deployment/web Failed » ImagePullBackOff ×1",
		"    - ReplicaSet/web-1 Failed » ImagePullBackOff ×1",
		"      Pod/web-1-1 Failed",
		"+ no cause Current",
	)
}

func TestAGroupFoldsByHandAndOpensForAProblem(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("b", "g", "space")
	p.shows("+ shop Failed", "+ tools Current")
	p.keys("n")
	if k, _ := p.m.Tree.Selected(); k.ID.Kind != "Deployment" {
		t.Errorf("the next problem is %v", k)
	}
	p.keys("right", "right", "h", "h", "h")
	if k, _ := p.m.Tree.Selected(); k.Kind != rows.Object || k.ID.Kind != "Deployment" {
		t.Errorf("selected %v", k)
	}
}

func TestRowsAreSortedAmongTheirSiblings(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("Z", "s") // unfolded, by name
	p.shows(
		"ConfigMap/alpha Current", "Deployment/api Current", "ConfigMap/beta Current",
		"- Deployment/web Failed » ImagePullBackOff ×1",
		"  - ReplicaSet/web-1 Failed » ImagePullBackOff ×1",
		"    Pod/web-1-1 Failed",
		"ConfigMap/zebra Current",
	)
	p.keys("S")
	if rows := p.rows(); !strings.Contains(rows[0], "zebra") {
		t.Errorf("turned round:\n%s", strings.Join(rows, "\n"))
	}
	p.keys("S", "s", "s") // by kind, by age
	p.shows(
		"- Deployment/web Failed » ImagePullBackOff ×1",
		"  - ReplicaSet/web-1 Failed » ImagePullBackOff ×1",
		"    Pod/web-1-1 Failed",
		"Deployment/api Current",
		"ConfigMap/zebra Current", "ConfigMap/beta Current", "ConfigMap/alpha Current",
	)
	if s := p.m.Tree.Settings(); s.Sort != rows.SortAge || s.Reversed {
		t.Errorf("sorted by %s %v", s.Sort, s.Reversed)
	}
}

func TestASelectionSurvivesEveryArrangement(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("down", "down")
	want, _ := p.m.Tree.Selected()
	for _, k := range []string{"b", "b", "b", "b", "b", "s", "s", "s", "S", "s", "s"} {
		p.keys(k)
		if got, i := p.m.Tree.Selected(); got != want || i < 0 || !p.m.Tree.Rows(i, 1)[0].Selected {
			t.Fatalf("after %q: %v is selected, want %v", k, got, want)
		}
	}
}

// hold is an inventory with three members, and an object without one.
func hold() (app *object.Object, b feed.Batch) {
	app = &object.Object{ID: id("argoproj.io", "Application", "shop"), UID: "uid-app", ResourceVersion: "1", Created: t0}
	d, cm, job := deployment("web", 2), &object.Object{ID: id("", "ConfigMap", "settings"), UID: "uid-cm"}, &object.Object{ID: id("batch", "Job", "migrate"), UID: "uid-job"}
	alone := &object.Object{ID: id("", "Service", "alone"), UID: "uid-svc"}
	cm.Annotations = []object.Label{{Key: "argocd.argoproj.io/sync-wave", Value: "-5"}}
	job.Annotations = []object.Label{{Key: "argocd.argoproj.io/hook", Value: "PreSync"}}
	d.Annotations = []object.Label{{Key: "argocd.argoproj.io/sync-wave", Value: "2"}}
	b = feed.Batch{Objects: []*object.Object{app, d, cm, job, alone}, Synced: true, Roots: []feed.Root{{ID: app.ID}, {ID: alone.ID}}}
	for _, o := range []*object.Object{d, cm, job} {
		b.Roots = append(b.Roots, feed.Root{ID: o.ID, In: app.ID, Inventory: "Application/shop"})
	}
	return app, b
}

func TestMembersOfAnInventoryAreGroupedByTheirWaves(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Group: rows.GroupWave})
	p.send(rowsOn(120, 20))
	_, b := hold()
	p.batch(0, b)
	p.shows(
		"- PreSync wave 0 Current",
		"  Job/migrate Current",
		"- wave -5 Current",
		"  ConfigMap/settings Current",
		"- wave 0 Current",
		"  Application/shop Current",
		"  Service/alone Current",
		"- wave 2 Current",
		"  Deployment/web Current",
	)
	p.keys("b")
	if g := p.m.Tree.Settings().Group; g != rows.GroupNone {
		t.Fatalf("after the last grouping comes %s", g)
	}
	if n := p.m.Tree.RowCount(); n != 3 && n != 2 {
		t.Errorf("ungrouped, members stand under their set again: %d rows", n)
	}
}

func TestDependenciesMakeWaves(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Group: rows.GroupWave})
	p.send(rowsOn(120, 20))
	first, second, third := deployment("first", 2), deployment("second", 2), deployment("third", 2)
	second.Annotations = []object.Label{{Key: "config.kubernetes.io/depends-on", Value: "apps/namespaces/shop/Deployment/first"}}
	third.Annotations = []object.Label{{Key: "config.kubernetes.io/depends-on", Value: "apps/namespaces/shop/Deployment/second, apps/namespaces/shop/Deployment/third"}}
	hook := deployment("hook", 2)
	hook.Annotations = []object.Label{{Key: "helm.sh/hook", Value: "pre-upgrade,pre-install"}, {Key: "helm.sh/hook-weight", Value: "3"}}
	p.batch(0, feed.Batch{
		Synced: true, Objects: []*object.Object{first, second, third, hook},
		Roots: []feed.Root{root(third), root(second), root(first), root(hook)},
	})
	p.shows(
		"- pre-upgrade hook, weight 3 Current",
		"  Deployment/hook Current",
		"- wave 0 Current",
		"  Deployment/first Current",
		"- wave 1 Current",
		"  Deployment/second Current",
		"- wave 2 Current",
		"  Deployment/third Current",
	)
}

// Rows do not move under the user's hand, but nothing is called Current that is not.
func TestAFoldedRowIsCountedWhenItIsNoLongerCurrent(t *testing.T) {
	p := screen(t)
	p.send(rowsOn(120, 3)) // not all rows fit
	var b feed.Batch
	for _, name := range []string{"a", "b", "c", "d"} {
		b.Objects = append(b.Objects, deployment(name, 2))
	}
	b.Objects = append(b.Objects, deployment("e", 0))
	for _, o := range b.Objects {
		b.Roots = append(b.Roots, root(o))
	}
	b.Synced = true
	p.batch(0, b)
	p.shows("Deployment/e InProgress", "+ 4 more Current Current")
	p.keys("down")
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{again(b.Objects[1], func(o *object.Object) { o.Workload.Available = object.IntOf(0) })}})
	p.shows("Deployment/e InProgress", "+ 3 more Current InProgress")
	p.batch(4*time.Second, feed.Batch{})
	p.shows("Deployment/b InProgress", "Deployment/e InProgress", "+ 3 more Current Current")
}

// A group may be longer than the window, into which its selected row is scrolled.
func TestTheHeaderOfTheSelectedRowsGroupIsInSight(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	for i := range 9 {
		more := deployment("more-"+strconv.Itoa(i), 2)
		b.Objects, b.Roots = append(b.Objects, more), append(b.Roots, root(more))
	}
	p.batch(0, b)
	p.send(rowsOn(120, 4))
	check := func(after string) {
		t.Helper()
		all := p.m.Tree.Rows(0, p.m.Tree.RowCount())
		key, at := p.m.Tree.Selected()
		for at > 0 && all[at].Depth > 0 {
			at--
		}
		seen := func(k rows.Key) bool {
			return slices.ContainsFunc(slices.Collect(p.m.Tree.InSight(4)), func(r rows.Row) bool { return r.Key == k })
		}
		header, grouped := all[at].Key, p.m.Tree.Settings().Group != rows.GroupNone
		if !seen(key) || grouped && (header.Kind != rows.Group || !seen(header)) {
			t.Errorf("by %s, after %s: %v is selected, in sight are %v", p.m.Tree.Settings().Group, after, key, slices.Collect(p.m.Tree.InSight(4)))
		}
	}
	p.keys("Z", "G", "k", "k", "k")
	for range rows.Groupings {
		p.keys("b")
		check("grouping")
		for _, k := range []string{"k", "k", "k", "k", "j", "pgdown", "pgup", "G", "k"} {
			p.keys(k)
			check(k)
		}
	}
}

func TestAHeaderAboveItsScrolledGroupCanBeClicked(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.send(rowsOn(120, 4))
	p.keys("Z", "b", "g", "j", "j", "j", "j", "j")
	header := slices.Collect(p.m.Tree.InSight(4))[0].Key
	if header.Kind != rows.Group || p.m.Tree.Top() == 0 {
		t.Fatalf("from row %d on there is %v", p.m.Tree.Top(), slices.Collect(p.m.Tree.InSight(4)))
	}
	p.send(RowClicked{header})
	if k, at := p.m.Tree.Selected(); k != header || p.m.Tree.Top() != at {
		t.Errorf("row %d, %v, is selected; the first in sight is %d", at, k, p.m.Tree.Top())
	}
}

// trio is three applications, each with a pod that fails.
func trio() (b feed.Batch) {
	for _, name := range []string{"a", "b", "c"} {
		d := deployment(name, 1)
		rs := replicaSet(d, "1", 1)
		b.Roots = append(b.Roots, root(d))
		b.Objects = append(b.Objects, d, rs, pod(rs, "x", "ImagePullBackOff"))
	}
	b.Synced = true
	return b
}

func TestNextProblemShowsTheRowsOfHiddenProblems(t *testing.T) {
	for _, test := range []struct {
		keys string
		want []string
	}{
		{"aa", []string{"a", "c", "b"}}, // only what was applied
		{"/kind=deploy name!=b\r", []string{"c", "a", "c"}},
		{"/name=zebra\r", []string{""}},
	} {
		p := screen(t)
		b := trio()
		for _, o := range b.Objects {
			if o.Pod != nil { // each has a cause of its own
				o.Pod.Containers[0].Image = o.ID.Name + ":1"
			}
		}
		p.batch(0, b)
		for _, key := range test.keys {
			p.keys(map[rune]string{'\r': "enter", ' ': "space"}[key] + strings.Trim(string(key), "\r "))
		}
		var got []string
		for range test.want {
			p.keys("n")
			k, _ := p.m.Tree.Selected()
			got = append(got, k.ID.Name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("after %q n goes to (-want +got), and says %q:\n%s", test.keys, p.m.Display.Flash(), diff)
		}
	}
}

// While rows are held, one that is folded with its Current siblings may fail.
func TestNextProblemOpensTheFoldOfCurrentRows(t *testing.T) {
	fine, bad := []*object.Object{deployment("a", 2), deployment("b", 2), deployment("c", 2)}, deployment("bad", 1)
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause {
		return []explain.Cause{
			{ID: "1", Class: explain.Action, Title: "trouble", Blocks: []object.ID{bad.ID}},
			{ID: "2", Class: explain.Action, Title: "more trouble", Blocks: []object.ID{fine[2].ID}},
		}
	}})
	p.send(rowsOn(120, 3)) // not all rows fit
	b := feed.Batch{Objects: append(fine, bad), Synced: true}
	for _, o := range b.Objects {
		b.Roots = append(b.Roots, root(o))
	}
	p.batch(0, b)
	p.send(ClockTicked{at(5 * time.Second)})
	p.keys("down")
	p.batch(5500*time.Millisecond, feed.Batch{Objects: []*object.Object{again(fine[2], func(o *object.Object) { o.Workload.Available = object.IntOf(0) })}})
	if got := p.rows(); len(got) != 2 {
		t.Fatalf("not folded: %q", got)
	}
	reached := false
	for range 2 {
		p.keys("n")
		k, _ := p.m.Tree.Selected()
		reached = reached || k.ID == fine[2].ID
	}
	if !reached {
		t.Errorf("%s, and never there: %q", p.m.Display.Flash(), p.rows())
	}
}

// Rows of one status stand in the order of the causes that are problems, so that headline, first row
// and selection agree. In a rollout on its way the first cause is another one every few seconds:
// what is merely waited for moves no row.
func TestUntilARowIsChosenThatOfTheFirstCauseIsSelected(t *testing.T) {
	b := trio()
	causes := make([]explain.Cause, 3)
	for i := range b.Roots {
		causes[i] = explain.Cause{ID: b.Roots[i].ID.Name, Title: b.Roots[i].ID.Name, Blocks: []object.ID{b.Roots[i].ID}}
	}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return slices.Clone(causes) }})
	now := time.Duration(0)
	for _, step := range []struct {
		rows  int // of the window
		first int // cause
		class explain.Class
		key   string
		want  string
	}{
		{rows: 9, first: 0, want: "a"},
		{rows: 9, first: 2, want: "c"},
		{rows: 3, first: 2, want: "c"}, // it stays when the pane becomes larger,
		{rows: 3, first: 0, want: "a"},
		{rows: 3, first: 1, want: "b"},
		{rows: 9, first: 1, want: "b"},
		{rows: 9, first: 2, class: explain.Waits, want: "a"},
		{rows: 9, first: 1, want: "b"},
		{rows: 9, first: 1, key: "k", want: "b"},
		{rows: 9, first: 2, want: "b"},
	} {
		if now == 0 {
			p.batch(0, b)
		}
		causes[0], causes[step.first] = causes[step.first], causes[0]
		for i := range causes {
			causes[i].Class = step.class
		}
		p.send(rowsOn(120, step.rows))
		if step.key != "" {
			p.keys(step.key)
		}
		for range 5 { // causes change their order after two seconds
			now += time.Second
			p.send(ClockTicked{at(now)})
			p.m.Facts.World.Tree.Unexplained = true
		}
		k, at := p.m.Tree.Selected()
		if !strings.HasPrefix(k.ID.Name, step.want) || at < p.m.Tree.Top() || at >= p.m.Tree.Top()+step.rows || step.rows == 9 && p.m.Tree.Top() != 0 {
			t.Errorf("%+v: %v is selected, row %d from %d on", step, k.ID, at, p.m.Tree.Top())
		}
		if step.class != explain.Waits && p.m.Tree.Rows(0, 1)[0].Key.ID.Name != causes[0].Title {
			t.Errorf("%+v: the first row is %v", step, p.m.Tree.Rows(0, 1)[0].Key)
		}
		told, of := p.m.Tree.Headline()
		if step.class != explain.Waits && told[0].Title != causes[0].Title {
			t.Errorf("%+v: the headline begins with %q", step, told[0].Title)
		}
		if of != 3 || len(told) != 3 || step.class == explain.Waits && told[0].Title != p.m.Facts.CausesOf(k.ID)[0].Title {
			t.Errorf("%+v: of %v the headline names %q, of %d", step, k.ID, told[0].Title, of)
		}
		causes[0], causes[step.first] = causes[step.first], causes[0]
	}
}
