package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// waitFor waits for what is asked for in a cluster in memory, as wait does, a minute
// at most, and returns how that ended.
func waitFor(t *testing.T, settle time.Duration, asked inventory.Request, prepare func(*testcluster.Cluster)) *report.End {
	t.Helper()
	return waitForThe(t, wait.Current, settle, asked, prepare)
}

// waitForThe is waitFor with another value of --for.
func waitForThe(t *testing.T, what wait.Kind, settle time.Duration, asked inventory.Request, prepare func(*testcluster.Cluster)) *report.End {
	t.Helper()
	return waitForOptional(t, nil, what, settle, asked, prepare)
}

// waitForOptional is waitForThe with --optional.
func waitForOptional(t *testing.T, optional func(object.ID) bool, what wait.Kind, settle time.Duration, asked inventory.Request, prepare func(*testcluster.Cluster)) (end *report.End) {
	t.Helper()
	asked.Namespace = "shop"
	targets, err := inventory.Parse(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := testcluster.New()
		defer c.Close()
		prepare(c)
		g := newWaiter(what)
		g.FailFast, g.Settle, g.Deadline = wait.Never, settle, time.Now().Add(time.Minute)
		o := watch.Options{Targets: targets, Namespace: "shop", Optional: optional}
		followUntil(t, c, o, modelOptions(o), func(m *model.Model) (bool, time.Time) {
			o, wake := look(g, seenOf(m))
			end = o
			return o != nil, wake
		})
	})
	return end
}

func configMapNamed(name string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `"}}`
}

// An API group that comes back brings a kind to everything in a namespace: until
// its objects have been listed, and while they are not Current, it is not done.
func TestWaitDoesNotEndBeforeTheObjectsOfALateKindAreCurrent(t *testing.T) {
	for _, settle := range []time.Duration{0, 5 * time.Second} {
		end := waitFor(t, settle, inventory.Request{All: true}, func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
			c.Put(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"},"status":{"conditions":[{"type":"Ready","status":"False"}]}}`)
			c.Put(configMapNamed("a"))
			c.Inject(testcluster.Fault{NoAggregation: true})
			lift := c.Inject(testcluster.Fault{Status: 503, Match: func(r testcluster.Request) bool { return r.Path == "/apis/example.com/v1" }})
			time.AfterFunc(5*time.Second, lift)
			slow := c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Resource == "widgets" }})
			time.AfterFunc(20*time.Second, slow)
		})
		if end.Code == exitOK {
			t.Errorf("settling for %s: done (%s), with a Widget that is not ready", settle, end.Why)
		}
	}
}

// storedRelease is the Secret of a revision of the Helm release web.
func storedRelease(version int, word, manifest string) map[string]any {
	return helmSecret("web", version, word, manifest, "")
}

// helmSecret is the Secret of a revision of a Helm release.
func helmSecret(name string, version int, word, manifest, description string) map[string]any {
	data, err := json.Marshal(map[string]any{
		"name": name, "namespace": "shop", "version": version, "manifest": manifest,
		"info": map[string]any{
			"status": word, "description": description, "first_deployed": "1999-12-31T23:00:00Z", "last_deployed": "1999-12-31T23:30:00Z",
		},
		"chart": map[string]any{"metadata": map[string]any{"name": name, "version": "1.2.3"}},
	})
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1",
		"metadata": map[string]any{
			"name": fmt.Sprintf("sh.helm.release.v1.%s.v%d", name, version), "namespace": "shop",
			"labels": map[string]any{"owner": "helm", "name": name, "version": fmt.Sprint(version), "status": word},
		},
		"data": map[string]any{"release": base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(b.Bytes())))},
	}
}

// A revision that has come meanwhile, but whose record cannot be read, may have
// other members: the release is not done.
func TestAReleaseWhoseNewRevisionCannotBeReadIsNotDone(t *testing.T) {
	manifest := func(name string) string {
		return "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
	}
	for _, settle := range []time.Duration{0, 5 * time.Second} {
		end := waitFor(t, settle, inventory.Request{Args: []string{"helm/web"}}, func(c *testcluster.Cluster) {
			c.Put(storedRelease(9, "deployed", manifest("a")))
			c.Inject(testcluster.Fault{
				Status: 500, Message: "etcd",
				Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "sh.helm.release.v1.web.v10" },
			})
			time.AfterFunc(3*time.Second, func() { c.Put(storedRelease(10, "pending-upgrade", manifest("a")+manifest("b"))) })
			time.AfterFunc(8*time.Second, func() { c.Put(configMapNamed("a")) })
		})
		if end.Code == exitOK {
			t.Errorf("settling for %s: done (%s), although revision 10 has not been read", settle, end.Why)
		}
	}
}

