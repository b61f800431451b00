package views

import (
	"strconv"
	"strings"
	"testing"

	"charm.land/bubbles/v2/viewport"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
)

// BenchmarkLongText scrolls a long text by a line: in a pane, which draws what
// is visible of it, and in a viewport, which is given all of it.
func BenchmarkLongText(b *testing.B) {
	const w, h = 90, 50
	th := theme(b, "dark")
	for _, n := range []int{50, 1000, 20000} {
		text := make([]markup.Line, n)
		for i := range text {
			text[i] = markup.Line{markup.Dim.Of(strconv.Itoa(i) + "  "), markup.Strong.Of("Pod/web-7b8468b95b-c82n7"), markup.Text.Of("  container web: Back-off pulling image")}
		}
		c := NewCanvas(w, h, th)
		b.Run("pane/"+strconv.Itoa(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				content := panes.Lines(text)
				for y := range h {
					c.line(0, y, w, content.Line((i+y)%n))
				}
			}
		})
		b.Run("viewport/"+strconv.Itoa(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				lines := make([]string, n)
				for k, l := range text {
					var s strings.Builder
					for _, x := range l {
						s.WriteString(th.cells[x.Token].Styled(x.Text))
					}
					lines[k] = s.String()
				}
				v := viewport.New(viewport.WithWidth(w), viewport.WithHeight(h))
				v.SetContentLines(lines)
				v.SetYOffset(i % n)
				c.styled(layout.At(0, 0, w, h), v.View())
			}
		})
		b.Run("viewport kept/"+strconv.Itoa(n), func(b *testing.B) {
			lines := make([]string, n)
			for k, l := range text {
				lines[k] = l.String()
			}
			v := viewport.New(viewport.WithWidth(w-30), viewport.WithHeight(h))
			v.SoftWrap = true
			v.SetContentLines(lines)
			for i := 0; b.Loop(); i++ {
				v.SetYOffset(i % n)
				c.styled(layout.At(0, 0, w, h), v.View())
			}
		})
	}
}
