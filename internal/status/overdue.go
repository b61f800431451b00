package status

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// pastDeadline reports whether an object failed because a deadline passed that its user
// declared: spec.progressDeadlineSeconds of a Deployment or an Argo Rollout,
// spec.activeDeadlineSeconds of a Job or a Pod, the time limit of an Argo CD
// operation. A Helm release and a Flux HelmRelease without further retries are
// terminal by their own rules.
func pastDeadline(o *object.Object, reason string) bool {
	switch reason {
	case "ProgressDeadlineExceeded", "DeadlineExceeded":
		return true
	}
	switch o.GroupKind() {
	case "argoproj.io/Rollout": // its phase, Degraded, decided
		progressing := o.ConditionIs("Progressing", "False")
		return progressing != nil && progressing.Reason == "ProgressDeadlineExceeded"
	case "argoproj.io/Application":
		return operationTimedOut(o)
	}
	return false
}

// operationTimedOut reports whether an Application's last operation ended by its time
// limit. The phase stays Running while retries are left (controller/appcontroller.go,
// argo-cd v3.1).
func operationTimedOut(o *object.Object) bool {
	phase, _ := object.At(o.Tree, "status", "operationState", "phase").(string)
	message, _ := object.At(o.Tree, "status", "operationState", "message").(string)
	message = strings.ToLower(message)
	timedOut := strings.Contains(message, "timeout") ||
		strings.Contains(message, "timed out") || strings.Contains(message, "deadline exceeded")
	return (phase == "Failed" || phase == "Error") && timedOut
}
