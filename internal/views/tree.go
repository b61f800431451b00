package views

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// columns are the positions of a row's parts from the tree's left edge. They
// depend on the width alone. A width of 0 hides a column.
type columns struct {
	name            int // width; the name begins in column 1, after the selection mark
	status, statusW int
	reason, reasonW int
	sinceW          int
	inline          bool // the reason is beside the name
	words           bool
}

func columnsFor(w int, hidden Hidden) columns {
	c := columns{words: w >= 56 && !hidden.Word, statusW: 1}
	switch {
	case c.words:
		c.statusW = 14 // glyph, the longest word, the mark of a stall
	case w >= 30:
		c.statusW = 3
	}
	if !hidden.Since && (w >= 60 || w < 50 && w >= 28) {
		c.sinceW = 7 // an age and a blank
	}
	rest := w - 1 - c.statusW - c.sinceW - 1
	c.name, c.inline = rest, w < 76 && !hidden.Reason
	if w >= 76 && !hidden.Reason {
		c.name = max(rest*57/100, 32) // a rollout's row fits: see rollout
		c.reasonW = rest - c.name - 2
	}
	c.status = 1 + c.name + 1
	c.reason = c.status + c.statusW + 1
	return c
}

// treeHead draws the column titles.
func (d *drawing) treeHead(r Rect) {
	cols := columnsFor(r.W, d.look.Hidden)
	d.c.Put(r.X+1, r.Y, cols.name, "RESOURCE", Heading)
	if cols.words {
		d.c.Put(r.X+cols.status, r.Y, cols.statusW, "STATUS", Heading)
	}
	d.c.Put(r.X+cols.reason, r.Y, cols.reasonW, "REASON", Heading)
	if cols.sinceW > 0 {
		d.c.Right(r.X+r.W-1, r.Y, "SINCE", Heading)
	}
}

// tree draws the visible rows.
func (d *drawing) tree(r Rect) {
	cols, at := columnsFor(r.W, d.look.Hidden), Rect{r.X, r.Y, r.W, 1}
	for row := range d.s.InSight(r.H) {
		(&rowDrawing{d, &row, at, cols}).draw()
		at.Y++
	}
	if at.Y == r.Y {
		d.noRows(r)
	}
}

// rowDrawing is a row being drawn.
type rowDrawing struct {
	*drawing
	*rows.Row
	at   Rect
	cols columns
}

// noRows says why there are no rows.
func (d *drawing) noRows(r Rect) {
	what := "waiting for the first answer"
	switch {
	case d.s.Settings().Filter.Text != "":
		what = "nothing matches; esc clears the filter"
	case d.s.Synced():
		what = "nothing here"
	}
	d.c.Put(r.X+2, r.Y+min(1, r.H-1), r.W-3, truncate(what, r.W-3), Dim)
}

func (p *rowDrawing) draw() {
	if p.Selected {
		back, tok := Selected, Accent
		if p.s.Focus() != model.FocusTree {
			back, tok = Resting, Dim
		}
		p.c.Put(p.at.X, p.at.Y, 1, pointer, tok)
		defer p.c.Highlight(p.at, back)
	}
	x, end := p.at.X+1, p.at.X+1+p.cols.name
	if p.l.form == formTiny {
		x, end = p.tiny()
	} else {
		x = p.guides(x, end)
	}
	if p.Key.Kind == rows.Gap {
		p.c.line(x, p.at.Y, p.at.X+p.at.W-1-x, line{{stalled + " ", Stuck}, {p.Name, Text}, {"  " + p.Message, Dim}})
		return
	}
	p.words(x, p.restarts(end))
	if p.l.form == formTiny {
		return
	}
	p.statusCell(p.at.X + p.cols.status)
	p.reasonCell()
	if p.cols.sinceW > 0 {
		tok := Dim
		if p.Stalled {
			tok = Stuck
		}
		p.c.Right(p.at.X+p.at.W-1, p.at.Y, since(p.Since, p.s.Now()), tok)
	}
}

// The least widths of a reason beside a name, and of a name behind its
// kind, beside a reason.
const (
	leastReason = 8
	leastName   = 6
)

