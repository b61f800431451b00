package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// column is one column of the tree. A new column is a row of allColumns.
type column struct {
	name  string // in the configuration
	title string
	// least is the width below which the column is of no use. From good on its
	// cells can be read. Up to fair it grows before others, and it never needs
	// more than most.
	least, good, fair, most int
	// step: there is nothing between least and good.
	step bool
	// right aligns title and cell at the right edge.
	right bool
	// goes is the order in which columns are left out where room is short,
	// the greatest first. 0 never goes.
	goes int
	draw func(p *rowDrawing, r Rect)

	x, w int // where it is; a width of 0 means that there is no room for it
}

// allColumns are the columns from left to right.
var allColumns = []column{
	{name: "name", title: "RESOURCE", least: 20, good: 22, fair: 40, most: 60, draw: (*rowDrawing).nameCell},
	{name: "namespace", title: "NAMESPACE", least: 9, good: 9, most: 20, goes: 3, draw: (*rowDrawing).namespaceCell},
	{name: "ready", title: "READY", least: 5, good: 5, most: 7, goes: 4, draw: (*rowDrawing).readyCell},
	{name: "restarts", title: markup.Again, least: 4, good: 4, most: 4, goes: 5, draw: (*rowDrawing).restartsCell},
	{name: "status", title: "STATUS", least: 2, good: 14, most: 14, step: true, goes: 2, draw: (*rowDrawing).statusCell},
	{name: "reason", title: "REASON", least: 18, good: 18, fair: 34, most: 300, goes: 1, draw: (*rowDrawing).reasonCell},
	{name: "node", title: "NODE", least: 16, good: 16, most: 24, goes: 7, draw: (*rowDrawing).nodeCell},
	{name: "image", title: "IMAGE", least: 12, good: 12, most: 40, goes: 8, draw: (*rowDrawing).imageCell},
	{name: "since", title: "SINCE", least: 5, good: 5, most: 6, right: true, goes: 6, draw: (*rowDrawing).sinceCell},
	{name: "age", title: "AGE", least: 5, good: 5, most: 6, right: true, goes: 6, draw: (*rowDrawing).ageCell},
}

// DefaultColumns are the names of the columns that are shown unless the user
// chooses others. The name is always shown.
var DefaultColumns = []string{"ready", "restarts", "status", "reason", "since"}

// ColumnNames are the names of the columns that can be chosen.
func ColumnNames() (names []string) {
	for _, c := range allColumns[1:] {
		names = append(names, c.name)
	}
	return names
}

// columns lays the chosen columns out in w cells. Widths depend on w and the
// choice alone, so that changing rows never move a column.
func (d *drawing) columns(w int) []column {
	chosen := d.look.Columns
	if chosen == nil {
		chosen = DefaultColumns
	}
	if len(d.s.Facts.Namespaces()) > 1 {
		chosen = append(slices.Clone(chosen), "namespace")
	}
	if d.l.form == formTiny {
		return tinyColumns(w, chosen)
	}
	return fitColumns(w, chosen)
}

// shows reports whether a column has room.
func shows(cols []column, name string) bool {
	return slices.ContainsFunc(cols, func(c column) bool { return c.name == name && c.w > 0 })
}

// fitColumns gives the chosen columns their places in w cells, of which the first
// is the mark of the selected row. Each column has a blank behind it.
func fitColumns(w int, chosen []string) []column {
	cols := slices.DeleteFunc(slices.Clone(allColumns), func(c column) bool { return c.goes > 0 && !slices.Contains(chosen, c.name) })
	left := w - 1
	for i := range cols {
		cols[i].w = cols[i].least
		left -= cols[i].least + 1
	}
	for left < 0 {
		last := 0
		for i, c := range cols {
			if c.w > 0 && c.goes > cols[last].goes {
				last = i
			}
		}
		if last == 0 {
			cols[0].w = max(cols[0].w+left, 1)
			break
		}
		left += cols[last].w + 1
		cols[last].w = 0
	}
	grow(cols, left)
	x := 1
	for i := range cols {
		cols[i].x = x
		if cols[i].w > 0 {
			x += cols[i].w + 1
		}
	}
	return cols
}

// grow shares out the cells that are left: first the columns become readable,
// the most important first; then names and reasons grow, then all.
func grow(cols []column, left int) {
	order := slices.Clone(cols)
	slices.SortStableFunc(order, func(a, b column) int { return cmp.Compare(a.goes, b.goes) })
	for _, o := range order {
		i := slices.IndexFunc(cols, func(c column) bool { return c.name == o.name })
		c := &cols[i]
		if by := c.good - c.w; c.w > 0 && (by <= left || !c.step) {
			by = min(by, max(left, 0))
			c.w += by
			left -= by
		}
	}
	left = evenly(cols, left, func(c column) int { return c.fair })
	evenly(cols, left, func(c column) int { return c.most })
}