// inventorySet is cli-utils' inventory of what the keys name.
func inventorySet(keys ...string) map[string]any {
	data := map[string]any{}
	for _, k := range keys {
		data[k] = ""
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": map[string]any{
		"name": "inv", "namespace": "shop", "labels": map[string]any{"cli-utils.sigs.k8s.io/inventory-id": "x"},
	}}
}

// An inventory that has changed is not done while its list is being read, however
// long that takes.
func TestAnInventoryWhoseListIsBeingReadIsNotDone(t *testing.T) {
	end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{"cm/inv"}}, func(c *testcluster.Cluster) {
		c.Put(inventorySet("shop_a__ConfigMap"))
		time.AfterFunc(2*time.Second, func() { c.Put(configMapNamed("a")) })
		time.AfterFunc(3*time.Second, func() {
			c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" }})
			c.Put(inventorySet("shop_a__ConfigMap", "shop_b__ConfigMap"))
		})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although b was never looked for", end.Why)
	}
}

// A 404 for what the watch shows is no answer: its members are read again.
func TestAnInventoryThatCannotBeFoundForAMomentIsReadAgain(t *testing.T) {
	end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{"cm/inv"}}, func(c *testcluster.Cluster) {
		c.Put(inventorySet("shop_a__ConfigMap"))
		lift := c.Inject(testcluster.Fault{
			Status: 404, Message: "the server could not find the requested resource",
			Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" },
		})
		time.AfterFunc(time.Second, lift)
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although a does not exist", end.Why)
	}
}

// helmRelease is a HelmRelease that is ready in revision 9, and has no inventory.
const helmRelease = `{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","metadata":{"name":"web","namespace":"shop","generation":1},"spec":{"chart":{}},"status":{"observedGeneration":1,"history":[{"name":"web","namespace":"shop","version":9,"status":"deployed"}],"conditions":[{"type":"Ready","status":"True","reason":"Done","lastTransitionTime":"1999-12-31T23:00:00Z"}]}}`

// A HelmRelease without an inventory has the members of Helm's record, also where
// that could not be read at first.
func TestAHelmReleaseWhoseRecordCannotBeReadIsNotDone(t *testing.T) {
	for _, settle := range []time.Duration{0, 10 * time.Second} {
		end := waitFor(t, settle, inventory.Request{Args: []string{"helmreleases/web"}}, func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Plural: "helmreleases", Kind: "HelmRelease"})
			c.Put(helmRelease)
			c.Put(storedRelease(9, "deployed", "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: missing\n"))
			lift := c.Inject(testcluster.Fault{
				Status: 500, Message: "etcd",
				Match: func(r testcluster.Request) bool { return r.Verb == "get" && strings.HasPrefix(r.Name, "sh.helm") },
			})
			time.AfterFunc(time.Second, lift)
		})
		if end.Code == exitOK {
			t.Errorf("settling for %s: done (%s), although its member does not exist", settle, end.Why)
		}
	}
}

// application is an Application of Argo CD's that is done.
func application(name, resources string) string {
	return `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"` + name + `","namespace":"shop"},"spec":{"destination":{"namespace":"shop","server":"https://kubernetes.default.svc"},"source":{"repoURL":"x"}},"status":{"resources":[` + resources + `],"sync":{"status":"Synced","revision":"abc"},"health":{"status":"Healthy"},"operationState":{"phase":"Succeeded"}}}`
}

// What one inventory is about to prune and another one lists must exist, whichever
// of them comes first.
func TestAMemberOfTwoInventoriesIsRequiredByOne(t *testing.T) {
	for _, args := range [][]string{{"argo/one", "argo/two"}, {"argo/two", "argo/one"}} {
		end := waitFor(t, 5*time.Second, inventory.Request{Args: args}, func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "argoproj.io", Version: "v1alpha1", Plural: "applications", Kind: "Application"})
			c.Put(configMapNamed("a"))
			c.Put(application("one", `{"kind":"ConfigMap","version":"v1","name":"a","namespace":"shop"},{"kind":"ConfigMap","version":"v1","name":"moved","namespace":"shop","requiresPruning":true}`))
			c.Put(application("two", `{"kind":"ConfigMap","version":"v1","name":"moved","namespace":"shop"}`))
		})
		if end.Code == exitOK {
			t.Errorf("%v: done (%s), although what two lists does not exist", args, end.Why)
		}
	}
}

// What is applied is waited for in its generation, also if it is named besides.
func TestAnAppliedObjectThatIsAlsoNamedKeepsItsGeneration(t *testing.T) {
	const applied = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"w","generation":2,"resourceVersion":"5"},"spec":{"replicas":0},"status":{"observedGeneration":1}}`
	for _, args := range [][]string{nil, {"deploy/web"}} {
		end := waitFor(t, 0, inventory.Request{Args: args, Files: []string{"-"}, Stdin: strings.NewReader(applied)}, func(c *testcluster.Cluster) {
			c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"w","generation":1},"spec":{"replicas":0},"status":{"observedGeneration":1}}`)
		})
		if end.Code == exitOK {
			t.Errorf("%v -f -: done (%s) in generation 1, where 2 was applied", args, end.Why)
		}
	}
}

