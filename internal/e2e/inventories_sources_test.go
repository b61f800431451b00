package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
)

// The sources without scenarios of their own, all in the same way: each root is
// followed under every name that it has, while members come and go, and is in
// the list of inventories.

// served are their kinds: group/version Kind plural, "c" for those of the
// cluster's scope, a short name, "@category", "+" for a parent of ApplySets.
const served = `
fluxcd.controlplane.io/v1 ResourceSet resourcesets rset
fluxcd.controlplane.io/v1 FluxInstance fluxinstances
argoproj.io/v1alpha1 ApplicationSet applicationsets appset
kappctrl.k14s.io/v1alpha1 App apps
packaging.carvel.dev/v1alpha1 PackageInstall packageinstalls pkgi
configsync.gke.io/v1beta1 RootSync rootsyncs
configsync.gke.io/v1beta1 RepoSync reposyncs
claims.example.org/v1 Shelf shelves @claim
claims.example.org/v1 XShelf xshelves c @composite
pkg.crossplane.io/v1 Provider providers c
pkg.crossplane.io/v1 ProviderRevision providerrevisions c
cluster.x-k8s.io/v1beta1 Cluster clusters
cluster.x-k8s.io/v1beta1 MachineDeployment machinedeployments md
cluster.x-k8s.io/v1beta1 MachineSet machinesets
cluster.x-k8s.io/v1beta1 Machine machines
infrastructure.cluster.x-k8s.io/v1beta1 DockerCluster dockerclusters
operators.coreos.com/v1 Operator operators c
operators.coreos.com/v1alpha1 InstallPlan installplans
operators.coreos.com/v1alpha1 ClusterServiceVersion clusterserviceversions csv
olm.operatorframework.io/v1 ClusterExtension clusterextensions c
olm.operatorframework.io/v1 ClusterObjectSet clusterobjectsets c
tekton.dev/v1 PipelineRun pipelineruns pr
tekton.dev/v1 TaskRun taskruns
fleet.cattle.io/v1alpha1 BundleDeployment bundledeployments
fleet.cattle.io/v1alpha1 GitRepo gitrepos
config.projectsveltos.io/v1beta1 ClusterConfiguration clusterconfigurations
core.oam.dev/v1beta1 Application applications
core.oam.dev/v1beta1 ResourceTracker resourcetrackers c
work.karmada.io/v1alpha1 Work works
kro.run/v1alpha1 ResourceGraphDefinition resourcegraphdefinitions c rgd
platform.example.org/v1 Cache caches
parents.example.org/v1 Parcel parcels +
`

var servedAll sync.Once

// serveAll defines the kinds, and waits until they are served.
func serveAll(t *testing.T) {
	t.Helper()
	writers(t)
	var failed error
	servedAll.Do(func() {
		var text strings.Builder
		for line := range strings.Lines(served) {
			f := strings.Fields(line)
			if len(f) == 0 {
				continue
			}
			group, version, _ := strings.Cut(f[0], "/")
			scope, names, label := "Namespaced", "shortNames: []", ""
			for _, more := range f[3:] {
				switch {
				case more == "c":
					scope = "Cluster"
				case more == "+":
					label = `, labels: {applyset.kubernetes.io/is-parent-type: "true"}`
				case more[0] == '@':
					names = "categories: [" + more[1:] + "]"
				default:
					names = "shortNames: [" + more + "]"
				}
			}
			definition := servedKind(group, scope, f[1], f[2], version)
			definition = strings.Replace(definition, "shortNames: ["+short[f[1]]+"]", names, 1)
			text.WriteString(strings.Replace(definition, "metadata: {name: "+f[2]+"."+group, "metadata: {name: "+f[2]+"."+group+label, 1))
		}
		if failed = shared.Apply(t.Context(), "", text.String()); failed != nil {
			return
		}
		deadline := time.Now().Add(patience)
		for line := range strings.Lines(served) {
			f := strings.Fields(line)
			for len(f) > 0 {
				on, err := shared.Kind(t.Context(), f[0], f[1], "default")
				if err == nil {
					if _, err = on.List(t.Context(), metav1.ListOptions{Limit: 1}); err == nil {
						break
					}
				}
				if failed = err; time.Now().After(deadline) {
					return
				}
				time.Sleep(100 * time.Millisecond)
				failed = nil
			}
		}
	})
	if failed != nil {
		t.Fatal(failed)
	}
}

// sourceCase is a source and how its writer writes.
type sourceCase struct {
	name string
	// in is the namespace's name where it tells something.
	in string
	// named are the arguments; NAME and NS are filled in.
	named []string
	// root is what the writer records of these members, as of a revision: 1, then 2.
	root func(c scene, revision int, members ...string) string
	// rows are the root and the objects between it and its members.
	rows []string
	// member is an object of the set, and kind what it is one of. The default is a
	// ConfigMap with the labels and annotations.
	member              func(c scene, name string) string
	kind                string
	labels, annotations string
	owned               bool // a member leads back to the root
	listed              string
	section             string // of the documentation, whose rules are enough
	unjudged            bool   // in the list it has no verdict of its own: its members are sets, and empty
}

// scene is where a case plays: the root's name is that of the namespace, for
// those of the cluster's scope.
type scene struct{ ns, name string }

