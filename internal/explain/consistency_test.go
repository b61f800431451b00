package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// contradictions are what verdicts and causes say against each other: a Current object
// that shows a proven cause which needs action or is terminal, and keeps nothing from
// being Current; a Failed one whose causes all pass by themselves; one whose status and
// causes name different conditions. What a cause names as its subject beside those that
// show it (the LimitRange that refuses Pods) is not at fault itself.
func contradictions(s Snapshot, roots []object.ID, causes []Cause) (out []string) {
	is := func(id object.ID, want status.Status) bool {
		a, ok := s.Assessment(id)
		return ok && a.Status == want
	}
	for _, c := range causes {
		if c.Certainty != inspect.Proven || c.Class != codes.Action && c.Class != codes.Terminal || len(c.Blocks) > 0 {
			continue
		}
		for _, id := range c.Objects {
			if is(id, status.Current) {
				out = append(out, fmt.Sprintf("%s is Current, and shows %s (%s): %s", id, c.Code, c.Class, c.Title))
			}
		}
	}
	for _, id := range roots {
		if is(id, status.Failed) && !slices.ContainsFunc(causes,
			func(c Cause) bool { return c.Class != codes.Waits && slices.Contains(c.Blocks, id) }) {
			out = append(out, fmt.Sprintf("%s is Failed, and nothing but waiting explains it", id))
		}
	}
	for _, id := range roots {
		a, ok := s.Assessment(id)
		if o := s.Object(id); ok && o != nil && a.Status != status.Current && a.Deciding >= 0 {
			if quoted := anotherCondition(id, o.Conditions[a.Deciding].Type, causes); quoted != "" {
				out = append(out, fmt.Sprintf("%s is %s by condition %s, and its causes quote %s",
					id, a.Status, o.Conditions[a.Deciding].Type, quoted))
			}
		}
	}
	return out
}

// anotherCondition is the condition of an object that its causes quote instead of the
// one that decides its status; "" if they quote that, or none. What a cause says of
// another object is a deeper reason, and so is the part that Ready or Stalled sums up.
func anotherCondition(id object.ID, deciding string, causes []Cause) (quoted string) {
	if deciding == "Ready" || deciding == status.Stalled {
		return ""
	}
	for _, c := range causes {
		if !slices.Contains(c.Blocks, id) {
			continue
		}
		if c.Subject.ID != id {
			return ""
		}
		for _, e := range c.Evidence {
			path, is := strings.CutPrefix(e.Path, "status.conditions[")
			if !is || e.Ref != id {
				continue
			}
			if quoted, _, _ = strings.Cut(path, "]"); quoted == deciding {
				return ""
			}
		}
	}
	return quoted
}
