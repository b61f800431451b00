package inventory

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Source is one way in which the ecosystem records what an apply created: where
// its root is found, and how its list is read. Adding one is adding a line to
// the table below.
type Source struct {
	// Name is for people: "Flux Kustomization". Short is what stands before a
	// name on the command line and in lists: "flux/ks".
	Name, Short string
	// Group and Kind of the root. An empty Kind means that shape decides.
	Group, Kind string
	// Plural and Selector say how all roots are listed. An empty Plural means that
	// they are not.
	Plural, Selector string
	// Match looks closer at a root of that kind. Nil lets everything pass.
	Match func(o *status.Object) bool
	// Read decodes a root. False means that it holds no inventory after all.
	Read func(o Object) (Set, bool)
	// Revision is shown by lists that have the root's metadata alone.
	Revision func(o *status.Object) string
}

// Known are all sources, in the order in which they are tried.
var Known = []Source{
	{
		Name: "Flux Kustomization", Short: "flux/ks",
		Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization", Plural: "kustomizations", Read: fluxKustomization,
	},
	{
		Name: "Flux HelmRelease", Short: "flux/hr",
		Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease", Plural: "helmreleases", Read: fluxHelmRelease,
	},
	{
		Name: "Flux ResourceSet", Short: "flux/rset",
		Group: "fluxcd.controlplane.io", Kind: "ResourceSet", Plural: "resourcesets", Read: fluxOperator,
	},
	{
		Name: "Flux instance", Short: "flux/instance",
		Group: "fluxcd.controlplane.io", Kind: "FluxInstance", Plural: "fluxinstances", Read: fluxOperator,
	},
	{
		Name: "Argo CD Application", Short: "argo",
		Group: "argoproj.io", Kind: "Application", Plural: "applications", Read: argoApplication,
	},
	{
		Name: "Argo CD ApplicationSet", Short: "argo/appset",
		Group: "argoproj.io", Kind: "ApplicationSet", Plural: "applicationsets", Read: argoApplicationSet,
	},
	{
		Name: "ResourceGroup", Short: "inventory",
		Group: "kpt.dev", Kind: "ResourceGroup", Plural: "resourcegroups", Read: resourceGroup,
	},
	{Name: "Config Sync RootSync", Group: "configsync.gke.io", Kind: "RootSync", Plural: "rootsyncs", Read: configSync},
	{Name: "Config Sync RepoSync", Group: "configsync.gke.io", Kind: "RepoSync", Plural: "reposyncs", Read: configSync},
	{
		Name: "cli-utils inventory", Short: "inventory",
		Kind: "ConfigMap", Plural: "configmaps", Selector: labelInventoryID, Match: labelled(labelInventoryID), Read: inventoryConfigMap,
	},
	{
		Name: "kapp app", Short: "kapp",
		Kind: "ConfigMap", Plural: "configmaps", Selector: labelKappApp, Match: labelled(labelKappApp), Read: kappConfigMap,
	},
	{Name: "kapp-controller App", Group: "kappctrl.k14s.io", Kind: "App", Plural: "apps", Read: kappController},
	{
		Name: "Carvel PackageInstall", Group: "packaging.carvel.dev", Kind: "PackageInstall", Plural: "packageinstalls",
		Read: refersTo(func(o Object) Member {
			return Member{ID: status.ID{Group: "kappctrl.k14s.io", Kind: "App", Namespace: o.Namespace, Name: o.Name}}
		}),
	},
	{
		Name: "Timoni instance", Short: "timoni",
		Kind: "Secret", Plural: "secrets", Selector: "app.kubernetes.io/created-by=timoni", Match: timoniSecret, Read: timoniInstance,
	},
	// ApplySets come after what has a list of its own, before what merely refers.
	{
		Name: "ApplySet", Short: "applyset",
		Kind: "Secret", Plural: "secrets", Selector: labelApplySet, Match: labelled(labelApplySet), Read: applySet,
	},
	{
		Name: "ApplySet", Short: "applyset",
		Kind: "ConfigMap", Plural: "configmaps", Selector: labelApplySet, Match: labelled(labelApplySet), Read: applySet,
	},
	{Name: "ApplySet", Short: "applyset", Match: labelled(labelApplySet), Read: applySet},
	{Name: "Cluster API Cluster", Group: "cluster.x-k8s.io", Kind: "Cluster", Plural: "clusters", Read: clusterAPI},
	{Name: "OLM Operator", Group: "operators.coreos.com", Kind: "Operator", Plural: "operators", Read: olmOperator},
	{Name: "OLM InstallPlan", Group: "operators.coreos.com", Kind: "InstallPlan", Read: olmInstallPlan},
	{Name: "OLM ClusterServiceVersion", Group: "operators.coreos.com", Kind: "ClusterServiceVersion", Read: olmServiceVersion},
	{Name: "OLM ClusterExtension", Group: "olm.operatorframework.io", Kind: "ClusterExtension", Plural: "clusterextensions", Read: olmExtension},
	{Name: "OLM ClusterObjectSet", Group: "olm.operatorframework.io", Kind: "ClusterObjectSet", Read: olmObjectSet},
	{Name: "OLM ClusterExtensionRevision", Group: "olm.operatorframework.io", Kind: "ClusterExtensionRevision", Read: olmObjectSet},
	{Name: "Tekton PipelineRun", Group: "tekton.dev", Kind: "PipelineRun", Plural: "pipelineruns", Read: listed("status", "childReferences")},
	{Name: "Fleet Bundle", Group: "fleet.cattle.io", Kind: "BundleDeployment", Plural: "bundledeployments", Read: fleet},
	{Name: "Fleet GitRepo", Group: "fleet.cattle.io", Kind: "GitRepo", Plural: "gitrepos", Read: fleet},
	{Name: "Sveltos", Group: "config.projectsveltos.io", Kind: "ClusterConfiguration", Plural: "clusterconfigurations", Read: sveltos},
	{Name: "KubeVela Application", Group: "core.oam.dev", Kind: "Application", Plural: "applications", Read: velaApplication},
	{Name: "KubeVela ResourceTracker", Group: "core.oam.dev", Kind: "ResourceTracker", Read: velaTracker},
	{Name: "Karmada Work", Group: "work.karmada.io", Kind: "Work", Plural: "works", Read: karmada},
	{Name: "Crossplane package", Group: "pkg.crossplane.io", Read: crossplanePackage},
	// By shape alone.
	{Name: "inventory", Match: hasEntries, Read: func(o Object) (Set, bool) { return fluxOperator(o) }},
	{Name: "Crossplane composite", Match: maybeComposite, Read: crossplane},
}

