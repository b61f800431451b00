package views

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// The geometry of pictures, in pixels: cell size, baseline, margin.
const (
	cellW, cellH = 8.4, 18.0
	baseline     = 13.5
	fontSize     = 14
	margin       = 12.0
)

// SVG renders the canvas with the theme's nominal background. It embeds no
// font; every run of text has its length, so that any monospaced font keeps the
// grid. Box and block characters are drawn as shapes, because fonts differ in
// their extent.
func (c *Canvas) SVG(title string) []byte {
	var b strings.Builder
	c.openSVG(&b, title)
	for y := range c.Height() { // backgrounds first, so that none covers an overhanging letter
		c.paint(&b, y)
	}
	for y := range c.Height() {
		c.letter(&b, y)
	}
	b.WriteString(closeSVG)
	return []byte(b.String())
}

const closeSVG = "</g>\n</svg>\n"

func (c *Canvas) openSVG(b *strings.Builder, title string) {
	w, h := float64(c.Width())*cellW+2*margin, float64(c.Height())*cellH+2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n",
		num(w), num(h), num(w), num(h), escape(title))
	fmt.Fprintf(b, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", c.th.paper)
	fmt.Fprintf(b, `<g font-family="ui-monospace, 'DejaVu Sans Mono', 'JetBrains Mono', Menlo, Consolas, monospace" font-size="%d" xml:space="preserve" transform="translate(%s %s)">`+"\n",
		fontSize, num(margin), num(margin))
}

// Picture is a screen as a picture.
func Picture(s State, look Look) []byte {
	c := NewCanvas(0, 0, look.Theme)
	Draw(c, s, look)
	return c.SVG(WindowTitle(s, look.Theme))
}

// paint fills the backgrounds of a line, with one shape for adjacent cells of
// one colour: adjacent shapes show a seam.
func (c *Canvas) paint(b *strings.Builder, y int) {
	for x := 0; x < c.Width(); {
		_, bg := c.th.picture(c.CellAt(x, y).Style)
		end := x + 1
		for ; end < c.Width(); end++ {
			next := c.CellAt(end, y)
			if _, other := c.th.picture(next.Style); other != bg && next.Width > 0 { // otherwise the second half of a wide character
				break
			}
		}
		if bg != c.th.paper {
			fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
				num(float64(x)*cellW), num(float64(y)*cellH), num(float64(end-x)*cellW), num(cellH), bg)
		}
		x = end
	}
}

