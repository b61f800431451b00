package status

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Result is what kstatus's Compute returns: a status, the reason in a sentence,
// and kstatus's standard conditions (Reconciling, Stalled) that amount to it.
type Result struct {
	Status     Status
	Message    string
	Conditions []object.Condition
}

// Confidence says what a judgement rests on.
type Confidence string

// The confidences, from firm to none.
const (
	Exact      Confidence = "exact"      // a rule for this very kind
	Registry   Confidence = "registry"   // a curated rule for a known custom kind
	User       Confidence = "user"       // the user's rule
	Convention Confidence = "convention" // inferred from condition conventions
	Assumed    Confidence = "assumed"    // nothing to go by
)

// Polarity says which status of a condition is the good one.
type Polarity string

// The polarities.
const (
	NormalTrue      Polarity = "normal-true"
	AbnormalTrue    Polarity = "abnormal-true"
	UnknownPolarity Polarity = "unknown"
)

// Assessment is our own judgement of one object at one moment. It is a value;
// equal inputs give equal assessments.
type Assessment struct {
	Status  Status
	Reason  string // UpperCamelCase, as in conditions; "" when there is nothing to say
	Message string // one clean line
	Since   time.Time
	Rule    string   // the id of the rule that decided, as in "apps/Deployment.deadline"
	Paths   []string // the field paths that the rule read
	// Deciding is the index in Object.Conditions of the condition that decided,
	// or -1.
	Deciding   int
	Confidence Confidence
	Terminal   bool // it cannot heal by itself
	Paused     bool // paused or suspended with something left to do
	Retrying   *Retry
	// Faulty is set while a fault exists that has not yet lasted its grace
	// period: the status is still InProgress, and FaultSince is when the fault
	// began. It is carried into the next assessment through World.Prior.
	FaultSince time.Time
	// Crashes are those of a pod's containers that may still count: see [Crash].
	// They are carried as FaultSince is.
	Crashes []Crash
	// Recheck is when the judgement changes without anything happening; zero
	// when it does not. Whoever holds the object assesses it again then.
	Recheck time.Time
	// Deadline is the moment up to which the present state is expected
	// (a progress deadline, a minReadySeconds); zero when there is none.
	Deadline     time.Time
	DeadlineWhat string
	Note         string // Current, but worth a look: one line
	// Child is the child that decided, when one did.
	Child object.ID

	// What a rule leaves to finish, and what signals go by.
	condition int  // 1 + the index of the condition that decided; 0 is none
	heals     bool // a fault with a grace
	silent    bool // nothing has been reported: InProgress for a while, then Unknown
	retries   bool // the controller keeps trying
	sums      bool // from the condition that sums the object up
}

// Retry is what is known about an operation that keeps being tried.
type Retry struct {
	LastError string `json:"lastError,omitzero"`
	Count     int    `json:"count,omitzero"`
}

// World is what an assessment may know beside the object itself.
type World struct {
	// Children are the known children, in stable order. ChildrenKnown says
	// that the list is complete; otherwise rules that need children fall back
	// to the object's own fields.
	Children      []Child
	ChildrenKnown bool
	// Hidden says why children that the judgement needs will not be known: what
	// may not be read, or is not served. Empty where nothing is in the way.
	Hidden string
	// FirstSeen is when this program first observed the object (this UID);
	// zero means now.
	FirstSeen time.Time
	// Prior is the object's previous assessment, or nil.
	Prior *Assessment
	// Offline says that no cluster is behind the object (compute -f): nothing
	// further will be observed, and an undated fault counts as past its grace.
	Offline bool
	// Generation is the generation that was applied, 0 when unknown. An object
	// with an older one is not yet what was asked for.
	Generation int64
	// User holds the user's own rules, or nil.
	User UserRules
	// Lookup finds another known object, or nil. It may itself be nil.
	Lookup func(object.ID) *object.Object
	// Absent says that an object that was looked up is known not to exist. It
	// may itself be nil.
	Absent func(object.ID) bool
	// Reports says whether objects of a kind carry a status, as their CRD's
	// schema or another object of the kind shows; known is false where nothing
	// shows. It may itself be nil.
	Reports func(group, kind string) (reports, known bool)
	// Serves says that the server serves a status subresource for a kind, as its
	// discovery shows. It may itself be nil.
	Serves func(group, kind string) bool
}

// Child is a child with its own assessment.
type Child struct {
	Object     *object.Object
	Assessment Assessment
}

// UserRules judges objects by the user's own rules. internal/rules implements
// it; ok is false when no rule speaks about the object. A rule that cannot be
// evaluated returns Unknown with the reason.
type UserRules interface {
	Judge(o *object.Object, now time.Time) (a Assessment, ok bool)
}

// UserConditions is what the user declares about condition types. A UserRules
// may implement it.
type UserConditions interface {
	// Polarity is the declared polarity of a condition type of the object.
	Polarity(o *object.Object, typ string) (Polarity, bool)
	// Ready lists the condition types that count for the object's readiness;
	// empty where that is not declared.
	Ready(o *object.Object) []string
}
