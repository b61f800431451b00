package inventory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAMemberSaysWhoseItIs(t *testing.T) {
	for _, test := range []struct{ metadata, want string }{
		{`annotations: {config.k8s.io/owning-inventory: x-1}`, "inventory/x-1 in shop"},
		{`labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}`, "kustomizations.kustomize.toolkit.fluxcd.io/apps in flux-system"},
		{`labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: shop}`, "helmreleases.helm.toolkit.fluxcd.io/web in shop"},
		{`annotations: {argocd.argoproj.io/tracking-id: "shop:apps/Deployment:shop/web"}`, "applications.argoproj.io/shop in argocd"},
		{`annotations: {argocd.argoproj.io/tracking-id: "team_shop:apps/Deployment:shop/web"}`, "applications.argoproj.io/shop in team"},
		{`labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}`, "helm/web in shop"},
		{`annotations: {meta.helm.sh/release-name: web}`, ""},
		{`labels: {applyset.kubernetes.io/part-of: applyset-a-v1}`, "applyset-id/applyset-a-v1 in shop"},
		{`labels: {kapp.k14s.io/app: "17"}`, "kapp-label/17 in shop"},
		{`labels: {kro.run/instance-kind: WebApp, kro.run/instance-group: kro.run, kro.run/instance-name: x, kro.run/instance-namespace: shop}`, "WebApp.kro.run/x in shop"},
		{`labels: {app: web}`, ""},
	} {
		_, o := object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, "+test.metadata+"}}")
		var got []string
		for _, owner := range Owners(o) {
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