// letter writes a line's text.
func (c *Canvas) letter(b *strings.Builder, y int) {
	for x := 0; x < c.Width(); {
		cell := c.CellAt(x, y)
		run, cells := x, 0
		var s strings.Builder
		blank := true
		shape := isShape(cell.Content)
		for x < c.Width() {
			n := c.CellAt(x, y)
			if !n.Style.Equal(&cell.Style) || isShape(n.Content) != shape || shape && n.Content != cell.Content {
				break
			}
			s.WriteString(n.Content)
			blank = blank && n.Content == " "
			cells += n.Width
			x += n.Width
		}
		fg, _ := c.th.picture(cell.Style)
		left, top := float64(run)*cellW, float64(y)*cellH
		if blank {
			continue
		}
		if shape {
			drawShape(b, cell.Content, left, top, cells, fg)
			continue
		}
		line := s.String()
		trimmed := strings.TrimLeft(line, " ")
		lead := len(line) - len(trimmed)
		trimmed = strings.TrimRight(trimmed, " ")
		n := width(trimmed)
		fmt.Fprintf(b, `<text x="%s" y="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
			num(left+float64(lead)*cellW), num(top+baseline), num(float64(n)*cellW), fg, svgAttributes(cell.Style), escape(trimmed))
	}
}

// picture is a cell's colours after resolving reversal.
func (th *Theme) picture(s uv.Style) (fg, bg colour) {
	fg, bg = onPaper(s.Fg, th.ink), onPaper(s.Bg, th.paper)
	if s.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	if s.Attrs&uv.AttrFaint != 0 {
		fg = mix(fg, bg, 0.42)
	}
	return fg, bg
}

// onPaper is a colour for pictures: a terminal's sixteen colours have no fixed
// values; these are common ones.
func onPaper(c color.Color, def colour) colour {
	sixteen := [16]colour{
		"#1c1f26", "#cc3d4f", "#4e9a57", "#b58900", "#3b78c4", "#9a5fb5", "#2b93a3", "#c4cad3",
		"#6b7482", "#f0646f", "#72c17a", "#e3b341", "#6ba6ee", "#c58be0", "#56c1d1", "#f5f7fa",
	}
	switch c := c.(type) {
	case nil:
		return def
	case ansi.BasicColor:
		return sixteen[c]
	}
	r, g, b, _ := c.RGBA()
	return colour(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
}

// mix moves a towards b by share.
func mix(a, b colour, share float64) colour {
	r1, g1, b1, _ := a.rgb()
	r2, g2, b2, _ := b.rgb()
	f := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share) }
	return colour(fmt.Sprintf("#%02x%02x%02x", f(r1, r2), f(g1, g2), f(b1, b2)))
}

func svgAttributes(look uv.Style) string {
	s := ""
	if look.Attrs&uv.AttrBold != 0 {
		s += ` font-weight="bold"`
	}
	if look.Attrs&uv.AttrItalic != 0 {
		s += ` font-style="italic"`
	}
	switch {
	case look.Attrs&uv.AttrStrikethrough != 0:
		s += ` text-decoration="line-through"`
	case look.Underline != uv.UnderlineNone:
		s += ` text-decoration="underline"`
	}
	return s
}

// isShape reports whether a character must join its neighbours.
func isShape(s string) bool {
	switch s {
	case "─", "│", "╭", "╮", "╰", "╯", "├", "┤", "┬", "┴", "━", "┃", "█", "░", "▒", "▓", "▌", "▏":
		return true
	}
	return false
}

func drawShape(b *strings.Builder, s string, x, y float64, cells int, fg colour) {
	w := float64(cells) * cellW
	mx, my := cellW/2, y+cellH/2
	path := func(d string, args ...any) {
		fmt.Fprintf(b, `<path d="%s" stroke="%s" stroke-width="1.2" fill="none"/>`+"\n", fmt.Sprintf(d, args...), fg)
	}
	each := func(f func(x float64)) {
		for i := range cells {
			f(x + float64(i)*cellW)
		}
	}
	rect := func(w, h, opacity float64) {
		fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" fill-opacity="%s"/>`+"\n",
			num(x), num(y+(cellH-h)/2), num(w), num(h), fg, num(opacity))
	}
	switch s {
	case "─":
		path("M%s %sh%s", num(x), num(my), num(w))
	case "━":
		fmt.Fprintf(b, `<path d="M%s %sh%s" stroke="%s" stroke-width="2.6" fill="none"/>`+"\n", num(x), num(my), num(w), fg)
	case "┃":
		each(func(x float64) {
			fmt.Fprintf(b, `<path d="M%s %sv%s" stroke="%s" stroke-width="2.6" fill="none"/>`+"\n", num(x+mx), num(y), num(cellH), fg)
		})
	case "│":
		each(func(x float64) { path("M%s %sv%s", num(x+mx), num(y), num(cellH)) })
	case "╭":
		each(func(x float64) { path("M%s %sv-4q0 -5 4.2 -5", num(x+mx), num(y+cellH)) })
	case "╮":
		each(func(x float64) { path("M%s %sv-4q0 -5 -4.2 -5", num(x+mx), num(y+cellH)) })
	case "╰":
		each(func(x float64) { path("M%s %sv4q0 5 4.2 5", num(x+mx), num(y)) })
	case "╯":
		each(func(x float64) { path("M%s %sv4q0 5 -4.2 5", num(x+mx), num(y)) })
	case "├":
		each(func(x float64) {
			path("M%s %sv%sM%s %sh%s", num(x+mx), num(y), num(cellH), num(x+mx), num(my), num(mx))
		})
	case "┤":
		each(func(x float64) { path("M%s %sv%sM%s %sh%s", num(x+mx), num(y), num(cellH), num(x), num(my), num(mx)) })
	case "┬":
		each(func(x float64) {
			path("M%s %sh%sM%s %sv%s", num(x), num(my), num(cellW), num(x+mx), num(my), num(cellH/2))
		})
	case "┴":
		each(func(x float64) {
			path("M%s %sh%sM%s %sv%s", num(x), num(my), num(cellW), num(x+mx), num(y), num(cellH/2))
		})
	case "█":
		rect(w, cellH-6, 1)
	case "▓":
		rect(w, cellH-6, 0.8)
	case "▒":
		rect(w, cellH-6, 0.62)
	case "░":
		rect(w, cellH-6, 0.38)
	case "▌":
		rect(cellW/2, cellH, 1)
	case "▏":
		rect(1.4, cellH, 1)
	}
}

func num(f float64) string {
	s := fmt.Sprintf("%.1f", f)
	return strings.TrimSuffix(s, ".0")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}
