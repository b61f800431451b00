package storage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func init() {
	inspect.Detect(inspect.Detector{Kinds: []string{"PersistentVolumeClaim"}, AlsoCurrent: true, Find: claim})
}

// claim explains a PersistentVolumeClaim that is not bound or not resized.
func claim(in *inspect.Inspector) {
	c := in.Object.Claim
	switch {
	case c == nil:
		return
	case !in.Object.Deleted.IsZero():
		claimDeleting(in)
		return
	case c.Phase == "Bound":
		resize(in, c)
		return
	case c.Phase == "Lost":
		lost(in, c)
		return
	}
	if len(in.Snapshot.Parents(in.Object.ID)) == 0 {
		in.Need(inspect.Need{ID: in.Object.ID, Events: true}) // no other detector asks for them
	}
	for _, find := range unbound {
		if find(in, c) {
			return
		}
	}
}

// lost finds VolumeLost. A claim is Lost when its volume is gone, and when the volume is bound to
// another claim: the one that had its name before has another UID (kubernetes v1.36,
// pkg/controller/volume/persistentvolume, syncBoundClaim).
func lost(in *inspect.Inspector, c *object.Claim) {
	f := onClaim(in, codes.VolumeLost, "its bound volume %s is gone", c.Volume)
	f.Prove("spec.volumeName", c.Volume)
	if e, ok := in.Event(in.Object.ID, "ClaimLost", "ClaimMisbound"); ok {
		f.ProveEvent(e)
	}
	if c.Volume == "" {
		f.Say("it was bound, and names no volume any more")
		f.ProveUnset(in.Object.ID, "spec.volumeName")
		return
	}
	id := inspect.ClusterID("", "PersistentVolume", c.Volume)
	pv := in.Get(id)
	if pv == nil {
		if in.Absent(id) {
			f.ProveAbsent(id)
		} else {
			f.Say("its bound volume %s is gone, or bound to another claim", c.Volume)
			f.Certainty = inspect.Likely
		}
		return
	}
	holder := object.ID{Namespace: pv.Str("spec", "claimRef", "namespace"), Name: pv.Str("spec", "claimRef", "name")}
	uid := pv.Str("spec", "claimRef", "uid")
	switch {
	case holder.Name == "":
		f.Say("its bound volume %s exists, and is bound to no claim", c.Volume)
		f.ProveUnset(id, "spec.claimRef")
	case holder.Namespace != in.Object.Namespace || holder.Name != in.Object.Name:
		f.Say("its bound volume %s is bound to another claim, %s/%s", c.Volume, holder.Namespace, holder.Name)
		f.ProveOn(id, "spec.claimRef.name", holder.Name)
	case uid != "" && uid != in.Object.UID:
		f.Say("its bound volume %s is bound to an earlier claim of this name (spec.claimRef.uid)", c.Volume)
		f.ProveOn(id, "spec.claimRef.uid", uid)
		f.Prove("metadata.uid", in.Object.UID)
	default:
		f.Say("the controller has found its bound volume %s gone; it exists now", c.Volume)
		f.ProveOn(id, "metadata.creationTimestamp", pv.Created)
		f.Class = codes.Retries
	}
	f.Next = append(f.Next, wording.Command("", "describe", "pv", c.Volume))
}

// unbound are the reasons why a claim has no volume, in the order in which they
// are checked. Each reports whether it applies.
var unbound = []func(*inspect.Inspector, *object.Claim) bool{
	mismatch, held, noClass, provisioning, noVolume, firstConsumer, silent, notYet,
}

// onClaim starts a finding about a claim without a volume.
func onClaim(in *inspect.Inspector, code *codes.Code, title string, args ...any) *inspect.Finding {
	f := in.Find(code, title, args...)
	f.Prove("status.phase", in.Object.Claim.Phase)
	return f
}

// mismatch finds VolumeLost and VolumeMismatch.
func mismatch(in *inspect.Inspector, c *object.Claim) bool {
	e, ok := in.Event(in.Object.ID, "VolumeMismatch")
	if ok {
		f := onClaim(in, codes.VolumeMismatch, "%s does not fit the claim: %s",
			strings.TrimSuffix("volume "+c.Volume, " "), message.Reason(e.Message))
		f.ProveEvent(e)
	}
	return ok
}