// Children that are not seen any longer decide, also if there were none so far.
func TestAStaleStreamWithoutAnObjectIsNoProof(t *testing.T) {
	deployment := func(ready int) string {
		available := map[int]string{0: "False", 1: "True"}[ready]
		return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"w","generation":1},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}}},`+
			`"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":%d,"availableReplicas":%[1]d,"conditions":[{"type":"Available","status":%[2]q}]}}`, ready, available)
	}
	end := waitFor(t, 0, inventory.Request{Args: []string{"deploy/web"}}, func(c *testcluster.Cluster) {
		c.Put(deployment(0))
		c.Put(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1","namespace":"shop","uid":"r","generation":1,"labels":{"app":"web"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"w","controller":true}]},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}}},"status":{"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1,"fullyLabeledReplicas":1}}`)
		time.AfterFunc(4*time.Second, func() {
			c.Inject(testcluster.Fault{Status: 500, Message: "etcd", Match: func(r testcluster.Request) bool { return r.Resource == "pods" }})
			c.CutStreams()
		})
		time.AfterFunc(30*time.Second, func() { c.Put(deployment(1)) })
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although nothing is known of its Pods", end.Why)
	}
}

// A HelmRelease without an inventory, of which neither the release's Secrets may be
// read nor this cluster has the members, is judged by its own status.
func TestAHelmReleaseWithoutAnInventoryIsJudgedByItsStatus(t *testing.T) {
	for name, release := range map[string]string{
		"no rights":       helmRelease,
		"another cluster": strings.Replace(helmRelease, `"spec":{`, `"spec":{"kubeConfig":{"secretRef":{"name":"far"}},`, 1),
	} {
		for _, arg := range []string{"flux/hr/web", "helmreleases/web"} {
			end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{arg}}, func(c *testcluster.Cluster) {
				c.Serve(testcluster.Resource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Plural: "helmreleases", Kind: "HelmRelease"})
				c.Put(release)
				c.Inject(testcluster.Fault{Status: 403, Match: func(r testcluster.Request) bool { return r.Resource == "secrets" || r.Resource == "configmaps" }})
			})
			if end.Code != exitOK {
				t.Errorf("%s, %s: code %d (%s)", name, arg, end.Code, end.Why)
			}
		}
	}
}

// What its follower says of an inventory counts, however it was asked for.
func TestTheReportedStatusOfASelectedInventoryCounts(t *testing.T) {
	for name, prepare := range map[string]func(*testcluster.Cluster){
		"its list cannot be read": func(c *testcluster.Cluster) {
			c.Put(inventorySet("shop_a__Service"))
			c.Inject(testcluster.Fault{Status: 500, Message: "etcd", Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" }})
		},
		"kapp failed": func(c *testcluster.Cluster) {
			c.Put(map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap",
				"metadata": map[string]any{"name": "web", "namespace": "shop", "labels": map[string]any{"kapp.k14s.io/is-app": ""}},
				"data":     map[string]any{"spec": `{"labelKey":"kapp.k14s.io/app","labelValue":"1","usedGKs":[{"Group":"","Kind":"Service"}],"lastChange":{"successful":false,"description":"boom"}}`},
			})
		},
	} {
		for _, asked := range []inventory.Request{{Args: []string{"cm"}, All: true}, {All: true}, {Args: []string{"cm"}, FieldSelector: "metadata.namespace=shop"}} {
			if end := waitFor(t, 5*time.Second, asked, prepare); end.Code == exitOK {
				t.Errorf("%s, asked for %v: done (%s)", name, asked.Args, end.Why)
			}
		}
	}
}

// An inventory that was named must list something; of what a selection brings one may
// be empty.
func TestASelectedInventoryMayBeEmpty(t *testing.T) {
	for _, test := range []struct {
		asked inventory.Request
		done  bool
	}{{inventory.Request{All: true}, true}, {inventory.Request{Args: []string{"cm"}, All: true}, true}, {inventory.Request{Args: []string{"cm/inv"}}, false}} {
		end := waitFor(t, 5*time.Second, test.asked, func(c *testcluster.Cluster) {
			c.Put(inventorySet())
			c.Put(configMapNamed("a"))
		})
		if done := end.Code == exitOK; done != test.done {
			t.Errorf("%v: done %v (%s), want %v", test.asked.Args, done, end.Why, test.done)
		}
	}
}

// The members of an inventory that two others list are required if one requires it, however
// late that one comes.
func TestTheMembersOfARequiredInventoryAreRequired(t *testing.T) {
	three := `{"group":"argoproj.io","kind":"Application","version":"v1alpha1","name":"three","namespace":"shop"`
	end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{"argo/one", "argo/two"}}, func(c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "argoproj.io", Version: "v1alpha1", Plural: "applications", Kind: "Application"})
		c.Put(configMapNamed("a"))
		c.Put(application("one", `{"kind":"ConfigMap","version":"v1","name":"a","namespace":"shop"},`+three+`,"requiresPruning":true}`))
		time.AfterFunc(3*time.Second, func() { c.Put(application("two", three+`}`)) })
		c.Put(application("three", `{"kind":"ConfigMap","version":"v1","name":"missing","namespace":"shop"}`))
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although what three lists does not exist", end.Why)
	}
}

