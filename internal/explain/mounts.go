package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Volumes and networks of scheduled Pods.

// mounts finds why the kubelet cannot set up volumes or network of a scheduled
// Pod.
func mounts(l *look) {
	p := l.o.Pod
	if p == nil || p.Node == "" || !l.o.Deleted.IsZero() || p.Phase != "Pending" {
		return
	}
	if x := l.o.ConditionIs("PodReadyToStartContainers", "True"); x != nil {
		return
	}
	creating := len(p.Containers) == 0
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.State.Kind == "" || c.State.Reason == "ContainerCreating" || c.State.Reason == "PodInitializing" {
			creating = true
		}
	}
	if !creating {
		return
	}
	if since := l.scheduled(); !l.mount(since) {
		l.sandbox(since)
	}
}

// mount reads the kubelet's events about the Pod's volumes.
func (l *look) mount(since time.Time) bool {
	var late *object.Event // an event that only says that it takes long
	for _, e := range l.events(l.o.ID, "FailedMount", "FailedAttachVolume", "FailedMapVolume") {
		m := headline(e.Message)
		if e.Reason != "FailedAttachVolume" && !quotedMissing(m) && hasAny(m, "timed out waiting for the condition", "unmounted volumes=") {
			late = cmp.Or(late, &e)
			continue
		}
		f := l.mountFailed(e.Reason, m)
		f.Since = since
		f.Detail = m
		f.proveEvent(e)
		return true
	}
	if late != nil {
		m := headline(late.Message)
		which := between(m, "unmounted volumes=[", "]")
		f := l.find("VolumeMountFailed", "volumes %s are not mounted in time", which)
		f.Key = which
		f.Certainty, f.Since, f.Detail = Possible, since, m
		f.proveEvent(*late)
		return true
	}
	return l.older(since, time.Minute) && l.attachment(since)
}

// mountFailed classifies a volume's error.
func (l *look) mountFailed(reason, m string) (f *Finding) {
	vol := between(m, `for volume "`, `"`)
	switch {
	case reason == "FailedAttachVolume" && hasAny(m, "Multi-Attach error", "already exclusively attached", "already used by pod"):
		f = l.find("VolumeAttachedElsewhere", "its volume %s is still attached to ", vol)
		f.Title += l.attachedTo(f, vol)
		if by := between(m, "already used by pod(s) ", ""); by != "" {
			f.Title = "its volume " + vol + " is still used on another node, by pod " + strings.TrimSpace(by)
		}
		f.Key = vol
		f.Next = []string{"kubectl get volumeattachments"}
	case reason == "FailedAttachVolume":
		f = l.find("VolumeAttachFailed", "%s cannot be attached to node %s: %s", strings.TrimSuffix("volume "+vol, " "), l.o.Pod.Node, last(m))
		f.Key = normal(last(m))
		f.Next = []string{"kubectl get volumeattachments"}
	case hasAny(m, "non-existent config key", "non-existent secret key"):
		key, kind := between(m, " key: ", ""), "ConfigMap"
		if strings.Contains(m, "secret key") {
			kind = "Secret"
		}
		f = l.find("VolumeKeyMissing", "the %s of volume %s has no key %s", kind, vol, key)
		if name := l.only(kind); name != "" {
			f.Title = fmt.Sprintf("%s %s has no key %s; volume %s needs it", kind, name, key, vol)
			f.Next = append(f.Next, l.kubectl("describe", strings.ToLower(kind), name))
		}
		f.Key = f.Title
	case quotedMissing(m):
		kind, name := quoted(m)
		f = l.find("VolumeSourceMissing", "%s %s does not exist; volume %s needs it", kind, name, vol)
		f.Key, f.Shared = strings.Join([]string{l.o.Namespace, kind, name}, " "), true
		l.lacksConfig(f, kind, name)
	default:
		f = l.find("VolumeMountFailed", "volume %s cannot be mounted: %s", vol, last(m))
		f.Key = normal(last(m))
		if hasAny(m, "hostPath type check failed", "failed to prepare subPath") {
			f.Class = Action
		}
	}
	return f
}

// attachedTo names the other node that a volume is attached to.
func (l *look) attachedTo(f *Finding, volume string) string {
	list, _ := l.list("storage.k8s.io", "VolumeAttachment", "")
	for _, a := range list {
		if node := a.Str("spec", "nodeName"); a.Str("spec", "source", "persistentVolumeName") == volume && node != l.o.Pod.Node {
			f.prove(a.ID, "spec.nodeName", node)
			return "node " + node
		}
	}
	return "another node"
}

// attachment finds VolumeAttachFailed after the events have expired: a
// VolumeAttachment keeps its error.
func (l *look) attachment(since time.Time) bool {
	for _, u := range l.o.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		c := l.object(l.id("", "PersistentVolumeClaim", u.Name))
		if c == nil || c.Claim == nil || c.Claim.Volume == "" {
			continue
		}
		list, _ := l.list("storage.k8s.io", "VolumeAttachment", "")
		for _, a := range list {
			if a.Str("spec", "source", "persistentVolumeName") != c.Claim.Volume || a.Str("spec", "nodeName") != l.o.Pod.Node {
				continue
			}
			m := a.Str("status", "attachError", "message")
			if m == "" {
				continue
			}
			f := l.find("VolumeAttachFailed", "volume %s of claim %s cannot be attached to node %s: %s", c.Claim.Volume, u.Name, l.o.Pod.Node, last(m))
			f.Key, f.Detail, f.Since = normal(last(m)), headline(m), since
			f.prove(a.ID, "status.attachError.message", m)
			f.Next = []string{command("", "describe", "volumeattachment", a.Name)}
			return true
		}
	}
	return false
}

// only is the Pod's object of a kind, if there is exactly one.
func (l *look) only(kind string) string {
	name := ""
	for _, u := range l.o.Pod.Uses {
		if u.Kind == kind && u.Name != name {
			if name != "" {
				return ""
			}
			name = u.Name
		}
	}
	return name
}

func quotedMissing(m string) bool {
	_, name := quoted(m)
	return name != "" && strings.Contains(m, "not found")
}
