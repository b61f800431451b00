package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// failingAlike is a Deployment with n Pods that wait for the same reason, and one that
// waits for another.
func failingAlike(n int) (b feed.Batch, pods []*object.Object) {
	dep := deployment("web", 0)
	rs := replicaSet(dep, "1", 0)
	b = feed.Batch{Synced: true, Roots: []feed.Root{root(dep)}, Objects: []*object.Object{dep, rs}}
	for i := range n {
		p := pod(rs, fmt.Sprint("p", i), "CreateContainerConfigError")
		p.Pod.Containers[0].Restarts = 2
		pods = append(pods, p)
	}
	b.Objects = append(append(b.Objects, pods...), pod(rs, "other", "ImagePullBackOff"))
	return b, pods
}

func TestSiblingsWithTheSameFailureShareARow(t *testing.T) {
	for n, folded := range map[int]bool{3: false, 4: true, 200: true} {
		p := screen(t)
		b, pods := failingAlike(n)
		p.batch(0, b)
		p.batch(time.Second, feed.Batch{})
		text := strings.Join(p.rows(), "\n")
		if got := strings.Contains(text, fmt.Sprint("+ ", n, " Pods ")); got != folded {
			t.Errorf("%d Pods with one status and one cause, folded: %v\n%s", n, got, text)
		}
		if !strings.Contains(text, "Pod/web-1-other") {
			t.Errorf("one with another cause must have a row of its own:\n%s", text)
		}
		if !folded {
			continue
		}
		for _, r := range p.m.Tree.Rows(0, p.m.Tree.RowCount()) {
			if strings.HasPrefix(r.Name, fmt.Sprint(n)) && (r.Restarts != int64(2*n) || r.Ready != fmt.Sprint("0/", n) || r.Reason == "") {
				t.Errorf("the row has %d restarts, is ready %s, for the reason %q", r.Restarts, r.Ready, r.Reason)
			}
		}
		// One that is selected comes out, the others stay.
		p.m.Tree.reveal(p.m.Facts.World.Tree.Nodes[pods[1].ID])
		p.batch(2*time.Second, feed.Batch{})
		p.batch(9*time.Second, feed.Batch{})
		text = strings.Join(p.rows(), "\n")
		if n > 4 && (!strings.Contains(strings.ReplaceAll(text, " ", ""), ">Pod/web-1-p1") || !strings.Contains(text, fmt.Sprint("+ ", n-1, " Pods "))) {
			t.Errorf("the selected one has no row:\n%s", text)
		}
	}
}

func TestARowOfManyOpensAndCloses(t *testing.T) {
	p := screen(t)
	b, _ := failingAlike(6)
	p.batch(0, b)
	p.batch(time.Second, feed.Batch{})
	before := p.m.Tree.RowCount()
	for i, r := range p.m.Tree.Rows(0, before) {
		if strings.HasPrefix(r.Name, "6 Pods") {
			p.m.Tree.choose(i)
		}
	}
	if p.keys("enter"); p.m.Tree.RowCount() != before+6 {
		t.Errorf("%d rows, were %d:\n%s", p.m.Tree.RowCount(), before, strings.Join(p.rows(), "\n"))
	}
	if p.keys("left"); p.m.Tree.RowCount() != before {
		t.Errorf("%d rows, were %d:\n%s", p.m.Tree.RowCount(), before, strings.Join(p.rows(), "\n"))
	}
}

func TestCurrentRowsAreFoldedOnlyWhereNotAllRowsFit(t *testing.T) {
	p := screen(t)
	b := feed.Batch{Synced: true}
	for i := range 9 {
		ready := int64(2)
		if i == 4 {
			ready = 0
		}
		o := deployment(fmt.Sprint("d", i), ready)
		b.Objects, b.Roots = append(b.Objects, o), append(b.Roots, root(o))
	}
	p.batch(0, b)
	if p.m.Tree.RowCount() != 9 {
		t.Errorf("20 rows are free:\n%s", strings.Join(p.rows(), "\n"))
	}
	p.send(rowsOn(120, 8))
	p.batch(time.Second, feed.Batch{})
	if p.m.Tree.RowCount() != 2 {
		t.Errorf("nine rows do not fit into eight:\n%s", strings.Join(p.rows(), "\n"))
	}
	p.send(rowsOn(120, 9))
	p.batch(2*time.Second, feed.Batch{})
	if p.m.Tree.RowCount() != 9 {
		t.Errorf("nine rows fit into nine:\n%s", strings.Join(p.rows(), "\n"))
	}
}

// Problems come first: above a window that begins at the cursor they would not be
// seen.
func TestNewProblemsAreInSightWhileTheCursorIsOnTheFirstRow(t *testing.T) {
	p := screen(t)
	b := feed.Batch{Synced: true}
	for i := range 60 {
		o := deployment(fmt.Sprintf("d%02d", i), 2)
		b.Objects, b.Roots = append(b.Objects, o), append(b.Roots, root(o))
	}
	p.batch(0, b)
	p.keys("down", "up", "Z")
	later := feed.Batch{}
	for _, o := range b.Objects[40:45] {
		later.Objects = append(later.Objects, again(o, func(o *object.Object) { o.Workload.Available = object.IntOf(0) }))
	}
	p.batch(10*time.Second, later)
	if p.m.Tree.Top() != 0 {
		t.Errorf("the window begins at row %d, five new problems are above it", p.m.Tree.Top())
	}
	for r := range p.m.Tree.InSight(20) {
		if r.Name == "Deployment/d00" && !r.Selected {
			t.Error("the selection has left its object")
		}
	}
}

// Old ReplicaSets without Pods are history, which the Deployment's pane has with images
// and dates: one row, also where there is room for all.
func TestOldReplicaSetsWithoutPodsAreOneRow(t *testing.T) {
	p := screen(t)
	d := deployment("web", 2)
	objects := []*object.Object{d}
	for i, revision := range []string{"1", "2", "4", "6"} {
		rs := replicaSet(d, revision, 0)
		rs.Workload.Revision, rs.Created = revision, at(time.Duration(i)*time.Second)
		if revision == "6" {
			d.Workload.Revision = "6"
			rs.Workload.Ready, rs.Workload.Available = object.IntOf(2), object.IntOf(2)
		} else {
			rs.Workload.Replicas, rs.Workload.StatusReplicas = object.IntOf(0), object.IntOf(0)
		}
		objects = append(objects, rs)
	}
	p.batch(time.Minute, feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: objects})
	p.m.Tree.click(rows.Key{ID: d.ID})
	p.keys("right")
	if text := strings.Join(p.rows(), "\n"); !strings.Contains(text, "3 old ReplicaSets Current") || strings.Contains(text, "web-2") || !strings.Contains(text, "web-6") {
		t.Errorf("rows:\n%s", text)
	}
	p.keys("Z")
	if text := strings.Join(p.rows(), "\n"); !strings.Contains(text, "web-2") {
		t.Errorf("unfolded:\n%s", text)
	}
}
