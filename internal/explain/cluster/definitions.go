package cluster

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/admission"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() {
	inspect.Detect(inspect.Detector{
		Kinds:       []string{"apiextensions.k8s.io/CustomResourceDefinition"},
		AlsoCurrent: true, Find: definition,
	})
}

// definition finds a CustomResourceDefinition that is not served, and why.
func definition(in *inspect.Inspector) {
	if x := in.Object.ConditionIs("Terminating", "True"); x != nil {
		f := in.FindCondition(codes.DefinitionTerminating, x, "the definition is being deleted: %s",
			message.Short(x.Message, 160))
		f.Class = codes.Waits
		if x.Reason == "InstanceDeletionFailed" || in.Older(x.LastTransitionTime, time.Minute) {
			f.Class = codes.Action
		}
		f.Next = []string{wording.Command("", "get", in.Object.Name, "-A")}
		group, kind := in.Object.Str("spec", "group"), in.Object.Str("spec", "names", "kind")
		left := in.List(group, kind, "").Items // what remains is being deleted, too
		f.Add("%s", wording.PodNames("; remaining: "+kind+" ", left))
		for _, o := range left {
			f.AddBecause(o.ID)
			f.Symptom = true
		}
		return
	}
	if x := in.Object.ConditionIs("NamesAccepted", "False"); x != nil {
		f := in.FindCondition(codes.DefinitionNamesTaken, x, "its names are taken: %s", message.Short(x.Message, 160))
		kind := in.Object.Str("spec", "names", "kind")
		crds := in.Known("apiextensions.k8s.io", "CustomResourceDefinition", "").Items
		for _, c := range crds {
			if c.ID != in.Object.ID && c.Str("spec", "group") == in.Object.Str("spec", "group") &&
				c.Str("spec", "names", "kind") == kind {
				f.Say("kind %s is taken already by %s", kind, c.Name)
				f.ProveOn(c.ID, "spec.names.kind", kind)
			}
		}
		return
	}
	if x := in.Object.ConditionIs("NonStructuralSchema", "True"); x != nil {
		in.FindCondition(codes.DefinitionInvalid, x, "its schema is not structural: %s", message.Short(x.Message, 160))
		return
	}
	if x := in.Object.ConditionIs("KubernetesAPIApprovalPolicyConformant", "False"); x != nil {
		in.FindCondition(codes.DefinitionInvalid, x, "a *.k8s.io group needs an approval: %s",
			message.Short(x.Message, 160))
	}
}

// kindOf finds the kind of a resource ("widgets.lab.io") among the usual kinds,
// or in its CRD.
func kindOf(in *inspect.Inspector, resource string) (kind, group string) {
	plural, group, _ := strings.Cut(resource, ".")
	for kind, of := range inspect.BuiltinGroups {
		if low := strings.ToLower(kind); of == group && (plural == low+"s" || plural == low+"es") {
			return kind, group
		}
	}
	if !strings.Contains(group, ".") {
		return "", group
	}
	if d := in.Get(inspect.ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", resource)); d != nil {
		kind = d.Str("spec", "names", "kind")
	}
	return kind, group
}

func init() {
	inspect.Detect(inspect.Detector{
		Kinds:       []string{"apiregistration.k8s.io/APIService"},
		AlsoCurrent: true, Find: apiService,
	})
}

// apiService finds APIServiceUnavailable.
func apiService(in *inspect.Inspector) {
	x := in.Object.Condition("Available")
	if x == nil || x.Status == "True" {
		return
	}
	f := in.FindCondition(codes.APIServiceUnavailable, x, "aggregated API %s is down: %s", in.Object.Name,
		message.Short(x.Message, 160))
	f.Detail = "While it is, namespaces cannot be deleted and garbage is not collected."
	f.Key, f.Shared = in.Object.Name, true
	f.Next = []string{wording.Command("", "get", "apiservice", in.Object.Name)}
	ns, name := in.Object.Str("spec", "service", "namespace"), in.Object.Str("spec", "service", "name")
	if name != "" {
		svc := object.ID{Kind: "Service", Namespace: ns, Name: name}
		if x.Reason == "ServiceNotFound" {
			f.ProveAbsent(svc)
		} else {
			f.Blame(svc)
			inspect.BlamePods(in, f, in.Get(svc))
			f.Next = append(f.Next, wording.Command(ns, "get", "service,endpointslices,pods"))
		}
	}
}

func init() { inspect.Detect(inspect.Detector{Find: func(in *inspect.Inspector) { Conversion(in) }}) }

// Conversion finds ConversionWebhookDown: objects cannot be read in the
// requested version.
func Conversion(in *inspect.Inspector) bool {
	if inspect.BuiltinGroup(in.Object.Group) {
		return false
	}
	trouble := in.Snapshot.Trouble(in.Object.Group, in.Object.Kind, in.Object.Namespace)
	_, _, why, ok := message.ConversionDown(trouble)
	if !ok {
		return false
	}
	f := in.Find(codes.ConversionWebhookDown, "the conversion webhook of %s does not answer: %s",
		in.Object.GroupKind(), message.Reason(why))
	f.Key, f.Shared = in.Object.GroupKind(), true
	f.Detail = message.Line(trouble)
	f.ProveObserved(in.Object.ID, "source", trouble)
	for _, d := range inspect.Definitions(in, in.Object.Group, in.Object.Kind) {
		admission.AddConversionService(in, f, d)
	}
	f.Next = append(f.Next, "kubectl get crd")
	return true
}
