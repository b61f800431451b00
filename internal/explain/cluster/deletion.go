package cluster

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The API's own machinery: deletion and ownership.

func init() { inspect.Detect(inspect.Detector{Find: finalizers}) }

// finalizers finds FinalizerBlocks and DependentsRemain: why an object still exists whose deletion
// was requested.
func finalizers(in *inspect.Inspector) {
	o := in.Object
	if o.Deleted.IsZero() || len(o.Finalizers) == 0 {
		return
	}
	if o.GroupKind() == "Namespace" && !emptied(o) {
		return // its content comes first
	}
	if o.Claim != nil && slices.Contains(o.Finalizers, "kubernetes.io/pvc-protection") {
		return // claimDeleting reports it
	}
	statement := statements.Deletion(in)
	finalizer, name := blocking(o, statement)
	if finalizer == "foregroundDeletion" {
		dependents(in)
		return
	}
	f := in.Find(codes.FinalizerBlocks, "is being deleted, and waits for finalizer %s", finalizer)
	f.Since = inspect.DeletionRequested(in.Object)
	f.OnlyItself = o.Pod != nil && inspect.Replaced(in)
	f.Key = finalizer
	if finalizer == "customresourcecleanup.apiextensions.k8s.io" || finalizer == jobTracking {
		f.Class = codes.Waits
	}
	f.Prove("metadata.deletionTimestamp", o.Deleted)
	f.Prove("metadata.finalizers", strings.Join(o.Finalizers, ","))
	for _, c := range in.Children(o.ID) {
		if !c.Deleted.IsZero() && len(c.Finalizers) > 0 && c.Pod == nil {
			f.Symptom = true
			f.AddBecause(c.ID)
		}
	}
	if f.Symptom {
		f.Also("%s is held by a finalizer, too", f.Because[0].String())
	}
	if owner := finalizerOwner(in, f, finalizer); owner != "" {
		f.Add(" of %s", owner)
	}
	in.Patience(f, o.Deleted, 10*time.Second)
	if finalizer == jobTracking && o.Pod != nil {
		f.Say("the Job controller has not released the pod (finalizer %s)", finalizer)
		if in.Older(o.Deleted, 10*time.Second) {
			f.Class = codes.Action
			withoutJob(in, f)
		}
	}
	// What its owner says comes before the finalizer: to remove that is not the way out.
	f.Next = []string{in.Kubectl("describe", wording.Resource(o.ID), o.Name)}
	for i, s := range statement {
		if i == 0 {
			f.Why("%s", withoutSelf(o, message.Short(withoutSelf(o, s.Message), 110)))
			f.Detail = message.Fold(s.Message)
			f.Key += " " + wording.Normal(s.Message)
			f.Class = codes.Action
			if s.Event != nil && !in.Older(s.Event.First, 5*time.Minute) {
				f.Class = codes.Retries
			}
		}
		if i < 3 {
			s.Prove(f)
		}
	}
	f.Next = append(f.Next, in.Kubectl("get", wording.Resource(o.ID), o.Name, "-o", "jsonpath={.metadata.finalizers}"))
	if o.GroupKind() == "PersistentVolume" && strings.HasPrefix(finalizer, "external-attacher/") {
		attached(in, f)
	}
	if name == "" {
		if len(statement) == 0 && !f.Symptom && ofOneController(o, finalizer) {
			f.Key, f.Shared = finalizer+" "+o.Group, true
		}
		return
	}
	if other := in.ID(o.Group, o.Kind, name); in.Get(other) != nil {
		f.Next = append([]string{in.Kubectl("describe", wording.Resource(other), name)}, f.Next...)
	} else if in.Absent(other) {
		f.Also("%s %s does not exist", o.Kind, name)
		f.ProveAbsent(other)
	}
}

// ofOneController reports whether all objects of a group that wait for a finalizer wait for the
// same: for a controller. Kubernetes' own finalizers wait for what uses the object, and a Pod's for
// its Job or node.
func ofOneController(o *object.Object, finalizer string) bool {
	domain, name, _ := strings.Cut(finalizer, "/")
	return o.Pod == nil && domain != "kubernetes" && domain != "kubernetes.io" && domain != "batch.kubernetes.io" &&
		domain != "external-attacher" && !strings.HasSuffix(name, "-protection")
}

