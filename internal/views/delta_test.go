package views

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
)

// scribble draws anything anywhere.
func scribble(r *rand.Rand, c *Canvas) {
	words := []string{"web", "Deployment/web", "✓ Current", "   ", "名前が長い", "✗", "─────", "é", "한국어", "a", "x y"}
	for range 1 + r.IntN(12) {
		x, y := r.IntN(c.W), r.IntN(c.H)
		switch r.IntN(8) {
		case 0:
			c.Blank(Rect{x, y, r.IntN(c.W), r.IntN(4)})
		case 1:
			c.Tint(Rect{x, y, c.W, 1}, Back(r.IntN(int(numBacks))))
		default:
			c.Put(x, y, c.W-x, words[r.IntN(len(words))], Token(r.IntN(int(numTokens))))
		}
	}
}

func copyOf(c *Canvas) *Canvas {
	out := NewCanvas(c.W, c.H)
	copy(out.cells, c.cells)
	return out
}

func TestATerminalThatIsOnlyToldTheDifferenceShowsTheWholePicture(t *testing.T) {
	for _, name := range []string{"dark", "mono", "ansi"} {
		th := theme(t, name)
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 7))
			w, h := 2+r.IntN(60), 1+r.IntN(12)
			term := vt.NewEmulator(w, h)
			_, _ = term.WriteString(strings.Repeat("garbage", 99))
			c := NewCanvas(w, h)
			var old *Canvas
			for step := range 12 {
				scribble(r, c)
				_, _ = term.Write(c.Delta(nil, old, th))
				whole := vt.NewEmulator(w, h)
				_, _ = whole.Write(c.Delta(nil, nil, th))
				if diff := cmp.Diff(c.Plain(), textOf(term, w, h)); diff != "" {
					t.Fatalf("%s, seed %d, step %d (-drawn +shown):\n%s", name, seed, step, diff)
				}
				for y := range h {
					for x := range w {
						a, b := term.CellAt(x, y), whole.CellAt(x, y)
						if !sameToTheEye(a, b) {
							t.Fatalf("%s, seed %d, step %d: the cell at %d,%d is %#v, drawn at once %#v", name, seed, step, x, y, a, b)
						}
					}
				}
				old = copyOf(c)
			}
		}
	}
}

func TestWhatHasNotChangedIsNotWritten(t *testing.T) {
	th := theme(t, "dark")
	s := badImage(120, 36)
	c := drawn(t, s, th)
	if out := c.Delta(nil, copyOf(c), th); len(out) != 0 {
		t.Errorf("the same picture again writes %q", out)
	}
	before := copyOf(c)
	s.selected++
	c = drawn(t, s, th)
	if out := c.Delta(nil, before, th); len(out) == 0 || len(out) > 4000 {
		t.Errorf("a moved selection writes %d bytes", len(out))
	}
}

// BenchmarkDelta is the way of a frame to the terminal: what it costs and how
// many bytes it takes when one row of the tree has changed, the whole screen
// has, or nothing has.
func BenchmarkDelta(b *testing.B) {
	for _, size := range [][2]int{{120, 36}, {200, 60}} {
		th := theme(b, "dark")
		var old, row, all Canvas
		s := manyRows(10000, size[0], size[1])
		Draw(&old, s, Look{Theme: th})
		s.rows[s.top+5].Reason = "CrashLoopBackOff"
		Draw(&row, s, Look{Theme: th})
		s.top += 7
		Draw(&all, s, Look{Theme: th})
		for name, c := range map[string]*Canvas{"nothing": &old, "row": &row, "scrolled": &all} {
			b.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(b *testing.B) {
				var out []byte
				for b.Loop() {
					out = c.Delta(out[:0], &old, th)
				}
				b.ReportMetric(float64(len(out)), "bytes/frame")
			})
		}
	}
}
