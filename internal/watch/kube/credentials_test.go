package kube

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// signed is a certificate, of an authority where one is given, its own otherwise.
func signed(t *testing.T, name string, authority *tls.Certificate, but ...func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	is := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, SerialNumber: serial, BasicConstraintsValid: true, IsCA: authority == nil,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, change := range but {
		change(is)
	}
	by, with := is, any(key)
	if authority != nil {
		by, with = authority.Leaf, authority.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, is, by, key.Public(), with)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func inPEM(t *testing.T, c tls.Certificate) (certificate, key []byte) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// guarded is a server with a replaceable certificate and replaceable clients.
type guarded struct {
	*httptest.Server
	shows atomic.Pointer[tls.Certificate]
	takes atomic.Pointer[func(*http.Request) bool]
	asked atomic.Int32
}

var quietLog = log.New(io.Discard, "", 0)

func guard(t *testing.T) *guarded {
	g := &guarded{}
	g.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.asked.Add(1)
		if takes := g.takes.Load(); takes != nil && !(*takes)(r) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	g.TLS = &tls.Config{
		ClientAuth:     tls.RequestClientCert,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return g.shows.Load(), nil },
	}
	g.Config.ErrorLog = quietLog
	g.EnableHTTP2 = true
	g.StartTLS()
	g.TLS.Certificates = nil // what httptest put there would be shown
	t.Cleanup(g.Close)
	return g
}

func clientOf(t *testing.T, cfg *rest.Config, reread func() (*rest.Config, error)) (c *Client, try func() error) {
	t.Helper()
	return clientFrom(t, cfg, Origin{}, reread)
}

