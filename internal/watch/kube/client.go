// Package kube makes requests to one Kubernetes API server, by client-go, and
// checks the answers: [Client] makes a request and bounds its answer in time
// and size, [Decode] and its neighbours only accept answers of the requested type,
// and a problem.Error names the culprit of a failure and the next step. It only reads.
package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// HeaderPatience is the timeout of an answer's headers, unless the
// configuration has one. The body of a watch has none.
const HeaderPatience = 10 * time.Second

// BodyPatience is the timeout of each bodyPiece bytes of an answer: one that
// trickles is as bad as one that stops. Watches and logs pause by nature and
// are supervised by their readers, unless they are refused.
const (
	BodyPatience = 10 * time.Second
	bodyPiece    = 1 << 10
)

var (
	// ErrNoAnswer says that no answer arrived in time.
	ErrNoAnswer = errors.New("the API server does not answer")
	errStalled  = errors.New("the answer stopped before its end")
	errSlow     = errors.New("the answer was not complete in time")
)

// Client makes requests by client-go's rest.Request, with the credentials,
// proxies and TLS of a rest.Config. It is itself the RoundTripper below those
// requests, around client-go's: an answer that is not the API server's, or
// comes too late, becomes an error there, so that client-go neither retries nor
// swallows it.
type Client struct {
	current atomic.Pointer[connection] // replaced when credentials are renewed
	base    *url.URL
	log     *slog.Logger
	// Warn receives the API server's warnings; Clock the difference between its
	// clock and this machine's.
	Warn  func(text string)
	Clock func(skew time.Duration)
	// Doubted reports whether a 403 may be wrong; nil means never.
	Doubted func() bool

	pinged   atomic.Bool // the last answer came by HTTP/2
	warned   sync.Map    // warnings already reported
	warnings atomic.Int32

	reread   func() (*rest.Config, error) // loads the configuration again; may be nil
	renewing sync.Mutex
	renewed  time.Time // the last time

	headers time.Duration // the timeout of an answer's headers
	whole   time.Duration // that of a whole answer, except for a watch or a log
	login   time.Duration // how long a request waits for credentials
	held    atomic.Int32  // abandoned requests that the plugin still blocks
}

// NewClient prepares a client, without a request. It calls reread, if not nil, when a
// certificate or the credentials are not accepted any more.
func NewClient(cfg *rest.Config, from Origin, reread func() (*rest.Config, error), log *slog.Logger) (*Client, error) {
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return nil, err
	}
	first, err := connect(cfg, base, from)
	if err != nil {
		return nil, err
	}
	c := &Client{
		base: base, log: log, Warn: func(string) {}, Clock: func(time.Duration) {},
		reread: reread, login: HeaderPatience,
		headers: cmp.Or(cfg.Timeout, HeaderPatience), whole: cmp.Or(cfg.Timeout, math.MaxInt64),
	}
	c.current.Store(first)
	return c, nil
}

type patientKey struct{}

// Patiently marks a context whose requests wait for credentials until its end:
// the user may have to log in.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, patientKey{}, true)
}

// do sends a request. client-go fetches credentials under a lock without a
// context: a hanging plugin would block every request forever. Such a request
// is abandoned, and until it returns no other one is sent.
func (c *Client) do(req *http.Request, cancel context.CancelCauseFunc) (*http.Response, error) {
	answerInTime := func() *time.Timer {
		return time.AfterFunc(c.headers, func() { cancel(fmt.Errorf("%w (%s)", ErrNoAnswer, c.headers)) })
	}
	now := c.current.Load()
	if now.program == "" {
		defer answerInTime().Stop()
		return now.Do(req)
	}
	program := filepath.Base(now.program)
	hangs := fmt.Errorf("%q, which fetches the credentials, does not answer", program)
	if c.held.Load() > 0 {
		return nil, hangs
	}
	ctx := req.Context()
	// closed when the request has its credentials, and its answer
	left, done := make(chan struct{}), make(chan struct{})
	leave := sync.OnceFunc(func() { close(left) })
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { leave() }}))
	var resp *http.Response
	var err error
	var crash *problem.Crash
	go func() {
		defer close(done)
		defer leave() // without them
		defer func() {
			if r := recover(); r != nil {
				crash = problem.Caught(r, debug.Stack())
			}
		}()
		resp, err = now.Do(req)
	}()
	var patience <-chan time.Time
	if ctx.Value(patientKey{}) == nil {
		patience = time.After(c.login)
	}
	why := hangs
	measure := time.NewTicker(50 * time.Millisecond)
	defer measure.Stop()
	most := heapSize() + programMemory