// evenly widens the columns by a cell in turn, up to a limit of each.
func evenly(cols []column, left int, limit func(column) int) int {
	for grown := true; grown && left > 0; {
		grown = false
		for i := range cols {
			if c := &cols[i]; left > 0 && c.w >= c.good && c.w < limit(*c) {
				c.w++
				left--
				grown = true
			}
		}
	}
	return left
}

// tinyColumns are those of a screen below 50 cells: a sign, a name with what else
// there is behind it, and an age.
func tinyColumns(w int, chosen []string) []column {
	by := func(name string, x, w int) column {
		i := slices.IndexFunc(allColumns, func(c column) bool { return c.name == name })
		c := allColumns[i]
		c.x, c.w = x, w
		return c
	}
	cols := []column{by("status", 1, 1)}
	age := 0
	if slices.Contains(chosen, "since") && w >= 28 {
		age = 4
		cols = append(cols, by("since", w-age, age))
	}
	return append(cols, by("name", 3, max(w-3-age, 1)))
}

// treeHead draws the column titles.
func (d *drawing) treeHead(r Rect) {
	for _, c := range d.columns(r.W) {
		switch {
		case c.w < markup.Width(c.title) && c.step:
		case c.right:
			d.c.Right(r.X+c.x+c.w, r.Y, markup.Truncate(c.title, c.w), markup.Heading)
		default:
			d.c.Put(r.X+c.x, r.Y, c.w, c.title, markup.Heading)
		}
	}
}

// shortKindsBelow is the width of the name's column below which a screen spells
// all kinds as kubectl's short names.
const shortKindsBelow = 32

// spellsShort reports whether the screen spells kinds as kubectl's short names.
func (d *drawing) spellsShort() bool {
	if d.l.tree.empty() || d.l.form == formTiny {
		return false
	}
	return d.columns(d.l.tree.W)[0].w < shortKindsBelow
}

// kind is a kind as the screen spells it.
func (d *drawing) kind(kind string) string {
	if d.short {
		return cmp.Or(world.ShortKind(kind), strings.ToLower(kind))
	}
	return kind
}

// spell is a name, "Deployment/web", as the screen spells it.
func (d *drawing) spell(name string) string {
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		return d.kind(kind) + "/" + rest
	}
	return name
}

// The least width of a cause's words in the headline, and of a reason behind a
// name with the blank before it.
const (
	leastReason = 8
	leastInline = 7
)

// nameCell draws the name, and behind it what has no column of its own: first
// what must not be lost, then whatever fits.
func (p *rowDrawing) nameCell(r Rect) {
	lead := p.lead(r.W)
	room := r.W - lead.Width()
	behind, _ := p.behindName(room)
	name := p.nameIn(room - behind.Width() - p.leastInlineReason(room-behind.Width()))
	reason := p.inlineReason(room - name.Width() - behind.Width())
	p.d.c.line(r.X, r.Y, r.W, slices.Concat(lead, name, behind, reason))
}

// behindName is what stands behind a name in room cells, and what did not fit.
func (p *rowDrawing) behindName(room int) (behind markup.Line, left []string) {
	gap := p.gap()
	add := func(s string, tok markup.Token) { behind = append(behind, tok.Of(gap+s)) }
	if p.row.Namespace != "" && !shows(p.cols, "namespace") && p.d.l.form != formTiny {
		add("in "+p.row.Namespace, markup.Dim)
	}
	side, _, _ := strings.Cut(p.row.Rollout, " ") // a rollout's ReplicaSets are always told apart
	if side != "" && p.d.l.form != formTiny {
		behind = append(behind, markup.Dim.Of(" "+side))
	}
	// A Pod's reason says more than its 0/1, and its name takes the room.
	tooMuch := p.row.Key.ID.Kind == "Pod" && p.row.Reason != ""
	if p.row.Ready != "" && !shows(p.cols, "ready") && p.inline("ready") && !tooMuch {
		add(p.row.Ready, markup.Dim)
	}
	if p.row.Restarts > 0 && !shows(p.cols, "restarts") && p.inline("restarts") {
		add(markup.Again+strconv.FormatInt(p.row.Restarts, 10), markup.Stuck)
	}
	name := p.leastName(room)
	revision := strings.TrimSpace(strings.TrimPrefix(p.row.Rollout, side))
	for _, s := range []string{revision, p.row.Updated, p.row.Note} {
		fits := func(s string) bool { return name+behind.Width()+markup.Width(gap+s) <= room && p.d.l.form != formTiny }
		brief := strings.Replace(s, " updated", " upd.", 1)
		switch {
		case s == "":
		case fits(s):
			add(s, markup.Dim)
		case fits(brief):
			add(brief, markup.Dim)
		case s != revision:
			left = append(left, s)
		}
	}
	return behind, left
}