// A HelmRelease whose record is damaged lists nobody knows what, and an ApplySet may
// have members of a kind that is not served (yet).
func TestAnInventoryIsNotDoneWhileSomeMembersAreUnknown(t *testing.T) {
	for name, prepare := range map[string]func(*testcluster.Cluster){
		"helmreleases/web": func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Plural: "helmreleases", Kind: "HelmRelease"})
			c.Put(helmRelease)
			record := storedRelease(9, "deployed", "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: missing\n")
			record["data"] = map[string]any{"release": "AAAA"}
			c.Put(record)
		},
		"applyset/set": func(c *testcluster.Cluster) {
			c.Put(`{"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"shop","name":"set","labels":{"applyset.kubernetes.io/id":"applyset-s-v1"},"annotations":{"applyset.kubernetes.io/contains-group-kinds":"ConfigMap,Widget.example.com"}}}`)
			c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"a","labels":{"applyset.kubernetes.io/part-of":"applyset-s-v1"}}}`)
		},
	} {
		if end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{name}}, prepare); end.Code == exitOK {
			t.Errorf("%s: done (%s)", name, end.Why)
		}
	}
}

// hydrated is an Application whose hydrator has worked on a repository.
func hydrated(app, phase, from string) string {
	app = strings.Replace(app, `"source":{"repoURL":"x"}},"status":{`, `"sourceHydrator":{"drySource":{"repoURL":"y"}}},"status":{`, 1)
	return strings.Replace(app, `"status":{`, `"status":{"sourceHydrator":{"currentOperation":{"phase":"`+phase+`","sourceHydrator":{"drySource":{"repoURL":"`+from+`"}}}},`, 1)
}

// A tool that has not looked at the newest yet, or is held back from it, is not done.
func TestAnInventoryIsNotDoneBeforeItsToolHasReadTheNewestRevision(t *testing.T) {
	const kustomization = `{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"shop","generation":1},"spec":{"suspend":true,"sourceRef":{"kind":"GitRepository","name":"repo"}},"status":{"observedGeneration":1,"inventory":{"entries":[{"id":"shop_a__ConfigMap","v":"v1"}]},"lastAppliedRevision":"main@sha1:aaaa","lastAttemptedRevision":"main@sha1:aaaa","conditions":[{"type":"Ready","status":"True","reason":"Done","lastTransitionTime":"1999-12-31T23:00:00Z"}]}}`
	app := strings.Replace(application("one", `{"kind":"ConfigMap","version":"v1","name":"a","namespace":"shop"}`), `"sync":{`,
		`"sync":{"comparedTo":{"source":{"repoURL":"x"},"destination":{"namespace":"shop","server":"https://kubernetes.default.svc"}},`, 1)
	for name, test := range map[string]struct {
		asked, put string
		done       bool
	}{
		"another field":            {"argo/one", strings.Replace(app, `"spec":{`, `"spec":{"revisionHistoryLimit":3,`, 1), true},
		"what is empty":            {"argo/one", strings.Replace(app, `"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"x","path":"","directory":{"recurse":false}}},"status"`, 1), true},
		"a changed source":         {"argo/one", strings.Replace(app, `"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"x","targetRevision":"v2"}},"status"`, 1), false},
		"an inferred server":       {"argo/one", strings.Replace(app, `"destination":{"namespace":"shop","server":"https://kubernetes.default.svc"},"source":{"repoURL":"x"}},"status"`, `"destination":{"namespace":"shop","name":"in-cluster"},"source":{"repoURL":"x"}},"status"`, 1), true},
		"another namespace":        {"argo/one", strings.Replace(app, `"spec":{"destination":{"namespace":"shop"`, `"spec":{"destination":{"namespace":"else"`, 1), false},
		"hydrated":                 {"argo/one", strings.Replace(app, `"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"old"},"sourceHydrator":{"drySource":{"repoURL":"y"}}},"status"`, 1), true},
		"no longer its single one": {"argo/one", strings.Replace(app, `"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"x"},"sources":[{"repoURL":"x"}]},"status"`, 1), false},
		"of several, as compared":  {"argo/one", strings.NewReplacer(`"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"y"},"sources":[{"repoURL":"x"}]},"status"`, `"comparedTo":{"source":{"repoURL":"x"}`, `"comparedTo":{"source":{"repoURL":""},"sources":[{"repoURL":"x"}]`).Replace(app), true},
		"a value that is zero":     {"argo/one", strings.Replace(app, `"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"x","helm":{"valuesObject":{"replicas":0}}}},"status"`, 1), false},
		"a late change of a long text": {"argo/one", strings.NewReplacer(
			`"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"x","helm":{"values":"`+strings.Repeat("x", 5000)+`a"}}},"status"`,
			`"comparedTo":{"source":{"repoURL":"x"}`, `"comparedTo":{"source":{"repoURL":"x","helm":{"values":"`+strings.Repeat("x", 5000)+`b"}}`).Replace(app), false},
		"a value that is null": {"argo/one", strings.NewReplacer(
			`"source":{"repoURL":"x"}},"status"`, `"source":{"repoURL":"x","helm":{"valuesObject":{"limits":{"cpu":null,"memory":"1"}}}}},"status"`,
			`"comparedTo":{"source":{"repoURL":"x"}`, `"comparedTo":{"source":{"repoURL":"x","helm":{"valuesObject":{"limits":{"memory":"1"}}}}`).Replace(app), true},
		"hydrated for another namespace": {"argo/one", strings.Replace(hydrated(app, "Hydrated", "y"), `"spec":{"destination":{"namespace":"shop"`, `"spec":{"destination":{"namespace":"else"`, 1), false},
		"hydrated, and not looked at":    {"argo/one", strings.Replace(hydrated(app, "Hydrated", "y"), `"phase":"Hydrated",`, `"phase":"Hydrated","finishedAt":"1999-12-31T23:30:00Z",`, 1), false},
		"not hydrated":                   {"argo/one", hydrated(app, "Failed", "y"), false},
		"with a new hydrator": {"argo/one", strings.NewReplacer(
			`"source":{"repoURL":"x"}},"status":{`, `"sourceHydrator":{"drySource":{"repoURL":"y"},"syncSource":{"targetBranch":"env/prod"}}},"status":{`).Replace(app), false},
		"hydrated, and looked at": {"argo/one", strings.Replace(strings.Replace(hydrated(app, "Hydrated", "y"), `"phase":"Hydrated",`, `"phase":"Hydrated","finishedAt":"1999-12-31T23:30:00Z",`, 1), `"status":{"source`, `"status":{"reconciledAt":"1999-12-31T23:30:00Z","source`, 1), true},
		"a hydrator at work":      {"argo/one", hydrated(app, "Hydrating", "y"), false},
		"a hydrator that is done": {"argo/one", hydrated(app, "Hydrated", "y"), true},
		"not hydrated yet":        {"argo/one", hydrated(app, "Hydrated", "old"), false},
		"a hydration":             {"argo/one", strings.Replace(app, `"metadata":{`, `"metadata":{"annotations":{"argocd.argoproj.io/hydrate":"normal"},`, 1), false},
		"a refresh":               {"argo/one", strings.Replace(app, `"metadata":{`, `"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"},`, 1), false},
		"suspended behind it":     {"flux/ks/apps", kustomization, false},
		"suspended with no new":   {"flux/ks/apps", strings.ReplaceAll(kustomization, "aaaa", "bbbb"), true},
	} {
		end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{test.asked}}, func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "argoproj.io", Version: "v1alpha1", Plural: "applications", Kind: "Application"})
			c.Serve(testcluster.Resource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Plural: "kustomizations", Kind: "Kustomization"})
			c.Serve(testcluster.Resource{Group: "source.toolkit.fluxcd.io", Version: "v1", Plural: "gitrepositories", Kind: "GitRepository"})
			c.Put(`{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"name":"repo","namespace":"shop"},"status":{"artifact":{"revision":"main@sha1:bbbb"}}}`)
			c.Put(configMapNamed("a"))
			c.Put(test.put)
		})
		if done := end.Code == exitOK; done != test.done {
			t.Errorf("%s: done %v (%s), want %v", name, done, end.Why, test.done)
		}
	}
}

