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
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var clusterAPISources = []Source{{
	Name: "Cluster API Cluster", Group: "cluster.x-k8s.io", Kind: "Cluster", Plural: "clusters", Read: clusterAPI,
	Owners: func(o *object.Object) []Target {
		return ownedBy("clusters.cluster.x-k8s.io", o.Namespace, label(o, "cluster.x-k8s.io/cluster-name"))
	},
}}

var platformSources = []Source{
	{
		Name: "Tekton PipelineRun", Group: "tekton.dev", Kind: "PipelineRun", Plural: "pipelineruns", Read: listed("status", "childReferences"),
		Owners: func(o *object.Object) []Target {
			return ownedBy("pipelineruns.tekton.dev", o.Namespace, label(o, "tekton.dev/pipelineRun"))
		},
	},
	{
		Name: "Fleet Bundle", Group: "fleet.cattle.io", Kind: "BundleDeployment", Plural: "bundledeployments", Read: fleet,
		Owners: fleetOwners("BundleDeployment"),
	},
	{
		Name: "Fleet GitRepo", Group: "fleet.cattle.io", Kind: "GitRepo", Plural: "gitrepos", Read: fleet,
		Owners: fleetOwners("GitRepo"),
	},
	{Name: "Sveltos", Group: "config.projectsveltos.io", Kind: "ClusterConfiguration", Plural: "clusterconfigurations", Read: sveltos},
	{
		Name: "KubeVela Application", Group: "core.oam.dev", Kind: "Application", Plural: "applications", Read: velaApplication,
		Owners: func(o *object.Object) []Target {
			return ownedBy("applications.core.oam.dev", cmp.Or(label(o, "app.oam.dev/namespace"), o.Namespace), label(o, "app.oam.dev/name"))
		},
	},
	{Name: "KubeVela ResourceTracker", Group: "core.oam.dev", Kind: "ResourceTracker", Plural: "resourcetrackers", Read: velaTracker},
	{
		Name: "Karmada Work", Group: "work.karmada.io", Kind: "Work", Plural: "works", Read: karmada,
		Owners: func(o *object.Object) []Target {
			return ownedBy("works.work.karmada.io", annotation(o, "work.karmada.io/namespace"), annotation(o, "work.karmada.io/name"))
		},
	},
}

// fleetOwners reads wrangler's annotation: "fleet.cattle.io/v1alpha1,
// Kind=GitRepo".
func fleetOwners(kind string) func(*object.Object) []Target {
	return func(o *object.Object) []Target {
		gv, of, _ := strings.Cut(annotation(o, "objectset.rio.cattle.io/owner-gvk"), ", Kind=")
		if groupOf(gv) != "fleet.cattle.io" || of != kind {
			return nil
		}
		return ownedBy(kind+".fleet.cattle.io", annotation(o, "objectset.rio.cattle.io/owner-namespace"), annotation(o, "objectset.rio.cattle.io/owner-name"))
	}
}

// clusterAPI: the objects of a cluster name it in a label; MachineSets and
// Machines stand below their owners.
func clusterAPI(o Object) (Set, bool) {
	var s Set
	s.references([]any{o.at("spec", "infrastructureRef"), o.at("spec", "controlPlaneRef")}, o.Namespace, func(e any, m *Member) {
		if g := text(e, "apiGroup"); g != "" && isGroup(g) { // v1beta2 of the API
			m.ID.Group = g
		}
	})
	if sel := "cluster.x-k8s.io/cluster-name=" + o.Name; selectorWord(sel) {
		s.Labels = []Labels{{Selector: sel, Namespaces: []string{o.Namespace}, Kinds: []object.ID{
			{Group: "cluster.x-k8s.io", Kind: "MachineDeployment"},
			{Group: "cluster.x-k8s.io", Kind: "MachineSet"},
			{Group: "cluster.x-k8s.io", Kind: "Machine"},
		}}}
	}
	if paused, _ := o.at("spec", "paused").(bool); paused {
		s.note("paused")
	}
	s.unobserved(o)
	return s, true
}

func fleet(o Object) (Set, bool) {
	var s Set
	s.references(s.listedAt(o, "status", "resources"), "", nil)
	// Fleet's own cluster is served from a namespace with this prefix; every
	// other BundleDeployment is for another cluster.
	if o.Kind != "BundleDeployment" || !strings.HasPrefix(o.Namespace, "cluster-fleet-local-") {
		s.Cluster = cmp.Or(o.label("fleet.cattle.io/cluster"), "Fleet's clusters")
		if o.Kind == "GitRepo" && o.Namespace == "fleet-local" {
			s.Cluster = ""
		}
	}
	if truncated, _ := o.at("status", "incompleteState").(bool); truncated {
		s.note("the list is cut off")
	}
	if paused, _ := o.at("spec", "paused").(bool); paused {
		s.note("paused")
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
		if c := object.Clean(text(e, "cluster")); c != "" && c != "local" {
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
		s.add(unreadable("compression", fmt.Errorf("the list is compressed with %s, which is not read", object.Clean(kind))))
	}
	s.vela(list, "")
	return s, true
}

// inflate decompresses gzip, up to the bound of a release.
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
	// A Work is applied in the member cluster that its namespace names.
	s.Cluster = strings.TrimPrefix(o.Namespace, "karmada-es-")
	s.references(refs, "", func(e any, m *Member) {
		if word := object.Clean(text(e, "health")); word != "" {
			m.Said = feed.Said{By: "Karmada", Word: word, Status: words[word]}
		}
	})
	return s, true
}
