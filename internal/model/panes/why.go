package panes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Proof unfolds and folds what proves the causes.
const Proof Action = "proof"

// Why is the pane about what blocks the selected object or, if none is selected or
// nothing is known of it, everything. What to do comes first, what proves it last.
type Why struct {
	on     Selection
	proofs bool // the proofs are unfolded
	usage  usage
}

// Title names the pane.
func (*Why) Title() Title {
	return Title{Name: "Why", Short: "Why", Does: "why", Show: "why", Keys: []string{"1", "w", "d", "x", "X"}}
}

// Keys are the pane's keys.
func (w *Why) Keys() []Key {
	proof := Key{Action: Proof, Does: "proof, or no proof", Keys: []string{"v", "space"}, Unfolds: true}
	switch {
	case w.on.Node == nil || w.on.Node.Assess.Status == status.Current:
	case w.proofs:
		proof.Label = "no proof"
	default:
		proof.Label = "proof"
	}
	return []Key{proof}
}

// Load takes note of the selection, and reads what its Pods use while the pane is open.
func (w *Why) Load(on Selection) tea.Cmd {
	w.on = on
	return w.usage.load(on)
}

// Update folds and unfolds the proofs, and takes in what Pods use.
func (w *Why) Update(msg tea.Msg) (string, tea.Cmd) {
	switch msg := msg.(type) {
	case Action:
		if msg == Proof {
			w.proofs = !w.proofs
		}
	case UsageLoaded:
		w.usage.take(msg, w.on.Ask.Clock())
	}
	return "", nil
}

// Content is the causes.
func (w *Why) Content(p *Page) Content { return p.Why(w.proofs, w.usage.shown()) }

// Why writes what blocks the selected object, with the proofs or a line of each, and
// what the object is like.
func (t *Page) Why(proofs bool, usage Usage) Content {
	r, ok := t.selected()
	if !ok {
		if !t.Selected.IsZero() {
			t.Wrapped("", "", "Nothing is known of "+t.spell(t.Selected.String())+".", markup.Dim)
		}
		t.causes(t.Facts.Causes(), object.ID{}, proofs)
		if n := t.Facts.MoreCauses(); n > 0 {
			t.Add(markup.Dim.Of(fmt.Sprintf("  and %d more causes", n)))
		}
		c := Lines(t.lines)
		c.Targets, c.Cards, c.Unfolded = t.targets, t.cards, t.unfolded
		if t.Selected.IsZero() && len(t.lines) > 0 {
			c.Head = []markup.Line{markup.Styled("everything that is followed", markup.Strong)}
		}
		return c
	}
	head := t.head(r)
	t.lines = nil
	a := r.Assessment
	causes, message := t.Facts.CausesOf(r.ID), a.Message
	for _, c := range causes {
		for _, id := range c.Objects {
			// a descendant's message is shown as a cause
			message, _, _ = strings.Cut(message, "; "+id.String()+": ")
		}
	}
	t.causes(causes, r.ID, proofs)
	t.Gap()
	if message != "" && !repeatedBy(causes, message) {
		t.Wrapped("", "  ", message, markup.Text)
	}
	if r.Stalled {
		t.Wrapped("", "  ",
			markup.Stalled+" nothing has changed for "+markup.Since(r.Changed, t.Facts.Now()), markup.Stuck)
	}
	if a.Status != status.Current {
		t.Wrapped("", "  ", t.until(a.Deadline, a.DeadlineWhat), markup.Dim)
	}
	t.Wrapped("", "  ", a.Note, markup.Stuck)
	if len(causes) == 0 && a.Status != status.Current && !a.Child.IsZero() && a.Child != r.ID {
		t.Leads(a.Child, "")
		t.Add(markup.Dim.Of("decided by "), markup.Strong.Of(t.spell(a.Child.String())))
	}
	if below := Tally(r.Known, status.Statuses, true); len(below) > 0 {
		t.Add(append(markup.Line{markup.Dim.Of("children  ")}, markup.Join("   ", below...)...)...)
	}
	if proofs {
		t.Gap()
		t.ruleLine(r.Object, a)
	}
	traits{t, usage}.write(r)
	c := Lines(t.lines)
	if len(t.lines) == 0 {
		c = Content{Line: func(int) markup.Line { return nil }}
	}
	c.Head, c.Targets, c.Cards, c.Unfolded = head, t.targets, t.cards, t.unfolded
	return c
}

