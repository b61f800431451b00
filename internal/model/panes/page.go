package panes

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Facts is what panes read of what is known.
type Facts interface {
	Now() time.Time
	Causes() []explain.Cause
	MoreCauses() int
	CausesOf(id object.ID) []explain.Cause
	ConditionsOf(id object.ID) []known.Condition
	Notices() []feed.Notice
	Resource(id object.ID) (known.Resource, bool)
	Path(id object.ID) []object.ID
	NextSteps(causes []explain.Cause, about object.ID) []known.NextStep
	Serving(id object.ID) string
	Guards(id object.ID) []*object.Object
	Revisions(id object.ID) (all []*object.Object, newest *object.Object)
	Namespaces() []string
}

// Page is what a pane writes on: its width, what it may read, and the lines so far.
type Page struct {
	W     int
	Tight bool // there is little room: leave out empty lines

	Facts    Facts
	Selected object.ID // of the selected row; zero if it is none of one object
	Began    time.Time // when following began
	Zone     *time.Location
	Focused  bool // the pane has the focus
	Wrap     bool // long lines are wrapped
	Replay   bool // a recording is played
	Stands   bool // it is paused, or at its end
	// ShortKinds says that the screen spells kinds as kubectl's short names, ASCII
	// that it has no arrows.
	ShortKinds, ASCII bool

	lines    []markup.Line
	targets  []Target
	cards    map[string]int
	unfolded [][2]int
}

// Blank is the same page without lines.
func (t *Page) Blank() *Page {
	blank := *t
	blank.lines, blank.targets, blank.cards, blank.unfolded = nil, nil, nil, nil
	return &blank
}

// Lines are the lines so far.
func (t *Page) Lines() []markup.Line { return t.lines }

// Add adds a line.
func (t *Page) Add(spans ...markup.Span) { t.lines = append(t.lines, markup.Line(spans)) }

// Leads says that the next line leads to an object, or to the log of its container.
func (t *Page) Leads(to object.ID, container string) {
	if !to.IsZero() {
		t.targets = append(t.targets, Target{len(t.lines), to, container})
	}
}

// Gap adds an empty line between two parts.
func (t *Page) Gap() {
	if n := len(t.lines); n > 0 && len(t.lines[n-1]) > 0 && !t.Tight {
		t.lines = append(t.lines, nil)
	}
}

// Heading starts a section.
func (t *Page) Heading(s string) {
	t.Gap()
	t.Add(markup.Heading.Of(s))
}

// Wrapped adds a paragraph, with the indents first and rest.
func (t *Page) Wrapped(first, rest, s string, tok markup.Token) {
	lead := markup.Line{tok.Of(first)}
	if strings.TrimSpace(first) == "" {
		lead[0].Token = markup.Text // an indent is not underlined
	}
	t.Hanging(lead, rest, s, tok)
}

// Hanging adds a paragraph behind its first words.
func (t *Page) Hanging(first markup.Line, rest, s string, tok markup.Token) {
	if s == "" {
		return
	}
	w := max(8, t.W-max(first.Width(), markup.Width(rest)))
	for _, part := range markup.Wrap(strings.ReplaceAll(s, "⏎", "\n"), w) { // keep its own line breaks
		t.Add(append(first, tok.Of(part))...)
		first = markup.Line{markup.Text.Of(rest)}
	}
}

// Spread adds a line with a left part, and a right one if both fit.
func (t *Page) Spread(left markup.Line, right markup.Line) {
	room := t.W - left.Width() - right.Width()
	if room < 2 || len(right) == 0 {
		t.Add(left...)
		return
	}
	left = append(left, markup.Text.Of(strings.Repeat(" ", room)))
	t.Add(append(left, right...)...)
}

// selected is the selected object, if any.
func (t *Page) selected() (known.Resource, bool) { return t.Facts.Resource(t.Selected) }

// clock is a time of day.
func (t *Page) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.zone()).Format(time.TimeOnly)
}

func (t *Page) zone() *time.Location { return cmp.Or(t.Zone, time.UTC) }

// KeyName is the name of a key as the screen shows it.
func (t *Page) KeyName(k string) string { return KeyName(k, t.ASCII) }

// KeyName is the display name of a key: an arrow, unless the screen is ASCII.
func KeyName(k string, ascii bool) string {
	arrows := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}
	if arrow, ok := arrows[k]; ok && !ascii {
		return arrow
	}
	return k
}

// spell is a name, "Deployment/web", as the screen spells it.
func (t *Page) spell(name string) string { return SpellTitle(name, t.ShortKinds) }

