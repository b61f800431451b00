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
	"slices"
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
	// Hidden are columns of the tree that are left out.
	Hidden Hidden
	// Plain is for screen readers and dumb terminals: no screen, but a line
	// for each change.
	Plain bool
	// Report writes a report of the model. It is called between two messages,
	// when the model may be read, and returns the slow part: what writes the
	// file and says where it is. Nil means that there are no reports.
	Report func(m model.Model, format string, look Look) func() (where string, err error)

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
	// frame is how long a picture stands at least.
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
		ctx: ctx, feed: feed, m: m, opts: opts, guard: guard,
		screen: &screen{out: guard.screen, mouse: !opts.NoMouse},
		names:  opts.Theme, dark: true, started: time.Now(),
	}
	p.retheme()
	if err := guard.raw(); err != nil {
		return m, err
	}
	prog := tea.NewProgram(p,
		tea.WithContext(ctx), tea.WithInput(guard.input), tea.WithOutput(guard.screen), tea.WithEnvironment(opts.Env),
		// Pictures are ours to write: screen.go says why. Bubble Tea's tick has
		// nothing to do then, but it cannot be turned off.
		tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())

	stop := make(chan struct{})
	var wg sync.WaitGroup
	heard := make(chan os.Signal, 4) // before anything is on the screen: it would stay there
	signal.Notify(heard, append(stopSignals, endSignals...)...)
	defer signal.Stop(heard)
	p.screen.start()
	wg.Go(func() { p.signals(prog, heard, stop) })
	wg.Go(func() { guard.sizes(stop, func() { prog.Send(p.size()) }) })
	wg.Go(func() { guard.read(func(line string) { prog.Send(noticed(line)) }) })
	_, err = prog.Run()
	cancel()
	close(stop)
	if !p.screen.stop(patience) {
		// The terminal is stopped, or nobody reads it. Nothing can be written
		// to it; the helper gives it back once it moves again.
		guard.abandon()
		return p.m, p.outcome(ctx, err)
	}
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

	guard   *terminal
	screen  *screen
	profile colorprofile.Profile // what colours the terminal has; Unknown until it is known

	drawn    time.Time
	revision uint64
	stale    bool // something besides the model has changed the picture
	wipe     bool // something else may stand on the screen
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
	ticked   struct{}
	frameDue struct{}
	fenced   struct{} // the fence has passed
	killed   struct{ sig os.Signal }
	crashed  Crashed
)

// askAll turns on the reports about the background and asks for it now. The
// device attributes come last: every terminal answers that, and answers in
// order, so nothing is on its way any more once it has.
const (
	askAll     = ansi.RequestBackgroundColor + startTheme + ansi.RequestPrimaryDeviceAttributes
	askFence   = ansi.RequestPrimaryDeviceAttributes
	stopTheme  = "\x1b[?2031l"
	startTheme = "\x1b[?2031h\x1b[?996n"
)

func (p *program) Init() tea.Cmd {
	p.asked++
	if knowsModes(p.opts.Env) {
		p.screen.send(ansi.RequestModeSynchronizedOutput)
	}
	p.screen.send(askAll)
	cmds := []tea.Cmd{p.size, p.tick()}
	for _, c := range p.opts.Commands {
		cmds = append(cmds, p.run(c))
	}
	return tea.Batch(cmds...)
}

// knowsModes reports whether the terminal can be asked which modes it has. Some
// draw the question: Apple's own, which behind ssh cannot be told from others.
func knowsModes(env []string) bool {
	if name := lookup(env, "TERM"); lookup(env, "SSH_TTY") != "" {
		return slices.ContainsFunc([]string{"ghostty", "wezterm", "alacritty", "kitty", "rio", "tmux", "foot"},
			func(s string) bool { return strings.Contains(name, s) })
	}
	return !strings.Contains(lookup(env, "TERM_PROGRAM"), "Apple")
}

// size is how large the terminal is now.
func (p *program) size() tea.Msg {
	w, h, err := term.GetSize(p.guard.screen.Fd())
	if err != nil {
		return nil
	}
	return tea.WindowSizeMsg{Width: w, Height: h}
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
	if r := p.m.Playback(); r != nil && r.Speed > 0 {
		// A recording's second is not one of ours.
		wait = min(max(time.Duration(float64(wait)/r.Speed), frame), time.Second)
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return ticked{} })
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
		// The clock is read now and not when the tick was sent: a recording may
		// have jumped in between.
		return tea.Batch(p.send(model.ClockTicked{Now: p.opts.Now()}), p.tick())
	case frameDue:
		p.pending = false
	case tea.WindowSizeMsg:
		if msg.Width <= 0 || msg.Height <= 0 {
			return nil // what Bubble Tea believes before anybody has looked
		}
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
	case tea.ColorProfileMsg:
		p.colours(msg.Profile)
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset {
			p.screen.synchronize() // it is known, and off
		}
	case noticedMsg:
		return p.send(model.NoticeArrived{Notice: status.Notice(msg)})
	case killed:
		p.signal = msg.sig
		return tea.Quit
	case crashed:
		c := Crashed(msg)
		p.crash = &c
		return tea.Quit
	case fenced:
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
		return p.suspend()
	case model.RedrawAsked:
		p.stale, p.wipe = true, true
	case model.CopyAsked:
		what := msg.What
		p.screen.send(ansi.SetSystemClipboard(msg.Text))
		return func() tea.Msg { return told{model.Copied{What: what}} }
	case model.NotifyAsked:
		// A bell, and the two ways in which terminals know notifications.
		title, text := asciiOnly(msg.Title), asciiOnly(msg.Text)
		p.screen.send("\a\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + text + "\x1b\\" +
			"\x1b]9;" + title + ": " + text + "\x1b\\")
	case model.ThemeAsked:
		p.names = msg.Name
		p.retheme()
	case model.ReportAsked:
		return p.report(msg.Format)
	}
	return nil
}