// head is an object's path with its namespace, and its status.
func (t *Page) head(r known.Resource) []markup.Line {
	t.lines = nil
	t.statusLine(r)
	return append(t.named(r.ID), t.lines...)
}

// named is an object's path with its namespace. It stays while a pane scrolls.
func (t *Page) named(id object.ID) []markup.Line {
	space := markup.Styled(id.Namespace, markup.Dim)
	if space == nil || t.W < 30 {
		return []markup.Line{t.crumbs(id, t.W)}
	}
	path := t.crumbs(id, max(t.W-space.Width()-5, t.W/2))
	room := max(t.W-path.Width()-space.Width()-3, 2)
	return []markup.Line{append(path, markup.Text.Of(strings.Repeat(" ", room)), markup.Dim.Of("in "),
		markup.Dim.Of(markup.TruncateMiddle(id.Namespace, max(t.W-path.Width()-5, 4))))}
}

// statusLine is an object's status with its reason and duration.
func (t *Page) statusLine(r known.Resource) {
	a := r.Assessment
	left := markup.Line{markup.StatusSpan(a.Status)}
	if a.Status == status.Current && a.Confidence == status.Assumed {
		left = append(left, markup.Unsure.Of(" "+markup.LookOf(status.Unknown).Glyph))
	}
	if a.Reason != "" {
		left = append(left, markup.Strong.Of("  "+a.Reason))
	}
	if a.Paused {
		left = append(left, markup.Stuck.Of("  paused"))
	}
	if a.Terminal {
		left = append(left, markup.Bad.Of("  will not heal by itself"))
	}
	since := ""
	if !a.Since.IsZero() {
		age := markup.Age(t.Facts.Now().Sub(a.Since))
		if since = "since " + t.clock(a.Since) + " (" + age + ")"; left.Width()+2+markup.Width(since) > t.W {
			since = "for " + age
		}
	}
	t.Spread(left, markup.Styled(since, markup.Dim))
}

// ruleLine is what a judgement is based on.
func (t *Page) ruleLine(o *object.Object, a status.Assessment) {
	if a.Rule == "" {
		return
	}
	s := "judged by rule " + a.Rule
	switch {
	case a.Confidence == status.Assumed:
		s = strings.TrimSuffix("assumed: nothing proves it (rule "+a.Rule+")", " (rule assumed)")
	case ruleWords[a.Confidence] != "":
		s += " (" + string(a.Confidence) + ": " + ruleWords[a.Confidence] + ")"
	}
	t.Wrapped("", "  ", s, markup.Dim)
	if len(a.Paths) > 0 {
		paths := make([]string, len(a.Paths))
		for i, p := range a.Paths {
			paths[i] = status.NamedPath(o, p)
		}
		t.Wrapped("reads ", "      ", strings.Join(paths, ", "), markup.Dim)
	}
}

// ruleWords say what a rule of a confidence is.
var ruleWords = map[status.Confidence]string{
	status.Exact: "it is for this kind", status.Registry: "the registry knows this kind",
	status.User: "it is yours", status.Convention: "it reads conditions as most controllers write them",
}

// until says when something is expected to change by itself.
func (t *Page) until(at time.Time, what string) string {
	if at.IsZero() {
		return ""
	}
	what = cmp.Or(what, "expected")
	left := at.Sub(t.Facts.Now())
	if left < 0 {
		return what + " was due at " + t.clock(at) + ", " + markup.Age(-left) + " ago"
	}
	return what + " at " + t.clock(at) + ", in " + markup.Age(left)
}

// causes adds a card for each cause.
func (t *Page) causes(causes []explain.Cause, about object.ID, proofs bool) {
	steps := t.Facts.NextSteps(causes, about)
	t.cards = make(map[string]int, len(causes))
	var changed []explain.Change // several causes may come with the same change
	for i := range causes {
		c := &causes[i]
		t.Gap()
		no := strconv.Itoa(i+1) + " "
		in := strings.Repeat(" ", len(no))
		t.cards[c.ID] = len(t.lines)
		t.Leads(c.Subject.ID, c.Subject.Container)
		t.causeTitle(c, no, in)
		if !c.Healed.IsZero() {
			t.Wrapped(in, in, "gone for "+markup.Since(c.Healed, t.Facts.Now()), markup.OK)
			continue
		}
		t.effect(c, in, about)
		t.prospect(c, in)
		if !slices.Equal(changed, c.Changed) && len(c.Changed) > 0 {
			t.Add(markup.Text.Of(in), markup.Heading.Of("CHANGED"))
			t.fields("  ", inTemplate(c.Changed))
			changed = c.Changed
		}
		t.commands(steps, i, in)
		t.proof(c, in, about, proofs)
	}
}