// noClass finds StorageClassMissing.
func noClass(in *inspect.Inspector, c *object.Claim) bool {
	class := inspect.ClusterID("storage.k8s.io", "StorageClass", c.StorageClass)
	events := in.Obstacles("ProvisioningFailed")
	recorded := len(events) > 0 && message.Claim(events[0].Message) == message.ClassUnknown
	if !recorded && (len(events) > 0 || c.StorageClass == "" || in.Get(class) != nil || !in.Absent(class)) {
		return false
	}
	f := onClaim(in, codes.StorageClassMissing, "StorageClass %s does not exist", c.StorageClass)
	f.Key, f.Shared = c.StorageClass, true
	f.Prove("spec.storageClassName", c.StorageClass)
	classes := in.List("storage.k8s.io", "StorageClass", "").Items
	var have []string
	for _, s := range classes {
		n := s.Name
		if v, _ := s.Annotation("storageclass.kubernetes.io/is-default-class"); v == "true" {
			n += " (default)"
		}
		have = append(have, n)
	}
	slices.Sort(have)
	if len(have) > 0 {
		f.Also("the cluster has %s", wording.Names(have, 4))
	}
	f.Next = []string{"kubectl get storageclass"}
	if recorded {
		f.ProveEvent(events[0])
	} else {
		f.ProveAbsent(class)
	}
	return true
}

// provisioning finds ProvisioningFailed.
func provisioning(in *inspect.Inspector, c *object.Claim) bool {
	events := in.Obstacles("ProvisioningFailed")
	if len(events) == 0 {
		return false
	}
	e := events[0]
	f := onClaim(in, codes.ProvisioningFailed, "the volume cannot be provisioned: %s", message.Reason(e.Message))
	f.Detail = message.Line(e.Message)
	f.Key = c.StorageClass + " " + wording.Normal(message.Reason(e.Message))
	f.Since = in.Began(in.Object.ID, e)
	f.ProveEvent(e)
	if c.Source.Name != "" && strings.Contains(e.Message, c.Source.Name) { // what the volume is a copy of
		f.Blame(c.Source)
		f.Prove("spec.dataSource.name", c.Source.Name)
		if in.Get(c.Source) == nil && in.Absent(c.Source) {
			f.Class = codes.Action
			f.Say("%s %s, which the volume is to be made from, does not exist", c.Source.Kind, c.Source.Name)
			f.ProveAbsent(c.Source)
		}
	}
	return true
}

// noVolume finds NoStorageClass, and a claim that no volume matches.
func noVolume(in *inspect.Inspector, c *object.Claim) bool {
	e, ok := in.Event(in.Object.ID, "FailedBinding")
	switch {
	case ok && message.Claim(e.Message) == message.NoClass:
		f := onClaim(in, codes.NoStorageClass, "no storage class is set, and the cluster has no default one")
		f.Key, f.Shared = in.Object.Namespace, true
		if c.HasClass && c.StorageClass == "" {
			f.Say(`storageClassName is "", and no volume fits the claim`)
			f.Shared = false
		}
		f.ProveEvent(e)
		f.Next = []string{"kubectl get storageclass"}
	case ok && latest(in, e):
		f := onClaim(in, codes.ClaimUnbound, "%s", message.Line(e.Message))
		f.Key = wording.Normal(f.Title())
		f.ProveEvent(e)
	default:
		return false
	}
	return true
}

// firstConsumer finds WaitsForConsumer: nothing is wrong unless a Pod that
// mounts it is stuck, and then the Pod is to blame.
func firstConsumer(in *inspect.Inspector, c *object.Claim) bool {
	e, recorded := in.Event(in.Object.ID, "WaitForFirstConsumer", "WaitForPodScheduled")
	recorded = recorded && latest(in, e)
	if !recorded {
		sc := in.Get(inspect.ClusterID("storage.k8s.io", "StorageClass", c.StorageClass))
		_, provisions := in.Event(in.Object.ID, "ExternalProvisioning")
		if provisions || sc == nil || sc.Str("volumeBindingMode") != "WaitForFirstConsumer" {
			return false
		}
	}
	f := onClaim(in, codes.WaitsForConsumer,
		"waits for a pod that mounts it, as its storage class wants (WaitForFirstConsumer)")
	f.Symptom = true // a stuck consumer explains it
	if recorded {
		f.ProveEvent(e)
	}
	_, placed := in.Object.Annotation("volume.kubernetes.io/selected-node")
	users := inspect.ClaimUsers(in, in.Object.ID)
	if len(users) == 0 { // what keeps its StatefulSet from making the Pod keeps the claim, too
		f.OfParent = true
		f.Blame(in.Snapshot.Parents(in.Object.ID)...)
	}
	for _, p := range users {
		// The scheduler chooses the volume's node before it binds the Pod (kubernetes v1.36,
		// pkg/scheduler/framework/plugins/volumebinding, PreBind).
		if p.Pod.Node != "" && !placed && p.Deleted.IsZero() && in.Older(p.Created, 30*time.Second) {
			f.Say("pod %s names node %s itself (spec.nodeName): the scheduler never sees it, and only the scheduler chooses where this volume is made (WaitForFirstConsumer)", p.Name, p.Pod.Node)
			f.Class, f.Symptom, f.Because, f.Absorbs = codes.Action, false, nil, []object.ID{p.ID}
			f.ProveOn(p.ID, "spec.nodeName", p.Pod.Node)
			f.ProveUnset(in.Object.ID, "metadata.annotations[volume.kubernetes.io/selected-node]")
			return true
		}
		f.Because = append(f.Because, p.ID)
		f.Say("waits for pod %s, which mounts it, to be scheduled (WaitForFirstConsumer)", p.Name)
	}
	return true
}

