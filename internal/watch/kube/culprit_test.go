package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

func valid(from, to time.Duration) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.NotBefore, c.NotAfter = time.Now().Add(from), time.Now().Add(to) }
}

// A user who cannot reach the server reads what is at fault and what to do
// next: the same text on the screen, in a pipe and as an error.
func TestEachCulpritIsNamedWithTheNextStep(t *testing.T) {
	authority, other := signed(t, "cluster", nil), signed(t, "somebody else", nil)
	server := signed(t, "server", &authority)
	trusted, _ := inPEM(t, authority)
	foreign, _ := inPEM(t, other)
	dir := t.TempDir()
	caFile := putFile(t, filepath.Join(dir, "ca.crt"), foreign)
	pair := func(name string, c tls.Certificate) rest.TLSClientConfig {
		text, key := inPEM(t, c)
		return rest.TLSClientConfig{
			CAData: trusted, CertFile: putFile(t, filepath.Join(dir, name+".crt"), text),
			KeyFile: putFile(t, filepath.Join(dir, name+".key"), key),
		}
	}
	serves := func(shows tls.Certificate, takes func(*http.Request) bool) string {
		g := guard(t)
		g.shows.Store(&shows)
		if takes != nil {
			g.takes.Store(&takes)
		}
		return g.URL
	}
	nobody := func(*http.Request) bool { return false }
	insists := func() string { // on a certificate, in the handshake
		pool := x509.NewCertPool()
		pool.AddCert(authority.Leaf)
		g := httptest.NewUnstartedServer(http.NotFoundHandler())
		g.Config.ErrorLog = quietLog
		g.TLS = &tls.Config{Certificates: []tls.Certificate{server}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
		g.StartTLS()
		t.Cleanup(g.Close)
		return g.URL
	}()
	proxy := func(code int) func(*http.Request) (*url.URL, error) {
		p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(p.Close)
		u, _ := url.Parse(p.URL)
		u.User = url.UserPassword("me", "secret")
		return http.ProxyURL(u)
	}
	const away = "127.0.0.1:1"
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	lookup := func(e net.DNSError) func(context.Context, string, string) (net.Conn, error) {
		e.Name = "api.example.com"
		return func(context.Context, string, string) (net.Conn, error) { return nil, &net.OpError{Op: "dial", Err: &e} }
	}
	trust := rest.TLSClientConfig{CAData: trusted}
	late := base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1700000000,"sub":"me"}`))
	origin := Origin{Cluster: "/home/me/clusters", User: "/home/me/users"}
	good := serves(server, nil)
	refuses := serves(server, nobody)
	for _, c := range []struct {
		name string
		cfg  rest.Config
		want string // of the text, between "…" in this order
		next string
	}{
		{"an authority that is in no file", rest.Config{Host: good}, `unknown authority…127.0.0.1…signed by "cluster"…this machine does not trust`, "certificate-authority of /home/me/clusters"},
		{"another authority than that of the file", rest.Config{Host: good, TLSClientConfig: rest.TLSClientConfig{CAFile: caFile}}, `unknown authority…signed by "cluster"…not the authority in ` + caFile, "put the cluster's present authority there"},
		{"another authority than that of the kubeconfig", rest.Config{Host: good, TLSClientConfig: rest.TLSClientConfig{CAData: foreign}}, `signed by "cluster"…certificate-authority-data of /home/me/clusters`, "present authority"},
		{"a server's certificate that has expired", rest.Config{Host: serves(signed(t, "server", &authority, valid(-2*time.Hour, -time.Hour)), nil), TLSClientConfig: trust}, "the certificate of https://127.0.0.1…has expired: it was valid until " + moment(time.Now().Add(-time.Hour))[:12], "renewed on the server"},
		{"one that is of tomorrow", rest.Config{Host: serves(signed(t, "server", &authority, valid(24*time.Hour, 48*time.Hour)), nil), TLSClientConfig: trust}, "is not valid before ", "is this machine's clock right?"},
		{"another host", rest.Config{Host: serves(signed(t, "server", &authority, func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"kubernetes", "api.example.com"}
		}), nil), TLSClientConfig: trust}, "wrong host…is for kubernetes, api.example.com, not for 127.0.0.1", "tls-server-name"},
		{"no client certificate where one is wanted", rest.Config{Host: insists, TLSClientConfig: trust}, "wants a client certificate, and there is none", "client-certificate of the user in /home/me/users"},
		{"a client certificate of another authority", rest.Config{Host: insists, TLSClientConfig: pair("foreign", signed(t, "foreign", &other))}, "does not accept our client certificate (…foreign.crt…", "renew it there"},
		{"an expired client certificate, in the handshake", rest.Config{Host: insists, TLSClientConfig: pair("old", signed(t, "old", &authority, valid(-2*time.Hour, -time.Hour)))}, "does not accept our client certificate (…old.crt has expired: it was valid until 2", "renew it there"},
		{"an expired client certificate, by the API server", rest.Config{Host: refuses, TLSClientConfig: pair("old", signed(t, "old", &authority, valid(-2*time.Hour, -time.Hour)))}, "(401): the client certificate in …old.crt has expired: it was valid until 2", "renew it there"},
		{"a client certificate of nobody", rest.Config{Host: refuses, TLSClientConfig: pair("new", signed(t, "jane", &authority))}, `(401): the client certificate in …new.crt (of "jane", valid until 2`, "renew it there"},
		{"a token", rest.Config{Host: refuses, BearerToken: "abc", TLSClientConfig: trust}, "(401): the token in /home/me/users", "log in again"},
		{"a token that has expired", rest.Config{Host: refuses, BearerToken: "e30." + late + ".x", TLSClientConfig: trust}, "the token in /home/me/users has expired: it was valid until 2023-11-14 22:13:20 UTC", "renew it there"},
		{"nothing to show", rest.Config{Host: refuses, TLSClientConfig: trust}, "(401): there are none", "log in"},
		{"a server that is away", rest.Config{Host: "https://" + away}, "cannot reach https://" + away + ": connection refused", "check the server in /home/me/clusters"},
		{"a host that nobody knows", rest.Config{Host: "https://api.example.com", Dial: lookup(net.DNSError{Err: "no such host", IsNotFound: true})}, `the host "api.example.com" of the API server is not known`, "check the server"},
		{"name servers that are silent", rest.Config{Host: "https://api.example.com", Dial: lookup(net.DNSError{Err: "i/o timeout", IsTimeout: true})}, `the host "api.example.com" of the API server cannot be looked up: i/o timeout`, "is this machine online?"},
		{"a proxy that is away", rest.Config{Host: "https://api.example.com", Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: away, User: url.UserPassword("me", "secret")})}, "cannot reach the proxy http://me:xxxxx@" + away + " (proxy-url): connection refused", "check proxy-url"},
		{"a proxy that says no", rest.Config{Host: "https://api.example.com", Proxy: proxy(403)}, "the proxy http://me:xxxxx@…does not let us through to api.example.com (403 Forbidden)", "check proxy-url"},
		{"a proxy that asks for a password", rest.Config{Host: "https://api.example.com", Proxy: proxy(407)}, "does not let us through…(407 Proxy Authentication Required)", "user and password"},
		{"https where there is none", rest.Config{Host: strings.Replace(plain.URL, "http:", "https:", 1)}, "does not speak TLS", "http or https?"},
		{"no https where there is", rest.Config{Host: strings.Replace(good, "https:", "http:", 1)}, "wants https", "https://"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, try := clientFrom(t, &c.cfg, origin, nil)
			err := try()
			rest := fmt.Sprint(err)
			for part := range strings.SplitSeq(c.want, "…") {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Fatalf("%q lacks %q", err, part)
				}
				rest = after
			}
			if p, ok := err.(*problem.Error); !ok || !strings.Contains(p.Hint(), c.next) {
				t.Errorf("the next step is %q, want %q", err.(*problem.Error).Hint(), c.next)
			}
			if ErrorText(err) != err.Error() {
				t.Errorf("on the screen it is %q", ErrorText(err))
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("tells a password: %v", err)
			}
		})
	}
}
