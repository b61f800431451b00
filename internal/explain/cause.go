package explain

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Class says whether a cause passes by itself.
type Class string

// The classes, in the order in which they deserve attention.
const (
	Terminal Class = "terminal" // it has ended without success
	Action   Class = "action"   // action needed
	Retries  Class = "retries"  // retrying: it may heal by itself
	Waits    Class = "waits"    // waiting: intended, or normal for the moment
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

// Change is a field in which the newest revision of a workload differs from the
// previous one, if it is relevant to the cause.
type Change struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Symptom is a finding that a cause explains.
type Symptom struct {
	Ref   object.ID `json:"ref"`
	Code  string    `json:"code"`
	Title string    `json:"title"`
}

// Cause is one reason why something is not Current, as in the JSON output. A
// receiver may keep it, and must not modify its slices.
type Cause struct {
	ID        string      `json:"id"`   // constant while the cause lasts
	Code      string      `json:"code"` // from the published list
	Title     string      `json:"title"`
	Detail    string      `json:"detail,omitempty"`
	Class     Class       `json:"class"`
	Certainty Certainty   `json:"certainty"`
	Since     time.Time   `json:"since,omitzero"`
	Count     int         `json:"count"` // how many objects show it; Objects may list fewer
	Subject   Subject     `json:"subject"`
	Objects   []object.ID `json:"objects,omitempty"` // the objects that show it, oldest first, at most MaxObjects
	Blocks    []object.ID `json:"blocks,omitempty"`  // the followed objects that it keeps from being Current
	Evidence  []Evidence  `json:"evidence,omitempty"`
	Next      []string    `json:"next,omitempty"` // commands to copy; the first only reads
	// Until is when it is expected to change by itself, UntilWhat how ("evicted
	// from the node", "next try").
	Until     time.Time `json:"until,omitzero"`
	UntilWhat string    `json:"untilWhat,omitempty"`

	// Changes are those of Next that change the cluster.
	Changes []Step `json:"-"`

	// Chain leads from a root to the subject's exemplar, both included. It is
	// empty if the subject has no root.
	Chain    []object.ID `json:"chain,omitempty"`
	Symptoms []Symptom   `json:"symptoms,omitempty"` // the findings that it explains, at most MaxObjects
	Changed  []Change    `json:"changed,omitempty"`
	Missing  []string    `json:"missing,omitempty"` // what could not be read and might tell more

	// Healed is since when it has no longer been found; zero while it lasts. A
	// screen then shows it struck through for a while.
	Healed time.Time `json:"-"`
}

// Step is a command to copy.
type Step struct {
	Command string `json:"command"`
	Mutates bool   `json:"mutates,omitempty"` // it changes the cluster
	Does    string `json:"does,omitempty"`    // its effect
}

// String is the command, with a shell comment if it changes the cluster.
func (s Step) String() string {
	if !s.Mutates {
		return s.Command
	}
	return s.Command + "  # changes the cluster: " + s.Does
}

// Steps are the commands of Next, reading ones first.
func (c *Cause) Steps() []Step {
	out := make([]Step, 0, len(c.Next))
	for _, n := range c.Next {
		step := Step{Command: n}
		if i := slices.IndexFunc(c.Changes, func(s Step) bool { return s.Command == n }); i >= 0 {
			step = c.Changes[i]
		}
		out = append(out, step)
	}
	return out
}

// Echoes are the symptoms that say more than "not ready": one per title, at
// most n.
func (c *Cause) Echoes(n int) (out []Symptom) {
	for _, s := range c.Symptoms {
		switch s.Code {
		case codeProgressing, codeNotReady, "ProgressDeadlineExceeded", "Reconciling":
			continue
		}
		if len(out) < n && s.Title != c.Title && !slices.ContainsFunc(out, func(t Symptom) bool { return t.Title == s.Title }) {
			out = append(out, s)
		}
	}
	return out
}

// MaxObjects bounds the lists in a Cause: ten thousand Pods with one cause are
// one line with a count.
const MaxObjects = 50

// Finding is the result of a detector on one object: a cause in the making,
// whose commands in Next only read.
type Finding struct {
	Cause
	Object object.ID // where it was found

	// Key holds the parameters that identify the cause, beside its code:
	// findings with equal code and key are one cause. Shared says that the key
	// suffices; otherwise the workload is part of the identity (two
	// applications that exit with 1 are two causes, two that lack the same
	// Secret are one).
	Key    string
	Shared bool

	// Symptom says that the finding is always the consequence of another one.
	// It is a cause only if no object in Because shows one.
	Symptom bool
	// Because lists the objects whose findings explain this one.
	Because []object.ID
	// Absorbs lists the objects whose findings this one explains.
	Absorbs []object.ID

	// aside marks a remark about a Current object: it explains and blocks
	// nothing.
	aside bool
	// own says that it blocks its object, but no ancestor.
	own bool

	told  bool   // it quotes a log
	echo  bool   // a symptom that is dropped if nothing explains it
	after bool   // a consequence of what is found on the object's parent
	order int    // within one Pod: a lower one hides higher ones of the same container
	print uint64 // the fingerprint

	entry   *entry
	settled bool     // groups is set
	groups  []*group // the groups it was folded under, or its own
}
