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
)

// Phase is where a source stands.
type Phase string

// The phases of a source. Live is the only one in which data is known to be
// fresh.
const (
	Waiting   Phase = "waiting"    // not started yet
	Syncing   Phase = "syncing"    // the first list is on its way
	Live      Phase = "live"       //
	Stale     Phase = "stale"      // the connection is lost or silent; rows are kept
	Throttled Phase = "throttled"  // the server asked us to wait
	Forbidden Phase = "forbidden"  // these rights do not allow it
	NotServed Phase = "not-served" // the server does not know the kind (yet)
	Closed    Phase = "closed"     // no longer needed
)

// SourceState is the visible state of one stream of data.
type SourceState struct {
	Key       string    `json:"key"` // stable for as long as the source lives
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
	LastData  time.Time `json:"lastData,omitzero"` // up to when what it tells is known to be so
	Error     string    `json:"error,omitempty"`   // one clean line
	Hint      string    `json:"hint,omitempty"`    // what to do about it, one clean line
	Verb      string    `json:"verb,omitempty"`    // the verb that was refused, for the hint
	Retry     time.Time `json:"retry,omitzero"`    // when it is tried again
	Objects   int       `json:"objects,omitempty"`
	Children  bool      `json:"children,omitempty"` // it follows generated children, not roots
	// Reports says that the server serves a status subresource for the kind, as
	// its discovery shows.
	Reports bool `json:"reports,omitempty"`
}