func (c scene) fill(text string) string {
	return strings.NewReplacer("NAME", c.name, "NS", c.ns).Replace(text)
}

// each joins a text for every member, in YAML's flow style.
func each(members []string, format string) string {
	var out []string
	for _, m := range members {
		out = append(out, strings.ReplaceAll(format, "MEMBER", m))
	}
	return strings.Join(out, ", ")
}

const (
	readyNow  = `conditions: [{type: Ready, status: "True", reason: Done, lastTransitionTime: "2026-01-01T00:00:00Z"}]`
	syncedNow = `conditions: [{type: Synced, status: "True", reason: Done, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Ready, status: "True", reason: Done, lastTransitionTime: "2026-01-01T00:00:00Z"}]`
	asMember  = "{apiVersion: v1, kind: ConfigMap, namespace: NS, name: MEMBER}"
)

// written is a case's root, made from a manifest with MEMBERS and REVISION
// replaced.
func written(manifest, member string) func(scene, int, ...string) string {
	return func(c scene, revision int, members ...string) string {
		text := strings.ReplaceAll(manifest, "MEMBERS", each(members, member))
		return c.fill(strings.ReplaceAll(text, "REVISION", fmt.Sprint(revision)))
	}
}

var sourceCases = []sourceCase{
	{
		name: "Flux ResourceSet", section: "Flux ResourceSet and", named: []string{"flux/rset/NAME", "rset/NAME"}, rows: []string{"ResourceSet/NAME"}, listed: "flux/rset/NAME",
		labels: "resourceset.fluxcd.controlplane.io/name: NAME, resourceset.fluxcd.controlplane.io/namespace: NS", owned: true,
		root: written(`
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: NAME}
status: {lastAppliedRevision: "sha256:1", inventory: {entries: [MEMBERS]}, `+readyNow+`}
`, "{id: NS_MEMBER__ConfigMap, v: v1}"),
	},
	{
		name: "Flux instance", section: "Flux ResourceSet and", named: []string{"flux/instance/NAME", "fluxinstance/NAME"}, rows: []string{"FluxInstance/NAME"}, listed: "flux/instance/NAME",
		root: written(`
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {name: NAME}
status: {lastAppliedRevision: "sha256:1", inventory: {entries: [MEMBERS]}, `+readyNow+`}
`, "{id: NS_MEMBER__ConfigMap, v: v1}"),
	},
	{
		name: "Argo CD ApplicationSet", section: "Argo CD ApplicationSet", named: []string{"appset/NAME", "applicationset.argoproj.io/NAME"}, rows: []string{"ApplicationSet/NAME"},
		listed: "ApplicationSet.argoproj.io/NAME", kind: "Application", unjudged: true,
		root: written(`
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: NAME}
status: {resources: [MEMBERS], conditions: [{type: ResourcesUpToDate, status: "True", reason: ApplicationSetUpToDate, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`, "{group: argoproj.io, version: v1alpha1, kind: Application, namespace: NS, name: MEMBER}"),
		member: func(c scene, name string) string {
			return "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name + "}\nspec: {}\nstatus: {health: {status: Healthy}, sync: {status: Synced}}\n"
		},
	},
	{
		name: "kapp-controller App", section: "kapp-controller", named: []string{"apps.kappctrl.k14s.io/NAME"}, rows: []string{"App/NAME"}, listed: "App.kappctrl.k14s.io/NAME",
		labels: `kapp.k14s.io/app: "17NAME"`, annotations: "kapp.k14s.io/identity: v1;NS//ConfigMap/MEMBER;v1",
		root: written(`
apiVersion: kappctrl.k14s.io/v1alpha1
kind: App
metadata: {name: NAME}
status:
  deploy: {kapp: {associatedResources: {label: "kapp.k14s.io/app=17NAME", namespaces: [NS, "(cluster)"], groupKinds: [{group: "", kind: ConfigMap}]}}}
  conditions: [{type: ReconcileSucceeded, status: "True"}]
`, ""),
	},
	{
		name: "an App's own record, in a PackageInstall", section: "kapp-controller", named: []string{"pkgi/NAME"}, rows: []string{"PackageInstall/NAME", "App/NAME", "ConfigMap/NAME.app.apps.k14s.io"},
		labels: `kapp.k14s.io/app: "18NAME"`, annotations: "kapp.k14s.io/identity: v1;NS//ConfigMap/MEMBER;v1", listed: "PackageInstall.packaging.carvel.dev/NAME",
		root: written(`
apiVersion: packaging.carvel.dev/v1alpha1
kind: PackageInstall
metadata: {name: NAME}
status: {conditions: [{type: ReconcileSucceeded, status: "True"}]}
---
apiVersion: kappctrl.k14s.io/v1alpha1
kind: App
metadata: {name: NAME}
status: {conditions: [{type: ReconcileSucceeded, status: "True"}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME.app.apps.k14s.io, labels: {kapp.k14s.io/is-app: ""}}
data: {spec: '{"labelKey":"kapp.k14s.io/app","labelValue":"18NAME","lastChange":{"successful":true},"usedGKs":[{"Group":"","Kind":"ConfigMap"}]}'}
`, ""),
	},
	{
		name: "Config Sync RootSync", section: "ResourceGroup", named: []string{"rootsync/NAME"}, rows: []string{"RootSync/NAME", "ResourceGroup/NAME"}, listed: "RootSync.configsync.gke.io/NAME",
		root: written(`
apiVersion: configsync.gke.io/v1beta1
kind: RootSync
metadata: {name: NAME}
status: {source: {commit: c1}, sync: {commit: c1}, conditions: [{type: Syncing, status: "False", reason: Sync, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
apiVersion: kpt.dev/v1alpha1
kind: ResourceGroup
metadata: {name: NAME, labels: {cli-utils.sigs.k8s.io/inventory-id: NS_NAME}}
spec: {resources: [MEMBERS]}
status: {}
`, `{group: "", kind: ConfigMap, namespace: NS, name: MEMBER}`),
		annotations: "config.k8s.io/owning-inventory: NS_NAME",
	},
	{
		name: "Config Sync RepoSync", section: "ResourceGroup", named: []string{"reposync/NAME"}, rows: []string{"RepoSync/NAME", "ResourceGroup/NAME"}, listed: "RepoSync.configsync.gke.io/NAME",
		root: written(`
apiVersion: configsync.gke.io/v1beta1
kind: RepoSync
metadata: {name: NAME}
status: {source: {commit: c1}, sync: {commit: c1}, conditions: [{type: Syncing, status: "False", reason: Sync, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
apiVersion: kpt.dev/v1alpha1
kind: ResourceGroup
metadata: {name: NAME, labels: {cli-utils.sigs.k8s.io/inventory-id: NS_NAME}}
spec: {resources: [MEMBERS]}
status: {}
`, `{group: "", kind: ConfigMap, namespace: NS, name: MEMBER}`),
	},
	{
		name: "Crossplane claim", named: []string{"shelf/NAME", "shelves.claims.example.org/NAME"}, rows: []string{"Shelf/NAME", "XShelf/NAME"},
		labels: "crossplane.io/composite: NAME", owned: true, listed: "Shelf.claims.example.org/NAME",
		root: written(`
apiVersion: claims.example.org/v1
kind: Shelf
metadata: {name: NAME}
spec: {resourceRef: {apiVersion: claims.example.org/v1, kind: XShelf, name: NAME}}
status: {`+syncedNow+`}
---
apiVersion: claims.example.org/v1
kind: XShelf
metadata: {name: NAME, labels: {crossplane.io/composite: NAME}}
spec: {claimRef: {apiVersion: claims.example.org/v1, kind: Shelf, namespace: NS, name: NAME}, resourceRefs: [MEMBERS]}
status: {`+syncedNow+`}
`, asMember),
	},
	{
		name: "Crossplane package", named: []string{"providers.pkg.crossplane.io/NAME", "provider/NAME"}, rows: []string{"Provider/NAME", "ProviderRevision/NAME-REVISION"},
		listed: "Provider.pkg.crossplane.io/NAME", kind: "ClusterRole",
		root: written(`
apiVersion: pkg.crossplane.io/v1
kind: ProviderRevision
metadata: {name: NAME-REVISION}
status: {objectRefs: [MEMBERS], conditions: [{type: Healthy, status: "True", reason: Healthy, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: NAME}
spec: {package: "xpkg.example.org/shop:v1.2.0"}
status: {currentRevision: NAME-REVISION, conditions: [{type: Installed, status: "True", reason: Active, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Healthy, status: "True", reason: Healthy, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, name: MEMBER}"),
		member: func(c scene, name string) string {
			return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + "}\nrules: []\n"
		},
	},
	{
		name: "Cluster API", section: "Cluster API", named: []string{"clusters.cluster.x-k8s.io/NAME"}, rows: []string{"Cluster/NAME", "DockerCluster/NAME"},
		listed: "Cluster.cluster.x-k8s.io/NAME", kind: "MachineDeployment", owned: true,
		root: written(`
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: DockerCluster
metadata: {name: NAME}
status: {ready: true, `+readyNow+`}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: NAME}
spec: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerCluster, name: NAME}}
status: {phase: Provisioned, `+readyNow+`}
`, ""),
		member: func(c scene, name string) string {
			return c.fill("---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: " + name + ", labels: {cluster.x-k8s.io/cluster-name: NAME}}\nspec: {replicas: 1}\nstatus: {phase: Running, replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1, " + readyNow + "}\n")
		},
	},
	{
		name: "OLM Operator", named: []string{"operator/NAME", "operators.operators.coreos.com/NAME"}, rows: []string{"Operator/NAME"},
		labels: `operators.coreos.com/NAME: ""`, owned: true, listed: "Operator.operators.coreos.com/NAME",
		root: written(`
