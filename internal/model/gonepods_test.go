package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// warned is a Job whose Pod cannot be scheduled, and the events of both.
func warned(i int, now time.Time) (job, web *object.Object, events []object.Event) {
	job = &object.Object{
		ID: id("batch", "Job", fmt.Sprint("import", i)), Version: "v1", UID: fmt.Sprint("job", i), ResourceVersion: "1", Created: now,
		Generation: object.IntOf(1), Job: &object.Job{ActiveDeadline: object.IntOf(60), Active: object.IntOf(1), Started: now},
	}
	web = pod(job, "x", "")
	web.UID = fmt.Sprint("pod", i)
	web.Owners = owner(job)
	web.Pod.Phase, web.Pod.Containers = "Pending", nil
	event := func(uid string, of *object.Object, kind, reason, message string) object.Event {
		return object.Event{
			UID: fmt.Sprint(uid, i), About: of.ID, AboutUID: of.UID, Type: kind, Reason: reason, Message: message,
			First: now, Last: now, Count: 1,
		}
	}
	return job, web, []object.Event{
		event("made", job, "Normal", "SuccessfulCreate", "Created pod: "+web.Name),
		event("warned", web, "Warning", "FailedMount", `MountVolume.SetUp failed for volume "tmp" : secret "import-token" not found`),
	}
}

// The Job controller deletes the Pod of a Job that is past its deadline. What the Pod had
// reported says why, and was delivered while the Pod was there.
func TestTheEventsOfAPodThatIsGoneExplainItsJob(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	p.send(rowsOn(120, 20))
	job, web, events := warned(0, t0)
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(job)}, Objects: []*object.Object{job, web}, Events: events})
	over := at(time.Minute)
	failed := again(job, func(o *object.Object) {
		j := *o.Job
		j.Active, j.Failed = object.IntOf(0), object.IntOf(1)
		o.Job = &j
		o.Conditions = []object.Condition{{
			Statement:          &object.Statement{Type: "Failed", Status: "True", Reason: "DeadlineExceeded", Message: "Job was active longer than specified deadline"},
			LastTransitionTime: over,
		}}
	})
	p.batch(61*time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}, Objects: []*object.Object{failed}})
	p.send(ClockTicked{at(65 * time.Second)}, ClockTicked{at(70 * time.Second)})
	causes := p.m.Facts.Causes()
	if len(causes) != 1 || !strings.Contains(causes[0].Title, `its Pod reported`) || !strings.Contains(causes[0].Title, "import-token") {
		t.Errorf("%+v", causes)
	}

	// From the middle of a recording, too.
	m := p.m.Facts.World.Memory(p.seq)
	r := newPlay(t, Options{Screen: true, Judge: status.Assess, Recording: "test"})
	r.send(rowsOn(120, 20))
	jump(r, m, nil)
	if again := r.m.Facts.Causes(); len(again) != 1 || again[0].Title != causes[0].Title {
		t.Errorf("after a jump %+v", again)
	}

	// They are none of another Pod of that name.
	next := again(web, func(o *object.Object) { o.UID = "another" })
	p.batch(80*time.Second, feed.Batch{Objects: []*object.Object{next}})
	if n := p.m.Facts.World.Tree.Nodes[web.ID]; n == nil || len(p.m.Facts.World.Records.EventsOf(n)) > 0 {
		t.Errorf("a new Pod has the events of the old one")
	}
}

// They are bounded, and do not outlive an API server's.
func TestTheEventsOfPodsThatAreGoneAreDropped(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Judge: status.Assess})
	var pods []object.ID
	now := time.Duration(0)
	end := func(i int) {
		job, web, events := warned(i, at(now))
		p.batch(now, feed.Batch{Synced: true, Roots: []feed.Root{root(job)}, Objects: []*object.Object{job, web}, Events: events})
		for j := range 20 {
			e := events[1]
			e.UID += fmt.Sprint("-", j)
			p.batch(now, feed.Batch{Events: []object.Event{e}})
		}
		p.batch(now, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}})
		pods = append(pods, web.ID)
	}
	kept := func() (of, most int) {
		for _, id := range pods {
			if n := len(p.m.Facts.World.Snapshot().Events(id)); n > 0 {
				of, most = of+1, max(most, n)
			}
		}
		return of, most
	}
	for i := range 110 {
		end(i)
	}
	if of, most := kept(); of != 100 || most != 8 {
		t.Errorf("events of %d Pods are kept, up to %d", of, most)
	}
	now = 2 * time.Hour
	end(200)
	if of, _ := kept(); of != 1 {
		t.Errorf("two hours later those of %d Pods", of)
	}
}
