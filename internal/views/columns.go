package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// cellOf draws the cells of the tree's columns, by name.
var cellOf = map[string]func(p *rowDrawing, r layout.Rect){
	"name":      (*rowDrawing).nameCell,
	"namespace": (*rowDrawing).namespaceCell,
	"ready":     (*rowDrawing).readyCell,
	"restarts":  (*rowDrawing).restartsCell,
	"status":    (*rowDrawing).statusCell,
	"reason":    (*rowDrawing).reasonCell,
	"node":      (*rowDrawing).nodeCell,
	"image":     (*rowDrawing).imageCell,
	"since":     (*rowDrawing).sinceCell,
	"age":       (*rowDrawing).ageCell,
}

// treeHead draws the column titles.
func (d *drawing) treeHead(r layout.Rect) {
	for _, c := range d.l.Columns {
		title := c.Title
		if c.W < markup.Width(title) && c.Short != "" {
			title = c.Short
		}
		switch {
		case c.W < markup.Width(title) && c.Step:
		case c.Right:
			d.c.Right(r.X+c.X+c.W, r.Y, markup.Truncate(title, c.W), markup.Heading)
		default:
			d.c.Put(r.X+c.X, r.Y, c.W, title, markup.Heading)
		}
	}
}

// The least width of a cause's words in the headline, and of a reason behind a
// name with the blank before it. In less than leastSentence cells a reason in a word
// says more than the beginning of a sentence.
const (
	leastReason   = 8
	leastInline   = 7
	leastSentence = 22
	leastKind     = 7 // the least width of a kind whose name needs the room
)

// nameCell draws the name, and behind it what has no column of its own: first
// what must not be lost, then whatever fits.
func (p *rowDrawing) nameCell(r layout.Rect) {
	p.leads = p.lead(p.leads[:0], r.W)
	room := r.W - p.leads.Width()
	behind, _ := p.behindName(room)
	p.names = p.nameIn(p.names[:0], room-behind.Width()-p.leastInlineReason(room-behind.Width()))
	reason := p.inlineReason(room - p.names.Width() - behind.Width())
	p.cell = append(append(append(append(p.cell[:0], p.leads...), p.names...), behind...), reason...)
	p.d.c.line(r.X, r.Y, r.W, p.cell)
}

