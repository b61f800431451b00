package object

import "testing"

func TestWhoseAnAPIGroupIs(t *testing.T) {
	for group, project := range map[string]bool{
		"": false, "apps": false, "extensions": false, "storage.k8s.io": false, "rbac.authorization.k8s.io": false,
		"gateway.networking.k8s.io": false, "metrics.k8s.io": false,
		"cert-manager.io": true, "sparkoperator.k8s.io": true, "cluster.x-k8s.io": true, "topology.node.k8s.io": true, "app.k8s.io": true, "snapshot.storage.k8s.io": true,
	} {
		if got := ProjectGroup(group); got != project {
			t.Errorf("ProjectGroup(%q) = %v", group, got)
		}
	}
}
