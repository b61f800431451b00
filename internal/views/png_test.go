package views

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// Pictures of screens as PNG, for pages that show no SVG. They are drawn in a
// test alone, so that no font rides along in the program. The font is Go Mono;
// the signs that it lacks, and whatever must join its neighbours, are drawn here.

// The grid of a PNG, in pixels.
const (
	pngW, pngH = 12, 24
	pngFont    = 20 // its advance is 0.6
	pngBase    = 17
	pngMargin  = 16
	// pngShades is how many steps there are between ink and paper. Few are
	// enough for the eye, and let a picture do with 256 colours.
	pngShades = 6
)

// painter draws cells. Masks of glyphs are made once.
type painter struct {
	faces [2]font.Face
	fonts [2]*sfnt.Font
	masks map[glyphKey]*image.Alpha
	lacks []string // what neither the font has nor we draw
	// of the picture that is being drawn
	img    *image.Paletted
	colors map[color.RGBA]uint8
}

type glyphKey struct {
	text  string
	bold  bool
	cells int
}

func newPainter(t testing.TB) *painter {
	t.Helper()
	p := &painter{masks: map[glyphKey]*image.Alpha{}}
	for i, ttf := range [][]byte{gomono.TTF, gomonobold.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			t.Fatal(err)
		}
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: pngFont, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			t.Fatal(err)
		}
		p.fonts[i], p.faces[i] = f, face
	}
	return p
}

func rgba(c colour) color.RGBA {
	r, g, b := c.rgb()
	return color.RGBA{r, g, b, 255}
}

// index is a colour's place in the palette. Where there is no room the first
// will do, which a test notices.
func (p *painter) index(c color.RGBA) uint8 {
	if i, ok := p.colors[c]; ok {
		return i
	}
	if len(p.img.Palette) == 256 {
		panic("a screenshot has more than 256 colours")
	}
	i := uint8(len(p.img.Palette))
	p.img.Palette = append(p.img.Palette, c)
	p.colors[c] = i
	return i
}

func (p *painter) fill(r image.Rectangle, c colour) {
	i := p.index(rgba(c))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := p.img.Pix[p.img.PixOffset(r.Min.X, y):p.img.PixOffset(r.Max.X, y)]
		for x := range row {
			row[x] = i
		}
	}
}

// picture draws a canvas.
func (p *painter) picture(c *Canvas, th *Theme) *image.Paletted {
	p.img = image.NewPaletted(image.Rect(0, 0, c.Width()*pngW+2*pngMargin, c.Height()*pngH+2*pngMargin), nil)
	p.colors = map[color.RGBA]uint8{}
	p.fill(p.img.Rect, th.paper)
	at := func(x, y, cells int) image.Rectangle {
		return image.Rect(0, 0, cells*pngW, pngH).Add(image.Pt(pngMargin+x*pngW, pngMargin+y*pngH))
	}
	for y := range c.Height() {
		for x := range c.Width() {
			if _, bg := th.picture(c.CellAt(x, y).Style); bg != th.paper {
				p.fill(at(x, y, 1), bg)
			}
		}
	}
	for y := range c.Height() {
		for x := range c.Width() {
			cell := c.CellAt(x, y)
			if cell.Width == 0 {
				continue
			}
			fg, bg := th.picture(cell.Style)
			if cell.Style.Attrs&uv.AttrFaint != 0 {
				fg = mix(fg, bg, 0.42)
			}
			r := at(x, y, cell.Width)
			if cell.Content != " " {
				p.stamp(p.mask(glyphKey{cell.Content, cell.Style.Attrs&uv.AttrBold != 0, cell.Width}), r, fg, bg)
			}
			switch {
			case cell.Style.Underline != uv.UnderlineNone:
				p.fill(image.Rect(r.Min.X, r.Min.Y+pngBase+3, r.Max.X, r.Min.Y+pngBase+4), fg)
			case cell.Style.Attrs&uv.AttrStrikethrough != 0 && cell.Content != " ":
				p.fill(image.Rect(r.Min.X, r.Min.Y+pngH/2, r.Max.X, r.Min.Y+pngH/2+1), fg)
			}
		}
	}
	return p.img
}

