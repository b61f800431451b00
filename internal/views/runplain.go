package views

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// runPlain shows the model as lines: one for each change, for people who
// listen to a screen and for terminals that cannot move a cursor. It ends with a
// recording that has played: nobody can go back in it, and nothing else comes.
func runPlain(ctx context.Context, source feed.Feed, m model.Model, opts Options) (model.Model, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	msgs := make(chan model.Msg) // closed by nobody: senders give up with ctx
	var wg sync.WaitGroup
	open := 0 // commands on their way, each of which sends a message, or nil
	start := func(cmds []model.Cmd) {
		open += len(cmds)
		for _, c := range cmds {
			wg.Go(func() {
				msg := c(ctx, source)
				select {
				case msgs <- msg:
				case <-ctx.Done():
				}
			})
		}
	}
	start(opts.Commands)
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, endSignals...)
	defer signal.Stop(sigs)
	typed := make(chan struct{}) // closed when the user has typed q
	if in := opts.Input; in != nil || term.IsTerminal(os.Stdin.Fd()) {
		if in == nil {
			in = os.Stdin
		}
		go waitForQ(in, typed)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	log, asciiLocale := NewChangeLog(), !speaksUTF8(opts.Env)
	m = m.Unfolded()
	defer wg.Wait()
	defer cancel()
	var late <-chan time.Time // when a recording that has played is waited for no longer
	for late == nil || open > 0 {
		var cmds []model.Cmd
		select {
		case msg := <-msgs:
			if open--; msg == nil {
				continue
			}
			m, cmds = m.Update(msg)
			if ended, ok := msg.(model.FeedEnded); ok && errors.Is(ended.Err, io.EOF) {
				var more []model.Cmd
				m, more = m.Update(model.ClockTicked{Now: opts.Now()})
				cmds, late = append(cmds, more...), time.After(endsWithin)
			}
		case <-late:
			return m, nil
		case <-tick.C:
			m, cmds = m.Update(model.ClockTicked{Now: opts.Now()})
		case <-typed:
			return m, nil
		case sig := <-sigs:
			return m, Interrupted{sig}
		case <-ctx.Done():
			return m, nil
		}
		start(cmds)
		for _, line := range log.Lines(m, opts.Zone) {
			if asciiLocale {
				line = asciiOnly(spelled.Replace(line))
			}
			if _, err := fmt.Fprintln(opts.Output, line); err != nil {
				return m, fmt.Errorf("write: %w", err)
			}
		}
	}
	return m, nil
}

// endsWithin is how long the end of a recording waits for what the model has asked
// for: the log line that a cause quotes, in the report that is written then.
const endsWithin = 2 * time.Second

// waitForQ reads lines until one is "q".
func waitForQ(in io.Reader, typed chan<- struct{}) {
	buf := make([]byte, 256)
	for {
		n, err := in.Read(buf)
		if strings.TrimSpace(string(buf[:n])) == "q" {
			close(typed)
			return
		}
		if err != nil {
			return
		}
	}
}
