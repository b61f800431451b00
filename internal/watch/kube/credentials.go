package kube

import (
	"net/http"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// rereadEvery is the least time between two loads of the configuration.
const rereadEvery = time.Second

// credentials are the certificates, tokens and authorities of a client.
// client-go reads the files of certificates and authorities again every five
// minutes, and inline data of a kubeconfig never. Here both are read again as
// soon as one side does not accept the other.
type credentials struct {
	reread func() (*rest.Config, error) // nil if there is nothing to read again

	mu     sync.Mutex
	looked time.Time
	known  identity
	blame  blame // their origin, for messages
}

// culprit explains an error; nil if there is nothing to add.
func (c *Client) culprit(err error) *problem.Error {
	c.credentials.mu.Lock()
	b, known := c.credentials.blame, c.credentials.known
	c.credentials.mu.Unlock()
	return b.culprit(err, time.Now(), known)
}

// identity holds what may be replaced while a client runs. A different host
// would be a different cluster.
type identity struct{ host, authorities, certificate, key, token string }

func identityOf(cfg *rest.Config) identity {
	id := identity{cfg.Host, string(cfg.CAData), string(cfg.CertData), string(cfg.KeyData), cfg.BearerToken}
	if cfg.BearerTokenFile != "" {
		id.token = "" // client-go reads the token file again by itself
	}
	return id
}

// loaded returns a copy of a configuration with the contents of its files
// instead of their names: by the names client-go would reuse a cached
// connection.
func loaded(cfg *rest.Config) (*rest.Config, error) {
	cfg = rest.CopyConfig(cfg)
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil, err
	}
	cfg.CAFile, cfg.CertFile, cfg.KeyFile = "", "", ""
	return cfg, nil
}

// renew reads the configuration again and, if it has changed, uses it for new
// requests. Open streams go on.
func (c *Client) renew() {
	r := &c.credentials
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reread == nil || time.Since(r.looked) < rereadEvery {
		return
	}
	r.looked = time.Now()
	cfg, err := r.reread()
	if err == nil {
		now := blameOf(cfg, r.blame.server, r.blame.from)
		if cfg, err = loaded(cfg); err == nil && identityOf(cfg).host == r.known.host {
			r.blame = now
		}
	}
	if err != nil {
		c.log.Info("the configuration cannot be read again", "error", err)
		return
	}
	now := identityOf(cfg)
	if now == r.known || now.host != r.known.host {
		return
	}
	next, err := c.connection(cfg)
	if err != nil { // certificate and key do not match while they are being replaced
		c.log.Info("the configuration cannot be used as it is now", "error", err)
		return
	}
	r.known = now
	utilnet.CloseIdleConnectionsFor(c.http.Swap(next).Transport)
	c.log.Info("credentials were replaced, and are read again")
}

// connection creates the HTTP client of a configuration.
func (c *Client) connection(cfg *rest.Config) (*http.Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter = -1, nil
	cfg.Timeout = 0 // a client-wide timeout would end watches
	cfg.UserAgent = c.agent
	if c.near {
		cfg.DisableCompression = true
	}
	if cfg.BearerTokenFile != "" {
		// Read the token file again as soon as its token is refused, not a
		// minute later.
		cfg.Wrap(transport.ResettableTokenSourceWrapTransport(transport.NewCachedFileTokenSource(cfg.BearerTokenFile)))
		cfg.BearerToken, cfg.BearerTokenFile = "", ""
	}
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	if t := transportOf(h.Transport); t != nil && t != http.DefaultTransport { // http.DefaultTransport is shared
		shaping.Lock()
		defer shaping.Unlock()
		hearProxies(t)
		if c.near && t.HTTP2 == nil {
			t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: nearWindow}
		}
	}
	own := *h // the client may be shared
	own.CheckRedirect = sameOrigin
	return &own, nil
}

// nearWindow is HTTP/2's flow-control window for a server on this machine. The
// default of 4 MB per stream suits distant servers; a local one fills it in
// every stream faster than it is decoded.
const nearWindow = 512 << 10

// shaping guards changes of a transport: clients of one configuration share it.
var shaping sync.Mutex

// transportOf returns the transport below the wrappers, or nil.
func transportOf(rt http.RoundTripper) *http.Transport {
	for {
		if t, ok := rt.(*http.Transport); ok {
			return t
		}
		w, ok := rt.(utilnet.RoundTripperWrapper)
		if !ok {
			return nil
		}
		rt = w.WrappedRoundTripper()
	}
}
