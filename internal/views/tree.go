package views

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// columns are the positions of a row's parts from the tree's left edge. They
// depend on the width alone. A width of 0 hides a column.
type columns struct {
	name            int // width; the name begins in column 1, after the selection mark
	status, statusW int
	reason, reasonW int
	since, sinceW   int
	inline          bool // the reason is beside the name
	words           bool
}

func columnsFor(w int, hidden Hidden) columns {
	var c columns
	c.words = w >= 56 && !hidden.Word
	c.statusW = 1
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
	if w >= 76 && !hidden.Reason {
		c.name = rest * 57 / 100
		c.reasonW = rest - c.name - 2
		c.status = 1 + c.name + 1
		c.reason = c.status + c.statusW + 1
	} else {
		c.inline = !hidden.Reason
		c.name = rest
		c.status = 1 + c.name + 1
	}
	c.since = w - c.sinceW
	return c
}

// treeHead draws the column titles.
func (d *drawing) treeHead(r Rect) {
	if r.empty() {
		return
	}
	cols := columnsFor(r.W, d.look.Hidden)
	d.c.Put(r.X+1, r.Y, cols.name, "RESOURCE", Heading)
	if cols.words {
		d.c.Put(r.X+cols.status, r.Y, cols.statusW, "STATUS", Heading)
	}
	if cols.reasonW > 0 {
		d.c.Put(r.X+cols.reason, r.Y, cols.reasonW, "REASON", Heading)
	}
	if cols.sinceW > 0 {
		d.c.Right(r.X+cols.since, r.Y, cols.sinceW-1, "SINCE", Heading)
	}
}

// tree draws the visible rows.
func (d *drawing) tree(r Rect) {
	if r.empty() {
		return
	}
	rows := d.s.Rows(d.s.Top(), r.H)
	if len(rows) == 0 {
		d.noRows(r)
		return
	}
	cols := columnsFor(r.W, d.look.Hidden)
	for i := range rows {
		p := rowDrawing{d, &rows[i], Rect{r.X, r.Y + i, r.W, 1}, cols}
		if d.l.form == formTiny {
			p.tiny()
		} else {
			p.draw()
		}
	}
}

// rowDrawing is a row being drawn.
type rowDrawing struct {
	*drawing
	*model.Row
	at   Rect
	cols columns
}

// noRows says why there are no rows.
func (d *drawing) noRows(r Rect) {
	what := "waiting for the first answer"
	filter, _ := d.s.FilterText()
	switch {
	case filter != "":
		if what = "nothing matches the filter; esc clears it"; r.W < width(what)+4 {
			what = "nothing matches the filter"
		}
	case d.s.Synced():
		what = "nothing here"
	}
	d.c.Put(r.X+2, r.Y+min(1, r.H-1), r.W-3, truncate(what, r.W-3, d.g.Ellipsis), Dim)
}

// mark draws the selection.
func (p *rowDrawing) mark() {
	if !p.Selected {
		return
	}
	back, tok := Selected, Accent
	if p.s.Focus() != model.FocusTree {
		back, tok = Resting, Dim
	}
	p.c.Blank(p.at, back)
	p.c.Put(p.at.X, p.at.Y, 1, p.g.Selected, tok)
}