const (
	labelInventoryID = "cli-utils.sigs.k8s.io/inventory-id"
	labelKappApp     = "kapp.k14s.io/is-app"
	labelApplySet    = "applyset.kubernetes.io/id"
	labelPartOf      = "applyset.kubernetes.io/part-of"
)

// Recognise finds the source whose root an object is, or may be: Read has the
// last word. It costs a few comparisons.
func Recognise(o *status.Object) *Source {
	for i := range Known {
		s := &Known[i]
		if s.Group != "" && s.Group != o.Group || s.Kind != "" && (s.Kind != o.Kind || s.Group != o.Group) {
			continue
		}
		if s.Match == nil || s.Match(o) {
			return s
		}
	}
	return nil
}

// WholeKind says of which kinds ("apps/Deployment") the whole object is worth
// keeping, because their roots are read from it: it saves asking for each of
// them again.
func WholeKind(groupKind string) bool { return wholeKinds[groupKind] }

var wholeKinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, s := range Known {
		if s.Group != "" && s.Kind != "" {
			kinds[status.ID{Group: s.Group, Kind: s.Kind}.GroupKind()] = true
		}
	}
	return kinds
}()

// The small declarations from which most sources are put together.

func labelled(key string) func(*status.Object) bool {
	return func(o *status.Object) bool {
		_, ok := o.Label(key)
		return ok
	}
}

