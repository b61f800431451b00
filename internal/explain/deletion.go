package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The API's own machinery: deletion and ownership.

// finalizers finds FinalizerBlocks and DependentsRemain: what keeps a deleted
// object.
func finalizers(l *look) {
	o := l.o
	if o.Deleted.IsZero() || o.Kind == "Namespace" && o.Group == "" || len(o.Finalizers) == 0 {
		return
	}
	if o.Claim != nil && slices.Contains(o.Finalizers, "kubernetes.io/pvc-protection") {
		return // claimDeleting reports it
	}
	if l.has("EvictionBlocked") {
		return // the finalizer's owner is working, and reports on what
	}
	fin := o.Finalizers[0]
	for _, x := range o.Finalizers {
		if x != "foregroundDeletion" && x != "orphan" {
			fin = x
			break
		}
	}
	if fin == "foregroundDeletion" {
		l.dependents()
		return
	}
	f := l.find("FinalizerBlocks", "is being deleted, and waits for finalizer %s", fin)
	f.Since = deleted(l.o)
	f.own = o.Pod != nil && l.replaced()
	f.Key = fin
	if fin == "customresourcecleanup.apiextensions.k8s.io" || fin == "batch.kubernetes.io/job-tracking" {
		f.Class = Waits
	}
	l.proof(f, "metadata.deletionTimestamp", o.Deleted)
	l.proof(f, "metadata.finalizers", strings.Join(o.Finalizers, ","))
	for _, c := range l.s.Children(o.ID) {
		if !c.Deleted.IsZero() && len(c.Finalizers) > 0 && c.Pod == nil {
			f.Symptom = true
			f.because(c.ID)
		}
	}
	if f.Symptom {
		f.Title += "; " + f.Because[0].String() + " is held by a finalizer, too"
	}
	if owner := l.finalizerOwner(f, fin); owner != "" {
		f.Title += " of " + owner
	}
	l.patience(f, o.Deleted, 10*time.Second)
	if fin == "batch.kubernetes.io/job-tracking" && o.Pod != nil {
		f.Title = "the Job controller has not released the pod (finalizer " + fin + ")"
		if l.older(o.Deleted, 10*time.Second) {
			f.Class = Action
		}
	}
	f.Next = []string{l.kubectl("get", resource(o.ID), o.Name, "-o", "jsonpath={.metadata.finalizers}")}
}

// dependents finds DependentsRemain: the garbage collector deletes an object's
// dependents first.
func (l *look) dependents() {
	f := l.find("DependentsRemain", "waits for what it owns to be deleted first, of which nothing is known here (finalizer foregroundDeletion)")
	f.Since = deleted(l.o)
	f.Symptom = true
	l.proof(f, "metadata.finalizers[*]", "foregroundDeletion")
	var left []string
	for _, c := range l.s.Children(l.o.ID) {
		left = append(left, c.ID.String())
		f.because(c.ID)
	}
	f.Next = []string{l.kubectl("get", "all")}
	if len(left) > 0 {
		f.Title = "waits for " + names(left, 3) + " to be deleted first"
		f.Next = []string{l.kubectl("describe", resource(f.Because[0]), f.Because[0].Name)}
	}
	l.patience(f, l.o.Deleted, 30*time.Second)
}

