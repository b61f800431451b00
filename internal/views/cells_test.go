package views

import (
	"fmt"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
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

// textOf is the text of cells, without blanks at the ends of lines.
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

// rendition is a style as a terminal's parameters, in one order.
func rendition(s uv.Style) string {
	var p []string
	for i, on := range []bool{
		s.Attrs&uv.AttrBold != 0, s.Attrs&uv.AttrFaint != 0, s.Attrs&uv.AttrItalic != 0, s.Underline != uv.UnderlineNone,
		s.Attrs&uv.AttrReverse != 0, s.Attrs&uv.AttrStrikethrough != 0,
	} {
		if on {
			p = append(p, []string{"1", "2", "3", "4", "7", "9"}[i])
		}
	}
	for i, c := range []color.Color{s.Fg, s.Bg} {
		base := 30 + 10*i
		switch c := c.(type) {
		case nil:
		case ansi.BasicColor:
			if c >= 8 {
				base += 60 - 8
			}
			p = append(p, fmt.Sprint(base+int(c)))
		default:
			r, g, b, _ := c.RGBA()
			p = append(p, fmt.Sprintf("%d;2;%d;%d;%d", base+8, r>>8, g>>8, b>>8))
		}
	}
	return strings.Join(p, ";")
}

// cell is the look of a token on a background.
func (th *Theme) cell(t markup.Token, b Back) uv.Style { return th.on(th.cells[t], b) }

func (c colour) rgb() (r, g, b uint8) {
	x := color.RGBAModel.Convert(lipgloss.Color(string(c))).(color.RGBA)
	return x.R, x.G, x.B
}

// Plain is the text of the canvas alone, without trailing blanks.
func (c *Canvas) Plain() string {
	return uv.TrimSpace(ansi.Strip(c.Render())) + "\n"
}

// tokenAt is whose look the cell in column x of line y has, and on which
// background. Tokens that look alike in the canvas's theme are the first of them,
// and a badge keeps its own background.
func (c *Canvas) tokenAt(x, y int) (markup.Token, Back) {
	cell := c.CellAt(x, y)
	if cell == nil {
		return markup.Text, NoBack
	}
	for b := range numBacks {
		for t := range markup.NumTokens {
			if look := c.th.cell(t, b); look.Equal(&cell.Style) {
				return t, b
			}
		}
	}
	panic(fmt.Sprintf("no token looks like %+v", cell.Style))
}