// gap is what parts a name from what is behind it.
func (p *rowDrawing) gap() string {
	if p.nameWidth() < 24 || p.d.l.form == formTiny {
		return " "
	}
	return "  "
}

// inline reports whether the user has chosen a column.
func (p *rowDrawing) inline(name string) bool {
	return slices.Contains(p.d.look.Columns, name) || p.d.look.Columns == nil
}

// inlineReason is the reason behind a name, where it has no column, in at most
// room cells.
func (p *rowDrawing) inlineReason(room int) markup.Line {
	if shows(p.cols, "reason") || !p.inline("reason") || p.row.Status == status.Current && !p.row.Noted {
		return nil
	}
	gap := p.gap()
	text, tok := p.reason(room - markup.Width(gap))
	if p.row.Noted {
		text, tok = markup.Truncate(p.row.Message, room-markup.Width(gap)), markup.Text
	}
	if text == "" || room < 5 {
		return nil
	}
	return markup.Line{tok.Of(gap + text)}
}

// leastInlineReason is how much of room a reason behind a name needs at least.
func (p *rowDrawing) leastInlineReason(room int) int {
	whole := p.inlineReason(room).Width()
	return min(whole, max(room-p.leastName(room-whole), min(leastInline, room-markup.Width("deploy/abc")), 0))
}

// leastName is the least width of a name beside which there is more: of a
// generated one what differs from its siblings', its kind and its last part.
func (p *rowDrawing) leastName(room int) int {
	kind, name, ok := strings.Cut(p.row.Name, "/")
	if !ok {
		return markup.Width(p.row.Name)
	}
	lead := markup.Width(p.rowKind(kind)) + 1
	if i := strings.LastIndexByte(name, '-'); p.row.Generated && i >= 0 && lead+markup.Width(name) > room {
		return lead + 1 + markup.Width(name[i+1:])
	}
	return lead + markup.Width(name)
}

// rowKind is a kind as the rows spell it.
func (p *rowDrawing) rowKind(kind string) string {
	if p.d.l.form == formTiny {
		return briefKind(kind)
	}
	return p.d.kind(kind)
}

// nameWidth is the width of the name's column.
func (p *rowDrawing) nameWidth() int {
	return p.cols[slices.IndexFunc(p.cols, func(c column) bool { return c.name == "name" })].w
}

// nameIn is the name in room cells. It keeps its kind and its distinguishing end.
func (p *rowDrawing) nameIn(room int) (l markup.Line) {
	name := p.row.Name
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		kind = p.rowKind(kind)
		if most := room - 1 - min(markup.Width(rest), 4); markup.Width(kind) > most {
			kind = markup.Truncate(kind, max(most, 2))
		}
		l = markup.Styled(kind+"/", markup.Dim)
		name, room = rest, room-markup.Width(kind)-1
	}
	if p.row.Generated {
		name = markup.Shorten(name, room)
	} else {
		name = markup.TruncateMiddle(name, room)
	}
	return append(l, p.nameToken().Of(name))
}

func (p *rowDrawing) namespaceCell(r Rect) {
	space := p.row.Namespace
	if slices.Contains(p.d.look.Columns, "namespace") {
		space = p.row.Key.ID.Namespace
	}
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(markup.TruncateMiddle(space, r.W), markup.Dim))
}

func (p *rowDrawing) readyCell(r Rect) {
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(p.row.Ready, markup.Dim))
}

// restartsCell stands on every screen: a Pod may be healthy between two crashes.
func (p *rowDrawing) restartsCell(r Rect) {
	if p.row.Restarts == 0 {
		return
	}
	text := markup.Again + strconv.FormatInt(p.row.Restarts, 10)
	if markup.Width(text) > r.W {
		text = fmt.Sprintf("%s%dk", markup.Again, p.row.Restarts/1000)
	}
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(text, markup.Stuck))
}

