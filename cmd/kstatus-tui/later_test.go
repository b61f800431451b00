package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// waitFor waits for targets of a cluster in memory as wait does, a minute at most,
// and returns how that ended.
func waitFor(t *testing.T, settle time.Duration, source string, prepare func(*testcluster.Cluster)) (end *report.End) {
	t.Helper()
	targets := []inventory.Target{{Source: "--all", Namespace: "shop", All: true}}
	if source != "--all" {
		var err error
		if targets, err = inventory.Parse(t.Context(), inventory.Request{Args: []string{source}, Namespace: "shop"}); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c := testcluster.New()
		defer c.Close()
		prepare(c)
		engine, err := watch.New(watch.Options{Config: c.Config(), Targets: targets, Namespace: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		engine.Start(t.Context())
		defer engine.Close()
		g := newGoal(forCurrent)
		g.failFast, g.settle, g.deadline = failNever, settle, time.Now().Add(time.Minute)
		opt := model.Options{Now: time.Now(), Sources: inventory.Sources(targets), Namespace: "shop", StallAfter: time.Minute}
		_, err = headless{feed: engine, now: time.Now}.run(t.Context(), opt, func(m model.Model) (bool, time.Time) {
			o, wake := g.look(m)
			end = o
			return o != nil, wake
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return end
}

func configMapNamed(name string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `"}}`
}

// An API group that comes back brings a kind to everything in a namespace: until
// its objects have been listed, and while they are not Current, it is not done.
func TestWhatIsDiscoveredLaterIsWaitedFor(t *testing.T) {
	for _, settle := range []time.Duration{0, 5 * time.Second} {
		end := waitFor(t, settle, "--all", func(c *testcluster.Cluster) {
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

// storedRelease is the Secret of a Helm release's revision.
func storedRelease(t *testing.T, version int, word, manifest string) map[string]any {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"name": "web", "namespace": "shop", "version": version, "manifest": manifest,
		"info":  map[string]any{"status": word, "first_deployed": "1999-12-31T23:00:00Z", "last_deployed": "1999-12-31T23:30:00Z"},
		"chart": map[string]any{"metadata": map[string]any{"name": "web", "version": "1.2.3"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1",
		"metadata": map[string]any{
			"name": fmt.Sprintf("sh.helm.release.v1.web.v%d", version), "namespace": "shop",
			"labels": map[string]any{"owner": "helm", "name": "web", "version": fmt.Sprint(version), "status": word},
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
		end := waitFor(t, settle, "helm/web", func(c *testcluster.Cluster) {
			c.Put(storedRelease(t, 9, "deployed", manifest("a")))
			c.Inject(testcluster.Fault{
				Status: 500, Message: "etcd",
				Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "sh.helm.release.v1.web.v10" },
			})
			time.AfterFunc(3*time.Second, func() { c.Put(storedRelease(t, 10, "pending-upgrade", manifest("a")+manifest("b"))) })
			time.AfterFunc(8*time.Second, func() { c.Put(configMapNamed("a")) })
		})
		if end.Code == exitOK {
			t.Errorf("settling for %s: done (%s), although revision 10 has not been read", settle, end.Why)
		}
	}
}

// An inventory that has changed is not done while its list is being read, however
// long that takes.
func TestAnInventoryWhoseListIsBeingReadIsNotDone(t *testing.T) {
	set := func(keys ...string) map[string]any {
		data := map[string]any{}
		for _, k := range keys {
			data[k] = ""
		}
		return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data, "metadata": map[string]any{
			"name": "inv", "namespace": "shop", "labels": map[string]any{"cli-utils.sigs.k8s.io/inventory-id": "x"},
		}}
	}
	end := waitFor(t, 5*time.Second, "cm/inv", func(c *testcluster.Cluster) {
		c.Put(set("shop_a__ConfigMap"))
		time.AfterFunc(2*time.Second, func() { c.Put(configMapNamed("a")) })
		time.AfterFunc(3*time.Second, func() {
			c.Inject(testcluster.Fault{Hang: true, Match: func(r testcluster.Request) bool { return r.Verb == "get" && r.Name == "inv" }})
			c.Put(set("shop_a__ConfigMap", "shop_b__ConfigMap"))
		})
	})
	if end.Code == exitOK {
		t.Errorf("done (%s), although b was never looked for", end.Why)
	}
}
