package status

import "strings"

// Step is one step of a deduction: a rule that was tried, and the result. Asks
// is what a rule that does not apply asked for; Found is what a rule found,
// whether it decided or was overridden.
type Step struct {
	Rule  string   `json:"rule"`            // the id of the rule
	Asks  string   `json:"asks,omitempty"`  // the condition of the rule, which did not hold
	Found string   `json:"found,omitempty"` // what it found, in a few words
	Paths []string `json:"paths,omitempty"` // the fields it read
	Hit   bool     `json:"hit,omitempty"`   // it decided
}

// trace collects the steps of one assessment. A nil trace collects nothing.
type trace struct{ steps []Step }

// not records a rule that does not apply.
func (t *trace) not(rule, asks string, paths ...string) {
	if t != nil {
		t.steps = append(t.steps, Step{Rule: rule, Asks: asks, Paths: paths})
	}
}

// note records what a rule found without deciding (yet).
func (t *trace) note(rule, found string, paths ...string) {
	if t != nil {
		t.steps = append(t.steps, Step{Rule: rule, Found: found, Paths: paths})
	}
}

// hit records the deciding rule.
func (t *trace) hit(a Assessment) {
	if t != nil {
		found := strings.TrimSpace(string(a.Status) + " " + a.Reason)
		if a.Message != "" {
			found += ": " + a.Message
		}
		t.steps = append(t.steps, Step{Rule: a.Rule, Found: found, Paths: a.Paths, Hit: true})
	}
}
