// Package tui is the Bubble Tea program: it connects model and views to the terminal
// and to the process. run.go begins and ends it, program.go is the tea.Model, wishes.go
// does what the model wishes to have done, terminal_*.go keeps everybody but Bubble
// Tea away from the terminal, rescue_unix.go gives it back after a crash.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// Options are the wishes about the screen.
type Options struct {
	// Commands are those that model.New returned with the model.
	Commands []model.Cmd
	Theme    string // one of ThemeNames; "" means auto
	ASCII    bool
	NoMouse  bool
	NoMotion bool
	// Hidden are columns of the tree that are left out.
	Hidden views.Hidden
	// Report is a report of the model, as md, json or svg. It is called between
	// two messages, when the model may be read. Nil means that there are none.
	Report func(m model.Model, format string, look views.Look) ([]byte, error)
	// Save writes text to a new file whose name begins and ends like name, and
	// says where it is. Nil means that nothing can be saved.
	Save func(name, text string) (where string, err error)

	// Reopen begins to follow something else. It may take its time; what is
	// followed now goes on until it has succeeded. Nil means that it cannot be.
	Reopen func(ctx context.Context, what model.ReopenAsked) (*Session, error)
	// Sources lists names of what could be followed. Nil means none are known.
	Sources func(ctx context.Context) ([]string, error)

	// Now is the clock that ages are measured by: a recording has its own. Nil
	// means time.Now.
	Now func() time.Time

	Input  *os.File       // nil means os.Stdin, or the terminal where that is a pipe
	Output *os.File       // nil means os.Stdout
	Errors *os.File       // nil means os.Stderr
	Env    []string       // nil means os.Environ()
	Zone   *time.Location // nil means time.Local
}

// Session is something to follow: what Reopen has begun.
type Session struct {
	Feed feed.Feed
	// Begin makes the model of the new session, from the one that it follows.
	Begin func(before model.Model) (model.Model, []model.Cmd)
	Now   func() time.Time
	// Left is called once the screen shows this session: it ends the one before,
	// and may take its time.
	Left func() error
}

// Interrupted is the error of a program that a signal has ended.
type Interrupted struct{ Signal os.Signal }

func (e Interrupted) Error() string { return "interrupted by " + e.Signal.String() }

// Crashed is the error of a program that has ended by a panic. The terminal
// is the user's again when it is returned.
type Crashed struct {
	Value any
	Stack []byte
}

func (e Crashed) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

const (
	// fps is how often Bubble Tea looks for a new frame. At 60 it would answer a
	// key after 8 ms on average, and 17 at worst, before it writes anything.
	fps = 120
	// frame is how long a tick is at least.
	frame = time.Second / 60
	// fence is how long a program that is about to end waits for terminals
	// that answer slowly; what they answered later would reach the shell as
	// typed text.
	fence = 450 * time.Millisecond
	// patience is how long a signal waits for an orderly end.
	patience = 300 * time.Millisecond
)

// Run shows the model until the user quits, a signal arrives or ctx is done,
// and returns the model's last state. It owns the terminal, standard output
// and standard error in between: what anybody else writes there becomes a
// notice. Afterwards it prints the verdict, the causes and what took longest.
func Run(ctx context.Context, source feed.Feed, m model.Model, opts Options) (model.Model, error) {
	opts = opts.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	guard, err := takeTerminal(opts)
	if err != nil {
		return m, err
	}
	defer guard.restore()

	p := &program{
		ctx: ctx, feed: source, m: m, opts: opts, following: ctx, leave: func() {},
		names: opts.Theme, dark: true, started: time.Now(),
	}
	p.retheme()
	p.view = p.blank()
	settings := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(guard.input), tea.WithOutput(guard.screen), tea.WithEnvironment(opts.Env), tea.WithFPS(fps),
		// Its own would leave with 0 on SIGTERM, and print a panic's trace where
		// nobody reads it.
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
	}
	if views.Getenv(opts.Env, "NO_COLOR") != "" { // no-color.org: whatever its value; Bubble Tea takes "yes" for unset
		settings = append(settings, tea.WithColorProfile(colorprofile.ASCII))
	}
	prog := tea.NewProgram(p, settings...)

	stop := make(chan struct{})
	var wg sync.WaitGroup
	heard := make(chan os.Signal, 4) // before anything is on the screen: it would stay there
	signal.Notify(heard, append(stopSignals, endSignals...)...)
	defer signal.Stop(heard)
	stuck := make(chan os.Signal, 1)
	wg.Go(func() { p.signals(prog, heard, stop, stuck) })
	wg.Go(func() { guard.read(func(line string) { prog.Send(noticed(line)) }) })
	ended := make(chan error, 1)
	go func() {
		_, err := prog.Run()
		ended <- err
	}()
	select {
	case err = <-ended:
	case sig := <-stuck:
		// The terminal is stopped, or nobody reads it. Nothing can be written
		// to it; the helper gives it back once it moves again.
		guard.abandon()
		return m, Interrupted{sig}
	}
	cancel()
	close(stop)
	guard.restore()
	wg.Wait()
	p.drain()
	if p.crash == nil {
		p.farewell()
	}

	return p.m, p.outcome(ctx, err)
}

