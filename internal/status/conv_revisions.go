package status

import (
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// revisionPairs are the field names of the active and the wanted revision.
var revisionPairs = [...][2]string{
	{"active", "proposed"},
	{"current", "desired"},
	{"current", "target"},
	{"observed", "desired"},
	{"active", "pending"},
}

// revisionFields are the field names that identify a revision.
var revisionFields = [...]string{"sha", "revision", "hash", "digest", "commit"}

// revisions compares the active with the wanted revision in status and just below.
func (s *signals) revisions(status map[string]any) {
	s.revision("status", status)
	below("status", status, 1, func(path, field string, el map[string]any) bool {
		if !past(field) {
			s.revision(path, el)
		}
		return false
	})
}

// revision compares the active with the wanted revision, if both are objects with
// a revision: if they have none in common, the change is still to come.
func (s *signals) revision(path string, at map[string]any) {
	for _, pair := range revisionPairs {
		have, want := asMap(at[pair[0]]), asMap(at[pair[1]])
		if have == nil || want == nil {
			continue
		}
		common, differs := false, false
		for _, in := range append([]string{""}, slices.Sorted(maps.Keys(want))...) {
			a, b := have, want
			if in != "" {
				a, b = asMap(have[in]), asMap(want[in])
			}
			for _, field := range revisionFields {
				x, _ := object.Text(a[field])
				y, _ := object.Text(b[field])
				common = common || x != "" && x == y
				differs = differs || x != y
			}
		}
		if differs && !common {
			have, want := path+"."+pair[0], path+"."+pair[1]
			s.progress(s.j.by("convention.revisions", have+" "+want).progress("OtherRevision",
				have+" is of another revision than "+want))
		}
	}
}
