package status

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Result is what kstatus's Compute returns: a status, the reason as a sentence,
// and the corresponding standard conditions (Reconciling, Stalled).
type Result struct {
	Status     Status
	Message    string
	Conditions []object.Condition
}

// Confidence says what a judgement is based on.
type Confidence string

// The confidences, highest first.
const (
	Exact      Confidence = "exact"      // a rule for this kind
	Registry   Confidence = "registry"   // a registry row for a known custom kind
	User       Confidence = "user"       // the user's rule
	Convention Confidence = "convention" // inferred from condition conventions
	Assumed    Confidence = "assumed"    // nothing was reported that a rule can read
)

// Polarity says which status of a condition is good.
type Polarity string

// The polarities.
const (
	NormalTrue      Polarity = "normal-true"
	AbnormalTrue    Polarity = "abnormal-true"
	UnknownPolarity Polarity = "unknown"
)

// Assessment is the judgement of one object at one moment. Equal inputs give
// equal assessments.
type Assessment struct {
	Status  Status
	Reason  string // UpperCamelCase, as in conditions; may be ""
	Message string // one line, cleaned
	Since   time.Time
	Rule    string   // id of the deciding rule, such as "apps/Deployment.deadline"
	Paths   []string // the fields that the rule read
	// Deciding is the index in Object.Conditions of the deciding condition, or
	// -1.
	Deciding   int
	Confidence Confidence
	Terminal   bool // it cannot heal by itself
	Overdue    bool // Failed, and a deadline that its user declared has passed
	Paused     bool // paused or suspended with work left
	Retrying   *Retry
	// FaultSince is when a fault began that is within its grace period: the status is still
	// InProgress. Zero if there is none. The next assessment reads it from World.Prior.
	FaultSince time.Time
	// Fault identifies a fault that may heal, past or within its grace period, and
	// stays while its controller tries the same again: the reason, and after "@" what
	// was attempted. The next assessment reads it, too.
	Fault string
	// Crashes are the crashes of a Pod's containers that still count: see
	// [Crash]. The next assessment reads them, too.
	Crashes []Crash
	// Recheck is when the judgement changes with time alone; zero if it does
	// not. The caller must assess the object again then.
	Recheck time.Time
	// Deadline is the time until which the present state is expected (a
	// progress deadline, minReadySeconds); zero if there is none.
	Deadline     time.Time
	DeadlineWhat string
	Note         string // a remark on a Current object: one line
	// Child is the deciding child, if any.
	Child object.ID

	// Set by rules for finish and for signals.
	condition int  // 1 + the index of the deciding condition; 0 is none
	heals     bool // a fault with a grace period
	silent    bool // nothing reported: InProgress for a while, then Unknown
	retries   bool // the controller retries
	sums      bool // from the condition that summarises the object
}

// Retry describes an operation that is being retried.
type Retry struct {
	LastError string `json:"lastError,omitzero"`
	Count     int    `json:"count,omitzero"`
}

// World is what an assessment may read beside the object itself.
type World struct {
	// Children are the known children. ChildrenKnown says that the list is
	// complete; otherwise rules that need children fall back to the object's
	// own fields.
	Children      Children
	ChildrenKnown bool
	// Searched says that the parts of custom objects are looked for whatever their kind,
	// also of those that are Current.
	Searched bool
	// Members are the known members of the inventory whose root the object is, those
	// that it does not own. They count by themselves.
	Members Children
	// Hidden says why needed children will not be known: they may not be read,
	// or their kind is not served. Empty if they will.
	Hidden string
	// FirstSeen is when this program first observed the object (this UID);
	// zero means now.
	FirstSeen time.Time
	Ahead     time.Duration // by how much our clock is ahead of the cluster's, of which objects' dates are
	// Prior is the object's previous assessment, or nil.
	Prior *Assessment
	// FirstLook says that what was not known for Prior is still arriving: another status is
	// no change that was observed, and has its own date or none.
	FirstLook bool
	// Offline says that there is no cluster behind the object (compute -f):
	// nothing more will be observed, and an undated fault counts as past its
	// grace period.
	Offline bool
	// Still says that what is known is of one moment, as a saved cluster is: an undated
	// fault counts as past its grace period there, too.
	Still bool
	// Generation is the applied generation, 0 if unknown. An object with an
	// older one is not the applied one yet.
	Generation int64
	// User holds the user's own rules, or nil.
	User UserRules
	// Lookup finds another known object, or nil. May be nil.
	Lookup func(object.ID) *object.Object
	// Judged returns the assessment of another known object, false if there is none.
	// May be nil.
	Judged func(object.ID) (Assessment, bool)
	// Selected returns the known Pods in the object's namespace that a selector matches.
	// The object is judged again when one of them changes. May be nil.
	Selected func(object.Selector) []*object.Object
	// Events returns the object's events as far as they have been read, and whether all
	// have been. What is Current only for want of them has them read. May be nil.
	Events func() (events []object.Event, complete bool)
	// Absent reports that an object that was looked up is known not to exist.
	// May be nil.
	Absent func(object.ID) bool
	// Reports reports whether objects of a kind have a status, by their CRD's
	// schema or another object of the kind; known is false if neither tells.
	// May be nil.
	Reports func(group, kind string) (reports, known bool)
	// Serves reports whether the server serves a status subresource for a kind,
	// by discovery. May be nil.
	Serves func(group, kind string) bool
}

// UserRules judges objects by the user's own rules. internal/rules implements
// it; ok is false if no rule is about the object. A rule that cannot be
// evaluated returns Unknown with the reason.
type UserRules interface {
	Judge(o *object.Object, now time.Time) (a Assessment, ok bool)
}

// UserConditions are the user's declarations about condition types. A UserRules
// may implement it.
type UserConditions interface {
	// Polarity is the declared polarity of a condition type of the object.
	Polarity(o *object.Object, typ string) (Polarity, bool)
	// Ready lists the condition types that count for the object's readiness;
	// empty if not declared.
	Ready(o *object.Object) []string
}
