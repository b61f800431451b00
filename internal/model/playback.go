package model

import (
	"iter"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// playback is the state of the recording that is played, and of the one that is
// written.
type playback struct {
	*tree

	begun map[string]bool // causes whose beginning has been marked
	said  string          // message for the end of a jump

	jumping bool  // a jump is in progress
	waiting []Msg // messages that arrived meanwhile
}

// Playback is the state of the playback, nil if none is played or the user
// cannot control it.
func (p *playback) Playback() *feed.Playback { return p.played }

// skip is how far a key jumps.
const skip = 10 * time.Second

// anew forgets everything but the state of the screen.
func (m Model) anew() {
	m.World = m.World.Anew()
	m.Found = world.NewCauses()
	m.wants = wanting{sent: feed.Wants{Gen: m.wants.sent.Gen}}
	m.yaml.forget()
	m.logs.Close()
	m.frozen, m.missed, m.ticks = false, nil, time.Time{}
	m.timeline.Forget()
	m.flash = ""
	m.list, m.stale = rows.List{}, true
	m.lastKey = time.Time{}
}

// jumped takes in a part of the state at a jump's destination.
func (m Model) jumped(j *feed.Jump) {
	if j.Anew {
		m.anew()
	}
	for _, part := range j.Memory {
		m.World.Restore(part)
		m.Found.Recall(part.At, part.Causes)
	}
	if m.World.Restoring && (j.Known || !j.More) {
		m.World.Restored()
	}
	for i := range j.Past {
		m.World.Pass(j.Past[i].At)
		m.World.Apply(&j.Past[i])
	}
}

// Jumping reports whether a jump is in progress. The state is then incomplete,
// and other messages wait.
func (p *playback) Jumping() bool { return p.jumping }

// waits keeps a message for the end of a jump, if one is in progress. A tick is
// dropped: it tells the time before the jump.
func (p *playback) waits(msg Msg) bool {
	if !p.jumping {
		return false
	}
	switch msg.(type) {
	case BatchArrived, FeedEnded, panicked:
		return false
	case ClockTicked:
	default:
		p.waiting = append(p.waiting, msg)
	}
	return true
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

// mark passes marks to a recorder.
func (p *playback) mark(marks ...feed.Mark) tea.Cmd {
	if len(marks) == 0 {
		return nil
	}
	return control(p.ask, func(n feed.Notebook) {
		for _, m := range marks {
			n.Mark(m)
		}
	})
}

// markCauses marks the causes that have begun.
func (p *playback) markCauses() tea.Cmd {
	if _, noted := p.ask.feed.(feed.Notebook); !noted || !p.World.Synced {
		return nil
	}
	var begun []feed.Mark
	for i := range p.Found.Causes {
		if c := &p.Found.Causes[i]; c.Class != explain.Waits && !p.begun[c.ID] {
			p.begun[c.ID] = true
			begun = append(begun, feed.Mark{At: p.World.Now, Cause: c.ID, Title: c.Title})
		}
	}
	return p.mark(begun...)
}

// played is an action on the recording, if the user may control it.
func played(do func(Model, *feed.Playback) tea.Cmd) func(Model) tea.Cmd {
	return func(m Model) tea.Cmd {
		if r := m.Playback(); r != nil {
			return do(m, r)
		}
		return m.say("this recording plays by itself")
	}
}

func onDeck(do func(feed.Deck)) func(Model) tea.Cmd {
	return played(func(m Model, _ *feed.Playback) tea.Cmd { return control(m.ask, do) })
}

// seekTo moves the recording to a time.
func (p *playback) seekTo(t time.Time) tea.Cmd {
	return control(p.ask, func(d feed.Deck) { d.Seek(t) })
}

func isAfter(k feed.Mark, now time.Time) bool  { return k.At.After(now) }
func isBefore(k feed.Mark, now time.Time) bool { return k.At.Before(now.Add(-time.Millisecond)) }
func fails(k feed.Mark, _ time.Time) bool      { return k.Verdict == status.Failed }

// toMark jumps to the first mark, in an order, that is asked for.
func toMark(none string, in func([]feed.Mark) iter.Seq2[int, feed.Mark], asked func(feed.Mark, time.Time) bool) func(Model) tea.Cmd {
	return played(func(m Model, r *feed.Playback) tea.Cmd {
		for _, k := range in(r.Marks) {
			if asked(k, m.World.Now) {
				m.said = "the verdict becomes " + string(k.Verdict)
				if k.Cause != "" {
					m.said = "begins: " + k.Title
				}
				return m.seekTo(k.At)
			}
		}
		return m.say(none)
	})
}

// toCause jumps to the beginning of the selected row's first cause.
func toCause(m Model, r *feed.Playback) tea.Cmd {
	causes := m.Causes()
	if n := m.selectedNode(); n != nil {
		if own := m.CausesOf(*n.ID); len(own) > 0 {
			causes = own
		}
	}
	if len(causes) == 0 {
		return m.say("no cause")
	}
	c := causes[0]
	at := c.Since
	for _, k := range r.Marks {
		if k.Cause == c.ID && !k.At.After(m.World.Now) {
			at = k.At // when it was first seen: a recording holds nothing before
		}
	}
	if at.IsZero() {
		return m.say("nobody knows since when")
	}
	m.said = "begins: " + c.Title
	return m.seekTo(at)
}

// SpeedText formats a speed: "0.25×", "64×".
func SpeedText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + "×" }