// withoutJob adds that the Job of a Pod is gone: the controller removes its finalizer only when it
// has counted the Pod in the Job's status, and one without a Job at its next restart (kubernetes
// v1.36, pkg/controller/job, syncOrphanPod).
func withoutJob(in *inspect.Inspector, f *inspect.Finding) {
	by, ok := in.Object.Controller()
	if !ok || by.Kind != "Job" {
		return
	}
	id := in.ID("batch", "Job", by.Name)
	if in.Get(id) == nil && in.Absent(id) {
		f.Say("its Job %s does not exist any more, and the Job controller has not released the pod (finalizer %s)",
			by.Name, jobTracking)
		f.ProveAbsent(id)
	}
}

// jobTracking keeps a Job's Pods until they are counted (kubernetes v1.36,
// staging/src/k8s.io/api/batch/v1).
const jobTracking = "batch.kubernetes.io/job-tracking"

// withoutSelf leaves out the object's own name, with which a message about it begins: the title has
// it.
func withoutSelf(o *object.Object, text string) string {
	own := strings.ToLower(o.Kind) + " " + o.Name + " is "
	if len(text) > len(own) && strings.EqualFold(text[:len(own)], own) {
		return text[len(own):]
	}
	return text
}

// attached names the nodes that a volume is attached to: the attacher removes its finalizer once no
// VolumeAttachment is left (kubernetes-csi/external-attacher v4.8, pkg/controller/csi_handler.go).
func attached(in *inspect.Inspector, f *inspect.Finding) {
	for _, a := range in.List("storage.k8s.io", "VolumeAttachment", "").Items {
		if a.Str("spec", "source", "persistentVolumeName") != in.Object.Name {
			continue
		}
		node := a.Str("spec", "nodeName")
		f.Also("a VolumeAttachment to node %s remains", node)
		f.ProveOn(a.ID, "spec.nodeName", node)
		if id := inspect.ClusterID("", "Node", node); in.Get(id) == nil && in.Absent(id) {
			f.ProveAbsent(id)
			f.Note("that node does not exist any more")
		}
		for _, path := range [...]string{"detachError", "attachError"} {
			if m := a.Str("status", path, "message"); m != "" {
				f.ProveOn(a.ID, "status."+path+".message", m)
				f.Why("%s", message.Short(m, 110))
				break
			}
		}
		f.Next = append([]string{wording.Command("", "describe", "volumeattachment", a.Name)}, f.Next...)
		return
	}
}

// blocking is the finalizer that a deletion waits for: of several the one that what is said of the
// deletion names, or whose last part is a name in it, which is returned, too; or the one that the
// author of an event has set; otherwise the first that is not the garbage collector's.
func blocking(o *object.Object, said []statements.Statement) (finalizer, name string) {
	candidates := slices.DeleteFunc(slices.Clone(o.Finalizers), func(x string) bool {
		return x == "foregroundDeletion" || x == "orphan"
	})
	switch len(candidates) {
	case 0:
		return o.Finalizers[0], ""
	case 1:
		return candidates[0], ""
	}
	betweenWords := func(r rune) bool { return strings.ContainsRune(" ,;:\"'`()[]", r) }
	for _, s := range said {
		for w := range strings.FieldsFuncSeq(s.Message, betweenWords) {
			w = strings.TrimRight(w, ".")
			if slices.Contains(candidates, w) {
				return w, ""
			}
			if w == o.Name || !strings.Contains(w, "-") || !message.IsName(w) {
				continue
			}
			ends := func(x string) bool { return strings.HasSuffix(x, "."+w) || strings.HasSuffix(x, "/"+w) }
			if i := slices.IndexFunc(candidates, ends); i >= 0 && !slices.ContainsFunc(candidates[i+1:], ends) {
				return candidates[i], w
			}
		}
		if s.Event == nil || s.Event.From == "" {
			continue
		}
		for _, w := range o.Writers {
			if w.Manager != s.Event.From {
				continue
			}
			set := func(finalizer string) bool { return slices.Contains(w.Finalizers, finalizer) }
			if i := slices.IndexFunc(candidates, set); i >= 0 {
				return candidates[i], ""
			}
		}
	}
	return candidates[0], ""
}

// dependents finds DependentsRemain: the garbage collector deletes an object's
// dependents first.
func dependents(in *inspect.Inspector) {
	f := in.Find(codes.DependentsRemain,
		"waits for what it owns to be deleted first, of which nothing is known here (finalizer foregroundDeletion)")
	f.Since = inspect.DeletionRequested(in.Object)
	f.Symptom = true
	f.Prove("metadata.finalizers[*]", "foregroundDeletion")
	var left []string
	for _, c := range in.Children(in.Object.ID) {
		left = append(left, c.ID.String())
		f.AddBecause(c.ID)
	}
	f.Next = []string{in.Kubectl("get", "all")}
	if len(left) > 0 {
		f.Say("waits for %s to be deleted first", wording.Names(left, 3))
		f.Next = []string{in.Kubectl("describe", wording.Resource(f.Because[0]), f.Because[0].Name)}
	}
	in.Patience(f, in.Object.Deleted, 30*time.Second)
}

