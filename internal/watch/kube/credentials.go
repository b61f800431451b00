package kube

import (
	"net/http"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// rereadEvery is how often, at most, the configuration is read again.
const rereadEvery = time.Second

// credentials are whom a client trusts and who it claims to be. client-go reads
// the files of certificates and authorities again every five minutes, and a
// kubeconfig with their text never; here both are read again as soon as the server
// is not trusted any more, or does not accept who comes.
type credentials struct {
	reread func() (*rest.Config, error) // nil where there is nothing to read again

	mu     sync.Mutex
	looked time.Time
	known  identity
	blame  blame // what it was read from
}

// culprit names what is at fault for an error; nil where there is nothing to add.
func (c *Client) culprit(err error) *Problem {
	c.credentials.mu.Lock()
	b, known := c.credentials.blame, c.credentials.known
	c.credentials.mu.Unlock()
	return b.culprit(err, time.Now(), known)
}

// identity is what may be replaced while a client runs. Another host would be
// another cluster.
type identity struct{ host, authorities, certificate, key, token string }

func identityOf(cfg *rest.Config) identity {
	id := identity{cfg.Host, string(cfg.CAData), string(cfg.CertData), string(cfg.KeyData), cfg.BearerToken}
	if cfg.BearerTokenFile != "" {
		id.token = "" // it is read again by itself
	}
	return id
}

// loaded is a copy of a configuration with its files' text, and without their
// names: by these client-go would know a connection that it has made before.
func loaded(cfg *rest.Config) (*rest.Config, error) {
	cfg = rest.CopyConfig(cfg)
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil, err
	}
	cfg.CAFile, cfg.CertFile, cfg.KeyFile = "", "", ""
	return cfg, nil
}

// renew reads the configuration again and, where something of it was replaced,
// has what is asked from now on go by it. Streams that are open go on as they are.
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
	if err != nil { // a certificate that waits for its key
		c.log.Info("the configuration cannot be used as it is now", "error", err)
		return
	}
	r.known = now
	utilnet.CloseIdleConnectionsFor(c.http.Swap(next).Transport)
	c.log.Info("credentials were replaced, and are read again")
}

// connection makes the HTTP client that a configuration describes.
func (c *Client) connection(cfg *rest.Config) (*http.Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter = -1, nil
	cfg.Timeout = 0 // it would end watches
	cfg.UserAgent = c.agent
	if c.near {
		cfg.DisableCompression = true
	}
	if cfg.BearerTokenFile != "" {
		// Read again at once when its token is refused, and not a minute later.
		cfg.Wrap(transport.ResettableTokenSourceWrapTransport(transport.NewCachedFileTokenSource(cfg.BearerTokenFile)))
		cfg.BearerToken, cfg.BearerTokenFile = "", ""
	}
	if cfg.ExecProvider != nil {
		// Of all wrappers the innermost: what comes here has its credentials.
		inner := cfg.WrapTransport
		cfg.WrapTransport = func(rt http.RoundTripper) http.RoundTripper {
			rt = leaving{rt}
			if inner != nil {
				rt = inner(rt)
			}
			return rt
		}
	}
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	if t := transportOf(h.Transport); t != nil && t != http.DefaultTransport { // which is everybody's
		shaping.Lock()
		defer shaping.Unlock()
		hearProxies(t)
		if c.near && t.HTTP2 == nil {
			t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: nearWindow}
		}
	}
	own := *h // it may be everybody's
	own.CheckRedirect = sameOrigin
	return &own, nil
}

// nearWindow is how many bytes a server on this machine may be ahead of us in one
// stream. HTTP/2's client allows 4 MB, for servers that are far away; near ones
// fill that while we decode, in each stream.
const nearWindow = 512 << 10

// shaping is held while a transport is changed: clients of one configuration share
// one.
var shaping sync.Mutex

// transportOf is what is below the wrappers, or nil.
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
