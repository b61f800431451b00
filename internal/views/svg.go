package views

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
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
	for y := range c.Height() {
		c.row(&b, y)
	}
	return []byte(b.String() + closeSVG)
}

const closeSVG = "</g>\n</svg>\n"

func (c *Canvas) openSVG(b *strings.Builder, title string) {
	w, h := float64(c.Width())*cellW+2*margin, float64(c.Height())*cellH+2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.5g" height="%.5g" viewBox="0 0 %.5g %.5g" role="img" aria-label="%s">`+"\n",
		w, h, w, h, html.EscapeString(title))
	fmt.Fprintf(b, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", c.th.paper)
	fmt.Fprintf(b, `<g font-family="ui-monospace, 'DejaVu Sans Mono', 'JetBrains Mono', Menlo, Consolas, monospace" font-size="%d" xml:space="preserve" transform="translate(%g %g)">`+"\n",
		fontSize, margin, margin)
}

// Picture is a screen as a picture.
func Picture(s State, look Look) []byte {
	c := NewCanvas(0, 0, look.Theme)
	Draw(c, s, look)
	return c.SVG(WindowTitle(s))
}

// row draws a line, in runs of one style.
func (c *Canvas) row(b *strings.Builder, y int) {
	for x := 0; x < c.Width(); {
		cell := c.CellAt(x, y)
		stroke, shape := strokes[cell.Content]
		fg, bg := c.th.picture(cell.Style)
		left, top := float64(x)*cellW, float64(y)*cellH
		var run strings.Builder
		cells := 0
		for x < c.Width() {
			n := c.CellAt(x, y)
			if _, other := strokes[n.Content]; !n.Style.Equal(&cell.Style) ||
				other != shape || shape && n.Content != cell.Content {
				break
			}
			run.WriteString(n.Content)
			cells += n.Width
			x += n.Width
		}
		if bg != c.th.paper { // crisp: no seam between shapes of one colour
			fmt.Fprintf(b,
				`<rect x="%.5g" y="%.5g" width="%.5g" height="%g" fill="%s" shape-rendering="crispEdges"/>`+"\n",
				left, top, float64(cells)*cellW, cellH, bg)
		}
		if shape {
			stroke.draw(b, left, top, cells, fg+svgAttributes(cell.Style))
			continue
		}
		text := strings.TrimLeft(run.String(), " ")
		left += float64(run.Len()-len(text)) * cellW
		if text = strings.TrimRight(text, " "); text != "" {
			fmt.Fprintf(b,
				`<text x="%.5g" y="%.5g" textLength="%.5g" lengthAdjust="spacingAndGlyphs" fill="%s>%s</text>`+"\n",
				left, top+baseline, float64(markup.Width(text))*cellW,
				fg+svgAttributes(cell.Style), html.EscapeString(text))
		}
	}
}

// picture is a cell's colours after resolving reversal.
func (th *Theme) picture(s uv.Style) (fg, bg colour) {
	fg, bg = onPaper(s.Fg, th.ink), onPaper(s.Bg, th.paper)
	if s.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	return fg, bg
}

// onPaper is a colour for pictures. A terminal's sixteen colours have no fixed
// values; these are xterm's.
func onPaper(c color.Color, def colour) colour {
	if c == nil {
		return def
	}
	r, g, b, _ := c.RGBA()
	return colour(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
}

// svgAttributes end a fill's or stroke's colour.
func svgAttributes(look uv.Style) colour {
	s := colour(`"`)
	for _, a := range []struct {
		on   bool
		text colour
	}{
		{look.Attrs&uv.AttrFaint != 0, ` opacity="0.58"`},
		{look.Attrs&uv.AttrBold != 0, ` font-weight="bold"`},
		{look.Attrs&uv.AttrItalic != 0, ` font-style="italic"`},
		{look.Attrs&uv.AttrStrikethrough != 0, ` text-decoration="line-through"`},
		{look.Underline != uv.UnderlineNone, ` text-decoration="underline"`},
	} {
		if a.on {
			s += a.text
		}
	}
	return s
}

// stroke is a shape that must join its neighbours: a path from a place in its
// cell or, without one, a line as long as the run.
type stroke struct {
	x, y           float64
	path           string
	width, opacity float64
}

var strokes = map[string]stroke{
	"─": {0, 9, "", 1.2, 1}, "━": {0, 9, "", 2.6, 1}, "│": {4.2, 0, "v18", 1.2, 1}, "┃": {4.2, 0, "v18", 2.6, 1},
	"╭": {4.2, 18, "v-4q0 -5 4.2 -5", 1.2, 1}, "╮": {4.2, 18, "v-4q0 -5 -4.2 -5", 1.2, 1},
	"╰": {4.2, 0, "v4q0 5 4.2 5", 1.2, 1}, "╯": {4.2, 0, "v4q0 5 -4.2 5", 1.2, 1},
	"├": {4.2, 0, "v18m0 -9h4.2", 1.2, 1}, "┤": {4.2, 0, "v18m0 -9h-4.2", 1.2, 1},
	"┬": {0, 9, "h8.4m-4.2 0v9", 1.2, 1}, "┴": {0, 9, "h8.4m-4.2 0v-9", 1.2, 1},
	"█": {0, 9, "", 12, 1}, "▓": {0, 9, "", 12, 0.8}, "▒": {0, 9, "", 12, 0.62}, "░": {0, 9, "", 12, 0.38},
	"▌": {2.1, 0, "v18", 4.2, 1}, "▏": {0.7, 0, "v18", 1.4, 1},
}

// draw draws a run of the shape. look ends with attributes.
func (s stroke) draw(b *strings.Builder, x, y float64, cells int, look colour) {
	b.WriteString(`<path d="`)
	if s.path == "" {
		s.path, cells = fmt.Sprintf("h%.5g", float64(cells)*cellW), 1
	}
	for i := range cells {
		fmt.Fprintf(b, "M%.5g %.5g%s", x+float64(i)*cellW+s.x, y+s.y, s.path)
	}
	fmt.Fprintf(b, `" fill="none" stroke-width="%g" stroke-opacity="%g" stroke="%s/>`+"\n", s.width, s.opacity, look)
}
