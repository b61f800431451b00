package views

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// content is what a pane shows: n lines, each made when it is drawn, below a
// head that does not scroll away.
type content struct {
	n    int
	line func(i int) line
	head []line
}

// fit leaves out of the head what a pane of h lines has no room for: at least
// half of it is for what scrolls.
func (c content) fit(h int) content {
	c.head = c.head[:min(len(c.head), h/2)]
	return c
}

func linesOf(lines []line) content {
	return content{n: len(lines), line: func(i int) line { return lines[i] }}
}

// tab is a pane's name where it stands in the row of names.
type tab struct {
	pane model.Pane
	x, w int
	text string
}

// tabsIn lays the panes' names out in w cells: long names where they fit, then
// short ones, then numbers.
func (d *drawing) tabsIn(r Rect) []tab {
	short := [...]string{"Why", "Conds", "Events", "Logs", "YAML", "Time"}
	for step := range 3 {
		x := r.X
		var tabs []tab
		for i, name := range model.PaneNames {
			text := strconv.Itoa(i + 1)
			switch step {
			case 0:
				text += " " + name
			case 1:
				text += " " + short[i]
			}
			t := tab{model.Pane(i), x, width(text) + 2, text}
			tabs = append(tabs, t)
			x += t.w + 1
		}
		if x-1 <= r.X+r.W || step == 2 {
			return tabs
		}
	}
	return nil
}

// tabs draws the panes' names into the upper edge of the pane's frame.
func (d *drawing) tabs(r Rect) {
	if r.empty() {
		return
	}
	for i, t := range d.tabsIn(r) {
		if t.x+t.w > r.X+r.W {
			return
		}
		tok := Dim
		if t.pane == d.s.Pane() {
			tok = Strong
			if d.s.Focus() == model.FocusPane || d.s.PaneSize() == model.PaneFull {
				tok = Accent
			}
		}
		if i > 0 {
			d.c.Put(t.x-1, r.Y, 1, d.g.Vertical, Faint)
		}
		d.c.Put(t.x, r.Y, t.w, " "+t.text+" ", tok)
	}
}

// content is what the open pane shows at a width.
func (d *drawing) content(w int) content {
	switch d.s.Pane() {
	case model.PaneConditions:
		return linesOf(d.conditions(w))
	case model.PaneEvents:
		return linesOf(d.events(w))
	case model.PaneLogs:
		return d.logs(w)
	case model.PaneYAML:
		return d.yaml(w)
	case model.PaneTimeline:
		return linesOf(d.timeline(w))
	default:
		return linesOf(d.why(w))
	}
}

// pane draws the open pane.
func (d *drawing) pane(r Rect) {
	if r.empty() {
		return
	}
	content := d.content(r.W).fit(r.H)
	for i, l := range content.head {
		d.c.line(r.X, r.Y+i, r.W, l, d.g)
	}
	_, r = r.rows(len(content.head))
	top := d.paneTop(content, r.H)
	needle := strings.ToLower(d.s.SearchText().Value)
	for i := range min(r.H, content.n-top) {
		l := content.line(top + i)
		d.c.line(r.X, r.Y+i, r.W, l, d.g)
		if needle != "" {
			d.mark2(r.X, r.Y+i, r.W, l.String(), needle)
		}
	}
	d.scrollBar(r, top, content.n)
}

// paneTop is the first line of the content that h lines show: where the user
// has scrolled to, or where the match is in sight that was asked for last.
func (d *drawing) paneTop(c content, h int) int {
	top := max(0, min(d.s.Scroll().Top, c.n-h))
	search := d.s.SearchText()
	if search.Value == "" || search.Left {
		return top
	}
	if at, ok := findMatch(c, strings.ToLower(search.Value), search.Step); ok && (at < top || at >= top+h) {
		top = max(0, min(at-h/3, c.n-h))
	}
	return top
}

// findMatch is the step-th line, counted around, that has the needle.
func findMatch(c content, needle string, step int) (int, bool) {
	var at []int
	for i := range c.n {
		if strings.Contains(strings.ToLower(c.line(i).String()), needle) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return 0, false
	}
	return at[((step%len(at))+len(at))%len(at)], true
}

