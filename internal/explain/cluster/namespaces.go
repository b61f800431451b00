package cluster

import (
	"cmp"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/admission"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func init() { inspect.Detect(inspect.Detector{Kinds: []string{"Namespace"}, Find: namespace}) }

// namespace finds a namespace that is stuck terminating, and what is left in
// it.
func namespace(in *inspect.Inspector) {
	if in.Object.Deleted.IsZero() && in.Object.Str("status", "phase") != "Terminating" {
		return
	}
	for _, typ := range [...]string{
		"NamespaceDeletionDiscoveryFailure",
		"NamespaceDeletionGroupVersionParsingFailure",
	} {
		if x := in.Object.ConditionIs(typ, "True"); x != nil {
			f := in.FindCondition(codes.NamespaceDiscoveryFailed, x,
				"the namespace cannot be emptied: an API group cannot be listed")
			f.Symptom, f.Detail = true, message.Line(x.Message)
			f.Next = []string{"kubectl get apiservices"}
			if gv := brokenGroup(f.Detail); gv != "" {
				group, version, _ := strings.Cut(gv, "/")
				id := inspect.ClusterID("apiregistration.k8s.io", "APIService", version+"."+group)
				f.Say("the namespace cannot be emptied: API %s cannot be listed", gv)
				f.Blame(id)
				f.Key = gv
				in.Get(id)
			}
		}
	}
	if x := in.Object.ConditionIs("NamespaceDeletionContentFailure", "True"); x != nil {
		what := x.Message
		// Failed to delete all resource types, 1 remaining: …
		if _, after, ok := strings.Cut(what, " remaining: "); ok {
			what = after
		}
		f := in.FindCondition(codes.NamespaceContentFailed, x,
			"the namespace's content cannot be deleted: %s", message.Short(what, 160))
		f.Key, f.Detail = wording.Normal(x.Message), message.Line(x.Message)
		if w := message.Between(x.Message, `failed calling webhook "`, `"`); w != "" {
			admission.WebhookDown(in, message.Line(x.Message)).ProveCondition(in.Object.ID, x)
		} else {
			f.Next = []string{wording.Command(in.Object.Name, "get", "all")}
		}
	}
	remains(in)
	if emptied(in.Object) && len(in.Object.Finalizers) > 0 {
		return // finalizers reports it
	}
	f := in.Find(codes.Deleting, "the namespace is being deleted")
	f.Since = in.Object.Deleted
	f.Symptom = true
	f.Prove("status.phase", "Terminating")
}

// emptied reports whether the namespace controller has finished: as long as a namespace that is
// being deleted holds objects, its spec has that controller's finalizer. Those of its metadata may
// remain. (kubernetes v1.36, pkg/controller/namespace/deletion/namespaced_resources_deleter.go)
func emptied(o *object.Object) bool { return len(o.List("spec", "finalizers")) == 0 }

// remains finds NamespaceContentRemains, and names the objects left in a
// namespace.
func remains(in *inspect.Inspector) {
	finalizers := in.Object.ConditionIs("NamespaceFinalizersRemaining", "True")
	content := in.Object.ConditionIs("NamespaceContentRemaining", "True")
	x := cmp.Or(finalizers, content)
	if x == nil {
		return
	}
	what := remaining(message.Line(x.Message))
	if content != nil && finalizers != nil {
		what = strings.TrimSuffix(remaining(message.Line(content.Message)), ".") + "; finalizers: " + what
	}
	f := in.FindCondition(codes.NamespaceContentRemains, x, "the namespace still holds objects: %s", what)
	f.Symptom, f.Detail = true, message.Line(x.Message)
	var left []string
	for _, r := range remainingKinds(message.Line(cmp.Or(content, finalizers).Message)) {
		f.Next = append(f.Next, wording.Command(in.Object.Name, "get", r))
		kind, group := kindOf(in, r)
		if kind == "" {
			continue
		}
		list := in.List(group, kind, in.Object.Name).Items
		for _, o := range list {
			left = append(left, o.ID.String())
			f.AddBecause(o.ID)
		}
	}
	if len(left) > 0 {
		f.Say("the namespace still holds %s", wording.Names(left, 3))
		if finalizers != nil {
			f.Note("finalizers: %s", remaining(message.Line(finalizers.Message)))
		}
	}
	if finalizers == nil && !in.Older(in.Object.Deleted, 45*time.Second) {
		f.Class = codes.Waits
	}
}

// brokenGroup parses the group/version of a discovery failure.
func brokenGroup(m string) string {
	rest := message.Between(m, "server APIs: ", "")
	gv, _, _ := strings.Cut(rest, ": ")
	if strings.Count(gv, "/") == 1 && !strings.Contains(gv, " ") {
		return gv
	}
	return ""
}

func remaining(m string) string {
	for _, p := range [...]string{
		"Some resources are remaining: ",
		"Some content in the namespace has finalizers remaining: ",
	} {
		if r := message.Between(m, p, ""); r != "" {
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