// silent finds ProvisionerSilent.
func silent(in *inspect.Inspector, c *object.Claim) bool {
	e, ok := in.Event(in.Object.ID, "ExternalProvisioning")
	if !ok {
		return false
	}
	driver := cmp.Or(message.Between(e.Message, "external provisioner '", "'"),
		message.Between(e.Message, `external provisioner "`, `"`))
	f := onClaim(in, codes.ProvisionerSilent, "the volume provisioner %s does not answer", driver)
	f.ProveEvent(e)
	f.Key, f.Shared = driver, true
	f.Certainty = inspect.Likely
	f.Next = []string{"kubectl get csidrivers"}
	// The name of a CSI driver has no slash. A driver need not have a CSIDriver object, but nearly
	// all do.
	id := inspect.ClusterID("storage.k8s.io", "CSIDriver", driver)
	if !strings.Contains(driver, "/") && in.Get(id) == nil && in.Absent(id) {
		f.ProveAbsent(id)
		f.Why("it is not installed")
	}
	if !e.First.IsZero() {
		f.Since = e.First
	}
	if !in.Older(f.Since, time.Minute) {
		f.Class = codes.Waits
		f.Say("the volume is being provisioned by %s", driver)
		f.Until, f.UntilWhat = f.Since.Add(time.Minute), "the provisioner counts as silent"
	} else {
		provisioner(in, f, c.StorageClass, driver)
	}
	return true
}

// notYet is the finding on a claim without any report.
func notYet(in *inspect.Inspector, c *object.Claim) bool {
	if in.Assessment.Status == status.Current || c.Phase != "Pending" || !in.Older(in.Object.Created, 10*time.Second) {
		return false
	}
	f := onClaim(in, codes.ClaimUnbound, "no volume has been bound to the claim yet")
	f.Certainty = inspect.Possible
	f.Class = codes.Retries
	f.Key = c.StorageClass
	return true
}

// latest reports whether an event is the newest one about its object's
// progress.
func latest(in *inspect.Inspector, e object.Event) bool {
	n, ok := in.Event(in.Object.ID, "ProvisioningFailed", "FailedBinding", "WaitForFirstConsumer",
		"WaitForPodScheduled", "ExternalProvisioning", "Provisioning", "ProvisioningSucceeded")
	return !ok || n.Reason == e.Reason || !n.Last.After(e.Last)
}

// resize finds VolumeResizePending, VolumeResizeFailed and VolumeModifyFailed.
func resize(in *inspect.Inspector, c *object.Claim) {
	for i := range in.Object.Conditions {
		x := &in.Object.Conditions[i]
		if x.Status != "True" {
			continue
		}
		var f *inspect.Finding
		switch x.Type {
		case "FileSystemResizePending":
			f = in.Find(codes.VolumeResizePending,
				"the volume has grown; its file system grows when a pod mounts it next")
		case "ModifyVolumeError":
			f = in.Find(codes.VolumeModifyFailed, "the volume cannot get the VolumeAttributesClass %s: %s",
				cmp.Or(c.AttributesTarget, c.Attributes), message.Reason(x.Message))
		case "ControllerResizeError", "NodeResizeError":
			f = in.Find(codes.VolumeResizeFailed, "the volume cannot be resized: %s", message.Reason(x.Message))
		case "Resizing":
			f = in.Find(codes.VolumeResizePending, "the volume is being resized to %s", c.Requested)
		default:
			continue
		}
		f.ProveCondition(in.Object.ID, x)
		if x.Type == "FileSystemResizePending" {
			mounted(in, f)
		}
		if f.Code == codes.VolumeResizePending {
			resizeRefused(in, f)
		}
		return
	}
	if strings.HasSuffix(c.Resize, "Infeasible") {
		f := in.Find(codes.VolumeResizeFailed, "the volume cannot be resized from %s to %s (%s)",
			c.Capacity, c.Requested, c.Resize)
		f.Prove("status.allocatedResourceStatuses.storage", c.Resize)
	}
	if in.Assessment.Status == status.InProgress && c.Resize == "" {
		resizerSilent(in, c)
	}
}

