package tui

import (
	"os"
	"runtime/debug"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// program is the model in Bubble Tea's terms. It draws only when something has
// changed; Bubble Tea writes the differences, once a frame.
type program struct {
	m     *model.Model
	begin tea.Cmd // the model's first command
	opts  Options

	session int // see model.Model.Session
	colours colours
	profile colorprofile.Profile // the terminal's colours; Unknown until detected
	theme   *views.Theme         // for those colours

	canvas   *views.Canvas
	view     tea.View
	due      time.Time // when the next tick is due
	tickNo   int       // its number
	flash    string    // the model's message
	flashNo  int       // counts such messages
	revision uint64
	stale    bool // the frame has changed for a reason outside the model

	spinner spinner.Model
	turning bool // the spinner runs while the first answers are awaited

	started  time.Time
	quitting bool
	leaving  bool // nothing is waited for any more
	signal   os.Signal
	crash    *Crashed
}

// Messages of the program itself.
type (
	ticked    struct{ no int } // the tick of this number is due
	faded     struct{ no int } // the message of this number was shown long enough
	settled   struct{}         // the terminal has had its time to answer
	killed    struct{ sig os.Signal }
	quits     struct{} // in place of tea.QuitMsg
	suspended struct{} // in place of tea.SuspendMsg
)

// Bubble Tea does not handle reports of a changed background.
const (
	stopTheme  = ansi.ResetModeLightDark
	startTheme = ansi.SetModeLightDark + ansi.RequestLightDarkReport
	// The terminal keeps a stack of titles.
	keepTitle, restoreTitle = "\x1b[22;2t", "\x1b[23;2t"
)

func newProgram(of model.Options, opts Options) *program {
	p := &program{opts: opts, started: time.Now()}
	of.Columns, of.Zone, of.ASCII, of.NoMouse = opts.Columns, opts.Zone, opts.ASCII, opts.NoMouse
	p.m, p.begin = model.New(of)
	p.dress()
	p.canvas, p.view = views.NewCanvas(0, 0, p.theme), p.blank()
	return p
}

func (p *program) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(startTheme), p.tick(), p.begin)
}

// tick is due in a second, or earlier if a judgement changes before.
func (p *program) tick() tea.Cmd {
	wait := p.wait()
	p.due, p.tickNo = time.Now().Add(wait), p.tickNo+1
	no := p.tickNo
	return tea.Tick(wait, func(time.Time) tea.Msg { return ticked{no} })
}

// rewind moves the next tick forward if an earlier one is needed now.
func (p *program) rewind() tea.Cmd {
	if time.Until(p.due) < 2*frame || p.wait() > time.Until(p.due)-frame {
		return nil
	}
	return p.tick()
}

// wait is the time until the next tick.
func (p *program) wait() time.Duration {
	now := p.opts.Now()
	wait := time.Second - time.Duration(now.Nanosecond())
	if wake := p.m.Intake.NextWake(); !wake.IsZero() {
		if d := wake.Sub(now); d < wait {
			wait = max(d, 10*time.Millisecond)
		}
	}
	switch r := p.m.Intake.Playback(); {
	case r == nil || r.Speed == 0:
		return wait
	case r.Paused: // its clock stands
		return time.Second
	default: // its clock may run faster
		return min(max(time.Duration(float64(wait)/r.Speed), frame), time.Second)
	}
}

// fade takes a flash away after a while of the user's time: a recording's clock
// may stand, or race.
func (p *program) fade() tea.Cmd {
	if p.m.Display.Flash() == p.flash {
		return nil
	}
	p.flash, p.flashNo = p.m.Display.Flash(), p.flashNo+1
	if p.flash == "" {
		return nil
	}
	no := p.flashNo
	return tea.Tick(reading, func(time.Time) tea.Msg { return faded{no} })
}

func (p *program) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = p // also after a panic: Bubble Tea asks it for a last view
	defer func() {
		if r := recover(); r != nil {
			p.crash = &Crashed{r, debug.Stack()}
			cmd = p.end()
		}
	}()
	if p.crash != nil {
		return m, p.end()
	}
	cmd = tea.Batch(p.handle(msg), p.spin(), p.rewind(), p.fade())
	p.redraw()
	return m, cmd
}

