package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// calmShop is a Deployment with two pods that are well, selected, with its logs
// open.
func calmShop(t testing.TB) (*play, *object.Object, *object.Object, *object.Object) {
	p := newPlay(t, Options{Screen: true, Children: ChildrenAll})
	p.send(rowsOn(140, 30))
	d := deployment("web", 2)
	rs := replicaSet(d, "1", 2)
	p1, p2 := pod(rs, "a", ""), pod(rs, "b", "")
	p.batch(0, feed.Batch{Roots: []feed.Root{root(d)}, Objects: []*object.Object{d, rs, p1, p2}, Synced: true})
	p.keys("g", "4")
	p.send(ClockTicked{at(time.Second)}) // wishes wait for a moment
	return p, rs, p1, p2
}

func (p *play) lines(of feed.LogKey, cursor uint64, lines ...feed.LogLine) {
	p.send(logs.Arrived{Gen: p.m.Panes.logs.Pane.Gen, Key: of, Chunk: feed.LogChunk{Lines: lines, Cursor: cursor}})
}

func said(after time.Duration, text string) feed.LogLine {
	return feed.LogLine{At: at(after), Text: text}
}

func (p *play) log() string {
	var all []string
	for _, row := range p.m.Panes.logs.Pane.Shown().Lines {
		all = append(all, fmt.Sprintf("%d:%s", row.From, row.Text))
	}
	return strings.Join(all, " ")
}