// mix moves a towards b by share.
func mix(a, b colour, share float64) colour {
	r1, g1, b1 := a.rgb()
	r2, g2, b2 := b.rgb()
	f := func(x, y uint8) uint8 { return uint8(float64(x)*(1-share) + float64(y)*share) }
	return colour(fmt.Sprintf("#%02x%02x%02x", f(r1, r2), f(g1, g2), f(b1, b2)))
}

// stamp puts ink through a mask.
func (p *painter) stamp(m *image.Alpha, r image.Rectangle, fg, bg colour) {
	ink, paper := rgba(fg), rgba(bg)
	var shade [pngShades + 1]uint8
	var made [pngShades + 1]bool
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			n := (int(m.Pix[y*m.Stride+x])*pngShades + 127) / 255
			if n == 0 {
				continue
			}
			if !made[n] {
				mix := func(a, b uint8) uint8 { return uint8((int(a)*n + int(b)*(pngShades-n)) / pngShades) }
				shade[n], made[n] = p.index(color.RGBA{mix(ink.R, paper.R), mix(ink.G, paper.G), mix(ink.B, paper.B), 255}), true
			}
			p.img.SetColorIndex(r.Min.X+x, r.Min.Y+y, shade[n])
		}
	}
}

// mask is where a glyph puts its ink.
func (p *painter) mask(k glyphKey) *image.Alpha {
	if m, ok := p.masks[k]; ok {
		return m
	}
	m := image.NewAlpha(image.Rect(0, 0, k.cells*pngW, pngH))
	p.masks[k] = m
	if sign(m, k.text) {
		return m
	}
	i := 0
	if k.bold {
		i = 1
	}
	d := font.Drawer{Dst: m, Src: image.White, Face: p.faces[i], Dot: fixed.P(0, pngBase)}
	for _, r := range k.text {
		var buf sfnt.Buffer
		if g, err := p.fonts[i].GlyphIndex(&buf, r); err != nil || g == 0 {
			// A sign of another script: a frame, as terminals draw what they lack.
			p.lacks = append(p.lacks, k.text)
			box(m, 2, 5, float64(k.cells*pngW-2), pngBase, 1)
			return m
		}
	}
	d.DrawString(k.text)
	return m
}

// path is a shape that is filled: lines and curves with a width.
type path struct {
	r *vector.Rasterizer
	m *image.Alpha
}

func pathOn(m *image.Alpha) path {
	return path{vector.NewRasterizer(m.Rect.Dx(), m.Rect.Dy()), m}
}

func (p path) done() { p.r.Draw(p.m, p.m.Rect, image.Opaque, image.Point{}) }

func (p path) polygon(xy ...float64) {
	p.r.MoveTo(float32(xy[0]), float32(xy[1]))
	for i := 2; i < len(xy); i += 2 {
		p.r.LineTo(float32(xy[i]), float32(xy[i+1]))
	}
	p.r.ClosePath()
}

// stroke is a straight line.
func (p path) stroke(x0, y0, x1, y1, w float64) {
	dx, dy := x1-x0, y1-y0
	l := math.Hypot(dx, dy)
	nx, ny := -dy/l*w/2, dx/l*w/2
	p.polygon(x0+nx, y0+ny, x1+nx, y1+ny, x1-nx, y1-ny, x0-nx, y0-ny)
}

