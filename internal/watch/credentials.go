package watch

import (
	"net/http"
	"strings"
	"sync"
	"time"

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
func (c *client) culprit(err error) *Problem {
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
func (c *client) renew() {
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
	c.ways.Swap(next).close()
	c.log.Info("credentials were replaced, and are read again")
}

// connection makes the ways to the server that a configuration describes.
func (c *client) connection(cfg *rest.Config) (*ways, error) {
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
	usual, err := httpClient(cfg)
	if err != nil {
		return nil, err
	}
	w := &ways{usual: usual}
	shape(usual.Transport, func(t *http.Transport) {
		hearProxies(t)
		if c.near && t.HTTP2 == nil {
			t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: nearWindow}
		}
	})
	if cfg.Transport == nil && strings.HasPrefix(c.base, "https:") {
		cfg = rest.CopyConfig(cfg)
		cfg.NextProtos = []string{"http/1.1"}
		if w.bulk, err = httpClient(cfg); err != nil {
			return nil, err
		}
		shape(w.bulk.Transport, func(t *http.Transport) {
			hearProxies(t)
			if t.ReadBufferSize == 0 {
				t.ReadBufferSize = bulkBuffer
				if t.DialContext != nil {
					t.DialContext = inStrides(t.DialContext)
				}
			}
		})
	}
	return w, nil
}

// httpClient is client-go's, but for redirects.
func httpClient(cfg *rest.Config) (*http.Client, error) {
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	own := *h // it may be everybody's
	own.CheckRedirect = sameOrigin
	return &own, nil
}
