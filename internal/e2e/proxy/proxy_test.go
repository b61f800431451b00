package proxy_test

import (
	"bytes"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
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

func TestTheCounterCountsSentAndReceivedBytes(t *testing.T) {
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

func TestTheCounterCountsEveryByteWhileConnectionsAreOpenAndAfterwards(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("bytes are counted on Linux alone")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() { // three bytes for one
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				b := make([]byte, 1)
				for {
					if _, err := io.ReadFull(conn, b); err != nil {
						return
					}
					_, _ = conn.Write(bytes.Repeat(b, 3))
				}
			}()
		}
	}()
	c, err := proxy.NewCounter(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var conns []net.Conn
	check := func(when string, want int64) {
		t.Helper()
		if c.Sent() != want || c.Received() != 3*want || c.Connections() != int64(len(conns)) {
			t.Errorf("%s: %d sent, %d received by %d connections, want %d, %d, %d", when, c.Sent(), c.Received(), c.Connections(), want, 3*want, len(conns))
		}
	}
	for n := range 2 {
		conn, err := net.Dial("tcp", c.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		_, _ = conn.Write(make([]byte, 1000))
		if _, err := io.ReadFull(conn, make([]byte, 3000)); err != nil {
			t.Fatal(err)
		}
		check("open", int64(n+1)*1000)
	}
	conns[0].Close()
	if _, err := conns[1].Write(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conns[1], make([]byte, 30)); err != nil {
		t.Fatal(err)
	}
	check("one closed", 2010)
	c.Close()
	check("all closed", 2010)
}

// An answer that is not a stream of frames passes unchanged, and a length in it
// is never believed: the soak's own process once took 22 GB.
func TestARefusedWatchIsNotReframed(t *testing.T) {
	const status = "k8s\x00 not permitted"
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, status)
	}))
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	c, err := proxy.NewChaos(s.Listener.Addr().String(), roots, s.TLS.Certificates[0], true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Inject(proxy.Fault{Duplicate: true})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := get(t, s.Client(), c.URL()+"/refused?watch=true"); got != status {
		t.Errorf("a refusal became %q", got)
	}
	resp, err := s.Client().Get(c.URL() + "/spoilt?watch=true")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("what is no frame passed")
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 100<<20 {
		t.Errorf("it took %d MB", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

func TestTheTapRecordsRequestsAndAnswers(t *testing.T) {
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