// words draws the name and behind it, as far as they fit beside the least name,
// the note and, where it has no column, the reason. How much still serves gives
// way to none of them, but a Pod's to its reason.
func (p *rowDrawing) words(x, end int) {
	gap, note, reason, tok, room := "  ", p.Note, "", Text, end-x
	if p.l.form == formTiny {
		gap = " "
	}
	if p.cols.inline {
		if p.Noted {
			note = strings.TrimLeft(note+"  "+p.Message, " ")
		}
		if p.Status != status.Current {
			reason, tok = p.reason(room)
		}
	}
	found := append(replicas.FindStringSubmatch(p.Note), "", "", "") // or nothing
	serving, rollout := found[1], ""
	if found[2] != "" {
		gap, rollout = p.rollout(gap, serving, found[2], reason, room)
	}
	rest := room - p.least()
	if p.Key.ID.Kind == "Pod" && width(gap+serving+gap+reason) > rest {
		serving = ""
	}
	serving += rollout
	if reason != "" || width(gap+note) > rest {
		note = serving
	}
	var behind line
	if left := room - width(gap+note); note != "" && (p.keepsKind(left) || note == serving && left >= leastReason) {
		behind = line{{gap + note, Dim}}
		rest -= behind.width()
	}
	if reason != "" {
		switch rest -= len(gap); {
		case rest >= min(width(reason), leastReason):
		case p.Generated && len(behind) > 0, rollout != "" && rest < leastReason-2:
			rest = 0 // rather its name
		case rest < leastReason-2: // rather two letters of the reason than of the name
			rest = leastReason
		}
		if reason, _ = p.reason(rest); reason != "" && p.keepsKind(room-behind.width()-width(gap+reason)) {
			behind = append(behind, span{gap + reason, tok})
		}
	}
	p.c.line(x, p.at.Y, room, append(p.name(room-behind.width()), behind...))
}

// least is the least width of a name beside which there is more: all of a
// root's, and of a generated one what differs from its siblings', its kind and
// its last part.
func (p *rowDrawing) least() int {
	kind, name, ok := strings.Cut(p.Name, "/")
	if i := strings.LastIndexByte(name, '-'); ok && p.Generated && i >= 0 {
		return width(kind) + 2 + width(name[i+1:])
	}
	return width(p.Name)
}

// keepsKind reports whether a name in room cells has its kind: two objects may
// have one name.
func (p *rowDrawing) keepsKind(room int) bool {
	kind, _, _ := strings.Cut(p.Name, "/")
	return room >= min(p.least(), width(kind)+1+leastName)
}

// name is the name in room cells, in few with a brief kind, and a foreign namespace.
func (p *rowDrawing) name(room int) (l line) {
	name := p.Name
	if kind, rest, ok := strings.Cut(name, "/"); ok && p.Key.Kind != rows.Group {
		if !p.keepsKind(room) {
			kind = briefKind(kind)
		}
		l = styled(kind+"/", Dim)
		name, room = rest, room-width(kind)-1
	}
	if p.Generated {
		name = shorten(name, room)
	} else {
		name = truncateMiddle(name, room)
	}
	l = append(l, span{name, p.nameToken()})
	if p.Namespace != "" && p.l.form != formTiny {
		l = append(l, span{" in " + p.Namespace, Dim})
	}
	return l
}

// restarts draws a Pod's restart count left of end, and returns its column. It
// is on every screen: a Pod may be healthy between two crashes.
func (p *rowDrawing) restarts(end int) int {
	if p.Restarts == 0 {
		return end
	}
	s := again + strconv.FormatInt(p.Restarts, 10)
	p.c.Put(end-width(s), p.at.Y, width(s), s, Stuck)
	return end - width(s) - 1
}

// replicas finds in a note the ready replicas, 3/4, and during a rollout the
// updated ones.
var replicas = regexp.MustCompile(`(?:^|  )(\d+/\d+)(?:  (\d+/\d+) updated)?(?:  |;|$)`)

