package explain

import (
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Class says whether a cause will pass by itself.
type Class string

// The classes, in the order in which they deserve attention.
const (
	Terminal Class = "terminal" // it is over, and did not succeed
	Action   Class = "action"   // a person has to do something
	Retries  Class = "retries"  // it may heal by itself
	Waits    Class = "waits"    // by design, or normal for the moment
)

// Certainty says how well the evidence determines the cause.
type Certainty string

// The certainties.
const (
	Proven   Certainty = "proven"
	Likely   Certainty = "likely"
	Possible Certainty = "possible"
)

// Subject is what a cause is about: an object, and one container of it where
// it is about a container.
type Subject struct {
	object.ID
	Container string `json:"container,omitempty"`
}

// EvidenceType says how a claim can be checked.
type EvidenceType string

// The types of evidence.
const (
	FieldEvidence    EvidenceType = "field"    // the field of the object at Path has Value
	EventEvidence    EvidenceType = "event"    // an event about the object says Value
	LogEvidence      EvidenceType = "log"      // a line of a container's log
	AbsenceEvidence  EvidenceType = "absence"  // the object, or its field at Path, does not exist
	ObservedEvidence EvidenceType = "observed" // seen while following: no field holds it
)

// Evidence is one claim that proves a cause. Path is as in
// "status.containerStatuses[app].state.waiting.reason": entries of lists by index
// or by what names them, [*] for any of them. The path of an event begins with
// "event:", that of a log with "log:". A condition's value is its status and
// reason, a list's its entries with commas between them; of quantities under [*]
// it is their sum.
type Evidence struct {
	Type  EvidenceType `json:"type"`
	Ref   object.ID    `json:"ref"`
	Path  string       `json:"path"`
	Value string       `json:"value"`
}

// Change is a field in which the newest revision of a workload differs from the
// one before, where it matters to the cause.
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

// Cause is one reason why something is not Current, as the JSON output has it.
// It is a value; whoever receives one may keep it, and must not write to its
// slices.
type Cause struct {
	ID        string      `json:"id"`   // the same for as long as the cause lasts
	Code      string      `json:"code"` // from the published list
	Title     string      `json:"title"`
	Detail    string      `json:"detail,omitempty"`
	Class     Class       `json:"class"`
	Certainty Certainty   `json:"certainty"`
	Since     time.Time   `json:"since,omitzero"`
	Count     int         `json:"count"` // how many objects show it; Objects may hold fewer
	Subject   Subject     `json:"subject"`
	Objects   []object.ID `json:"objects,omitempty"` // those that show it, the oldest first, at most MaxObjects
	Blocks    []object.ID `json:"blocks,omitempty"`  // what was asked for and is kept from Current by it
	Evidence  []Evidence  `json:"evidence,omitempty"`
	Next      []string    `json:"next,omitempty"` // commands to copy, the first of which only reads
	// Until is when it is expected to change by itself, UntilWhat what happens
	// then ("evicted from the node", "next try").
	Until     time.Time `json:"until,omitzero"`
	UntilWhat string    `json:"untilWhat,omitempty"`

	// Changes are those of Next that change the cluster.
	Changes []Step `json:"-"`

	// Chain leads from what was asked for down to the subject's exemplar, both
	// included. It is empty when the subject hangs under nothing that was asked
	// for.
	Chain    []object.ID `json:"chain,omitempty"`
	Symptoms []Symptom   `json:"symptoms,omitempty"` // what it explains, at most MaxObjects
	Changed  []Change    `json:"changed,omitempty"`
	Missing  []string    `json:"missing,omitempty"` // what could not be seen and might tell more

	// Healed is since when it has not been found any more; zero while it lasts. A
	// screen keeps a cause for a while after that, struck through.
	Healed time.Time `json:"-"`
}

// Step is a command to copy.
type Step struct {
	Command string `json:"command"`
	Mutates bool   `json:"mutates,omitempty"` // it changes the cluster
	Does    string `json:"does,omitempty"`    // what it does then
}

// String is the command, with a shell's comment where it changes the cluster.
func (s Step) String() string {
	if !s.Mutates {
		return s.Command
	}
	return s.Command + "  # changes the cluster: " + s.Does
}

// Steps are the commands of Next, those that only read first.
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

// Echoes are the symptoms that say more than that something is not ready: one of
// each title, at most n.
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

// MaxObjects bounds the lists in a Cause: ten thousand pods with one cause are
// one line with a count, not ten thousand references.
const MaxObjects = 50

// Finding is what a detector found on one object. Findings are the parts that
// causes are made of.
type Finding struct {
	Code      string
	Object    object.ID // where it was found
	Subject   Subject   // what it is about; usually Object
	Title     string
	Detail    string
	Class     Class
	Certainty Certainty
	Since     time.Time
	Evidence  []Evidence
	Next      []string // commands that only read
	Until     time.Time
	UntilWhat string
	Changed   []Change
	Missing   []string

	// Key holds the parameters that identify the cause beside its code; findings
	// with equal code and key are one cause. Shared says that the key alone
	// identifies it; otherwise the workload it was found under belongs to it
	// (two applications that exit with 1 are two causes, two that lack one
	// Secret are one).
	Key    string
	Shared bool

	// Symptom says that the finding is only ever the echo of something else. It
	// is a cause only where nothing in Because shows one.
	Symptom bool
	// Because lists the objects whose findings explain this one.
	Because []object.ID
	// Absorbs lists objects whose findings this one explains.
	Absorbs []object.ID
	// leads lists what a log says that it waits for: where one of these is in
	// trouble itself, that explains the whole group.
	leads []object.ID

	// aside says that it deserves a look, and keeps nothing from Current: it
	// explains nothing and blocks nothing.
	aside bool
	// own says that it keeps its object from what it is to be, and nothing above.
	own bool

	changes []Step // commands that change the cluster

	told  bool   // it quotes a log
	echo  bool   // a symptom that is not worth a word where nothing explains it
	order int    // within one pod: the lower hides the higher of the same container
	print uint64 // the fingerprint

	entry   *entry
	settled bool     // groups is set
	groups  []*group // what it was folded under, or its own group
}

// links are the objects whose findings may explain this one, or be explained by it.
func (f *Finding) links() [3][]object.ID { return [3][]object.ID{f.Because, f.Absorbs, f.leads} }