// behindName is what stands behind a name in room cells, and what did not fit. The line
// is used again for the next one.
func (p *rowDrawing) behindName(room int) (behind markup.Line, left []string) {
	gap := p.gap()
	behind = p.behind[:0]
	defer func() { p.behind = behind }()
	add := func(s string, tok markup.Token) { behind = append(behind, tok.Of(gap+s)) }
	if p.row.Namespace != "" && !layout.Shows(p.cols, "namespace") && p.d.l.Form != layout.Tiny {
		add("in "+p.row.Namespace, markup.Dim)
	}
	side, _, _ := strings.Cut(p.row.Rollout, " ") // a rollout's ReplicaSets are always told apart
	if side != "" && p.d.l.Form != layout.Tiny {
		behind = append(behind, markup.Dim.Of(" "+side))
	}
	name, restarts := p.leastName(room), ""
	if p.row.Restarts > 0 && !layout.Shows(p.cols, "restarts") && p.inline("restarts") {
		restarts = gap + restartsIn(p.row.Restarts, room-name-behind.Width()-markup.Width(gap))
	}
	// What has no room behind a Pod's name is its 0/1 rather than its reason or the end of
	// the name. The number of Pods in a row of several is such an end.
	pods := p.row.Key.ID.Kind == "Pod" || p.row.Key.Kind == rows.More
	squeezed := p.row.Reason != "" && !layout.Shows(p.cols, "reason") ||
		p.leastName(0)+behind.Width()+markup.Width(gap+p.row.Ready+restarts) > room
	if p.row.Ready != "" && !layout.Shows(p.cols, "ready") && p.inline("ready") && !(pods && squeezed) {
		add(p.row.Ready, markup.Dim)
	}
	if restarts != "" {
		behind = append(behind, markup.Stuck.Of(restarts))
	}
	revision := strings.TrimSpace(strings.TrimPrefix(p.row.Rollout, side))
	for _, s := range []string{revision, p.row.Updated, p.row.Note} {
		if layout.Shows(p.cols, "reason") && restates(p.reasonWhole(), s) {
			continue
		}
		fits := func(s string) bool {
			return name+behind.Width()+markup.Width(gap+s) <= room && p.d.l.Form != layout.Tiny
		}
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

// restates reports whether a reason has a counter that stands behind names, too: "1
// active, 0 failed" has "1 active", "2 of 3 replicas updated" has "2/3 updated".
func restates(reason, counter string) bool {
	count, what, _ := strings.Cut(counter, " ")
	part, whole, _ := strings.Cut(count, "/")
	return strings.Contains(reason, counter) ||
		whole != "" && strings.HasPrefix(reason, part+" of "+whole+" ") && strings.Contains(reason, what)
}

// gap is what parts a name from what is behind it.
func (p *rowDrawing) gap() string {
	if p.cols[0].W < 24 || p.d.l.Form == layout.Tiny {
		return " "
	}
	return "  "
}

// inline reports whether the user has chosen a column.
func (p *rowDrawing) inline(name string) bool {
	return slices.Contains(p.d.s.Options.Columns, name) || p.d.s.Options.Columns == nil
}

// inlineReason is the reason behind a name, where it has no column, in at most
// room cells.
func (p *rowDrawing) inlineReason(room int) markup.Line {
	if layout.Shows(p.cols, "reason") || !p.inline("reason") || p.row.Status == status.Current && !p.row.Noted {
		return nil
	}
	gap := p.gap()
	text, tok := p.reason(room - markup.Width(gap))
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
	if p.d.l.Form == layout.Tiny {
		return briefKind(kind)
	}
	return panes.SpellKind(kind, p.d.l.ShortKinds)
}

// nameWidth is the width that the name may have: its column's, and that of the namespaces'
// behind it in a row that leaves it empty, as children do.
func (p *rowDrawing) nameWidth() int {
	i := slices.IndexFunc(p.cols, func(c layout.Column) bool { return c.Name == "name" })
	w := p.cols[i].W
	if i+1 < len(p.cols) && p.cols[i+1].Name == "namespace" && p.cols[i+1].W > 0 && p.namespace() == "" {
		w += 1 + p.cols[i+1].W
	}
	return w
}

// nameIn adds the name in room cells. It keeps its kind and its distinguishing end.
func (p *rowDrawing) nameIn(to markup.Line, room int) markup.Line {
	name := p.row.Name
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		kind = p.rowKind(kind)
		most := room - 1 - min(markup.Width(rest), 4)
		if !p.row.Generated { // rather a part of the kind ("certific…/web-tls") than of the name
			most = max(room-1-markup.Width(rest), min(most, leastKind))
		}
		if markup.Width(kind) > most {
			kind = markup.Truncate(kind, max(most, 2))
		}
		to = append(to, markup.Dim.Of(kind), markup.Dim.Of("/"))
		name, room = rest, room-markup.Width(kind)-1
	}
	if p.row.Generated {
		name = markup.Shorten(name, room)
	} else {
		name = markup.TruncateMiddle(name, room)
	}
	return append(to, p.nameToken().Of(name))
}

// namespace is what a row has in the column of namespaces: nothing if it is its parent's,
// unless the user has chosen the column.
func (p *rowDrawing) namespace() string {
	if slices.Contains(p.d.s.Options.Columns, "namespace") {
		return p.row.Key.ID.Namespace
	}
	return p.row.Namespace
}

func (p *rowDrawing) namespaceCell(r layout.Rect) {
	if space := p.namespace(); space != "" { // otherwise the name may be here
		p.d.c.line(r.X, r.Y, r.W, markup.Styled(markup.TruncateMiddle(space, r.W), markup.Dim))
	}
}

func (p *rowDrawing) readyCell(r layout.Rect) {
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(p.row.Ready, markup.Dim))
}