// causeTitle is a cause's title.
func (t *Page) causeTitle(c *explain.Cause, no, in string) {
	title, tok := c.Title, markup.Strong
	if c.Count > 1 {
		title += fmt.Sprintf(" %s%d", markup.Times, c.Count)
	}
	if !c.Healed.IsZero() {
		tok = markup.Healed
	}
	t.Hanging(markup.Line{markup.Dim.Of(no)}, in, title, tok)
}

// prospect is what has to happen for a cause to go, since when it has been there, and how sure
// it is.
func (t *Page) prospect(c *explain.Cause, in string) {
	var facts []string
	if c.Class != "" {
		facts = append(facts, classWords[c.Class])
	}
	if !c.Since.IsZero() {
		facts = append(facts, "began "+markup.Since(c.Since, t.Facts.Now())+" ago")
	}
	if c.Certainty != "" && c.Certainty != explain.Proven {
		facts = append(facts, string(c.Certainty)+", not proven")
	}
	t.Wrapped(in, in, strings.Join(facts, " "+markup.Dot+" "), markup.Dim)
	t.Wrapped(in, in, t.until(c.Until, c.UntilWhat), markup.Dim)
}

// Effect is what a cause blocks, and how much of it still serves, in at most w cells: rather
// the number of what it blocks than half a name, and rather what serves than that.
func Effect(c *explain.Cause, about object.ID, serving func(object.ID) string, shortKinds bool, w int) string {
	page := Page{Selected: about, ShortKinds: shortKinds}
	names, count := page.blocked(c, about), ""
	if n := len(c.Blocks); n > 1 {
		count = fmt.Sprintf("blocks %d objects", n)
	}
	for _, words := range []string{names, count} {
		if whole := withServing(words, c, about, serving); markup.Width(whole) <= w {
			return whole
		}
	}
	return cmp.Or(withServing("", c, about, serving), count, names)
}

// withServing adds how much still serves of what a cause blocks.
func withServing(words string, c *explain.Cause, about object.ID, serving func(object.ID) string) string {
	for _, id := range append([]object.ID{about}, c.Blocks...) {
		if still := serving(id); still != "" {
			return strings.TrimPrefix(words+"; "+still, "; ")
		}
	}
	return words
}

// blocked names what a cause blocks. The pane's own object is "this Deployment", unless the cause
// is about itself.
func (t *Page) blocked(c *explain.Cause, about object.ID) string {
	others := without(c.Blocks, about)
	words := t.names("blocks ", others)
	switch {
	case len(others) == len(c.Blocks), about == c.Subject.ID:
		return words
	case words == "":
		return "blocks this " + about.Kind
	}
	return "blocks this " + about.Kind + ", " + strings.TrimPrefix(words, "blocks ")
}

// without is a list without one of its objects.
func without(ids []object.ID, but object.ID) []object.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id object.ID) bool { return id == but })
}

// effect is what a cause blocks, and what still serves.
func (t *Page) effect(c *explain.Cause, in string, about object.ID) {
	var served []object.ID
	for _, id := range append(slices.Clone(c.Blocks), about) {
		if t.Facts.Serving(id) != "" && !slices.Contains(served, id) {
			served = append(served, id)
		}
	}
	if others := without(c.Blocks, about); len(others) == 1 {
		t.Leads(others[0], "")
	}
	if len(c.Blocks) <= 1 && len(served) <= 1 {
		t.Wrapped(in, in+"  ", withServing(t.blocked(c, about), c, about, t.Facts.Serving), markup.Text)
		return
	}
	t.Wrapped(in, in+"  ", t.blocked(c, about), markup.Text)
	for _, id := range served {
		words, tok := t.Facts.Serving(id), markup.OK
		if strings.HasPrefix(words, "no ") {
			tok = markup.Bad
		}
		if id != about {
			words += " for " + t.spell(id.String())
		}
		t.Wrapped(in, in+"  ", words, tok)
	}
}

// inTemplate is changes by their place in the Pod template.
func inTemplate(changed []explain.Change) []explain.Change {
	out := slices.Clone(changed)
	for i := range out {
		out[i].Path = strings.TrimPrefix(out[i].Path, "spec.template.spec.")
	}
	return out
}

