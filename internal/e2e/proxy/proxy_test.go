package proxy_test

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/proxy"
)

func server(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "answer to "+r.URL.Path+strings.Repeat(".", 1000))
	}))
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/plain")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestTheCounterCountsBothWays(t *testing.T) {
	s := server(t)
	c, err := proxy.NewCounter(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := get(t, s.Client(), "https://"+c.Address()+"/x"); !strings.HasPrefix(got, "answer to /x") {
		t.Errorf("got %q", got)
	}
	if c.Connections() != 1 || c.Sent() < 100 || c.Received() < 1000 {
		t.Errorf("%d connections, %d bytes sent, %d received", c.Connections(), c.Sent(), c.Received())
	}
}

func TestTheTapShowsWhatWasAskedAndAnswered(t *testing.T) {
	s := server(t)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	tap, err := proxy.NewTap(s.Listener.Addr().String(), roots, s.TLS.Certificates[0])
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	if got := get(t, s.Client(), tap.URL()+"/secret?a=1"); !strings.HasPrefix(got, "answer to /secret") {
		t.Errorf("got %q", got)
	}
	if !tap.Passed("answer to /secret") || tap.Passed("answer to /other") {
		t.Error("the tap does not know what passed")
	}
	if e := tap.Exchanges(); len(e) != 1 || e[0].URI != "/secret?a=1" || e[0].Accept != "text/plain" {
		t.Errorf("exchanges: %+v", e)
	}
}
