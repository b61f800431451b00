package inspect

// Detector is a row of a family's table.
type Detector struct {
	Kinds []string // group/kind as object.ID.GroupKind writes it; none means every kind
	// current says that it has something to tell about objects that are
	// Current, too. It has to be quick then.
	Current bool
	Find    func(*Inspector)
}
