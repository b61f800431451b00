package inventory

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// Source is one way in which a tool records what an apply created: how its root
// is found and its list decoded. To add one, add an entry to the table below.
type Source struct {
	// Name is for people: "Flux Kustomization". Short is the prefix on the
	// command line and in lists: "flux/ks".
	Name, Short string
	// Group and Kind of the root. An empty Kind means that Match decides by the
	// object's shape.
	Group, Kind string
	// Plural and Selector say how roots are listed. If there are several kinds,
	// Many says which; with none of them, roots are only found by name.
	Plural, Selector string
	Many             Many
	// Match inspects an object of that kind. Nil accepts every object.
	Match func(o *object.Object) bool
	// Read decodes a root. False means that it holds no inventory.
	Read func(o Object) (Set, bool)
	// Past marks roots that lists omit, because a newer one replaces them. Nil
	// omits none.
	Past func(o Object) bool
}

// Many finds the kinds of a source whose kinds depend on the cluster, in one of
// these ways.
type Many struct {
	Categories []string // categories of discovery, as in "kubectl get composite"
	Label      string   // KEY=VALUE label of CustomResourceDefinitions
	Graphs     bool     // the kinds that kro's ResourceGraphDefinitions define
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
			return Member{ID: object.ID{Group: "kappctrl.k14s.io", Kind: "App", Namespace: o.Namespace, Name: o.Name}}
		}),
	},
	{
		Name: "Timoni instance", Short: "timoni",
		Kind: "Secret", Plural: "secrets", Selector: "app.kubernetes.io/created-by=timoni", Match: timoniSecret, Read: timoniInstance,
	},
	// ApplySets come after sources with lists of their own, and before those
	// that only refer.
	{
		Name: "ApplySet", Short: "applyset",
		Kind: "Secret", Plural: "secrets", Selector: labelApplySet, Match: labelled(labelApplySet), Read: applySet,
	},
	{
		Name: "ApplySet", Short: "applyset",
		Kind: "ConfigMap", Plural: "configmaps", Selector: labelApplySet, Match: labelled(labelApplySet), Read: applySet,
	},
	{Name: "kro instance", Short: "kro", Selector: labelApplySet, Many: Many{Graphs: true}, Match: kroInstance, Read: applySet},
	{Name: "ApplySet", Short: "applyset", Selector: labelApplySet, Many: Many{Label: "applyset.kubernetes.io/is-parent-type=true"}, Match: labelled(labelApplySet), Read: applySet},
	{Name: "Cluster API Cluster", Group: "cluster.x-k8s.io", Kind: "Cluster", Plural: "clusters", Read: clusterAPI},
	{Name: "OLM Operator", Group: "operators.coreos.com", Kind: "Operator", Plural: "operators", Read: olmOperator},
	{Name: "OLM InstallPlan", Group: "operators.coreos.com", Kind: "InstallPlan", Plural: "installplans", Read: olmInstallPlan},
	{
		// OLM copies it into every namespace that the operator watches.
		Name: "OLM ClusterServiceVersion", Group: "operators.coreos.com", Kind: "ClusterServiceVersion", Plural: "clusterserviceversions",
		Selector: "!olm.copiedFrom", Read: olmServiceVersion,
	},
	{Name: "OLM ClusterExtension", Group: "olm.operatorframework.io", Kind: "ClusterExtension", Plural: "clusterextensions", Read: olmExtension},
	{
		Name: "OLM ClusterObjectSet", Group: "olm.operatorframework.io", Kind: "ClusterObjectSet", Plural: "clusterobjectsets",
		Read: olmObjectSet, Past: olmArchived,
	},
	{
		Name: "OLM ClusterExtensionRevision", Group: "olm.operatorframework.io", Kind: "ClusterExtensionRevision", Plural: "clusterextensionrevisions",
		Read: olmObjectSet, Past: olmArchived,
	},
	{Name: "Tekton PipelineRun", Group: "tekton.dev", Kind: "PipelineRun", Plural: "pipelineruns", Read: listed("status", "childReferences")},
	{Name: "Fleet Bundle", Group: "fleet.cattle.io", Kind: "BundleDeployment", Plural: "bundledeployments", Read: fleet},
	{Name: "Fleet GitRepo", Group: "fleet.cattle.io", Kind: "GitRepo", Plural: "gitrepos", Read: fleet},
	{Name: "Sveltos", Group: "config.projectsveltos.io", Kind: "ClusterConfiguration", Plural: "clusterconfigurations", Read: sveltos},
	{Name: "KubeVela Application", Group: "core.oam.dev", Kind: "Application", Plural: "applications", Read: velaApplication},
	{Name: "KubeVela ResourceTracker", Group: "core.oam.dev", Kind: "ResourceTracker", Plural: "resourcetrackers", Read: velaTracker},
	{Name: "Karmada Work", Group: "work.karmada.io", Kind: "Work", Plural: "works", Read: karmada},
	{Name: "Crossplane Provider", Group: "pkg.crossplane.io", Kind: "Provider", Plural: "providers", Read: crossplanePackage},
	{Name: "Crossplane Configuration", Group: "pkg.crossplane.io", Kind: "Configuration", Plural: "configurations", Read: crossplanePackage},
	{Name: "Crossplane Function", Group: "pkg.crossplane.io", Kind: "Function", Plural: "functions", Read: crossplanePackage},
	{Name: "Crossplane package revision", Group: "pkg.crossplane.io", Read: crossplanePackage},
	// Recognised by shape alone.
	{Name: "inventory", Match: hasEntries, Read: func(o Object) (Set, bool) { return fluxOperator(o) }},
	{Name: "Crossplane composite", Many: Many{Categories: []string{"composite", "claim"}}, Match: maybeComposite, Read: crossplane},
}

const (
	labelInventoryID = "cli-utils.sigs.k8s.io/inventory-id"
	labelKappApp     = "kapp.k14s.io/is-app"
	labelApplySet    = "applyset.kubernetes.io/id"
	labelPartOf      = "applyset.kubernetes.io/part-of"
)

// Recognise returns the source that may have an object as its root, or nil;
// Read decides. It costs a few comparisons.
func Recognise(o *object.Object) *Source {
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

// WholeKind reports whether roots of a kind ("apps/Deployment") are decoded
// from the whole object, which saves a request for each.
func WholeKind(groupKind string) bool { return wholeKinds[groupKind] }

var wholeKinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, s := range Known {
		if s.Group != "" && s.Kind != "" {
			kinds[object.ID{Group: s.Group, Kind: s.Kind}.GroupKind()] = true
		}
	}
	return kinds
}()

// The building blocks of most sources.

func labelled(key string) func(*object.Object) bool {
	return func(o *object.Object) bool {
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

// unobserved makes a set pending if the root's status is about an older
// generation.
func (s *Set) unobserved(o Object) {
	if why, ok := o.behind(); ok {
		s.Pending = why
	}
}

// listedAt returns the list at a path, and notes whether it exists.
func (s *Set) listedAt(o Object, path ...string) []any {
	s.Unlisted = o.at(path...) == nil
	return o.list(path...)
}

// entries reads the inventory of Flux's controllers.
func (s *Set) entries(o Object) { s.idEntries(s.listedAt(o, "status", "inventory", "entries")) }
