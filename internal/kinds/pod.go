package kinds

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// RunsToEnd reports whether a running Pod is there to end. Its restartPolicy alone does
// not say so: operators that replace their servers' Pods themselves use Never
// (argoproj/argo-cd#14594, konpyutaika/nifikop#145). A Pod runs to an end if the kubelet
// lets it, and if it belongs to a Job or the like, or to nothing at all.
func RunsToEnd(pod *object.Object) bool {
	p := pod.Pod
	if p.RestartPolicy != "Never" && p.RestartPolicy != "OnFailure" {
		return false
	}
	if slices.ContainsFunc(p.Containers, func(c object.Container) bool {
		return c.Kind == object.MainContainer && c.Always
	}) {
		return false
	}
	owner, owned := pod.Controller()
	return !owned || ends(owner.Kind)
}

// ends reports whether objects of a kind whose Pods they control come to an end.
func ends(kind string) bool {
	for _, last := range [...]string{
		"Job", "Run", "Task", "Workflow", "Build", "Backup", "Restore", "Migration",
		"Test", "SparkApplication",
	} {
		if strings.HasSuffix(kind, last) {
			return true
		}
	}
	return false
}

// RestartsAfter reports whether the kubelet starts a container again after it has ended
// so: a container's own restartPolicy goes before the Pod's (ContainerShouldRestart in
// pkg/kubelet/container/helpers.go, v1.35). Of a container with restart rules it cannot
// be known; then it says yes after a failure.
func RestartsAfter(p *object.Pod, c *object.Container, failed bool) bool {
	switch {
	case c.Kind == object.SidecarContainer, c.Always:
		return true
	case c.Again:
		return failed
	case p.RestartPolicy == "Never":
		return false
	case p.RestartPolicy == "OnFailure":
		return failed
	}
	return true
}