apiVersion: operators.coreos.com/v1
kind: Operator
metadata: {name: NAME}
status: {components: {refs: [MEMBERS]}}
`, asMember),
	},
	{
		name: "OLM InstallPlan", section: "OLM v0", named: []string{"installplan/NAME"}, rows: []string{"InstallPlan/NAME"}, listed: "InstallPlan.operators.coreos.com/NAME",
		root: written(`
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: NAME}
status: {phase: Complete, plan: [MEMBERS]}
`, `{status: Created, resource: {group: "", version: v1, kind: ConfigMap, name: MEMBER}}`),
	},
	{
		name: "OLM ClusterServiceVersion", section: "OLM v0", named: []string{"csv/NAME"}, rows: []string{"ClusterServiceVersion/NAME"}, listed: "ClusterServiceVersion.operators.coreos.com/NAME",
		labels: "olm.owner: NAME, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: NS", owned: true,
		root: written(`
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: NAME}
status: {phase: Succeeded, requirementStatus: [MEMBERS]}
`, `{group: "", version: v1, kind: ConfigMap, name: MEMBER, status: Present}`),
	},
	{
		// A set is immutable: another revision is another object.
		name: "OLM ClusterExtension", named: []string{"clusterextension/NAME"}, rows: []string{"ClusterExtension/NAME", "ClusterObjectSet/NAME-REVISION"},
		labels: "olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: NAME", owned: true, listed: "ClusterExtension.olm.operatorframework.io/NAME",
		root: written(`
