package model

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// playback is the state of the recording that is played, and of the one that is
// written.
type playback struct {
	played *feed.Playback  // nil unless a recording is played on a screen
	marks  []feed.Mark     // made here, if the recording has none
	causes map[string]bool // causes whose beginning has been marked
	said   string          // message for the end of a jump
	damage *feed.Damage    // why the recording ended early

	jumping bool  // a jump is in progress
	waiting []Msg // messages that arrived meanwhile
}

// Playback is the state of the playback, nil if none is played or the user
// cannot control it.
func (m Model) Playback() *feed.Playback {
	p := m.play.played
	if p != nil && len(p.Marks) == 0 && len(m.play.marks) > 0 {
		own := *p
		own.Marks = m.play.marks
		return &own
	}
	return p
}

// Damage is why the recording ended early, or nil.
func (m Model) Damage() *feed.Damage { return m.play.damage }

// speeds are the speeds to choose from.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}

// skip is how far a key jumps.
const skip = 10 * time.Second

// anew forgets everything but the state of the screen. A memory then restores
// the objects in place.
func (m Model) anew(known bool) Model {
	if known {
		m.w.Renew()
	} else {
		m.w = world.New(m.worldOptions())
	}
	m.x = world.NewCauses()
	m.wants = wanting{sent: feed.Wants{Gen: m.wants.sent.Gen}}
	m.detail = detailState{gen: m.detail.gen}
	m.logs = logState{gen: m.logs.gen + 1, follow: true}
	m.frozen = nil
	m.moment, m.marked = 0, 0
	m.flash, m.flashUntil = "", time.Time{}
	m.t.rows, m.t.labels, m.t.stale = nil, nil, true
	m.t.lastKey = time.Time{}
	return m
}

// jumped takes in a part of the state at a jump's destination.
func (m Model) jumped(j *feed.Jump) Model {
	if j.Anew {
		m = m.anew(len(j.Memory) > 0)
	}
	for _, part := range j.Memory {
		m.w.Restore(part)
		m.x.Recall(part.At, part.Causes)
	}
	if m.w.Restoring && (j.Known || !j.More) {
		m.w.Restored()
	}
	for i := range j.Past {
		before := m.w.Verdict
		m.w.Pass(j.Past[i].At)
		m.w.Apply(&j.Past[i])
		if m.w.Verdict != before {
			m, _ = m.mark(feed.Mark{At: m.w.Now, Verdict: m.w.Verdict})
		}
	}
	return m
}

// Jumping reports whether a jump is in progress. The state is then incomplete,
// and other messages wait.
func (m Model) Jumping() bool { return m.play.jumping }

// waits reports whether a message has to wait for the end of a jump.
func (m Model) waits(msg Msg) bool {
	if !m.play.jumping {
		return false
	}
	switch msg.(type) {
	case BatchArrived, FeedEnded, panicked:
		return false
	}
	return true
}

// stranded ends a jump that the feed's end has cut off.
func (m Model) stranded() Model {
	if m.w.Restoring {
		m.w.Restored()
	}
	m.play.jumping = false
	return m
}

// arrived handles the messages that have waited for the end of a jump.
func (m Model) arrived(cmds tea.Cmd) (Model, tea.Cmd) {
	waiting := m.play.waiting
	m.play.waiting = nil
	for _, msg := range waiting {
		var more tea.Cmd
		m, more = m.Update(msg)
		cmds = tea.Batch(cmds, more)
	}
	return m, cmds
}

// mark adds a mark. The command passes it to a recorder.
func (m Model) mark(mark feed.Mark) (Model, tea.Cmd) {
	if p := m.play.played; p != nil && len(p.Marks) == 0 {
		i, there := slices.BinarySearchFunc(m.play.marks, mark.At, func(a feed.Mark, t time.Time) int { return a.At.Compare(t) })
		if !there {
			m.play.marks = slices.Insert(m.play.marks, i, mark)
		}
	}
	return m, m.ask.noteMarks(mark)
}