// finalizerOwner adds the controller that should remove a finalizer: the field
// manager that set it, with its last write, or else returns the owner of its
// domain. Whether that controller runs is only asked when nothing else can be
// what it waits for.
func finalizerOwner(in *inspect.Inspector, f *inspect.Finding, fin string) string {
	for _, w := range in.Object.Writers {
		if slices.Contains(w.Finalizers, fin) && !isPerson(w.Manager) && !onlyApplied(w.Manager, fin) {
			f.Add(", which %s set", w.Manager)
			f.Prove("metadata.managedFields["+w.Manager+
				"].fieldsV1.f:metadata.f:finalizers[v:"+strconv.Quote(fin)+"]", "")
			lastWrite := time.Time{}
			for _, v := range in.Object.Writers {
				if v.Manager == w.Manager && v.At.After(lastWrite) {
					lastWrite = v.At
				}
			}
			if !lastWrite.IsZero() {
				f.Prove("metadata.managedFields["+w.Manager+"].time", lastWrite)
				idle := lastWrite.Before(in.Object.Deleted) && in.Older(in.Object.Deleted, time.Minute)
				if idle && !f.Symptom && !writtenSince(in, w.Manager, in.Object.Deleted) {
					f.Add(" and has not touched since the deletion (is it running?)")
				}
			}
			return ""
		}
	}
	domain, _, _ := strings.Cut(fin, "/")
	return finalizerOwners[domain]
}

// onlyApplied reports whether a field manager is a program that applies the
// manifests of others: a finalizer in a manifest belongs to another controller.
func onlyApplied(manager, finalizer string) bool {
	switch manager {
	case "kustomize-controller", "helm-controller", "flux-operator":
		return !strings.Contains(finalizer, "fluxcd")
	case "argocd-controller", "argocd-application-controller":
		return !strings.Contains(finalizer, "argo")
	}
	return false
}

// writtenSince reports whether a field manager has written an event about the object, or another
// object of the same kind, since then: it runs.
func writtenSince(in *inspect.Inspector, manager string, then time.Time) bool {
	if slices.ContainsFunc(in.Snapshot.Events(in.Object.ID), func(e object.Event) bool {
		return e.From == manager && e.Last.After(then)
	}) {
		return true
	}
	list := in.Known(in.Object.Group, in.Object.Kind, in.Object.Namespace).Items
	return slices.ContainsFunc(list, func(o *object.Object) bool {
		return slices.ContainsFunc(o.Writers, func(w object.Writer) bool {
			return w.Manager == manager && w.At.After(then)
		})
	})
}

// isPerson reports whether a field manager is a command-line tool, with which a
// user set a finalizer of another controller.
func isPerson(manager string) bool {
	return strings.HasPrefix(manager, "kubectl") || manager == "helm" || manager == "before-first-apply"
}

// finalizerOwners names the controllers of finalizers' domains.
var finalizerOwners = map[string]string{
	"kubernetes":                              "the namespace controller",
	"kubernetes.io":                           "Kubernetes's protection controllers",
	"batch.kubernetes.io":                     "the Job controller",
	"service.kubernetes.io":                   "the cloud's service controller",
	"external-attacher":                       "the CSI attacher",
	"snapshot.storage.kubernetes.io":          "the snapshot controller",
	"finalizers.fluxcd.io":                    "Flux",
	"finalizer.managedresource.crossplane.io": "the Crossplane provider",
	"cluster.cluster.x-k8s.io":                "Cluster API",
	"machine.cluster.x-k8s.io":                "Cluster API",
	"foregroundDeletion":                      "the garbage collector",
	"orphan":                                  "the garbage collector",
	"elbv2.k8s.aws":                           "the AWS load balancer controller",
	"ingress.k8s.aws":                         "the AWS load balancer controller",
	"group.ingress.k8s.aws":                   "the AWS load balancer controller",
	"service.k8s.aws":                         "the AWS load balancer controller",
	"networking.gke.io":                       "GKE's ingress controller",
	"cdi.kubevirt.io":                         "KubeVirt's data importer",
	"controller.cattle.io":                    "Rancher",
}
