package kube

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
	if !Named("ingresses/web", object.ID{Kind: "Ingress", Name: "web"}) || !Named("networkpolicies/x", object.ID{Kind: "NetworkPolicy", Name: "x"}) {
		t.Error("irregular plurals are not understood")
	}
}
