package tui

import (
	"context"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// program is the model in Bubble Tea's terms. It draws only when something has
// changed; Bubble Tea writes the differences, once a frame.
type program struct {
	ctx  context.Context
	feed feed.Feed
	m    model.Model
	opts Options
	// following is the context of the session's commands, and no its number:
	// answers to an earlier session's commands are dropped.
	following context.Context
	leave     context.CancelFunc
	no        int
	reopening bool

	th    *views.Theme
	names string
	dark  bool

	profile colorprofile.Profile // the terminal's colours; Unknown until detected

	memo     views.Memo
	canvas   *views.Canvas
	view     tea.View
	due      time.Time // when the next tick is due
	tickNo   int       // its number
	revision uint64
	stale    bool // the frame has changed for a reason outside the model
	measured model.Measured

	spinner spinner.Model
	turning bool // the spinner runs while the first answers are awaited

	started  time.Time
	asked    int // how often the device attributes were requested
	answered int // how often they were received
	quitting bool
	signal   os.Signal
	crash    *Crashed
	running  sync.WaitGroup
}

// Messages of the program itself.
type (
	told struct { // the answer of a command
		msg model.Msg
		no  int // the session's number
	}
	ticked   struct{ no int }
	fenced   struct{} // the wait for the terminal's last answer is over
	killed   struct{ sig os.Signal }
	crashed  Crashed
	reopened struct {
		session *Session
		err     error
	}
)

// anySession marks an answer that is valid for every session.
const anySession = -1

// Bubble Tea does not handle reports of a changed background. The device
// attributes are requested last: every terminal answers that request, and
// answers in order, so that no answer is outstanding once it has arrived.
const (
	askFence   = ansi.RequestPrimaryDeviceAttributes
	stopTheme  = ansi.ResetModeLightDark
	startTheme = ansi.SetModeLightDark + ansi.RequestLightDarkReport
	// The terminal keeps a stack of titles.
	keepTitle, restoreTitle = "\x1b[22;2t", "\x1b[23;2t"
)

func (p *program) Init() tea.Cmd {
	p.asked++
	cmds := []tea.Cmd{tea.Sequence(tea.RequestBackgroundColor, tea.Raw(startTheme+askFence)), p.tick()}
	for _, c := range p.opts.Commands {
		cmds = append(cmds, p.run(c))
	}
	return tea.Batch(cmds...)
}

// run converts a command of the model to one of Bubble Tea's. A panic in it
// ends the program in order.
func (p *program) run(c model.Cmd) tea.Cmd {
	if c == nil {
		return nil
	}
	p.running.Add(1)
	ctx, source, no := p.following, p.feed, p.no
	return func() (msg tea.Msg) {
		defer p.running.Done()
		defer func() {
			if r := recover(); r != nil {
				msg = crashed{r, debug.Stack()}
			}
		}()
		began := time.Now()
		out := c(ctx, source)
		if found, ok := out.(model.CausesFound); ok {
			found.Took = time.Since(began)
			out = found
		}
		if out != nil {
			return told{out, no}
		}
		return nil
	}
}

// tick is due in a second, or earlier if a judgement changes before.
func (p *program) tick() tea.Cmd {
	wait := p.wait()
	p.due, p.tickNo = time.Now().Add(wait), p.tickNo+1
	no := p.tickNo
	return tea.Tick(wait, func(time.Time) tea.Msg { return ticked{no} })
}

// rewind moves the next tick forward if the model now needs an earlier one.
func (p *program) rewind() tea.Cmd {
	if wake := p.m.NextWake(); wake.IsZero() || time.Until(p.due) < 2*frame || p.wait() > time.Until(p.due)-frame {
		return nil
	}
	return p.tick()
}

// wait is the time until the next tick.
func (p *program) wait() time.Duration {
	now := p.opts.Now()
	wait := time.Second - time.Duration(now.Nanosecond())
	if wake := p.m.NextWake(); !wake.IsZero() {
		if d := wake.Sub(now); d < wait {
			wait = max(d, 10*time.Millisecond)
		}
	}
	if r := p.m.Playback(); r != nil && r.Speed > 0 {
		// A recording's clock may run faster.
		wait = min(max(time.Duration(float64(wait)/r.Speed), frame), time.Second)
	}
	return wait
}

func (p *program) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = p // also after a panic: Bubble Tea asks it for a last view
	defer func() {
		if r := recover(); r != nil {
			p.crash = &Crashed{r, debug.Stack()}
			cmd = tea.Quit
		}
	}()
	if p.crash != nil {
		return m, tea.Quit
	}
	cmd = p.handle(msg)
	return m, tea.Batch(cmd, p.spin(), p.rewind(), p.refresh())
}