// arc is a part of a circle, from and to in turns.
func (p path) arc(cx, cy, r, from, to, w float64) {
	const steps = 24
	var out, in []float64
	for i := range steps + 1 {
		a := 2 * math.Pi * (from + (to-from)*float64(i)/steps)
		out = append(out, cx+(r+w/2)*math.Cos(a), cy+(r+w/2)*math.Sin(a))
		in = append(in, cx+(r-w/2)*math.Cos(a), cy+(r-w/2)*math.Sin(a))
	}
	for i := len(in) - 2; i >= 0; i -= 2 {
		out = append(out, in[i], in[i+1])
	}
	p.polygon(out...)
}

func box(m *image.Alpha, x0, y0, x1, y1, w float64) {
	p := pathOn(m)
	p.stroke(x0, y0, x1, y0, w)
	p.stroke(x1, y0, x1, y1, w)
	p.stroke(x1, y1, x0, y1, w)
	p.stroke(x0, y1, x0, y0, w)
	p.done()
}

// arms are how thick the lines of a sign are from the middle of its cell to each
// edge.
var arms = map[string]struct{ left, right, up, down int }{
	"─": {2, 2, 0, 0}, "━": {4, 4, 0, 0}, "│": {0, 0, 2, 2}, "┃": {0, 0, 4, 4},
	"├": {0, 2, 2, 2}, "┤": {2, 0, 2, 2}, "┬": {2, 2, 0, 2}, "┴": {2, 2, 2, 0}, "└": {0, 2, 2, 0},
}

// sign draws what the font lacks or does not draw from edge to edge, and says
// whether it did.
func sign(m *image.Alpha, s string) bool {
	const w, h, mx, my = float64(pngW), float64(pngH), float64(pngW) / 2, float64(pngH) / 2
	rect := func(x0, y0, x1, y1 int, alpha uint8) {
		draw.Draw(m, image.Rect(x0, y0, x1, y1), image.NewUniform(color.Alpha{alpha}), image.Point{}, draw.Src)
	}
	across := func(from, to, thick int) { rect(from, pngH/2-thick/2, to, pngH/2-thick/2+thick, 255) }
	down := func(from, to, thick int) { rect(pngW/2-thick/2, from, pngW/2-thick/2+thick, to, 255) }
	if arm, ok := arms[s]; ok {
		across(0, pngW/2, arm.left)
		across(pngW/2, pngW, arm.right)
		down(0, pngH/2+1, arm.up)
		down(pngH/2, pngH, arm.down)
		return true
	}
	p := pathOn(m)
	switch s {
	case "╭", "╮", "╰", "╯":
		const r = mx
		switch s {
		case "╭":
			p.arc(mx+r, my+r, r, 0.5, 0.75, 2)
			p.stroke(mx, my+r, mx, h, 2)
		case "╮":
			p.arc(mx-r, my+r, r, 0.75, 1, 2)
			p.stroke(mx, my+r, mx, h, 2)
		case "╰":
			p.arc(mx+r, my-r, r, 0.25, 0.5, 2)
			p.stroke(mx, 0, mx, my-r, 2)
		case "╯":
			p.arc(mx-r, my-r, r, 0, 0.25, 2)
			p.stroke(mx, 0, mx, my-r, 2)
		}
		p.done()
	case "‖":
		rect(3, 7, 5, 18, 255)
		rect(8, 7, 10, 18, 255)
	case "╋":
		across(0, pngW, 4)
		down(3, pngH-3, 4)
	case "┅", "┄":
		thick := 2
		if s == "┅" {
			thick = 4
		}
		for x := 0; x < pngW; x += 4 {
			across(x, x+2, thick)
		}
	case "█":
		rect(0, 4, pngW, pngH-4, 255)
	case "▓":
		rect(0, 4, pngW, pngH-4, 204)
	case "▒":
		rect(0, 4, pngW, pngH-4, 153)
	case "░":
		rect(0, 4, pngW, pngH-4, 96)
	case "▌":
		rect(0, 0, pngW/2, pngH, 255)
	case "▏":
		rect(0, 0, 2, pngH, 255)
	case "✓":
		p.stroke(1.5, 12, 4.6, 16.5, 2)
		p.stroke(4, 16.6, 10.5, 6.5, 2)
		p.done()
	case "✗":
		p.stroke(2, 6.5, 10, 17, 2.2)
		p.stroke(10, 6.5, 2, 17, 2.2)
		p.done()
	case "◌":
		for i := range 8 {
			a := 2 * math.Pi * float64(i) / 8
			p.arc(mx+4*math.Cos(a), my+4*math.Sin(a), 0.6, 0, 1, 1.2)
		}
		p.done()
	case "↻":
		p.arc(mx, my, 4, 0, 0.8, 1.6)
		p.polygon(mx+1.5, my-5.5, mx+5.5, my-3.5, mx+1.5, my-0.5)
		p.done()
	case "⊘":
		p.arc(mx, my, 4.4, 0, 1, 1.6)
		p.stroke(mx-3, my+3, mx+3, my-3, 1.6)
		p.done()
	case "∅":
		p.arc(mx, my, 4.2, 0, 1, 1.6)
		p.stroke(mx-4, my+6, mx+4, my-6, 1.6)
		p.done()
	case "▸":
		p.polygon(3, my-4.5, 9.5, my, 3, my+4.5)
		p.done()
	case "▾":
		p.polygon(1.5, my-3, 10.5, my-3, mx, my+3.5)
		p.done()
	case "▶":
		p.polygon(1, my-5.5, 11, my, 1, my+5.5)
		p.done()
	case "▲":
		p.polygon(mx, my-5.5, 11, my+4.5, 1, my+4.5)
		p.done()
	case "●":
		p.arc(mx, my, 2.1, 0, 1, 4.2)
		p.done()
	case "→", "←", "↑", "↓":
		x, y := map[string]float64{"→": 1, "←": -1}[s], map[string]float64{"↓": 1, "↑": -1}[s]
		p.stroke(mx-4.5*x, my-6*y, mx+4.5*x, my+6*y, 1.7)
		p.stroke(mx+5*x, my+6.5*y, mx+1.5*x-3.5*y, my+3*y-3.5*x, 1.7)
		p.stroke(mx+5*x, my+6.5*y, mx+1.5*x+3.5*y, my+3*y+3.5*x, 1.7)
		p.done()
	default:
		return false
	}
	return true
}

