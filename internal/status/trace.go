package status

// Step is one step of a deduction: a rule that was tried, and what came of it.
// A rule that does not apply says in Asks what it looked for; one that saw
// something says in Found what that was, whether it decided or was outweighed.
type Step struct {
	Rule  string   `json:"rule"`            // the id of the rule
	Asks  string   `json:"asks,omitempty"`  // what it looked for, and is not so
	Found string   `json:"found,omitempty"` // what it saw, in a few words
	Paths []string `json:"paths,omitempty"` // the fields it read
	Hit   bool     `json:"hit,omitempty"`   // it decided
}

// trace collects the steps of one assessment. A nil trace collects nothing and
// costs nothing.
type trace struct{ steps []Step }

// not records a rule that does not apply, by what it looked for.
func (t *trace) not(rule, asks string, paths ...string) {
	if t != nil {
		t.steps = append(t.steps, Step{Rule: rule, Asks: asks, Paths: paths})
	}
}

// note records what a rule saw that did not, or not yet, decide.
func (t *trace) note(rule, found string, paths ...string) {
	if t != nil {
		t.steps = append(t.steps, Step{Rule: rule, Found: found, Paths: paths})
	}
}

// hit records the rule that decided.
func (t *trace) hit(a Assessment) {
	if t != nil {
		found := string(a.Status)
		if a.Reason != "" {
			found += " " + a.Reason
		}
		if a.Message != "" {
			found += ": " + a.Message
		}
		t.steps = append(t.steps, Step{Rule: a.Rule, Found: found, Paths: a.Paths, Hit: true})
	}
}