// rollout makes room for how far a rollout is, beside the beginning of the reason:
// in brief, behind a brief kind, with less between the parts; where nothing of
// that is enough, in place of the reason, which a tiny screen says nowhere else.
func (p *rowDrawing) rollout(gap, serving, updated, reason string, room int) (between, said string) {
	kind, name, _ := strings.Cut(p.Name, "/")
	brief, beside := briefKind(kind)+"/"+name, min(width(reason), leastReason)
	for _, way := range []struct {
		name, gap string
		reason    int
	}{{p.Name, gap, beside}, {brief, gap, beside}, {brief, " ", beside}, {brief, " ", beside - 2}, {p.Name, gap, 0}, {brief, gap, 0}} {
		if way.reason == 0 && beside > 0 && p.l.form == formTiny {
			break
		}
		for _, word := range []string{" updated", " upd."} {
			said = way.gap + updated + word
			taken := width(way.name + way.gap + serving + said)
			if way.reason > 0 {
				taken += width(way.gap) + way.reason
			}
			if taken <= room {
				p.Name = way.name
				return way.gap, said
			}
		}
	}
	return gap, ""
}

// guides draws the tree's lines and the fold, and returns the column after them.
func (p *rowDrawing) guides(x, end int) int {
	depth, lines := p.Depth, "  "
	if most := max(1, (end-x)/6); depth > most {
		depth, lines = most, ellipsis+" " // the deepest levels are kept
	}
	for level := p.Depth - depth + 1; level < p.Depth; level++ {
		if level < 64 && p.Guides&(1<<level) != 0 {
			lines += side + "  "
		} else {
			lines += "   "
		}
	}
	fold := span{ruler, Faint}
	switch {
	case depth == 0:
		lines, fold.text = "", " "
	case p.Last:
		lines += "└"
	default:
		lines += "├"
	}
	switch p.Fold {
	case rows.Opened:
		fold = span{unfolded, Dim}
	case rows.Closed:
		fold = span{folded, Dim}
	}
	return p.c.line(x, p.at.Y, p.at.W, line{{lines, Faint}, fold, {" ", Text}})
}

// nameToken is the token of a row's name.
func (p *rowDrawing) nameToken() Token {
	switch {
	case !p.Matched || p.Key.Kind == rows.More || p.Key.Kind == rows.Reference:
		return Dim
	case p.Key.Kind == rows.Group:
		return Heading
	case p.Status == status.NotFound:
		return Missing
	case !p.Generated:
		return Strong
	}
	return Text
}

// reason is a row's reason and its token, in at most w cells; the count of a
// descendant's reason is kept.
func (p *rowDrawing) reason(w int) (string, Token) {
	reason := p.Reason
	if reason == "" || reason == string(p.Status) || w <= 0 {
		return "", Text
	}
	many := ""
	if p.Carried > 0 {
		reason = bubbled + " " + reason
	}
	if p.Carried > 1 && w >= 11 {
		many = fmt.Sprintf(" %s%d", times, p.Carried)
	}
	reason = truncate(reason, w-width(many)) + many
	switch {
	case !p.Matched:
		return reason, Dim
	case p.Status == status.Failed:
		return reason, Bad
	case p.Stalled:
		return reason, Stuck
	case p.Status == status.Current:
		return reason, Dim
	}
	return reason, Text
}

func (p *rowDrawing) statusCell(x int) {
	if p.Status == "" {
		return
	}
	look := lookOf(p.Status)
	if !p.Matched {
		look.token = Dim
	}
	l := append(make(line, 0, 3), look.mark())
	if p.cols.words {
		if p.Stale {
			look.token = Dim
		}
		word := " " + string(p.Status) + " "
		l = append(l, span{word[:min(len(word), p.cols.statusW-2)], look.token}) // a sign may follow
	}
	switch {
	case p.Stale:
		l = append(l, span{aged, Dim})
	case p.Stalled:
		l = append(l, span{stalled, Stuck})
	case p.Assumed: // an assumed Current looks different from a proven one
		l = append(l, span{lookOf(status.Unknown).glyph, Unsure})
	case p.Paused:
		l = append(l, span{"=", Dim})
	}
	p.c.line(x, p.at.Y, p.cols.statusW, l)
}

func (p *rowDrawing) reasonCell() {
	reason, tok := p.reason(p.cols.reasonW)
	l := append(make(line, 0, 3), span{reason, tok})
	if p.Message != "" && p.Message != p.Reason && p.Matched {
		switch {
		case p.Noted:
			l[0] = span{p.Message, Text}
		case reason == "":
			l[0] = span{p.Message, Dim}
		case p.cols.reasonW-width(reason) > 14 && p.Carried == 0:
			l = append(l, span{"  ", Dim}, span{p.Message, Dim})
		}
	}
	p.c.line(p.at.X+p.cols.reason, p.at.Y, p.cols.reasonW, l)
}
