package views

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The goldens of the panes: every pane at every size, in every theme. A file
// holds the text, what each cell is (its token and background, run by run), and
// the text in ASCII. How a token looks in each theme stands in
// testdata/themes.txt; here the cells of a terminal are compared with that.

// goldenThemes are the themes in which every pane is drawn.
var goldenThemes = []struct {
	name string
	dark bool
}{{"dark", true}, {"light", false}, {"mono", true}, {"ascii", true}}

func TestEveryPaneAtEverySizeInEveryTheme(t *testing.T) {
	panes := map[string]func(w, h int) *scene{"logs-merged": mergedLogs, "timeline-compared": comparedMoments}
	for p, name := range model.PaneNames {
		panes[strings.ToLower(name)] = func(w, h int) *scene {
			s := badImage(w, h)
			s.pane, s.focus = model.Pane(p), model.FocusPane
			if w < 110 {
				s.size = model.PaneFull
			}
			return s
		}
	}
	for name, make := range panes {
		for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 15}, {33, 8}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(t *testing.T) {
				var drawings []*Canvas
				for _, in := range goldenThemes {
					th, err := NewTheme(in.name, in.dark, false)
					if err != nil {
						t.Fatal(err)
					}
					c := drawn(t, make(size[0], size[1]), th)
					looksAsItsTokens(t, c, th)
					drawings = append(drawings, c)
				}
				dark, ascii := drawings[0], drawings[3]
				nothingToReadIsPale(t, dark)
				for i, c := range drawings[1:3] {
					if diff := cmp.Diff(dark.Plain()+dark.runs(), c.Plain()+c.runs()); diff != "" {
						t.Errorf("%s is another screen than dark:\n%s", goldenThemes[i+1].name, diff)
					}
				}
				text := dark.Plain() + "-- styles\n" + dark.runs() + "-- ascii\n" + ascii.Plain()
				text += "-- styles that differ\n" + others(dark.runs(), ascii.runs())
				golden(t, fmt.Sprintf("testdata/panes/%s-%dx%d.txt", name, size[0], size[1]), []byte(text))
			})
		}
	}
}

// nothingToReadIsPale: what is Faint has the contrast of a frame, and is for lines
// and the signs between words. The program's name is no information.
func nothingToReadIsPale(t *testing.T, c *Canvas) {
	t.Helper()
	for y := range c.H {
		var pale strings.Builder
		for x := range c.W {
			if cell := c.At(x, y); cell.Token == Faint && strings.ContainsFunc(cell.Text, unicode.IsLetter) {
				pale.WriteString(cell.Text)
			}
		}
		if got := pale.String(); got != "" && got != "kstatustui" {
			t.Errorf("line %d: %q is as pale as a frame", y, got)
		}
	}
}

// comparedMoments is the timeline of everything, at a moment, compared with one
// before it.
func comparedMoments(w, h int) *scene {
	s := badImage(w, h)
	s.pane, s.focus, s.whole = model.PaneTimeline, model.FocusPane, true
	if w < 110 {
		s.size = model.PaneFull
	}
	at := s.history[4]
	s.moment = &model.Moment{Transition: at, No: 5, Of: 6, Before: s.history[3].At, Object: &object.Object{ID: at.ID}, Changed: []explain.Change{
		{Path: "web state", Before: "waiting ContainerCreating", After: "waiting ErrImagePull"},
	}}
	s.compared = &model.Comparison{From: s.history[0].At, To: at.At, Objects: []model.Difference{
		{ID: id("Deployment/web"), Before: status.Current, After: status.InProgress, Changed: []explain.Change{
			{Path: "metadata.generation", Before: "41", After: "42"},
			{Path: "status.updatedReplicas", Before: "3", After: "1"},
		}},
		{ID: at.ID, After: status.Failed},
	}}
	return s
}

