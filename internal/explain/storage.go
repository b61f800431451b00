package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Claims, volumes, mounts.

// claims finds problems of a Pod's claims from the Pod's side: the scheduler
// waits for a claim.
func (l *look) claims(x *object.Condition, said []verdict) bool {
	for _, v := range said {
		switch {
		case strings.HasPrefix(v.text, `persistentvolumeclaim "`):
			l.claimNamed(x, v.text)
			return true
		case strings.Contains(v.text, "unbound immediate PersistentVolumeClaims"):
			l.claimsUnbound(x)
			return true
		}
	}
	return false
}

// claimNamed is about a claim that the scheduler's message names.
func (l *look) claimNamed(x *object.Condition, text string) {
	name := between(text, `persistentvolumeclaim "`, `"`)
	id := l.id("", "PersistentVolumeClaim", name)
	code, title, symptom := "ClaimMissing", " does not exist", false
	switch {
	case strings.Contains(text, "is being deleted"):
		code, title, symptom = "ClaimDeleting", " is being deleted", true
	case !strings.Contains(text, "not found"):
		code, title, symptom = "ClaimUnbound", " cannot be used: "+text, true
	}
	f := l.byCondition(code, x, "PersistentVolumeClaim %s%s", name, title)
	f.Key, f.Shared = l.o.Namespace+" "+name, true
	if symptom {
		f.blame(id)
		return
	}
	l.missing(f, id, "")
	f.Next = []string{l.kubectl("get", "pvc")}
}

// claimsUnbound names a Pod's unbound claims.
func (l *look) claimsUnbound(x *object.Condition) {
	f := l.byCondition("ClaimUnbound", x, "waits for its PersistentVolumeClaim to be bound")
	f.Symptom = true
	f.Certainty = Likely
	var open []string
	for _, u := range l.o.Pod.Uses {
		if u.Kind != "PersistentVolumeClaim" {
			continue
		}
		id := l.id("", u.Kind, u.Name)
		f.Because = append(f.Because, id)
		if c := l.object(id); c == nil || c.Claim == nil || c.Claim.Phase != "Bound" {
			open = append(open, u.Name)
		}
	}
	if len(open) > 0 {
		f.Title = "waits for PersistentVolumeClaim " + names(open, 3) + " to be bound"
	}
	f.Key = strings.Join(open, " ")
	f.Next = []string{l.kubectl("get", "pvc")}
}

// claim explains a PersistentVolumeClaim that is not bound or not resized.
func claim(l *look) {
	c := l.o.Claim
	switch {
	case c == nil:
		return
	case !l.o.Deleted.IsZero():
		l.claimDeleting()
		return
	case c.Phase == "Bound":
		l.resize(c)
		return
	case c.Phase == "Lost":
		f := l.onClaim("VolumeLost", "its bound volume %s is gone", c.Volume)
		l.proof(f, "spec.volumeName", c.Volume)
		return
	}
	if len(l.s.Parents(l.o.ID)) == 0 {
		l.need(Need{ID: l.o.ID, Events: true}) // no other detector asks for them
	}
	for _, find := range unbound {
		if find(l, c) {
			return
		}
	}
}

// unbound are the reasons why a claim has no volume, in the order in which they
// are checked. Each reports whether it applies.
var unbound = []func(*look, *object.Claim) bool{
	(*look).mismatch, (*look).noClass, (*look).provisioning, (*look).noVolume, (*look).firstConsumer, (*look).silent, (*look).notYet,
}

// onClaim starts a finding about a claim without a volume.
func (l *look) onClaim(code, title string, args ...any) *Finding {
	f := l.find(code, title, args...)
	l.proof(f, "status.phase", l.o.Claim.Phase)
	return f
}

// mismatch finds VolumeLost and VolumeMismatch.
func (l *look) mismatch(c *object.Claim) bool {
	e, ok := l.event(l.o.ID, "VolumeMismatch")
	if ok {
		f := l.onClaim("VolumeMismatch", "%s does not fit the claim: %s", strings.TrimSuffix("volume "+c.Volume, " "), last(e.Message))
		f.proveEvent(e)
	}
	return ok
}

// noClass finds StorageClassMissing.
func (l *look) noClass(c *object.Claim) bool {
	class := cluster("storage.k8s.io", "StorageClass", c.StorageClass)
	e, said := l.event(l.o.ID, "ProvisioningFailed")
	said = said && strings.Contains(e.Message, "storageclass") && strings.Contains(e.Message, "not found")
	if !said {
		if e, ok := l.event(l.o.ID, "ProvisioningFailed"); ok && l.latest(e) || c.StorageClass == "" || !l.absent(class) {
			return false
		}
	}
	f := l.onClaim("StorageClassMissing", "StorageClass %s does not exist", c.StorageClass)
	f.Key, f.Shared = c.StorageClass, true
	l.proof(f, "spec.storageClassName", c.StorageClass)
	classes, _ := l.list("storage.k8s.io", "StorageClass", "")
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
		f.Title += "; the cluster has " + names(have, 4)
	}
	f.Next = []string{"kubectl get storageclass"}
	if said {
		f.proveEvent(e)
	} else {
		f.proveAbsent(class)
	}
	return true
}

