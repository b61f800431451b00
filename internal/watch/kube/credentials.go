package kube

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// rereadEvery is the least time between two loads of the configuration.
const rereadEvery = time.Second

// identity holds what may be replaced while a client runs. A different host
// would be a different cluster.
type identity struct{ host, authorities, certificate, key, token string }

// renew reads the configuration again and, if it has changed, uses it for new
// requests. Open streams go on. client-go reads the files of certificates and
// authorities again every five minutes, and inline data of a kubeconfig never.
// Here both are read again as soon as one side does not accept the other.
func (c *Client) renew() {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if c.reread == nil || time.Since(c.renewed) < rereadEvery {
		return
	}
	c.renewed = time.Now()
	now := c.current.Load()
	var next *connection
	cfg, err := c.reread()
	if err == nil {
		next, err = connect(cfg, now.server, now.from)
	}
	if err != nil { // certificate and key do not match while they are being replaced
		c.log.Info("the configuration cannot be used as it is now", "error", err)
		return
	}
	if next.identity == now.identity || next.host != now.host {
		return
	}
	c.current.Store(next)
	utilnet.CloseIdleConnectionsFor(now.Transport)
	c.log.Info("credentials were replaced, and are read again")
}

// connection is a configuration's HTTP client, and what may be wrong with it.
type connection struct {
	*http.Client
	blame
}

// connect creates the client of a configuration. It reads the files of
// certificates: by their names client-go would reuse a cached connection.
func connect(cfg *rest.Config, server *url.URL, from Origin) (*connection, error) {
	files := cfg
	cfg = rest.CopyConfig(cfg)
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil, err
	}
	cfg.CAFile, cfg.CertFile, cfg.KeyFile = "", "", ""
	is := identity{cfg.Host, string(cfg.CAData), string(cfg.CertData), string(cfg.KeyData), cfg.BearerToken}
	b := blameOf(files, is, server, from)
	cfg.UserAgent = cmp.Or(cfg.UserAgent, "kstatus-tui")
	near := net.ParseIP(server.Hostname()).IsLoopback()
	if near { // compression would only cost time
		cfg.DisableCompression = true
	}
	if server.Scheme == "https" {
		cfg.Proxy = b.proxy // so that client-go does not share the transport
		cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper {
			if t, ok := rt.(*http.Transport); ok {
				// Notice a silent server after 5 + 5 s instead of 30 + 15 s.
				t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second}
				if near { // it would fill the default, 4 MB in every stream, faster than they are decoded
					t.HTTP2.MaxReceiveBufferPerStream = 512 << 10
				}
				t.OnProxyConnectResponse = b.hearProxy
			}
			return rt
		})
	}
	if cfg.BearerTokenFile != "" {
		// Read the token file again when its token is refused, not a minute later.
		cfg.Wrap(transport.ResettableTokenSourceWrapTransport(transport.NewCachedFileTokenSource(cfg.BearerTokenFile)))
		cfg.BearerToken, cfg.BearerTokenFile = "", ""
		b.token = ""
	}
	rt, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, err
	}
	return &connection{&http.Client{Transport: rt, CheckRedirect: b.sameOrigin}, b}, nil
}