// SpellTitle is a name with its kind, "Deployment/web", or with kubectl's short name of
// the kind; of a title without a kind it is the title.
func SpellTitle(name string, short bool) string {
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		return SpellKind(kind, short) + "/" + rest
	}
	return name
}

// SpellKind is a kind, or kubectl's short name of it.
func SpellKind(kind string, short bool) string {
	if short {
		return cmp.Or(world.ShortKind(kind), strings.ToLower(kind))
	}
	return kind
}

// absent explains a missing object; false if it exists.
func (t *Page) absent() bool {
	r, ok := t.selected()
	if !ok || r.Object != nil || r.Assessment.Message == "" {
		return false
	}
	t.Wrapped("", "  ", markup.OneLine(r.Assessment.Message), markup.Dim)
	return true
}

// onlyName is the head of a pane that needs no status.
func (t *Page) onlyName(r known.Resource) []markup.Line { return t.named(r.ID) }

// below is text below a head about the selected object, which stays while the text
// scrolls.
func (t *Page) below(head func(*Page, known.Resource) []markup.Line, body func(*Page) []markup.Line) Content {
	r, ok := t.selected()
	lines := body(t)
	if ok && len(lines) == 0 {
		lines = []markup.Line{markup.Styled("There is nothing to show.", markup.Dim)}
	}
	c := Lines(lines)
	c.Targets = t.targets
	if ok {
		c.Head = head(t.Blank(), r)
		if !t.Tight {
			c.Head = append(c.Head, nil)
		}
	}
	return c
}

// crumbs is the path from the root to the object.
func (t *Page) crumbs(id object.ID, w int) markup.Line {
	path := t.Facts.Path(id)
	for _, brief := range []bool{false, true} {
		l := make([]markup.Line, len(path))
		for i, p := range path {
			r, _ := t.Facts.Resource(p)
			name, tok := t.spell(cmp.Or(r.Title, p.String())), markup.Dim
			if i == len(path)-1 {
				tok = markup.Strong
			}
			if i > 0 && (brief || tok == markup.Dim) { // without its parent's name
				name = strings.Replace(name, "/"+path[i-1].Name+"-", "/"+markup.Ellipsis, 1)
			}
			l[i] = markup.Styled(name, tok)
		}
		if whole := markup.Join(" "+markup.Crumb+" ", l...); len(path) > 0 && whole.Width() <= w {
			return whole
		}
	}
	lead := ""
	if len(path) > 1 {
		lead = markup.Ellipsis + " " + markup.Crumb + " "
	}
	return markup.Line{markup.Faint.Of(lead), markup.Strong.Of(t.shortID(id, max(8, w-markup.Width(lead))))}
}

// shortID is an object's kind and name in at most w cells: of a generated name
// the end, which differs between siblings.
func (t *Page) shortID(id object.ID, w int) string {
	s := t.spell(id.String())
	if markup.Width(s) <= w {
		return s
	}
	kind, name, _ := strings.Cut(s, "/")
	if room := w - markup.Width(kind) - 1; room >= 6 {
		return kind + "/" + markup.Shorten(name, room)
	}
	return markup.TruncateMiddle(s, w)
}

// names lists objects after a word; it is empty if there are none.
func (t *Page) names(word string, ids []object.ID) string {
	const shown = 4
	if len(ids) == 0 {
		return ""
	}
	var out []string
	for _, id := range ids[:min(shown, len(ids))] {
		name := t.shortID(id, 36)
		if t.elsewhere(id) {
			name += " in " + id.Namespace
		}
		out = append(out, name)
	}
	if word += strings.Join(out, ", "); len(ids) > shown {
		word += fmt.Sprintf(" and %d more", len(ids)-shown)
	}
	return word
}

// elsewhere reports whether an object's namespace has to be named: there are several, and it is
// not the one in the pane's head.
func (t *Page) elsewhere(id object.ID) bool {
	return id.Namespace != "" && id.Namespace != t.Selected.Namespace && t.Facts != nil && len(t.Facts.Namespaces()) > 1
}

// NoticeToken is the token of a message by its level.
func NoticeToken(n feed.Notice) markup.Token {
	if n.Level == "info" {
		return markup.Dim
	}
	return markup.Stuck
}

// Tally is the counts of the statuses that occur, worst first.
func Tally(counts world.Counts, of []status.Status, words bool) (parts []markup.Line) {
	for _, st := range of {
		look, n := markup.LookOf(st), counts[st]
		text := look.Glyph + strconv.Itoa(n)
		if words {
			text = fmt.Sprintf("%s %d %s", look.Glyph, n, st)
		}
		if n > 0 {
			parts = append(parts, markup.Styled(text, look.Token))
		}
	}
	return parts
}
