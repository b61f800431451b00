package wording

import "testing"

// A name may hold what a shell would take for its own.
func TestCommandsArePastedAsTheyStand(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"get", "pod", "web-0"}, "kubectl get pod web-0 -n shop"},
		{[]string{"get", "clusterrole", "system:node"}, "kubectl get clusterrole system:node -n shop"},
		{[]string{"get", "pods", "-l", "app in (a,b),!c"}, "kubectl get pods -l 'app in (a,b),!c' -n shop"},
		{[]string{"get", "x", "-o", "jsonpath={.metadata.finalizers}"}, "kubectl get x -o 'jsonpath={.metadata.finalizers}' -n shop"},
		{[]string{"describe", "x", "it's $(id) `id` *"}, `kubectl describe x 'it'\''s $(id) ` + "`id`" + ` *' -n shop`},
		{[]string{"describe", "x", ""}, "kubectl describe x '' -n shop"},
	} {
		if got := Command("shop", c.args...); got != c.want {
			t.Errorf("%q becomes %s, want %s", c.args, got, c.want)
		}
	}
}

func TestPluralsOfKinds(t *testing.T) {
	for kind, want := range map[string]string{
		"Pod": "Pods", "Ingress": "Ingresses", "NetworkPolicy": "NetworkPolicies", "Gateway": "Gateways", "Endpoints": "Endpoints",
		"StorageClass": "StorageClasses", "ServiceMesh": "ServiceMeshes", "APIKey": "APIKeys",
	} {
		if got := Kinds(kind); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
