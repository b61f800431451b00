// Package proxy stands between a client and the API server and measures what passes: [NewRelay]
// passes it on, [NewCounter] counts the bytes of connections as they are, [NewTap] ends the
// encryption, under the server's own name, and lets a test look at what was asked and answered.
package proxy

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// Exchange is one request seen by a [Tap].
type Exchange struct {
	Method, URI string
	Accept      string
}

// Tap is an HTTPS proxy on loopback. (Without encryption clients would keep
// their tokens to themselves.)
type Tap struct {
	listener net.Listener
	server   *http.Server
	mu       sync.Mutex
	seen     []Exchange
	body     bytes.Buffer
}

// NewTap starts a proxy to an API server (host:port) that is known by roots, and
// shows clients the given certificate, as a rule the server's own. What the
// server sends passes at once, uncompressed, and is kept.
func NewTap(to string, roots *x509.CertPool, as tls.Certificate) (*Tap, error) {
	l, err := tls.Listen("tcp", "127.0.0.1:0",
		&tls.Config{Certificates: []tls.Certificate{as}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		return nil, err
	}
	t := &Tap{listener: l}
	reverse := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "https", Host: to})
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: roots},
			ForceAttemptHTTP2: true, DisableCompression: true,
		},
		FlushInterval: -1,
		ModifyResponse: func(resp *http.Response) error {
			resp.Body = &tee{resp.Body, t}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	t.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.mu.Lock()
		t.seen = append(t.seen, Exchange{Method: r.Method, URI: r.URL.RequestURI(), Accept: r.Header.Get("Accept")})
		t.mu.Unlock()
		reverse.ServeHTTP(w, r)
	})}
	go func() { _ = t.server.Serve(l) }()
	return t, nil
}

// URL is what to give a client as its server.
func (t *Tap) URL() string { return "https://" + t.listener.Addr().String() }

// Exchanges lists the requests so far, oldest first.
func (t *Tap) Exchanges() []Exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Exchange(nil), t.seen...)
}

// Passed says whether text was part of any answer so far.
func (t *Tap) Passed(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.body.Bytes(), []byte(text))
}

// Close ends the proxy and every connection through it.
func (t *Tap) Close() { t.server.Close() }

type tee struct {
	io.ReadCloser
	t *Tap
}

func (r *tee) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.t.mu.Lock()
	r.t.body.Write(p[:n])
	r.t.mu.Unlock()
	return n, err
}
