package model

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What causes are made of, under the names by which screens know them.
type (
	Cause    = explain.Cause
	Subject  = explain.Subject
	Evidence = explain.Evidence
)

// explainer keeps the causes.
type explainer struct {
	causes []Cause
	needs  []status.ID
}

func newExplainer() *explainer { return &explainer{} }

// refs are the objects that an explanation asked for and nobody follows.
func (x *explainer) refs(limit int) []status.ID {
	return x.needs[:min(len(x.needs), limit)]
}
