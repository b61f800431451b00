package explain

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fold"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
)

// What a caller gives and gets.
type (
	Snapshot = inspect.Snapshot // everything that an explanation may know
	Need     = inspect.Need     // what would be worth knowing
	Fault    = inspect.Fault    // a detector that panicked

	Cause     = fold.Cause
	Symptom   = fold.Symptom
	Class     = codes.Class
	Certainty = inspect.Certainty
	Subject   = inspect.Subject
	Evidence  = inspect.Evidence
	Step      = inspect.Step
	Change    = revision.Change
	Template  = revision.Template
)

// The classes, in the order in which they deserve attention.
const (
	Terminal = codes.Terminal
	Action   = codes.Action
	Retries  = codes.Retries
	Waits    = codes.Waits
)

// The certainties.
const (
	Proven   = inspect.Proven
	Likely   = inspect.Likely
	Possible = inspect.Possible
)
