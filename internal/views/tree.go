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
		if d.l.form == formTiny {
			d.tinyRow(Rect{r.X, r.Y + i, r.W, 1}, &rows[i])
			continue
		}
		d.row(Rect{r.X, r.Y + i, r.W, 1}, &rows[i], cols)
	}
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
func (d *drawing) mark(r Rect, row *model.Row) {
	if !row.Selected {
		return
	}
	back, tok := Selected, Accent
	if d.s.Focus() != model.FocusTree {
		back, tok = Resting, Dim
	}
	d.c.Blank(r, back)
	d.c.Put(r.X, r.Y, 1, d.g.Selected, tok)
}

func (d *drawing) row(r Rect, row *model.Row, cols columns) {
	d.mark(r, row)
	c, g := d.c, d.g
	x := r.X + 1
	end := x + cols.name
	if row.Key.Kind == model.RowGap {
		x = d.guides(x, r.Y, end, row)
		l := line{{g.Stalled + " ", Stuck}, {row.Name, Text}}
		if row.Message != "" {
			l = append(l, span{"  " + row.Message, Dim})
		}
		c.line(x, r.Y, r.X+r.W-1-x, l, g)
		return
	}
	x = d.guides(x, r.Y, end, row)
	end = d.restarts(r.Y, end, row)

	nameTok, kindTok := d.nameToken(row), Dim
	if nameTok == Dim {
		kindTok = nameTok
	}
	name := row.Name
	note := row.Note
	reason, reasonTok := d.reason(row, max(cols.reasonW, cols.name))
	if cols.inline {
		// One place for both: the reason takes precedence over the note, except
		// for the number of ready replicas.
		if reason != "" && row.Status != status.Current {
			note = replicas(note)
			if row.Generated && shortest(row)+width(note)+width(reason)+4 > end-x {
				note = "" // its root's row has the replicas
			}
		} else {
			reason = ""
		}
		if row.Noted {
			note = strings.TrimLeft(note+"  "+row.Message, " ")
		}
	}
	extra := 0
	if note != "" {
		extra = min(width(note)+2, 8)
		if width(name)+extra > end-x {
			note, extra = "", 0 // the name takes precedence
		}
	}
	if cols.inline && reason != "" {
		extra += min(width(reason)+2, 22-extra)
	}
	least := max(14, min(shortest(row), end-x-10))
	if !row.Generated {
		least = max(14, min(width(name), end-x-14)) // a root's name is shown in full
	}
	room := max(end-x-extra, min(end-x, least))
	if row.Key.Kind == model.RowObject || row.Key.Kind == model.RowReference {
		kind, rest, ok := strings.Cut(name, "/")
		if ok && room > 12 {
			shown := truncateMiddle(rest, max(6, room-width(kind)-1), g.Ellipsis)
			if row.Generated {
				shown = shorten(rest, max(6, room-width(kind)-1), g.Ellipsis)
			}
			x = c.Put(x, r.Y, end-x, kind+"/", kindTok)
			x = c.Put(x, r.Y, end-x, shown, nameTok)
		} else {
			x = c.Put(x, r.Y, end-x, truncateMiddle(name, room, g.Ellipsis), nameTok)
		}
	} else {
		x = c.Put(x, r.Y, end-x, truncate(name, room, g.Ellipsis), nameTok)
	}
	if row.Namespace != "" {
		x = c.Put(x, r.Y, end-x-1, truncate(" in "+row.Namespace, end-x-1, g.Ellipsis), Dim)
	}
	if note != "" && (end-x > 8 || width(note)+2 <= end-x) {
		x = c.Put(x+2, r.Y, end-x-2, d.brief(note, end-x-2), Dim)
	}
	if cols.inline && reason != "" && end-x > 4 {
		reason, _ = d.reason(row, end-x-2)
		c.Put(x+2, r.Y, end-x-2, reason, reasonTok)
	}

	d.statusCell(r.X+cols.status, r.Y, row, cols)
	if cols.reasonW > 0 {
		reason, _ = d.reason(row, cols.reasonW)
		d.reasonCell(r.X+cols.reason, r.Y, cols.reasonW, row, reason, reasonTok)
	}
	if cols.sinceW > 0 {
		tok := Dim
		if row.Stalled {
			tok = Stuck
		}
		c.Right(r.X+cols.since, r.Y, cols.sinceW-1, since(row.Since, d.s.Now()), tok)
	}
}

// restarts draws a Pod's restart count left of end, and returns its column. It
// is on every screen: a Pod may be healthy between two crashes.
func (d *drawing) restarts(y, end int, row *model.Row) int {
	if row.Restarts == 0 {
		return end
	}
	s := d.g.Again + strconv.FormatInt(row.Restarts, 10)
	d.c.Put(end-width(s), y, width(s), s, Stuck)
	return end - width(s) - 1
}