func listed(path ...string) func(Object) (Set, bool) {
	return func(o Object) (Set, bool) {
		var s Set
		s.references(s.listedAt(o, path...), o.Namespace, nil)
		s.unobserved(o)
		return s, true
	}
}

func refersTo(what func(Object) Member) func(Object) (Set, bool) {
	return func(o Object) (Set, bool) {
		s := Set{Members: []Member{checked(what(o), o.Name)}}
		s.unobserved(o)
		return s, true
	}
}

// unobserved makes a set pending whose root says that it is about an older
// generation.
func (s *Set) unobserved(o Object) {
	if why, ok := o.behind(); ok {
		s.Pending = why
	}
}

// listedAt notes whether there is a list at a path.
func (s *Set) listedAt(o Object, path ...string) []any {
	s.Unlisted = o.at(path...) == nil
	return o.list(path...)
}

// entries reads the inventory that Flux's controllers write.
func (s *Set) entries(o Object) { s.idEntries(s.listedAt(o, "status", "inventory", "entries")) }

// The sources, each with what is peculiar about it.

// ready reads what Flux's controllers say of the progress of a root.
func (s *Set) ready(o Object) {
	if is, _, message := o.condition("Reconciling"); is == "True" {
		s.Pending = cmp.Or(message, "it is being reconciled")
	}
	s.unobserved(o)
	if suspended, _ := o.at("spec", "suspend").(bool); suspended {
		s.note("suspended")
		s.Source = status.ID{}
	}
	if ref := o.text("spec", "kubeConfig", "secretRef", "name"); ref != "" {
		s.Cluster = "the cluster of Secret " + status.Clean(ref)
	} else if ref := o.text("spec", "kubeConfig", "configMapRef", "name"); ref != "" {
		s.Cluster = "the cluster of ConfigMap " + status.Clean(ref)
	}
}

func fluxKustomization(o Object) (Set, bool) {
	var s Set
	s.entries(o)
	applied, attempted := o.text("status", "lastAppliedRevision"), o.text("status", "lastAttemptedRevision")
	s.Revision = status.Clean(cmp.Or(attempted, applied))
	if kind := o.text("spec", "sourceRef", "kind"); kind != "" {
		m := checked(Member{ID: status.ID{
			Group: "source.toolkit.fluxcd.io", Kind: kind,
			Namespace: cmp.Or(o.text("spec", "sourceRef", "namespace"), o.Namespace), Name: o.text("spec", "sourceRef", "name"),
		}}, kind)
		if m.Unreadable == "" {
			s.Source = m.ID
		}
	}
	if attempted != applied && attempted != "" {
		s.Pending = fmt.Sprintf("%s is being applied; %s was", revision(attempted), cmp.Or(revision(applied), "nothing"))
	}
	s.ready(o)
	return s, true
}

// revision is a revision as people read it: main@sha1:0123456.
func revision(s string) string {
	s = status.Clean(s)
	if i := strings.LastIndexByte(s, ':'); i >= 0 && len(s)-i > 13 {
		return s[:i+1] + s[i+1:i+8]
	}
	return s
}

// ShortRevision is a revision in as many letters as tell it from others.
func ShortRevision(s string) string { return revision(s) }

// SourceRevision is the revision that a source object (a GitRepository) offers.
func SourceRevision(o Object) string { return status.Clean(o.text("status", "artifact", "revision")) }

// Behind says that a set is not at its source's revision, or "".
func (s Set) Behind(source string) string {
	if s.Revision == "" || source == "" || source == s.Revision {
		return ""
	}
	return fmt.Sprintf("its source is at %s, it is at %s", revision(source), revision(s.Revision))
}

