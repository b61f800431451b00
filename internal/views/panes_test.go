package views

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The goldens of the panes: every pane at every size, in every theme. A file
// contains the text, the token and background of each cell, run by run, and the
// text in ASCII. testdata/themes.txt says how a token looks in each theme; the
// cells of a terminal are compared with that.

// goldenThemes are the themes in which every pane is drawn. No two tokens of the
// dark one look alike, so that its cells tell their tokens.
var goldenThemes = []struct {
	name       string
	dark, text bool
}{{"dark", true, false}, {"dark", true, true}, {"light", false, false}, {"mono", true, false}, {"ascii", true, true}}

func TestEveryPaneAtEverySizeInEveryTheme(t *testing.T) {
	panes := map[string]func(w, h int) *scene{"logs-merged": mergedLogs, "timeline-compared": comparedMoments}
	for p, name := range model.PaneNames() {
		panes[strings.ToLower(name)] = func(w, h int) *scene {
			s := badImage(w, h)
			s.pane, s.focus = model.Pane(p), model.FocusPane
			if w < 110 {
				s.size = layout.Full
			}
			return s
		}
	}
	for name, make := range panes {
		for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 15}, {33, 8}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(t *testing.T) {
				var drawings []*Canvas
				for _, in := range goldenThemes {
					th, err := NewTheme(in.name, in.dark, in.text)
					if err != nil {
						t.Fatal(err)
					}
					c := drawn(t, make(size[0], size[1]), th)
					looksAsOnTerminal(t, c)
					drawings = append(drawings, c)
				}
				dark, ascii := drawings[0], drawings[1]
				nothingToReadIsPale(t, dark)
				for i, c := range drawings[2:] {
					same := dark
					if goldenThemes[i+2].text {
						same = ascii
					}
					requireSameText(t, same, c)
				}
				text := dark.Plain() + "-- styles\n" + dark.runs() + "-- ascii\n" + ascii.Plain()
				text += "-- styles that differ\n" + others(dark.runs(), ascii.runs())
				golden(t, fmt.Sprintf("testdata/panes/%s-%dx%d.txt", name, size[0], size[1]), []byte(text))
			})
		}
	}
}

// nothingToReadIsPale: Faint has the contrast of a frame, and is for lines and
// separators, not for information.
func nothingToReadIsPale(t *testing.T, c *Canvas) {
	t.Helper()
	for y := range c.Height() {
		var pale strings.Builder
		for x := range c.Width() {
			if tok, _ := c.tokenAt(x, y); tok == markup.Faint && strings.ContainsFunc(c.CellAt(x, y).Content, unicode.IsLetter) {
				pale.WriteString(c.CellAt(x, y).Content)
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
		s.size = layout.Full
	}
	at := s.history[4]
	s.moment = &timeline.Moment{Transition: at, No: 5, Of: 6, Before: s.history[3].At, Object: &object.Object{ID: at.ID}, Changed: []explain.Change{
		{Path: "web state", Before: "waiting ContainerCreating", After: "waiting ErrImagePull"},
	}}
	s.compared = &timeline.Comparison{From: s.history[0].At, To: at.At, Objects: []timeline.Difference{
		{ID: id("Deployment/web"), Before: status.Current, After: status.InProgress, Changed: []explain.Change{
			{Path: "metadata.generation", Before: "41", After: "42"},
			{Path: "status.updatedReplicas", Before: "3", After: "1"},
		}},
		{ID: at.ID, After: status.Failed},
	}}
	return s
}

// requireSameText compares a screen with the same one in the dark theme: its text, and
// that each cell has the look of the same token.
func requireSameText(t *testing.T, dark, c *Canvas) {
	t.Helper()
	if diff := cmp.Diff(dark.Plain(), c.Plain()); diff != "" {
		t.Fatalf("%s is another screen than dark:\n%s", c.th.Name, diff)
	}
	for y := range c.Height() {
		for x := range c.Width() {
			cell := c.CellAt(x, y)
			if cell.Width == 0 || cell.Content == " " {
				continue
			}
			tok, back := dark.tokenAt(x, y)
			if want := c.th.cell(tok, back); !cell.Style.Equal(&want) {
				t.Fatalf("%s: %q at %d,%d is %+v, as %c on %c it is %+v", c.th.Name, cell.Content, x, y, cell.Style, tokenLetters[tok], backLetters[back], want)
			}
		}
	}
}

// looksAsOnTerminal compares the cells of a canvas with those of a terminal that it
// was written to.
func looksAsOnTerminal(t *testing.T, c *Canvas) {
	t.Helper()
	th := c.th
	got := onTerminal(c.Render(), c.Width(), c.Height())
	if diff := cmp.Diff(c.Plain(), textOf(got, c.Width(), c.Height())); diff != "" {
		t.Fatalf("%s: the terminal sees something else:\n%s", th.Name, diff)
	}
	for y := range c.Height() {
		for x := range c.Width() {
			want := c.CellAt(x, y)
			if g := got.CellAt(x, y); want.Width > 0 && !sameToTheEye(g, want) {
				t.Fatalf("%s: %q at %d,%d is %+v, not %+v", th.Name, want.Content, x, y, g.Style, want.Style)
			}
		}
	}
}

// runs is what each cell is: for each line its number and its runs of one token,
// and after a bar those of one background where there is any.
func (c *Canvas) runs() string {
	var b strings.Builder
	for y := range c.Height() {
		var toks, backs strings.Builder
		any := false
		for x := range c.Width() {
			cell := c.CellAt(x, y)
			if cell.Width == 0 {
				backs.WriteByte(backs.String()[backs.Len()-1])
				continue
			}
			tok, back := c.tokenAt(x, y)
			if cell.Content == " " {
				tok = markup.NumTokens
			}
			toks.WriteByte((tokenLetters + "_")[tok])
			backs.WriteByte(backLetters[back])
			any = any || back != NoBack
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

func TestTheColoursOfEveryTokenInEveryTheme(t *testing.T) {
	var b strings.Builder
	for _, name := range ThemeNames {
		for _, dark := range []bool{true, false} {
			th, err := NewTheme(name, dark, false)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s, dark %v\n", name, dark)
			for tok := range markup.NumTokens {
				fmt.Fprintf(&b, "  %c", tokenLetters[tok])
				for back := range numBacks {
					fmt.Fprintf(&b, "  %c%s", backLetters[back], rendition(th.cell(tok, back)))
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
	s.rows, s.selected = []rows.Row{r, row("Pod/web-2", status.Current, "", time.Minute, s.now)}, 1
	return s
}

func TestEveryStatusHasItsOwnSignWithoutColours(t *testing.T) {
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

func TestThePaneOfAGroupRowReportsThatNoObjectIsSelected(t *testing.T) {
	for _, pane := range []model.Pane{model.PaneConditions, model.PaneYAML} {
		s := badImage(120, 36)
		s.selected, s.pane, s.resources, s.detail = len(s.rows)-1, pane, nil, panes.DetailView{}
		if text := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(text, "No object is selected.") {
			t.Errorf("the row of the 16 more Current ones is selected:\n%s", text)
		}
	}
}
