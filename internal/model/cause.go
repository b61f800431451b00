package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Cause is why something is not Current.
type Cause struct {
	ID              string // stable while the cause lasts
	Code            string // UpperCamelCase
	Title, Detail   string
	Class           string // waits, retries, action, terminal
	Certainty       string // proven, likely, possible
	Since           time.Time
	Count           int
	Subject         status.ID
	Container       string
	Objects, Blocks []status.ID
	Evidence        []Evidence
	Next            []string
	Until           time.Time
	UntilWhat       string
}

// Evidence is a field that proves a cause.
type Evidence struct {
	Ref         status.ID
	Path, Value string
}