// markCauses marks the causes that have begun.
func (m Model) markCauses() (Model, tea.Cmd) {
	var begun []feed.Mark
	if !m.w.Synced {
		return m, nil
	}
	for _, i := range m.x.Unmarked {
		c, s := &m.x.Causes[i], m.x.Standing[i]
		if s.Marked = true; m.play.causes[c.ID] {
			continue
		}
		if m.play.causes == nil {
			m.play.causes = map[string]bool{}
		}
		m.play.causes[c.ID] = true
		mark := feed.Mark{At: m.w.Now, Cause: c.ID, Title: c.Title}
		m, _ = m.mark(mark)
		begun = append(begun, mark)
	}
	m.x.Unmarked = nil
	if len(begun) == 0 {
		return m, nil
	}
	return m, m.ask.noteMarks(begun...)
}

// control carries out an action on the recording.
func (m Model) control(a Action) (Model, tea.Cmd) {
	p := m.Playback()
	if p == nil {
		return m.say("this recording plays by itself"), nil
	}
	switch a {
	case PlayPause:
		return m, m.ask.setPaused(!p.Paused)
	case Slower, Faster:
		i, _ := slices.BinarySearch(speeds, p.Speed)
		if a == Slower {
			i--
		} else {
			i++
		}
		v := speeds[min(max(i, 0), len(speeds)-1)]
		return m.say("speed " + SpeedText(v)), m.ask.setSpeed(v)
	case PrevChange:
		return m, m.ask.stepBy(-1)
	case NextChange:
		return m, m.ask.stepBy(1)
	case Rewind:
		return m, m.ask.seekTo(m.w.Now.Add(-skip))
	case Forward:
		return m, m.ask.seekTo(m.w.Now.Add(skip))
	case ToStart:
		return m, m.ask.seekTo(p.Start)
	case ToEnd:
		return m, m.ask.seekTo(p.End)
	case PrevMark, NextMark, FirstFailure:
		return m.toMark(p, a)
	case CauseStart:
		return m.toCause(p)
	}
	return m, nil
}

// toMark jumps to the next or previous mark, or to the first failure.
func (m Model) toMark(p *feed.Playback, a Action) (Model, tea.Cmd) {
	now := m.w.Now
	var to *feed.Mark
	for i := range p.Marks {
		k := &p.Marks[i]
		switch {
		case a == PrevMark && k.At.Before(now.Add(-time.Millisecond)):
			to = k
		case a == NextMark && to == nil && k.At.After(now),
			a == FirstFailure && to == nil && k.Verdict == status.Failed:
			to = k
		}
	}
	if to == nil {
		return m.say(map[Action]string{PrevMark: "no mark before", NextMark: "no mark after", FirstFailure: "nothing failed"}[a]), nil
	}
	m.play.said = "the verdict becomes " + string(to.Verdict)
	if to.Cause != "" {
		m.play.said = "begins: " + to.Title
	}
	return m, m.ask.seekTo(to.At)
}

// toCause jumps to the beginning of the selected row's first cause.
func (m Model) toCause(p *feed.Playback) (Model, tea.Cmd) {
	causes := m.Causes()
	if n := m.selectedNode(); n != nil {
		if own := m.CausesOf(*n.ID); len(own) > 0 {
			causes = own
		}
	}
	if len(causes) == 0 {
		return m.say("no cause"), nil
	}
	c := causes[0]
	at := c.Since
	for _, k := range p.Marks {
		if k.Cause == c.ID && !k.At.After(m.w.Now) {
			at = k.At // when it was first seen: a recording holds nothing before
		}
	}
	if at.IsZero() {
		return m.say("nobody knows since when"), nil
	}
	m.play.said = "begins: " + c.Title
	return m, m.ask.seekTo(at)
}

// SpeedText formats a speed: "0.25×", "64×".
func SpeedText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + "×" }
