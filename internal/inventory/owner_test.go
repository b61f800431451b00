package inventory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestTheInventoryOfAMemberIsFoundFromItsLabelsAndAnnotations(t *testing.T) {
	for _, test := range []struct{ metadata, want string }{
		{`annotations: {config.k8s.io/owning-inventory: x-1}`, "inventory/x-1 in "},
		{`labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}`, "kustomizations.kustomize.toolkit.fluxcd.io/apps in flux-system"},
		{`labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: shop}`, "helmreleases.helm.toolkit.fluxcd.io/web in shop"},
		{`annotations: {argocd.argoproj.io/tracking-id: "shop:apps/Deployment:shop/web"}`, "applications.argoproj.io/shop in argocd"},
		{`annotations: {argocd.argoproj.io/tracking-id: "team_shop:apps/Deployment:shop/web"}`, "applications.argoproj.io/shop in team"},
		{`labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}`, "helm/web in shop"},
		{`annotations: {meta.helm.sh/release-name: web}`, ""},
		{`labels: {applyset.kubernetes.io/part-of: applyset-a-v1}`, "applyset-id/applyset-a-v1 in "},
		{`labels: {kapp.k14s.io/app: "17"}`, "kapp-label/17 in "},
		{`labels: {kro.run/instance-kind: WebApp, kro.run/instance-group: kro.run, kro.run/instance-name: x, kro.run/instance-namespace: shop}`, "WebApp.kro.run/x in shop"},
		{`labels: {olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: argo}`, "clusterextensions.olm.operatorframework.io/argo in shop"},
		{`labels: {olm.owner: argo.v1, olm.owner.kind: ClusterServiceVersion, olm.owner.namespace: ops}`, "clusterserviceversions.operators.coreos.com/argo.v1 in ops"},
		{`labels: {olm.owner: packageserver, olm.owner.kind: CatalogSource}`, ""},
		{`labels: {operators.coreos.com/argo.ops: ""}`, "operators.operators.coreos.com/argo.ops in "},
		{`labels: {tekton.dev/pipelineRun: build-1}`, "pipelineruns.tekton.dev/build-1 in shop"},
		{`labels: {cluster.x-k8s.io/cluster-name: prod}`, "clusters.cluster.x-k8s.io/prod in shop"},
		{`labels: {app.oam.dev/name: shop, app.oam.dev/namespace: vela}`, "applications.core.oam.dev/shop in vela"},
		{`annotations: {work.karmada.io/name: w, work.karmada.io/namespace: karmada-es-m1}`, "works.work.karmada.io/w in karmada-es-m1"},
		{`labels: {crossplane.io/composite: db-abc}`, "crossplane-composite/db-abc in shop"},
		{`labels: {crossplane.io/composite: web}`, ""}, // a composite's own
		{`labels: {instance.timoni.sh/name: web, instance.timoni.sh/namespace: t}`, "timoni/web in "},
		{`annotations: {objectset.rio.cattle.io/owner-gvk: "fleet.cattle.io/v1alpha1, Kind=GitRepo", objectset.rio.cattle.io/owner-name: r, objectset.rio.cattle.io/owner-namespace: fleet-local}`, "GitRepo.fleet.cattle.io/r in fleet-local"},
		{`annotations: {objectset.rio.cattle.io/owner-gvk: "k3s.cattle.io/v1, Kind=Addon", objectset.rio.cattle.io/owner-name: coredns, objectset.rio.cattle.io/owner-namespace: kube-system}`, ""},
		{`labels: {app: web}`, ""},
	} {
		_, o := obj(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, "+test.metadata+"}}")
		var got []string
		for _, owner := range InventoriesOf(o) {
			typ := owner.Type
			if typ == "" {
				typ = owner.Scheme
			}
			got = append(got, typ+"/"+owner.Name+" in "+owner.Namespace)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.metadata, diff)
		}
	}
}

func TestAHelmReleaseIsNamedAsHelmControllerNamesIt(t *testing.T) {
	long := strings.Repeat("a", 60)
	for _, test := range []struct{ given, target, name, want string }{
		{"", "", "web", "web"},
		{"", "shop", "web", "shop-web"},
		{"mine", "shop", "web", "mine"},
		{"", "", long, long[:40] + "-11ee391211c6"},
	} {
		if got := HelmReleaseName(test.given, test.target, test.name); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestTheClaimOfACompositeIsFoundFromItsSpec(t *testing.T) {
	_, o := obj(t, "{apiVersion: example.org/v1, kind: XDatabase, metadata: {name: db-abc, labels: {crossplane.io/composite: db-abc}}, spec: {claimRef: {apiVersion: example.org/v1, kind: Database, namespace: shop, name: db}}}")
	got := InventoriesOf(o)
	if len(got) != 1 || got[0].Type != "Database.example.org" || got[0].Namespace != "shop" || got[0].Name != "db" {
		t.Errorf("%+v", got)
	}
}

func TestPruneAnnotationAppliesToItsOwnInventory(t *testing.T) {
	argo, flux, kapp, helm := "argoproj.io/Application", "kustomize.toolkit.fluxcd.io/Kustomization", "/ConfigMap", "helm.sh/Release"
	for _, test := range []struct {
		metadata string
		in       []string // the sets in which it does not count
	}{
		{`annotations: {argocd.argoproj.io/ignore-healthcheck: "true"}`, []string{argo}},
		{`annotations: {argocd.argoproj.io/ignore-healthcheck: "false"}`, nil},
		{`annotations: {kustomize.toolkit.fluxcd.io/ssa: Ignore}`, []string{flux}},
		{`labels: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}`, []string{flux}},
		{`annotations: {kustomize.toolkit.fluxcd.io/ssa: Merge}`, nil},
		{`annotations: {kapp.k14s.io/disable-wait: ""}, labels: {kapp.k14s.io/app: "17"}`, []string{kapp}},
		{`annotations: {kapp.k14s.io/disable-wait: ""}`, nil},
	} {
		_, o := obj(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, "+test.metadata+"}}")
		var in []string
		for _, set := range []string{argo, flux, kapp, helm} {
			group, kind, _ := strings.Cut(set, "/")
			if Informational(object.ID{Group: group, Kind: kind, Namespace: "shop", Name: "x"}, o) != "" {
				in = append(in, set)
			}
		}
		if diff := cmp.Diff(test.in, in); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.metadata, diff)
		}
	}
}
