package views

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// cells are what a terminal shows: an emulator, or the buffer that the terminal
// library reads our bytes into. What counts is what reaches the cells, not what
// we believe we have drawn.
type cells interface{ CellAt(x, y int) *uv.Cell }

// onTerminal reads lines of text and escape sequences into cells.
func onTerminal(s string, w, h int) cells {
	buf := uv.NewScreenBuffer(w, h)
	uv.NewStyledString(s).Draw(buf, buf.Bounds())
	return buf
}

// textOf is the text that stands in cells, without blanks at the ends of lines.
func textOf(c cells, w, h int) string {
	var b strings.Builder
	for y := range h {
		var line strings.Builder
		for x := range w {
			if cell := c.CellAt(x, y); cell != nil && cell.Width > 0 {
				line.WriteString(cell.Content)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// sameToTheEye: the colour of a blank's ink cannot be seen.
func sameToTheEye(a, b *uv.Cell) bool {
	if a.Content == " " && b.Content == " " {
		const seen = uv.AttrReverse
		return a.Style.Bg == b.Style.Bg && a.Style.Underline == b.Style.Underline && a.Style.Attrs&seen == b.Style.Attrs&seen
	}
	return a.Equal(b)
}

// The letters of tokens and backgrounds in goldens.
const (
	tokenLetters = "tsdfahOBSFGNUmobxulz"
	backLetters  = ".#="
)

// terminalWriter writes frames as Bubble Tea does.
type terminalWriter struct {
	out bytes.Buffer
	scr *uv.TerminalRenderer
	buf uv.ScreenBuffer
}

func newTerminalWriter() *terminalWriter {
	w := &terminalWriter{buf: uv.NewScreenBuffer(0, 0)}
	w.scr = uv.NewTerminalRenderer(&w.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	w.scr.SetColorProfile(colorprofile.TrueColor)
	w.scr.SetFullscreen(true)
	w.scr.SetRelativeCursor(false)
	w.scr.SetScrollOptim(true)
	return w
}

// show is what a terminal is told that is to show content, after all that it was
// told before.
func (t *terminalWriter) show(content string, w, h int) []byte {
	t.out.Reset()
	if t.buf.Width() != w || t.buf.Height() != h {
		t.scr.Erase()
		t.buf.Touched = nil
		t.buf.Resize(w, h)
		t.scr.Resize(w, h)
	}
	t.buf.Clear()
	uv.NewStyledString(content).Draw(t.buf, t.buf.Bounds())
	t.scr.Render(t.buf.RenderBuffer)
	_ = t.scr.Flush() // into memory
	return t.out.Bytes()
}
