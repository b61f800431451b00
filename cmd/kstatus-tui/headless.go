package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// step inspects the model after each change. It returns whether to stop, and
// when to look again if nothing changes (zero: never).
type step func(m model.Model) (stop bool, wake time.Time)

// headless runs a model without a screen: it executes the model's commands,
// delivers their answers and the time, and calls a step after each.
type headless struct {
	feed feed.Feed
	now  func() time.Time // the feed's clock
	// played marks a recording whose batches come as fast as they are taken.
	// Time is then the batches' time, and everything that the clock would
	// change between two batches happens first.
	played bool
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
func (h headless) run(ctx context.Context, opt model.Options, look step) (model.Model, error) {
	m, err := h.follow(ctx, opt, look)
	return m.Explained(), err
}

// follow is run with the causes as they were found last.
func (h headless) follow(ctx context.Context, opt model.Options, look step) (model.Model, error) {
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
			msg := c()
			select {
			case answers <- msg:
			case <-ctx.Done():
			}
		})
	}

	start(begin)
	stop, wake := look(m) // for the deadline, in case nothing ever changes
	if stop {
		return m, nil
	}
	// take delivers one message and inspects the model.
	take := func(msg tea.Msg) (stop bool) {
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				start(c)
			}
			return false
		}
		var command tea.Cmd
		if m, command = m.Update(msg); m.Jumping() { // the state is incomplete during a jump
			start(command)
			return false
		}
		stop, wake = look(m)
		if !stop {
			start(command)
		}
		if next := m.NextWake(); !next.IsZero() && (wake.IsZero() || next.Before(wake)) {
			wake = next
		}
		return stop
	}
	// passTime applies everything that is due before a moment.
	passTime := func(until time.Time) (stop bool) {
		for range 10_000 { // bounded: a due time that never passes must not hang a script
			if ctx.Err() != nil || m.Jumping() || wake.IsZero() || !wake.Before(until) || !wake.After(m.Now()) {
				return false
			}
			if take(model.ClockTicked{Now: wake}) {
				return true
			}
		}
		return false
	}

	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		if !h.played {
			timer.Reset(h.untilTick(wake))
		}
		select {
		case <-ctx.Done():
			return m, context.Cause(ctx)
		case <-timer.C:
			if !h.played && take(model.ClockTicked{Now: h.now()}) {
				return m, nil
			}
		case msg := <-answers:
			if open--; msg == nil {
				continue
			}
			if answer, ok := msg.(model.Answer); ok {
				msg = answer.Msg
			}
			if b, ok := msg.(model.BatchArrived); ok && h.played && passTime(b.Batch.At) {
				return m, nil
			}
			ended, isEnd := msg.(model.FeedEnded)
			if isEnd && errors.Is(ended.Err, io.EOF) {
				if h.played && passTime(h.now()) || take(model.ClockTicked{Now: h.now()}) {
					return m, nil
				}
				// At a recording's end, open commands (details, causes) may
				// still answer.
				for late := time.After(endsWithin); open > 0; {
					select {
					case msg := <-answers:
						if open--; msg != nil && (take(msg) || take(model.ClockTicked{Now: h.now()})) {
							return m, nil
						}
						continue
					case <-late:
					case <-ctx.Done():
					}
					break
				}
			}
			stop := take(msg)
			switch {
			case isEnd && !errors.Is(ended.Err, io.EOF):
				return m, ended.Err // needed even if nothing was inspected
			case stop:
				return m, nil
			case isEnd:
				return m, errEnded
			}
		}
	}
}

// untilTick is how long to wait for the next tick: a second, or less where
// something is due sooner.
func (h headless) untilTick(wake time.Time) time.Duration {
	d := time.Second
	if !wake.IsZero() {
		d = min(d, wake.Sub(h.now()))
	}
	return max(d, time.Millisecond)
}
