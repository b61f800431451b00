package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
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