func clientFrom(t *testing.T, cfg *rest.Config, from Origin, reread func() (*rest.Config, error)) (c *Client, try func() error) {
	t.Helper()
	c, err := NewClient(cfg, from, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.reread = reread
	return c, func() error {
		for again := 0; ; again++ {
			c.renewed = time.Time{} // a second has passed
			body, err := c.Get(t.Context(), Readyz, nil, AcceptJSON)
			if err == nil {
				_ = body.Close()
			}
			// A connection that the test has just closed is no answer.
			if _, told := err.(*problem.Error); err == nil || Code(err) != 0 || told || again == 20 {
				return err
			}
		}
	}
}

func putFile(t *testing.T, file string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAnAuthorityThatIsReplacedOnDiskIsTrusted(t *testing.T) {
	old, renewed := signed(t, "old", nil), signed(t, "renewed", nil)
	oldText, _ := inPEM(t, old)
	newText, _ := inPEM(t, renewed)
	file := putFile(t, filepath.Join(t.TempDir(), "ca.crt"), oldText)
	g := guard(t)
	show := func(by tls.Certificate) {
		shown := signed(t, "server", &by)
		g.shows.Store(&shown)
		g.CloseClientConnections()
	}
	show(old)
	cfg := &rest.Config{Host: g.URL, TLSClientConfig: rest.TLSClientConfig{CAFile: file}}
	_, try := clientOf(t, cfg, func() (*rest.Config, error) { return cfg, nil })
	if err := try(); err != nil {
		t.Fatal(err)
	}
	show(renewed)
	for range 3 {
		if err := try(); !distrust(err) {
			t.Fatalf("a server of an unknown authority: %v", err)
		}
	}
	putFile(t, file, newText)
	if err := try(); !distrust(err) {
		t.Fatalf("what is not trusted has to be met first: %v", err)
	}
	if err := try(); err != nil {
		t.Errorf("the new authority is not trusted: %v", err)
	}
	// And the one before is no more.
	show(old)
	if err := try(); !distrust(err) {
		t.Errorf("a server of the old authority: %v", err)
	}
}

func TestACertificateOfOursThatIsReplacedOnDiskIsShown(t *testing.T) {
	authority := signed(t, "authority", nil)
	server := signed(t, "server", &authority)
	first, second := signed(t, "first", &authority), signed(t, "second", &authority)
	text, _ := inPEM(t, authority)
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "client.crt"), filepath.Join(dir, "client.key")
	firstText, firstKey := inPEM(t, first)
	secondText, secondKey := inPEM(t, second)
	putFile(t, certificate, firstText)
	putFile(t, key, firstKey)
	g := guard(t)
	g.shows.Store(&server)
	take := func(one tls.Certificate) {
		g.takes.Store(new(func(r *http.Request) bool {
			shown := r.TLS.PeerCertificates
			return len(shown) > 0 && shown[0].SerialNumber.Cmp(one.Leaf.SerialNumber) == 0
		}))
	}
	take(first)
	cfg := &rest.Config{Host: g.URL, TLSClientConfig: rest.TLSClientConfig{CAData: text, CertFile: certificate, KeyFile: key}}
	_, try := clientOf(t, cfg, func() (*rest.Config, error) { return cfg, nil })
	if err := try(); err != nil {
		t.Fatal(err)
	}
	take(second) // the first has expired
	if err := try(); Code(err) != http.StatusUnauthorized {
		t.Fatal(err)
	}
	putFile(t, certificate, secondText) // whose key is not there yet
	for range 2 {
		if err := try(); Code(err) != http.StatusUnauthorized {
			t.Fatalf("half of a pair: %v", err)
		}
	}
	putFile(t, key, secondKey)
	if err := try(); Code(err) != http.StatusUnauthorized {
		t.Fatalf("a refusal has to be met first: %v", err)
	}
	if err := try(); err != nil {
		t.Errorf("the new certificate is not shown: %v", err)
	}
}

// The configuration may be another cluster's by now; and it is not read again
// with every request.
func TestCredentialsAreReadAgainForTheSameClusterAtMostOnceASecond(t *testing.T) {
	authority := signed(t, "authority", nil)
	server := signed(t, "server", &authority)
	text, _ := inPEM(t, authority)
	g, other := guard(t), guard(t)
	g.shows.Store(&server)
	other.shows.Store(&server)
	g.takes.Store(new(func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer new" }))
	now := &rest.Config{Host: g.URL, BearerToken: "old", TLSClientConfig: rest.TLSClientConfig{CAData: text}}
	reads := 0
	c, try := clientOf(t, now, func() (*rest.Config, error) { reads++; return now, nil })
	now = &rest.Config{Host: other.URL, BearerToken: "new", TLSClientConfig: rest.TLSClientConfig{CAData: text}}
	for range 3 {
		if err := try(); Code(err) != http.StatusUnauthorized {
			t.Fatalf("with the token of another cluster: %v", err)
		}
	}
	if other.asked.Load() > 0 {
		t.Error("another cluster was asked")
	}
	began := time.Now()
	c.renewed, reads = began, 0
	for range 50 {
		_, _ = c.Get(t.Context(), Readyz, nil, AcceptJSON)
	}
	if took := time.Since(began); reads > 1+int(took/rereadEvery) {
		t.Errorf("read %d times", reads)
	}
	now = &rest.Config{Host: g.URL, BearerToken: "new", TLSClientConfig: rest.TLSClientConfig{CAData: text}}
	_ = try()
	if err := try(); err != nil {
		t.Errorf("with the new token: %v", err)
	}
}

// transportOf is the transport below the wrappers.
func transportOf(rt http.RoundTripper) *http.Transport {
	for {
		if t, ok := rt.(*http.Transport); ok {
			return t
		}
		rt = rt.(utilnet.RoundTripperWrapper).WrappedRoundTripper()
	}
}

func TestAServerOnThisMachineIsReadWithASmallWindow(t *testing.T) {
	for host, want := range map[string]int{"https://127.0.0.1:1": 512 << 10, "https://[::1]:1": 512 << 10, "https://192.0.2.1:1": 0} {
		for _, insecure := range []bool{true, false} { // without a word about TLS client-go would take http.DefaultTransport
			c, err := NewClient(&rest.Config{Host: host, TLSClientConfig: rest.TLSClientConfig{Insecure: insecure}}, Origin{}, nil, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			h := transportOf(c.current.Load().Transport).HTTP2
			if h.MaxReceiveBufferPerStream != want {
				t.Errorf("%s: %d bytes, want %d", host, h.MaxReceiveBufferPerStream, want)
			}
			if h.SendPingTimeout+h.PingTimeout != 10*time.Second {
				t.Errorf("%s: silence is noticed after %s", host, h.SendPingTimeout+h.PingTimeout)
			}
		}
	}
	if h := http.DefaultTransport.(*http.Transport).HTTP2; h != nil {
		t.Errorf("the transport that everybody shares was changed: %v", h)
	}
}
