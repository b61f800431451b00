package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

func TestTheRolesAllowExactlyTheRequestsThatAreMade(t *testing.T) {
	r := rightsFor(map[watch.Access]bool{}, []feed.SourceState{
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
	if err := printRoles(&b, rolesOf(r, "least")); err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: rbac.authorization.k8s.io/v1
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

func TestRightsAreJoinedInATable(t *testing.T) {
	r := []watch.Access{
		{Verb: "get", Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web"},
		{Verb: "watch", Group: "apps", Resource: "deployments", Namespace: "shop", Name: "api"},
		{Verb: "get", Resource: "pods", Subresource: "log", Namespace: "shop"},
		{Verb: "list", Resource: "nodes"},
	}
	var b bytes.Buffer
	if err := (&rbacOptions{}).printRules(&b, rolesOf(r, "")); err != nil {
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

// ownedCluster has an ApplySet in a Secret, and an inventory with another id than
// its name. What is refused is answered as an API server does.
func ownedCluster(t *testing.T, refused ...string) (url string) {
	t.Helper()
	c := testcluster.New()
	t.Cleanup(c.Close)
	c.Serve(testcluster.Resource{Group: "kpt.dev", Version: "v1alpha1", Plural: "resourcegroups", Kind: "ResourceGroup"})
	c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"myset","namespace":"shop","labels":{"applyset.kubernetes.io/id":"applyset-s-v1"},"annotations":{"applyset.kubernetes.io/contains-group-kinds":"ConfigMap"}}}`)
	c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"shop","labels":{"applyset.kubernetes.io/part-of":"applyset-s-v1"}}}`)
	c.Put(`{"apiVersion":"kpt.dev/v1alpha1","kind":"ResourceGroup","metadata":{"name":"grp","namespace":"shop","labels":{"cli-utils.sigs.k8s.io/inventory-id":"my-inv"}},"spec":{"resources":[]}}`)
	for _, resource := range refused {
		for _, verb := range []string{"get", "list", "watch"} {
			c.Inject(testcluster.Fault{
				Status: 403, Message: fmt.Sprintf(`%s is forbidden: User "viewer" cannot %s resource %q in API group "" in the namespace "shop"`, resource, verb, resource),
				Match: func(r testcluster.Request) bool { return r.Resource == resource && r.Verb == verb },
			})
		}
	}
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// outcomeOf runs a command in the namespace shop.
func outcomeOf(t *testing.T, url string, args ...string) (code int, out, stderr string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	var o, e bytes.Buffer
	args = append([]string{"kstatus-tui", args[0], "--server", url, "-n", "shop"}, args[1:]...)
	code = run(args, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &o, ErrOut: &e})
	return code, o.String(), e.String()
}

// What may not be read is said as that, with the next step, and never as absent.
func TestARefusalNamesTheUserThePermissionAndTheNextStep(t *testing.T) {
	url := ownedCluster(t, "secrets")
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"status", "--owner", "cm/web"}, "ConfigMap/web says that it belongs to applyset applyset-s-v1, which cannot be looked for: user viewer cannot list secrets in shop (RBAC)"},
		{[]string{"members", "applyset/myset"}, "get Secret/myset: user viewer cannot get secrets in shop (RBAC)"},
	} {
		code, out, stderr := outcomeOf(t, url, test.args...)
		if want := "kstatus-tui: " + test.want + "\nhint: " + askForRights + "\n"; code != exitError || out != "" || stderr != want {
			t.Errorf("%v: %d, %s%s", test.args, code, out, stderr)
		}
	}
}

// Whoever may only do what rbac prints must find what is named by an id, and
// nobody needs the places where it is not.
func TestTheRolesAllowTheSearchForAnInventory(t *testing.T) {
	for _, test := range []struct {
		source      []string
		has, hasNot string
	}{
		{[]string{"inventory/my-inv"}, "shop resourcegroups.kpt.dev * list\n", "configmaps"},
		{[]string{"inventory/grp"}, "shop resourcegroups.kpt.dev grp get,list,watch\n", "* list\n"},
		{[]string{"inventory/none"}, "shop configmaps * list\n", "secrets"},
		{[]string{"--owner", "cm/web"}, "- secrets * list\n", "- configmaps"},
	} {
		args := append([]string{"rbac", "-o", "table"}, test.source...)
		code, out, stderr := outcomeOf(t, ownedCluster(t), args...)
		out = regexp.MustCompile(" +").ReplaceAllString(out, " ")
		if code != exitOK || !strings.Contains(out, test.has) || strings.Contains(out, test.hasNot) {
			t.Errorf("%v: %d, %s%s", test.source, code, out, stderr)
		}
	}
}
