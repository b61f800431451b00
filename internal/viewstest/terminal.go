package viewstest

import (
	"bytes"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// TerminalWriter writes frames as Bubble Tea does.
type TerminalWriter struct {
	out bytes.Buffer
	scr *uv.TerminalRenderer
	buf uv.ScreenBuffer

	shown string
}

// NewTerminalWriter writes for a terminal that has received nothing.
func NewTerminalWriter() *TerminalWriter {
	w := &TerminalWriter{buf: uv.NewScreenBuffer(0, 0)}
	w.scr = uv.NewTerminalRenderer(&w.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	w.scr.SetColorProfile(colorprofile.TrueColor)
	w.scr.SetFullscreen(true)
	w.scr.SetRelativeCursor(false)
	w.scr.SetScrollOptim(true)
	return w
}

// Show returns the bytes that a terminal receives to show content, after
// everything that it received before. What it shows already is not drawn again.
func (t *TerminalWriter) Show(content string, w, h int) []byte {
	t.out.Reset()
	if t.buf.Width() != w || t.buf.Height() != h {
		t.scr.Erase()
		t.buf.Touched = nil
		t.buf.Resize(w, h)
		t.scr.Resize(w, h)
	} else if content == t.shown {
		return nil
	}
	t.shown = content
	t.buf.Clear()
	uv.NewStyledString(content).Draw(t.buf, t.buf.Bounds())
	t.scr.Render(t.buf.RenderBuffer)
	_ = t.scr.Flush() // into memory
	return t.out.Bytes()
}