// looksAsItsTokens compares the cells of a terminal that a canvas was written to
// with how the theme says that their tokens look.
func looksAsItsTokens(t *testing.T, c *Canvas, th *Theme) {
	t.Helper()
	got := onTerminal(c.Render(th), c.W, c.H)
	if diff := cmp.Diff(c.Plain(), textOf(got, c.W, c.H)); diff != "" {
		t.Fatalf("%s: the terminal sees something else:\n%s", th.Name, diff)
	}
	for y := range c.H {
		for x := range c.W {
			cell := c.At(x, y)
			if cell.Width == 0 {
				continue
			}
			s := cell.Text
			if s == "" {
				s = " "
			}
			sgr := th.sgr[cell.Token][cell.Back]
			if s == " " && !th.marksBlanks(cell.Token) {
				sgr = th.sgr[Text][cell.Back]
			}
			want := onTerminal(sgr+s+"\x1b[m", int(cell.Width), 1).CellAt(0, 0)
			if g := got.CellAt(x, y); !sameToTheEye(g, want) {
				t.Fatalf("%s: %q at %d,%d is %+v, not %+v", th.Name, s, x, y, g.Style, want.Style)
			}
		}
	}
}

// runs is what each cell is: for each line its number and its runs of one token,
// and after a bar those of one background where there is any.
func (c *Canvas) runs() string {
	var b strings.Builder
	for y := range c.H {
		var toks, backs strings.Builder
		any := false
		for _, cell := range c.cells[y*c.W : (y+1)*c.W] {
			if cell.Text == "" && cell.Width == 1 {
				toks.WriteByte('_')
			} else if cell.Width > 0 {
				toks.WriteByte(tokenLetters[cell.Token])
			}
			backs.WriteByte(backLetters[cell.Back])
			any = any || cell.Back != NoBack
		}
		line := runLengths(strings.TrimRight(toks.String(), "_"))
		if any {
			line += " | " + runLengths(backs.String())
		}
		if line != "" {
			fmt.Fprintf(&b, "%d %s\n", y+1, line)
		}
	}
	return b.String()
}

// others are the lines of b that a does not have.
func others(a, b string) string {
	known := map[string]bool{}
	for l := range strings.Lines(a) {
		known[l] = true
	}
	var out strings.Builder
	for l := range strings.Lines(b) {
		if !known[l] {
			out.WriteString(l)
		}
	}
	return out.String()
}

func runLengths(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && s[i+n] == s[i] {
			n++
		}
		if n > 1 {
			fmt.Fprint(&b, n)
		}
		b.WriteByte(s[i])
		i += n
	}
	return b.String()
}

func TestTheLookOfEveryTokenInEveryTheme(t *testing.T) {
	var b strings.Builder
	for _, name := range ThemeNames {
		for _, dark := range []bool{true, false} {
			th, err := NewTheme(name, dark, false)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s, dark %v\n", name, dark)
			for tok := range numTokens {
				fmt.Fprintf(&b, "  %c", tokenLetters[tok])
				for back := range numBacks {
					fmt.Fprintf(&b, "  %c%s", backLetters[back], rendition(onTerminal(th.sgr[tok][back]+"x", 1, 1).CellAt(0, 0).Style))
				}
				b.WriteByte('\n')
			}
		}
	}
	golden(t, "testdata/themes.txt", []byte(b.String()))
}

// oneRow is a screen whose only row is in a status, and tells nothing else.
func oneRow(st status.Status, stalled bool, w int) *scene {
	s := healthy(w, 24)
	r := row("Pod/web-1", st, "", time.Minute, s.now)
	r.Stalled = stalled
	s.rows, s.selected = []model.Row{r, row("Pod/web-2", status.Current, "", time.Minute, s.now)}, 1
	return s
}

func TestEveryStatusIsToldApartOnAScreenWithoutColours(t *testing.T) {
	for _, name := range []string{"mono", "ascii"} {
		for _, w := range []int{200, 120, 80, 60, 33} {
			seen := map[string]status.Status{}
			tell := func(st status.Status, stalled bool) {
				text := drawn(t, oneRow(st, stalled, w), theme(t, name)).Plain()
				if other, ok := seen[text]; ok {
					t.Errorf("%s at %d columns: %s (stalled %v) and %s are one screen:\n%s", name, w, st, stalled, other, text)
				}
				seen[text] = st
			}
			for _, st := range status.Statuses {
				tell(st, false)
			}
			tell(status.InProgress, true)
		}
	}
}