// brief is a note in w cells: as many of its parts, which are two blanks apart,
// as fit as a whole.
func (d *drawing) brief(note string, w int) string {
	for width(note) > w {
		i := strings.LastIndex(note, "  ")
		if i < 0 {
			if age, _, _ := strings.Cut(note, " rev "); age == "old" || age == "new" {
				return truncate(age, w, "")
			}
			if note = truncate(note, w, d.g.Ellipsis); width(note) < 10 {
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
func shortest(row *model.Row) int {
	kind, name, ok := strings.Cut(row.Name, "/")
	i := strings.LastIndexByte(name, '-')
	if !ok || !row.Generated || i < 0 {
		return 0
	}
	return width(kind) + 2 + width(name[i+1:])
}

// guides draws the lines of the tree and the fold, and returns the column
// after them.
func (d *drawing) guides(x, y, end int, row *model.Row) int {
	c, g := d.c, d.g
	depth := row.Depth
	if most := max(1, (end-x)/6); depth > most {
		// The deepest levels are kept.
		c.Put(x, y, 1, g.Ellipsis, Faint)
		depth = most
	}
	if depth > 0 {
		x += 2
	}
	skip := row.Depth - depth
	for level := 1; level < depth; level++ {
		if at := level + skip; at < 64 && row.Guides&(1<<at) != 0 {
			c.Put(x, y, 3, g.Pass, Faint)
		}
		x += 3
	}
	if depth > 0 {
		branch := g.Branch
		if row.Last {
			branch = g.Last
		}
		if row.Fold == model.Leaf {
			return c.Put(x, y, 3, branch, Faint)
		}
		x = c.Put(x, y, 1, branch, Faint)
	}
	switch row.Fold {
	case model.Opened:
		return c.Put(x, y, 2, g.Open+" ", Dim)
	case model.Closed:
		return c.Put(x, y, 2, g.Closed+" ", Dim)
	}
	return c.Put(x, y, 2, "  ", Text)
}

// nameToken is the token of a row's name.
func (d *drawing) nameToken(row *model.Row) Token {
	switch {
	case !row.Matched:
		return Dim
	case row.Key.Kind == model.RowMore:
		return Dim
	case row.Key.Kind == model.RowGroup:
		return Heading
	case row.Key.Kind == model.RowReference:
		return Dim
	case row.Status == status.NotFound:
		return Missing
	case !row.Generated:
		return Strong
	}
	return Text
}

// reason is a row's reason and its token, in at most w cells; the count of a
// descendant's reason is kept.
func (d *drawing) reason(row *model.Row, w int) (string, Token) {
	reason := row.Reason
	if reason == "" || reason == string(row.Status) || w <= 0 {
		return "", Text
	}
	many := ""
	if row.Carried > 0 {
		reason = d.g.Bubbled + " " + reason
		if row.Carried > 1 {
			many = fmt.Sprintf(" %s%d", d.g.Times, row.Carried)
		}
	}
	if room := w - width(many); room >= 8 {
		reason = truncate(reason, room, d.g.Ellipsis) + many
	} else {
		reason = truncate(reason, w, d.g.Ellipsis)
	}
	switch {
	case !row.Matched:
		return reason, Dim
	case row.Status == status.Failed:
		return reason, Bad
	case row.Stalled:
		return reason, Stuck
	case row.Status == status.Current:
		return reason, Dim
	}
	return reason, Text
}

func (d *drawing) statusCell(x, y int, row *model.Row, cols columns) {
	if row.Status == "" {
		return
	}
	tok := statusToken(row.Status)
	if !row.Matched {
		tok = Dim
	}
	at := x
	x = d.c.Put(x, y, 1, d.g.Of(row.Status), tok)
	if cols.words {
		if row.Stale {
			tok = Dim
		}
		x = d.c.Put(x+1, y, cols.statusW-2, string(row.Status), tok)
	}
	if row.Assumed && cols.words {
		// An assumed Current looks different from a proven one.
		d.c.Put(x+1, y, 1, d.g.Unknown, Unsure)
	}
	if row.Stalled && cols.statusW > 1 {
		if cols.words {
			x = min(x+1, at+cols.statusW-1)
		}
		d.c.Put(x, y, 1, d.g.Stalled, Stuck)
	}
	if row.Paused && cols.words && !row.Stalled {
		d.c.Put(x+1, y, 1, "=", Dim)
	}
}

func (d *drawing) reasonCell(x, y, w int, row *model.Row, reason string, tok Token) {
	l := line{{reason, tok}}
	if row.Message != "" && row.Message != row.Reason && row.Matched {
		room := w - width(reason)
		switch {
		case row.Noted:
			l = line{{row.Message, Text}}
		case reason == "":
			l = line{{row.Message, Dim}}
		case room > 14 && row.Carried == 0:
			l = append(l, span{"  " + row.Message, Dim})
		}
	}
	d.c.line(x, y, w, l, d.g)
}
