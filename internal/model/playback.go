package model

import (
	"iter"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Playback is the jumps of the recording that is played, and the marks of the one that
// is written.
type Playback struct {
	facts  *known.Facts
	intake *Intake

	begun   map[string]bool // causes whose beginning has been marked
	landing string          // message for the end of a jump
	aim     *feed.Mark      // where the jump leads: its row is selected at the end

	jumping bool         // a jump is in progress
	waiting []Msg        // messages that arrived meanwhile
	past    []feed.Batch // of the jump: what is to be taken in yet, oldest first
	last    feed.Batch   // of the jump: the last that has arrived
	reading bool         // the jump waits for what is read for a cause
}

// skip is how far a key jumps.
const skip = 10 * time.Second

// anew forgets everything but the state of the screen.
func (m *Model) anew() {
	m.Facts.World = m.Facts.World.Anew()
	m.Facts.Found = world.NewCauses()
	m.Intake.wants = wanting{sent: feed.Wants{Gen: m.Intake.wants.sent.Gen}}
	m.Panes.update(panes.Forget{})
	m.Intake.frozen, m.Intake.missed, m.Intake.ticks = false, nil, time.Time{}
	m.Display.flash = ""
	m.Tree.list, m.Tree.stale = rows.List{}, true
	m.Tree.lastKey = time.Time{}
}

// jumped takes in a part of the state at a jump's destination.
func (m *Model) jumped(b feed.Batch) tea.Cmd {
	j := b.Jump
	m.Facts.World.SetKnowledge(b.Known)
	if j.Anew {
		m.anew()
		m.Playback.past = nil
	}
	for _, part := range j.Memory {
		m.Facts.World.Restore(part)
		m.Facts.Found.Recall(part.At, part.Causes)
	}
	if m.Facts.World.Restoring && (j.Known || !j.More) {
		m.Facts.World.Restored()
	}
	m.Playback.jumping = true
	m.Playback.past, m.Playback.last = append(m.Playback.past, j.Past...), b
	return m.relive()
}

// relive takes in what a jump has skipped, each batch at its own time, and then the jump's end. It
// returns early if something is read for a cause, and is to be called again with the answer.
func (m *Model) relive() tea.Cmd {
	p := m.Playback
	for ; len(p.past) > 0; p.past = p.past[1:] {
		if cmd := m.reliveUntil(p.past[0].At); p.reading {
			return cmd
		}
		m.Facts.World.Apply(&p.past[0])
		m.Facts.Found.Settle(m.Facts.World)
	}
	p.past = nil
	if p.last.Jump.More {
		return m.Intake.ask.nextBatch(p.last.Seq)
	}
	if cmd := m.reliveUntil(p.last.At); p.reading {
		return cmd
	}
	b := p.last
	p.jumping, p.last, m.Intake.landed = false, feed.Batch{}, true
	cmds := m.takeBatch(b)
	m.Display.answer(p.landing)
	p.landing = ""
	return tea.Batch(cmds, m.Intake.ask.nextBatch(b.Seq))
}

// relivable bounds the work of a jump: at n nodes the causes are found again after an n-th of this
// part of the way that is left. The whole takes up to a second, for an hour that was full of changes.
const relivable = 5000

// reliveUntil lets time pass, and finds the causes as if it had been played, only less often where
// the jump's end is far: what a line says depends on what was found and read before, and what is
// gone is shown for a while. In a large world that would take too long, and the end alone is
// explained.
func (m *Model) reliveUntil(t time.Time) tea.Cmd {
	w, found, p := m.Facts.World, m.Facts.Found, m.Playback
	nodes := len(w.Tree.Nodes)
	if p.reading = false; !m.Intake.opt.Screen || nodes > world.InlineMost || w.Restoring {
		w.TickUntil(t)
		return nil
	}
	for {
		next := found.NextAfter(w, p.last.At.Sub(w.Tree.Now)*time.Duration(nodes)/relivable)
		if !next.IsZero() && !next.After(w.Tree.Now) {
			found.Explain(w)
			continue
		}
		if cmd := m.Intake.read(); w.Readings.Reads() {
			p.reading = true
			return cmd
		}
		wake := world.Earliest(w.Due, next)
		if wake.IsZero() || !wake.Before(t) {
			return nil
		}
		w.Tick(wake)
	}
}

// Jumping reports whether a jump is in progress. The state is then incomplete,
// and other messages wait.
func (p *Playback) Jumping() bool { return p.jumping }

// waits keeps a message for the end of a jump, if one is in progress. A tick is
// dropped: it tells the time before the jump.
func (p *Playback) waits(msg Msg) bool {
	if !p.jumping {
		return false
	}
	switch msg.(type) {
	case BatchArrived, CauseRead, FeedEnded, panicked:
		return false
	case ClockTicked:
	default:
		p.waiting = append(p.waiting, msg)
	}
	return true
}

// arrived handles the messages that have waited for the end of a jump.
func (m *Model) arrived(cmds tea.Cmd) (*Model, tea.Cmd) {
	waiting := m.Playback.waiting
	m.Playback.waiting = nil
	for _, msg := range waiting {
		var more tea.Cmd
		m, more = m.Update(msg)
		cmds = tea.Batch(cmds, more)
	}
	return m, cmds
}

// reach selects the row of what a jump went to, and has announced: until the user moves, a
// verdict's is selected anyway.
func (m *Model) reach() {
	k := m.Playback.aim
	if m.Playback.aim = nil; k == nil || k.Cause == "" && (k.Verdict == status.Current || !m.Tree.touched) {
		return
	}
	m.Tree.goTo(k.Cause)
}

// mark passes marks to a recorder.
func (p *Playback) mark(marks ...feed.Mark) tea.Cmd {
	if len(marks) == 0 {
		return nil
	}
	return control(p.intake.ask, func(n feed.Notebook) {
		for _, m := range marks {
			n.Mark(m)
		}
	})
}

// markCauses marks the causes that have begun.
func (p *Playback) markCauses() tea.Cmd {
	if _, noted := p.intake.ask.feed.(feed.Notebook); !noted || !p.facts.World.Sources.Synced {
		return nil
	}
	var begun []feed.Mark
	for i := range p.facts.Found.Causes {
		if c := &p.facts.Found.Causes[i]; c.Class != explain.Waits && !p.begun[c.ID] {
			p.begun[c.ID] = true
			begun = append(begun, feed.Mark{At: p.facts.World.Tree.Now, Cause: c.ID, Title: c.Title})
		}
	}
	return p.mark(begun...)
}

// played is an action on the recording, if the user may control it.
func played(do func(*Model, *feed.Playback) tea.Cmd) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if r := m.Intake.Playback(); r != nil {
			return do(m, r)
		}
		return m.Display.answer("this recording plays by itself")
	}
}

