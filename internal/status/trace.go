package status

// Step is one step of a deduction: a rule that was tried, and what came of it.
type Step struct {
	Rule  string   // the id of the rule
	Found string   // what it saw, in a few words
	Paths []string // the fields it read
	Hit   bool     // it decided
}

// trace collects the steps of one assessment. A nil trace collects nothing.
type trace struct{ steps []Step }

// note records a rule that was tried and did not decide. found is only built
// where somebody listens: guard it with on.
func (t *trace) note(rule, found string, paths ...string) {
	if t != nil {
		t.steps = append(t.steps, Step{Rule: rule, Found: found, Paths: paths})
	}
}

// on reports whether somebody listens.
func (t *trace) on() bool { return t != nil }
