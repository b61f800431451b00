package inventory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var clusterAPISources = []Source{{
	Name: "Cluster API Cluster", Group: "cluster.x-k8s.io", Kind: "Cluster", decode: clusterAPI,
	Owner: Owner{Name: "cluster.x-k8s.io/cluster-name"},
}}

var platformSources = []Source{
	{
		Name: "Tekton PipelineRun", Group: "tekton.dev", Kind: "PipelineRun",
		decode: listed("status", "childReferences"),
		Owner:  Owner{Name: "tekton.dev/pipelineRun"},
	},
	{
		Name: "Fleet Bundle", Group: "fleet.cattle.io", Kind: "BundleDeployment", decode: fleet,
		InventoriesOf: func(o *object.Object) []Target {
			// wrangler's annotation: "fleet.cattle.io/v1alpha1, Kind=GitRepo"
			gv, kind, _ := strings.Cut(annotation(o, "objectset.rio.cattle.io/owner-gvk"), ", Kind=")
			if !strings.HasPrefix(gv, "fleet.cattle.io/") || kind != "BundleDeployment" && kind != "GitRepo" {
				return nil
			}
			return ownedBy(kind+".fleet.cattle.io", annotation(o, "objectset.rio.cattle.io/owner-namespace"),
				annotation(o, "objectset.rio.cattle.io/owner-name"))
		},
	},
	{Name: "Fleet GitRepo", Group: "fleet.cattle.io", Kind: "GitRepo", decode: fleet},
	{Name: "Sveltos", Group: "config.projectsveltos.io", Kind: "ClusterConfiguration", decode: sveltos},
	{
		Name: "KubeVela Application", Group: "core.oam.dev", Kind: "Application", decode: velaApplication,
		Owner: Owner{Namespace: "app.oam.dev/namespace", Name: "app.oam.dev/name"},
	},
	{Name: "KubeVela ResourceTracker", Group: "core.oam.dev", Kind: "ResourceTracker", decode: velaTracker},
	{
		Name: "Karmada Work", Group: "work.karmada.io", Kind: "Work", decode: karmada,
		Owner: Owner{Namespace: "work.karmada.io/namespace", Name: "work.karmada.io/name"},
	},
}

// clusterAPI: the objects of a cluster name it in a label; MachineSets and
// Machines stand below their owners.
func clusterAPI(s *Set, o *object.Object) {
	s.references([]any{
		object.At(o.Tree, "spec", "infrastructureRef"),
		object.At(o.Tree, "spec", "controlPlaneRef"),
	}, o.Namespace, nil)
	if sel := "cluster.x-k8s.io/cluster-name=" + o.Name; selectorWord(sel) {
		s.Labels = []Labels{{Selector: sel, Namespaces: []string{o.Namespace}, Kinds: []object.ID{
			{Group: "cluster.x-k8s.io", Kind: "MachineDeployment"},
			{Group: "cluster.x-k8s.io", Kind: "MachineSet"},
			{Group: "cluster.x-k8s.io", Kind: "Machine"},
		}}}
	}
}

func fleet(s *Set, o *object.Object) {
	s.references(s.listedAt(o, "status", "resources"), "", nil)
	// Fleet's own cluster is served from a namespace with this prefix; every
	// other BundleDeployment is for another cluster.
	if o.Kind != "BundleDeployment" || !strings.HasPrefix(o.Namespace, "cluster-fleet-local-") {
		s.Cluster = cmp.Or(rootLabel(o, "fleet.cattle.io/cluster"), "Fleet's clusters")
		if o.Kind == "GitRepo" && o.Namespace == "fleet-local" {
			s.Cluster = ""
		}
	}
	if truncated, _ := o.Bool("status", "incompleteState"); truncated {
		s.note("the list is cut off")
	}
}

func sveltos(s *Set, o *object.Object) {
	for _, p := range append(o.List("status", "clusterProfileResources"), o.List("status", "profileResources")...) {
		for _, f := range items(p, "Features") {
			local := text(f, "deploymentType") == "Local"
			s.references(items(f, "resources"), "", func(e any, m *Member) {
				if !local && text(e, "deploymentType") != "Local" {
					m.Cluster = cmp.Or(rootLabel(o, "projectsveltos.io/cluster-name"), o.Name)
				}
			})
		}
	}
}

func velaApplication(s *Set, o *object.Object) {
	s.vela(s.listedAt(o, "status", "appliedResources"), o.Namespace)
	if phase := o.Str("status", "status"); phase == "runningWorkflow" || phase == "starting" || phase == "rendering" {
		s.Pending = "its workflow is running"
	}
}

func (s *Set) vela(list []any, namespace string) {
	s.references(list, namespace, func(e any, m *Member) {
		if c := text(e, "cluster"); c != "" && c != "local" {
			m.Cluster = c
		}
		if deleted, _ := object.At(e, "deleted").(bool); deleted {
			m.Optional, m.Note = true, "to be pruned"
		}
	})
}

func velaTracker(s *Set, o *object.Object) {
	list := o.List("spec", "managedResources")
	if kind := o.Str("spec", "compression", "type"); kind != "" {
		list = nil
		raw, err := inflate([]byte(o.Str("spec", "compression", "data")))
		if err != nil || json.Unmarshal(raw, &list) != nil {
			s.add(unreadable("compression", fmt.Errorf("the list is compressed with %s and cannot be read", kind)))
		}
	}
	s.vela(list, "")
}

// karmada: a Work is applied in the member cluster that its namespace names.
func karmada(s *Set, o *object.Object) {
	s.Cluster = strings.TrimPrefix(o.Namespace, "karmada-es-")
	words := map[string]status.Status{"Healthy": status.Current, "Unhealthy": status.Failed}
	for _, entry := range o.List("status", "manifestStatuses") {
		s.references([]any{object.At(entry, "identifier")}, "", func(_ any, m *Member) {
			if word := text(entry, "health"); word != "" {
				m.Reported = feed.ReportedStatus{By: "Karmada", Word: word, Status: words[word]}
			}
		})
	}
}
