// Package report prints what is known for scripts, pipes and people without a
// screen: JSON as the contract has it, tables, trees and Markdown. It decides
// nothing; whatever it prints, known.Facts has it.
//
// [Document], [Resource], [Cause] and [Event] are the machine-readable shapes.
// Fields may be added to them; none changes its meaning within [Schema].
package report

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Schema names the shape of every machine-readable output.
const Schema = "kstatus-tui/v1"

// Document is the whole state at one moment. Absent means unknown.
type Document struct {
	Schema    string        `json:"schema"`
	Time      time.Time     `json:"time"`
	Sources   []string      `json:"sources"`
	Verdict   status.Status `json:"verdict"`
	Counts    Counts        `json:"counts"` // of the followed resources
	Resources []Resource    `json:"resources"`
	Causes    []Cause       `json:"causes"`
	Recording *Recording    `json:"recording,omitempty"` // set if the recording is incomplete
	// JudgedBy is "own-fields" if children were not read (--children=none).
	JudgedBy string `json:"judgedBy,omitempty"`
	// NotPermitted lists the missing permissions: who may not do what to which
	// resource where.
	NotPermitted []string `json:"notPermitted,omitempty"`
}

// Recording says that a recording was cut off or is damaged: the state is that
// of the last readable moment.
type Recording struct {
	TruncatedAt time.Time `json:"truncatedAt"`
	Damaged     bool      `json:"damaged"` // not only cut off: some of it is unreadable
	Message     string    `json:"message"`
}

func recordingOf(m *known.Facts) *Recording {
	d := m.Damage
	if d == nil {
		return nil
	}
	return &Recording{TruncatedAt: utc(d.At), Damaged: !d.Cut, Message: d.Text}
}

// Resource is one object and its judgement.
type Resource struct {
	Group              string            `json:"group"`
	Version            string            `json:"version"`
	Kind               string            `json:"kind"`
	Namespace          string            `json:"namespace"`
	Name               string            `json:"name"`
	UID                string            `json:"uid,omitempty"`
	Generation         *int64            `json:"generation,omitempty"`
	ObservedGeneration *int64            `json:"observedGeneration,omitempty"`
	Status             status.Status     `json:"status"`
	Reason             string            `json:"reason,omitempty"`
	Message            string            `json:"message"`
	Since              time.Time         `json:"since,omitzero"`
	LastChange         time.Time         `json:"lastChange,omitzero"`
	Rule               string            `json:"rule,omitempty"`
	RulePaths          []string          `json:"rulePaths,omitempty"`
	Confidence         status.Confidence `json:"confidence,omitempty"`
	Terminal           bool              `json:"terminal"`
	Paused             bool              `json:"paused"`
	Optional           bool              `json:"optional,omitempty"`
	Generated          bool              `json:"generated"`
	// the connection has not confirmed the data for too long
	Stale       bool                  `json:"stale,omitempty"`
	Note        string                `json:"note,omitempty"`
	Inventory   string                `json:"inventory,omitempty"`
	Conditions  []Condition           `json:"conditions,omitempty"`
	Causes      []string              `json:"causes,omitempty"` // ids of causes
	ChildCounts map[status.Status]int `json:"childCounts,omitempty"`
	Children    []Resource            `json:"children,omitempty"`
}

// Condition is a condition of an object, with the status that would be good.
type Condition struct {
	Type               string          `json:"type"`
	Status             string          `json:"status"`
	Reason             string          `json:"reason,omitempty"`
	Message            string          `json:"message,omitempty"`
	LastTransitionTime time.Time       `json:"lastTransitionTime,omitzero"`
	ObservedGeneration *int64          `json:"observedGeneration,omitempty"`
	Polarity           status.Polarity `json:"polarity"`
}

// Cause is why something is not Current, with its evidence.
type Cause struct {
	explain.Cause
	NextSteps []explain.Step `json:"nextSteps,omitempty"` // Next; those that change the cluster are marked
}

// New converts a model's state to a document. Resources stand in the order of
// the command line.
func New(m *known.Facts) Document {
	d := newDocument(m)
	for _, id := range m.Roots() {
		d.Resources = append(d.Resources, NewResource(m, id, true))
	}
	return d
}

