package views

// This file connects the model to Bubble Tea and to the process: it runs the
// model's commands, gives it the clock, and owns the terminal from the first
// frame to the last. Everything that the rest of the package must not touch
// (time, goroutines, the environment, signals) is here or in terminal_*.go.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options are the wishes about the screen.
type Options struct {
	// Commands are those that model.New returned with the model.
	Commands []model.Cmd
	Theme    string // one of ThemeNames; "" means auto
	ASCII    bool
	NoMouse  bool
	NoMotion bool
	// Plain is for screen readers and dumb terminals: no screen, but a line
	// for each change.
	Plain bool
	// Report writes a report of the model. It is called between two messages,
	// when the model may be read, and returns the slow part: what writes the
	// file and says where it is. Nil means that there are no reports.
	Report func(model.Model) func() (where string, err error)

	// Now is the clock that ages are measured by: a recording has its own. Nil
	// means time.Now.
	Now func() time.Time

	Input  *os.File       // nil means os.Stdin, or the terminal where that is a pipe
	Output *os.File       // nil means os.Stdout
	Errors *os.File       // nil means os.Stderr
	Env    []string       // nil means os.Environ()
	Zone   *time.Location // nil means time.Local
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
	// frame is how long a picture stands at least. The renderer writes on a
	// tick of the same length.
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
func Run(ctx context.Context, feed model.Feed, m model.Model, opts Options) (model.Model, error) {
	opts = opts.withDefaults()
	if opts.Plain || lookup(opts.Env, "TERM") == "dumb" {
		return runPlain(ctx, feed, m, opts)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	guard, err := takeTerminal(opts)
	if err != nil {
		return m, err
	}
	defer guard.restore()

	p := &program{
		ctx: ctx, feed: feed, m: m, opts: opts,
		names: opts.Theme, dark: true, started: time.Now(),
	}
	p.retheme()
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithOutput(guard.screen), tea.WithEnvironment(opts.Env),
		tea.WithFPS(60), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
	}
	if opts.Input != nil {
		options = append(options, tea.WithInput(opts.Input))
	}
	// no-color.org: any value that is not empty counts. Bubble Tea's own
	// reading takes "yes" for unset.
	if lookup(opts.Env, "NO_COLOR") != "" {
		options = append(options, tea.WithColorProfile(colorprofile.Ascii))
	}
	prog := tea.NewProgram(p, options...)

	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { p.signals(prog, stop) })
	wg.Go(func() { guard.read(func(line string) { prog.Send(noticed(line)) }) })
	_, err = prog.Run()
	_, _ = guard.screen.WriteString(stopTheme) // Bubble Tea does not know that it is on
	cancel()
	close(stop)
	guard.restore()
	wg.Wait()
	p.drain()
	if p.crash == nil {
		p.farewell()
	}

	switch {
	case p.crash != nil:
		return p.m, *p.crash
	case p.signal != nil:
		return p.m, Interrupted{p.signal}
	case errors.Is(err, tea.ErrInterrupted):
		return p.m, Interrupted{os.Interrupt}
	case errors.Is(err, tea.ErrProgramKilled) && context.Cause(ctx) != nil && p.quitting:
		return p.m, nil
	case err != nil && !errors.Is(err, context.Canceled):
		return p.m, fmt.Errorf("terminal: %w", err)
	}
	return p.m, nil
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
	if !speaksUTF8(o.Env) {
		o.ASCII = true
	}
	return o
}

func lookup(env []string, key string) string {
	v := ""
	for _, e := range env {
		if k, val, ok := strings.Cut(e, "="); ok && k == key {
			v = val
		}
	}
	return v
}

