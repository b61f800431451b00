package storage

import (
	"cmp"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Volumes of scheduled Pods.

func init() { inspect.Detect(inspect.Detector{Kinds: pod, Find: mounts}) }

// mounts finds why the kubelet cannot set up the volumes of a scheduled Pod.
func mounts(in *inspect.Inspector) {
	if inspect.BeingSetUp(in.Object) {
		mount(in, inspect.ScheduledAt(in.Object))
	}
}

// mount reads the kubelet's events about the Pod's volumes.
func mount(in *inspect.Inspector, since time.Time) {
	var late *object.Event // an event that only says that it takes long
	for _, e := range in.Obstacles("FailedMount", "FailedAttachVolume", "FailedMapVolume") {
		t := message.Mount(e.Message)
		if e.Reason != "FailedAttachVolume" && t.Step == message.StillMounting {
			late = cmp.Or(late, &e)
			continue
		}
		f := mountFailed(in, e.Reason, t)
		f.Since = since
		f.Detail = message.Line(e.Message)
		f.ProveEvent(e)
		return
	}
	if late != nil {
		which := message.Mount(late.Message).Name
		f := in.Find(codes.VolumeMountFailed, "volumes %s are not mounted in time", which)
		f.Key = which
		f.Certainty, f.Since, f.Detail = inspect.Possible, since, message.Line(late.Message)
		f.ProveEvent(*late)
		return
	}
	if in.Older(since, time.Minute) {
		attachment(in, since)
	}
}

// mountFailed classifies a volume's error.
func mountFailed(in *inspect.Inspector, reason string, t message.Trouble) (f *inspect.Finding) {
	vol := t.Volume
	switch {
	case reason == "FailedAttachVolume" && t.Step == message.AttachedElsewhere:
		f = in.Find(codes.VolumeAttachedElsewhere, "its volume %s is still attached to ", vol)
		node, stuck := attachedTo(in, f, vol)
		f.Add("%s", node)
		if t.Name != "" {
			f.Say("its volume %s is still used on another node, by pod %s", vol, t.Name)
		}
		if stuck != "" {
			f.Also("it cannot be detached: %s", stuck)
		}
		f.Key = vol
		f.Next = []string{"kubectl get volumeattachments"}
	case reason == "FailedAttachVolume":
		f = in.Find(codes.VolumeAttachFailed, "%s cannot be attached to node %s: %s",
			strings.TrimSuffix("volume "+vol, " "), in.Object.Pod.Node, t.Reason)
		f.Key = wording.Normal(t.Reason)
		f.Next = []string{"kubectl get volumeattachments"}
		for _, a := range in.List("storage.k8s.io", "VolumeAttachment", "").Items {
			if a.Str("spec", "source", "persistentVolumeName") == vol &&
				a.Str("spec", "nodeName") == in.Object.Pod.Node {
				f.Absorbs = append(f.Absorbs, a.ID) // it says the same
			}
		}
		driverVolume(in, f, vol)
		if f.Symptom { // the driver's volume explains both
			f.Absorbs = nil
		}
	case t.Step == message.KeyMissing:
		key, kind := t.Name, t.Object.Kind
		f = in.Find(codes.VolumeKeyMissing, "the %s of volume %s has no key %s", kind, vol, key)
		if name := only(in, kind); name != "" {
			f.Say("%s %s has no key %s; volume %s needs it", kind, name, key, vol)
			f.Next = append(f.Next, in.Kubectl("describe", strings.ToLower(kind), name))
		}
		f.Key = f.Title()
	case t.Step == message.ObjectMissing:
		kind, name := t.Object.Kind, t.Object.Name
		f = in.Find(codes.VolumeSourceMissing, "%s %s does not exist; volume %s needs it", kind, name, vol)
		f.Key, f.Shared = strings.Join([]string{in.Object.Namespace, kind, name}, " "), true
		inspect.LacksConfig(in, f, kind, name)
	case t.Step == message.DriverMissing:
		f = driverMissing(in, vol, t.Name)
	default:
		reason := t.Reason
		if device, rest, ok := strings.Cut(reason, " "); ok && vol != "" && strings.HasPrefix(device, "/") &&
			strings.HasSuffix(device, "/"+vol) {
			reason = rest // the volume is named already
		}
		f = in.Find(codes.VolumeMountFailed, "volume %s cannot be mounted: %s", vol, reason)
		f.Key = wording.Normal(t.Reason)
		if t.Step == message.PathUnfit {
			f.Class = codes.Action
		}
		driverNode(in, f, vol)
	}
	return f
}

// attachedTo names the other node that a volume is attached to, and why it cannot be detached if
// the attacher says so.
func attachedTo(in *inspect.Inspector, f *inspect.Finding, volume string) (where, stuck string) {
	list := in.List("storage.k8s.io", "VolumeAttachment", "").Items
	for _, a := range list {
		if node := a.Str("spec", "nodeName"); a.Str("spec", "source", "persistentVolumeName") == volume &&
			node != in.Object.Pod.Node {
			f.ProveOn(a.ID, "spec.nodeName", node)
			if m := a.Str("status", "detachError", "message"); m != "" {
				f.ProveOn(a.ID, "status.detachError.message", m)
				stuck = message.Reason(m)
			}
			id := inspect.ClusterID("", "Node", node)
			switch n := in.Get(id); {
			case n == nil && in.Absent(id):
				f.ProveAbsent(id)
				f.Class = codes.Action
				f.Next = append(f.Next, wording.Command("", "describe", "volumeattachment", a.Name))
				return "node " + node + ", which does not exist any more", stuck
			case n != nil:
				f.Symptom = true
				f.AddBecause(id)
			}
			return "node " + node, stuck
		}
	}
	return "another node", ""
}

// attachment finds VolumeAttachFailed after the events have expired: a
// VolumeAttachment keeps its error.
func attachment(in *inspect.Inspector, since time.Time) {
	for _, u := range in.Object.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		c := in.Get(in.ID("", "PersistentVolumeClaim", u.Name))
		if c == nil || c.Claim == nil || c.Claim.Volume == "" {
			continue
		}
		list := in.List("storage.k8s.io", "VolumeAttachment", "").Items
		for _, a := range list {
			if a.Str("spec", "source", "persistentVolumeName") != c.Claim.Volume ||
				a.Str("spec", "nodeName") != in.Object.Pod.Node {
				continue
			}
			m := a.Str("status", "attachError", "message")
			if m == "" {
				continue
			}
			f := in.Find(codes.VolumeAttachFailed, "volume %s of claim %s cannot be attached to node %s: %s",
				c.Claim.Volume, u.Name, in.Object.Pod.Node, message.Reason(m))
			f.Key, f.Detail, f.Since = wording.Normal(message.Reason(m)), message.Line(m), since
			f.ProveOn(a.ID, "status.attachError.message", m)
			f.Absorbs = []object.ID{a.ID}
			f.Next = []string{wording.Command("", "describe", "volumeattachment", a.Name)}
			driverVolume(in, f, c.Claim.Volume)
			return
		}
	}
}

// only is the Pod's object of a kind, if there is exactly one.
func only(in *inspect.Inspector, kind string) string {
	name := ""
	for _, u := range in.Object.Pod.Uses {
		if u.Kind == kind && u.Name != name {
			if name != "" {
				return ""
			}
			name = u.Name
		}
	}
	return name
}