// newDocument is the document without its resources.
func newDocument(m *known.Facts) Document {
	d := Document{
		Schema: Schema, Time: utc(m.Now()), Sources: m.Options().Sources, Verdict: m.Verdict().Status,
		Counts: newCounts(m), Resources: []Resource{}, Causes: []Cause{},
		Recording: recordingOf(m), NotPermitted: m.Refusals(),
	}
	if m.Options().NoChildren {
		d.JudgedBy = "own-fields"
	}
	if d.Sources == nil {
		d.Sources = []string{}
	}
	for _, c := range m.Causes() {
		d.Causes = append(d.Causes, NewCause(c))
	}
	return d
}

// NewResource converts one object of the model; children includes everything
// below it in the tree.
func NewResource(m *known.Facts, id object.ID, children bool) Resource {
	return newResource(m, id, children, 0)
}

// remarks joins the judgement's note, the inventory's remark on its root or
// member, and a status that the inventory's writer reports differently.
func remarks(r known.Resource) string {
	parts := []string{r.Assessment.Note}
	if r.Root != nil {
		parts = append(parts, r.Root.Note)
		if reported := r.Root.Reported; reported.Word != "" && reported.Status != r.Assessment.Status {
			parts = append(parts, reported.By+" says "+reported.Word)
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// maxDepth bounds the tree: owner references may form a cycle.
const maxDepth = 32

func newResource(m *known.Facts, id object.ID, children bool, depth int) Resource {
	r, _ := m.Resource(id)
	a := r.Assessment
	out := Resource{
		Group: id.Group, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name,
		Status: a.Status, Reason: a.Reason, Message: a.Message, Since: utc(a.Since), LastChange: utc(r.OwnChange),
		Rule: a.Rule, RulePaths: a.Paths, Confidence: a.Confidence, Terminal: a.Terminal, Paused: a.Paused,
		Generated: r.Generated, Stale: r.Stale, Note: remarks(r), ChildCounts: present(r.Known),
	}
	if o := r.Object; o != nil && len(a.Paths) > 0 {
		out.RulePaths = make([]string, len(a.Paths))
		for i, p := range a.Paths {
			out.RulePaths[i] = status.NamedPath(o, p)
		}
	}
	if len(out.ChildCounts) == 0 {
		out.ChildCounts = nil
	}
	if r.Root != nil {
		out.Version, out.Inventory, out.Optional = r.Root.Version, r.Root.Inventory, r.Root.Optional
	}
	if o := r.Object; o != nil {
		out.Version, out.UID = o.Version, o.UID
		out.Generation, out.ObservedGeneration = number(o.Generation), number(o.Observed)
		if !o.Changed.IsZero() {
			out.LastChange = utc(o.Changed)
		}
		for _, c := range m.ConditionsOf(id) {
			out.Conditions = append(out.Conditions, Condition{
				Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message,
				LastTransitionTime: utc(c.LastTransitionTime),
				ObservedGeneration: number(c.ObservedGeneration), Polarity: c.Polarity,
			})
		}
	}
	for _, c := range m.CausesOf(id) {
		out.Causes = append(out.Causes, c.ID)
	}
	if children && depth < maxDepth {
		for _, child := range r.Children {
			if c, _ := m.Resource(child); c.Root != nil {
				continue // followed objects are listed at the top level
			}
			out.Children = append(out.Children, newResource(m, child, true, depth+1))
		}
	}
	return out
}

// NewCause is a cause in the shape of the contract.
func NewCause(c explain.Cause) Cause {
	c.Since, c.Until, c.Count = utc(c.Since), utc(c.Until), max(c.Count, 1)
	return Cause{c, c.Steps()}
}

func number(i object.Int) *int64 {
	if !i.Set {
		return nil
	}
	return &i.V
}

// utc is a time as printed; fractions of a second would only disturb
// comparisons.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

// Counts are numbers of objects by status; "assumed" counts the Current ones
// with that confidence.
type Counts map[string]int

func newCounts(m *known.Facts) Counts {
	out := Counts{}
	for s, n := range present(m.Counts()) {
		out[string(s)] = n
	}
	if n := m.Assumed(); n > 0 {
		out[string(status.Assumed)] = n
	}
	return out
}

// present drops statuses with a count of zero.
func present(c world.Counts) map[status.Status]int {
	out := map[status.Status]int{}
	for s, n := range c {
		if n > 0 {
			out[s] = n
		}
	}
	return out
}