// provisioning finds ProvisioningFailed.
func (l *look) provisioning(c *object.Claim) bool {
	e, ok := l.event(l.o.ID, "ProvisioningFailed")
	if !ok || !l.latest(e) {
		return false
	}
	f := l.onClaim("ProvisioningFailed", "the volume cannot be provisioned: %s", last(e.Message))
	f.Detail = headline(e.Message)
	f.Key = c.StorageClass + " " + normal(last(e.Message))
	f.proveEvent(e)
	return true
}

// noVolume finds NoStorageClass, and a claim that no volume matches.
func (l *look) noVolume(c *object.Claim) bool {
	e, ok := l.event(l.o.ID, "FailedBinding")
	switch {
	case ok && strings.Contains(e.Message, "no storage class is set"):
		f := l.onClaim("NoStorageClass", "no storage class is set, and the cluster has no default one")
		f.Key, f.Shared = l.o.Namespace, true
		if c.HasClass && c.StorageClass == "" {
			f.Title = `storageClassName is "", and no volume fits the claim`
			f.Shared = false
		}
		f.proveEvent(e)
		f.Next = []string{"kubectl get storageclass"}
	case ok && l.latest(e):
		f := l.onClaim("ClaimUnbound", "%s", headline(e.Message))
		f.Key = normal(f.Title)
		f.proveEvent(e)
	default:
		return false
	}
	return true
}

// firstConsumer finds WaitsForConsumer: nothing is wrong unless a Pod that
// mounts it is stuck, and then the Pod is to blame.
func (l *look) firstConsumer(c *object.Claim) bool {
	e, said := l.event(l.o.ID, "WaitForFirstConsumer", "WaitForPodScheduled")
	said = said && l.latest(e)
	if !said {
		sc := l.s.Object(cluster("storage.k8s.io", "StorageClass", c.StorageClass))
		_, provisions := l.event(l.o.ID, "ExternalProvisioning")
		if provisions || sc == nil || sc.Str("volumeBindingMode") != "WaitForFirstConsumer" {
			return false
		}
	}
	f := l.onClaim("WaitsForConsumer", "waits for a pod that mounts it, as its storage class wants (WaitForFirstConsumer)")
	f.Symptom = true // a stuck consumer explains it
	if said {
		f.proveEvent(e)
	}
	for _, p := range l.users(l.o.ID) {
		f.Because = append(f.Because, p.ID)
		f.Title = "waits for pod " + p.Name + ", which mounts it, to be scheduled (WaitForFirstConsumer)"
	}
	return true
}

// users are the known Pods that mount a claim.
func (l *look) users(claim object.ID) []*object.Object {
	pods, _ := l.s.List("", "Pod", claim.Namespace)
	return slices.DeleteFunc(slices.Clone(pods), func(p *object.Object) bool {
		return p.Pod == nil || !slices.ContainsFunc(p.Pod.Uses, func(u object.Use) bool { return u.Kind == claim.Kind && u.Name == claim.Name })
	})
}

// silent finds ProvisionerSilent.
func (l *look) silent(*object.Claim) bool {
	e, ok := l.event(l.o.ID, "ExternalProvisioning")
	if !ok {
		return false
	}
	driver := cmp.Or(between(e.Message, "external provisioner '", "'"), between(e.Message, `external provisioner "`, `"`))
	f := l.onClaim("ProvisionerSilent", "the volume provisioner %s does not answer", driver)
	f.proveEvent(e)
	f.Key, f.Shared = driver, true
	f.Certainty = Likely
	f.Next = []string{"kubectl get csidrivers"}
	if id := cluster("storage.k8s.io", "CSIDriver", driver); l.absent(id) {
		f.proveAbsent(id)
		f.Title += ": it is not installed"
		f.Certainty = Proven
	}
	if !e.First.IsZero() {
		f.Since = e.First
	}
	if !l.older(f.Since, time.Minute) {
		f.Class = Waits
		f.Title = "the volume is being provisioned by " + driver
		f.Until, f.UntilWhat = f.Since.Add(time.Minute), "the provisioner counts as silent"
	}
	return true
}

// notYet is the finding on a claim without any report.
func (l *look) notYet(c *object.Claim) bool {
	if l.a.Status == status.Current || c.Phase != "Pending" || !l.older(l.o.Created, 10*time.Second) {
		return false
	}
	f := l.onClaim("ClaimUnbound", "no volume has been bound to the claim yet")
	f.Certainty = Possible
	f.Class = Retries
	f.Key = c.StorageClass
	return true
}

// latest reports whether an event is the newest one about its object's
// progress.
func (l *look) latest(e object.Event) bool {
	n, ok := l.event(l.o.ID, "ProvisioningFailed", "FailedBinding", "WaitForFirstConsumer", "WaitForPodScheduled", "ExternalProvisioning", "Provisioning", "ProvisioningSucceeded")
	return !ok || n.Reason == e.Reason || !n.Last.After(e.Last)
}

