package views

import (
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// conditions is the pane of the selected object's conditions.
func (t *text) conditions() []line {
	r, ok := t.selected()
	if !ok {
		return []line{styled("Nothing is selected.", Dim)}
	}
	t.lines = append(t.lines, t.crumbs(r.ID, t.w))
	t.gap()
	t.statusLine(r)
	if a := r.Assessment; a.Deciding < 0 && a.Message != "" {
		t.wrapped("  ", "  ", OneLine(a.Message), Text) // no condition says that
	}
	t.generation(r)
	t.ruleLine(r.Object, r.Assessment)
	rows := t.s.Conditions()
	if len(rows) == 0 {
		if r.Object != nil {
			t.gap()
			t.add(span{"It has no conditions.", Dim})
		}
		t.advice(r.Object)
		return t.lines
	}
	typeW, reasonW := 4, 0
	for _, c := range rows {
		typeW = max(typeW, width(c.Type))
		reasonW = max(reasonW, width(c.Reason))
	}
	typeW = min(typeW, t.w*2/5)
	// the rest beside type, status and age
	reasonW = min(reasonW, max(t.w-typeW-21, t.w/3))
	t.heading("CONDITIONS")
	for _, top := range []bool{true, false} { // the summary first
		for _, c := range rows {
			if c.Top == top {
				t.condition(c, typeW, reasonW, r)
			}
		}
	}
	t.advice(r.Object)
	return t.lines
}

// advice lists the API conventions that the controller breaks. It never affects
// the verdict.
func (t *text) advice(o *object.Object) {
	if o == nil {
		return
	}
	findings := status.Lint(o)
	if len(findings) == 0 {
		return
	}
	t.heading("ADVICE for its controller's authors")
	for _, f := range findings {
		t.wrapped(t.g.Dot+" ", "  ", f.Message, Dim)
	}
}

func (t *text) generation(r model.Resource) {
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
		t.add(span{s + " = observed " + strconv.FormatInt(o.Observed.V, 10) + " ", Dim}, span{t.g.Current, OK})
	}
}

func (t *text) condition(c model.ConditionRow, typeW, reasonW int, r model.Resource) {
	glyph, tok := t.g.Current, OK
	switch {
	case c.Polarity == status.UnknownPolarity:
		glyph, tok = t.g.Dot, Dim
	case c.Status == "Unknown":
		glyph, tok = t.g.Unknown, Unsure
	case !c.Good:
		glyph, tok = t.g.Failed, Bad
		if r.Assessment.Status == status.InProgress || !c.Deciding && r.Assessment.Status == status.Current {
			glyph, tok = t.g.InProgress, Busy
		}
	}
	typ := Text
	if c.Deciding {
		typ = Strong
	}
	left := line{
		{glyph + " ", tok},
		{pad(truncate(c.Type, typeW, t.g.Ellipsis), typeW) + "  ", typ},
		{pad(c.Status, 7) + "  ", tok},
		{pad(truncate(c.Reason, reasonW, t.g.Ellipsis), reasonW), Text},
	}
	if t.w-left.width() < 8 && reasonW > 12 {
		// The age matters more than the end of a reason.
		left[3].text = truncate(c.Reason, max(8, reasonW-8), t.g.Ellipsis)
	}
	t.spread(left.trimBlank(), line{{since(c.LastTransitionTime, t.s.Now()), Dim}})
	in := "  "
	t.wrapped(in, in, OneLine(c.Message), Dim)
	var facts []string
	if c.Deciding {
		facts = append(facts, "decided the status")
	}
	switch c.Polarity {
	case status.AbnormalTrue: // normal-true is the default and not mentioned
		if c.Good {
			facts = append(facts, c.Status+" is good")
		} else {
			facts = append(facts, "True is bad")
		}
	case status.UnknownPolarity:
		facts = append(facts, "not known whether True is good")
	}
	switch c.KnownBy {
	case status.User:
		facts = append(facts, "as your rules declare")
	case status.Registry:
		facts = append(facts, "as the registry knows of its kind")
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
