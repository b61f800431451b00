package general

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// GonePods adds to what ran out of time what its Pod reported, if that Pod is gone: Tekton deletes
// the Pod of a TaskRun that times out, and the Job controller those of a Job that is past its
// deadline. Their events stay for an hour.
func GonePods(in *inspect.Inspector) {
	f := mainFinding(in)
	if f == nil || !in.Object.Deleted.IsZero() || f.Code != codes.JobDeadlineExceeded && !outOfTime(f.Title()) {
		return
	}
	if slices.ContainsFunc(in.Children(in.Object.ID), func(o *object.Object) bool { return o.Pod != nil }) {
		return
	}
	for _, pod := range podsNamed(in) {
		if in.Get(pod) != nil ||
			slices.ContainsFunc(f.Evidence, func(e inspect.Evidence) bool { return e.Ref == pod }) {
			return // its own detectors read it
		}
		in.Need(inspect.Need{ID: pod, Events: true})
		list := slices.DeleteFunc(statements.WarningsUntil(in, pod, f.Since), func(s statements.Statement) bool {
			return overcome(in, pod, s) || !f.Since.IsZero() && s.Event.Last.After(f.Since.Add(time.Minute))
		})
		if len(list) == 0 || list[0].Weight < message.SaysWhat {
			continue
		}
		best := list[0]
		f.Also("its Pod reported %s", best.Title())
		f.Detail = strings.TrimPrefix(f.Detail+"⏎"+best.Reason+": "+message.Fold(best.Message), "⏎")
		f.Key += " " + wording.Normal(best.Message)
		best.Prove(f)
		f.Next = append(
			[]string{in.Kubectl("get", "events", "--field-selector", "involvedObject.name="+pod.Name)}, f.Next...)
		return
	}
}

// overcome reports whether a Pod that is gone went on after what an event says: it was scheduled, its
// images were there or a container started.
func overcome(in *inspect.Inspector, pod object.ID, s statements.Statement) bool {
	return slices.ContainsFunc(in.Snapshot.Events(pod), func(e object.Event) bool {
		switch e.Reason {
		case "Scheduled", "Pulled", "Started":
			return e.Type == "Normal" && !e.Last.Before(s.Event.Last)
		}
		return false
	})
}

// outOfTime reports whether a title says that there was not enough time.
func outOfTime(title string) bool {
	return message.RanOutOfTime(title) || wording.HasAny(strings.ToLower(title), "timeout", "timed out",
		"deadlineexceeded", "failed to finish within")
}

// podsNamed are the Pods that an object's status or events name as its own, the newest first.
func podsNamed(in *inspect.Inspector) (out []object.ID) {
	if name := in.Object.Str("status", "podName"); name != "" {
		out = append(out, in.ID("", "Pod", name))
	}
	events := slices.SortedFunc(slices.Values(in.Snapshot.Events(in.Object.ID)), func(a, b object.Event) int {
		return b.Last.Compare(a.Last)
	})
	for _, e := range events {
		if name, ok := strings.CutPrefix(e.Message, "Created pod: "); ok && e.Reason == "SuccessfulCreate" {
			out = append(out, in.ID("", "Pod", name))
		}
	}
	return out[:min(len(out), namedMost)]
}