// What was named and goes on to a newer revision is not what was waited for; of a
// selection one may.
func TestOnlyANamedInventoryEndsTheWaitWithANewRevision(t *testing.T) {
	at := func(revision string) string {
		return strings.ReplaceAll(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"shop","generation":1},"spec":{"sourceRef":{"kind":"GitRepository","name":"repo"}},"status":{"observedGeneration":1,"inventory":{"entries":[{"id":"shop_a__ConfigMap","v":"v1"}]},"lastAppliedRevision":"REV","lastAttemptedRevision":"REV","conditions":[{"type":"Ready","status":"True","reason":"Done","lastTransitionTime":"1999-12-31T23:00:00Z"}]}}`, "REV", revision)
	}
	for name, test := range map[string]struct {
		asked  inventory.Request
		source string
		code   int
	}{
		"no longer what was asked":    {inventory.Request{Args: []string{"flux/ks/apps"}}, "main@sha1:aaaa", exitMoved},
		"one of all behind its own":   {inventory.Request{Args: []string{"kustomizations"}, All: true}, "main@sha1:bbbb", exitOK},
		"one of all that is moved on": {inventory.Request{Args: []string{"kustomizations"}, All: true}, "main@sha1:aaaa", exitOK},
	} {
		end := waitFor(t, 10*time.Second, test.asked, func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Plural: "kustomizations", Kind: "Kustomization"})
			c.Serve(testcluster.Resource{Group: "source.toolkit.fluxcd.io", Version: "v1", Plural: "gitrepositories", Kind: "GitRepository"})
			source := `{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"name":"repo","namespace":"shop"},"status":{"artifact":{"revision":"REV"}}}`
			c.Put(strings.Replace(source, "REV", test.source, 1))
			c.Put(configMapNamed("a"))
			c.Put(at("main@sha1:aaaa"))
			time.AfterFunc(5*time.Second, func() {
				c.Put(strings.Replace(source, "REV", "main@sha1:bbbb", 1))
				c.Put(at("main@sha1:bbbb"))
			})
		})
		if end.Code != test.code {
			t.Errorf("%s: code %d (%s), want %d", name, end.Code, end.Why, test.code)
		}
	}
}

// An optional inventory has optional members, but for what another one requires.
func TestTheMembersOfAnOptionalInventoryAreOptional(t *testing.T) {
	for _, test := range []struct {
		asked []string
		code  int
	}{
		{[]string{"cm/good", "cm/inv"}, exitOK},
		{[]string{"cm/inv", "cm/good", "cm/never"}, exitPending},
		{[]string{"cm/inv"}, exitPending}, // nothing else was asked for
	} {
		end := waitForOptional(t, func(id object.ID) bool { return id.Name == "inv" }, wait.Current, 5*time.Second, inventory.Request{Args: test.asked}, func(c *testcluster.Cluster) {
			c.Put(inventorySet("shop_never__ConfigMap", "shop_good__ConfigMap"))
			c.Put(configMapNamed("good"))
		})
		if end.Code != test.code {
			t.Errorf("%s: code %d (%s), want %d", test.asked, end.Code, end.Why, test.code)
		}
	}
}

// What may fail is not deleted while it exists.
func TestWaitForDeletionOfAnOptionalObjectAloneWaitsUntilItIsGone(t *testing.T) {
	end := waitForOptional(t, func(id object.ID) bool { return id.Name == "inv" }, wait.Deleted, 0, inventory.Request{Args: []string{"cm/inv"}}, func(c *testcluster.Cluster) {
		c.Put(inventorySet("shop_a__ConfigMap"))
		c.Put(configMapNamed("a"))
	})
	if end.Code != exitPending {
		t.Errorf("code %d (%s)", end.Code, end.Why)
	}
}

// What an inventory listed that could never be read may still exist.
func TestAnInventoryThatWasNeverReadIsNotDeletedWithItsMembers(t *testing.T) {
	end := waitForThe(t, wait.Deleted, 0, inventory.Request{Args: []string{"cm/inv"}}, func(c *testcluster.Cluster) {
		c.Put(inventorySet("shop_a__ConfigMap"))
		c.Put(configMapNamed("a"))
		c.Inject(testcluster.Fault{Status: 500, Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" }})
		time.AfterFunc(5*time.Second, func() { c.Delete("ConfigMap", "shop", "inv") })
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although a member exists", end.Why)
	}
}

// What was listed before is known, however the last version was missed.
func TestAnInventoryThatIsChangedAndDeletedIsGone(t *testing.T) {
	end := waitForThe(t, wait.Deleted, 0, inventory.Request{Args: []string{"cm/inv"}}, func(c *testcluster.Cluster) {
		c.Put(inventorySet("shop_a__ConfigMap"))
		c.Put(configMapNamed("a"))
		time.AfterFunc(5*time.Second, func() {
			c.Inject(testcluster.Fault{Status: 404, Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" }})
			c.Put(inventorySet())
			time.AfterFunc(time.Second, func() {
				c.Delete("ConfigMap", "shop", "a")
				c.Delete("ConfigMap", "shop", "inv")
			})
		})
	})
	if end.Code != exitOK {
		t.Errorf("code %d (%s)", end.Code, end.Why)
	}
}

// The revision that is waited for is the first one that the tool has taken up since
// the apply.
func TestTheRevisionRightAfterAnApplyIsNotWaitedFor(t *testing.T) {
	type state struct {
		generation, observed, attempted, applied, source string
		asked, handled                                   string // the source's last request to reconcile, and the last that it handled
	}
	for name, test := range map[string]struct {
		was, is state
		code    int
	}{
		"a new generation":           {state{"2", "1", "a", "a", "a", "", ""}, state{"2", "2", "b", "b", "b", "", ""}, exitOK},
		"a new revision":             {state{"1", "1", "a", "a", "b", "", ""}, state{"1", "1", "b", "b", "b", "", ""}, exitOK},
		"superseded while applied":   {state{"1", "1", "b", "a", "b", "", ""}, state{"1", "1", "c", "c", "c", "", ""}, exitMoved},
		"superseded before that":     {state{"1", "1", "b", "a", "c", "", ""}, state{"1", "1", "c", "c", "c", "", ""}, exitOK},
		"superseded when it is done": {state{"1", "1", "b", "b", "b", "", ""}, state{"1", "1", "c", "c", "c", "", ""}, exitMoved},
		"asked for, and fetched":     {state{"1", "1", "a", "a", "a", "2", "1"}, state{"1", "1", "b", "b", "b", "2", "2"}, exitOK},
		"asked for, and not fetched": {state{"1", "1", "a", "a", "a", "2", "1"}, state{"1", "1", "a", "a", "a", "2", "1"}, exitPending},
		"asked for, and nothing new": {state{"1", "1", "a", "a", "a", "2", "1"}, state{"1", "1", "a", "a", "a", "2", "2"}, exitOK},
		"the next is only attempted": {state{"1", "1", "b", "b", "b", "", ""}, state{"1", "1", "c", "b", "c", "", ""}, exitPending},
	} {
		end := waitFor(t, 10*time.Second, inventory.Request{Args: []string{"flux/ks/apps"}}, func(c *testcluster.Cluster) {
			c.Serve(testcluster.Resource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Plural: "kustomizations", Kind: "Kustomization"})
			c.Serve(testcluster.Resource{Group: "source.toolkit.fluxcd.io", Version: "v1", Plural: "gitrepositories", Kind: "GitRepository"})
			put := func(s state) {
				in := strings.NewReplacer("GENERATION", s.generation, "OBSERVED", s.observed, "ATTEMPTED", s.attempted, "APPLIED", s.applied, "SOURCE", s.source, "ASKED", s.asked, "HANDLED", s.handled)
				c.Put(in.Replace(`{"apiVersion":"source.toolkit.fluxcd.io/v1","kind":"GitRepository","metadata":{"name":"repo","namespace":"shop","annotations":{"reconcile.fluxcd.io/requestedAt":"ASKED"}},"status":{"artifact":{"revision":"SOURCE"},"lastHandledReconcileAt":"HANDLED"}}`))
				c.Put(in.Replace(`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"shop","generation":GENERATION},"spec":{"sourceRef":{"kind":"GitRepository","name":"repo"}},"status":{"observedGeneration":OBSERVED,"inventory":{"entries":[{"id":"shop_a__ConfigMap","v":"v1"}]},"lastAppliedRevision":"APPLIED","lastAttemptedRevision":"ATTEMPTED","conditions":[{"type":"Ready","status":"True","reason":"Done","lastTransitionTime":"1999-12-31T23:00:00Z"}]}}`))
			}
			c.Put(configMapNamed("a"))
			put(test.was)
			time.AfterFunc(5*time.Second, func() { put(test.is) })
		})
		if end.Code != test.code {
			t.Errorf("%s: code %d (%s), want %d", name, end.Code, end.Why, test.code)
		}
	}
}

// Of what --all follows the metadata alone is known, also of a root whose kind only
// the discovery has named: its list is read all the same.
func TestAllReadsTheInventoryOfADiscoveredKind(t *testing.T) {
	end := waitFor(t, 5*time.Second, inventory.Request{All: true}, func(c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "kro.run", Version: "v1alpha1", Plural: "shops", Kind: "Shop"})
		c.Put(`{"apiVersion":"kro.run/v1alpha1","kind":"Shop","metadata":{"name":"one","namespace":"shop","generation":1,"labels":{"applyset.kubernetes.io/id":"applyset-k-v1"},"annotations":{"applyset.kubernetes.io/contains-group-kinds":"ConfigMap","applyset.kubernetes.io/tooling":"kro/v0.9.4"}},"status":{"state":"ACTIVE","conditions":[{"type":"Ready","status":"True","reason":"Ready","observedGeneration":1}]}}`)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"one-conf","labels":{"applyset.kubernetes.io/part-of":"applyset-k-v1"}}}`)
	})
	if end.Code != exitOK {
		t.Errorf("code %d (%s)", end.Code, end.Why)
	}
}

