package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// A server that takes half a second for each answer completes names all the same.
func TestNamesCompleteOnASlowServer(t *testing.T) {
	c := testcluster.New()
	defer c.Close()
	c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u"},"spec":{"selector":{"matchLabels":{"a":"a"}},"template":{"spec":{}}}}`)
	address, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(500 * time.Millisecond) // what is tried is real time
		proxy.ServeHTTP(w, r)
	}))
	defer slow.Close()
	t.Setenv("HOME", t.TempDir())
	out, stderr, code := printed(t, "", "__complete", "--server", slow.URL, "-n", "shop", "status", "deploy/")
	if code != 0 || !strings.Contains(out, "deploy/web\t") {
		t.Errorf("exit %d\n%s%s", code, out, stderr)
	}
}
