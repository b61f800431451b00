package cluster

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

func init() { inspect.Detect(inspect.Detector{Find: badOwner}) }

// badOwner finds OwnerInvalid: the garbage collector deletes an object whose
// owner cannot exist.
func badOwner(in *inspect.Inspector) {
	if e, ok := in.Event(in.Object.ID, "OwnerRefInvalidNamespace"); ok {
		f := in.FindEvent(codes.OwnerInvalid, e,
			"its owner %s %s is not in namespace %s: the garbage collector deletes it",
			message.Between(e.Message, "ownerRef [", ","),
			message.Between(e.Message, " name: ", ","), in.Object.Namespace)
		f.Detail = message.Line(e.Message)
	}
}