// mark2 shows what a search found in a line.
func (d *drawing) mark2(x, y, w int, text, needle string) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return // a character whose lower case has another length: leave it
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], needle)
		if i < 0 {
			return
		}
		i += from
		at := width(text[:i])
		d.c.Put(x+at, y, w-at, text[i:i+len(needle)], Match)
		from = i + len(needle)
	}
}

// scrollBar shows where the window stands, at the pane's right edge.
func (d *drawing) scrollBar(r Rect, top, n int) {
	if n <= r.H || r.H < 3 {
		return
	}
	size := max(1, r.H*r.H/n)
	at := 0
	if n > r.H {
		at = top * (r.H - size) / (n - r.H)
	}
	x := r.X + r.W
	if d.l.form != formSide {
		x = d.l.bounds.X + d.l.bounds.W - 1
	} else {
		x++
	}
	for i := range size {
		d.c.Put(x, r.Y+at+i, 1, d.g.Thumb, Dim)
	}
}

// selected is the selected object, and whether there is one.
func (d *drawing) selected() (model.Resource, bool) {
	key, _ := d.s.Selected()
	if key.ID.IsZero() {
		return model.Resource{}, false
	}
	return d.s.Resource(key.ID)
}

// crumbs is the way from what was asked for to the object.
func (d *drawing) crumbs(id status.ID, w int) line {
	path := d.s.Path(id)
	if len(path) == 0 {
		return styled(truncateMiddle(id.String(), w, d.g.Ellipsis), Strong)
	}
	for _, brief := range []bool{false, true} {
		var l line
		for i, p := range path {
			name, tok := p.String(), Dim
			if i > 0 {
				l = append(l, span{" " + d.g.Crumb + " ", Faint})
				if brief || i < len(path)-1 {
					name = d.shorter(p, path[i-1])
				}
			}
			if i == len(path)-1 {
				tok = Strong
			}
			l = append(l, span{name, tok})
		}
		if l.width() <= w {
			return l
		}
	}
	last := path[len(path)-1].String()
	if len(path) == 1 {
		return styled(truncateMiddle(last, w, d.g.Ellipsis), Strong)
	}
	ends := line{
		{path[0].String(), Dim},
		{" " + d.g.Crumb + " " + d.g.Ellipsis + " " + d.g.Crumb + " ", Faint},
		{d.shorter(path[len(path)-1], path[len(path)-2]), Strong},
	}
	if len(path) > 2 && ends.width() <= w {
		return ends
	}
	return line{{d.g.Ellipsis + " " + d.g.Crumb + " ", Faint}, {truncateMiddle(last, max(8, w-5), d.g.Ellipsis), Strong}}
}

// shorter leaves out of a child's name what its parent's already says.
func (d *drawing) shorter(child, parent status.ID) string {
	if rest, ok := strings.CutPrefix(child.Name, parent.Name+"-"); ok && rest != "" {
		return child.Kind + "/" + d.g.Ellipsis + rest
	}
	return child.String()
}

// why is the pane about what keeps the selected object, or, where none is
// selected, everything.
func (d *drawing) why(w int) []line {
	t := &text{w: w, g: d.g}
	r, ok := d.selected()
	if !ok {
		d.causes(t, d.s.Causes(), status.ID{})
		if len(t.lines) == 0 {
			t.add(span{"Nothing is selected.", Dim})
		}
		return t.lines
	}
	a := r.Assessment
	t.lines = append(t.lines, d.crumbs(r.ID, w))
	t.gap()
	d.statusLine(t, r)
	causes := d.s.CausesOf(r.ID)
	message := a.Message
	for _, c := range causes {
		for _, id := range c.Objects {
			// What something below says is told as a cause.
			message, _, _ = strings.Cut(message, "; "+id.String()+": ")
		}
	}
	if message != "" && !saidBy(causes, message) {
		t.wrapped("  ", "  ", message, Text)
	}
	if r.Stalled {
		t.wrapped("", "  ", d.g.Stalled+" nothing has changed for "+since(r.Changed, d.s.Now()), Stuck)
	}
	if !a.Deadline.IsZero() && a.Status != status.Current {
		t.wrapped("  ", "  ", d.until(a.Deadline, a.DeadlineWhat), Dim)
	}
	if a.Note != "" {
		t.wrapped("  ", "  ", a.Note, Stuck)
	}
	d.causes(t, causes, r.ID)
	if len(causes) == 0 && a.Status != status.Current {
		if !a.Child.IsZero() && a.Child != r.ID {
			t.heading("WHY")
			t.add(span{"  decided by ", Dim}, span{a.Child.String(), Strong})
		}
	}
	d.children(t, r)
	t.gap()
	d.ruleLine(t, a)
	return t.lines
}