// speaksUTF8 reads the locale. Where nothing is said, today's terminals do.
func speaksUTF8(env []string) bool {
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(lookup(env, key)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// program is the model in Bubble Tea's terms. It draws at most once a frame,
// and only when something has changed.
type program struct {
	ctx  context.Context
	feed model.Feed
	m    model.Model
	opts Options

	th    *Theme
	names string
	dark  bool

	canvas   Canvas
	view     tea.View
	drawn    time.Time
	revision uint64
	stale    bool // something besides the model has changed the picture
	pending  bool // a frame is on its way
	hurry    bool // a person has done something and waits for the answer
	measured model.Measured

	started  time.Time
	asked    int // how often the terminal was asked for its attributes
	answered int // how often it has told them
	quitting bool
	signal   os.Signal
	crash    *Crashed
	running  sync.WaitGroup
}

// Messages of our own.
type (
	told     struct{ msg model.Msg } // what a command has found out
	ticked   time.Time
	frameDue struct{}
	leave    struct{} // the fence has passed
	killed   struct{ sig os.Signal }
	crashed  Crashed
)

// ask turns on the reports about the background and asks for it now. The
// device attributes come last: every terminal answers that, and answers in
// order, so nothing is on its way any more once it has.
const (
	askAll     = ansi.RequestBackgroundColor + "\x1b[?2031h\x1b[?996n" + ansi.RequestPrimaryDeviceAttributes
	askFence   = ansi.RequestPrimaryDeviceAttributes
	stopTheme  = "\x1b[?2031l"
	startTheme = "\x1b[?2031h\x1b[?996n"
)

func (p *program) Init() tea.Cmd {
	p.asked++
	cmds := []tea.Cmd{tea.Raw(askAll), p.tick()}
	for _, c := range p.opts.Commands {
		cmds = append(cmds, p.run(c))
	}
	return tea.Batch(cmds...)
}

// run makes a command of the model one of Bubble Tea's. A panic in it ends the
// program in order.
func (p *program) run(c model.Cmd) tea.Cmd {
	if c == nil {
		return nil
	}
	p.running.Add(1)
	return func() (msg tea.Msg) {
		defer p.running.Done()
		defer func() {
			if r := recover(); r != nil {
				msg = crashed{r, debug.Stack()}
			}
		}()
		if out := c(p.ctx, p.feed); out != nil {
			return told{out}
		}
		return nil
	}
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
	if lookup(p.opts.Env, "NO_COLOR") != "" {
		out.Profile = colorprofile.Ascii
	}
	_, _ = io.WriteString(out, Farewell(p.m, p.th, true))
}

// tick is the next second, or earlier where a judgement changes then.
func (p *program) tick() tea.Cmd {
	now := p.opts.Now()
	wait := time.Second - time.Duration(now.Nanosecond())
	if wake := p.m.NextWake(); !wake.IsZero() {
		if d := wake.Sub(now); d < wait {
			wait = max(d, 10*time.Millisecond)
		}
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return ticked(p.opts.Now()) })
}

func (p *program) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			p.crash = &Crashed{r, debug.Stack()}
			cmd = tea.Quit
		}
	}()
	if p.crash != nil {
		return p, tea.Quit
	}
	cmd = p.handle(msg)
	return p, tea.Batch(cmd, p.refresh())
}

func (p *program) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case told:
		return tea.Batch(p.fulfil(msg.msg), p.send(msg.msg))
	case ticked:
		return tea.Batch(p.send(model.ClockTicked{Now: time.Time(msg)}), p.tick())
	case frameDue:
		p.pending = false
	case tea.WindowSizeMsg:
		p.stale = true
		return p.send(model.Resized{W: msg.Width, H: msg.Height})
	case tea.KeyPressMsg:
		k := msg.Key()
		text := k.Text
		if k.Mod&^tea.ModShift != 0 {
			text = ""
		}
		key := msg.String()
		if key == "alt+esc" {
			key = "esc" // twice in a row, in terminals that do not tell them apart
		}
		p.hurry = true
		return p.send(model.KeyPressed{Key: key, Text: text})
	case tea.PasteMsg:
		return p.send(model.Pasted{Text: msg.Content})
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return p.click(msg.X, msg.Y)
		}
	case tea.MouseWheelMsg:
		return p.wheel(msg)
	case tea.BackgroundColorMsg:
		return p.background(msg.IsDark())
	case uv.DarkColorSchemeEvent:
		return p.background(true)
	case uv.LightColorSchemeEvent:
		return p.background(false)
	case uv.PrimaryDeviceAttributesEvent:
		p.answered++
		if p.quitting && p.answered >= p.asked {
			return tea.Quit
		}
	case tea.FocusMsg:
		return p.send(model.FocusChanged{Focused: true})
	case tea.BlurMsg:
		return p.send(model.FocusChanged{})
	case tea.ResumeMsg:
		p.stale = true
		return tea.Batch(tea.Raw(startTheme), p.send(model.ClockTicked{Now: p.opts.Now()}))
	case noticedMsg:
		return p.send(model.NoticeArrived{Notice: status.Notice(msg)})
	case killed:
		p.signal = msg.sig
		return tea.Quit
	case crashed:
		c := Crashed(msg)
		p.crash = &c
		return tea.Quit
	case leave:
		return tea.Quit
	}
	return nil
}