func fluxHelmRelease(o Object) (Set, bool) {
	var s Set
	s.entries(o)
	last, _ := first(o.list("status", "history")).(map[string]any)
	if n, ok := (Object{Body: last}).number("version"); ok {
		s.Revision = fmt.Sprint(n)
	}
	target := cmp.Or(o.text("spec", "targetNamespace"), o.Namespace)
	storage := cmp.Or(o.text("status", "storageNamespace"), o.text("spec", "storageNamespace"), o.Namespace)
	name := cmp.Or(text(last, "name"), HelmReleaseName(o.text("spec", "releaseName"), o.text("spec", "targetNamespace"), o.Name))
	s.Release = Release{Namespace: storage, Name: name}
	// What is in the inventory bears its namespace; the release's own is for the
	// manifest.
	for i := range s.Members {
		if s.Members[i].ID.Namespace == "" && s.Members[i].Unreadable == "" {
			s.Members[i].ID.Namespace = target
		}
	}
	s.ready(o)
	if s.Cluster != "" {
		s.Release = Release{}
	}
	return s, true
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func fluxOperator(o Object) (Set, bool) {
	var s Set
	s.entries(o)
	s.Revision = status.Clean(o.text("status", "lastAppliedRevision"))
	s.ready(o)
	return s, true
}

func hasEntries(o *status.Object) bool {
	_, ok := dig(o.Tree, "status", "inventory", "entries").([]any)
	return ok
}

// argoClaims maps Argo CD's health words to statuses.
var argoClaims = map[string]status.Status{
	"Healthy": status.Current, "Progressing": status.InProgress, "Degraded": status.Failed, "Suspended": status.InProgress,
	"Missing": status.NotFound, "Unknown": status.Unknown,
}

func argoApplication(o Object) (Set, bool) {
	var s Set
	server, name := o.text("spec", "destination", "server"), o.text("spec", "destination", "name")
	if server != "" && server != "https://kubernetes.default.svc" || name != "" && name != "in-cluster" {
		s.Cluster = status.Clean(cmp.Or(name, server))
	}
	s.references(s.listedAt(o, "status", "resources"), o.text("spec", "destination", "namespace"), func(e any, m *Member) {
		if hook, _ := dig(e, "hook").(bool); hook {
			m.Optional, m.Note = true, "hook"
		}
		if prune, _ := dig(e, "requiresPruning").(bool); prune {
			m.Optional, m.Note = true, "to be pruned"
		} else if text(e, "status") == "OutOfSync" {
			m.Note = "OutOfSync"
		}
		if word := status.Clean(text(e, "health", "status")); word != "" {
			m.Said = status.Said{By: "Argo CD", Word: word, Status: argoClaims[word]}
		}
	})
	s.Revision = status.Clean(o.text("status", "sync", "revision"))
	if o.text("status", "operationState", "phase") == "Running" {
		s.Pending = "a sync is running"
	}
	if o.at("operation") != nil {
		s.Pending = "a sync has been requested"
	}
	if is := o.text("status", "sync", "status"); is == "OutOfSync" {
		s.note("OutOfSync")
	}
	return s, true
}

func argoApplicationSet(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "resources"), o.Namespace, nil)
	if n, ok := o.number("status", "resourcesCount"); ok && int(n) > len(s.Members) {
		s.note("%d of its %d Applications are not listed", int(n)-len(s.Members), n)
	}
	s.unobserved(o)
	return s, true
}

func resourceGroup(o Object) (Set, bool) {
	var s Set
	type key struct{ group, kind, namespace, name string }
	claims := map[key]any{}
	behind, stale := o.behind()
	for _, r := range o.list("status", "resourceStatuses") {
		claims[key{text(r, "group"), text(r, "kind"), text(r, "namespace"), text(r, "name")}] = r
	}
	s.references(o.list("spec", "resources"), "", func(e any, m *Member) {
		r := claims[key{text(e, "group"), text(e, "kind"), text(e, "namespace"), text(e, "name")}]
		if r == nil || stale {
			return
		}
		// kpt writes "Unknown" whatever it saw.
		if word := status.Clean(text(r, "status")); word != "" && word != "Unknown" {
			m.Said = status.Said{By: "the ResourceGroup", Word: word, Status: status.Status(word)}
		}
		switch {
		case text(r, "actuation") == "Pending":
			s.Pending = "it is being applied"
		case text(r, "actuation") == "Failed":
			m.Note = "could not be applied"
		case text(r, "strategy") == "Delete":
			m.Note = "to be pruned"
		}
	})
	for _, g := range o.list("spec", "subgroups") {
		s.add(checked(Member{ID: status.ID{
			Group: "kpt.dev", Kind: "ResourceGroup", Namespace: cmp.Or(text(g, "namespace"), o.Namespace), Name: text(g, "name"),
		}}, compact(g)))
	}
	if stale {
		s.Pending = behind
	}
	s.Revision = status.Clean(o.annotation("configsync.gke.io/source-hash"))
	return s, true
}