// resize finds VolumeResizePending and VolumeResizeFailed.
func (l *look) resize(c *object.Claim) {
	for i := range l.o.Conditions {
		x := &l.o.Conditions[i]
		if x.Status != "True" {
			continue
		}
		var f *Finding
		switch x.Type {
		case "FileSystemResizePending":
			f = l.find("VolumeResizePending", "the volume has grown; its file system grows when a pod mounts it next")
		case "ControllerResizeError", "NodeResizeError", "ModifyVolumeError":
			f = l.find("VolumeResizeFailed", "the volume cannot be resized: %s", last(x.Message))
		case "Resizing":
			f = l.find("VolumeResizePending", "the volume is being resized to %s", c.Requested)
		default:
			continue
		}
		f.proveCondition(l.o.ID, x)
		return
	}
	if strings.HasSuffix(c.Resize, "Infeasible") {
		f := l.find("VolumeResizeFailed", "the volume cannot be resized from %s to %s (%s)", c.Capacity, c.Requested, c.Resize)
		l.proof(f, "status.allocatedResourceStatuses.storage", c.Resize)
	}
}

// claimPath is the path of a Pod's claims.
const claimPath = "spec.volumes[*].persistentVolumeClaim.claimName"

// proveMount adds as evidence how a Pod uses a claim: by name or, for a generic
// ephemeral volume, as its owner.
func (l *look) proveMount(f *Finding, pod *object.Object, claim object.ID) {
	c := l.s.Object(claim)
	if c != nil && slices.ContainsFunc(c.Owners, func(o object.Owner) bool { return o.UID == pod.UID }) {
		f.prove(claim, "metadata.ownerReferences["+pod.Name+"].kind", "Pod")
		return
	}
	f.prove(pod.ID, claimPath, claim.Name)
}

// claimDeleting finds ClaimDeleting and ClaimInUse.
func (l *look) claimDeleting() {
	if !slices.Contains(l.o.Finalizers, "kubernetes.io/pvc-protection") {
		return
	}
	f := l.find("ClaimInUse", "is being deleted, but a pod still uses it")
	f.Since = l.o.Deleted
	l.proof(f, "metadata.finalizers[*]", "kubernetes.io/pvc-protection")
	for _, p := range l.users(l.o.ID) {
		f.Title = "is being deleted, but pod " + p.Name + " still uses it"
		l.proveMount(f, p, l.o.ID)
		f.Next = append(f.Next, l.kubectl("get", "pod", p.Name))
		return
	}
	f.Certainty = Likely
}

// volume finds VolumeReleased and VolumeFailed.
func volume(l *look) {
	phase := l.o.Str("status", "phase")
	var f *Finding
	switch phase {
	case "Released":
		name := l.o.Str("spec", "claimRef", "name")
		f = l.find("VolumeReleased", "its claim %s/%s is gone; the volume is kept, and no claim can bind it again while it names that one (spec.claimRef)", l.o.Str("spec", "claimRef", "namespace"), name)
		l.proof(f, "spec.claimRef.name", name)
	case "Failed":
		f = l.find("VolumeFailed", "the volume could not be reclaimed")
		if m := l.o.Str("status", "message"); m != "" {
			f.Title += ": " + last(m)
			l.proof(f, "status.message", m)
		}
	default:
		return
	}
	f.Key = phase
	l.proof(f, "status.phase", phase)
}

// staleClaim finds StaleClaim: the controller makes no Pod while the previous
// one's claim still exists (kubernetes pkg/controller/statefulset,
// PodClaimIsStale, v1.36).
func (l *look) staleClaim(w *object.Workload, byOrdinal map[int64]*object.Object, want int64) {
	for i := range min(want, 100) {
		n := kinds.OrdinalsOf(w).First + i
		if byOrdinal[n] != nil {
			continue
		}
		pod := l.o.Name + "-" + strconv.FormatInt(n, 10)
		for _, t := range w.ClaimTemplates {
			c := l.s.Object(l.id("", "PersistentVolumeClaim", t+"-"+pod))
			if c == nil {
				continue
			}
			owned := slices.ContainsFunc(c.Owners, func(o object.Owner) bool { return o.Kind == "Pod" && o.Name == pod })
			if c.Deleted.IsZero() && !owned {
				continue
			}
			f := l.find("StaleClaim", "%s is not created yet: its old PersistentVolumeClaim %s has to be deleted first", pod, c.Name)
			f.Key = pod
			f.Since = c.Deleted
			f.blame(c.ID)
			if owned {
				f.prove(c.ID, "metadata.ownerReferences["+pod+"].kind", "Pod")
			}
			if !c.Deleted.IsZero() {
				f.prove(c.ID, "metadata.deletionTimestamp", c.Deleted)
			}
			f.Next = []string{l.kubectl("describe", "pvc", c.Name)}
			return
		}
		return // the lowest missing ordinal decides
	}
}