// send hands a fact to the model.
func (p *program) send(msg model.Msg) tea.Cmd {
	m, cmds := p.m.Update(msg)
	p.m = m
	return p.batch(cmds)
}

func (p *program) batch(cmds []model.Cmd) tea.Cmd {
	switch len(cmds) {
	case 0:
		return nil
	case 1:
		return p.run(cmds[0])
	}
	out := make([]tea.Cmd, len(cmds))
	for i, c := range cmds {
		out[i] = p.run(c)
	}
	return tea.Batch(out...)
}

// fulfil does what only the owner of the terminal can.
func (p *program) fulfil(msg model.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case model.QuitAsked:
		return p.quit()
	case model.SuspendAsked:
		return tea.Sequence(tea.Raw(stopTheme), tea.Suspend)
	case model.RedrawAsked:
		p.stale = true
		return tea.ClearScreen
	case model.CopyAsked:
		what := msg.What
		return tea.Batch(tea.SetClipboard(msg.Text), func() tea.Msg { return told{model.Copied{What: what}} })
	case model.NotifyAsked:
		// A bell, and the two ways in which terminals know notifications.
		title, text := asciiOnly(msg.Title), asciiOnly(msg.Text)
		return tea.Raw("\a\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + text + "\x1b\\" +
			"\x1b]9;" + title + ": " + text + "\x1b\\")
	case model.ReportAsked:
		return p.report()
	}
	return nil
}

func (p *program) report() tea.Cmd {
	note := func(level, text string) tea.Msg {
		return noticedMsg{At: time.Now(), Level: level, From: "report", Text: text}
	}
	if p.opts.Report == nil {
		return func() tea.Msg { return note("warning", "there are no reports here") }
	}
	write := p.opts.Report(p.m)
	return func() tea.Msg {
		where, err := write()
		if err != nil {
			return note("error", err.Error())
		}
		return note("info", "saved "+where)
	}
}

// quit ends the program once the terminal has nothing more to answer.
func (p *program) quit() tea.Cmd {
	if p.quitting {
		return tea.Quit // asked for twice: now
	}
	p.quitting = true
	if p.answered >= p.asked && time.Since(p.started) > time.Second {
		return tea.Quit
	}
	p.asked++
	// The renderer asks things of its own with the first frame.
	return tea.Batch(tea.Raw(askFence), tea.Tick(fence, func(time.Time) tea.Msg { return leave{} }))
}

func (p *program) background(dark bool) tea.Cmd {
	if dark != p.dark {
		p.dark = dark
		p.retheme()
	}
	return p.send(model.BackgroundKnown{Dark: dark})
}

// retheme builds the theme anew. Its name has been checked before.
func (p *program) retheme() {
	th, err := NewTheme(p.names, p.dark, p.opts.ASCII)
	if err != nil {
		th, _ = NewTheme("auto", p.dark, p.opts.ASCII)
	}
	p.th = th
	p.stale = true
}

func (p *program) look() Look { return Look{Theme: p.th, Zone: p.opts.Zone} }

func (p *program) click(x, y int) tea.Cmd {
	w, h := p.m.Size()
	d := newDrawing(&p.canvas, p.m, p.look())
	if p.m.Mode() != model.Browsing || w == 0 || h == 0 {
		return nil
	}
	if msg := d.hit(x, y); msg != nil {
		return p.send(msg)
	}
	return nil
}