// A Job that completed and was removed is no reason to believe what is not seen
// any longer.
func TestAStaleStreamBesideARemovedJobIsNoProof(t *testing.T) {
	end := waitFor(t, 20*time.Second, inventory.Request{Args: []string{"job/migrate", "deploy/web"}}, func(c *testcluster.Cluster) {
		c.Put(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"migrate","namespace":"shop","uid":"j","generation":1},"spec":{"ttlSecondsAfterFinished":1},"status":{"succeeded":1,"conditions":[{"type":"Complete","status":"True"}]}}`)
		c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"w","generation":1},"spec":{"replicas":0},"status":{"observedGeneration":1}}`)
		time.AfterFunc(2*time.Second, func() { c.Delete("Job", "shop", "migrate") })
		time.AfterFunc(4*time.Second, func() {
			c.Inject(testcluster.Fault{Status: 500, Message: "etcd", Match: func(r testcluster.Request) bool { return r.Resource == "deployments" }})
			c.CutStreams()
		})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although web has not been seen for most of that", end.Why)
	}
}

// A stream that was live, and has neither an answer nor an error since it was opened
// again, proves nothing.
func TestAReopenedStreamWithoutAnAnswerProvesNoSuccess(t *testing.T) {
	end := waitFor(t, 8*time.Second, inventory.Request{Args: []string{"cm/a"}}, func(c *testcluster.Cluster) {
		c.Put(configMapNamed("a"))
		time.AfterFunc(4*time.Second, func() {
			c.Inject(testcluster.Fault{NoEnd: true, NoBookmarks: true, Match: func(r testcluster.Request) bool { return r.Verb == "watch" }})
			c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Verb == "list" || r.Verb == "get" }})
			c.Delete("ConfigMap", "shop", "a")
			c.Forget()
			c.CutStreams()
		})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although a was deleted after 4 seconds", end.Why)
	}
}

