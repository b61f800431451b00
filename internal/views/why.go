package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// why is the pane about what blocks the selected object or, if none is
// selected or nothing is known of it, everything.
func (t *text) why() []line {
	r, ok := selected(t.s)
	if !ok {
		if key, _ := t.s.Selected(); !key.ID.IsZero() {
			t.add(span{"Nothing is known of " + key.ID.String() + ".", Dim})
		}
		t.causes(t.s.Causes(), object.ID{})
		if n := t.s.MoreCauses(); n > 0 {
			t.add(span{fmt.Sprintf("  and %d more causes", n), Dim})
		}
		return t.lines
	}
	a := r.Assessment
	t.statusLine(r)
	causes, message := t.s.CausesOf(r.ID), a.Message
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
		t.wrapped("", "  ", stalled+" nothing has changed for "+since(r.Changed, t.s.Now()), Stuck)
	}
	if a.Status != status.Current {
		t.wrapped("  ", "  ", t.until(a.Deadline, a.DeadlineWhat), Dim)
	}
	t.wrapped("  ", "  ", a.Note, Stuck)
	t.causes(causes, r.ID)
	if len(causes) == 0 && a.Status != status.Current && !a.Child.IsZero() && a.Child != r.ID {
		t.heading("WHY")
		t.add(span{"  decided by ", Dim}, span{a.Child.String(), Strong})
	}
	if below := tally(r.Known, status.Statuses, true); len(below) > 0 {
		t.heading("BELOW")
		t.add(append(line{{"  ", Text}}, join("   ", below...)...)...)
	}
	t.gap()
	t.ruleLine(r.Object, a)
	return t.lines
}

// statusLine is an object's path, and its status with its reason and duration.
func (t *text) statusLine(r known.Resource) {
	t.add(t.crumbs(r.ID, t.w)...)
	t.gap()
	a := r.Assessment
	left := line{statusSpan(a.Status)}
	if a.Status == status.Current && a.Confidence == status.Assumed {
		left = append(left, span{" " + lookOf(status.Unknown).glyph, Unsure})
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
	since := ""
	if !a.Since.IsZero() {
		since = "since " + t.look.clock(a.Since) + " (" + age(t.s.Now().Sub(a.Since)) + ")"
	}
	t.spread(left, styled(since, Dim))
}

// ruleLine is what a judgement is based on.
func (t *text) ruleLine(o *object.Object, a status.Assessment) {
	if a.Rule == "" {
		return
	}
	s := "rule " + a.Rule
	switch {
	case a.Confidence == status.Assumed:
		s = strings.TrimSuffix("assumed: nothing proves it, "+s, ", rule assumed")
	case a.Confidence != "":
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
	if at.IsZero() {
		return ""
	}
	what = cmp.Or(what, "expected")
	left := at.Sub(t.s.Now())
	if left < 0 {
		return what + " was due at " + t.look.clock(at) + ", " + age(-left) + " ago"
	}
	return what + " at " + t.look.clock(at) + ", in " + age(left)
}

// causes adds the causes with evidence, what they block and the next steps.
func (t *text) causes(causes []explain.Cause, about object.ID) {
	if len(causes) == 0 {
		return
	}
	t.heading("WHY")
	var changed []explain.Change // by the newest revision
	var next []string
	for i, c := range causes {
		no, title, tok := strconv.Itoa(i+1)+" ", c.Title, Strong
		in := strings.Repeat(" ", len(no))
		if c.Count > 1 {
			title += fmt.Sprintf(" %s%d", times, c.Count)
		}
		if !c.Healed.IsZero() {
			tok = Healed
		}
		t.hanging(line{{no, Dim}}, in, title, tok)
		if !c.Healed.IsZero() {
			t.wrapped(in, in, "gone for "+since(c.Healed, t.s.Now()), OK)
			continue
		}
		if !strings.Contains(OneLine(c.Title), OneLine(c.Detail)) {
			t.wrapped(in, in, c.Detail, Text)
		}
		var facts []string
		if c.Certainty != "" && c.Certainty != "proven" {
			facts = append(facts, string(c.Certainty))
		}
		if c.Class != "" {
			facts = append(facts, classWords[c.Class])
		}
		if !c.Since.IsZero() {
			facts = append(facts, "for "+since(c.Since, t.s.Now()))
		}
		t.wrapped(in, in, strings.Join(facts, ", "), Dim)
		t.wrapped(in, in, t.until(c.Until, c.UntilWhat), Dim)
		t.evidence(c, in, about)
		if n := len(c.Objects); n > 1 {
			t.wrapped(in, in+"  ", t.names("shown by ", c.Objects), Dim)
		}
		t.wrapped(in, in+"  ", t.names("blocks ", c.Blocks), Text)
		if i := slices.Index(c.Chain, about); len(c.Chain)-i > 2 {
			// Leave out ReplicaSets between a Deployment and its Pod, and
			// objects already listed as blocked.
			between := slices.DeleteFunc(slices.Clone(c.Chain[i+1:len(c.Chain)-1]), func(id object.ID) bool {
				return id.Kind == "ReplicaSet" || slices.Contains(c.Blocks, id)
			})
			t.wrapped(in, in+"  ", t.names("through ", between), Dim)
		}
		for _, s := range c.Echoes(2) {
			t.wrapped(in, in+"  ", "so "+t.shortID(s.Ref, 36)+": "+s.Title, Dim)
		}
		for _, m := range c.Missing {
			t.wrapped(in, in+"  ", "not seen: "+OneLine(m), Dim)
		}
		changed = append(changed, c.Changed...)
		for _, n := range c.Steps() {
			if len(next) < 6 && !slices.Contains(next, n.String()) {
				next = append(next, n.String())
			}
		}
	}
	if len(changed) > 0 {
		t.heading("CHANGED")
		t.fields(changed)
	}
	if len(next) > 0 {
		t.heading("NEXT")
		for _, n := range next {
			t.wrapped("  ", "    ", n, Accent)
		}
	}
}

// saidBy reports whether a cause's detail repeats the message.
func saidBy(causes []explain.Cause, message string) bool {
	message = OneLine(message)
	return slices.ContainsFunc(causes, func(c explain.Cause) bool {
		detail := OneLine(c.Detail)
		return detail != "" && (strings.Contains(detail, message) || strings.Contains(message, detail))
	})
}

// evidence adds a cause's evidence. The object is named unless it is the
// pane's; a value that is in the detail is not repeated.
func (t *text) evidence(c explain.Cause, in string, about object.ID) {
	last := about
	for _, e := range c.Evidence {
		lead := plain(in + dot + " ")
		lead[0].token = Faint
		if e.Ref != last && !e.Ref.IsZero() {
			t.add(lead[0], span{t.shortID(e.Ref, t.w-len(in)-2), Dim})
			last = e.Ref
		}
		if last != about {
			lead = plain(in + "  ")
		}
		value, room := OneLine(e.Value), t.w-lead.width()
		if strings.Contains(OneLine(c.Detail), value) && width(value) > 60 {
			value = ""
		}
		if width(value) < room/2 {
			room -= width(value) + 2
		}
		path := styled(truncateStart(e.Path, room), Dim)
		if whole := append(lead, join("  ", path, styled(value, Text))...); whole.width() <= t.w {
			t.add(whole...)
			continue
		}
		t.add(append(lead, path...)...)
		t.wrapped(in+"    ", in+"    ", value, Text)
	}
}

// classWords describe the classes of causes.
var classWords = map[explain.Class]string{
	explain.Waits: "waiting", explain.Retries: "retrying", explain.Action: "action needed", explain.Terminal: "will not heal by itself",
}
