package panes

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The actions of the pane.
const (
	FoldBlock Action = "yaml-fold"
	foldLess  Action = "yaml-less"
	foldMore  Action = "yaml-more"
)

// DetailLoaded answers [Asker.Detail]. An answer with an older Gen is dropped.
type DetailLoaded struct {
	Gen    uint64
	Detail feed.Detail
	Err    error
}

// DetailView is what the pane shows.
type DetailView struct {
	ID      object.ID
	Shown   []outline.Line // lines that are not folded
	At      time.Time
	Loading bool
	Err     error
	// Cursor is the cursor's line in Shown, from 1; 0 if the pane has no cursor.
	Cursor int
	// ScrolledAway says that the text has been scrolled: the view does not follow the cursor until
	// it moves.
	ScrolledAway bool
}

// YAML is the pane with the whole object.
type YAML struct {
	on   Selection
	view DetailView

	gen     uint64
	version string // resourceVersion of the object when it was requested
	text    string
	lines   outline.Outline
	clip    bool // copy it to the clipboard when it arrives
}

// Title names the pane.
func (*YAML) Title() Title {
	return Title{Name: "YAML", Short: "YAML", Does: "YAML", Show: "yaml", Keys: []string{"5"}}
}

// Keys are the pane's keys.
func (y *YAML) Keys() []Key {
	return []Key{
		{Action: foldLess, Does: "fold one level more", Keys: []string{"left"}},
		{Action: foldMore, Does: "unfold one level", Keys: []string{"right"}},
		{Action: FoldBlock, Does: "fold, or unfold, the block of the line", Label: "fold", Keys: []string{"space"}},
	}
}

// forget forgets the object, and an answer that is still to come.
func (y *YAML) forget() {
	y.view, y.version, y.clip = DetailView{}, "", false
	y.gen++
	y.lines.Clear()
}

// Load requests the selected object if the pane lacks it. Without one it
// forgets the last: nothing may show below another's name.
func (y *YAML) Load(on Selection) tea.Cmd {
	y.on = on
	n := on.Node
	if !on.Open {
		return nil
	}
	if n == nil || n.Object == nil {
		y.forget()
		return nil
	}
	since := y.on.Ask.Clock().Sub(y.view.At)
	read := y.version == n.Object.ResourceVersion && (y.view.Err == nil || since < 10*time.Second)
	if y.view.ID == *n.ID && (y.view.Loading || read || since < time.Second) {
		return nil
	}
	return y.request(n)
}

func (y *YAML) request(n *world.Node) tea.Cmd {
	if y.view.ID != *n.ID {
		y.forget()
	}
	y.gen++
	y.view.ID, y.version, y.view.Loading = *n.ID, n.Object.ResourceVersion, true
	return y.on.Ask.Detail(*n.ID, y.gen)
}

// Copy requests an object for the clipboard, unless it is here.
func (y *YAML) Copy(n *world.Node) (text string, load tea.Cmd) {
	if y.view.ID != *n.ID || y.lines.Empty() || y.view.Err != nil || y.version != n.Object.ResourceVersion {
		load = y.request(n)
		y.clip = true
	}
	return y.text, load
}

// Update folds, and takes in the object.
func (y *YAML) Update(msg tea.Msg) (string, tea.Cmd) {
	switch msg := msg.(type) {
	case Forget:
		y.forget()
	case Action:
		switch msg {
		case foldLess:
			return y.lines.Level(-1), nil
		case foldMore:
			return y.lines.Level(1), nil
		case FoldBlock:
			if y.view.ScrolledAway && !y.lines.Empty() {
				y.Move(0, true)
			}
			return y.lines.TurnHere(), nil
		}
	case DetailLoaded:
		return y.loaded(msg)
	}
	return "", nil
}

// loaded takes in the object, and copies it if it was fetched for the clipboard.
func (y *YAML) loaded(msg DetailLoaded) (string, tea.Cmd) {
	if msg.Gen != y.gen {
		return "", nil
	}
	clip := y.clip
	y.view.Loading, y.view.Err, y.view.At, y.clip = false, msg.Err, y.on.Ask.Clock(), false
	if msg.Err == nil {
		y.text, y.view.At = msg.Detail.YAML, cmp.Or(msg.Detail.At, y.view.At)
		y.lines.Read(y.text)
	}
	switch {
	case !clip:
		return "", nil
	case msg.Err != nil:
		return "cannot copy: " + msg.Err.Error(), nil
	}
	return "copied the YAML", tea.SetClipboard(y.text)
}

