package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// reader is a feed that has logs and full objects.
type reader struct {
	feedStub
	logs    map[string][]string // pod, and "pod previous"
	details map[string]string
	asked   []string
	at      map[string]time.Time // of log lines; without one a line has no date
}

func (r *reader) Logs(_ context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	name := key.Pod.Name
	if key.Previous {
		name += " previous"
	}
	r.asked = append(r.asked, name)
	lines, ok := r.logs[name]
	if !ok {
		return feed.LogChunk{}, errors.New("previous terminated container not found")
	}
	if lines == nil {
		return feed.LogChunk{}, errors.New(`pods "web-1" is forbidden: User "dev" cannot get resource "pods/log" in API group "" in the namespace "shop"`)
	}
	c := feed.LogChunk{Cursor: uint64(len(lines)), Ended: true}
	for _, l := range lines[since:] {
		c.Lines = append(c.Lines, feed.LogLine{Text: l, At: r.at[l]})
	}
	return c, nil
}

func (r *reader) Detail(_ context.Context, id object.ID) (feed.Detail, error) {
	r.asked = append(r.asked, id.String())
	y, ok := r.details[id.Name]
	if !ok {
		return feed.Detail{}, errors.New("not found")
	}
	return feed.Detail{ID: id, YAML: y}, nil
}

// crashing is a Deployment whose new revision crashes beside an old one that
// works.
func crashing() (b feed.Batch, pods []*object.Object) {
	web := deployment("web", 1)
	old, fresh := replicaSet(web, "1", 1), replicaSet(web, "2", 0)
	fresh.Workload.Revision = "2"
	b = feed.Batch{Synced: true, Roots: []feed.Root{root(web)}, Objects: []*object.Object{web, old, fresh}}
	for _, s := range []string{"a", "b"} {
		p := pod(fresh, s, "CrashLoopBackOff")
		c := &p.Pod.Containers[0]
		c.Restarts = 3
		c.Prior = &object.ContainerState{Kind: "terminated", Reason: "Error", ExitCode: 1, Started: t0.Add(-2 * time.Minute), Finished: t0.Add(-time.Minute)}
		pods = append(pods, p)
		b.Objects = append(b.Objects, p)
	}
	return b, pods
}

// read answers what the model asks for until it asks no more.
func (p *play) read(r *reader, cmd tea.Cmd) {
	p.t.Helper()
	p.m.Intake.ask.feed = r
	todo := answers(cmd)
	for i := 0; len(todo) > 0; i++ {
		if i == 50 {
			p.t.Fatal("it asks for ever")
		}
		msg := todo[0]
		todo = todo[1:]
		switch msg.(type) {
		case CauseRead:
			var more tea.Cmd
			p.m, more = p.m.Update(msg)
			todo = append(todo, answers(more)...)
			p.m, more = p.m.Update(ClockTicked{p.m.Facts.Now().Add(time.Second)})
			todo = append(todo, answers(more)...)
		}
	}
}

func (p *play) take(b feed.Batch) tea.Cmd {
	p.seq++
	b.Seq, b.At = p.seq, t0
	m, cmds := p.m.Update(BatchArrived{b})
	p.m = m
	return cmds
}

func TestTheLogOfOneOfManyIsReadForACause(t *testing.T) {
	p := screen(t)
	r := &reader{
		feedStub: feedStub{p: p},
		logs:     map[string][]string{"web-2-a previous": {"starting", "fatal: no database"}, "web-2-b previous": {"fatal: no cache"}},
		details: map[string]string{
			"web-1": "spec:\n  template:\n    spec:\n      containers:\n      - name: web\n        image: web:1\n        args: [serve]\n",
			"web-2": "spec:\n  template:\n    spec:\n      containers:\n      - name: web\n        image: web:1\n        args: [crash]\n",
		},
	}
	b, pods := crashing()
	p.read(r, p.take(b))
	causes := p.m.Facts.Causes()
	if len(causes) != 1 || causes[0].Count != 2 || !strings.Contains(causes[0].Title, "no database") {
		t.Fatalf("causes %+v", causes)
	}
	c := causes[0]
	if len(c.Changed) != 1 || c.Changed[0].Before != `["serve"]` || c.Changed[0].After != `["crash"]` {
		t.Errorf("changed: %+v", c.Changed)
	}
	for _, a := range r.asked {
		if strings.HasPrefix(a, "web-2-b") {
			t.Error("the log of another than the exemplar was read")
		}
	}
	if p.m.Facts.World.Readings.Reads() {
		t.Error("something is still being read")
	}
	// Nothing is read again while the container has not lived again.
	n := len(r.asked)
	p.read(r, p.take(feed.Batch{Objects: []*object.Object{again(pods[0], func(o *object.Object) { o.ResourceVersion = "7" })}}))
	if len(r.asked) != n {
		t.Errorf("read again: %v", r.asked[n:])
	}
	// Another exit has another log; until it is read the old line stays.
	r.logs["web-2-a previous"] = []string{"fatal: disk full"}
	cmds := p.take(feed.Batch{Objects: []*object.Object{again(pods[0], func(o *object.Object) {
		o.ResourceVersion = "8"
		o.Pod.Containers[0].Restarts, o.Pod.Containers[0].Prior = 4, &object.ContainerState{Kind: "terminated", Reason: "Error", ExitCode: 1, Finished: t0}
	})}})
	if c := p.m.Facts.Causes(); len(c) != 1 || !strings.Contains(c[0].Title, "no database") || c[0].ID != causes[0].ID {
		t.Errorf("while it is read again: %+v", c)
	}
	p.read(r, cmds)
	p.m, cmds = p.m.Update(ClockTicked{p.m.Facts.Now().Add(time.Second)})
	p.read(r, cmds)
	if c := p.m.Facts.Causes(); len(c) != 1 || !strings.Contains(c[0].Title, "disk full") {
		t.Errorf("after another end: %+v", c)
	}
}

