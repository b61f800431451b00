package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

const foldable = `status:
  conditions:
  - type: Ready
    status: "True"
  - type: Other
    status: "False"
  text: |
    one

    two
  phase: Running
kind: Pod
metadata:
  name: web`

func shownYAML(p *play) string {
	var b strings.Builder
	for _, l := range p.m.Panes.Detail().Shown {
		b.WriteString(l.Text)
		if l.Folded > 0 {
			fmt.Fprintf(&b, " +%d", l.Folded)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// foldableShown is a screen with foldable in the YAML pane.
func foldableShown(t *testing.T) *play {
	p := screen(t)
	_, b := bazaar()
	p.batch(0, b)
	p.keys("5")
	p.send(panes.DetailLoaded{Gen: p.yamlGen(), Detail: feed.Detail{YAML: foldable}})
	return p
}

func TestTheYAMLFoldsByLevelsAndByBlocks(t *testing.T) {
	p := foldableShown(t)
	p.keys("tab")
	want := func(text string) {
		t.Helper()
		if diff := cmp.Diff(strings.TrimLeft(text, "\n"), shownYAML(p)); diff != "" {
			t.Errorf("(-want +shown):\n%s", diff)
		}
	}
	want(foldable + "\n")
	p.keys("left")
	want(`
status:
  conditions:
  - type: Ready +1
  - type: Other +1
  text: |
    one

    two
  phase: Running
kind: Pod
metadata:
  name: web
`[1:])
	if got := p.m.Display.Flash(); !strings.HasPrefix(got, "folded from level ") {
		t.Errorf("what was folded may be out of sight: %q", got)
	}
	p.keys("left", "left", "left")
	want("status: +10\nkind: Pod\nmetadata: +1\n")
	p.send(LineClicked{0})
	want(`
status:
  conditions: +4
  text: | +3
  phase: Running
kind: Pod
metadata: +1
`)
	p.keys("space") // the cursor is where the click was
	want("status: +10\nkind: Pod\nmetadata: +1\n")
	p.keys("/")
	p.typesIn("other")
	want(foldable + "\n") // a search looks into folds
	p.keys("esc", "right", "right", "right", "right", "right")
	want(foldable + "\n")
}

func TestTheCursorFoldsTheBlockOfItsLine(t *testing.T) {
	p := foldableShown(t)
	on := func(want string) {
		t.Helper()
		d := p.m.Panes.Detail()
		if d.Cursor == 0 || d.ScrolledAway || strings.TrimSpace(d.Shown[d.Cursor-1].Text) != want {
			t.Errorf("cursor %d, loose %v in:\n%s\nwant it on %q", d.Cursor, d.ScrolledAway, shownYAML(p), want)
		}
	}
	if d := p.m.Panes.Detail(); d.Cursor != 0 {
		t.Errorf("a cursor on line %d while the tree has the keys", d.Cursor)
	}
	p.keys("tab")
	on("status:")
	p.keys("down", "down", "down")
	on(`status: "True"`)
	p.keys("space") // it opens no block: the enclosing one
	on("- type: Ready")
	if got := shownYAML(p); !strings.Contains(got, "- type: Ready +1\n") {
		t.Errorf("not folded:\n%s", got)
	}
	p.keys("down")
	on("- type: Other")
	p.keys("up", "space")
	if got := shownYAML(p); got != foldable+"\n" {
		t.Errorf("not unfolded:\n%s", got)
	}
	p.keys("G")
	on("name: web")
	p.keys("left", "left", "left", "left") // the line of a folded block
	on("metadata:")
	p.send(Scrolled{Over: FocusPane, Lines: 1})
	if !p.m.Panes.Detail().ScrolledAway {
		t.Error("the wheel's window is tied to the cursor")
	}
	p.keys("down") // from the first line in sight
	on("kind: Pod")
	p.keys("/")
	p.typesIn("web")
	p.keys("enter", "down")
	if d := p.m.Panes.Detail(); d.ScrolledAway {
		t.Error("after a search the window stays loose")
	}
}

// The text of one object must not stand below another's name.
func TestTheYAMLPaneNeverShowsAnotherObject(t *testing.T) {
	p := screen(t)
	web, missing := deployment("web", 2), deployment("missing", 2)
	p.batch(0, feed.Batch{
		Roots: []feed.Root{root(web), root(missing)}, Objects: []*object.Object{web}, Absent: []object.ID{missing.ID}, Synced: true,
	})
	p.keys("G", "5")
	asked := p.yamlGen()
	p.keys("g")
	p.send(panes.DetailLoaded{Gen: asked, Detail: feed.Detail{YAML: foldable}})
	if k, _ := p.m.Tree.Selected(); k.ID != missing.ID || shownYAML(p) != "" {
		t.Errorf("%s shows what was asked for web:\n%s", k.ID, shownYAML(p))
	}
	p.keys("G")
	p.send(panes.DetailLoaded{Gen: p.yamlGen(), Detail: feed.Detail{YAML: foldable}})
	if shownYAML(p) != foldable+"\n" {
		t.Fatalf("web shows:\n%s", shownYAML(p))
	}
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: web.ID, UID: web.UID}}})
	if d := p.m.Panes.Detail(); len(d.Shown) > 0 || d.Loading {
		t.Errorf("web is deleted, and shows:\n%s", shownYAML(p))
	}
}

func TestAYAMLThatCouldNotBeReadIsRequestedAgain(t *testing.T) {
	p := screen(t)
	web := deployment("web", 2)
	p.batch(0, feed.Batch{Roots: []feed.Root{root(web)}, Objects: []*object.Object{web}, Synced: true})
	p.keys("5")
	p.send(panes.DetailLoaded{Gen: p.yamlGen(), Err: errors.New("timeout")})
	p.send(ClockTicked{at(9 * time.Second)})
	if p.m.Panes.Detail().Loading {
		t.Error("requested again at once")
	}
	p.send(ClockTicked{at(10 * time.Second)})
	if !p.m.Panes.Detail().Loading {
		t.Fatal("not requested again")
	}
	p.send(panes.DetailLoaded{Gen: p.yamlGen(), Detail: feed.Detail{YAML: foldable}})
	if d := p.m.Panes.Detail(); d.Err != nil || shownYAML(p) != foldable+"\n" {
		t.Errorf("%v, and shows:\n%s", d.Err, shownYAML(p))
	}
}

func TestThePlaceThatASearchFoundInTheYAMLStays(t *testing.T) {
	p := foldableShown(t)
	p.send(tea.WindowSizeMsg{Width: 120, Height: 9}) // not all lines fit
	p.keys("tab", "/")
	p.send(tea.PasteMsg{Content: "phase"})
	p.keys("enter")
	_, found := p.m.Panes.Content()
	p.keys("esc")
	if d := p.m.Panes.Detail(); p.m.Panes.SearchText().Text != "" || p.m.Panes.Focus() != FocusPane || found == 0 || d.Cursor != 1+found || p.m.Panes.Scroll().Top != found {
		t.Errorf("search %q, cursor %d, from %d: want the cursor in sight of what was found", p.m.Panes.SearchText().Text, d.Cursor, p.m.Panes.Scroll().Top)
	}
	if p.keys("esc"); p.m.Panes.Focus() != FocusTree {
		t.Error("the pane is not left")
	}
}