func TestTheLogsOfAWorkloadsPodsStandTogetherByTheirTime(t *testing.T) {
	p, _, p1, p2 := calmShop(t)
	l := p.m.Panes.logs.Pane.Shown()
	if !l.Merged || len(l.Streams) != 2 || l.Pods != 2 || l.Streams[0].Key.Pod != p1.ID || l.Streams[1].Key.Pod != p2.ID {
		t.Fatalf("the logs of both pods: %+v", l)
	}
	if len(p.wants.Logs) != 2 {
		t.Errorf("wanted: %v", p.wants.Logs)
	}
	p.lines(l.Streams[0].Key, 3, said(1*time.Second, "a1"), said(4*time.Second, "a4"), said(6*time.Second, "a6"))
	p.lines(l.Streams[1].Key, 3, said(2*time.Second, "b2"), said(4*time.Second, "b4"), said(7*time.Second, "b7"))
	p.lines(l.Streams[0].Key, 5, said(5*time.Second, "late"), said(8*time.Second, "a8"))
	if got, want := p.log(), "0:a1 1:b2 0:a4 1:b4 0:late 0:a6 1:b7 0:a8"; got != want && got != "0:a1 1:b2 0:a4 1:b4 0:a6 0:late 1:b7 0:a8" {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p.keys("tab", "M")
	if l := p.m.Panes.logs.Pane.Shown(); l.Merged || len(l.Streams) != 1 || len(l.Lines) != 0 {
		t.Errorf("one pod alone: %+v", l)
	}
	p.keys("M")
	if l := p.m.Panes.logs.Pane.Shown(); !l.Merged || len(l.Streams) != 2 {
		t.Errorf("both again: %+v", l)
	}
}

func TestAPodThatComesLaterJoinsTheLogs(t *testing.T) {
	p, rs, _, _ := calmShop(t)
	gen := p.m.Panes.logs.Pane.Gen
	p3 := pod(rs, "c", "")
	p.batch(3*time.Second, feed.Batch{Objects: []*object.Object{p3}})
	l := p.m.Panes.logs.Pane.Shown()
	if len(l.Streams) != 3 || l.Streams[2].Key.Pod != p3.ID || p.m.Panes.logs.Pane.Gen != gen {
		t.Fatalf("%+v", l)
	}
	p.batch(6*time.Second, feed.Batch{})
	if len(p.wants.Logs) != 3 {
		t.Errorf("wanted: %v", p.wants.Logs)
	}
}

func TestTheLogsPaneOpensThePreviousInstanceOfTheCrashingContainer(t *testing.T) {
	p, _, p1, p2 := calmShop(t)
	crash := again(p2, func(o *object.Object) {
		o.Pod.Containers[0].State = object.ContainerState{Kind: "waiting", Reason: "CrashLoopBackOff"}
		o.Conditions[1].Status = "False"
	})
	p.batch(time.Second, feed.Batch{Objects: []*object.Object{crash}})
	p.keys("5", "4") // the choice is made when the pane opens
	p.m.Panes.logs.Pane.Of = object.ID{}
	p.send(ClockTicked{at(3 * time.Second)})
	l := p.m.Panes.logs.Pane.Shown()
	if l.Merged || l.Key.Pod != p2.ID || !l.Key.Previous {
		t.Fatalf("the one that crashes: %+v", l)
	}
	p.keys("tab", "M")
	l = p.m.Panes.logs.Pane.Shown()
	if !l.Merged || len(l.Streams) != 2 || l.Streams[0].Key.Pod != p2.ID || !l.Streams[0].Key.Previous || l.Streams[1].Key.Previous {
		t.Errorf("all of them, the previous instance of the one that crashes alone: %+v", l.Streams)
	}
	p.keys("p")
	for _, s := range p.m.Panes.logs.Pane.Shown().Streams {
		if s.Key.Previous {
			t.Errorf("p turns all of them round: %+v", s.Key)
		}
	}
	_ = p1
}

func TestALogThatIsNotFollowedHoldsStillInAFlood(t *testing.T) {
	p, _, _, _ := calmShop(t)
	key := p.m.Panes.logs.Pane.Shown().Key
	flood := make([]feed.LogLine, 1000)
	cursor := uint64(0)
	pour := func() {
		for i := range flood {
			cursor++
			flood[i] = said(time.Duration(cursor)*time.Millisecond, fmt.Sprint("line ", cursor))
		}
		p.lines(key, cursor, flood...)
	}
	for range 30 {
		pour()
	}
	if l := p.m.Panes.logs.Pane.Shown(); len(l.Lines) != logs.Length || l.Lost != 10000 || l.Held {
		t.Fatalf("followed: %d lines, %d lost, held %v", len(l.Lines), l.Lost, l.Held)
	}
	p.send(rowsOn(120, 30))
	p.keys("tab", "up")
	l := p.m.Panes.logs.Pane.Shown()
	if l.Follow || !l.Held {
		t.Fatalf("scrolled back: %+v", l)
	}
	first := p.m.Panes.logs.Pane.Shown().Lines[0].Text
	pour() // what was on its way
	p.send(ClockTicked{at(40 * time.Second)})
	for i := range p.m.Panes.logs.Pane.Streams {
		if s := &p.m.Panes.logs.Pane.Streams[i]; s.Key == key && s.Reading {
			t.Error("it goes on reading, and pushes out what is looked at")
		}
	}
	_ = first
	p.keys("G")
	if l := p.m.Panes.logs.Pane.Shown(); !l.Follow || l.Held || !p.m.Panes.logs.Pane.Streams[0].Reading {
		t.Errorf("at the end it goes on: %+v", l)
	}
}

func TestTheLinesAreSavedWithTheirPodsAndTimes(t *testing.T) {
	p, _, _, _ := calmShop(t)
	l := p.m.Panes.logs.Pane.Shown()
	p.lines(l.Streams[0].Key, 1, said(time.Second, "hello"))
	p.lines(l.Streams[1].Key, 1, said(2*time.Second, "there"))
	p.keys("tab", "s")
	want := "web-1-a/web 2026-03-01T14:00:01.000Z hello\nweb-1-b/web 2026-03-01T14:00:02.000Z there\n"
	if p.saved["deployment-web.log"] != want {
		t.Errorf("saved %q", p.saved)
	}
}

func TestLinesAreNotScrolledWithoutALog(t *testing.T) {
	p := screen(t)
	_, _, _, _, _, b := shop()
	p.batch(0, b)
	p.m.Panes.wrap = false
	p.keys(":", "l", "o", "g", "s", "-", "r", "enter")
	if got := p.m.Display.Flash(); got != "there is no log" {
		t.Errorf("said: %q", got)
	}
}

// A StatefulSet's new Pod has the old one's name.
func TestTheLogOfARecreatedPodIsReadFromItsBeginning(t *testing.T) {
	for _, merged := range []bool{true, false} {
		p, rs, p1, p2 := calmShop(t)
		if !merged {
			p.batch(2*time.Second, feed.Batch{Gone: []feed.Gone{{ID: p2.ID, UID: p2.UID}}})
			p.keys("1", "4")
		}
		if l := p.m.Panes.logs.Pane.Shown(); l.Merged != merged || l.Key.Pod != p1.ID {
			t.Fatalf("%+v", l)
		}
		first := p.m.Panes.logs.Pane.Shown().Key
		p.lines(first, 1, said(time.Second, "the first"))
		end := func() {
			p.send(logs.Arrived{Gen: p.m.Panes.logs.Pane.Gen, Key: first, Chunk: feed.LogChunk{Ended: true, Cursor: 1}})
		}
		if merged {
			end()
		}
		p.batch(3*time.Second, feed.Batch{Gone: []feed.Gone{{ID: p1.ID, UID: p1.UID}}})
		anew := pod(rs, "a", "")
		anew.UID = "another"
		p.batch(4*time.Second, feed.Batch{Objects: []*object.Object{anew}})
		if !merged {
			end() // it is delivered later than the new Pod
		}
		p.send(ClockTicked{at(10 * time.Second)})
		p.lines(first, 1, said(9*time.Second, "the second"))
		if got := p.log(); !strings.HasSuffix(got, "the second") {
			t.Errorf("merged %v: %s", merged, got)
		}
		if !slices.Contains(p.wants.Logs, first) {
			t.Errorf("merged %v: wanted: %v", merged, p.wants.Logs)
		}
	}
}

func TestTheLogsOfPodsThatAreGoneAreNotCounted(t *testing.T) {
	p, rs, _, _ := calmShop(t)
	for i := range 4 {
		after := time.Duration(3+i) * time.Second
		q := pod(rs, fmt.Sprint("n", i), "")
		p.batch(after, feed.Batch{Objects: []*object.Object{q}})
		p.send(logs.Arrived{Gen: p.m.Panes.logs.Pane.Gen, Key: feed.LogKey{Pod: q.ID, Container: "web"}, Chunk: feed.LogChunk{Ended: true}})
		p.batch(after, feed.Batch{Gone: []feed.Gone{{ID: q.ID, UID: q.UID}}})
	}
	if l := p.m.Panes.logs.Pane.Shown(); l.Read != 2 || l.Pods != 2 || len(l.Streams) != 6 {
		t.Errorf("%d of %d, %d streams", l.Read, l.Pods, len(l.Streams))
	}
}

func TestWideLinesAreScrolledToTheirEndAndNoFurther(t *testing.T) {
	p, _, _, _ := calmShop(t)
	l := p.m.Panes.logs.Pane.Shown()
	p.lines(l.Streams[0].Key, 1, said(1*time.Second, strings.Repeat("世", 40)), said(2*time.Second, strings.Repeat("a", 70)))
	p.keys("tab", "w")
	for range 20 {
		p.keys("right")
	}
	if got, want := p.m.Panes.logs.Pane.Left, 80-16; got != want {
		t.Errorf("scrolled by %d cells, want %d", got, want)
	}
}

// After the last container come all of them together: stern's way, with a prefix each.
func TestAllContainersOfAPodStandTogether(t *testing.T) {
	p := newPlay(t, Options{Screen: true, Children: ChildrenAll})
	p.send(rowsOn(140, 30))
	one := pod(&object.Object{ID: id("apps", "ReplicaSet", "web"), UID: "r"}, "a", "")
	one.Owners = nil
	side := one.Pod.Containers[0]
	side.ContainerSpec = &object.ContainerSpec{Name: "proxy", Image: "proxy:1"}
	one.Pod.Containers = append(one.Pod.Containers, side)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(one)}, Objects: []*object.Object{one}, Synced: true})
	p.keys("g", "4", "v")
	if l := p.m.Panes.logs.Pane.Shown(); l.AllContainers || l.Key.Container != "proxy" || len(l.Streams) != 1 {
		t.Fatalf("the second container alone: %+v", l)
	}
	p.keys("v")
	l := p.m.Panes.logs.Pane.Shown()
	if !l.AllContainers || l.Merged || len(l.Streams) != 2 {
		t.Fatalf("all of them: %+v", l)
	}
	p.lines(l.Streams[0].Key, 2, said(time.Second, "from web"), said(3*time.Second, "ERROR again"))
	p.lines(l.Streams[1].Key, 1, said(2*time.Second, "from the proxy"))
	p.send(rowsOn(140, 30))
	if got := p.log(); got != "0:from web 1:from the proxy 0:ERROR again" {
		t.Errorf("not by time: %s", got)
	}
	text := whyText(p)
	for _, want := range []string{"all containers", "web   14:00:01 from web", "proxy 14:00:02 from the proxy"} {
		if !strings.Contains(text, want) {
			t.Errorf("the pane lacks %q:\n%s", want, text)
		}
	}
	c, _ := p.m.Panes.Content()
	if first, second := c.Line(0)[0], c.Line(1)[0]; first.Token == second.Token || c.Line(2)[2].Token != markup.Bad {
		t.Errorf("colours: %v %v %v", first, second, c.Line(2))
	}
	p.keys("p")
	if l := p.m.Panes.logs.Pane.Shown(); !l.AllContainers || !l.Streams[0].Key.Previous || !l.Streams[1].Key.Previous {
		t.Errorf("the previous instances: %+v", l)
	}
	p.keys("v")
	if l := p.m.Panes.logs.Pane.Shown(); l.AllContainers || l.Key.Container != "web" || l.Key.Previous {
		t.Errorf("the first alone again: %+v", l)
	}
}
