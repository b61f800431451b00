package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// why is the pane about what blocks the selected object or, if none is
// selected, everything.
func (t *text) why() []line {
	r, ok := t.selected()
	if !ok {
		t.causes(t.s.Causes(), object.ID{})
		if n := t.s.MoreCauses(); n > 0 {
			t.add(span{fmt.Sprintf("  and %d more causes", n), Dim})
		}
		if len(t.lines) == 0 {
			t.add(span{"Nothing is selected.", Dim})
		}
		return t.lines
	}
	a := r.Assessment
	t.lines = append(t.lines, t.crumbs(r.ID, t.w))
	t.gap()
	t.statusLine(r)
	causes := t.s.CausesOf(r.ID)
	message := a.Message
	for _, c := range causes {
		for _, id := range c.Objects {
			// a descendant's message is shown as a cause
			message, _, _ = strings.Cut(message, "; "+id.String()+": ")
		}
	}
	if message != "" && !saidBy(causes, message) {
		t.wrapped("  ", "  ", message, Text)
	}
	if r.Stalled {
		t.wrapped("", "  ", t.g.Stalled+" nothing has changed for "+since(r.Changed, t.s.Now()), Stuck)
	}
	if !a.Deadline.IsZero() && a.Status != status.Current {
		t.wrapped("  ", "  ", t.until(a.Deadline, a.DeadlineWhat), Dim)
	}
	if a.Note != "" {
		t.wrapped("  ", "  ", a.Note, Stuck)
	}
	t.causes(causes, r.ID)
	if len(causes) == 0 && a.Status != status.Current {
		if !a.Child.IsZero() && a.Child != r.ID {
			t.heading("WHY")
			t.add(span{"  decided by ", Dim}, span{a.Child.String(), Strong})
		}
	}
	t.children(r)
	t.gap()
	t.ruleLine(r.Object, a)
	return t.lines
}