// restartsCell stands on every screen: a Pod may be healthy between two crashes.
func (p *rowDrawing) restartsCell(r layout.Rect) {
	if p.row.Restarts == 0 {
		return
	}
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(restartsIn(p.row.Restarts, r.W), markup.Stuck))
}

// restartsIn is a number of restarts: in thousands if it has no room in w cells.
func restartsIn(n int64, w int) string {
	text := markup.Again + strconv.FormatInt(n, 10)
	if n >= 1000 && markup.Width(text) > w {
		text = fmt.Sprintf("%s%dk", markup.Again, n/1000)
	}
	return text
}

func (p *rowDrawing) statusCell(r layout.Rect) {
	if p.row.Status == "" {
		return
	}
	look := markup.LookOf(p.row.Status)
	if !p.row.Matched || p.muted() {
		look.Token = markup.Dim
	}
	l := append(p.cell[:0], look.Mark())
	defer func() { p.cell = l }()
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

// reason is why a row's object is as it is, in at most w cells: the first proven cause,
// else what its status says, else the reason in a word. The count of the objects below
// that share it is kept.
func (p *rowDrawing) reason(w int) (string, markup.Token) {
	reason := p.reasonWhole()
	if w < leastSentence && p.row.Reason != "" && !p.row.Noted {
		reason = p.row.Reason
	}
	if reason == "" || reason == string(p.row.Status) || w <= 0 {
		return "", markup.Text
	}
	mark, many := "", ""
	if p.muted() && w > 2*markup.Width(mutedMark) { // not every screen has a dim colour
		mark = mutedMark
	}
	if p.row.Carried > 0 {
		reason = markup.Bubbled + " " + reason
	}
	if p.row.Carried > 1 && w >= 11 {
		many = fmt.Sprintf(" %s%d", markup.Times, p.row.Carried)
	}
	room := w - markup.Width(mark+many)
	reason = mark + markup.TruncateSentence(p.withoutOwnName(reason, room), room) + many
	switch {
	case !p.row.Matched, p.row.Muted:
		return reason, markup.Dim
	case p.row.Status == status.Failed:
		return reason, markup.Bad
	case p.row.Stalled:
		return reason, markup.Stuck
	case p.row.Status == status.Current && !p.row.Noted:
		return reason, markup.Dim
	}
	return reason, markup.Text
}

// mutedMark begins the reason of a row that does not count for the verdict.
const mutedMark = "muted: "

// muted reports whether a row would change the verdict if it counted.
func (p *rowDrawing) muted() bool { return p.row.Muted && p.row.Status != status.Current }

// withoutOwnName is a reason that has no room, without the container's name at its beginning where
// the row's name has it: "worker exits 1: …" or "container worker is …" on Deployment/worker, or on
// a row of its Pods. What follows a colon is a sentence of its own, whatever the name.
func (p *rowDrawing) withoutOwnName(reason string, w int) string {
	lead := ""
	if strings.HasPrefix(reason, markup.Bubbled) {
		lead, reason = markup.Bubbled+" ", strings.TrimPrefix(reason, markup.Bubbled+" ")
	}
	if markup.Width(lead+reason) <= w {
		return lead + reason
	}
	subject, of := "", reason
	if after, ok := strings.CutPrefix(reason, "container "); ok {
		subject, of = "container ", after
	}
	first, rest, _ := strings.Cut(of, " ")
	name, sentence := strings.CutSuffix(first, ":")
	_, row, _ := strings.Cut(p.row.Name, "/")
	has := func(object string) bool { return object == name || strings.HasPrefix(object, name+"-") }
	switch {
	case rest == "":
	case subject != "" && sentence:
		return lead + rest
	case has(row), p.row.Key.Kind == rows.More && has(p.row.Key.ID.Name):
		return lead + subject + rest
	}
	return lead + reason
}

// reasonWhole is a row's reason as it is.
func (p *rowDrawing) reasonWhole() string {
	return markup.OneLine(cmp.Or(p.row.Cause, p.row.Message, p.row.Reason))
}

func (p *rowDrawing) reasonCell(r layout.Rect) {
	reason, tok := p.reason(r.W)
	l := append(p.cell[:0], tok.Of(reason))
	defer func() { p.cell = l }()
	add := func(s string) {
		if gap := min(2, l.Width()); l.Width()+gap+markup.Width(s) <= r.W && !markup.HasFold(reason, strings.ToLower(s)) {
			l = append(l, markup.Dim.Of(strings.Repeat(" ", gap)+s))
		}
	}
	if !p.row.Matched {
		p.d.c.line(r.X, r.Y, r.W, l)
		return
	}
	if p.row.MoreCauses > 0 {
		add(fmt.Sprintf("and %s more", markup.Count(p.row.MoreCauses, "cause")))
	}
	name := p.nameWidth()
	p.leads = p.lead(p.leads[:0], name)
	_, left := p.behindName(name - p.leads.Width())
	for _, s := range left {
		if s != rows.NotCounted || !p.muted() { // its mark says so
			add(s)
		}
	}
	if p.row.Status != status.Current && p.row.Reason != string(p.row.Status) {
		add(p.row.Reason) // what kubectl and a filter call it
	}
	p.d.c.line(r.X, r.Y, r.W, l)
}

// nodeCell leaves out a node's domain first: nodes differ in their host names.
func (p *rowDrawing) nodeCell(r layout.Rect) {
	o := p.row.Object
	if o == nil || o.Pod == nil {
		return
	}
	name := o.Pod.Node
	if markup.Width(name) > r.W {
		name, _, _ = strings.Cut(name, ".")
	}
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(markup.TruncateMiddle(name, r.W), markup.Dim))
}