func (p *program) report(format string) tea.Cmd {
	note := func(level, text string) tea.Msg {
		return noticedMsg{At: time.Now(), Level: level, From: "report", Text: text}
	}
	if p.opts.Report == nil {
		return func() tea.Msg { return note("warning", "there are no reports here") }
	}
	write := p.opts.Report(p.m, format, p.look())
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
	p.screen.send(askFence)
	return tea.Tick(fence, func(time.Time) tea.Msg { return fenced{} })
}

// suspend gives the terminal to the shell until the user comes back.
func (p *program) suspend() tea.Cmd {
	if !p.guard.canSuspend() || !p.screen.stop(patience) {
		return nil
	}
	p.guard.suspend()
	p.screen.start()
	p.screen.send(startTheme)
	p.stale, p.wipe = true, true
	return tea.Batch(p.size, p.send(model.ClockTicked{Now: p.opts.Now()}))
}

func (p *program) background(dark bool) tea.Cmd {
	if dark != p.dark {
		p.dark = dark
		p.retheme()
	}
	return p.send(model.BackgroundKnown{Dark: dark})
}

// colours are what the terminal has. no-color.org: any value that is not empty
// counts; Bubble Tea's own reading takes "yes" for unset.
func (p *program) colours(profile colorprofile.Profile) {
	if lookup(p.opts.Env, "NO_COLOR") != "" {
		profile = colorprofile.ASCII
	}
	p.profile = profile
	p.retheme()
}

// retheme builds the theme anew. Its name has been checked before. Without
// colours, what they say is said by bold and reversed text.
func (p *program) retheme() {
	name := p.names
	if p.profile != colorprofile.Unknown && p.profile <= colorprofile.ASCII && name != "ascii" {
		name = "mono"
	}
	th, err := NewTheme(name, p.dark, p.opts.ASCII)
	if err != nil {
		th, _ = NewTheme("auto", p.dark, p.opts.ASCII)
	}
	th.limit(p.profile)
	p.th = th
	p.stale = true
}

func (p *program) look() Look { return Look{Theme: p.th, Zone: p.opts.Zone, Hidden: p.opts.Hidden} }

func (p *program) click(x, y int) tea.Cmd {
	w, h := p.m.Size()
	d := newDrawing(NewCanvas(0, 0), p.m, p.look())
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
	if d := newDrawing(NewCanvas(0, 0), p.m, p.look()); !d.l.pane.empty() && (d.l.tree.empty() || d.l.pane.contains(msg.X, msg.Y)) {
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
	if w, h := p.m.Size(); w <= 0 || h <= 0 || p.profile == colorprofile.Unknown {
		return nil
	}
	now := time.Now()
	// What a person has asked for comes at once; a stuck key draws four times
	// as often as data does.
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
	c := p.screen.canvas()
	cursor := Draw(c, p.m, p.look())
	p.screen.show(picture{
		canvas: c, th: p.th, cursor: cursor, blink: !p.opts.NoMotion, wipe: p.wipe,
		title: WindowTitle(p.m, p.th), bar: progress(p.m),
	})
	p.revision, p.stale, p.wipe = p.m.Revision(), false, false
}

// progress is the terminal's own progress bar: how much is Current, and in
// which colour.
func progress(s State) tea.ProgressBar {
	v, counts := s.Verdict(), s.Counts()
	if v.Empty || counts.Total() == 0 || v.Status == status.Current {
		return tea.ProgressBar{}
	}
	state := tea.ProgressBarDefault
	switch {
	case v.Status == status.Failed:
		state = tea.ProgressBarError
	case v.Lost || v.Stalled:
		state = tea.ProgressBarWarning
	}
	return tea.ProgressBar{State: state, Value: percent(counts)}
}

// View is empty: pictures do not go through Bubble Tea.
func (p *program) View() tea.View { return tea.View{} }

// signals turns signals into the end of the program: in order if the program
// still listens, by force if it does not.
func (p *program) signals(prog *tea.Program, heard <-chan os.Signal, stop <-chan struct{}) {
	var force, last <-chan time.Time
	for {
		select {
		case <-stop:
			return
		case sig := <-heard:
			if slices.Contains(stopSignals, sig) {
				go prog.Send(told{model.SuspendAsked{}})
				continue
			}
			if force != nil || last != nil {
				continue
			}
			force = time.After(patience)
			go prog.Send(killed{sig})
		case <-force:
			force, last = nil, time.After(patience)
			go prog.Kill()
		case <-last:
			// Whatever holds it up is not ours. The helper gives the terminal
			// back.
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
	m = m.Unfolded()
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