// commands are a cause's next steps, each behind the keys that copy it. A command
// is broken at blanks alone, and not between an option and its value.
func (t *Page) commands(steps []known.NextStep, cause int, in string) {
	first := true
	for i, s := range steps {
		if s.Cause != cause {
			continue
		}
		if first {
			t.Add(markup.Text.Of(in), markup.Heading.Of("NEXT"))
			first = false
		}
		l := append(markup.Line{markup.Text.Of(in)}, stepLead(i, s)...)
		rest := strings.Repeat(" ", len(in)+markup.Width("y1   "))
		words := optionsWithValues(strings.Fields(s.Command))
		for len(words) > 0 {
			// A name that is longer than a line keeps its end, which differs between siblings.
			l = append(l, markup.Accent.Of(markup.TruncateMiddle(words[0], max(t.W-l.Width(), 8))))
			for words = words[1:]; len(words) > 0 && l.Width()+1+markup.Width(words[0]) <= t.W; words = words[1:] {
				l = append(l, markup.Text.Of(" "), markup.Accent.Of(words[0]))
			}
			t.lines = append(t.lines, l)
			l = markup.Plain(rest)
		}
		remark, tok := remarks(s), remarkToken(s)
		if last := &t.lines[len(t.lines)-1]; remark != "" && last.Width()+markup.Width(remarkGap+remark) <= t.W {
			*last = append(*last, tok.Of(remarkGap+remark))
		} else if remark != "" {
			t.Wrapped(rest, rest+"# ", remark, tok)
		}
	}
}

// StepLine is a command in one line of w cells, behind the keys that copy it, with as much of
// what there is to say of it as has room.
func StepLine(i int, s known.NextStep, w int) markup.Line {
	l := append(stepLead(i, s), markup.Accent.Of(s.Command))
	whole := remarks(s)
	brief, _, _ := strings.Cut(whole, ":")
	for _, remark := range []string{whole, brief} {
		if remark != "" && l.Width()+markup.Width(remarkGap+remark) <= w {
			return append(l, remarkToken(s).Of(remarkGap+remark))
		}
	}
	return l
}

// stepLead is before a command: the keys that copy it, and a sign if it changes the cluster.
func stepLead(i int, s known.NextStep) markup.Line {
	l := markup.Line{markup.Dim.Of("y" + strconv.Itoa(i+1) + " ")}
	if s.Mutates {
		l = append(l, markup.Stuck.Of(markup.Stalled+" "))
	}
	return l
}

// remarkGap is between a command and a remark on it.
const remarkGap = "  "

// remarks are what there is to say of a command, as a shell comment: who copies it with the
// command runs the same command.
func remarks(s known.NextStep) string {
	return strings.TrimSpace(strings.TrimPrefix(s.String(), s.Command))
}

func remarkToken(s known.NextStep) markup.Token {
	if s.Mutates {
		return markup.Stuck
	}
	return markup.Dim
}

// optionsWithValues joins each short option of a command with its value: "-n shop".
func optionsWithValues(words []string) (joined []string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		if len(word) == 2 && word[0] == '-' && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++
			word += " " + words[i]
		}
		joined = append(joined, word)
	}
	return joined
}

// proof is what proves a cause: a line, or all of it.
func (t *Page) proof(c *explain.Cause, in string, about object.ID, proofs bool) {
	detail := c.Detail
	if strings.Contains(markup.OneLine(c.Title), markup.OneLine(detail)) {
		detail = ""
	}
	if !proofs {
		lead := in + "proof  "
		words := detail
		if words == "" && len(c.Evidence) > 0 {
			words = fact(c.Evidence[0], max(t.W-markup.Width(lead), 8))
		}
		if words == "" {
			return
		}
		more := ""
		if n := len(c.Evidence); n > 1 {
			more = fmt.Sprintf("  %s v: %s", markup.Dot, markup.Count(n, "fact"))
		}
		words = markup.OneLine(strings.ReplaceAll(words, "⏎", " "))
		room := t.W - markup.Width(lead)
		if markup.Width(words+more) > room {
			more = "" // half a sentence proves nothing, and the footer names the key
		}
		t.Add(markup.Dim.Of(lead), markup.Dim.Of(markup.TruncateWords(words, max(room, 8))), markup.Dim.Of(more))
		return
	}
	from := len(t.lines)
	defer func() { t.unfolded = append(t.unfolded, [2]int{from, len(t.lines)}) }()
	t.Add(markup.Text.Of(in), markup.Heading.Of("PROOF"))
	t.Wrapped(in, in, detail, markup.Text)
	t.evidence(*c, in, about)
	if n := len(c.Objects); n > 1 {
		t.Wrapped(in, in+"  ", t.names("shown by ", c.Objects), markup.Dim)
	}
	if i := slices.Index(c.Chain, about); len(c.Chain)-i > 2 {
		// Leave out ReplicaSets between a Deployment and its Pod, and
		// objects already listed as blocked.
		between := slices.DeleteFunc(slices.Clone(c.Chain[i+1:len(c.Chain)-1]), func(id object.ID) bool {
			return id.Kind == "ReplicaSet" || slices.Contains(c.Blocks, id)
		})
		t.Wrapped(in, in+"  ", t.names("through ", between), markup.Dim)
	}
	for _, s := range c.Echoes(2) {
		t.Wrapped(in, in+"  ", "so "+t.shortID(s.Ref, 36)+": "+s.Title, markup.Dim)
	}
	for _, m := range c.Missing {
		t.Wrapped(in, in+"  ", "not seen: "+markup.OneLine(m), markup.Dim)
	}
}

