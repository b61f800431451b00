package inspect

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Detector finds causes on objects of some kinds.
type Detector struct {
	Kinds []string // group/kind as object.ID.GroupKind writes it; none means every kind
	// AlsoCurrent says that it has something to tell about objects that are
	// Current, too. It has to be quick then.
	AlsoCurrent bool
	// Conditions are those of which one is True on a Current object about which it has
	// something to tell; none means that it looks at each.
	Conditions []string
	Find       func(*Inspector)
}

// MayTell reports whether it may have something to tell about an object that is Current.
func (d *Detector) MayTell(o *object.Object) bool {
	return d.AlsoCurrent && (len(d.Conditions) == 0 || slices.ContainsFunc(o.Conditions, func(c object.Condition) bool {
		return c.Status == "True" && slices.Contains(d.Conditions, c.Type)
	}))
}

var detectors []*Detector

// Detect adds a detector. A detector's own file calls it in an init function, above the
// detector. The order means nothing: what hides what stands in the descriptors of the codes.
func Detect(d Detector) { detectors = append(detectors, &d) }

// Detectors are all detectors of the families that the program imports.
func Detectors() []*Detector { return detectors }
