package general

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/admission"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// Links follows what findings name. Of each object that a message or the spec
// names three things are asked: does it exist, is it being deleted, and what does
// its status say: if something is wrong with it, that is the cause.
func Links(in *inspect.Inspector) {
	if in.Object.Pod != nil {
		return // its detectors know what a Pod refers to
	}
	for _, f := range in.Found {
		if !f.Remark && linked(f) {
			named(in, f)
			admission.AddConversionFailure(in, f, f.Detail)
		}
	}
	waitsFor(in)
	if f := mainFinding(in); f != nil && in.Object.Deleted.IsZero() &&
		(f.Code.Family == "custom" || f.Code == codes.WarningEvent || f.Code == codes.NotReady) {
		mentioned(in, f)
	}
	standsFor(in)
}

// waitsFor makes ordinary progress of a custom resource the consequence of what is
// wrong with the objects that it refers to: a snapshot's content, a claim's composite.
func waitsFor(in *inspect.Inspector) {
	if inspect.BuiltinGroup(in.Object.Group) || in.Object.Tree == nil {
		return
	}
	for _, f := range in.Found {
		if f.Code != codes.Progressing && f.Code != codes.Reconciling {
			continue
		}
		for _, r := range edges.References(in.Object) {
			if o := in.Get(r.To); o != nil && !slices.Contains(f.Because, o.ID) && !ancestor(in, o.ID) {
				because(f, o.ID)
			}
		}
	}
}

// linked reports whether a finding quotes a controller: those of built-in kinds
// have followed their references already.
func linked(f *inspect.Finding) bool {
	switch f.Code.Family {
	case "custom", "general":
		return true
	}
	return slices.Contains([]*codes.Code{
		codes.FinalizerBlocks, codes.NamespaceContentFailed, codes.IngressAddressPending,
		codes.LoadBalancerPending, codes.LoadBalancerFailed, codes.BudgetIneffective,
	}, f.Code)
}

// namedMost bounds the objects in one finding's messages that are looked up.
const namedMost = 6

// named looks up what the messages of a finding name.
func named(in *inspect.Inspector, f *inspect.Finding) {
	var list []message.Object
	take := func(text string) {
		for _, o := range message.Objects(text) {
			if len(list) < namedMost && !slices.ContainsFunc(list, func(p message.Object) bool {
				return p.Kind == o.Kind && p.Resource == o.Resource && p.Name == o.Name
			}) {
				list = append(list, o)
			}
		}
	}
	take(f.Title())
	for _, e := range slices.Clone(f.Evidence) {
		if e.Type == inspect.EventEvidence || e.Type == inspect.FieldEvidence && strings.HasPrefix(e.Path, "status.") {
			take(e.Value)
		}
	}
	for _, m := range list {
		if id, ok := resolve(in, m); ok {
			link(in, f, id, m)
		}
	}
}