// Another object than was asked for says nothing of that one.
func TestAnotherObjectIsNoProofOfAbsence(t *testing.T) {
	end := waitForThe(t, wait.Deleted, 0, inventory.Request{Args: []string{"pods/a"}}, func(c *testcluster.Cluster) {
		c.Put(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"a"}}`)
		c.Inject(testcluster.Fault{Status: 403, Match: func(r testcluster.Request) bool { return r.Verb == "watch" }})
		c.Inject(testcluster.Fault{Garble: [][2]string{{`"name":"a"`, `"name":"b"`}}, NoProtobuf: true, Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "a" }})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although a exists", end.Why)
	}
	end = waitFor(t, 0, inventory.Request{Args: []string{"cm/inv"}}, func(c *testcluster.Cluster) {
		c.Put(inventorySet("shop_a__ConfigMap"))
		c.Put(configMapNamed("b"))
		c.Inject(testcluster.Fault{Garble: [][2]string{{`"name":"inv"`, `"name":"x"`}, {"shop_a__", "shop_b__"}}, Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" }})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s) by another inventory's list", end.Why)
	}
	for was, is := range map[string]string{`"namespace":"shop","name":"a"`: `"namespace":"else","name":"a"`, `"name":"a","namespace":"shop"`: `"name":"a","namespace":"else"`} {
		end := waitForThe(t, wait.Deleted, 0, inventory.Request{Args: []string{"pods/a"}}, func(c *testcluster.Cluster) {
			c.Put(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"a"}}`)
			c.Inject(testcluster.Fault{Garble: [][2]string{{was, is}}, NoProtobuf: true, Match: func(r testcluster.Request) bool { return r.Resource == "pods" }})
		})
		if end.Code == exitOK {
			t.Errorf("done (%s), although a exists", end.Why)
		}
	}
}

// Metadata alone says nothing of an object that was asked for whole.
func TestMetadataAloneIsNoProofOfSuccess(t *testing.T) {
	const list = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9000"},"items":[` +
		`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"namespace":"shop","name":"a","uid":"u","resourceVersion":"9000"}}]}`
	end := waitFor(t, 5*time.Second, inventory.Request{Args: []string{"jobs"}, All: true}, func(c *testcluster.Cluster) {
		c.Put(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"namespace":"shop","name":"a"},"status":{"active":1}}`)
		c.Inject(testcluster.Fault{Status: http.StatusUnprocessableEntity, Match: func(r testcluster.Request) bool { return strings.Contains(r.Query, "sendInitialEvents") }})
		c.Inject(testcluster.Fault{Match: func(r testcluster.Request) bool { return r.Resource == "jobs" && r.Verb == "list" }, Answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, list)
		}})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although nothing is known of the Job but its name", end.Why)
	}
}
