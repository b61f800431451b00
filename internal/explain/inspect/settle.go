package inspect

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
)

// Settle removes findings that others hide: by the step of a Pod at which they
// stand, or because the code says so.
func Settle(found []*Finding) []*Finding {
	if len(found) < 2 {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(f *Finding) bool {
		return slices.ContainsFunc(found, func(other *Finding) bool { return other.hides(f) })
	})
}

// hides reports whether this finding makes another one on the same object
// superfluous. Findings about two containers are independent.
func (f *Finding) hides(other *Finding) bool {
	if f.Remark {
		return false
	}
	if slices.Contains(f.Code.Hides, other.Code) {
		return true
	}
	a, b := f.About.Container, other.About.Container
	return f.Code.Step != codes.AnyTime && f.Code.Step < other.Code.Step && (a == "" || b == "" || a == b)
}