func configSync(o Object) (Set, bool) {
	s := Set{Members: []Member{checked(Member{ID: status.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: o.Namespace, Name: o.Name}}, o.Name)}}
	s.Revision = status.Clean(cmp.Or(o.text("status", "sync", "commit"), o.text("status", "lastSyncedCommit")))
	if last := o.text("status", "source", "commit"); last != "" && last != s.Revision {
		s.Pending = fmt.Sprintf("%s is being synced", revision(last))
	}
	s.unobserved(o)
	return s, true
}

func inventoryConfigMap(o Object) (Set, bool) {
	var s Set
	data, _ := o.at("data").(map[string]any)
	s.idKeys(data)
	return s, true
}

func kappConfigMap(o Object) (Set, bool) {
	var s Set
	var spec struct {
		LabelKey       string `json:"labelKey"`
		LabelValue     string `json:"labelValue"`
		LastChangeName string `json:"lastChangeName"`
		LastChange     *struct {
			Successful  *bool    `json:"successful"`
			Description string   `json:"description"`
			Namespaces  []string `json:"namespaces"`
		} `json:"lastChange"`
		UsedGKs *[]struct{ Group, Kind string } `json:"usedGKs"`
	}
	if err := json.Unmarshal([]byte(o.text("data", "spec")), &spec); err != nil {
		s.add(unreadable("spec", errors.New("its spec is not the JSON that kapp writes")))
		return s, true
	}
	namespaces := []string{o.Namespace}
	if c := spec.LastChange; c != nil {
		for _, ns := range c.Namespaces {
			if spaceWord.MatchString(ns) && !slices.Contains(namespaces, ns) {
				namespaces = append(namespaces, ns)
			}
		}
		switch {
		case c.Successful == nil:
			s.Pending = "a change is being applied"
		case !*c.Successful:
			s.Told = status.Told{Status: status.Failed, Reason: "LastChangeFailed", Message: "kapp: the last change failed: " + status.Clean(c.Description)}
		}
	}
	s.Revision = status.Clean(spec.LastChangeName)
	l := Labels{Namespaces: namespaces, Filter: Identified}
	l.Selector = cmp.Or(spec.LabelKey, "kapp.k14s.io/app") + "=" + spec.LabelValue
	if spec.LabelValue == "" || !selectorWord(l.Selector) {
		s.add(unreadable("spec", errors.New("it names no label")))
		return s, true
	}
	if spec.UsedGKs == nil {
		s.note("the app does not say which kinds it uses: all are looked through")
	} else {
		for _, gk := range *spec.UsedGKs {
			m := Member{ID: status.ID{Group: gk.Group, Kind: gk.Kind, Name: "any"}}
			if err := m.check(); err != nil {
				s.add(unreadable(gk.Kind+"."+gk.Group, err))
				continue
			}
			l.Kinds = append(l.Kinds, status.ID{Group: gk.Group, Kind: gk.Kind})
		}
		if len(l.Kinds) == 0 {
			return s, true
		}
	}
	s.Labels = []Labels{l}
	return s, true
}

// selectorWord says whether a selector KEY=VALUE is just that.
func selectorWord(s string) bool {
	return !strings.ContainsAny(s, ", ()!\t\n") && strings.Count(s, "=") == 1 && s == status.Clean(s) && len(s) < 400
}

