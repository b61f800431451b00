package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// rowsOf are the rows as they are drawn, by name.
func rowsOf(p *play) map[string]rows.Row {
	out := map[string]rows.Row{}
	for r := range p.m.Tree.InSight(100) {
		out[r.Name] = r
	}
	return out
}

// broken is a Deployment whose Pods cannot pull their image, and what explains it.
func broken(pods int) (b feed.Batch, cause explain.Cause) {
	d := deployment("web", 0)
	rs := replicaSet(d, "1", 0)
	b = feed.Batch{Synced: true, Roots: []feed.Root{root(d)}, Objects: []*object.Object{d, rs}}
	cause = explain.Cause{
		ID: "1", Code: "ImageNotFound", Title: "tag 2 does not exist",
		Class: explain.Action, Certainty: explain.Proven, Count: pods,
		Blocks: []object.ID{rs.ID, d.ID},
	}
	for i := range pods {
		x := pod(rs, fmt.Sprintf("p%02d", i), "ErrImagePull")
		b.Objects = append(b.Objects, x)
		if cause.Subject.ID.IsZero() {
			cause.Subject.ID = x.ID
		}
		if len(cause.Objects) < 50 {
			cause.Objects = append(cause.Objects, x.ID)
		}
	}
	return b, cause
}

// A reason such as ReplicasUnavailable is a code. The row says what is wrong.
func TestARowNamesItsCause(t *testing.T) {
	b, image := broken(2)
	quota := explain.Cause{
		ID: "2", Code: "QuotaExceeded", Title: "quota q: pods 2 of 2 used",
		Class: explain.Action, Certainty: explain.Proven, Count: 1,
		Subject: explain.Subject{ID: object.ID{Kind: "ResourceQuota", Namespace: "shop", Name: "q"}}, Blocks: image.Blocks,
	}
	causes := []explain.Cause{image, quota}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
	p.send(rowsOn(120, 40))
	p.batch(0, b)
	p.batch(time.Second, feed.Batch{})
	for name, want := range map[string]struct{ carried, more int }{"Deployment/web": {2, 1}, "ReplicaSet/web-1": {2, 1}, "Pod/web-1-p00": {0, 0}} {
		r := rowsOf(p)[name]
		if r.Cause != image.Title || r.Carried != want.carried || r.MoreCauses != want.more {
			t.Errorf("%s: %q of %d, and %d more; want %+v", name, r.Cause, r.Carried, r.MoreCauses, want)
		}
	}
	causes = []explain.Cause{quota}
	p.batch(5*time.Second, feed.Batch{Objects: []*object.Object{again(b.Objects[2], func(o *object.Object) { o.Pod.Containers[0].State.Message = "no such tag" })}})
	p.batch(10*time.Second, feed.Batch{})
	if r := rowsOf(p)["Deployment/web"]; r.Cause != quota.Title || r.Carried != 1 {
		t.Errorf("of another object: %q of %d", r.Cause, r.Carried)
	}
}

func TestARowNamesNoCauseThatIsNotProvenOrOnlyWaitedFor(t *testing.T) {
	for name, change := range map[string]func(*explain.Cause){
		"likely":         func(c *explain.Cause) { c.Certainty = explain.Likely },
		"waits":          func(c *explain.Cause) { c.Class = explain.Waits },
		"blocks nothing": func(c *explain.Cause) { c.Blocks = nil },
	} {
		b, c := broken(1)
		change(&c)
		p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return []explain.Cause{c} }})
		p.send(rowsOn(120, 40))
		p.batch(0, b)
		p.batch(time.Second, feed.Batch{})
		for _, r := range rowsOf(p) {
			if r.Cause != "" {
				t.Errorf("%s: %s: %q", name, r.Name, r.Cause)
			}
		}
	}
}

// A cause lists fifty objects and counts all.
func TestEveryPodOfACauseNamesIt(t *testing.T) {
	b, c := broken(60)
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return []explain.Cause{c} }})
	p.send(rowsOn(120, 100))
	p.batch(0, b)
	p.batch(time.Second, feed.Batch{})
	p.keys("Z")
	pods := 0
	for name, r := range rowsOf(p) {
		if strings.HasPrefix(name, "Pod/") {
			pods++
			if r.Cause != c.Title {
				t.Errorf("%s: %q", name, r.Cause)
			}
		}
	}
	if r := rowsOf(p)["Deployment/web"]; r.Carried != 60 || pods < 60 && rowsOf(p)["60 Pods"].Cause != c.Title {
		t.Errorf("%d Pods; of the Deployment's it has %d", pods, r.Carried)
	}
}

// What a row says can be filtered for, as soon as it says it.
func TestAFilterFindsTheCauseOfARow(t *testing.T) {
	for text, want := range map[string]int{"tag": 3, "reason~exist": 3, "!tag": 0} {
		b, c := broken(1)
		var causes []explain.Cause
		p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return causes }})
		p.send(rowsOn(120, 40))
		p.batch(0, b)
		p.m.Tree.setFilter(text)
		p.send(ClockTicked{p.m.Facts.Now()})
		causes = []explain.Cause{c}
		p.batch(5*time.Second, feed.Batch{Objects: []*object.Object{again(b.Objects[2], func(o *object.Object) { o.Pod.Containers[0].State.Message = "no such tag" })}})
		p.batch(10*time.Second, feed.Batch{})
		if got := p.rows(); len(got) != want {
			t.Errorf("%s: %q, want %d rows", text, got, want)
		}
	}
}
