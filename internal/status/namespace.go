package status

import "github.com/kstatus-tui/kstatus-tui/internal/object"

func namespace(j *judge) Assessment {
	j.by("phase", "status.phase")
	switch phase := j.o.Str("status", "phase"); phase {
	case "Active":
		return j.current("Namespace is active")
	case "Terminating":
		return j.is(Terminating, "", "Namespace is being deleted")
	case "":
		return j.silent("The namespace has not been created yet")
	default:
		return j.unknown("", "status.phase is "+phase)
	}
}

// namespaceBlocker is the most informative condition of a namespace that cannot
// be deleted, or -1.
func namespaceBlocker(o *object.Object) int {
	if o.GroupKind() != "Namespace" {
		return -1
	}
	for _, typ := range [...]string{
		"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure",
		"NamespaceDeletionContentFailure", "NamespaceFinalizersRemaining", "NamespaceContentRemaining",
	} {
		if i := o.ConditionIndex(typ, "True"); i >= 0 {
			return i
		}
	}
	return -1
}