// statusLine is a status with its reason and how long it has lasted.
func (d *drawing) statusLine(t *text, r model.Resource) {
	a := r.Assessment
	left := line{statusSpan(a.Status, d.g)}
	if a.Status == "" {
		left = line{statusSpan(status.Unknown, d.g)}
	}
	if a.Reason != "" {
		left = append(left, span{"  " + a.Reason, Strong})
	}
	if a.Paused {
		left = append(left, span{"  paused", Stuck})
	}
	if a.Terminal {
		left = append(left, span{"  will not heal by itself", Bad})
	}
	t.spread(left, d.sinceLine(a.Since))
}

func (d *drawing) sinceLine(at time.Time) line {
	if at.IsZero() {
		return nil
	}
	return line{{"since " + d.look.clock(at) + " (" + since(at, d.s.Now()) + ")", Dim}}
}

// ruleLine is what a judgement rests on.
func (d *drawing) ruleLine(t *text, a status.Assessment) {
	if a.Rule == "" {
		return
	}
	s := "rule " + a.Rule
	if a.Confidence != "" {
		s += ", " + string(a.Confidence)
	}
	t.wrapped("", "     ", s, Dim)
	if len(a.Paths) > 0 {
		t.wrapped("reads ", "      ", strings.Join(a.Paths, ", "), Dim)
	}
}

// until says when something is expected to change by itself.
func (d *drawing) until(at time.Time, what string) string {
	if what == "" {
		what = "expected"
	}
	left := at.Sub(d.s.Now())
	if left < 0 {
		return what + " was due at " + d.look.clock(at) + ", " + age(-left) + " ago"
	}
	return what + " at " + d.look.clock(at) + ", in " + age(left)
}

// children counts what is known below an object.
func (d *drawing) children(t *text, r model.Resource) {
	if r.Known.Total() == 0 {
		return
	}
	var l line
	for _, st := range status.Statuses {
		if n := r.Known[st]; n > 0 {
			if len(l) > 0 {
				l = append(l, span{"   ", Text})
			}
			l = append(l, span{fmt.Sprintf("%s %d %s", d.g.Of(st), n, st), statusToken(st)})
		}
	}
	t.heading("BELOW")
	t.add(append(line{{"  ", Text}}, l...)...)
}

// causes adds the causes, what proves them, what they block and what to do.
func (d *drawing) causes(t *text, causes []model.Cause, about status.ID) {
	if len(causes) == 0 {
		return
	}
	t.heading("WHY")
	for i, c := range causes {
		no := strconv.Itoa(i+1) + " "
		title := c.Title
		if c.Count > 1 {
			title += fmt.Sprintf(" %s%d", d.g.Times, c.Count)
		}
		t.wrappedSpan(span{no, Dim}, strings.Repeat(" ", len(no)), title, Strong)
		in := strings.Repeat(" ", len(no))
		if !strings.Contains(oneLine(c.Title), oneLine(c.Detail)) {
			t.wrapped(in, in, c.Detail, Text)
		}
		var facts []string
		if c.Certainty != "" && c.Certainty != "proven" {
			facts = append(facts, string(c.Certainty))
		}
		if c.Class != "" {
			facts = append(facts, classWords(string(c.Class)))
		}
		if !c.Since.IsZero() {
			facts = append(facts, "for "+since(c.Since, d.s.Now()))
		}
		if len(facts) > 0 {
			t.wrapped(in, in, strings.Join(facts, ", "), Dim)
		}
		if !c.Until.IsZero() {
			t.wrapped(in, in, d.until(c.Until, c.UntilWhat), Dim)
		}
		d.evidence(t, c, in, about)
		if n := len(c.Objects); n > 1 {
			t.wrapped(in, in+"  ", "shown by "+d.names(c.Objects, 4), Dim)
		}
		if len(c.Blocks) > 0 {
			t.wrapped(in, in+"  ", "blocks "+d.names(c.Blocks, 4), Text)
		}
		for _, m := range c.Missing {
			t.wrapped(in, in+"  ", "not seen: "+oneLine(m), Dim)
		}
	}
	d.changed(t, causes)
	var next []string
	for _, c := range causes {
		for _, n := range c.Next {
			if len(next) < 6 && !contains(next, n) {
				next = append(next, n)
			}
		}
	}
	if len(next) > 0 {
		t.heading("NEXT")
		for _, n := range next {
			t.wrapped("  ", "    ", n, Accent)
		}
	}
}