func (p *program) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	lines := 3
	switch msg.Button {
	case tea.MouseWheelUp:
		lines = -3
	case tea.MouseWheelDown:
	default:
		return nil
	}
	over := model.FocusTree
	if d := newDrawing(&p.canvas, p.m, p.look()); !d.l.pane.empty() && (d.l.tree.empty() || d.l.pane.contains(msg.X, msg.Y)) {
		over = model.FocusPane
	}
	return p.send(model.Scrolled{Over: over, Lines: lines})
}

// refresh draws when something has changed and the last frame has stood long
// enough; otherwise it sees to it that this happens.
func (p *program) refresh() tea.Cmd {
	if !p.stale && p.m.Revision() == p.revision {
		return nil
	}
	if w, h := p.m.Size(); w <= 0 || h <= 0 {
		return nil
	}
	now := time.Now()
	// The answer to a key does not wait for a frame of its own: the renderer
	// waits for its next tick already. A stuck key draws four times as often.
	least := frame
	if p.hurry {
		least = frame / 4
	}
	if wait := least - now.Sub(p.drawn); wait > 0 {
		if p.pending {
			return nil
		}
		p.pending = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return frameDue{} })
	}
	var cmd tea.Cmd
	if fits := Measure(p.m, p.look()); fits != p.measured {
		p.measured = fits
		cmd = p.send(fits)
	}
	p.draw()
	p.drawn, p.hurry = now, false
	return cmd
}

func (p *program) draw() {
	p.revision, p.stale = p.m.Revision(), false
	cursor := Draw(&p.canvas, p.m, p.look())
	v := tea.NewView(p.canvas.String(p.th))
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = WindowTitle(p.m, p.th)
	v.ProgressBar = progress(p.m)
	if !p.opts.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if cursor.Show {
		v.Cursor = tea.NewCursor(cursor.X, cursor.Y)
		v.Cursor.Shape = tea.CursorBar
		v.Cursor.Blink = !p.opts.NoMotion
	}
	p.view = v
}

// progress is the terminal's own progress bar: how much is Current, and in
// which colour.
func progress(s State) *tea.ProgressBar {
	v, counts := s.Verdict(), s.Counts()
	if v.Empty || counts.Total() == 0 || v.Status == status.Current {
		return tea.NewProgressBar(tea.ProgressBarNone, 0)
	}
	state := tea.ProgressBarDefault
	switch {
	case v.Status == status.Failed:
		state = tea.ProgressBarError
	case v.Lost || v.Stalled:
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, percent(counts))
}

func (p *program) View() tea.View {
	p.view.AltScreen = true
	return p.view
}

// signals turns signals into the end of the program: in order if the program
// still listens, by force if it does not.
func (p *program) signals(prog *tea.Program, stop <-chan struct{}) {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, endSignals...)
	defer signal.Stop(ch)
	var force, last <-chan time.Time
	for {
		select {
		case <-stop:
			return
		case sig := <-ch:
			if force != nil || last != nil {
				continue
			}
			force = time.After(patience)
			go prog.Send(killed{sig})
		case <-force:
			force, last = nil, time.After(patience)
			go prog.Kill()
		case <-last:
			// The renderer hangs in a write to a terminal that is stopped
			// (ctrl+s, a pty that nobody reads), and nobody in this process
			// can take that back. The helper gives the terminal back once it
			// moves again.
			os.Exit(130)
		}
	}
}

// noticedMsg is a line that somebody else wrote to standard output or error.
type noticedMsg status.Notice

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

// runPlain shows the model as lines: one for each change, for people who
// listen to a screen and for terminals that cannot move a cursor.
func runPlain(ctx context.Context, feed model.Feed, m model.Model, opts Options) (model.Model, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	msgs := make(chan model.Msg) // closed by nobody: senders give up with ctx
	var wg sync.WaitGroup
	start := func(cmds []model.Cmd) {
		for _, c := range cmds {
			wg.Go(func() {
				if msg := c(ctx, feed); msg != nil {
					select {
					case msgs <- msg:
					case <-ctx.Done():
					}
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
	log := NewChangeLog()
	defer wg.Wait()
	defer cancel()
	for {
		var cmds []model.Cmd
		select {
		case msg := <-msgs:
			m, cmds = m.Update(msg)
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
			if _, err := fmt.Fprintln(opts.Output, line); err != nil {
				return m, fmt.Errorf("write: %w", err)
			}
		}
	}
}

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
