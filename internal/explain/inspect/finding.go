package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Certainty says how well the evidence determines the cause.
type Certainty string

// The certainties.
const (
	Proven   Certainty = "proven"
	Likely   Certainty = "likely"
	Possible Certainty = "possible"
)

// Subject is what a cause is about: an object, or one of its containers.
type Subject struct {
	object.ID
	Container string `json:"container,omitempty"`
}

// EvidenceType says how a claim can be verified.
type EvidenceType string

// The types of evidence.
const (
	FieldEvidence    EvidenceType = "field"    // the field of the object at Path has Value
	EventEvidence    EvidenceType = "event"    // an event about the object says Value
	LogEvidence      EvidenceType = "log"      // a line of a container's log
	AbsenceEvidence  EvidenceType = "absence"  // the object, or its field at Path, does not exist
	ObservedEvidence EvidenceType = "observed" // observed while following: no field holds it
)

// Evidence is one claim that proves a cause. Path is as in
// "status.containerStatuses[app].state.waiting.reason": entries of lists by
// index or by key, [*] for any of them. The path of an event begins with
// "event:", that of a log with "log:". A condition's value is its status and
// reason, a list's its entries separated by commas; for quantities under [*] it
// is their sum.
type Evidence struct {
	Type  EvidenceType `json:"type"`
	Ref   object.ID    `json:"ref"`
	Path  string       `json:"path"`
	Value string       `json:"value"`
}

// Step is a command to copy.
type Step struct {
	Command string `json:"command"`
	Mutates bool   `json:"mutates,omitempty"` // it changes the cluster
	Does    string `json:"does,omitempty"`    // its effect
	Among   string `json:"among,omitempty"`   // "one of 3 Pods": the others show the same cause
}

// String is the command. A shell comment says that it changes the cluster, and that other
// objects show the same.
func (s Step) String() string {
	var notes []string
	if s.Mutates {
		notes = append(notes, "changes the cluster: "+s.Does)
	}
	if s.Among != "" {
		notes = append(notes, s.Among)
	}
	if len(notes) == 0 {
		return s.Command
	}
	return s.Command + "  # " + strings.Join(notes, "; ")
}

// MaxObjects bounds the lists in a Cause: ten thousand Pods with one cause are
// one line with a count.
const MaxObjects = 50

// Finding is the result of a detector on one object: a cause in the making,
// whose commands in Next only read.
type Finding struct {
	Code   *codes.Code
	Object object.ID // where it was found
	About  Subject   // what it is about: usually that object, or one of its containers

	title     []part // see Title
	quote     string // see QuoteLog
	Detail    string
	Class     codes.Class
	Certainty Certainty
	Since     time.Time
	Until     time.Time // when it is expected to change by itself, and how
	UntilWhat string
	Evidence  []Evidence
	Unread    []string // what could not be read and might tell more
	Next      []string // commands that only read
	Offers    []Step   // commands that change the cluster
	Changed   []revision.Change

	// Key holds the parameters that identify the cause, beside its code:
	// findings with equal code and key are one cause. Shared says that the key
	// suffices; otherwise the workload is part of the identity (two
	// applications that exit with 1 are two causes, two that lack the same
	// Secret are one).
	Key    string
	Shared bool

	Relations
}

// Relations say how a finding and others belong together.
type Relations struct {
	// Symptom says that the finding is always the consequence of another one.
	// It is a cause only if no object in Because shows one.
	Symptom bool
	// Because lists the objects whose findings explain this one.
	Because []object.ID
	// Absorbs lists the objects whose findings this one explains.
	Absorbs []object.ID
	// NeverCause drops a symptom that nothing explains.
	NeverCause bool
	// Remark says that it is a remark about an object: it explains and blocks
	// nothing.
	Remark bool
	// OnlyItself says that it blocks its object, but no ancestor.
	OnlyItself bool
	// OfParent says that it is a consequence of what is found on the object's
	// parent.
	OfParent bool
	// Overdue says that it has waited for longer than its kind may, or than its deadline
	// allows: what explains it is no longer waited for, or left to be retried, either.
	Overdue bool
	// QuotesLog says that it quotes the log that stands for all findings of its
	// cause: it becomes their exemplar.
	QuotesLog bool
}

// Prove adds a field of the inspected object as evidence: a text, a number or a
// time.
func (f *Finding) Prove(path string, value any) { f.ProveOn(f.Object, path, value) }

// ProveOn adds a field of an object as evidence. A time or a text that is not set
// proves nothing, but for an entry of managedFields, which is its own value.
func (f *Finding) ProveOn(ref object.ID, path string, value any) {
	if value == "" && !strings.HasPrefix(path, "metadata.managedFields[") {
		return
	}
	if t, ok := value.(time.Time); ok {
		if t.IsZero() {
			return
		}
		value = wording.Stamp(t)
	}
	f.claim(FieldEvidence, ref, path, fmt.Sprint(value))
}

// ProveAbsent adds as evidence that an object does not exist.
func (f *Finding) ProveAbsent(ref object.ID) { f.claim(AbsenceEvidence, ref, "", "does not exist") }

// ProveUnset adds as evidence that a field is not set, or empty.
func (f *Finding) ProveUnset(ref object.ID, path string) {
	f.claim(AbsenceEvidence, ref, path, "not set")
}

// ProveObserved adds as evidence what was observed while following.
func (f *Finding) ProveObserved(ref object.ID, what, value string) {
	f.claim(ObservedEvidence, ref, what, value)
}

// MostOfValue is how much of a value is kept as evidence, in bytes.
const MostOfValue = 1500

func (f *Finding) claim(how EvidenceType, ref object.ID, path, value string) {
	e := Evidence{Type: how, Ref: ref, Path: path, Value: message.Clip(value, MostOfValue)}
	if len(f.Evidence) < MostEvidence && !slices.Contains(f.Evidence, e) {
		f.Evidence = append(f.Evidence, e)
	}
}

// Dated is when a finding began, if its detector has not said so: the date of
// its first proof that has one, otherwise the object's last change.
func (f *Finding) Dated(t time.Time) {
	if f.Since.IsZero() {
		f.Since = t
	}
}

// Blame makes a finding the symptom of what is found on other objects.
func (f *Finding) Blame(ids ...object.ID) {
	f.Symptom, f.Because = true, append(f.Because, ids...)
}

// AddBecause adds an object whose findings may explain this one.
func (f *Finding) AddBecause(id object.ID) {
	if len(f.Because) < MaxObjects {
		f.Because = append(f.Because, id)
	}
}

// Offer adds a command that changes the cluster, and its effect. It is listed
// after those that only read.
func (f *Finding) Offer(command, does string) {
	f.Offers = append(f.Offers, Step{Command: command, Mutates: true, Does: does})
}

// ProveCondition adds a condition as evidence.
func (f *Finding) ProveCondition(ref object.ID, c *object.Condition) {
	f.Dated(c.LastTransitionTime)
	v := c.Status
	if c.Reason != "" {
		v += "/" + c.Reason
	}
	f.ProveOn(ref, "status.conditions["+c.Type+"]", v)
	if c.Message != "" {
		f.ProveOn(ref, "status.conditions["+c.Type+"].message", c.Message)
	}
}

// ProveEvent adds an event as evidence.
func (f *Finding) ProveEvent(e object.Event) {
	f.Dated(e.First)
	f.claim(EventEvidence, e.About, "event:"+e.Reason, e.Message)
}
