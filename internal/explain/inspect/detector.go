package inspect

// Detector finds causes on objects of some kinds.
type Detector struct {
	Kinds []string // group/kind as object.ID.GroupKind writes it; none means every kind
	// Current says that it has something to tell about objects that are
	// Current, too. It has to be quick then.
	Current bool
	Find    func(*Inspector)
}

var detectors []*Detector

// Detect adds a detector. A detector's own file calls it in an init function, above the
// detector. The order means nothing: what hides what stands in the descriptors of the codes.
func Detect(d Detector) { detectors = append(detectors, &d) }

// Detectors are all detectors of the families that the program imports.
func Detectors() []*Detector { return detectors }