func (p *program) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ticked:
		if msg.no != p.tickNo {
			return nil // a newer tick has replaced it
		}
		// The clock is read here, not when the tick was sent: a recording may
		// have jumped in between.
		return tea.Batch(p.send(model.ClockTicked{Now: p.opts.Now()}), p.tick())
	case faded:
		if msg.no == p.flashNo {
			return p.send(model.FlashRead{})
		}
	case tea.WindowSizeMsg:
		p.stale = true
		return p.send(msg)
	case tea.MouseMsg: // here and not in View.OnMouse, which Bubble Tea calls outside of Update's recover
		if hit := p.pointed(msg); hit != nil {
			return p.send(hit)
		}
	case tea.BackgroundColorMsg:
		return p.send(model.BackgroundKnown{Dark: msg.IsDark()})
	case uv.DarkColorSchemeEvent:
		return p.send(model.BackgroundKnown{Dark: true})
	case uv.LightColorSchemeEvent:
		return p.send(model.BackgroundKnown{Dark: false})
	case tea.ColorProfileMsg:
		p.profile = msg.Profile
	case tea.ResumeMsg:
		return tea.Batch(tea.Raw(startTheme), p.send(model.ClockTicked{Now: p.opts.Now()}))
	case model.Leave:
		return p.leave(msg)
	case model.Returned:
		return tea.Batch(tea.Raw(startTheme), p.send(msg), p.send(model.ClockTicked{Now: p.opts.Now()}))
	case spinner.TickMsg:
		return p.turn(msg)
	case quits:
		return p.quit()
	case suspended:
		return p.suspend()
	case killed:
		p.signal = msg.sig
		return p.end()
	case settled:
		return p.end()
	default:
		return p.send(msg)
	}
	return nil
}

// spin turns the spinner while the first answers are awaited.
func (p *program) spin() tea.Cmd {
	if p.turning || p.opts.NoMotion || !p.awaits() {
		return nil
	}
	p.turning, p.spinner = true, spinner.New(spinner.WithSpinner(spinner.MiniDot))
	if p.theme.ASCII {
		p.spinner.Spinner = spinner.Line
	}
	p.spinner.Spinner.FPS = time.Second / spins // the program draws all of a frame, and reads meanwhile
	return p.spinner.Tick
}

// awaits reports whether the first answers are outstanding.
func (p *program) awaits() bool {
	if p.m.Facts.Synced() || p.m.Intake.Playback() != nil {
		return false
	}
	link := p.m.Facts.Connection().Link
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
	m, cmd := p.m.Update(msg)
	p.m = m
	return cmd
}

// pointed is the message for the model of a click or the wheel, by what the screen
// shows there; nil if that is nothing.
func (p *program) pointed(msg tea.MouseMsg) model.Msg {
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && p.m.Keyboard.Mode() == model.Browsing && !p.m.Playback.Jumping() {
			return views.Hit(views.Of(p.m), p.look(), m.X, m.Y)
		}
	case tea.MouseWheelMsg:
		by := map[tea.MouseButton]int{tea.MouseWheelUp: -3, tea.MouseWheelDown: 3}[m.Button]
		over := model.FocusTree
		if views.OverPane(views.Of(p.m), p.look(), m.X, m.Y) {
			over = model.FocusPane
		}
		if by != 0 && !p.m.Playback.Jumping() && p.m.Keyboard.Mode() != model.Commanding { // the palette covers them
			return model.Scrolled{Over: over, Lines: by}
		}
	}
	return nil
}

// redraw draws if something has changed.
func (p *program) redraw() {
	if p.session != p.m.Session() {
		p.session = p.m.Session()
	}
	p.dress()
	if !p.stale && p.m.Revision() == p.revision || p.m.Playback.Jumping() {
		return
	}
	if w, h := p.m.Panes.Size(); w <= 0 || h <= 0 || p.profile == colorprofile.Unknown {
		return
	}
	p.view = p.frame()
	p.revision, p.stale = p.m.Revision(), false
}

// frame is the whole view.
func (p *program) frame() tea.View {
	v := p.blank()
	v.Cursor = views.Draw(p.canvas, views.Of(p.m), p.look())
	v.Content = p.canvas.Render()
	v.WindowTitle = views.WindowTitle(views.Of(p.m))
	v.ProgressBar = views.Progress(p.m.Facts)
	if v.Cursor != nil {
		v.Cursor.Shape, v.Cursor.Blink = tea.CursorBar, !p.opts.NoMotion
	}
	return v
}

// blank is the screen before anything is known.
func (p *program) blank() tea.View {
	v := tea.View{AltScreen: true}
	if !p.m.Options().NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// View is the last frame drawn.
func (p *program) View() tea.View { return p.view }
