package explain

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Quiet reports that of an object that is Current there is nothing to tell: a
// look at it would find nothing, read nothing beside it and not have to be
// repeated. It goes by the object alone, at any time, and says no where it is not
// sure. Most objects are quiet, and whoever has just judged one knows so for next
// to nothing, while a look at ten thousand that nobody has touched lately is what
// a first explanation takes its time for.
func Quiet(o *object.Object) bool {
	if o.Pod != nil && o.Kind == "Pod" && o.Group == "" {
		return quietPod(o)
	}
	if o.Kind == "Deployment" && o.Group == "apps" {
		return o.Workload != nil && o.Workload.Scaled == nil // else see contested
	}
	return !speaking[[2]string{o.Group, o.Kind}]
}

// quietPod goes through the detectors that look at pods that are Current:
// containers, refused, resizing.
func quietPod(o *object.Object) bool {
	p := o.Pod
	if p.Phase != "Running" || !o.Deleted.IsZero() {
		return false
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		switch c.State.Kind {
		case "running":
			if !c.Ready || !c.Started || c.Kind == object.InitContainer || c.Last().Kind == "terminated" {
				return false
			}
		case "terminated":
			if c.Kind != object.InitContainer || c.State.ExitCode != 0 || c.State.Reason == "OOMKilled" {
				return false
			}
		default:
			return false
		}
	}
	for i := range o.Conditions {
		switch c := &o.Conditions[i]; c.Type {
		case "PodResizePending", "PodResizeInProgress":
			return false
		case "Ready":
			if c.Status != "True" {
				return false
			}
		}
	}
	return true
}

// speaking are the kinds, by group and kind, that a detector has something to say
// about though they are Current.
var speaking = func() map[[2]string]bool {
	m := map[[2]string]bool{}
	for i := range detectors {
		for _, kind := range detectors[i].kinds {
			if detectors[i].current {
				group, name, ok := strings.Cut(kind, "/")
				if !ok {
					group, name = "", kind
				}
				m[[2]string{group, name}] = true
			}
		}
	}
	return m
}()