func kappController(o Object) (Set, bool) {
	var s Set
	r := o.at("status", "deploy", "kapp", "associatedResources")
	label := text(r, "label")
	if label == "" {
		// The app's own record, by the name that kapp-controller has given it since 0.30.
		s.add(checked(Member{ID: status.ID{Kind: "ConfigMap", Namespace: o.Namespace, Name: o.Name + ".app.apps.k14s.io"}}, o.Name))
	} else if selectorWord(label) {
		l := Labels{Selector: label, Filter: Identified}
		namespaces, _ := dig(r, "namespaces").([]any)
		for _, ns := range namespaces {
			if ns, _ := ns.(string); ns == "(cluster)" || spaceWord.MatchString(ns) {
				l.Namespaces = append(l.Namespaces, strings.TrimPrefix(ns, "(cluster)"))
			}
		}
		l.Namespaces = slices.DeleteFunc(l.Namespaces, func(ns string) bool { return ns == "" })
		gks, _ := dig(r, "groupKinds").([]any)
		for _, gk := range gks {
			l.Kinds = append(l.Kinds, s.groupKinds(strings.TrimSuffix(text(gk, "kind")+"."+text(gk, "group"), "."))...)
		}
		if len(l.Kinds) > 0 {
			s.Labels = []Labels{l}
		}
	}
	if is, _, message := o.condition("Reconciling"); is == "True" {
		s.Pending = cmp.Or(message, "it is being reconciled")
	}
	s.unobserved(o)
	return s, true
}

func timoniSecret(o *status.Object) bool {
	by, _ := o.Label("app.kubernetes.io/created-by")
	if by == "" {
		by, _ = o.Label("app.kubernetes.io/managed-by")
	}
	return strings.HasPrefix(o.Name, "timoni.") && (by == "" || strings.HasPrefix(by, "timoni"))
}

func timoniInstance(o Object) (Set, bool) {
	var s Set
	data, _ := o.at("data").(map[string]any)
	payload, _ := data["instance"].(string)
	if pending, ok := data["pending"].(string); ok && pending != "" {
		payload, s.Pending = pending, "it is being applied"
	}
	if payload == "" {
		return s, false
	}
	raw, err := base64.StdEncoding.DecodeString(payload)
	var instance struct { // no values, no configuration
		LastTransitionTime string `json:"lastTransitionTime"`
		Module             struct {
			Version string `json:"version"`
		} `json:"module"`
		Inventory struct {
			Entries []any `json:"entries"`
		} `json:"inventory"`
	}
	if err != nil || json.Unmarshal(raw, &instance) != nil {
		s.add(unreadable("instance", errors.New("the instance is not the JSON that Timoni writes")))
		return s, true
	}
	s.idEntries(instance.Inventory.Entries)
	s.Revision = status.Clean(instance.Module.Version)
	if o.annotation("status.timoni.sh/deleting") != "" {
		s.Pending = "it is being deleted"
	}
	return s, true
}

func applySet(o Object) (Set, bool) {
	var s Set
	l := Labels{Selector: labelPartOf + "=" + o.label(labelApplySet)}
	if !selectorWord(l.Selector) || o.label(labelApplySet) == "" {
		return s, false
	}
	if o.Namespace != "" {
		l.Namespaces = []string{o.Namespace}
	}
	for ns := range strings.SplitSeq(o.annotation("applyset.kubernetes.io/additional-namespaces"), ",") {
		if ns = trim(ns); spaceWord.MatchString(ns) && !slices.Contains(l.Namespaces, ns) {
			l.Namespaces = append(l.Namespaces, ns)
		}
	}
	kinds := o.annotation("applyset.kubernetes.io/contains-group-kinds")
	l.Kinds = s.groupKinds(kinds)
	if kinds == "" {
		for typ := range strings.SplitSeq(o.annotation("applyset.kubernetes.io/contains-group-resources"), ",") {
			if typ = trim(typ); typeWord.MatchString(typ) {
				l.Types = append(l.Types, typ)
			}
		}
	}
	if _, ok := o.at("metadata", "annotations", "applyset.kubernetes.io/contains-group-kinds").(string); !ok && len(l.Types) == 0 {
		s.note("the parent does not say which kinds it holds: all are looked through")
	} else if len(l.Kinds)+len(l.Types) == 0 {
		return s, true // it holds nothing
	}
	s.Labels = []Labels{l}
	s.unobserved(o)
	return s, true
}