func (p *rowDrawing) draw() {
	p.mark()
	c, g := p.c, p.g
	x := p.at.X + 1
	end := x + p.cols.name
	if p.Key.Kind == model.RowGap {
		x = p.guides(x, end)
		l := line{{g.Stalled + " ", Stuck}, {p.Name, Text}}
		if p.Message != "" {
			l = append(l, span{"  " + p.Message, Dim})
		}
		c.line(x, p.at.Y, p.at.X+p.at.W-1-x, l, g)
		return
	}
	x = p.guides(x, end)
	end = p.restarts(end)

	nameTok, kindTok := p.nameToken(), Dim
	if nameTok == Dim {
		kindTok = nameTok
	}
	name := p.Name
	note := p.Note
	reason, reasonTok := p.reason(max(p.cols.reasonW, p.cols.name))
	if p.cols.inline {
		// One place for both: the reason takes precedence over the note, except
		// for the number of ready replicas.
		if reason != "" && p.Status != status.Current {
			note = replicas(note)
			if p.Generated && p.shortest()+width(note)+width(reason)+4 > end-x {
				note = "" // its root's row has the replicas
			}
		} else {
			reason = ""
		}
		if p.Noted {
			note = strings.TrimLeft(note+"  "+p.Message, " ")
		}
	}
	extra := 0
	if note != "" {
		extra = min(width(note)+2, 8)
		if width(name)+extra > end-x {
			note, extra = "", 0 // the name takes precedence
		}
	}
	if p.cols.inline && reason != "" {
		extra += min(width(reason)+2, 22-extra)
	}
	least := max(14, min(p.shortest(), end-x-10))
	if !p.Generated {
		least = max(14, min(width(name), end-x-14)) // a root's name is shown in full
	}
	room := max(end-x-extra, min(end-x, least))
	if p.Key.Kind == model.RowObject || p.Key.Kind == model.RowReference {
		kind, rest, ok := strings.Cut(name, "/")
		if ok && room > 12 {
			shown := truncateMiddle(rest, max(6, room-width(kind)-1), g.Ellipsis)
			if p.Generated {
				shown = shorten(rest, max(6, room-width(kind)-1), g.Ellipsis)
			}
			x = c.Put(x, p.at.Y, end-x, kind+"/", kindTok)
			x = c.Put(x, p.at.Y, end-x, shown, nameTok)
		} else {
			x = c.Put(x, p.at.Y, end-x, truncateMiddle(name, room, g.Ellipsis), nameTok)
		}
	} else {
		x = c.Put(x, p.at.Y, end-x, truncate(name, room, g.Ellipsis), nameTok)
	}
	if p.Namespace != "" {
		x = c.Put(x, p.at.Y, end-x-1, truncate(" in "+p.Namespace, end-x-1, g.Ellipsis), Dim)
	}
	if note != "" && (end-x > 8 || width(note)+2 <= end-x) {
		x = c.Put(x+2, p.at.Y, end-x-2, p.brief(note, end-x-2), Dim)
	}
	if p.cols.inline && reason != "" && end-x > 4 {
		reason, _ = p.reason(end - x - 2)
		c.Put(x+2, p.at.Y, end-x-2, reason, reasonTok)
	}

	p.statusCell(p.at.X + p.cols.status)
	if p.cols.reasonW > 0 {
		reason, _ = p.reason(p.cols.reasonW)
		p.reasonCell(reason, reasonTok)
	}
	if p.cols.sinceW > 0 {
		tok := Dim
		if p.Stalled {
			tok = Stuck
		}
		c.Right(p.at.X+p.cols.since, p.at.Y, p.cols.sinceW-1, since(p.Since, p.s.Now()), tok)
	}
}

// restarts draws a Pod's restart count left of end, and returns its column. It
// is on every screen: a Pod may be healthy between two crashes.
func (p *rowDrawing) restarts(end int) int {
	if p.Restarts == 0 {
		return end
	}
	s := p.g.Again + strconv.FormatInt(p.Restarts, 10)
	p.c.Put(end-width(s), p.at.Y, width(s), s, Stuck)
	return end - width(s) - 1
}

// brief is a note in w cells: as many of its parts, which are two blanks apart,
// as fit as a whole.
func (p *rowDrawing) brief(note string, w int) string {
	for width(note) > w {
		i := strings.LastIndex(note, "  ")
		if i < 0 {
			if age, _, _ := strings.Cut(note, " rev "); age == "old" || age == "new" {
				return truncate(age, w, "")
			}
			if note = truncate(note, w, p.g.Ellipsis); width(note) < 10 {
				return ""
			}
			return note
		}
		note = note[:i]
	}
	return note
}