waiting:
	for {
		select {
		case <-left:
			defer answerInTime().Stop()
			<-done
			if crash != nil { // for whoever guards this goroutine
				panic(crash)
			}
			return resp, err
		case <-measure.C:
			if heapSize() > most {
				EndPrograms()
				why = problem.New(runByHand,
					"%q, which fetches the credentials, prints more than %d MB", program, programMemory>>20)
				break waiting
			}
		case <-patience:
			break waiting
		case <-ctx.Done():
			why = context.Cause(ctx)
			break waiting
		}
	}
	c.held.Add(1)
	cancel(why)
	go func() {
		<-done
		c.held.Add(-1)
		if resp != nil {
			_ = resp.Body.Close()
		}
	}()
	return nil, why
}

// Server is the address of the API server.
func (c *Client) Server() string { return strings.TrimSuffix(c.base.String(), "/") }

// Close closes idle connections.
func (c *Client) Close() { utilnet.CloseIdleConnectionsFor(c.current.Load().Transport) }

// warningsMost bounds the warnings that are reported: a text may name the object.
const warningsMost = 1000

// HandleWarningHeader implements rest.WarningHandler.
func (c *Client) HandleWarningHeader(_ int, _ string, text string) {
	if c.warnings.Load() >= warningsMost {
		return
	}
	if _, seen := c.warned.LoadOrStore(text, true); !seen {
		c.warnings.Add(1)
		c.Warn(text)
	}
}

// RoundTrip implements http.RoundTripper. After a doubted 403 it asks again.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	for again := 200 * time.Millisecond; ; again *= 2 {
		resp, err := c.ask(r)
		if err == nil {
			return resp, nil
		}
		if Code(err) != http.StatusForbidden || r.URL.Path == c.base.JoinPath(Readyz).Path || c.Doubted == nil ||
			!c.Doubted() {
			return nil, err
		}
		select {
		case <-time.After(again):
		case <-r.Context().Done():
			return nil, err // where it was cancelled, the answer is not used
		}
	}
}

// Pinged reports whether pings show that the server is there while it has nothing to
// send. HTTP/1.1 has none.
func (c *Client) Pinged() bool { return c.pinged.Load() }

// Readyz is the path of the API server's health check.
const Readyz = "/readyz"

func (c *Client) ask(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	path, watching := r.URL.Path, r.URL.Query().Get("watch") == "true"
	resp, err := c.do(r.Clone(ctx), cancel)
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, ErrNoAnswer) {
			err = cause
		}
		cancel(nil)
		if distrust(err) {
			c.renew()
		}
		return nil, c.current.Load().explain(withoutURL(err))
	}
	c.log.Debug("request", "path", path, "query", r.URL.RawQuery, "status", resp.StatusCode, "type",
		resp.Header.Get("Content-Type"))
	c.pinged.Store(resp.ProtoMajor >= 2)
	if d, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		// the header has whole seconds: half of one is the mean error
		c.Clock(time.Until(d.Add(500 * time.Millisecond)))
	}
	got := &body{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, path: path}
	resp.Body = got
	accepted, log := resp.StatusCode/100 == 2, r.Header.Get("Accept") == AcceptText
	if !accepted || !watching && !log {
		got.limit(c.whole)
	}
	if !accepted {
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusUnauthorized {
			c.renew()
		}
		return nil, c.current.Load().explain(statusError(resp))
	}
	switch contentType := resp.Header.Get("Content-Type"); {
	case strings.HasPrefix(contentType, "text/html"):
		_ = resp.Body.Close()
		return nil, Foreign(resp.StatusCode, contentType, nil)
	case log && strings.HasPrefix(contentType, "application/json"):
		_ = resp.Body.Close()
		return nil, &foreignError{code: resp.StatusCode, text: "not Kubernetes: JSON where a log was asked for"}
	}
	return resp, nil
}

// body is an answer's body that ends its request when closed. One with a limit has
// a bound, and a timeout for each piece and for the whole: a ping shows that a
// connection is alive, not that a stream makes progress.
type body struct {
	io.ReadCloser
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
	path   string

	pause, whole *time.Timer // nil without a limit
	left         int
	got          int // bytes since pause was reset
}

func (b *body) limit(whole time.Duration) {
	within := func(d time.Duration, why error) *time.Timer {
		return time.AfterFunc(d, func() { b.cancel(fmt.Errorf("%w (%s)", why, d)) })
	}
	b.left, b.pause, b.whole = Bound, within(BodyPatience, errStalled), within(whole, errSlow)
}

func (b *body) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.pause == nil {
		return n, err
	}
	if why := context.Cause(b.ctx); err != nil && why != nil {
		return n, why
	}
	if b.left -= n; b.left < 0 {
		return 0, &BoundError{b.path}
	}
	if b.got += n; b.got >= bodyPiece {
		b.got = 0
		b.pause.Reset(BodyPatience)
	}
	return n, err
}

func (b *body) Close() error {
	if b.pause != nil {
		b.pause.Stop()
		b.whole.Stop()
	}
	b.cancel(nil)
	return b.ReadCloser.Close()
}
