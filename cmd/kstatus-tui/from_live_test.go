package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// liveExplanation is the verdict over everything in a namespace, and its causes, as a
// live cluster with these objects gives them at the moment that look chooses.
func liveExplanation(t *testing.T, c dumptest.Cluster, namespace string, look step) (lines []string) {
	t.Helper()
	targets, err := inventory.Parse(t.Context(), inventory.Request{All: true, Namespace: namespace})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server, err := serve(c)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		o := watch.Options{Targets: targets, Namespace: namespace}
		m := followUntil(t, server, o, modelOptions(o), look)
		lines = append(lines, "verdict "+string(m.Facts.Verdict().Status))
		for _, x := range m.Facts.Causes() {
			lines = append(lines, fmt.Sprintf("%s %s %s/%s %s", x.Code, x.Class, x.Subject.ID.Kind, x.Subject.ID.Name, x.Title))
		}
	})
	slices.Sort(lines)
	return lines
}

// onceExplained chooses the moment at which status and why print.
func onceExplained(m *model.Model) (bool, time.Time) { return m.Intake.Quiesced(), time.Time{} }

// savedExplanation is the same of a dump.
func savedExplanation(t *testing.T, dir, namespace string) []string {
	t.Helper()
	out, errs, _ := printed(t, "", "why", "--all", "-n", namespace, "--from", dir, "-o", "json")
	var d struct {
		Verdict string
		Causes  []struct {
			Code, Class, Title string
			Subject            struct{ Kind, Name string }
		}
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	lines := []string{"verdict " + d.Verdict}
	for _, x := range d.Causes {
		lines = append(lines, fmt.Sprintf("%s %s %s/%s %s", x.Code, x.Class, x.Subject.Kind, x.Subject.Name, x.Title))
	}
	slices.Sort(lines)
	return lines
}

// compareWithLive saves a cluster in layouts, and compares what each says with what
// the cluster says.
func compareWithLive(t *testing.T, c dumptest.Cluster, namespace string, layouts ...string) {
	t.Helper()
	live := strings.Join(liveExplanation(t, c, namespace, onceExplained), "\n")
	for _, layout := range layouts {
		dir := filepath.Join(t.TempDir(), layout)
		if err := c.Write(dir, layout); err != nil {
			t.Fatal(err)
		}
		if saved := strings.Join(savedExplanation(t, dir, namespace), "\n"); saved != live {
			t.Errorf("%s:\n%s\nlive:\n%s", layout, saved, live)
		}
	}
}

// A dump that is made while things are broken gives the verdict and the causes that
// the cluster gives. (What cluster-info dump does not save is got besides.)
func TestASavedClusterHasTheVerdictAndCausesOfTheLiveOne(t *testing.T) {
	c := shopCluster(t)
	compareWithLive(t, c, "shop", "kubectl", "kubectl-folder", "must-gather", "support-bundle", "old-support-bundle")
}

// shopCluster has the objects of savedShop, and everything that is listed with them.
func shopCluster(t *testing.T) (c dumptest.Cluster) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(savedShop), &c.Objects); err != nil {
		t.Fatal(err)
	}
	// One kubectl get says nothing about kinds that had no object. So there is a Service.
	c.Objects = append(c.Objects, dumptest.Object{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "out", "namespace": "shop", "uid": "u-out", "resourceVersion": "40"},
		"spec": map[string]any{"type": "ExternalName", "externalName": "shop.example.com"},
	})
	listKinds(&c)
	c.At = time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)
	return c
}

// listKinds lists the kinds that are in a cluster, and those that everybody has.
func listKinds(c *dumptest.Cluster) {
	known := map[schema.GroupKind]bool{}
	add := func(apiVersion, kind string, namespaced bool) {
		gvk := schema.FromAPIVersionAndKind(apiVersion, kind)
		if known[gvk.GroupKind()] {
			return
		}
		known[gvk.GroupKind()] = true
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		name := plural.Resource
		if r := resolve.Builtin(gvk.Group, gvk.Kind); r.Plural != "" {
			name = r.Plural
		}
		if k := dumptest.ClusterScoped(apiVersion, kind, name); namespaced {
			c.Listed = append(c.Listed, dumptest.Namespaced(apiVersion, kind, name))
		} else {
			c.Listed = append(c.Listed, k)
		}
	}
	for _, r := range testcluster.Builtin {
		add(strings.TrimPrefix(r.Group+"/"+r.Version, "/"), r.Kind, !r.Cluster)
	}
	for _, o := range c.Objects {
		apiVersion, _ := o["apiVersion"].(string)
		kind, _ := o["kind"].(string)
		m, _ := o["metadata"].(map[string]any)
		_, namespaced := m["namespace"]
		add(apiVersion, kind, namespaced)
	}
}

// The Pods that a Service selects are followed for its judgement: it is judged again when
// the last of them goes.
func TestAServiceIsJudgedAgainWithThePodsThatItSelects(t *testing.T) {
	targets, err := inventory.Parse(t.Context(), inventory.Request{Args: []string{"svc/web"}, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server := testcluster.New()
		defer server.Close()
		server.Put(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"},"spec":{"clusterIP":"10.0.0.1","selector":{"app":"web"},"ports":[{"port":80}]}}`)
		server.Put(`{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","addressType":"IPv4","endpoints":[],"metadata":{"name":"web-x","namespace":"shop","labels":{"kubernetes.io/service-name":"web"}}}`)
		server.Put(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop","labels":{"app":"web"}},"spec":{"containers":[{"name":"a","image":"b"}]},"status":{"phase":"Pending"}}`)
		service := object.ID{Kind: "Service", Namespace: "shop", Name: "web"}
		waited := false
		o := watch.Options{Targets: targets, Namespace: "shop"}
		deadline := time.Now().Add(time.Hour)
		m := followUntil(t, server, o, modelOptions(o), func(m *model.Model) (bool, time.Time) {
			r, _ := m.Facts.Resource(service)
			if !waited && r.Assessment.Reason == "NoReadyEndpoints" {
				waited = true
				server.Delete("Pod", "shop", "a")
			}
			return waited && r.Assessment.Status == "Current" || !time.Now().Before(deadline), deadline
		})
		if r, _ := m.Facts.Resource(service); !waited || r.Assessment.Note != "its selector matches no pod" {
			t.Errorf("it waited: %v; %+v", waited, r.Assessment)
		}
	})
}
