package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// step inspects the model after each change. It returns whether to stop, and
// when to look again if nothing changes (zero: never).
type step func(m *model.Model) (stop bool, wake time.Time)

// headless runs a model without a screen: it executes the model's commands,
// delivers their answers and the time, and calls a step after each.
type headless struct {
	feed feed.Feed
	now  func() time.Time // the feed's clock
	// played marks a recording whose batches come as fast as they are taken.
	// Time is then the batches' time, and everything that the clock would
	// change between two batches happens first.
	played   bool
	optional func(object.ID) bool // which of its roots may fail, as an engine knows by itself; nil for none
}

// endsWithin is how long the end of a recording waits for open commands.
const endsWithin = 2 * time.Second

// errEnded reports that the feed ended before the step stopped the run.
var errEnded = errors.New("the feed has ended")

// run returns the model as it was when look stopped it. A nil error means that
// look did. Otherwise it is the context's, errEnded at the end of a recording,
// or what ended the feed.
//
// Its causes are those of that moment: they are not found anew with every batch.
func (h headless) run(ctx context.Context, opt model.Options, look step) (*model.Model, error) {
	m, err := h.follow(ctx, opt, look)
	return m.Explained(), err
}

// follow is run with the causes as they were found last.
func (h headless) follow(ctx context.Context, opt model.Options, look step) (*model.Model, error) {
	ctx, cancel := context.WithCancel(ctx)
	opt.Ctx, opt.Feed = ctx, h.feed
	m, begin := model.New(opt)
	// Answers are delivered by this channel. It is never closed; when the loop
	// is gone, the context releases the senders.
	answers := make(chan tea.Msg)
	var running sync.WaitGroup
	defer func() {
		cancel()
		_, _ = leavable(ctx, func() (struct{}, error) { running.Wait(); return struct{}{}, nil })
	}()
	open := 0 // commands whose answer has not been taken; an answer may be nil
	start := func(c tea.Cmd) {
		if c == nil {
			return
		}
		open++
		running.Go(func() {
			msg, err := guarded(func() (tea.Msg, error) { return c(), nil })
			if err != nil {
				msg = err
			}
			select {
			case answers <- msg:
			case <-ctx.Done():
			}
		})
	}

	start(begin)
	stop, wake := look(m) // for the deadline, in case nothing ever changes
	// take delivers one message and inspects the model.
	take := func(msg tea.Msg) {
		if stop {
			return
		}
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				start(c)
			}
			return
		}
		var command tea.Cmd
		if m, command = m.Update(msg); !m.Playback.Jumping() { // the state is incomplete during a jump
			stop, wake = look(m)
			if next := m.Intake.NextWake(); !next.IsZero() && (wake.IsZero() || next.Before(wake)) {
				wake = next
			}
		}
		if !stop {
			start(command)
		}
	}
	// passTime applies everything that is due in a recording before a moment.
	passTime := func(until time.Time) {
		for range 10_000 { // bounded: a due time that never passes must not hang a script
			if !h.played || stop || ctx.Err() != nil || m.Playback.Jumping() ||
				wake.IsZero() || !wake.Before(until) || !wake.After(m.Facts.Now()) {
				return
			}
			take(model.ClockTicked{Now: wake})
		}
	}

	var end tea.Msg           // the end of a recording
	var late <-chan time.Time // after it, open commands (details, causes) may still answer
	for !stop && (end == nil || open > 0) {
		var tick <-chan time.Time
		if !h.played {
			wait := time.Second
			if !wake.IsZero() {
				wait = max(min(wait, wake.Sub(h.now())), time.Millisecond)
			}
			tick = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return m, context.Cause(ctx)
		case <-late:
			open = 0
		case <-tick:
			take(model.ClockTicked{Now: h.now()})
		case msg := <-answers:
			open--
			if answer, ok := msg.(model.Answer); ok {
				msg = answer.Msg
			}
			switch x := msg.(type) {
			case nil:
				continue
			case *problem.Crash:
				return m, x
			case model.BatchArrived:
				for i, r := range x.Batch.Roots {
					x.Batch.Roots[i].Optional = r.Optional || h.optional != nil && h.optional(r.ID)
				}
				passTime(x.Batch.At)
			case model.FeedEnded:
				if !errors.Is(x.Err, io.EOF) {
					take(msg)
					return m, x.Err // needed even if nothing was inspected
				}
				end, late = msg, time.After(endsWithin)
				passTime(h.now())
				msg = model.ClockTicked{Now: h.now()}
			}
			take(msg)
			if end != nil {
				take(model.ClockTicked{Now: h.now()})
			}
		}
	}
	if take(end); stop {
		return m, nil
	}
	return m, errEnded
}

// errQuit says that the user has typed q.
var errQuit = errors.New("quit")

// lines prints a model as one line per change: for screen readers and for
// terminals that cannot move the cursor. It ends with the recording: nobody can
// seek in it.
func (h headless) lines(ctx context.Context, opt model.Options, in io.Reader, out io.Writer) (*model.Model, error) {
	running, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	if isTerminal(in) {
		go waitForQ(in, quit)
	}
	lines := report.NewPlain(out, time.Local, !views.SpeaksUTF8(os.Environ()))
	var failed error
	opt.Screen = false
	m, err := h.follow(running, opt, func(m *model.Model) (stop bool, wake time.Time) {
		failed = lines.Show(m.Facts)
		return failed != nil, time.Time{}
	})
	switch {
	case failed != nil:
		return m, fmt.Errorf("write: %w", failed)
	case ctx.Err() != nil:
		return m, exitWith(exitInterrupted)
	case errors.Is(err, errQuit), errors.Is(err, errEnded):
		return m, nil
	}
	return m, err
}

// waitForQ reads lines until one is "q".
func waitForQ(in io.Reader, quit context.CancelCauseFunc) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if strings.TrimSpace(lines.Text()) == "q" {
			quit(errQuit)
			return
		}
	}
}
