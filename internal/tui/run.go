// Package tui is the Bubble Tea program: it connects model and views to the
// terminal and to the process. run.go begins and ends it, program.go is the
// tea.Model, colours.go chooses its theme, leaving.go quits and suspends it,
// terminal_*.go keeps other writers away from the terminal, rescue_unix.go
// restores it after a crash.
package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// Options configure the screen.
type Options struct {
	ASCII    bool
	NoMouse  bool
	NoMotion bool
	// Themes are the user's.
	Themes map[string]views.UserTheme
	// Columns are the names of the tree's columns; nil means the default.
	Columns []string
	// Now is the clock that ages are measured by: a recording has its own. Nil
	// means time.Now.
	Now func() time.Time

	Input  *os.File       // nil means os.Stdin, or the terminal where that is a pipe
	Output *os.File       // nil means os.Stdout
	Env    []string       // nil means os.Environ()
	Zone   *time.Location // nil means time.Local
}

// Interrupted is the error of a program that was ended by a signal.
type Interrupted struct{ Signal os.Signal }

func (e Interrupted) Error() string { return "interrupted by " + e.Signal.String() }

// Crashed is the error of a program that was ended by a panic. The terminal has
// been restored when it is returned.
type Crashed struct {
	Value any
	Stack []byte
}

func (e Crashed) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

const (
	// fps is Bubble Tea's frame rate; docs/internals/benchmarks.md compares it with 60.
	fps = 120
	// frame is the least time between two ticks.
	frame = time.Second / 60
	// spins is how often a second the spinner turns.
	spins = 6
	// reading is how long a flash is shown.
	reading = 3 * time.Second
	// answerTime is how long the terminal may take to answer what it is asked at
	// the start. A later answer would reach the shell as typed text.
	answerTime = 500 * time.Millisecond
	// patience is how long a signal waits for an orderly end.
	patience = 600 * time.Millisecond
)

// Run shows a new model until the user quits, a signal arrives or ctx is done,
// and returns its last state. It owns the terminal, standard output and
// standard error meanwhile: text that others write there becomes a notice.
// Afterwards it prints the verdict, the causes and what took longest.
func Run(ctx context.Context, of model.Options, opts Options) (*model.Model, error) {
	opts = opts.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	of.Ctx = ctx
	p := newProgram(of, opts)
	first := p.m

	guard, err := takeTerminal(opts)
	if err != nil {
		return first, err
	}
	defer guard.restore()

	settings := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(guard.input),
		tea.WithOutput(guard.screen), tea.WithEnvironment(opts.Env), tea.WithFPS(fps),
		tea.WithFilter(p.hold),
		// Bubble Tea's own handlers would exit with 0 on SIGTERM, and print a
		// panic's trace on the alternate screen.
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
	}
	if colourless(opts.Env) {
		settings = append(settings, tea.WithColorProfile(colorprofile.ASCII))
	}
	prog := tea.NewProgram(p, settings...)

	stop := make(chan struct{})
	var wg sync.WaitGroup
	received := make(chan os.Signal, 4) // The warnings must be printed before the first frame.
	signal.Notify(received, append(stopSignals, endSignals...)...)
	defer signal.Stop(received)
	stuck := make(chan os.Signal, 1)
	wg.Go(func() { p.signals(prog, received, stop, stuck) })
	wg.Go(func() { guard.read(func(line string) { prog.Send(model.NoticeArrived{Notice: noticed(line)}) }) })
	ended := make(chan error, 1)
	go func() {
		_, err := prog.Run()
		ended <- err
	}()
	select {
	case err = <-ended:
	case sig := <-stuck:
		// The terminal is stopped or not read. Nothing can be written to it
		// now; the helper restores it later.
		guard.abandon()
		return first, Interrupted{sig}
	}
	cancel()
	close(stop)
	guard.restore()
	wg.Wait()
	if p.crash == nil {
		p.farewell()
	}

	return p.m, p.outcome(ctx, err)
}

// outcome converts the error that ended Bubble Tea's program.
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
	case errors.Is(err, syscall.EIO): // a closed terminal may be noticed before its SIGHUP arrives
		return Interrupted{syscall.SIGHUP}
	case err != nil && !errors.Is(err, context.Canceled):
		return fmt.Errorf("terminal: %w", err)
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Output, o.Zone = cmp.Or(o.Output, os.Stdout), cmp.Or(o.Zone, time.Local)
	o.ASCII = o.ASCII || !views.SpeaksUTF8(o.Env)
	return o
}

// farewell prints the verdict to the shell. A failed write is ignored: after a
// hang-up nobody reads it.
func (p *program) farewell() {
	if w, h := p.m.Panes.Size(); w == 0 || h == 0 || p.m.Facts.Counts().Total() == 0 {
		return // no frame was ever shown
	}
	out := colorprofile.NewWriter(p.opts.Output, p.opts.Env)
	if colourless(p.opts.Env) {
		out.Profile = colorprofile.Ascii
	}
	_, _ = io.WriteString(out, views.Farewell(views.Of(p.m), p.theme))
}

// signals turns signals into the end of the program: in order if the program
// still reacts, otherwise it reports on stuck.
func (p *program) signals(prog *tea.Program, received <-chan os.Signal, stop <-chan struct{}, stuck chan<- os.Signal) {
	var last <-chan time.Time
	var by os.Signal
	for {
		select {
		case <-stop:
			return
		case sig := <-received:
			switch {
			case Away() && sig == os.Interrupt:
				continue // it is meant for the program that has the terminal
			case Away() && slices.Contains(stopSignals, sig):
				job := &stopJob{}
				job.SetStdout(io.Discard)
				_ = job.Run() // it stops with that program
				continue
			case slices.Contains(stopSignals, sig):
				go prog.Send(tea.SuspendMsg{})
				continue
			}
			if by == nil {
				by, last = sig, time.After(patience)
				go prog.Send(killed{sig})
			}
		case <-last:
			stuck <- by
			return
		}
	}
}

// klog writes a letter for the level, then the date.
var klog = regexp.MustCompile(`^([IWEF])[01]\d{3} .*?\] `)

// noticed is a line that another writer sent to standard output or error.
func noticed(line string) feed.Notice {
	level := "info"
	if head := klog.FindStringSubmatch(line); head != nil {
		level = map[string]string{"I": "info", "W": "warning", "E": "error", "F": "error"}[head[1]]
		line = line[len(head[0]):]
	}
	return feed.Notice{Level: level, From: "stderr", Text: line}
}