// clusterAPI: what belongs to a cluster refers to it by a label; MachineSets and
// Machines stand under their owners.
func clusterAPI(o Object) (Set, bool) {
	var s Set
	s.references([]any{o.at("spec", "infrastructureRef"), o.at("spec", "controlPlaneRef")}, o.Namespace, func(e any, m *Member) {
		if g := text(e, "apiGroup"); g != "" && groupWord.MatchString(g) { // v1beta2
			m.ID.Group = g
		}
	})
	if sel := "cluster.x-k8s.io/cluster-name=" + o.Name; selectorWord(sel) {
		s.Labels = []Labels{{Selector: sel, Namespaces: []string{o.Namespace}, Kinds: []status.ID{
			{Group: "cluster.x-k8s.io", Kind: "MachineDeployment"},
			{Group: "cluster.x-k8s.io", Kind: "MachineSet"},
			{Group: "cluster.x-k8s.io", Kind: "Machine"},
		}}}
	}
	s.unobserved(o)
	return s, true
}

func olmOperator(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "components", "refs"), "", nil)
	return s, true
}

func olmInstallPlan(o Object) (Set, bool) {
	var s Set
	var refs []any
	for _, step := range o.list("status", "plan") {
		refs = append(refs, dig(step, "resource"))
	}
	s.references(refs, o.Namespace, nil)
	if phase := o.text("status", "phase"); phase != "Complete" {
		s.Pending = "the plan is " + cmp.Or(status.Clean(phase), "new")
	}
	return s, true
}

func olmServiceVersion(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "requirementStatus"), o.Namespace, nil)
	return s, true
}

func olmExtension(o Object) (Set, bool) {
	var s Set
	for _, r := range o.list("status", "activeRevisions") {
		kind := cmp.Or(text(r, "kind"), "ClusterObjectSet")
		s.add(checked(Member{ID: status.ID{Group: "olm.operatorframework.io", Kind: kind, Name: text(r, "name")}}, compact(r)))
	}
	s.unobserved(o)
	return s, true
}

func olmObjectSet(o Object) (Set, bool) {
	var s Set
	hidden := 0
	for _, phase := range o.list("spec", "phases") {
		objects, _ := dig(phase, "objects").([]any)
		for _, e := range objects {
			object, ok := dig(e, "object").(map[string]any)
			if !ok {
				hidden++
				continue
			}
			s.references([]any{map[string]any{
				"apiVersion": object["apiVersion"], "kind": object["kind"],
				"name": dig(object, "metadata", "name"), "namespace": dig(object, "metadata", "namespace"),
			}}, "", nil)
		}
	}
	if hidden > 0 {
		s.note("%d objects are stored in Secrets, which are not read", hidden)
	}
	return s, true
}

func fleet(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "resources"), "", nil)
	// Fleet's own cluster is served from a namespace of this name; every other
	// BundleDeployment is for a cluster elsewhere.
	if o.Kind != "BundleDeployment" || !strings.HasPrefix(o.Namespace, "cluster-fleet-local-") {
		s.Cluster = cmp.Or(o.label("fleet.cattle.io/cluster"), "Fleet's clusters")
		if o.Kind == "GitRepo" && o.Namespace == "fleet-local" {
			s.Cluster = ""
		}
	}
	if truncated, _ := o.at("status", "incompleteState").(bool); truncated {
		s.note("the list is cut off")
	}
	s.unobserved(o)
	return s, true
}

func sveltos(o Object) (Set, bool) {
	var s Set
	for _, p := range append(o.list("status", "clusterProfileResources"), o.list("status", "profileResources")...) {
		features, _ := dig(p, "Features").([]any)
		for _, f := range features {
			list, _ := dig(f, "resources").([]any)
			local := text(f, "deploymentType") == "Local"
			s.references(list, "", func(e any, m *Member) {
				if !local && text(e, "deploymentType") != "Local" {
					m.Cluster = cmp.Or(o.label("projectsveltos.io/cluster-name"), o.Name)
				}
			})
		}
	}
	return s, true
}

