package feed

import "testing"

func TestARefusalNamesUserVerbResourceAndNamespace(t *testing.T) {
	for in, want := range map[string]string{
		`events is forbidden: User "dev" cannot list resource "events" in API group "" in the namespace "shop"`:                                 "user dev cannot list events in shop (RBAC)",
		`pods "web-1" is forbidden: User "system:serviceaccount:ci:bot" cannot get resource "pods/log" in API group "" in the namespace "shop"`: "user system:serviceaccount:ci:bot cannot get pods/log in shop (RBAC)",
		`nodes is forbidden: User "dev" cannot list resource "nodes" in API group "" at the cluster scope`:                                      "user dev cannot list nodes at the cluster scope (RBAC)",
		`replicasets.apps is forbidden: User "a\"b\\c" cannot watch resource "replicasets" in API group "apps" in the namespace "shop"`:         `user a"b\c cannot watch replicasets.apps in shop (RBAC)`,
		`pods is forbidden: User "dev" cannot list resource "pods" in API group "" in the namespace "shop": RBAC: role "reader" not found`:      `user dev cannot list pods in shop (RBAC): role "reader" not found`,
		"forbidden: no rights": "forbidden: no rights",
	} {
		if got := Refusal(in); got != want {
			t.Errorf("Refusal(%q)\n got %q\nwant %q", in, got, want)
		}
		if !IsRefusal(Refusal(in)) || !IsRefusal(in) {
			t.Errorf("%q is no refusal", in)
		}
	}
	if IsRefusal("container web is waiting to start") {
		t.Error("an error of another kind is a refusal")
	}
}