// saidBy reports whether a cause's detail says the same already.
func saidBy(causes []model.Cause, message string) bool {
	for _, c := range causes {
		if c.Detail != "" && (strings.Contains(oneLine(c.Detail), oneLine(message)) || strings.Contains(oneLine(message), oneLine(c.Detail))) {
			return true
		}
	}
	return false
}

// evidence adds the fields that prove a cause. The object is named where it
// is not the one that the pane is about; a value that the detail has said is
// not said again.
func (d *drawing) evidence(t *text, c model.Cause, in string, about status.ID) {
	last := about
	for _, e := range c.Evidence {
		if e.Ref != last && !e.Ref.IsZero() {
			t.add(span{in + d.g.Dot + " ", Faint}, span{d.shortID(e.Ref, t.w-len(in)-2), Dim})
			last = e.Ref
		}
		l := line{{in + d.g.Dot + " ", Faint}}
		if last != about {
			l = line{{in + "  ", Faint}}
		}
		value := oneLine(e.Value)
		if value != "" && c.Detail != "" && strings.Contains(oneLine(c.Detail), value) && width(value) > 60 {
			value = ""
		}
		room := t.w - l.width()
		path := e.Path
		if width(path)+2+width(value) > room && width(value) < room/2 {
			// The end of a path says most.
			path = truncateStart(path, room-2-width(value), d.g.Ellipsis)
		} else if width(path) > room {
			path = truncateStart(path, room, d.g.Ellipsis)
		}
		l = append(l, span{path, Dim})
		if value == "" {
			t.lines = append(t.lines, l)
			continue
		}
		if path == "" {
			t.add(append(l, span{truncate(value, t.w-l.width(), d.g.Ellipsis), Text})...)
			continue
		}
		if l.width()+2+width(value) <= t.w {
			t.add(append(l, span{"  " + value, Text})...)
			continue
		}
		t.lines = append(t.lines, l)
		t.wrapped(in+"    ", in+"    ", value, Text)
	}
}

// shortID is an object's kind and name in at most w cells: of a generated name
// the end, which tells it from its siblings.
func (d *drawing) shortID(id status.ID, w int) string {
	s := id.String()
	if width(s) <= w {
		return s
	}
	if room := w - width(id.Kind) - 1; room >= 6 {
		return id.Kind + "/" + shorten(id.Name, room, d.g.Ellipsis)
	}
	return truncateMiddle(s, w, d.g.Ellipsis)
}