// Empty reports whether there is no text.
func (y *YAML) Empty() bool { return y.lines.Empty() }

// Turn folds or unfolds the block that a line opens.
func (y *YAML) Turn(no int) { y.lines.Turn(no) }

// Move moves the cursor; if the window is elsewhere, from the first line in sight.
func (y *YAML) Move(by int, elsewhere bool) {
	shown, at := y.lines.Shown(y.on.Searching)
	if y.view.ScrolledAway || elsewhere {
		at = y.on.First()
	}
	y.lines.MoveTo(shown, at+by)
	y.view.ScrolledAway = false
}

// ScrollAway leaves the cursor where it is while the text is scrolled.
func (y *YAML) ScrollAway() { y.view.ScrolledAway = true }

// ScrolledAway reports whether the text has been scrolled since the cursor moved.
func (y *YAML) ScrolledAway() bool { return y.view.ScrolledAway }

// View is what the pane shows. A search must see folded lines.
func (y *YAML) View() DetailView {
	d := y.view
	var cursor int
	if d.Shown, cursor = y.lines.Shown(y.on.Searching); y.on.Focused && !y.lines.Empty() {
		d.Cursor = 1 + cursor
	}
	return d
}

// Content is the object.
func (y *YAML) Content(p *Page) Content { return p.YAML(y.View()) }

// YAML writes a whole object, status first, below its name.
func (t *Page) YAML(v DetailView) (c Content) {
	switch {
	case v.Err != nil:
		t.Wrapped("", "", markup.OneLine(v.Err.Error()), markup.Stuck)
	case len(v.Shown) > 0:
		c.Starts = t.object(v.Shown)
	case v.Loading:
		t.Add(markup.Dim.Of("fetching the object"))
	case t.absent():
	case t.Selected.IsZero():
		return Lines(nil)
	default:
		t.Add(markup.Dim.Of("There is nothing to show."))
	}
	c.N, c.Line = len(t.lines), func(i int) markup.Line { return t.lines[i] }
	if r, ok := t.selected(); ok {
		c.Head = t.named(r.ID)
		if len(v.Shown) > 0 && strings.HasPrefix(v.Shown[0].Text, "status:") && !t.Tight {
			c.Head = append(c.Head, markup.Styled("# the status first, then the rest of the object", markup.Dim))
		}
	}
	if v.Cursor >= 1 && v.Cursor < len(c.Starts) {
		c.Cursor, c.Kept = [2]int{c.Starts[v.Cursor-1], c.Starts[v.Cursor]}, !v.ScrolledAway
	}
	return c
}

// object adds the lines of an object, wrapped if switched on. It returns where
// each begins, and where the last ends.
func (t *Page) object(lines []outline.Line) (starts []int) {
	for i := range lines {
		starts = append(starts, len(t.lines))
		l, parts, in := &lines[i], []string{lines[i].Text}, 0
		if t.Wrap && markup.Width(l.Text) > t.W {
			in = min(len(l.Text)-len(strings.TrimLeft(l.Text, " "))+2, t.W/2)
			parts = markup.Wrap(l.Text, max(8, t.W-in))
		}
		t.Add(yamlLine(l, parts[0])...)
		for _, part := range parts[1:] {
			t.Add(markup.Plain(strings.Repeat(" ", in) + part)...)
		}
	}
	return append(starts, len(t.lines))
}

// yamlLine separates a key from its value, and says how many lines are folded.
func yamlLine(l *outline.Line, s string) markup.Line {
	body := strings.TrimLeft(s, " -")
	lead := s[:len(s)-len(body)]
	key, value, ok := strings.Cut(body, ":")
	out := markup.Line{markup.Faint.Of(lead), markup.Accent.Of(key), markup.Faint.Of(":"), markup.Text.Of(value)}
	if !ok || strings.ContainsAny(key, " \"'{[") || value != "" && value[0] != ' ' {
		out = markup.Plain(s)
	}
	if l.Folded > 0 {
		out = append(out, markup.Dim.Of("  "+markup.Folded+" "+markup.Count(l.Folded, "line")))
	}
	return out
}