// replicas is the part of a note with the ready replicas: 2/4.
func replicas(note string) string {
	for part := range strings.SplitSeq(note, "  ") {
		if have, want, ok := strings.Cut(part, "/"); ok && isNumber(have) && isNumber(want) {
			return part
		}
	}
	return ""
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// shortest is the least part of a generated name that differs from its
// siblings': its kind and last part.
func (p *rowDrawing) shortest() int {
	kind, name, ok := strings.Cut(p.Name, "/")
	i := strings.LastIndexByte(name, '-')
	if !ok || !p.Generated || i < 0 {
		return 0
	}
	return width(kind) + 2 + width(name[i+1:])
}

// guides draws the lines of the tree and the fold, and returns the column
// after them.
func (p *rowDrawing) guides(x, end int) int {
	c, g := p.c, p.g
	depth := p.Depth
	if most := max(1, (end-x)/6); depth > most {
		// The deepest levels are kept.
		c.Put(x, p.at.Y, 1, g.Ellipsis, Faint)
		depth = most
	}
	if depth > 0 {
		x += 2
	}
	skip := p.Depth - depth
	for level := 1; level < depth; level++ {
		if at := level + skip; at < 64 && p.Guides&(1<<at) != 0 {
			c.Put(x, p.at.Y, 3, g.Pass, Faint)
		}
		x += 3
	}
	if depth > 0 {
		branch := g.Branch
		if p.Last {
			branch = g.Last
		}
		if p.Fold == model.Leaf {
			return c.Put(x, p.at.Y, 3, branch, Faint)
		}
		x = c.Put(x, p.at.Y, 1, branch, Faint)
	}
	switch p.Fold {
	case model.Opened:
		return c.Put(x, p.at.Y, 2, g.Open+" ", Dim)
	case model.Closed:
		return c.Put(x, p.at.Y, 2, g.Closed+" ", Dim)
	}
	return c.Put(x, p.at.Y, 2, "  ", Text)
}

// nameToken is the token of a row's name.
func (p *rowDrawing) nameToken() Token {
	switch {
	case !p.Matched:
		return Dim
	case p.Key.Kind == model.RowMore:
		return Dim
	case p.Key.Kind == model.RowGroup:
		return Heading
	case p.Key.Kind == model.RowReference:
		return Dim
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
		reason = p.g.Bubbled + " " + reason
		if p.Carried > 1 {
			many = fmt.Sprintf(" %s%d", p.g.Times, p.Carried)
		}
	}
	if room := w - width(many); room >= 8 {
		reason = truncate(reason, room, p.g.Ellipsis) + many
	} else {
		reason = truncate(reason, w, p.g.Ellipsis)
	}
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
	tok := statusToken(p.Status)
	if !p.Matched {
		tok = Dim
	}
	at := x
	x = p.c.Put(x, p.at.Y, 1, p.g.Of(p.Status), tok)
	if p.cols.words {
		if p.Stale {
			tok = Dim
		}
		x = p.c.Put(x+1, p.at.Y, p.cols.statusW-2, string(p.Status), tok)
	}
	if p.Assumed && p.cols.words {
		// An assumed Current looks different from a proven one.
		p.c.Put(x+1, p.at.Y, 1, p.g.Unknown, Unsure)
	}
	if p.Stalled && p.cols.statusW > 1 {
		if p.cols.words {
			x = min(x+1, at+p.cols.statusW-1)
		}
		p.c.Put(x, p.at.Y, 1, p.g.Stalled, Stuck)
	}
	if p.Paused && p.cols.words && !p.Stalled {
		p.c.Put(x+1, p.at.Y, 1, "=", Dim)
	}
}

func (p *rowDrawing) reasonCell(reason string, tok Token) {
	x, w := p.at.X+p.cols.reason, p.cols.reasonW
	l := line{{reason, tok}}
	if p.Message != "" && p.Message != p.Reason && p.Matched {
		room := w - width(reason)
		switch {
		case p.Noted:
			l = line{{p.Message, Text}}
		case reason == "":
			l = line{{p.Message, Dim}}
		case room > 14 && p.Carried == 0:
			l = append(l, span{"  " + p.Message, Dim})
		}
	}
	p.c.line(x, p.at.Y, w, l, p.g)
}
