package pods

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: runtimeClass}) }

// runtimeClass finds RuntimeClassMissing: the Pod was admitted before its RuntimeClass was
// deleted, and the kubelet does not find it.
func runtimeClass(in *inspect.Inspector) {
	events := in.Obstacles("FailedCreatePodSandBox")
	if len(events) == 0 || !inspect.BeingSetUp(in.Object) {
		return
	}
	class, e := in.Object.Pod.RuntimeClass, events[0]
	if !message.SaysMissing(e.Message, "RuntimeClass", class) {
		return
	}
	f := in.FindMissing(codes.RuntimeClassMissing, class, "; the kubelet is about to try again")
	f.ProveEvent(e)
	f.Detail = message.Line(e.Message)
	f.Prove("spec.runtimeClassName", class)
}
