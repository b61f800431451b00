package feed

import "time"

// Mode is how a source gets its data.
type Mode string

// The modes, from best to worst.
const (
	ModeWatch    Mode = "watch"
	ModePollList Mode = "poll-list"
	ModePollGet  Mode = "poll-get"
	ModeNone     Mode = "none"
	// ModeSaved is read once, from a file: it does not change.
	ModeSaved Mode = "saved"
)

// Phase is the state of a source.
type Phase string

// The phases. Only in Live the data is known to be fresh.
const (
	Waiting   Phase = "waiting"    // not started yet
	Syncing   Phase = "syncing"    // the first list is in progress
	Live      Phase = "live"       //
	Stale     Phase = "stale"      // no fresh data, for the reason in Error; rows are kept
	Throttled Phase = "throttled"  // the server asked to wait
	Forbidden Phase = "forbidden"  // not permitted (RBAC)
	NotServed Phase = "not-served" // the server does not serve the kind (yet)
	Closed    Phase = "closed"     // no longer needed
)

// SourceState is the visible state of one stream of data.
type SourceState struct {
	Key       string    `json:"key"` // constant while the source exists
	Group     string    `json:"group,omitempty"`
	Version   string    `json:"version,omitempty"`
	Resource  string    `json:"resource"`
	Kind      string    `json:"kind,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`     // a single-name watch
	Selector  string    `json:"selector,omitempty"` // a label selector
	Mode      Mode      `json:"mode"`
	Phase     Phase     `json:"phase"`
	Since     time.Time `json:"since,omitzero"`    // when Phase began
	LastData  time.Time `json:"lastData,omitzero"` // until when its data is known to be fresh
	Error     string    `json:"error,omitempty"`   // one line, cleaned
	Hint      string    `json:"hint,omitempty"`    // the next step, one line, cleaned
	Verb      string    `json:"verb,omitempty"`    // the refused verb, for the hint
	Retry     time.Time `json:"retry,omitzero"`    // when it will be retried
	Objects   int       `json:"objects,omitempty"`
	Children  bool      `json:"children,omitempty"` // it delivers generated children, not roots
	// it reads the owners of all objects; those that it finds have sources of their own
	Search  bool `json:"search,omitempty"`
	Selects bool `json:"selects,omitempty"` // what it finds is a root
	// one kind of all: that it may not be seen leaves the verdict over the rest
	OfAll   bool `json:"ofAll,omitempty"`
	Reports bool `json:"reports,omitempty"` // discovery says that the kind has a status subresource
	Partial bool `json:"partial,omitempty"` // there may be more than it delivers: it proves no absence
	// it is watched without pings (HTTP/1.1): that the server is silent is noticed late
	Unpinged bool `json:"unpinged,omitempty"`
	// what an explanation looks up was not read in time: the explanation lacks it
	Late bool `json:"late,omitempty"`
}