// statusLine is a status with its reason and duration.
func (t *text) statusLine(r model.Resource) {
	a := r.Assessment
	left := line{statusSpan(a.Status, t.g)}
	if a.Status == "" {
		left = line{statusSpan(status.Unknown, t.g)}
	}
	if a.Status == status.Current && a.Confidence == status.Assumed {
		left = append(left, span{" " + t.g.Unknown, Unsure})
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
	t.spread(left, t.sinceLine(a.Since))
}

func (t *text) sinceLine(at time.Time) line {
	if at.IsZero() {
		return nil
	}
	return line{{"since " + t.look.clock(at) + " (" + since(at, t.s.Now()) + ")", Dim}}
}

// ruleLine is what a judgement is based on.
func (t *text) ruleLine(o *object.Object, a status.Assessment) {
	if a.Rule == "" {
		return
	}
	s := "rule " + a.Rule
	switch a.Confidence {
	case "":
	case status.Assumed:
		s = "assumed: nothing proves it"
		if a.Rule != "assumed" {
			s += ", rule " + a.Rule
		}
	default:
		s += ", " + string(a.Confidence)
	}
	t.wrapped("", "     ", s, Dim)
	if len(a.Paths) > 0 {
		paths := make([]string, len(a.Paths))
		for i, p := range a.Paths {
			paths[i] = status.NamedPath(o, p)
		}
		t.wrapped("reads ", "      ", strings.Join(paths, ", "), Dim)
	}
}

// until says when something is expected to change by itself.
func (t *text) until(at time.Time, what string) string {
	if what == "" {
		what = "expected"
	}
	left := at.Sub(t.s.Now())
	if left < 0 {
		return what + " was due at " + t.look.clock(at) + ", " + age(-left) + " ago"
	}
	return what + " at " + t.look.clock(at) + ", in " + age(left)
}

// children counts an object's known descendants.
func (t *text) children(r model.Resource) {
	if r.Known.Total() == 0 {
		return
	}
	var l line
	for _, st := range status.Statuses {
		if n := r.Known[st]; n > 0 {
			if len(l) > 0 {
				l = append(l, span{"   ", Text})
			}
			l = append(l, span{fmt.Sprintf("%s %d %s", t.g.Of(st), n, st), statusToken(st)})
		}
	}
	t.heading("BELOW")
	t.add(append(line{{"  ", Text}}, l...)...)
}

// causes adds the causes with their evidence, what they block and the next
// steps.
func (t *text) causes(causes []model.Cause, about object.ID) {
	if len(causes) == 0 {
		return
	}
	t.heading("WHY")
	for i, c := range causes {
		no := strconv.Itoa(i+1) + " "
		title := c.Title
		if c.Count > 1 {
			title += fmt.Sprintf(" %s%d", t.g.Times, c.Count)
		}
		if !c.Healed.IsZero() {
			t.wrappedSpan(span{no, Dim}, strings.Repeat(" ", len(no)), title, Healed)
			t.wrapped(strings.Repeat(" ", len(no)), strings.Repeat(" ", len(no)), "gone for "+since(c.Healed, t.s.Now()), OK)
			continue
		}
		t.wrappedSpan(span{no, Dim}, strings.Repeat(" ", len(no)), title, Strong)
		in := strings.Repeat(" ", len(no))
		if !strings.Contains(OneLine(c.Title), OneLine(c.Detail)) {
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
			facts = append(facts, "for "+since(c.Since, t.s.Now()))
		}
		if len(facts) > 0 {
			t.wrapped(in, in, strings.Join(facts, ", "), Dim)
		}
		if !c.Until.IsZero() {
			t.wrapped(in, in, t.until(c.Until, c.UntilWhat), Dim)
		}
		t.evidence(c, in, about)
		if n := len(c.Objects); n > 1 {
			t.wrapped(in, in+"  ", "shown by "+t.names(c.Objects, 4), Dim)
		}
		if len(c.Blocks) > 0 {
			t.wrapped(in, in+"  ", "blocks "+t.names(c.Blocks, 4), Text)
		}
		if i := slices.Index(c.Chain, about); len(c.Chain)-i > 2 {
			// Leave out ReplicaSets between a Deployment and its Pod, and
			// objects already listed as blocked.
			between := slices.DeleteFunc(slices.Clone(c.Chain[i+1:len(c.Chain)-1]), func(id object.ID) bool {
				return id.Kind == "ReplicaSet" || slices.Contains(c.Blocks, id)
			})
			if len(between) > 0 {
				t.wrapped(in, in+"  ", "through "+t.names(between, 4), Dim)
			}
		}
		for _, s := range c.Echoes(2) {
			t.wrapped(in, in+"  ", "so "+t.shortID(s.Ref, 36)+": "+s.Title, Dim)
		}
		for _, m := range c.Missing {
			t.wrapped(in, in+"  ", "not seen: "+OneLine(m), Dim)
		}
	}
	causes = slices.DeleteFunc(slices.Clone(causes), func(c model.Cause) bool { return !c.Healed.IsZero() })
	t.changed(causes)
	var next []string
	for _, c := range causes {
		for _, n := range c.Steps() {
			if len(next) < 6 && !slices.Contains(next, n.String()) {
				next = append(next, n.String())
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

// saidBy reports whether a cause's detail repeats the message.
func saidBy(causes []model.Cause, message string) bool {
	for _, c := range causes {
		if c.Detail != "" && (strings.Contains(OneLine(c.Detail), OneLine(message)) || strings.Contains(OneLine(message), OneLine(c.Detail))) {
			return true
		}
	}
	return false
}

// evidence adds a cause's evidence. The object is named unless it is the
// pane's; a value that is in the detail is not repeated.
func (t *text) evidence(c model.Cause, in string, about object.ID) {
	last := about
	for _, e := range c.Evidence {
		if e.Ref != last && !e.Ref.IsZero() {
			t.add(span{in + t.g.Dot + " ", Faint}, span{t.shortID(e.Ref, t.w-len(in)-2), Dim})
			last = e.Ref
		}
		l := line{{in + t.g.Dot + " ", Faint}}
		if last != about {
			l = line{{in + "  ", Faint}}
		}
		value := OneLine(e.Value)
		if value != "" && c.Detail != "" && strings.Contains(OneLine(c.Detail), value) && width(value) > 60 {
			value = ""
		}
		room := t.w - l.width()
		path := e.Path
		if width(path)+2+width(value) > room && width(value) < room/2 {
			// keep the end of a path
			path = truncateStart(path, room-2-width(value), t.g.Ellipsis)
		} else if width(path) > room {
			path = truncateStart(path, room, t.g.Ellipsis)
		}
		l = append(l, span{path, Dim})
		if value == "" {
			t.lines = append(t.lines, l)
			continue
		}
		if path == "" {
			t.add(append(l, span{truncate(value, t.w-l.width(), t.g.Ellipsis), Text})...)
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

// changed shows how the newest revision differs from the previous one.
func (t *text) changed(causes []model.Cause) {
	var all []model.Change
	for _, c := range causes {
		for _, ch := range c.Changed {
			ch.Before, ch.After = cmp.Or(ch.Before, "(none)"), cmp.Or(ch.After, "(none)")
			all = append(all, ch)
		}
	}
	if len(all) > 0 {
		t.heading("CHANGED")
		t.fields(all)
	}
}

// classWords describes a class of causes.
func classWords(class string) string {
	switch class {
	case "waits":
		return "waiting"
	case "retries":
		return "retrying"
	case "action":
		return "action needed"
	case "terminal":
		return "will not heal by itself"
	}
	return class
}
