package model

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestAKindIsFoundByItsShortName(t *testing.T) {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	rows := func(text string) int {
		p.m.Tree.setFilter(text)
		p.send(ClockTicked{p.m.Facts.Now()})
		return p.m.Tree.RowCount()
	}
	if short, long := rows("kind=deploy"), rows("kind=Deployment"); short == 0 || short != long {
		t.Errorf("%d rows by the short name, %d by the long one", short, long)
	}
	if got := rows("deploy/we"); got == 0 {
		t.Error("what a row shows finds nothing")
	}
	if got := rows("kind=dep"); got != 0 {
		t.Errorf("dep is no kind: %d rows", got)
	}
}

func TestOneLetterOfAStatusIsEnoughForAFilter(t *testing.T) {
	p := screen(t)
	web, db := deployment("web", 1), deployment("db", 2)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(web), root(db)}, Objects: []*object.Object{web, db}, Synced: true})
	for text, want := range map[string]string{"status=i": "web", "status!=i": "db", "status=f": ""} {
		p.m.Tree.setFilter(text)
		p.send(ClockTicked{p.m.Facts.Now()})
		if got := strings.Join(p.rows(), ";"); strings.Contains(got, "web") != (want == "web") ||
			strings.Contains(got, "db") != (want == "db") {
			t.Errorf("%s: %s, want %q", text, got, want)
		}
	}
}

func TestAFilterTakesLabelsAsKubectlDoes(t *testing.T) {
	p := screen(t)
	web := deployment("web", 2)
	web.Labels = []object.Label{{Key: "app", Value: "web"}, {Key: "tier", Value: "front"}}
	p.batch(0, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}, Synced: true})
	for text, want := range map[string]int{
		"app=web": 1, "app==web": 1, "app": 1, "app=web,": 1, "app=web,tier=front": 1, "app=web,tier=back": 0, "app=web,tier!=back": 1,
		"app!=web": 0, "zone!=a": 1, "app=db": 0,
	} {
		p.m.Tree.setFilter("-l " + text)
		p.send(ClockTicked{p.m.Facts.Now()})
		if got := p.m.Tree.RowCount(); got != want {
			t.Errorf("-l %s: %d rows, want %d", text, got, want)
		}
	}
}

// Its rows are built anew although neither the tree nor a status has changed.
func TestAFilterIsAppliedAgainWhenItsFieldsChange(t *testing.T) {
	for text, want := range map[string]int{"reason~image": 3, "message~registry": 3, "age<1m": 0} {
		p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return nil }})
		d := deployment("web", 1)
		rs := replicaSet(d, "1", 1)
		waits := pod(rs, "x", "ContainerCreating")
		p.batch(0, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d, rs, waits}, Synced: true})
		p.m.Tree.setFilter(text)
		p.send(ClockTicked{at(9 * time.Second)})
		p.batch(10*time.Second, feed.Batch{Objects: []*object.Object{again(waits, func(o *object.Object) {
			o.Pod.Containers[0].State.Reason, o.Pod.Containers[0].State.Message = "ImagePullBackOff", "no registry"
		})}})
		p.send(ClockTicked{at(2 * time.Minute)})
		if got := p.rows(); len(got) != want {
			t.Errorf("%s: %q, want %d rows", text, got, want)
		}
	}
}
