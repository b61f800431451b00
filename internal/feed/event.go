package feed

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Event is a Kubernetes event of either API, with uniform times.
type Event struct {
	UID      string    `json:"uid"` // UID of the event itself
	About    object.ID `json:"about"`
	AboutUID string    `json:"aboutUID,omitempty"`
	Field    string    `json:"field,omitempty"` // involvedObject.fieldPath: spec.containers{web}
	Type     string    `json:"type"`            // Normal, Warning
	Reason   string    `json:"reason"`
	Message  string    `json:"message"`
	From     string    `json:"from,omitempty"` // the reporting component
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Count    int       `json:"count,omitempty"`
	Gone     bool      `json:"gone,omitempty"` // expired or deleted
}