// resolve makes an ID of what a message names: in the object's namespace unless
// it says another, and of a kind of the object's group if nobody else has it.
func resolve(in *inspect.Inspector, m message.Object) (object.ID, bool) {
	id := object.ID{Group: m.Group, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
	if graph, _ := in.Object.Label("kro.run/resource-graph-definition-name"); graph != "" && m.Kind == "Node" {
		return id, false // kro v0.9 calls the parts of its graphs nodes
	}
	clustered := clusterKinds[m.Kind] || strings.HasPrefix(m.Kind, "Cluster") && m.Kind != "Cluster"
	if m.AnyGroup && inspect.BuiltinGroup(in.Object.Group) {
		return id, false
	}
	switch {
	case m.AnyGroup && m.Resource == "":
		id.Group = edges.Sibling(in.Object, m.Kind)
	case m.Resource != "":
		if m.AnyGroup {
			id.Group = in.Object.Group
		}
		crd := in.Get(inspect.ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", m.Resource+"."+id.Group))
		if crd == nil {
			return id, false
		}
		id.Kind, clustered = crd.Str("spec", "names", "kind"), crd.Str("spec", "scope") == "Cluster"
	}
	switch {
	case clustered:
		id.Namespace = ""
	case id.Namespace == "":
		id.Namespace = placeOf(in.Object)
	}
	if id.Namespace == "" && !clustered && !m.AnyGroup {
		return id, false
	}
	return id, id.Kind != "" && id != in.Object.ID
}

// placeOf is the namespace of what an object's messages name.
func placeOf(o *object.Object) string {
	if o.GroupKind() == "argoproj.io/Application" {
		if ns := o.Str("spec", "destination", "namespace"); ns != "" {
			return ns
		}
	}
	if o.GroupKind() == "Namespace" {
		return o.Name
	}
	return o.Namespace
}

// clusterKinds are those of the kinds that messages name without a group that are
// cluster-scoped.
var clusterKinds = map[string]bool{
	"Node": true, "Namespace": true, "PersistentVolume": true, "StorageClass": true, "VolumeAttachment": true, "CSINode": true, "CSIDriver": true,
	"IngressClass": true, "PriorityClass": true, "RuntimeClass": true, "CustomResourceDefinition": true, "APIService": true, "GatewayClass": true,
	"ValidatingWebhookConfiguration": true, "MutatingWebhookConfiguration": true, "ClusterRole": true, "ClusterRoleBinding": true, "ClusterIssuer": true, "ClusterSecretStore": true,
}

// link asks the three questions of an object that a message names.
func link(in *inspect.Inspector, f *inspect.Finding, id object.ID, m message.Object) {
	if slices.Contains(f.Because, id) || ancestor(in, id) {
		return
	}
	o := in.Get(id)
	switch {
	case o != nil:
		id = o.ID
		because(f, id)
		if f.Class == codes.Terminal {
			quote(in, f, o)
		}
		if !o.Deleted.IsZero() && in.Object.Deleted.IsZero() {
			f.ProveOn(id, "metadata.deletionTimestamp", o.Deleted)
			add(f, id.Kind+" "+id.Name+" is being deleted")
		} else if m.Missing && o.Created.After(f.Since) && !f.Since.IsZero() {
			f.ProveOn(id, "metadata.creationTimestamp", o.Created)
			add(f, id.Kind+" "+id.Name+" exists now")
		}
	case in.Snapshot.Hidden(id.Group, id.Kind, id.Namespace) != "":
		in.CouldNotRead(f, wording.Resource(id), id)
	case refused(f, id.Name): // it was not to be made: it is not missing
	case id.Kind == "Node" && !m.Missing: // databases and clouds call their machines so, too
	case !m.AnyGroup && in.Absent(id):
		doesNotExist(f, id, "")
		inspect.OtherScope(in, f, id)
		if f.Class == codes.Waits || f.Class == codes.Retries {
			f.Class = codes.Action
		}
	}
}

// refused reports whether a finding says that the API server did not accept an object. Contour calls a Secret
// invalid that it does not find.
func refused(f *inspect.Finding, name string) bool {
	says := func(text string) bool {
		invalid := strings.Contains(text, `"`+name+`" is invalid`) && !strings.Contains(text, "not found")
		return invalid || strings.Contains(text, `"`+name+`" is forbidden`)
	}
	return says(f.Title()) || slices.ContainsFunc(f.Evidence, func(e inspect.Evidence) bool { return says(e.Value) })
}

// quote adds to what has ended the reason that an object has which it names: the finding
// stays the cause, because the object's recovery does not bring it back.
func quote(in *inspect.Inspector, f *inspect.Finding, o *object.Object) {
	a, ok := in.Snapshot.Assessment(o.ID)
	if !ok || a.Status == status.Current || o.Tree == nil {
		return
	}
	best := text{}
	for _, t := range texts(o.Map("status"), "status", "", "", 0) {
		if t.weight >= message.SaysWhy && better(t, best, "") {
			best = t
		}
	}
	if best.path != "" {
		f.ProveOn(o.ID, best.path, best.value)
		add(f, o.Kind+" "+o.Name+": "+message.Short(best.value, 160))
	}
}

// because makes a finding the symptom of what is wrong with another object, if
// something is.
func because(f *inspect.Finding, id object.ID) {
	f.AddBecause(id)
	if f.Class != codes.Terminal {
		f.Symptom = true
	}
}

// ancestor reports whether an object is above the inspected one: what a child says
// of its owner is no reason for the child.
func ancestor(in *inspect.Inspector, id object.ID) bool {
	at := in.Object.ID
	for range 8 {
		parents := in.Snapshot.Parents(at)
		if slices.Contains(parents, id) {
			return true
		}
		if len(parents) == 0 {
			return false
		}
		at = parents[0]
	}
	return false
}

// doesNotExist adds that an object does not exist.
func doesNotExist(f *inspect.Finding, id object.ID, whose string) {
	if slices.ContainsFunc(f.Evidence, func(e inspect.Evidence) bool {
		return e.Type == inspect.AbsenceEvidence && e.Ref == id && e.Path == ""
	}) {
		return
	}
	f.ProveAbsent(id)
	i := strings.Index(f.Title(), id.Name)
	if i >= 0 && wording.HasAny(strings.ToLower(f.Title()[i:]), "not found", "not exist", "doesn't exist") && whose == "" {
		return
	}
	add(f, id.Kind+" "+id.Name+whose+" does not exist")
}

// add adds a clause to a title, once.
func add(f *inspect.Finding, clause string) {
	f.Also("%s", clause)
}

// mentioned looks up what the spec of a custom resource names, and what that
// names in turn: a missing Secret of a TriggerAuthentication of a ScaledObject.
func mentioned(in *inspect.Inspector, f *inspect.Finding) {
	if slices.ContainsFunc(f.Evidence, func(e inspect.Evidence) bool {
		return e.Type == inspect.AbsenceEvidence && e.Path == ""
	}) {
		return // it is known what is missing
	}
	words := f.Title() + " " + f.Detail
	for _, m := range edges.Mentions(in.Object) {
		m = served(in, m)
		if ancestor(in, m.To) {
			continue
		}
		if !m.Ref && !strings.Contains(words, m.To.Name) && !message.RanOutOfTime(words) {
			continue // it may be made by the object itself
		}
		o := in.Get(m.To)
		switch {
		case o == nil && edges.Composes(m.Path):
			continue
		case o == nil && missing(in, m):
			f.Prove(m.Path, m.To.Name)
			doesNotExist(f, m.To, "")
			inspect.OtherScope(in, f, m.To)
			return
		case o == nil:
			if !m.Guessed {
				in.CouldNotRead(f, wording.Resource(m.To), m.To)
			}
			continue
		case !o.Deleted.IsZero():
			f.Prove(m.Path, m.To.Name)
			f.ProveOn(m.To, "metadata.deletionTimestamp", o.Deleted)
			add(f, m.To.Kind+" "+m.To.Name+" is being deleted")
			return
		}
		if !slices.Contains(f.Because, o.ID) {
			because(f, o.ID)
		}
		ofOtherType(f, o, words)
		for _, next := range edges.Mentions(o) {
			next = served(in, next)
			if next.Ref && in.Get(next.To) == nil && missing(in, next) {
				f.Prove(m.Path, m.To.Name)
				f.ProveOn(m.To, next.Path, next.To.Name)
				doesNotExist(f, next.To, ", which "+m.To.Kind+" "+m.To.Name+" names,")
				return
			}
			inOtherNamespace(in, f, o, next)
		}
	}
}

// ofOtherType notes that a Secret exists which is said not to be found, and its type: a controller may
// only see those of a type, as Contour does those of kubernetes.io/tls (projectcontour/contour v1.31,
// internal/dag/secret.go).
func ofOtherType(f *inspect.Finding, o *object.Object, words string) {
	typ, quoted := o.Str("type"), `"`+o.Name+`"`
	missing := strings.Contains(words, quoted+" not found") ||
		strings.Contains(words, quoted+" is invalid: Secret not found")
	if o.Kind != "Secret" || typ == "" || !missing {
		return
	}
	if !f.Since.IsZero() && o.Created.After(f.Since) {
		return // it came later
	}
	f.Also("Secret %s exists, of type %s", o.Name, typ)
	f.ProveOn(o.ID, "type", typ)
}

// inControllersNamespace are kinds without a namespace whose Secrets their controllers look for in
// the namespace that they run in themselves (kedacore/keda v2.17, KEDA_CLUSTER_OBJECT_NAMESPACE;
// cert-manager v1.18, --cluster-resource-namespace).
var inControllersNamespace = []string{"keda.sh/ClusterTriggerAuthentication", "cert-manager.io/ClusterIssuer"}

// inOtherNamespace notes that a Secret which such an object names is where the inspected object is.
func inOtherNamespace(in *inspect.Inspector, f *inspect.Finding, by *object.Object, m edges.Mention) {
	if !slices.Contains(inControllersNamespace, by.GroupKind()) || in.Object.Namespace == "" {
		return
	}
	if m.To.Kind != "Secret" || m.To.Namespace != "" {
		return
	}
	about := wording.HasAny(strings.ToLower(f.Title()), "auth", "secret", "credential", "header", "token", "password")
	here := in.ID("", "Secret", m.To.Name)
	if !about || in.Get(here) == nil {
		return
	}
	f.ProveOn(by.ID, m.Path, m.To.Name)
	f.ProveOn(here, "metadata.namespace", here.Namespace)
	f.Note("%s %s looks for Secret %s in its controller's namespace, and not in %s",
		by.Kind, by.Name, here.Name, here.Namespace)
}

// served is a mention with the kind that the cluster serves, where the kind is guessed from a field's name: vpcIdRef
// means a VPC, and not a Vpc. The definition with the usual name tells, and whether its objects have a namespace.
func served(in *inspect.Inspector, m edges.Mention) edges.Mention {
	if !m.Guessed {
		return m
	}
	name := wording.PluralOf(m.To.Kind) + "." + m.To.Group
	crd := in.Get(inspect.ClusterID("apiextensions.k8s.io", "CustomResourceDefinition", name))
	kind := ""
	if crd != nil {
		kind = crd.Str("spec", "names", "kind")
	}
	if !strings.EqualFold(kind, m.To.Kind) {
		return m
	}
	m.To.Kind = kind
	if crd.Str("spec", "scope") == "Cluster" {
		m.To.Namespace = ""
	}
	return m
}

// missing reports whether what a spec names is known not to exist. A kind that is only
// guessed proves something where the namespace has others of it: it is served, and
// namespaced.
func missing(in *inspect.Inspector, m edges.Mention) bool {
	if !in.Absent(m.To) || in.Snapshot.Hidden(m.To.Group, m.To.Kind, m.To.Namespace) != "" {
		return false
	}
	return !m.Guessed || len(in.List(m.To.Group, m.To.Kind, m.To.Namespace).Items) > 0
}

// standsFor follows a custom object that waits to what its spec names by the name of a kind: a
// Trigger's spec.broker is a Broker, a virtual machine's dataVolume a DataVolume. What the
// object waits for may be that, and says why. One that says itself what is wrong with what
// waits for something else only if its words name that, or if its time ran out.
func standsFor(in *inspect.Inspector) {
	o, f := in.Object, mainFinding(in)
	if f == nil && len(in.Found) > 0 && in.Found[0].Code == codes.Progressing {
		f = in.Found[0]
	}
	if f == nil || inspect.BuiltinGroup(o.Group) || o.Tree == nil || f.Class == codes.Terminal || !o.Deleted.IsZero() {
		return
	}
	words := f.Title() + " " + f.Detail
	knows := message.Weight(f.Title()) >= message.SaysWhyOfWhat && !message.RanOutOfTime(words)
	for _, id := range edges.NamedByKind(o, registry.KindsNamed) {
		if knows && !strings.Contains(words, id.Name) {
			continue
		}
		if named := in.Get(id); named != nil && !slices.Contains(f.Because, named.ID) && !ancestor(in, named.ID) {
			because(f, named.ID)
		}
	}
}