func onDeck(do func(feed.Deck)) func(*Model) tea.Cmd {
	return played(func(m *Model, _ *feed.Playback) tea.Cmd { return control(m.Intake.ask, do) })
}

// seekTo moves the recording to a time.
func (p *Playback) seekTo(t time.Time) tea.Cmd {
	p.landing, p.aim = "", nil
	return control(p.intake.ask, func(d feed.Deck) { d.Seek(t) })
}

func isAfter(k feed.Mark, now time.Time) bool  { return k.At.After(now) }
func isBefore(k feed.Mark, now time.Time) bool { return k.At.Before(now.Add(-time.Millisecond)) }
func fails(k feed.Mark, _ time.Time) bool      { return k.Verdict == status.Failed }

// toMark jumps to the first mark, in an order, that is asked for.
func toMark(
	none string, in func([]feed.Mark) iter.Seq2[int, feed.Mark], asked func(feed.Mark, time.Time) bool,
) func(*Model) tea.Cmd {
	return played(func(m *Model, r *feed.Playback) tea.Cmd {
		for _, k := range in(r.Marks) {
			if asked(k, m.Facts.World.Tree.Now) {
				cmd := m.Playback.seekTo(k.At)
				m.Playback.landing, m.Playback.aim = "the verdict becomes "+string(k.Verdict), &k
				if k.Cause != "" {
					m.Playback.landing = "begins: " + k.Title
				}
				return cmd
			}
		}
		return m.Display.answer(none)
	})
}

// toCause jumps to the beginning of the selected row's first cause.
func toCause(m *Model, r *feed.Playback) tea.Cmd {
	causes := m.Facts.Causes()
	if n := m.Tree.selectedNode(); n != nil {
		if own := m.Facts.CausesOf(*n.ID); len(own) > 0 {
			causes = own
		}
	}
	if len(causes) == 0 {
		return m.Display.answer("no cause")
	}
	c := causes[0]
	at := c.Since
	for _, k := range r.Marks {
		if k.Cause == c.ID && !k.At.After(m.Facts.World.Tree.Now) {
			at = k.At // when it was first seen: a recording holds nothing before
		}
	}
	if at.IsZero() {
		return m.Display.answer("nobody knows since when")
	}
	cmd := m.Playback.seekTo(at)
	m.Playback.landing = "begins: " + c.Title
	return cmd
}

// SpeedText formats a speed: "0.25×", "64×".
func SpeedText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + "×" }
