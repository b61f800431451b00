package panes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Conditions is the pane of the selected object's conditions.
type Conditions struct{}

// Title names the pane.
func (*Conditions) Title() Title {
	return Title{Name: "Conditions", Short: "Conds", Does: "conditions", Show: "conditions", Keys: []string{"2"}}
}

// Keys are none.
func (*Conditions) Keys() []Key { return nil }

// Load requests nothing.
func (*Conditions) Load(Selection) tea.Cmd { return nil }

// Update handles nothing.
func (*Conditions) Update(tea.Msg) (string, tea.Cmd) { return "", nil }

// Content is the conditions.
func (*Conditions) Content(p *Page) Content { return p.Conditions(p.Facts.ConditionsOf(p.Selected)) }

// Conditions writes the selected object's conditions.
func (t *Page) Conditions(rows []known.Condition) Content {
	return t.below((*Page).head, func(t *Page) []markup.Line { return t.conditions(rows) })
}

func (t *Page) conditions(rows []known.Condition) []markup.Line {
	r, ok := t.selected()
	if !ok {
		return nil
	}
	if a := r.Assessment; a.Deciding < 0 && a.Message != "" {
		// The message is from no condition, so it is not shown below.
		t.Wrapped("  ", "  ", markup.OneLine(a.Message), markup.Text)
	}
	t.generation(r)
	t.ruleLine(r.Object, r.Assessment)
	if len(rows) == 0 {
		if r.Object != nil {
			t.Gap()
			t.Add(markup.Dim.Of("It has no conditions."))
		}
		t.advice(r.Object)
		return t.lines
	}
	typeW, statusW, reasonW, ageW := 4, 5, 0, 0
	for _, c := range rows {
		typeW, statusW = max(typeW, markup.Width(c.Type)), max(statusW, markup.Width(c.Status))
		reasonW = max(reasonW, markup.Width(c.Reason))
		ageW = max(ageW, markup.Width(markup.Since(c.LastTransitionTime, t.Facts.Now())))
	}
	typeW = min(typeW, t.W*2/5)
	// the rest beside type, status and age
	reasonW = min(reasonW, max(t.W-typeW-statusW-ageW-8, 8))
	t.Heading("CONDITIONS")
	for _, c := range rows {
		t.condition(c, typeW, min(statusW, 7), reasonW, r)
	}
	t.advice(r.Object)
	return t.lines
}

// advice lists the API conventions that the controller breaks. It never affects
// the verdict.
func (t *Page) advice(o *object.Object) {
	if o == nil {
		return
	}
	findings := status.Lint(o)
	if len(findings) == 0 {
		return
	}
	t.Heading("ADVICE for its controller's authors")
	for _, f := range findings {
		t.Wrapped(markup.Dot+" ", "  ", f.Message, markup.Dim)
	}
}

func (t *Page) generation(r known.Resource) {
	o := r.Object
	if o == nil || !o.Generation.Set {
		return
	}
	s := fmt.Sprintf("generation %d", o.Generation.V)
	switch {
	case !o.Observed.Set:
		t.Wrapped("", "  ", s+", its controller does not say which one it has seen", markup.Dim)
	case o.Observed.V < o.Generation.V:
		t.Wrapped("", "  ", fmt.Sprintf("%s, but its controller has only seen %d", s, o.Observed.V), markup.Stuck)
	default:
		t.Add(markup.Dim.Of(fmt.Sprintf("%s = observed %d ", s, o.Observed.V)), markup.LookOf(status.Current).Mark())
	}
}

func (t *Page) condition(c known.Condition, typeW, statusW, reasonW int, r known.Resource) {
	look := markup.LookOf(status.Current)
	switch {
	case c.Polarity == status.UnknownPolarity:
		look = markup.StatusLook{Glyph: markup.Dot, Token: markup.Dim}
	case c.Status == "Unknown":
		look = markup.LookOf(status.Unknown)
	case !c.Good && (r.Assessment.Status == status.InProgress || !c.Deciding && r.Assessment.Status == status.Current):
		look = markup.LookOf(status.InProgress)
	case !c.Good:
		look = markup.LookOf(status.Failed)
	}
	typ := markup.Text
	if c.Deciding {
		typ = markup.Strong
	}
	reason, message := c.Reason, markup.OneLine(c.Message)
	if markup.Width(reason) > reasonW { // whole, before the message
		reason, message = "", strings.TrimSuffix(reason+": "+message, ": ")
	}
	left := markup.Line{
		look.Token.Of(look.Glyph + " "),
		typ.Of(markup.Pad(markup.Truncate(c.Type, typeW), typeW) + "  "),
		look.Token.Of(markup.Pad(c.Status, statusW) + "  "),
		markup.Text.Of(markup.Pad(reason, reasonW)),
	}
	t.Spread(left, markup.Line{markup.Dim.Of(markup.Since(c.LastTransitionTime, t.Facts.Now()))})
	in := "  "
	t.Wrapped(in, in, message, markup.Dim)
	var facts []string
	if c.Deciding {
		facts = append(facts, "this condition decides the status")
	}
	switch c.Polarity {
	case status.AbnormalTrue: // normal-true is the default and not mentioned
		facts = append(facts, "True is bad")
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
		facts = append(facts, fmt.Sprintf("of generation %d, not of %d", c.ObservedGeneration.V, r.Object.Generation.V))
	}
	if c.Severity != "" {
		facts = append(facts, "severity "+c.Severity)
	}
	t.Wrapped(in, in, strings.Join(facts, "; "), markup.Dim)
}