// fact is a field and its value in at most w cells, if the value leaves enough of them to the
// field's end. Half a path without its value proves nothing.
func fact(e explain.Evidence, w int) string {
	value := markup.OneLine(e.Value)
	if room := w - markup.Width(value) - 2; room >= leastPath {
		return strings.TrimSpace(shortPath(e.Path, room) + "  " + value)
	}
	return strings.TrimSpace(e.Path + "  " + value)
}

// leastPath is the least width of a field beside its value.
const leastPath = 12

// shortPath is the end of a field's path in at most w cells: whole fields, if there is room
// for one.
func shortPath(path string, w int) string {
	inside := false // brackets, whose dots do not part fields
	for i, r := range path {
		switch {
		case markup.Width(path) <= w:
			return path
		case r == '[' || r == ']':
			inside = r == '['
		case r == '.' && !inside && markup.Width(markup.Ellipsis+path[i+1:]) <= w:
			return markup.Ellipsis + path[i+1:]
		}
	}
	return markup.TruncateStart(path, w)
}

// repeatedBy reports whether a cause's title, detail or proof repeats the message.
func repeatedBy(causes []explain.Cause, message string) bool {
	message = markup.OneLine(message)
	repeats := func(text string) bool {
		text = markup.OneLine(text)
		return text != "" && (strings.Contains(text, message) ||
			strings.Contains(message, text) && len(text) > len(message)/2)
	}
	return slices.ContainsFunc(causes, func(c explain.Cause) bool {
		return strings.Contains(markup.OneLine(c.Title), message) ||
			c.Detail != "" && strings.Contains(message, markup.OneLine(c.Detail)) || repeats(c.Detail) ||
			slices.ContainsFunc(c.Evidence, func(e explain.Evidence) bool { return repeats(e.Value) })
	})
}

// evidence adds a cause's evidence. The object is named unless it is the
// pane's; a value that is in the detail is not repeated.
func (t *Page) evidence(c explain.Cause, in string, about object.ID) {
	last := about
	for _, e := range c.Evidence {
		lead := markup.Plain(in + markup.Dot + " ")
		lead[0].Token = markup.Faint
		if e.Ref != last && !e.Ref.IsZero() {
			t.Add(lead[0], markup.Dim.Of(t.shortID(e.Ref, t.W-len(in)-2)))
			last = e.Ref
		}
		if last != about {
			lead = markup.Plain(in + "  ")
		}
		value, room := markup.OneLine(e.Value), t.W-lead.Width()
		if strings.Contains(markup.OneLine(c.Detail), value) && markup.Width(value) > 60 {
			value = ""
		}
		if markup.Width(value) < room/2 {
			room -= markup.Width(value) + 2
		}
		path := markup.Styled(shortPath(e.Path, room), markup.Dim)
		if whole := append(lead, markup.Join("  ", path, markup.Styled(value, markup.Text))...); whole.Width() <= t.W {
			t.Add(whole...)
			continue
		}
		t.Add(append(lead, path...)...)
		t.Wrapped(in+"    ", in+"    ", value, markup.Text)
	}
}

// classWords describe the classes of causes.
var classWords = map[explain.Class]string{
	explain.Waits: "waiting", explain.Retries: "is being retried", explain.Action: "action needed",
	explain.Terminal: "will not heal by itself",
}
