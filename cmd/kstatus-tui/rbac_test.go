package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

func TestTheRolesHoldWhatIsReadAndNothingElse(t *testing.T) {
	r := rightsFor([]feed.SourceState{
		{Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web"},
		{Group: "apps", Resource: "deployments", Namespace: "shop", Name: "api"},
		{Group: "apps", Resource: "replicasets", Namespace: "shop", Selector: "app=web", Children: true},
		{Resource: "pods", Namespace: "shop", Children: true},
		{Resource: "configmaps", Namespace: "shop", Name: "settings"},
		{Resource: "configmaps", Namespace: "shop"},
		{Resource: "nodes", Name: "a"},
		{Resource: "services"},
		{Resource: "services", Namespace: "shop", Name: "web"}, // of all namespaces, so of this one
	}, []string{"shop"})
	var b bytes.Buffer
	if err := printRights(&b, r, "yaml", "least"); err != nil {
		t.Fatal(err)
	}
	const want = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: least
rules:
- apiGroups:
  - ""
  resourceNames:
  - a
  resources:
  - nodes
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - ""
  resources:
  - services
  verbs:
  - get
  - list
  - watch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: least
  namespace: shop
rules:
- apiGroups:
  - ""
  resources:
  - configmaps
  - pods
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - list
  - watch
- apiGroups:
  - ""
  resources:
  - pods/log
  verbs:
  - get
- apiGroups:
  - apps
  resourceNames:
  - api
  - web
  resources:
  - deployments
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - apps
  resources:
  - replicasets
  verbs:
  - get
  - list
  - watch
`
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
	log := watch.Access{Verb: "get", Resource: "pods", Subresource: "log", Namespace: "shop"}
	if !slices.Contains(r, log) || log.String() != "cannot get pods/log in shop" {
		t.Errorf("%v is not asked for: %v", log, r)
	}
}

func TestTheRightsAsATable(t *testing.T) {
	r := []watch.Access{
		{Verb: "get", Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web"},
		{Verb: "watch", Group: "apps", Resource: "deployments", Namespace: "shop", Name: "api"},
		{Verb: "get", Resource: "pods", Subresource: "log", Namespace: "shop"},
		{Verb: "list", Resource: "nodes"},
	}
	var b bytes.Buffer
	if err := printRights(&b, r, "table", ""); err != nil {
		t.Fatal(err)
	}
	const want = `NAMESPACE  RESOURCES         NAMES  VERBS
-          nodes             *      list
shop       pods/log          *      get
shop       deployments.apps  api    watch
shop       deployments.apps  web    get
`
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
}