func (p *program) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case told:
		if msg.no != p.no && msg.no != anySession {
			return nil
		}
		return tea.Batch(p.fulfil(msg.msg), p.send(msg.msg))
	case ticked:
		if msg.no != p.tickNo {
			return nil // a newer tick has replaced it
		}
		// The clock is read here, not when the tick was sent: a recording may
		// have jumped in between.
		return tea.Batch(p.send(model.ClockTicked{Now: p.opts.Now()}), p.tick())
	case tea.WindowSizeMsg:
		p.stale = true
		return p.send(msg)
	case tea.KeyPressMsg, tea.PasteMsg, tea.FocusMsg, tea.BlurMsg:
		return p.send(msg)
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
	case tea.ColorProfileMsg:
		p.colours(msg.Profile)
	case tea.ResumeMsg:
		return tea.Batch(tea.Raw(startTheme), p.send(model.ClockTicked{Now: p.opts.Now()}))
	case spinner.TickMsg:
		return p.turn(msg)
	case reopened:
		return p.swap(msg)
	case noticedMsg:
		return p.send(model.NoticeArrived{Notice: feed.Notice(msg)})
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

// spin turns the spinner while the first answers are awaited.
func (p *program) spin() tea.Cmd {
	if p.turning || p.opts.NoMotion || !p.awaits() {
		return nil
	}
	p.turning, p.spinner = true, spinner.New(spinner.WithSpinner(spinner.MiniDot))
	if p.th.ASCII {
		p.spinner.Spinner = spinner.Line
	}
	return p.spinner.Tick
}

// awaits reports whether the first answers are outstanding.
func (p *program) awaits() bool {
	if p.m.Synced() || p.m.Playback() != nil {
		return false
	}
	link := p.m.Connection().Link
	return link == world.LinkConnecting || link == world.LinkSyncing
}

func (p *program) turn(msg spinner.TickMsg) (cmd tea.Cmd) {
	p.stale = true
	if !p.awaits() {
		p.turning = false
		return nil
	}
	p.spinner, cmd = p.spinner.Update(msg)
	return cmd
}

// send delivers a message to the model.
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

func (p *program) click(x, y int) tea.Cmd {
	w, h := p.m.Size()
	if p.m.Mode() != model.Browsing || p.m.Jumping() || w == 0 || h == 0 {
		return nil
	}
	if msg := views.Hit(p.m, p.look(), x, y); msg != nil {
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
	if p.m.Jumping() {
		return nil
	}
	over := model.FocusTree
	if views.OverPane(p.m, p.look(), msg.X, msg.Y) {
		over = model.FocusPane
	}
	return p.send(model.Scrolled{Over: over, Lines: lines})
}

// refresh draws if something has changed.
func (p *program) refresh() tea.Cmd {
	if !p.stale && p.m.Revision() == p.revision || p.m.Jumping() {
		return nil
	}
	if w, h := p.m.Size(); w <= 0 || h <= 0 || p.profile == colorprofile.Unknown {
		return nil
	}
	var cmd tea.Cmd
	if fits := views.Measure(p.m, p.look()); fits != p.measured {
		p.measured = fits
		cmd = p.send(fits)
	}
	p.view = p.frame()
	p.revision, p.stale = p.m.Revision(), false
	return cmd
}

// frame is the whole view.
func (p *program) frame() tea.View {
	v := p.blank()
	cursor := views.Draw(p.canvas, p.m, p.look())
	v.Content = p.canvas.Render()
	v.WindowTitle = views.WindowTitle(p.m, p.th)
	v.ProgressBar = views.Progress(p.m)
	if cursor.Show {
		v.Cursor = tea.NewCursor(cursor.X, cursor.Y)
		v.Cursor.Shape, v.Cursor.Blink = tea.CursorBar, !p.opts.NoMotion
	}
	return v
}

// blank is the screen before anything is known.
func (p *program) blank() tea.View {
	v := tea.View{AltScreen: true, ReportFocus: true}
	if !p.opts.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// View is the last frame drawn.
func (p *program) View() tea.View { return p.view }