// encoded is a picture as a file.
func encoded(t *testing.T, img *image.Paletted) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// differs counts the pixels in which a file is another picture. Its bytes depend
// on the compressor of the day, and the last bit of a shade on the processor.
func differs(file []byte, img image.Image) (int, error) {
	have, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return 0, err
	}
	if have.Bounds() != img.Bounds() {
		return 0, fmt.Errorf("its size is %v, not %v", have.Bounds(), img.Bounds())
	}
	const near = 255 / pngShades << 8
	bad := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := have.At(x, y).RGBA()
			r2, g2, b2, _ := img.At(x, y).RGBA()
			if max(r, r2)-min(r, r2) > near || max(g, g2)-min(g, g2) > near || max(b, b2)-min(b, b2) > near {
				bad++
			}
		}
	}
	return bad, nil
}

func TestEverySignOfOursCanBeDrawnAsAPicture(t *testing.T) {
	p := newPainter(t)
	seen := map[string]string{}
	for i := 0; i < len(markup.AsciiSigns); i += 2 {
		s := markup.AsciiSigns[i]
		m := p.mask(glyphKey{s, false, 1})
		if strings.Trim(string(m.Pix), "\x00") == "" {
			t.Errorf("%q leaves no ink", s)
		}
		if other, ok := seen[string(m.Pix)]; ok && other != s {
			t.Errorf("%q and %q look alike", s, other)
		}
		seen[string(m.Pix)] = s
	}
	if len(p.lacks) > 0 {
		t.Errorf("nothing draws %q", p.lacks)
	}
}