// finalizerOwner adds the controller that should remove a finalizer: the field
// manager that set it, with its last write, or else returns the owner of its
// domain. Whether that controller runs is only asked when nothing else can be
// what it waits for.
func (l *look) finalizerOwner(f *Finding, fin string) string {
	for _, w := range l.o.Writers {
		if slices.Contains(w.Finalizers, fin) && !isPerson(w.Manager) && !onlyApplied(w.Manager, fin) {
			f.Title += ", which " + w.Manager + " set"
			l.proof(f, "metadata.managedFields["+w.Manager+"].fieldsV1.f:metadata.f:finalizers[v:"+strconv.Quote(fin)+"]", "")
			lastWrite := time.Time{}
			for _, v := range l.o.Writers {
				if v.Manager == w.Manager && v.At.After(lastWrite) {
					lastWrite = v.At
				}
			}
			if !lastWrite.IsZero() {
				l.proof(f, "metadata.managedFields["+w.Manager+"].time", lastWrite)
				idle := lastWrite.Before(l.o.Deleted) && l.older(l.o.Deleted, time.Minute)
				if idle && !f.Symptom && !l.writtenSince(w.Manager, l.o.Deleted) {
					f.Title += " and has not touched since the deletion (is it running?)"
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

// writtenSince reports whether a field manager has written another object of the
// same kind since then: it runs.
func (l *look) writtenSince(manager string, then time.Time) bool {
	list, _ := l.s.List(l.o.Group, l.o.Kind, l.o.Namespace)
	return slices.ContainsFunc(list, func(o *object.Object) bool {
		return slices.ContainsFunc(o.Writers, func(w object.Writer) bool { return w.Manager == manager && w.At.After(then) })
	})
}

// resource is a kind as kubectl takes it.
func resource(id object.ID) string {
	if !strings.Contains(id.Group, ".") { // core, apps, batch, …: their kinds are unambiguous
		return strings.ToLower(id.Kind)
	}
	return strings.ToLower(id.Kind) + "." + id.Group
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
	"networking.gke.io":                       "GKE's ingress controller",
	"cdi.kubevirt.io":                         "KubeVirt's data importer",
}

// namespace finds a namespace that is stuck terminating, and what is left in
// it.
func namespace(l *look) {
	if l.o.Deleted.IsZero() && l.o.Str("status", "phase") != "Terminating" {
		return
	}
	l.again(l.o.Deleted.Add(10 * time.Second))
	for _, typ := range [...]string{"NamespaceDeletionDiscoveryFailure", "NamespaceDeletionGroupVersionParsingFailure"} {
		if x := l.o.ConditionIs(typ, "True"); x != nil {
			f := l.byCondition("NamespaceDiscoveryFailed", x, "the namespace cannot be emptied: an API group cannot be listed")
			f.Symptom, f.Detail = true, headline(x.Message)
			f.Next = []string{"kubectl get apiservices"}
			if gv := brokenGroup(f.Detail); gv != "" {
				group, version, _ := strings.Cut(gv, "/")
				id := cluster("apiregistration.k8s.io", "APIService", version+"."+group)
				f.Title = "the namespace cannot be emptied: API " + gv + " cannot be listed"
				f.blame(id)
				f.Key = gv
				l.object(id)
			}
		}
	}
	if x := l.o.ConditionIs("NamespaceDeletionContentFailure", "True"); x != nil {
		f := l.byCondition("NamespaceContentFailed", x, "the namespace's content cannot be deleted: %s", last(x.Message))
		f.Key, f.Detail = normal(x.Message), headline(x.Message)
		f.Next = []string{"kubectl get apiservices"}
	}
	if !l.remains() && len(l.found) == 0 {
		f := l.find("Deleting", "the namespace is being deleted")
		f.Since = l.o.Deleted
		f.Symptom = true
		l.proof(f, "status.phase", "Terminating")
	}
}

// remains finds NamespaceContentRemains, and names the objects left in a
// namespace.
func (l *look) remains() bool {
	finalizers, content := l.o.ConditionIs("NamespaceFinalizersRemaining", "True"), l.o.ConditionIs("NamespaceContentRemaining", "True")
	x := cmp.Or(finalizers, content)
	if x == nil {
		return false
	}
	what := remaining(headline(x.Message))
	f := l.byCondition("NamespaceContentRemains", x, "the namespace still holds objects: %s", what)
	f.Symptom, f.Detail = true, headline(x.Message)
	var left []string
	for _, r := range remainingKinds(headline(cmp.Or(content, finalizers).Message)) {
		f.Next = append(f.Next, command(l.o.Name, "get", r))
		kind, group := l.kindOf(r)
		if kind == "" {
			continue
		}
		list, _ := l.list(group, kind, l.o.Name)
		for _, o := range list {
			left = append(left, o.ID.String())
			f.because(o.ID)
		}
	}
	if len(left) > 0 {
		f.Title = "the namespace still holds " + names(left, 3)
		if finalizers != nil {
			f.Title += " (finalizers: " + what + ")"
		}
	}
	if finalizers == nil && !l.older(l.o.Deleted, 45*time.Second) {
		f.Class = Waits
	}
	return true
}

func (l *look) has(code string) bool {
	return slices.ContainsFunc(l.found, func(f *Finding) bool { return f.Code == code })
}

// brokenGroup parses the group/version of a discovery failure.
func brokenGroup(m string) string {
	rest := between(m, "server APIs: ", "")
	gv, _, _ := strings.Cut(rest, ": ")
	if strings.Count(gv, "/") == 1 && !strings.Contains(gv, " ") {
		return gv
	}
	return ""
}

func remaining(m string) string {
	for _, p := range [...]string{"Some resources are remaining: ", "Some content in the namespace has finalizers remaining: "} {
		if r := between(m, p, ""); r != "" {
			return r
		}
	}
	return m
}

// remainingKinds parses the resources of "widgets.lab.io has 1 resource
// instances".
func remainingKinds(m string) []string {
	var out []string
	for part := range strings.SplitSeq(remaining(m), ", ") {
		if r, _, ok := strings.Cut(part, " has "); ok && !strings.ContainsAny(r, " /") && len(out) < 5 {
			out = append(out, strings.TrimSuffix(r, "."))
		}
	}
	return out
}

// kindOf finds the kind of a resource ("widgets.lab.io") among the usual kinds,
// or in its CRD.
func (l *look) kindOf(resource string) (kind, group string) {
	plural, group, _ := strings.Cut(resource, ".")
	for kind, of := range builtinGroups {
		if low := strings.ToLower(kind); of == group && (plural == low+"s" || plural == low+"es") {
			return kind, group
		}
	}
	if !strings.Contains(group, ".") {
		return "", group
	}
	if d := l.object(cluster("apiextensions.k8s.io", "CustomResourceDefinition", resource)); d != nil {
		kind = d.Str("spec", "names", "kind")
	}
	return kind, group
}

// definition finds a CustomResourceDefinition that is not served, and why.
func definition(l *look) {
	if x := l.o.ConditionIs("Terminating", "True"); x != nil {
		f := l.byCondition("DefinitionTerminating", x, "the definition is being deleted: %s", headline(x.Message))
		f.Class = Waits
		if x.Reason == "InstanceDeletionFailed" || l.older(x.LastTransitionTime, time.Minute) {
			f.Class = Action
		}
		f.Next = []string{command("", "get", l.o.Name, "-A")}
		kind := l.o.Str("spec", "names", "kind")
		left, _ := l.s.List(l.o.Str("spec", "group"), kind, "")
		f.Title += podNames("; remaining: "+kind+" ", left)
		for _, o := range left {
			f.because(o.ID)
			f.Symptom = true
		}
		return
	}
	if x := l.o.ConditionIs("NamesAccepted", "False"); x != nil {
		f := l.byCondition("DefinitionNamesTaken", x, "its names are taken: %s", headline(x.Message))
		kind := l.o.Str("spec", "names", "kind")
		crds, _ := l.s.List("apiextensions.k8s.io", "CustomResourceDefinition", "")
		for _, c := range crds {
			if c.ID != l.o.ID && c.Str("spec", "group") == l.o.Str("spec", "group") && c.Str("spec", "names", "kind") == kind {
				f.Title = fmt.Sprintf("kind %s is taken already by %s", kind, c.Name)
				f.prove(c.ID, "spec.names.kind", kind)
			}
		}
		return
	}
	if x := l.o.ConditionIs("NonStructuralSchema", "True"); x != nil {
		l.byCondition("DefinitionInvalid", x, "its schema is not structural: %s", headline(x.Message))
		return
	}
	if x := l.o.ConditionIs("KubernetesAPIApprovalPolicyConformant", "False"); x != nil {
		l.byCondition("DefinitionInvalid", x, "a *.k8s.io group needs an approval: %s", headline(x.Message))
	}
}

// apiService finds APIServiceUnavailable.
func apiService(l *look) {
	x := l.o.Condition("Available")
	if x == nil || x.Status == "True" {
		return
	}
	f := l.byCondition("APIServiceUnavailable", x, "aggregated API %s is down: %s", l.o.Name, headline(x.Message))
	f.Detail = "While it is, namespaces cannot be deleted and garbage is not collected."
	f.Key, f.Shared = l.o.Name, true
	f.Next = []string{command("", "get", "apiservice", l.o.Name)}
	ns, name := l.o.Str("spec", "service", "namespace"), l.o.Str("spec", "service", "name")
	if name != "" {
		svc := object.ID{Kind: "Service", Namespace: ns, Name: name}
		if x.Reason == "ServiceNotFound" {
			f.proveAbsent(svc)
		} else {
			f.blame(svc)
			l.object(svc)
			f.Next = append(f.Next, command(ns, "get", "service,endpointslices,pods"))
		}
	}
}

// badOwner finds OwnerInvalid: the garbage collector deletes an object whose
// owner cannot exist.
func badOwner(l *look) {
	if e, ok := l.event(l.o.ID, "OwnerRefInvalidNamespace"); ok {
		f := l.byEvent("OwnerInvalid", e, "its owner %s %s is not in namespace %s: the garbage collector deletes it", between(e.Message, "ownerRef [", ","), between(e.Message, " name: ", ","), l.o.Namespace)
		f.Detail = headline(e.Message)
	}
}
