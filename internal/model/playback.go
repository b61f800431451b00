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
	*tree

	marks  []feed.Mark     // made here, if the recording has none
	begun  map[string]bool // causes whose beginning has been marked
	said   string          // message for the end of a jump
	damage *feed.Damage    // why the recording ended early

	jumping bool  // a jump is in progress
	waiting []Msg // messages that arrived meanwhile
}

// Playback is the state of the playback, nil if none is played or the user
// cannot control it.
func (p *playback) Playback() *feed.Playback {
	if p.played == nil || len(p.played.Marks) > 0 || len(p.marks) == 0 {
		return p.played
	}
	own := *p.played
	own.Marks = p.marks
	return &own
}

// Damage is why the recording ended early, or nil.
func (p *playback) Damage() *feed.Damage { return p.damage }

// speeds are the speeds to choose from.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}

// skip is how far a key jumps.
const skip = 10 * time.Second

// anew forgets everything but the state of the screen. A memory then restores
// the objects in place.
func (m Model) anew(known bool) {
	if known {
		m.w.Renew()
	} else {
		m.w = world.New(m.opt.world())
	}
	m.x = world.NewCauses()
	m.wants = wanting{sent: feed.Wants{Gen: m.wants.sent.Gen}}
	m.yaml.detail = detail{gen: m.yaml.gen}
	m.logs.close()
	m.frozen = nil
	m.moment, m.marked = 0, 0
	m.flash, m.flashUntil = "", time.Time{}
	m.rows, m.topShown, m.topRoots, m.labels, m.stale = nil, nil, nil, nil, true
	m.lastKey = time.Time{}
}

// jumped takes in a part of the state at a jump's destination.
func (m Model) jumped(j *feed.Jump) {
	if j.Anew {
		m.anew(len(j.Memory) > 0)
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
		m.markVerdict(before)
	}
}

// Jumping reports whether a jump is in progress. The state is then incomplete,
// and other messages wait.
func (p *playback) Jumping() bool { return p.jumping }

// waits reports whether a message has to wait for the end of a jump.
func (p *playback) waits(msg Msg) bool {
	if !p.jumping {
		return false
	}
	switch msg.(type) {
	case BatchArrived, FeedEnded, panicked:
		return false
	}
	return true
}

// stranded ends a jump that the feed's end has cut off.
func (p *playback) stranded() {
	if p.w.Restoring {
		p.w.Restored()
	}
	p.jumping = false
}

// arrived handles the messages that have waited for the end of a jump.
func (m Model) arrived(cmds tea.Cmd) (Model, tea.Cmd) {
	waiting := m.waiting
	m.waiting = nil
	for _, msg := range waiting {
		var more tea.Cmd
		m, more = m.Update(msg)
		cmds = tea.Batch(cmds, more)
	}
	return m, cmds
}

// markVerdict marks that the verdict has changed.
func (p *playback) markVerdict(before status.Status) tea.Cmd {
	if p.w.Verdict == before {
		return nil
	}
	return p.mark(feed.Mark{At: p.w.Now, Verdict: p.w.Verdict})
}

// mark adds a mark. The command passes it to a recorder.
func (p *playback) mark(mark feed.Mark) tea.Cmd {
	if p.played != nil && len(p.played.Marks) == 0 {
		i, there := slices.BinarySearchFunc(p.marks, mark.At, func(a feed.Mark, t time.Time) int { return a.At.Compare(t) })
		if !there {
			p.marks = slices.Insert(p.marks, i, mark)
		}
	}
	return p.ask.noteMarks(mark)
}

// markCauses marks the causes that have begun.
func (p *playback) markCauses() tea.Cmd {
	if !p.w.Synced {
		return nil
	}
	var begun []feed.Mark
	for _, c := range p.x.Begun() {
		if p.begun[c.ID] {
			continue
		}
		if p.begun == nil {
			p.begun = map[string]bool{}
		}
		p.begun[c.ID] = true
		mark := feed.Mark{At: p.w.Now, Cause: c.ID, Title: c.Title}
		p.mark(mark)
		begun = append(begun, mark)
	}
	if len(begun) == 0 {
		return nil
	}
	return p.ask.noteMarks(begun...)
}

// control carries out an action on the recording.
func (p *playback) control(a Action) (said string, cmd tea.Cmd) {
	r, now := p.Playback(), p.w.Now
	if r == nil {
		return "this recording plays by itself", nil
	}
	switch a {
	case PlayPause:
		return "", p.ask.setPaused(!r.Paused)
	case Slower, Faster:
		i, _ := slices.BinarySearch(speeds, r.Speed)
		if a == Slower {
			i--
		} else {
			i++
		}
		v := speeds[min(max(i, 0), len(speeds)-1)]
		return "speed " + SpeedText(v), p.ask.setSpeed(v)
	case PrevChange:
		return "", p.ask.stepBy(-1)
	case NextChange:
		return "", p.ask.stepBy(1)
	case Rewind:
		return "", p.ask.seekTo(now.Add(-skip))
	case Forward:
		return "", p.ask.seekTo(now.Add(skip))
	case ToStart:
		return "", p.ask.seekTo(r.Start)
	case ToEnd:
		return "", p.ask.seekTo(r.End)
	case CauseStart:
		return p.toCause(r)
	}
	return p.toMark(r, a)
}

// toMark jumps to the next or previous mark, or to the first failure.
func (p *playback) toMark(r *feed.Playback, a Action) (said string, cmd tea.Cmd) {
	now := p.w.Now
	var to *feed.Mark
	for i := range r.Marks {
		k := &r.Marks[i]
		switch {
		case a == PrevMark && k.At.Before(now.Add(-time.Millisecond)):
			to = k
		case a == NextMark && to == nil && k.At.After(now),
			a == FirstFailure && to == nil && k.Verdict == status.Failed:
			to = k
		}
	}
	if to == nil {
		return map[Action]string{PrevMark: "no mark before", NextMark: "no mark after", FirstFailure: "nothing failed"}[a], nil
	}
	p.said = "the verdict becomes " + string(to.Verdict)
	if to.Cause != "" {
		p.said = "begins: " + to.Title
	}
	return "", p.ask.seekTo(to.At)
}

// toCause jumps to the beginning of the selected row's first cause.
func (p *playback) toCause(r *feed.Playback) (said string, cmd tea.Cmd) {
	causes := p.Causes()
	if n := p.selectedNode(); n != nil {
		if own := p.CausesOf(*n.ID); len(own) > 0 {
			causes = own
		}
	}
	if len(causes) == 0 {
		return "no cause", nil
	}
	c := causes[0]
	at := c.Since
	for _, k := range r.Marks {
		if k.Cause == c.ID && !k.At.After(p.w.Now) {
			at = k.At // when it was first seen: a recording holds nothing before
		}
	}
	if at.IsZero() {
		return "nobody knows since when", nil
	}
	p.said = "begins: " + c.Title
	return "", p.ask.seekTo(at)
}

// SpeedText formats a speed: "0.25×", "64×".
func SpeedText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + "×" }
