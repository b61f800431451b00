package resolve

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

func TestNamedKnowsKindsPluralsAndShortNames(t *testing.T) {
	id := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	for arg, want := range map[string]bool{
		"deploy/web": true, "deployments/web": true, "Deployment/web": true, "deployment.apps/web": true,
		"deployments.v1.apps/web": true, "deploy/api": false, "sts/web": false, "deployment.extensions/web": false, "web": false,
	} {
		if got := Named(arg, id); got != want {
			t.Errorf("Named(%q) = %v, want %v", arg, got, want)
		}
	}
	if !Named("ingresses/web", object.ID{Kind: "Ingress", Name: "web"}) ||
		!Named("networkpolicies/x", object.ID{Kind: "NetworkPolicy", Name: "x"}) {
		t.Error("irregular plurals are not understood")
	}
}

func TestKindsThatOnlyExistAreFollowedByTheirMetadata(t *testing.T) {
	for _, plural := range []string{"secrets", "configmaps", "serviceaccounts", "roles", "rolebindings", "clusterroles", "clusterrolebindings"} {
		if r := BuiltinNames[plural]; r.Enc != kube.Metadata {
			t.Errorf("%s comes as %v", plural, r.Enc)
		}
	}
	for _, plural := range []string{"pods", "replicasets", "deployments", "jobs", "endpointslices"} {
		if r := BuiltinNames[plural]; r.Enc != kube.Protobuf {
			t.Errorf("%s comes as %v", plural, r.Enc)
		}
	}
}

func TestBuiltinTypesAsKubectlTakesThem(t *testing.T) {
	for typ, want := range map[string]string{
		"po": "pods", "pod": "pods", "Pods": "pods", "deploy": "deployments.apps", "deployments.apps": "deployments.apps",
		"deployment.v1.apps": "deployments.apps", "Deployment.apps": "deployments.apps", "pvc": "persistentvolumeclaims",
		"crd": "customresourcedefinitions.apiextensions.k8s.io", "ing": "ingresses.networking.k8s.io",
		"deployments.extensions": "", "widgets": "", "certificate.cert-manager.io": "",
	} {
		got := ""
		if r, ok := BuiltinType(typ); ok {
			got = r.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", typ, got, want)
		}
	}
}
