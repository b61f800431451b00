package views

// This file writes pictures to the terminal. Bubble Tea's renderer wakes up
// sixty times a second whether or not anything has changed, which by itself
// costs a percent of a core, and lets a key's picture wait for its next tick.
// Here nothing happens while nothing changes, and a picture goes out as soon as
// it is drawn. Bubble Tea keeps the rest: input, messages, commands.

import (
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// picture is all that the terminal shows at one time.
type picture struct {
	canvas *Canvas
	th     *Theme
	cursor Cursor
	blink  bool
	title  string
	bar    tea.ProgressBar
	wipe   bool // clear the screen first: something else may stand there
}

// screen is the terminal's output. A goroutine of its own writes, so that a
// slow or stopped terminal holds up nobody: pictures that it cannot keep up
// with are skipped, and the newest one comes as soon as it can take it.
type screen struct {
	out   io.Writer
	mouse bool
	wake  chan struct{} // holds one; closed by nobody
	done  chan struct{} // closed by the writer when it ends

	mu     sync.Mutex // guards everything that follows
	raw    []byte     // sequences to be written before the next picture
	next   picture    // to be shown; without a canvas nothing is
	spare  *Canvas    // to draw the next one on
	inSync bool       // the terminal can be told to show a frame at once
	ending bool
}

// The modes that a full screen needs. The keyboard protocols are the two that
// tell ctrl+i from tab; terminals ignore the one that they do not know.
const (
	enter = "\x1b[22;2t" + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste + ansi.SetModeFocusEvent
	leave = ansi.ResetModifyOtherKeys + "\x1b[<1u" + ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste + stopTheme +
		"\x1b]2;\a\x1b[23;2t\x1b[m" + ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable
	enterKeys  = ansi.SetModifyOtherKeys2 + "\x1b[>1u"
	enterMouse = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	leaveMouse = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr
)

// start takes the terminal over. It may be called again after stop.
func (s *screen) start() {
	s.wake, s.done = make(chan struct{}, 1), make(chan struct{})
	s.mu.Lock()
	s.ending, s.next = false, picture{}
	s.raw = append(s.raw[:0], enter...)
	if s.mouse {
		s.raw = append(s.raw, enterMouse...)
	}
	s.raw = append(s.raw, enterKeys...)
	s.mu.Unlock()
	w := writer{out: s.out}
	go func(wake <-chan struct{}, done chan<- struct{}) {
		defer close(done)
		for range wake {
			if s.write(&w) {
				return
			}
		}
	}(s.wake, s.done)
	s.poke()
}

// stop gives the terminal back, and reports whether it has taken everything
// within the time given. One that has not (it is stopped, or nobody reads it)
// must not be written to any more.
func (s *screen) stop(within time.Duration) bool {
	s.mu.Lock()
	s.ending, s.next = true, picture{}
	if s.mouse {
		s.raw = append(s.raw, leaveMouse...)
	}
	s.raw = append(s.raw, leave...)
	s.mu.Unlock()
	s.poke()
	select {
	case <-s.done:
		return true
	case <-time.After(within):
		return false
	}
}

// send writes a sequence that is no part of the picture.
func (s *screen) send(seq string) {
	s.mu.Lock()
	s.raw = append(s.raw, seq...)
	s.mu.Unlock()
	s.poke()
}

// canvas is one to draw the next picture on. It is show's again with that.
func (s *screen) canvas() *Canvas {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.spare
	s.spare = nil
	if c == nil {
		c = &Canvas{}
	}
	return c
}

// show puts a picture on the screen, soon. Of several that the terminal has no
// time for, the last one counts.
func (s *screen) show(p picture) {
	s.mu.Lock()
	if s.next.canvas != nil {
		s.spare, p.wipe = s.next.canvas, p.wipe || s.next.wipe
	}
	if !s.ending {
		s.next = p
	}
	s.mu.Unlock()
	s.poke()
}

// synchronize says that the terminal knows frames.
func (s *screen) synchronize() {
	s.mu.Lock()
	s.inSync = true
	s.mu.Unlock()
}

func (s *screen) poke() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake and has not looked yet
	}
}

// write takes what there is to the terminal, and reports whether that was all
// there will ever be.
func (s *screen) write(w *writer) bool {
	s.mu.Lock()
	raw, p, inSync, ending := s.raw, s.next, s.inSync, s.ending
	s.raw, s.next = nil, picture{}
	s.mu.Unlock()
	w.buf = w.buf[:0]
	if ending {
		w.tidy()
	}
	w.buf = append(w.buf, raw...)
	if p.canvas != nil {
		old := w.shown.canvas
		w.frame(p, inSync)
		s.mu.Lock()
		if old != nil && s.spare == nil {
			s.spare = old
		}
		s.mu.Unlock()
	}
	if len(w.buf) > 0 {
		// A terminal that is gone says so by a signal too.
		_, _ = w.out.Write(w.buf)
	}
	return ending
}

// writer knows what the terminal shows. It belongs to one goroutine.
type writer struct {
	out   io.Writer
	shown picture // what stands on the screen
	buf   []byte
	// styled: the cursor does not look as the user has chosen it.
	styled bool
}

// tidy takes back what not every session has changed.
func (w *writer) tidy() {
	if w.shown.bar.State != tea.ProgressBarNone {
		w.buf = append(w.buf, ansi.ResetProgressBar...)
	}
	if w.styled {
		w.buf = append(w.buf, ansi.SetCursorStyle(0)...)
	}
}

// frame appends what leads from the picture shown to the next one.
func (w *writer) frame(p picture, inSync bool) {
	old := w.shown.canvas
	if w.shown.th != p.th {
		old = nil
	}
	start := len(w.buf)
	if inSync {
		w.buf = append(w.buf, ansi.SetModeSynchronizedOutput...)
	}
	if w.shown.cursor.Show {
		w.buf = append(w.buf, ansi.ResetModeTextCursorEnable...)
	}
	if p.wipe {
		old = nil
		w.buf = append(w.buf, "\x1b[m\x1b[2J"...)
	}
	frame := len(w.buf)
	w.buf = p.canvas.Delta(w.buf, old, p.th)
	if p.title != w.shown.title {
		w.buf = append(w.buf, ansi.SetWindowTitle(p.title)...)
	}
	if p.bar != w.shown.bar {
		w.buf = append(w.buf, progressSequence(p.bar)...)
	}
	switch {
	case len(w.buf) == frame && !p.wipe && p.cursor == w.shown.cursor:
		w.buf = w.buf[:start] // nothing has changed
	case p.cursor.Show:
		w.cursor(p)
		fallthrough
	default:
		if inSync {
			w.buf = append(w.buf, ansi.ResetModeSynchronizedOutput...)
		}
	}
	w.shown = p
}

func (w *writer) cursor(p picture) {
	if !w.shown.cursor.Show {
		style := 6 // a steady bar
		if p.blink {
			style = 5
		}
		w.buf = append(w.buf, ansi.SetCursorStyle(style)...)
		w.styled = true
	}
	w.buf = append(w.buf, ansi.CursorPosition(p.cursor.X+1, p.cursor.Y+1)...)
	w.buf = append(w.buf, ansi.SetModeTextCursorEnable...)
}

func progressSequence(bar tea.ProgressBar) string {
	switch bar.State {
	case tea.ProgressBarDefault:
		return ansi.SetProgressBar(bar.Value)
	case tea.ProgressBarError:
		return ansi.SetErrorProgressBar(bar.Value)
	case tea.ProgressBarWarning:
		return ansi.SetWarningProgressBar(bar.Value)
	default:
		return ansi.ResetProgressBar
	}
}