apiVersion: olm.operatorframework.io/v1
kind: ClusterObjectSet
metadata: {name: NAME-REVISION}
spec: {lifecycleState: Active, phases: [{name: deploy, objects: [MEMBERS]}]}
status: {conditions: [{type: Available, status: "True", reason: ProbesSucceeded, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Succeeded, status: "True", reason: Succeeded, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: NAME}
status: {activeRevisions: [{name: NAME-REVISION}], conditions: [{type: Installed, status: "True", reason: Succeeded, lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Progressing, status: "True", reason: Succeeded, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`, "{object: {apiVersion: v1, kind: ConfigMap, metadata: {namespace: NS, name: MEMBER}}}"),
	},
	{
		name: "Tekton PipelineRun", section: "Tekton", named: []string{"pipelinerun/NAME", "pr/NAME"}, rows: []string{"PipelineRun/NAME"}, kind: "TaskRun", owned: true, listed: "PipelineRun.tekton.dev/NAME",
		root: written(`
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: {name: NAME}
status: {childReferences: [MEMBERS], conditions: [{type: Succeeded, status: "True", reason: Succeeded, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`, "{apiVersion: tekton.dev/v1, kind: TaskRun, name: MEMBER, pipelineTaskName: MEMBER}"),
		member: func(c scene, name string) string {
			return c.fill("---\napiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: " + name + ", labels: {tekton.dev/pipelineRun: NAME}}\nstatus: {conditions: [{type: Succeeded, status: \"True\", reason: Succeeded, lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}\n")
		},
	},
	{
		name: "Fleet", section: "Fleet", in: "cluster-fleet-local", named: []string{"bundledeployment/NAME"}, rows: []string{"BundleDeployment/NAME"}, listed: "BundleDeployment.fleet.cattle.io/NAME",
		root: written(`
apiVersion: fleet.cattle.io/v1alpha1
kind: BundleDeployment
metadata: {name: NAME}
status: {resources: [MEMBERS], `+readyNow+`}
`, asMember),
		annotations: `objectset.rio.cattle.io/owner-gvk: "fleet.cattle.io/v1alpha1, Kind=BundleDeployment", objectset.rio.cattle.io/owner-name: NAME, objectset.rio.cattle.io/owner-namespace: NS`, owned: true,
	},
	{
		name: "Sveltos", section: "Sveltos", named: []string{"clusterconfiguration/NAME"}, rows: []string{"ClusterConfiguration/NAME"}, listed: "ClusterConfiguration.config.projectsveltos.io/NAME",
		root: written(`
apiVersion: config.projectsveltos.io/v1beta1
kind: ClusterConfiguration
metadata: {name: NAME}
status: {clusterProfileResources: [{clusterProfileName: p, Features: [{featureID: Resources, deploymentType: Local, resources: [MEMBERS]}]}]}
`, `{group: "", version: v1, kind: ConfigMap, namespace: NS, name: MEMBER}`),
	},
	{
		name: "KubeVela Application", section: "KubeVela", named: []string{"applications.core.oam.dev/NAME"}, rows: []string{"Application/NAME"}, listed: "Application.core.oam.dev/NAME",
		labels: "app.oam.dev/name: NAME, app.oam.dev/namespace: NS", owned: true,
		root: written(`
apiVersion: core.oam.dev/v1beta1
kind: Application
metadata: {name: NAME}
status: {status: running, appliedResources: [MEMBERS]}
`, asMember),
	},
	{
		name: "KubeVela ResourceTracker", named: []string{"resourcetracker/NAME"}, rows: []string{"ResourceTracker/NAME"}, listed: "ResourceTracker.core.oam.dev/NAME",
		root: written(`
apiVersion: core.oam.dev/v1beta1
kind: ResourceTracker
metadata: {name: NAME}
spec: {managedResources: [MEMBERS]}
`, asMember),
	},
	{
		name: "kro in a group of its own", named: []string{"kro/cache/NAME", "caches.platform.example.org/NAME", "applyset/caches.platform.example.org/NAME"}, rows: []string{"Cache/NAME"},
		labels: "applyset.kubernetes.io/part-of: applyset-NAME-v1", owned: true, listed: "kro/cache.platform.example.org/NAME",
		root: written(`
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: cache.platform.example.org}
spec: {schema: {apiVersion: v1, group: platform.example.org, kind: Cache}}
status: {state: Active}
---
apiVersion: platform.example.org/v1
kind: Cache
metadata: {name: NAME, labels: {applyset.kubernetes.io/id: applyset-NAME-v1}, annotations: {applyset.kubernetes.io/tooling: kro/v0.9.3, applyset.kubernetes.io/contains-group-kinds: ConfigMap}}
status: {state: ACTIVE, `+readyNow+`}
`, ""),
	},
	{
		name: "an ApplySet's parent of a kind of one's own", named: []string{"applyset/parcels.parents.example.org/NAME", "parcel/NAME"}, rows: []string{"Parcel/NAME"},
		labels: "applyset.kubernetes.io/part-of: applyset-NAME-v1", owned: true, listed: "applyset/parcel.parents.example.org/NAME",
		root: written(`
apiVersion: parents.example.org/v1
kind: Parcel
metadata: {name: NAME, labels: {applyset.kubernetes.io/id: applyset-NAME-v1}, annotations: {applyset.kubernetes.io/tooling: kubectl/v1.36, applyset.kubernetes.io/contains-group-kinds: ConfigMap}}
status: {`+readyNow+`}
`, ""),
	},
}

func TestEveryOtherWritersSetIsFollowedUnderAllItsNames(t *testing.T) {
	t.Parallel()
	serveAll(t)
	for _, test := range sourceCases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := scene{ns: namespace(t, orElse(test.in, "source"))}
			c.name = c.ns
			kind := orElse(test.kind, "ConfigMap")
			// Names of members are the cluster's, where they are.
			one, two, three := c.ns+"-one", c.ns+"-two", c.ns+"-three"
			member := func(name string) string {
				if test.member != nil {
					return test.member(c, name)
				}
				notes := strings.ReplaceAll(c.fill(test.annotations), "MEMBER", name)
				return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, labels: {%s}, annotations: {%s}}\n", name, c.fill(test.labels), notes)
			}
			rows := func(revision int, members ...string) (out []string) {
				for _, r := range test.rows {
					out = append(out, strings.ReplaceAll(c.fill(r), "REVISION", fmt.Sprint(revision))+" Current")
				}
				for _, m := range members {
					out = append(out, kind+"/"+m+" Current")
				}
				return out
			}
			t.Cleanup(func() {
				all := member(one) + member(three) + "---" + test.root(c, 1) + "---" + test.root(c, 2)
				_ = shared.Delete(context.WithoutCancel(t.Context()), c.ns, all)
			})
			record(t, c.ns, member(one)+member(two))
			record(t, c.ns, test.root(c, 1, one, two))
			for _, arg := range test.named {
				doc, got := status(t, cluster.ReadOnly, "-n", c.ns, c.fill(arg))
				doc.wants(t, got, 0, rows(1, one, two)...)
			}

			// While it is followed a member comes and another one goes.
			w := startWait(t, "-n", c.ns, c.fill(test.named[0]), "cm/gate", "--timeout=3m")
			w.stillWaits(time.Second)
			record(t, c.ns, member(three))
			record(t, c.ns, test.root(c, 2, one, three))
			remove(t, c.ns, member(two))
			for doc := range strings.SplitSeq(test.root(c, 1), "---") { // an object for each revision
				if strings.Contains(doc, "metadata: {name: "+c.name+"-1}") {
					remove(t, c.ns, doc)
				}
			}
			w.stillWaits(time.Second)
			apply(t, c.ns, configMap("gate"))
			w.ends(0, fmt.Sprintf("%[1]d of %[1]d Current", len(test.rows)+3), kind+"/"+three)
			doc, got := status(t, cluster.ReadOnly, "-n", c.ns, c.fill(test.named[0]))
			doc.wants(t, got, 0, rows(2, one, three)...)

			if test.owned {
				doc, got := status(t, cluster.ReadOnly, "-n", c.ns, "--owner", ownArgument(kind)+"/"+one)
				if got.code != 0 || !slices.Contains(doc.states(), rows(2)[len(test.rows)-1]) || !slices.Contains(doc.states(), rows(2, three)[len(test.rows)]) {
					t.Errorf("a member does not lead to its set\n%s", got)
				}
			}
			lists(t, c, test.listed, !test.unjudged)
			if test.section != "" {
				as := allowed(t, c.ns, append(documentedRules(t, test.section), `{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}`)...)
				doc, got := status(t, cluster.Admin, "-n", c.ns, "--as="+as, c.fill(test.named[0]))
				doc.wants(t, got, 0, rows(2, one, three)...)
			}
		})
	}
}

// documentedRules are the rules that a section of docs/sources.md gives for a
// Role.
func documentedRules(t *testing.T, section string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "sources.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(data), "\n### "+section)
	_, part, begins := strings.Cut(part, "```yaml\n")
	part, _, ends := strings.Cut(part, "```")
	if !found || !begins || !ends {
		t.Fatalf("no rules under %q", section)
	}
	var rules []string
	for line := range strings.Lines(part) {
		rules = append(rules, strings.TrimPrefix(strings.TrimSpace(line), "- "))
	}
	return rules
}

// The documented way also works for the sources with scenarios of their own:
// for a set with a ConfigMap, in the writer's usual state.
func TestTheRightsInTheDocumentationAreEnough(t *testing.T) {
	t.Parallel()
	writers(t)
	one := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
	for _, test := range []struct {
		section, arg string
		write        func(t *testing.T, ns string)
		rows         int
	}{
		{"Flux Kustomization", "flux/ks/apps", func(t *testing.T, ns string) {
			record(t, ns, kustomizationIn("", "apps", "main@sha1:1", "sourceRef: {kind: GitRepository, name: repo}, ", ns+"_one__ConfigMap")+`---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: repo}
status: {artifact: {revision: "main@sha1:1"}}
`)
		}, 2},
		{"Flux HelmRelease", "hr/web", func(t *testing.T, ns string) {
			record(t, ns, strings.Replace(helmRelease("web", 1, "", hrReady), "  inventory: {entries: []}\n", "", 1))
			helmRecord{release: "web", version: 1, status: "deployed", manifest: one}.store(t, ns)
		}, 2},
		{"Helm release", "helm/web", func(t *testing.T, ns string) {
			helmRecord{release: "web", version: 1, status: "deployed", manifest: one}.store(t, ns)
		}, 2},
		{"Argo CD Application", "argo/shop", func(t *testing.T, ns string) {
			record(t, ns, "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec: {destination: {name: in-cluster}}\nstatus: {health: {status: Healthy}, sync: {status: Synced}, resources: [{version: v1, kind: ConfigMap, namespace: "+ns+", name: one}]}\n")
		}, 2},
		{"cli-utils inventory", "inventory/set", func(t *testing.T, ns string) {
			apply(t, ns, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: set, labels: {cli-utils.sigs.k8s.io/inventory-id: x}}\ndata: {"+ns+"_one__ConfigMap: \"\"}\n")
		}, 2},
		{"ResourceGroup", "inventory/set", func(t *testing.T, ns string) {
			record(t, ns, "apiVersion: kpt.dev/v1alpha1\nkind: ResourceGroup\nmetadata: {name: set}\nspec: {resources: [{group: \"\", kind: ConfigMap, namespace: "+ns+", name: one}]}\nstatus: {}\n")
		}, 2},
		{"ApplySet", "applyset/set", func(t *testing.T, ns string) {
			apply(t, ns, "apiVersion: v1\nkind: Secret\nmetadata: {name: set, labels: {applyset.kubernetes.io/id: applyset-r-v1}, annotations: {applyset.kubernetes.io/contains-group-kinds: ConfigMap}}\n"+configMap("two", "applyset.kubernetes.io/part-of: applyset-r-v1"))
		}, 2},
		{"kro instance", "kro/webshop/shop", func(t *testing.T, ns string) {
			record(t, ns, "apiVersion: kro.run/v1alpha1\nkind: WebShop\nmetadata: {name: shop, labels: {applyset.kubernetes.io/id: applyset-r-v1}, annotations: {applyset.kubernetes.io/tooling: kro/v0.9.3, applyset.kubernetes.io/contains-group-kinds: ConfigMap}}\nstatus: {state: ACTIVE, "+readyNow+"}\n"+configMap("two", "applyset.kubernetes.io/part-of: applyset-r-v1"))
		}, 2},
		{"kapp app", "kapp/set", func(t *testing.T, ns string) {
			apply(t, ns, kappApp("set", `{"labelKey":"kapp.k14s.io/app","labelValue":"51","lastChange":{"successful":true},"usedGKs":[{"Group":"","Kind":"ConfigMap"}]}`)+
				"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two, labels: {kapp.k14s.io/app: \"51\"}, annotations: {kapp.k14s.io/identity: v1;"+ns+"//ConfigMap/two;v1}}\n")
		}, 2},
		{"Timoni instance", "timoni/shop", func(t *testing.T, ns string) {
			data := base64.StdEncoding.EncodeToString([]byte(`{"inventory":{"entries":[{"id":"` + ns + `_one__ConfigMap","v":"v1"}]}}`))
			apply(t, ns, "apiVersion: v1\nkind: Secret\nmetadata: {name: timoni.shop, labels: {app.kubernetes.io/created-by: timoni}}\ntype: timoni.sh/instance\ndata: {instance: "+data+"}\n")
		}, 2},
	} {
		t.Run(test.section, func(t *testing.T) {
			t.Parallel()
			ns := namespace(t, "documented")
			apply(t, ns, configMap("one"))
			test.write(t, ns)
			as := allowed(t, ns, append(documentedRules(t, test.section), `{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}`)...)
			doc, got := status(t, cluster.Admin, "-n", ns, "--as="+as, test.arg)
			if got.code != 0 || len(doc.Resources) != test.rows {
				t.Errorf("want %d rows, all Current\n%s", test.rows, got)
			}
			for _, r := range doc.Resources {
				if strings.Contains(r.Note+r.Message, "may not") {
					t.Errorf("a right is missing: %s", r.Note+r.Message)
				}
			}
		})
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// ownArgument names a kind so that it cannot be mistaken.
func ownArgument(kind string) string {
	return map[string]string{"TaskRun": "taskruns.tekton.dev", "MachineDeployment": "md"}[kind] + map[string]string{"ConfigMap": "cm"}[kind]
}

// lists looks for an inventory in the list of them all.
func lists(t *testing.T, c scene, name string, judged bool) {
	t.Helper()
	var list struct {
		Inventories []struct {
			Name, Namespace, Verdict string
			Members                  *int
		}
	}
	where := []string{"-n", c.ns}
	for range 2 { // one of the cluster's scope is in no namespace
		got := ktui(t, cluster.ReadOnly, append([]string{"inventories", "-o", "json"}, where...)...)
		if got.stdout != "" {
			if err := json.Unmarshal([]byte(got.stdout), &list); err != nil {
				t.Fatalf("%v\n%s", err, got)
			}
		}
		for _, x := range list.Inventories {
			if x.Name == c.fill(name) {
				if judged && x.Namespace == c.ns && (x.Verdict != "Current" || x.Members == nil || *x.Members == 0) {
					t.Errorf("listed as %+v\n%s", x, got)
				}
				return
			}
		}
		where = []string{"-A"}
	}
	t.Errorf("%s is not listed: %+v", c.fill(name), list.Inventories)
}

// Members in another cluster are never looked up in this one.
func TestAMemberInAnotherClusterIsMarkedForEveryInventory(t *testing.T) {
	t.Parallel()
	serveAll(t)
	for _, test := range []struct{ name, arg, root, cluster string }{
		{"Karmada", "work/NAME", `
apiVersion: work.karmada.io/v1alpha1
kind: Work
metadata: {name: NAME}
status: {manifestStatuses: [{identifier: {group: "", version: v1, kind: ConfigMap, namespace: NS, name: one}, health: Unhealthy}], conditions: [{type: Applied, status: "True", reason: Done, lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`, "NS"},
		{"Fleet", "gitrepo/NAME", `
apiVersion: fleet.cattle.io/v1alpha1
kind: GitRepo
metadata: {name: NAME}
status: {resources: [` + asMember + `], ` + readyNow + `}
`, "Fleet's clusters"},
		{"Sveltos", "clusterconfiguration/NAME", `
apiVersion: config.projectsveltos.io/v1beta1
kind: ClusterConfiguration
metadata: {name: NAME}
status: {clusterProfileResources: [{clusterProfileName: p, Features: [{featureID: Resources, deploymentType: Remote, resources: [` + asMember + `]}]}]}
`, "NAME"},
		{"KubeVela", "applications.core.oam.dev/NAME", `
apiVersion: core.oam.dev/v1beta1
kind: Application
metadata: {name: NAME}
status: {status: running, appliedResources: [{apiVersion: v1, kind: ConfigMap, namespace: NS, name: MEMBER, cluster: east}]}
`, "east"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := scene{ns: namespace(t, "away")}
			c.name = c.ns
			apply(t, c.ns, configMap("one")) // another object than the one that is listed
			record(t, c.ns, c.fill(strings.ReplaceAll(test.root, "MEMBER", "one")))
			doc, got := status(t, cluster.ReadOnly, "-n", c.ns, c.fill(test.arg))
			r := doc.member("ConfigMap", "one")
			if r.Reason != "OtherCluster" || r.UID != "" || !strings.Contains(r.Message, "it is in "+c.fill(test.cluster)) || !r.Optional {
				t.Errorf("looked up here: %+v\n%s", r, got)
			}
			if got.code != 0 {
				t.Errorf("what nobody can see here decides\n%s", got)
			}
		})
	}
}

// What a member's own writer leaves out of its health does not count, in that
// writer's sets.
func TestAMemberThatIsMarkedDoesNotCountInItsWritersSets(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "marked")
	ill := func(name, labels, annotations string) string {
		text := fmt.Sprintf("---"+broken, cluster.ConfigMissing)
		text = strings.Replace(text, "name: worker}", "name: "+name+", labels: {"+labels+"}, annotations: {"+annotations+"}}", 1)
		return strings.ReplaceAll(text, "app: worker", "app: "+name)
	}
	identity := func(name string) string {
		return "kapp.k14s.io/identity: v1;" + ns + "/apps/Deployment/" + name + ";apps/v1"
	}
	apply(t, ns, configMap("one")+ill("flux", "", "kustomize.toolkit.fluxcd.io/ssa: Ignore")+
		ill("argo", "", `argocd.argoproj.io/ignore-healthcheck: "true"`)+
		ill("kapp", `kapp.k14s.io/app: "41"`, `kapp.k14s.io/disable-wait: "", `+identity("kapp"))+
		kappApp("shop", `{"labelKey":"kapp.k14s.io/app","labelValue":"41","lastChange":{"successful":true},"usedGKs":[{"Group":"apps","Kind":"Deployment"}]}`))
	argo := func(name, member string) string {
		return fmt.Sprintf("---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: %s}\nspec: {destination: {name: in-cluster, namespace: %s}}\nstatus: {health: {status: Healthy}, sync: {status: Synced}, resources: [{group: apps, version: v1, kind: Deployment, namespace: %s, name: %s}]}\n", name, ns, ns, member)
	}
	record(t, ns, kustomization("mine", "main@sha1:1", ns+"_one__ConfigMap", ns+"_flux_apps_Deployment")+
		kustomization("another", "main@sha1:1", ns+"_argo_apps_Deployment")+argo("mine", "argo")+argo("another", "flux"))
	for arg, want := range map[string]string{"flux/ks/mine": "ssa: Ignore", "argo/mine": "ignore-healthcheck", "kapp/shop": "disable-wait"} {
		doc, got := status(t, cluster.ReadOnly, "-n", ns, arg)
		for _, r := range doc.Resources {
			if r.Kind == "Deployment" && (!r.Optional || !strings.Contains(r.Note, want) || r.Status == "Current") {
				t.Errorf("%s: %+v", arg, r)
			}
		}
		if got.code != 0 || doc.Verdict != "Current" {
			t.Errorf("%s: what its writer leaves out decides\n%s", arg, got)
		}
	}
	// Another writer's mark means nothing; nor does any for what the user named.
	for _, args := range [][]string{{"flux/ks/another"}, {"argo/another"}, {"flux/ks/mine", "deploy/flux"}} {
		doc, got := status(t, cluster.ReadOnly, append([]string{"-n", ns}, args...)...)
		if got.code == 0 || doc.Verdict == "Current" {
			t.Errorf("%s: want it to count\n%s", args, got)
		}
	}
}

// An inventory is usually in its controller's namespace, not in the current
// one.
func TestAnInventoryInAnotherNamespaceIsPointedAt(t *testing.T) {
	t.Parallel()
	ns, other := namespace(t, "here"), namespace(t, "there")
	record(t, other, kustomization("only-"+other, "main@sha1:1", other+"_one__ConfigMap"))
	helmRecord{release: "only-" + other, version: 1, status: "deployed", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"}.store(t, other)
	for _, arg := range []string{"flux/ks/", "helm/"} {
		got := ktui(t, cluster.ReadOnly, "status", "-n", ns, arg+"only-"+other)
		if got.code != 3 || !strings.Contains(got.stdout, "it is in namespace "+other) {
			t.Errorf("%s: want it pointed at\n%s", arg, got)
		}
		ktui(t, cluster.ReadOnly, "members", "-n", ns, arg+"only-"+other).ended(t, 1, "it is in namespace "+other)
		// Without permission to look there, nothing is said or requested.
		as := allowed(t, ns, `{apiGroups: ["", kustomize.toolkit.fluxcd.io], resources: ["*"], verbs: [get, list, watch]}`)
		got = ktui(t, cluster.Admin, "status", "-n", ns, "--as="+as, arg+"only-"+other)
		if got.code != 3 || strings.Contains(got.stdout+got.stderr, other+" (") {
			t.Errorf("%s: want it to be missing\n%s", arg, got)
		}
	}
}

// A release's record is read when the release is followed, once for each state
// of it, and nothing but its members' names stays.
func TestAReleasesSecretIsReadOnlyWhenItIsFollowed(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "secrets")
	apply(t, ns, pair+configMap("one"))
	h := helmRecord{release: "shop", version: 1, status: "deployed", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata: {token: never-to-be-seen}\n"}
	h.store(t, ns)
	record(t, ns, helmRelease("shop", 1, "{id: "+ns+"_one__ConfigMap, v: v1}", hrReady))
	secret := "sh.helm.release.v1.shop.v1"
	whole := func(p *proxy.Tap) (n int) {
		for _, x := range p.Exchanges() {
			if secretURI.MatchString(x.URI) && !strings.Contains(x.Accept, "PartialObjectMetadata") {
				n++
			}
		}
		return n
	}
	for _, args := range [][]string{
		{"inventories"},
		{"status", "secret/" + secret, "deploy/front"},
		{"status", "--all"},
		{"status", "--all", "--children=all"},
		{"status", "flux/hr/shop"}, // it has an inventory of its own, and is at rest
		{"status", "--owner", "cm/one"},
	} {
		p := tap(t)
		got := ktuiIn(t, environment(t, kubeconfigAt(t, p.URL())), "", append(args, "-n", ns)...)
		if n := whole(p); n != 0 || got.stdout == "" && args[1] != "--owner" {
			t.Errorf("%s reads %d Secrets\n%s", args, n, got)
		}
	}

	p := tap(t)
	dir := t.TempDir()
	log, recording := filepath.Join(dir, "log"), filepath.Join(dir, "rec.gz")
	for _, args := range [][]string{
		{"status", "helm/shop", "-o", "json", "--log", log, "--record", recording, "-n", ns},
		{"members", "helm/shop", "-n", ns},
		{"why", "helm/shop", "-n", ns},
		{"status", "--replay", recording, "-o", "json"},
	} {
		before := whole(p)
		got := ktuiIn(t, environment(t, kubeconfigAt(t, p.URL())), "", args...)
		if got.code != 0 || whole(p)-before > 1 {
			t.Errorf("%s reads %d Secrets\n%s", args, whole(p)-before, got)
		}
		if out := got.stdout + got.stderr; strings.Contains(out, "never-to-be-seen") || strings.Contains(out, "H4sI") {
			t.Errorf("%s shows the payload\n%s", args, got)
		}
	}
	if whole(p) == 0 {
		t.Error("the record was never read: this test sees nothing")
	}
	for _, path := range []string{log, recording} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if len(data) == 0 || !bytes.Contains(data, []byte("shop")) {
			t.Errorf("%s holds nothing of this", path)
		}
		for _, never := range []string{"never-to-be-seen", "H4sI", base64.StdEncoding.EncodeToString([]byte("never-to-be-seen"))[:16]} {
			if bytes.Contains(data, []byte(never)) {
				t.Errorf("%s holds %s", filepath.Base(path), never)
			}
		}
	}
}