func TestACauseNamesTheLogThatMayNotBeRead(t *testing.T) {
	p := screen(t)
	b, _ := crashing()
	p.read(&reader{feedStub: feedStub{p: p}, logs: map[string][]string{"web-2-a previous": nil, "web-2-a": nil}}, p.take(b))
	c := p.m.Facts.Causes()
	if len(c) != 1 || len(c[0].Missing) != 1 || c[0].Missing[0] != `the log of web: user dev cannot get pods/log in shop (RBAC)` {
		t.Errorf("causes %+v", c)
	}
}

func TestThePresentLogExplainsACrashWhenThePreviousOneIsGone(t *testing.T) {
	p := screen(t)
	b, _ := crashing()
	r := &reader{feedStub: feedStub{p: p}, logs: map[string][]string{"web-2-a": {"error: it has begun again"}}}
	p.read(r, p.take(b))
	if c := p.m.Facts.Causes(); len(c) != 1 || !strings.Contains(c[0].Title, "it has begun again") {
		t.Errorf("the present log does not stand in: %+v", c)
	}
}

// The container may have begun again before its log is read: "starting up" proves nothing
// about the instance that died, whichever of the two logs it stands in.
func TestALineOfALaterInstanceIsNoProof(t *testing.T) {
	for name, logs := range map[string]map[string][]string{
		"its own log is gone":      {"web-2-a": {"error: starting up"}},
		"it has become a previous": {"web-2-a": {"error: starting up"}, "web-2-a previous": {"fatal: no database"}},
	} {
		for _, state := range []string{"waiting", "terminated"} {
			p := screen(t)
			b, pods := crashing()
			c := &pods[0].Pod.Containers[0]
			if state == "terminated" {
				c.State, c.Prior = *c.Prior, nil
			}
			at := map[string]time.Time{"error: starting up": t0.Add(-time.Minute + 1400*time.Millisecond), "fatal: no database": t0.Add(-time.Minute + 700*time.Millisecond)}
			p.read(&reader{feedStub: feedStub{p: p}, logs: logs, at: at}, p.take(b))
			found := p.m.Facts.Causes()
			if len(found) != 1 || strings.Contains(found[0].Title, "starting up") || strings.Contains(found[0].Title, "no database") != (len(logs) > 1) {
				t.Errorf("%s, %s: %+v", name, state, found)
			}
		}
	}
}

func TestAnAnswerIsNotCompleteBeforeTheLogIsRead(t *testing.T) {
	p := newPlay(t, Options{})
	b, _ := crashing()
	cmds := p.take(b)
	p.m, _ = p.m.Update(BatchArrived{feed.Batch{Seq: 2, At: t0, Synced: true, Answered: 1 << 40, EventsAnswered: 1 << 40}})
	if p.m.Intake.Quiesced() {
		t.Error("quiesced before the log was read")
	}
	var more tea.Cmd
	p.m, more = p.m.Update(ClockTicked{t0.Add(time.Second)})
	r := &reader{feedStub: feedStub{p: p}, logs: map[string][]string{"web-2-a previous": {"fatal: x"}}}
	p.read(r, tea.Batch(cmds, more))
	if !p.m.Intake.Quiesced() {
		t.Error("not quiesced though everything has been read")
	}
}

func TestAReplayRequestsDataAgainThatWasRecordedLater(t *testing.T) {
	p := newPlay(t, Options{Recording: "x.rec.gz"})
	b, _ := crashing()
	b.Known = feed.KnownBySources
	r := &reader{feedStub: feedStub{p: p}, logs: map[string][]string{}, details: map[string]string{}}
	cmds := p.take(b)
	var more tea.Cmd
	p.m, more = p.m.Update(ClockTicked{t0.Add(time.Second)})
	p.m.Intake.ask.feed = r
	for list := answers(tea.Batch(cmds, more)); len(list) > 0; list = list[1:] {
		switch msg := list[0].(type) {
		case CauseRead:
			p.m, more = p.m.Update(msg)
			list = append(list, answers(more)...)
		}
	}
	if len(r.asked) == 0 || len(r.asked) > 12 {
		t.Fatalf("asked %v", r.asked)
	}
	if c := p.m.Facts.Causes(); len(c) != 1 || strings.Contains(c[0].Title, "no database") {
		t.Fatalf("before it was recorded: %+v", c)
	}
	r.logs["web-2-a previous"] = []string{"fatal: no database"}
	r.details["web-1"], r.details["web-2"] = "{}", "{}"
	p.m, cmds = p.m.Update(ClockTicked{t0.Add(2 * time.Second)})
	p.read(r, cmds)
	if c := p.m.Facts.Causes(); len(c) != 1 || !strings.Contains(c[0].Title, "no database") {
		t.Errorf("once it was recorded: %+v", c)
	}
}
