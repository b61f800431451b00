package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// What the controller of a custom kind makes is found without asking discovery for
// its kind; where that is not served, its source says so and nothing else waits.
func TestTheChildrenOfACustomKindAreFound(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "cert-manager.io", Version: "v1", Plural: "certificates", Kind: "Certificate"})
		c.Serve(testcluster.Resource{Group: "cert-manager.io", Version: "v1", Plural: "certificaterequests", Kind: "CertificateRequest"})
		uid := c.Put(`{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":"web","namespace":"shop"}}`)
		mine := owned("cert-manager.io/v1", "CertificateRequest", "web-1", "Certificate", uid, nil)
		c.Put(mine)
		c.Put(owned("cert-manager.io/v1", "CertificateRequest", "other-1", "Certificate", "another", nil))
		f := start(t, c, Options{}, manifest("cert-manager.io", "v1", "Certificate", "web"))
		f.settled()
		web := object.ID{Group: "cert-manager.io", Kind: "Certificate", Namespace: "shop", Name: "web"}
		request := object.ID{Group: "cert-manager.io", Kind: "CertificateRequest", Namespace: "shop", Name: "web-1"}
		f.e.Want(feed.Wants{Gen: 1, Children: []object.ID{web}})
		f.within(5*time.Second, "the request", f.has(request))
		if f.objects[object.ID{Group: "cert-manager.io", Kind: "CertificateRequest", Namespace: "shop", Name: "other-1"}] != nil {
			t.Error("another certificate's request is taken in")
		}
		// Orders are of a group that is not installed here.
		f.e.Want(feed.Wants{Gen: 2, Children: []object.ID{web, request}})
		f.within(10*time.Second, "the orders' source", func() bool { return f.source("orders").Phase == feed.NotServed })
		if n := count(c, func(r testcluster.Request) bool { return strings.Contains(r.Resource, "order") }); n > 3 {
			t.Errorf("%d requests for a kind that is not there", n)
		}
	})
}

// Of an operator's resource nothing says what it makes: what it owns is looked for in a few
// kinds and in its project's own, once somebody wants its children.
func TestObjectsOfAnOperatorAreFoundByTheirOwnerReference(t *testing.T) {
	for _, mode := range []string{"auto", "all"} {
		t.Run(mode, func(t *testing.T) {
			inBubble(t, func(t *testing.T, c *testcluster.Cluster) { whatAnOperatorMakes(t, c, mode) })
		})
	}
}

func whatAnOperatorMakes(t *testing.T, c *testcluster.Cluster, mode string) {
	c.Serve(testcluster.Resource{Group: "kafka.strimzi.io", Version: "v1", Plural: "kafkas", Kind: "Kafka"})
	c.Serve(testcluster.Resource{Group: "core.strimzi.io", Version: "v1", Plural: "strimzipodsets", Kind: "StrimziPodSet"})
	c.Serve(testcluster.Resource{Group: "lab.io", Version: "v1", Plural: "widgets", Kind: "Widget"})
	uid := c.Put(`{"apiVersion":"kafka.strimzi.io/v1","kind":"Kafka","metadata":{"name":"events","namespace":"shop"}}`)
	set := c.Put(owned("core.strimzi.io/v1", "StrimziPodSet", "events-kafka", "Kafka", uid, nil))
	c.Put(owned("v1", "Pod", "events-kafka-0", "StrimziPodSet", set, nil))
	c.Put(owned("batch/v1", "Job", "events-rebalance", "Kafka", uid, nil))
	c.Put(owned("batch/v1", "Job", "other", "Kafka", "another", nil))
	children := func() int {
		return count(c, func(r testcluster.Request) bool { return r.Namespace == "shop" && r.Resource != "kafkas" })
	}
	f := start(t, c, Options{Children: mode}, inventory.Target{Type: "kafka", Name: "events", Namespace: "shop"})
	f.settled()
	f.rest(time.Minute)
	if n := children(); n > 0 {
		t.Errorf("%d requests for children that nobody wants", n)
	}
	f.e.Want(feed.Wants{Gen: 1, Children: []object.ID{{Group: "kafka.strimzi.io", Kind: "Kafka", Namespace: "shop", Name: "events"}}})
	job := object.ID{Group: "batch", Kind: "Job", Namespace: "shop", Name: "events-rebalance"}
	pod := object.ID{Kind: "Pod", Namespace: "shop", Name: "events-kafka-0"}
	f.within(5*time.Second, "what it owns", func() bool { return f.objects[job] != nil && f.objects[pod] != nil })
	if f.objects[object.ID{Group: "batch", Kind: "Job", Namespace: "shop", Name: "other"}] != nil {
		t.Error("what another one owns is taken in")
	}
	if n := count(c, func(r testcluster.Request) bool { return r.Resource == "widgets" }); n > 0 {
		t.Errorf("%d requests for another project's kind", n)
	}
	// What is searched is read by its metadata, and what was found by its name.
	if n := count(c, func(r testcluster.Request) bool {
		return r.Namespace == "shop" && (r.Resource == "pods" || r.Resource == "jobs") && !strings.Contains(r.Accept, "as=PartialObjectMetadata") && !narrow(r)
	}); n > 0 {
		t.Errorf("%d requests for whole objects of a namespace", n)
	}
	// What it makes later is found, too.
	c.Put(owned("batch/v1", "Job", "events-later", "Kafka", uid, nil))
	later := object.ID{Group: "batch", Kind: "Job", Namespace: "shop", Name: "events-later"}
	f.within(5*time.Second, "what it makes later", func() bool { return f.objects[later] != nil })
	c.Delete("Job", "shop", "events-later")
	f.within(5*time.Second, "its end", func() bool { return f.objects[later] == nil })
}

func narrow(r testcluster.Request) bool {
	return r.Name != "" || strings.Contains(r.Query, "metadata.name") || strings.Contains(r.Query, "labelSelector") // a Job's Pods
}

// An owner without a namespace has what it makes found in whichever it is.
func TestObjectsOfAClusterScopedOwnerAreFoundInEveryNamespace(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "lab.io", Version: "v1", Plural: "platforms", Kind: "Platform", Cluster: true})
		c.Serve(testcluster.Resource{Group: "lab.io", Version: "v1", Plural: "parts", Kind: "Part", Cluster: true})
		uid := c.Put(`{"apiVersion":"lab.io/v1","kind":"Platform","metadata":{"name":"p"}}`)
		c.Put(owned("apps/v1", "Deployment", "agent", "Platform", uid, nil))
		part := owned("lab.io/v1", "Part", "p-1", "Platform", uid, nil)
		delete(part["metadata"].(map[string]any), "namespace")
		c.Put(part)
		f := start(t, c, Options{}, inventory.Target{Type: "platform", Name: "p"})
		f.settled()
		f.e.Want(feed.Wants{Gen: 1, Children: []object.ID{{Group: "lab.io", Kind: "Platform", Name: "p"}}})
		f.within(5*time.Second, "what it owns", func() bool {
			return f.objects[object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "agent"}] != nil &&
				f.objects[object.ID{Group: "lab.io", Kind: "Part", Name: "p-1"}] != nil
		})
	})
}