func velaApplication(o Object) (Set, bool) {
	var s Set
	s.vela(s.listedAt(o, "status", "appliedResources"), o.Namespace)
	if phase := o.text("status", "status"); phase == "runningWorkflow" || phase == "starting" || phase == "rendering" {
		s.Pending = "its workflow is running"
	}
	return s, true
}

func (s *Set) vela(list []any, namespace string) {
	s.references(list, namespace, func(e any, m *Member) {
		if c := status.Clean(text(e, "cluster")); c != "" && c != "local" {
			m.Cluster = c
		}
		if deleted, _ := dig(e, "deleted").(bool); deleted {
			m.Optional, m.Note = true, "to be pruned"
		}
	})
}

func velaTracker(o Object) (Set, bool) {
	var s Set
	list := o.list("spec", "managedResources")
	switch kind := o.text("spec", "compression", "type"); kind {
	case "":
	case "gzip":
		list = nil
		raw, err := base64.StdEncoding.DecodeString(o.text("spec", "compression", "data"))
		if err == nil {
			raw, err = inflate(raw)
		}
		if err == nil {
			err = json.Unmarshal(raw, &list)
		}
		if err != nil {
			s.add(unreadable("compression", errors.New("the compressed list cannot be read")))
		}
	default:
		s.add(unreadable("compression", fmt.Errorf("the list is compressed with %s, which is not read", status.Clean(kind))))
	}
	s.vela(list, "")
	return s, true
}

// inflate reads gzip, up to what a release may have.
func inflate(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: z, N: maxRelease + 1}
	out, err := io.ReadAll(limited)
	if err == nil && limited.N <= 0 {
		err = errReleaseTooLarge
	}
	return out, err
}

func karmada(o Object) (Set, bool) {
	var s Set
	var refs []any
	words := map[string]status.Status{"Healthy": status.Current, "Unhealthy": status.Failed}
	for _, m := range o.list("status", "manifestStatuses") {
		if id, ok := dig(m, "identifier").(map[string]any); ok {
			id["health"] = dig(m, "health")
			refs = append(refs, id)
		}
	}
	// A Work is carried out in the member cluster that its namespace is for.
	s.Cluster = strings.TrimPrefix(o.Namespace, "karmada-es-")
	s.references(refs, "", func(e any, m *Member) {
		if word := status.Clean(text(e, "health")); word != "" {
			m.Said = status.Said{By: "Karmada", Word: word, Status: words[word]}
		}
	})
	return s, true
}

func crossplanePackage(o Object) (Set, bool) {
	var s Set
	if refs := o.at("status", "objectRefs"); refs != nil {
		s.references(o.list("status", "objectRefs"), "", nil)
		return s, true
	}
	if current := o.text("status", "currentRevision"); current != "" {
		s.add(checked(Member{ID: status.ID{Group: o.Group, Kind: o.Kind + "Revision", Name: current}}, current))
		return s, true
	}
	return s, false
}

// maybeComposite: whatever Crossplane composes says whether it is synced. Only
// the whole object tells a composite from a managed resource.
func maybeComposite(o *status.Object) bool {
	return o.Tree != nil && strings.Contains(o.Group, ".") && o.Condition("Synced") != nil
}

func crossplane(o Object) (Set, bool) {
	var s Set
	known := false
	for _, path := range [][]string{{"spec", "crossplane", "resourceRefs"}, {"spec", "resourceRefs"}} {
		if list, ok := o.at(path...).([]any); ok {
			known = true
			s.references(list, o.Namespace, nil)
		}
	}
	if ref, ok := o.at("spec", "crossplane", "resourceRef").(map[string]any); ok {
		known = true
		s.references([]any{ref}, "", nil)
	} else if ref, ok := o.at("spec", "resourceRef").(map[string]any); ok && text(ref, "kind") != "" {
		known = true // a claim, whose composite is cluster-scoped
		s.references([]any{ref}, "", nil)
	}
	if !known {
		return s, false
	}
	if is, reason, message := o.condition("Synced"); is != "True" {
		s.Pending = cmp.Or(message, reason, "its composition has not been applied")
	}
	return s, true
}
