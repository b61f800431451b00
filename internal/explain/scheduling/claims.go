package scheduling

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Claims, volumes, mounts.

// claimProblem finds problems of a Pod's claims from the Pod's side: the scheduler
// waits for a claim.
func claimProblem(in *inspect.Inspector, x *object.Condition, unfit []message.Unfit) bool {
	for _, u := range unfit {
		switch u.Filter {
		case message.ClaimTrouble, message.ClaimMissing, message.ClaimDeleting:
			claimNamed(in, x, u)
			return true
		case message.ClaimsUnbound:
			claimsUnbound(in, x)
			return true
		}
	}
	return false
}

// claimNamed is about a claim that the scheduler's message names.
func claimNamed(in *inspect.Inspector, x *object.Condition, u message.Unfit) {
	name := u.Name
	id := in.ID("", "PersistentVolumeClaim", name)
	code, title, symptom := codes.ClaimMissing, " does not exist", false
	switch u.Filter {
	case message.ClaimDeleting:
		code, title, symptom = codes.ClaimDeleting, " is being deleted", true
	case message.ClaimTrouble:
		code, title, symptom = codes.ClaimUnbound, " cannot be used: "+u.Text, true
	}
	f := in.FindCondition(code, x, "PersistentVolumeClaim %s%s", name, title)
	f.Key, f.Shared = in.Object.Namespace+" "+name, true
	if symptom {
		f.Blame(id)
		in.Get(id)
		return
	}
	in.ProveMissing(f, id, "")
	f.Next = []string{in.Kubectl("get", "pvc")}
}

// claimsUnbound names a Pod's unbound claims.
func claimsUnbound(in *inspect.Inspector, x *object.Condition) {
	f := in.FindCondition(codes.ClaimUnbound, x, "waits for its PersistentVolumeClaim to be bound")
	f.Symptom = true
	f.Certainty = inspect.Likely
	var open []string
	for _, u := range in.Object.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		id := in.ID("", u.Kind, u.Name)
		f.Because = append(f.Because, id)
		if c := in.Get(id); c == nil || c.Claim == nil || c.Claim.Phase != "Bound" {
			open = append(open, u.Name)
		}
	}
	if len(open) > 0 {
		f.Say("waits for PersistentVolumeClaim %s to be bound", wording.Names(open, 3))
	}
	f.Key = strings.Join(open, " ")
	f.Next = []string{in.Kubectl("get", "pvc")}
}
