package views

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var update = flag.Bool("update", false, "write goldens and screenshots instead of comparing them")

// golden compares got with a file under testdata, or writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", path, diff)
	}
}

// drawn draws a state and checks what holds for every screen.
func drawn(t *testing.T, x any, th *Theme) *Canvas {
	t.Helper()
	if s, ok := x.(*scene); ok {
		s.opt.ASCII = th.ASCII
	}
	s := of(x)
	c := NewCanvas(0, 0, nil)
	look := Look{Theme: th}
	Draw(c, s, look)
	w, h := s.Panes.Size()
	out := c.Render()
	if w > 0 && h > 0 {
		if want := c.Buffer.Render(); !reflect.DeepEqual(onTerminal(out, w, h), onTerminal(want, w, h)) {
			t.Fatalf("the screen reads\n%q, not\n%q", out, want)
		}
		checkScreen(t, out, w, h)
	}
	again := NewCanvas(3, 3, nil)
	Draw(again, s, look)
	if again.Render() != out {
		t.Fatal("the same state gives two different screens")
	}
	return c
}

func theme(t testing.TB, name string) *Theme {
	t.Helper()
	th, err := NewTheme(name, true, false)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

var sizes = [][2]int{{200, 60}, {180, 50}, {146, 40}, {132, 43}, {120, 36}, {110, 30}, {100, 30}, {80, 24}, {60, 15}, {33, 8}, {18, 3}}

var situations = map[string]func(w, h int) *scene{
	"healthy": healthy, "in-progress": inProgress, "bad-image": badImage, "waiting": waiting, "lost": lost, "replay": replayed,
	"palette": paletteOpen, "grouped": grouped,
}

// paletteOpen is the window of commands over a screen.
func paletteOpen(w, h int) *scene {
	s := badImage(w, h)
	s.mode = model.Commanding
	s.input = typing("s")
	s.palette = model.Palette{
		Suggestions: []model.Suggestion{
			{Text: "sort ", Hint: "the order of the rows"},
			{Text: "scope", Hint: "applied only, with generated, with references", Key: "a"},
			{Text: "suspend", Hint: "suspend", Key: "ctrl+z"},
		},
		Chosen: 1,
	}
	return s
}

// grouped has a row for each group.
func grouped(w, h int) *scene {
	s := badImage(w, h)
	s.grouping, s.sorting = rows.GroupStatus, rows.SortName
	groups := []status.Status{status.Failed, status.InProgress, status.Terminating, status.Current}
	in := map[status.Status][]rows.Row{}
	of := status.Failed
	for _, r := range s.rows {
		if r.Depth == 0 {
			of = r.Status
		}
		r.Depth++
		in[of] = append(in[of], r)
	}
	s.rows = nil
	for _, group := range groups {
		members := in[group]
		fold := rows.Opened
		if group == status.Current {
			members, fold = nil, rows.Closed
		}
		s.rows = append(s.rows, rows.Row{
			Key: rows.Key{Kind: rows.Group, Gap: string(group)}, Name: string(group), Note: strconv.Itoa(int(s.counts[group])),
			Status: group, Fold: fold, Matched: true,
		})
		last := 0
		for i, r := range members {
			if r.Depth == 1 {
				last = i
			}
		}
		for i := range members {
			members[i].Last = members[i].Last || i == last
			if members[i].Depth > 1 && i < last {
				members[i].Guides |= 1 << 1
			}
		}
		s.rows = append(s.rows, members...)
	}
	s.selected = slices.IndexFunc(s.rows, func(r rows.Row) bool { return strings.HasSuffix(r.Name, "-9qdlm") })
	return s
}

func TestScreensAtEverySize(t *testing.T) {
	for name, make := range situations {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s %dx%d", name, size[0], size[1]), func(t *testing.T) {
				th := theme(t, "dark")
				c := drawn(t, make(size[0], size[1]), th)
				if got := textOf(onTerminal(c.Render(), c.Width(), c.Height()), c.Width(), c.Height()); got != c.Plain() {
					t.Errorf("the terminal sees something else:\n%s", cmp.Diff(c.Plain(), got))
				}
				golden(t, fmt.Sprintf("testdata/screens/%s-%dx%d.txt", name, size[0], size[1]), []byte(c.Plain()))
			})
		}
	}
}

func TestTheMonochromeScreenHasTheTextOfTheColouredOne(t *testing.T) {
	for name, make := range situations {
		a := drawn(t, make(120, 36), theme(t, "dark")).Plain()
		b := drawn(t, make(120, 36), theme(t, "mono")).Plain()
		if a != b {
			t.Errorf("%s: %s", name, cmp.Diff(a, b))
		}
	}
}

func TestTheASCIIScreenIsASCII(t *testing.T) {
	for name, make := range situations {
		for p := range model.PaneNames() {
			s := make(140, 40)
			s.pane = model.Pane(p)
			for _, c := range s.causes {
				c.Next[1] = ""
				c.Evidence[1].Path = ""
			}
			s.proofs = true
			for _, r := range drawn(t, s, theme(t, "ascii")).Plain() {
				if r > 0x7e {
					t.Fatalf("%s, pane %d: %q is not ASCII", name, p, r)
				}
			}
		}
	}
}