// changed shows in what the newest revision differs from the one before.
func (d *drawing) changed(t *text, causes []model.Cause) {
	first := true
	for _, c := range causes {
		for _, ch := range c.Changed {
			if first {
				t.heading("CHANGED")
				first = false
			}
			l := line{{"  " + ch.Path + "  ", Dim}, {ch.Before, Dim}, {" " + d.g.Right + " ", Faint}, {ch.After, Strong}}
			if l.width() <= t.w {
				t.lines = append(t.lines, l)
				continue
			}
			t.add(span{"  " + ch.Path, Dim})
			t.wrapped("    ", "      ", ch.Before, Dim)
			t.wrapped("  "+d.g.Right+" ", "      ", ch.After, Strong)
		}
	}
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// classWords says what a class of causes means for whoever waits.
func classWords(class string) string {
	switch class {
	case "waits":
		return "waits by design"
	case "retries":
		return "keeps being tried"
	case "action":
		return "needs someone to act"
	case "terminal":
		return "will not heal by itself"
	}
	return class
}

// names lists up to n objects.
func (d *drawing) names(ids []status.ID, n int) string {
	var b strings.Builder
	for i, id := range ids {
		if i == n {
			fmt.Fprintf(&b, " and %d more", len(ids)-n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(d.shortID(id, 36))
	}
	return b.String()
}

// conditions is the pane of the selected object's conditions.
func (d *drawing) conditions(w int) []line {
	t := &text{w: w, g: d.g}
	r, ok := d.selected()
	if !ok {
		return []line{styled("Nothing is selected.", Dim)}
	}
	t.lines = append(t.lines, d.crumbs(r.ID, w))
	t.gap()
	d.statusLine(t, r)
	d.generation(t, r)
	d.ruleLine(t, r.Assessment)
	rows := d.s.Conditions()
	if len(rows) == 0 {
		t.gap()
		t.add(span{"It has no conditions.", Dim})
		return t.lines
	}
	typeW, reasonW := 4, 0
	for _, c := range rows {
		typeW = max(typeW, width(c.Type))
		reasonW = max(reasonW, width(c.Reason))
	}
	typeW = min(typeW, w*2/5)
	reasonW = min(reasonW, w/3)
	for _, top := range []bool{true, false} {
		first := true
		for _, c := range rows {
			if c.Top != top {
				continue
			}
			if first {
				name := "CONDITIONS"
				if top {
					name = "SUMS UP"
				}
				t.heading(name)
				first = false
			}
			d.condition(t, c, typeW, reasonW, r)
		}
	}
	d.advice(t, r.Object)
	return t.lines
}

// advice says which of the API conventions the controller breaks. It never
// touches the verdict.
func (d *drawing) advice(t *text, o *status.Object) {
	if o == nil {
		return
	}
	findings := status.Lint(o)
	if len(findings) == 0 {
		return
	}
	t.heading("ADVICE for its controller's authors")
	for _, f := range findings {
		t.wrapped(d.g.Dot+" ", "  ", f.Message, Dim)
	}
}

func (d *drawing) generation(t *text, r model.Resource) {
	o := r.Object
	if o == nil || !o.Generation.Set {
		return
	}
	s := "generation " + strconv.FormatInt(o.Generation.V, 10)
	switch {
	case !o.Observed.Set:
		t.wrapped("", "  ", s+", its controller does not say which one it has seen", Dim)
	case o.Observed.V < o.Generation.V:
		t.wrapped("", "  ", s+", but its controller has only seen "+strconv.FormatInt(o.Observed.V, 10), Stuck)
	default:
		t.add(span{s + " = observed " + strconv.FormatInt(o.Observed.V, 10) + " ", Dim}, span{d.g.Current, OK})
	}
}

func (d *drawing) condition(t *text, c model.ConditionRow, typeW, reasonW int, r model.Resource) {
	glyph, tok := d.g.Current, OK
	switch {
	case c.Polarity == status.UnknownPolarity:
		glyph, tok = d.g.Dot, Dim
	case c.Status == "Unknown":
		glyph, tok = d.g.Unknown, Unsure
	case !c.Good:
		glyph, tok = d.g.Failed, Bad
		if r.Assessment.Status == status.InProgress || !c.Deciding && r.Assessment.Status == status.Current {
			glyph, tok = d.g.InProgress, Busy
		}
	}
	typ := Text
	if c.Deciding {
		typ = Strong
	}
	left := line{
		{glyph + " ", tok},
		{pad(truncate(c.Type, typeW, d.g.Ellipsis), typeW) + "  ", typ},
		{pad(c.Status, 7) + "  ", tok},
		{pad(truncate(c.Reason, reasonW, d.g.Ellipsis), reasonW), Text},
	}
	if t.w >= 84 {
		left = append(left, span{"  " + string(c.Polarity), Dim})
	}
	if t.w-left.width() < 8 && reasonW > 12 {
		// No room for both: how long matters more than the end of a reason.
		left[3].text = truncate(c.Reason, max(8, reasonW-8), d.g.Ellipsis)
	}
	t.spread(left.trimBlank(), line{{since(c.LastTransitionTime, d.s.Now()), Dim}})
	in := "  "
	t.wrapped(in, in, oneLine(c.Message), Dim)
	var facts []string
	if c.Deciding {
		facts = append(facts, "decided the status")
	}
	switch c.Polarity {
	case status.AbnormalTrue:
		if c.Good {
			facts = append(facts, "abnormal-true: "+c.Status+" is good")
		} else {
			facts = append(facts, "abnormal-true: True is bad")
		}
	case status.NormalTrue:
		if !c.Good || t.w < 84 { // where the column of polarities has no room
			facts = append(facts, "normal-true")
		}
	default:
		facts = append(facts, "polarity not known")
	}
	if c.ObservedGeneration.Set && r.Object != nil && c.ObservedGeneration.V < r.Object.Generation.V {
		facts = append(facts, "of generation "+strconv.FormatInt(c.ObservedGeneration.V, 10)+", not of "+strconv.FormatInt(r.Object.Generation.V, 10))
	}
	if c.Severity != "" {
		facts = append(facts, "severity "+c.Severity)
	}
	if len(facts) > 0 {
		t.wrapped(in, in, strings.Join(facts, "; "), Dim)
	}
}

// trimBlank leaves blanks at the end of the last span out.
func (l line) trimBlank() line {
	if n := len(l); n > 0 {
		l[n-1].text = strings.TrimRight(l[n-1].text, " ")
	}
	return l
}

// pad fills s with blanks up to w cells.
func pad(s string, w int) string {
	if n := w - width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// events is the pane of events of the selected object and of what is below it.
func (d *drawing) events(w int) []line {
	t := &text{w: w, g: d.g}
	if r, ok := d.selected(); ok {
		what := line{{"", Text}}
		if d.s.WarningsOnly() {
			what = line{{"warnings only (W shows all)", Dim}}
		}
		t.spread(d.crumbs(r.ID, w), what)
		t.gap()
	}
	rows := d.s.Events()
	if key, _ := d.s.Selected(); key.ID.IsZero() && len(rows) == 0 {
		t.add(span{"Nothing is selected.", Dim})
		return t.lines
	}
	if len(rows) == 0 {
		t.add(span{"No events. Clusters forget them after an hour.", Dim})
		return t.lines
	}
	key, _ := d.s.Selected()
	for _, e := range rows {
		glyph, tok := d.g.Dot, Dim
		reason := Text
		if e.Type == "Warning" {
			glyph, tok, reason = d.g.Stalled, Stuck, Strong
		}
		head := line{{glyph + " ", tok}, {e.Reason, reason}}
		if e.Times > 1 {
			head = append(head, span{fmt.Sprintf(" %s%d", d.g.Times, e.Times), Text})
		}
		if e.About != key.ID {
			head = append(head, span{"  " + d.shortID(e.About, max(10, w-head.width()-12)), Dim})
		}
		when := since(e.Last, d.s.Now())
		if e.Times > 1 && !e.First.IsZero() && e.Last.Sub(e.First) > time.Minute {
			when += " (for " + age(e.Last.Sub(e.First)) + ")"
		}
		t.spread(head, line{{when, Dim}})
		t.wrapped("  ", "  ", oneLine(e.Message), Dim)
	}
	return t.lines
}

// logs is the pane of log lines: one line about the log, then its lines.
func (d *drawing) logs(w int) content {
	v := d.s.Logs()
	head := &text{w: w, g: d.g}
	if v.Key.Pod.Name == "" {
		none := v.None
		if none == "" {
			none = "There is no log to show here."
		}
		head.wrapped("", "", none, Dim)
		return content{head: head.lines}
	}
	left := line{{v.Key.Pod.Name, Strong}, {" " + d.g.Crumb + " " + v.Key.Container, Text}}
	if v.Key.Previous {
		left = append(left, span{"  previous instance", Stuck})
	}
	if left.width() > w {
		left = line{{truncateMiddle(v.Key.Pod.Name, max(8, w-width(v.Key.Container)-3), d.g.Ellipsis), Strong}, {" " + d.g.Crumb + " " + v.Key.Container, Text}}
	}
	var right line
	switch {
	case v.Ended:
		right = styled("ended", Dim)
	case v.Err != nil:
		right = styled("trying again", Dim)
	case v.Follow:
		right = line{{d.g.Live, OK}, {" following", Dim}}
	default:
		right = styled("G follows", Dim)
	}
	head.spread(left, right)
	if len(v.Containers) > 1 {
		l := line{{"containers: ", Dim}}
		for i, name := range v.Containers {
			if i > 0 {
				l = append(l, span{" ", Text})
			}
			tok := Dim
			if name == v.Key.Container {
				tok = Strong
			}
			l = append(l, span{name, tok})
		}
		head.lines = append(head.lines, l)
	}
	switch {
	case v.Err != nil:
		head.wrapped("", "  ", "cannot read the log: "+oneLine(v.Err.Error()), Stuck)
	case v.Missed > 0:
		head.add(span{fmt.Sprintf("%s %s could not be kept", d.g.Stalled, count(v.Missed, "line")), Stuck})
	case v.None != "":
		head.wrapped("", "", v.None, Dim)
	case v.Lines == 0 && v.Loading:
		head.add(span{"waiting for the first line", Dim})
	case v.Lines == 0:
		head.add(span{"The log is empty.", Dim})
	}
	stamp := w >= 60
	show := func(l status.LogLine) (lead, text span) {
		switch {
		case l.Aside:
			return span{d.g.Dot + " ", Stuck}, span{l.Text, Stuck}
		case stamp && !l.At.IsZero():
			return span{d.look.clock(l.At) + " ", Faint}, span{l.Text, Text}
		}
		return span{}, span{l.Text, Text}
	}
	if !d.s.Scroll().Wrap {
		return content{head: head.lines, n: v.Lines, line: func(i int) line {
			l := d.s.LogLines(i, 1)
			if len(l) == 0 {
				return nil
			}
			lead, text := show(l[0])
			return line{lead, text}
		}}
	}
	// Wrapped, only the newest are laid out: a window never shows more.
	const most = 2000
	var out []line
	for _, l := range d.s.LogLines(max(0, v.Lines-most), most) {
		lead, text := show(l)
		in := width(lead.text)
		if in+width(text.text) <= w {
			out = append(out, line{lead, text})
			continue
		}
		for i, part := range wrap(text.text, max(8, w-in)) {
			if i > 0 {
				lead = span{strings.Repeat(" ", in), Text}
			}
			out = append(out, line{lead, {part, text.token}})
		}
	}
	c := linesOf(out)
	c.head = head.lines
	return c
}

// yaml is the pane of the whole object.
func (d *drawing) yaml(w int) content {
	v := d.s.Detail()
	switch {
	case v.Err != nil:
		t := &text{w: w, g: d.g}
		t.wrapped("", "", oneLine(v.Err.Error()), Stuck)
		return linesOf(t.lines)
	case len(v.Lines) == 0 && v.Loading:
		return linesOf([]line{styled("fetching the object", Dim)})
	case len(v.Lines) == 0:
		return linesOf([]line{styled("There is nothing to show.", Dim)})
	}
	if !d.s.Scroll().Wrap {
		return content{n: len(v.Lines), line: func(i int) line { return yamlLine(v.Lines[i]) }}
	}
	var out []line
	for _, s := range v.Lines {
		if width(s) <= w {
			out = append(out, yamlLine(s))
			continue
		}
		in := min(len(s)-len(strings.TrimLeft(s, " "))+2, w/2)
		for i, part := range wrap(s, max(8, w-in)) {
			if i == 0 {
				out = append(out, yamlLine(part))
				continue
			}
			out = append(out, plain(strings.Repeat(" ", in)+part))
		}
	}
	return linesOf(out)
}

// yamlLine sets a key apart from its value.
func yamlLine(s string) line {
	body := strings.TrimLeft(s, " -")
	lead := s[:len(s)-len(body)]
	key, value, ok := strings.Cut(body, ":")
	if !ok || strings.ContainsAny(key, " \"'{[") || value != "" && value[0] != ' ' {
		return plain(s)
	}
	return line{{lead, Faint}, {key, Accent}, {":", Faint}, {value, Text}}
}