// outcome is the error of a program that Bubble Tea has ended with err.
func (p *program) outcome(ctx context.Context, err error) error {
	switch {
	case p.crash != nil:
		return *p.crash
	case p.signal != nil:
		return Interrupted{p.signal}
	case errors.Is(err, tea.ErrInterrupted):
		return Interrupted{os.Interrupt}
	case errors.Is(err, tea.ErrProgramKilled) && context.Cause(ctx) != nil && p.quitting:
		return nil
	case err != nil && !errors.Is(err, context.Canceled):
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Errors == nil {
		o.Errors = os.Stderr
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Zone == nil {
		o.Zone = time.Local
	}
	if o.Theme == "" {
		o.Theme = "auto"
	}
	if !views.SpeaksUTF8(o.Env) {
		o.ASCII = true
	}
	return o
}

// drain waits a moment for commands that are still running, so that nobody
// uses the feed after Run has returned. They have been told to stop.
func (p *program) drain() {
	done := make(chan struct{})
	go func() { p.running.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
	}
}

// farewell leaves the verdict in the shell. Nobody may be left to read it
// (a hang-up), so a failure to write it is none.
func (p *program) farewell() {
	if w, h := p.m.Size(); w == 0 || h == 0 || p.m.Counts().Total() == 0 {
		return // it never got as far as a picture
	}
	out := colorprofile.NewWriter(p.opts.Output, p.opts.Env)
	if views.Getenv(p.opts.Env, "NO_COLOR") != "" {
		out.Profile = colorprofile.Ascii
	}
	_, _ = io.WriteString(out, views.Farewell(p.m, p.th, true))
}

// signals turns signals into the end of the program: in order if the program
// still listens, by force if it does not. Where that fails too, it says so on
// stuck.
func (p *program) signals(prog *tea.Program, heard <-chan os.Signal, stop <-chan struct{}, stuck chan<- os.Signal) {
	var force, last <-chan time.Time
	var by os.Signal
	for {
		select {
		case <-stop:
			return
		case sig := <-heard:
			if slices.Contains(stopSignals, sig) {
				go prog.Send(told{model.SuspendAsked{}, anySession})
				continue
			}
			if by != nil {
				continue
			}
			by, force = sig, time.After(patience)
			go prog.Send(killed{sig})
		case <-force:
			force, last = nil, time.After(patience)
			go prog.Kill()
		case <-last:
			stuck <- by
			return
		}
	}
}

// noticedMsg is a line that somebody else wrote to standard output or error.
type noticedMsg feed.Notice

func noticed(line string) tea.Msg {
	level := "info"
	// klog writes a letter for the level, then the date.
	if len(line) > 5 && line[1] >= '0' && line[1] <= '1' {
		switch line[0] {
		case 'W':
			level = "warning"
		case 'E', 'F':
			level = "error"
		}
		if _, text, ok := strings.Cut(line, "] "); ok {
			line = text
		}
	}
	return noticedMsg{At: time.Now(), Level: level, From: "stderr", Text: line}
}