// resizerSilent finds VolumeResizePending where nobody resizes. The controller manager
// leaves a CSI volume to the driver's external resizer (kubernetes v1.36,
// pkg/controller/volume/expand, ExternalExpanding), whose first act is the condition
// Resizing (external-resizer v1.13, pkg/controller, markPVCResizeInProgress).
func resizerSilent(in *inspect.Inspector, c *object.Claim) {
	in.Need(inspect.Need{ID: in.Object.ID, Events: true})
	e, ok := in.Event(in.Object.ID, "ExternalExpanding")
	if !ok {
		return
	}
	f := in.FindEvent(codes.VolumeResizePending, e,
		"the volume is to be resized from %s to %s", c.Capacity, c.Requested)
	if in.Older(e.First, time.Minute) {
		f.Class, f.Certainty = codes.Action, inspect.Likely
		f.Say("nobody resizes the volume from %s to %s: the external resizer of its CSI driver has not taken that up",
			c.Capacity, c.Requested)
		if pv := in.Get(inspect.ClusterID("", "PersistentVolume", c.Volume)); pv != nil {
			if driver := pv.Str("spec", "csi", "driver"); driver != "" {
				f.Say("nobody resizes the volume from %s to %s: the external resizer of driver %s has not taken that up",
					c.Capacity, c.Requested, driver)
				f.ProveOn(pv.ID, "spec.csi.driver", driver)
			}
		}
	}
	f.Detail = message.Line(e.Message)
	f.Prove("spec.resources.requests.storage", c.Requested)
	f.Prove("status.capacity.storage", c.Capacity)
}

// mounted says which Pod mounts a volume whose file system has to grow. The kubelet grows it at
// once where the driver can (kubernetes v1.36, pkg/kubelet/volumemanager/reconciler); if it has not
// after the back-off of an operation on a volume, which ends at 2 min 2 s, it waits for a restart
// of the Pod.
func mounted(in *inspect.Inspector, f *inspect.Finding) {
	if !in.Older(f.Since, 5*time.Minute) {
		return
	}
	for _, p := range inspect.ClaimUsers(in, in.Object.ID) {
		if p.Pod.Phase == "Running" && p.Deleted.IsZero() && p.Created.Before(f.Since) {
			f.Class = codes.Action
			f.Say("the volume has grown, and its file system has not while pod %s mounts it: it grows when that starts anew", p.Name)
			inspect.ProveMount(in, f, p, in.Object.ID)
			f.Next = append(f.Next, in.Kubectl("describe", "pod", p.Name))
			return
		}
	}
}

// resizeRefused makes a resize that is under way one that fails, if a resizer repeats that it does.
// Without the feature RecoverVolumeExpansionFailure, which is on since Kubernetes 1.32, events
// alone have the error (external-resizer v1.13, pkg/util; kubelet, pkg/kubelet/events).
func resizeRefused(in *inspect.Inspector, f *inspect.Finding) {
	in.Need(inspect.Need{ID: in.Object.ID, Events: true})
	for _, w := range statements.Warnings(in, in.Object.ID, f.Since.Add(-2*time.Minute)) { // events have another clock
		if w.Reason != "VolumeResizeFailed" && w.Reason != "FileSystemResizeFailed" {
			continue
		}
		f.Become(codes.VolumeResizeFailed, "the volume cannot be resized to %s: %s",
			in.Object.Claim.Requested, message.Reason(w.Message))
		if !in.Older(w.Since(), retriedFor) {
			f.Class = codes.Retries
		}
		f.Detail = message.Fold(w.Message)
		w.Prove(f)
		return
	}
}

// retriedFor is how long a resize may be tried: the external resizer doubles its pauses from 1 s to
// 5 min (external-resizer v1.13, --retry-interval-max), which takes it 8.5 minutes.
const retriedFor = 10 * time.Minute

// claimDeleting finds ClaimDeleting and ClaimInUse.
func claimDeleting(in *inspect.Inspector) {
	if !slices.Contains(in.Object.Finalizers, "kubernetes.io/pvc-protection") {
		return
	}
	f := in.Find(codes.ClaimInUse, "is being deleted, but a pod still uses it")
	f.Since = in.Object.Deleted
	f.Prove("metadata.finalizers[*]", "kubernetes.io/pvc-protection")
	pods := in.List("", "Pod", in.Object.Namespace)
	for _, p := range inspect.ClaimUsers(in, in.Object.ID) {
		if p.Pod.Node == "" {
			continue // it holds no claim (kubernetes v1.36, pkg/controller/volume/pvcprotection, podUsesPVC)
		}
		f.Say("is being deleted, but pod %s still uses it", p.Name)
		inspect.ProveMount(in, f, p, in.Object.ID)
		f.Next = append(f.Next, in.Kubectl("get", "pod", p.Name))
		return
	}
	f.Certainty = inspect.Likely
	f.NoneOf(pods)
	if pods.Complete {
		f.Say("is being deleted: no scheduled pod uses it, and the controller manager has not released it yet")
	}
}
