// Package proxy stands between a client and the API server and measures what
// passes: [NewCounter] counts the bytes of connections as they are, [NewTap]
// ends the encryption, under the server's own name, and lets a test look at what
// was asked and answered.
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
	"sync/atomic"
)

// Counter is a TCP proxy on loopback.
type Counter struct {
	listener net.Listener
	to       string
	sent     atomic.Int64 // by the client
	received atomic.Int64
	opened   atomic.Int64
	mu       sync.Mutex
	open     map[net.Conn]bool
}

// NewCounter starts a proxy to an address (host:port).
func NewCounter(to string) (*Counter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &Counter{listener: l, to: to, open: map[net.Conn]bool{}}
	go c.serve()
	return c, nil
}

// Address is where clients connect.
func (c *Counter) Address() string { return c.listener.Addr().String() }

// Sent and Received are the bytes that clients have sent and been sent so far,
// encryption included; Connections is how many they opened.
func (c *Counter) Sent() int64        { return c.sent.Load() }
func (c *Counter) Received() int64    { return c.received.Load() }
func (c *Counter) Connections() int64 { return c.opened.Load() }

// Close ends the proxy and every connection through it.
func (c *Counter) Close() {
	c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		conn.Close()
	}
}

func (c *Counter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		c.opened.Add(1)
		go c.pipe(client)
	}
}

func (c *Counter) pipe(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer server.Close()
	c.mu.Lock()
	c.open[client], c.open[server] = true, true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.open, client)
		delete(c.open, server)
		c.mu.Unlock()
	}()
	go func() {
		_, _ = io.Copy(counting{server, &c.sent}, client)
		// The client has gone: so shall the server's half.
		server.Close()
	}()
	_, _ = io.Copy(counting{client, &c.received}, server)
}

type counting struct {
	io.Writer
	n *atomic.Int64
}

func (w counting) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.n.Add(int64(n))
	return n, err
}

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
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{as}, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		return nil, err
	}
	t := &Tap{listener: l}
	reverse := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "https", Host: to})
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableCompression: true},
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