func (p *rowDrawing) statusCell(r Rect) {
	if p.row.Status == "" {
		return
	}
	look := markup.LookOf(p.row.Status)
	if !p.row.Matched {
		look.Token = markup.Dim
	}
	l := append(make(markup.Line, 0, 3), look.Mark())
	if r.W > 4 {
		if p.row.Stale {
			look.Token = markup.Dim
		}
		word := " " + string(p.row.Status) + " "
		l = append(l, look.Token.Of(word[:min(len(word), r.W-2)])) // a sign may follow
	}
	switch {
	case p.row.Stale:
		l = append(l, markup.Dim.Of(markup.Aged))
	case p.row.Stalled:
		l = append(l, markup.Stuck.Of(markup.Stalled))
	case p.row.Assumed: // an assumed Current looks different from a proven one
		l = append(l, markup.Unsure.Of(markup.LookOf(status.Unknown).Glyph))
	case p.row.Paused:
		l = append(l, markup.Dim.Of("="))
	}
	if r.W == 1 {
		l = l[:1]
	}
	p.d.c.line(r.X, r.Y, r.W, l)
}

// reason is a row's reason and its token, in at most w cells; the count of a
// descendant's reason is kept.
func (p *rowDrawing) reason(w int) (string, markup.Token) {
	reason := p.row.Reason
	if reason == "" || reason == string(p.row.Status) || w <= 0 {
		return "", markup.Text
	}
	many := ""
	if p.row.Carried > 0 {
		reason = markup.Bubbled + " " + reason
	}
	if p.row.Carried > 1 && w >= 11 {
		many = fmt.Sprintf(" %s%d", markup.Times, p.row.Carried)
	}
	reason = markup.Truncate(reason, w-markup.Width(many)) + many
	switch {
	case !p.row.Matched:
		return reason, markup.Dim
	case p.row.Status == status.Failed:
		return reason, markup.Bad
	case p.row.Stalled:
		return reason, markup.Stuck
	case p.row.Status == status.Current:
		return reason, markup.Dim
	}
	return reason, markup.Text
}

func (p *rowDrawing) reasonCell(r Rect) {
	reason, tok := p.reason(r.W)
	l := append(make(markup.Line, 0, 4), tok.Of(reason))
	name := p.nameWidth()
	_, left := p.behindName(name - p.lead(name).Width())
	if !p.row.Matched {
		left = nil
	}
	for _, s := range left {
		if l.Width()+2+markup.Width(s) <= r.W {
			l = append(l, markup.Dim.Of(strings.Repeat(" ", min(2, l.Width()))+s))
		}
	}
	if p.row.Message != "" && p.row.Message != p.row.Reason && p.row.Matched {
		switch {
		case p.row.Noted:
			l[0] = markup.Text.Of(p.row.Message)
		case l.Width() == 0:
			l = markup.Styled(p.row.Message, markup.Dim)
		case r.W-l.Width() > 14 && p.row.Carried == 0:
			l = append(l, markup.Dim.Of("  "+p.row.Message))
		}
	}
	p.d.c.line(r.X, r.Y, r.W, l)
}

// nodeCell leaves out a node's domain first: nodes differ in their host names.
func (p *rowDrawing) nodeCell(r Rect) {
	name := p.row.Node
	if markup.Width(name) > r.W {
		name, _, _ = strings.Cut(name, ".")
	}
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(markup.TruncateMiddle(name, r.W), markup.Dim))
}

func (p *rowDrawing) imageCell(r Rect) {
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(markup.TruncateStart(p.row.Image, r.W), markup.Dim))
}

// sinceCell is how long the present status has lasted.
func (p *rowDrawing) sinceCell(r Rect) {
	text, tok := markup.Since(p.row.Since, p.d.s.Facts.Now()), markup.Dim
	if p.row.Stalled {
		tok = markup.Stuck
	}
	if p.d.l.form == formTiny {
		if p.row.Key.Kind != rows.Object || p.row.Status == status.Current || p.row.Since.IsZero() {
			return
		}
		text = duration.ShortHumanDuration(max(p.d.s.Facts.Now().Sub(p.row.Since), 0))
		if p.row.Stalled && markup.Width(text) < r.W {
			text = markup.Stalled + text
		}
	}
	p.d.c.Right(r.X+r.W, r.Y, markup.Truncate(text, r.W), tok)
}

// ageCell is how long ago the object was created.
func (p *rowDrawing) ageCell(r Rect) {
	p.d.c.Right(r.X+r.W, r.Y, markup.Truncate(markup.Since(p.row.Created, p.d.s.Facts.Now()), r.W), markup.Dim)
}

// briefKind is a kind in about six letters.
func briefKind(kind string) string {
	return cmp.Or(world.ShortKind(kind), markup.Truncate(kind, 7))
}