// imageCell is the image of a Pod's first container, or of the first in a workload's
// template.
func (p *rowDrawing) imageCell(r layout.Rect) {
	image := ""
	switch o := p.row.Object; {
	case o == nil:
	case o.Pod != nil:
		main := func(c object.Container) bool { return c.Kind == object.MainContainer }
		if i := slices.IndexFunc(o.Pod.Containers, main); i >= 0 {
			image = o.Pod.Containers[i].Image
		}
	case o.Workload != nil && len(o.Workload.Images) > 0:
		image = o.Workload.Images[0].Image
	}
	p.d.c.line(r.X, r.Y, r.W, markup.Styled(markup.TruncateStart(image, r.W), markup.Dim))
}

// leastSince is the width from which two units have room ("4m51s"); below it is one ("4m").
const leastSince = 5

// sinceCell is how long the present status has lasted.
func (p *rowDrawing) sinceCell(r layout.Rect) {
	text, tok := markup.Since(p.row.Since, p.d.s.Facts.Now()), markup.Dim
	if p.row.Stalled {
		tok = markup.Stuck
	}
	if text != "" && r.W < leastSince {
		text = briefAge(p.d.s.Facts.Now().Sub(p.row.Since))
	}
	if p.d.l.Form == layout.Tiny {
		if p.row.Key.Kind != rows.Object || p.row.Status == status.Current || p.row.Since.IsZero() {
			return
		}
		if p.row.Stalled && markup.Width(text) < r.W {
			text = markup.Stalled + text
		}
	}
	p.d.c.Right(r.X+r.W, r.Y, markup.Truncate(text, r.W), tok)
}

// briefAge is a duration in at most three cells: 48s, 12d, 52w.
func briefAge(d time.Duration) string {
	if days := int(d.Hours() / 24); days >= 100 && days < 365 {
		return fmt.Sprintf("%dw", days/7)
	}
	return duration.ShortHumanDuration(max(d, 0))
}

// ageCell is how long ago the object was created.
func (p *rowDrawing) ageCell(r layout.Rect) {
	if o := p.row.Object; o != nil {
		p.d.c.Right(r.X+r.W, r.Y, markup.Truncate(markup.Since(o.Created, p.d.s.Facts.Now()), r.W), markup.Dim)
	}
}

// briefKind is a kind in about six letters.
func briefKind(kind string) string {
	return cmp.Or(world.ShortKind(kind), markup.Truncate(kind, 7))
}
