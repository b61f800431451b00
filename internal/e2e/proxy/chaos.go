package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is a fault in the requests that it matches. Zero fields have no effect.
type Fault struct {
	Match func(*http.Request) bool // nil matches every request
	// Status answers with this code instead of asking the server.
	Status     int
	RetryAfter int // seconds, for Status
	// Answer answers instead of the server.
	Answer http.HandlerFunc
	// Hang accepts the request and never answers.
	Hang bool
	// NoBookmarks drops the bookmarks of watches, including the one that ends
	// an initial list.
	NoBookmarks bool
	// Reset breaks an answer off after so long, without its end.
	Reset time.Duration
	// Slice passes on one byte at a time, and Delay delays each piece.
	Slice bool
	Delay time.Duration
	// Stall passes on so many bytes of an answer, and no more.
	Stall int
	// Duplicate sends every event of a watch twice.
	Duplicate bool
	// Garble replaces every n-th piece of an answer by something that is
	// clearly not of the Kubernetes API: other valid data could not be
	// detected.
	Garble int
	// Replace puts the second text in the place of the first, of the same length.
	Replace [2]string
	// Clock shifts the server's clock in the answers' Date header.
	Clock time.Duration
}

// Chaos is an HTTPS proxy on loopback that makes things go wrong on demand. Its
// methods are safe for concurrent use.
type Chaos struct {
	listener net.Listener
	server   *http.Server
	mu       sync.Mutex
	faults   []*Fault
	silence  chan struct{} // closed when the silence ends; nil while there is none
	shown    tls.Certificate
	open     map[net.Conn]bool
	watches  int
	closed   chan struct{}
}

// NewChaos starts a proxy to an API server, like [NewTap]. With http1 it does
// not offer HTTP/2, like proxies that inspect traffic.
func NewChaos(to string, roots *x509.CertPool, as tls.Certificate, http1 bool) (*Chaos, error) {
	protocols := []string{"h2", "http/1.1"}
	if http1 {
		protocols = protocols[1:]
	}
	c := &Chaos{closed: make(chan struct{}), shown: as, open: map[net.Conn]bool{}}
	l, err := tls.Listen("tcp", "127.0.0.1:0",
		&tls.Config{NextProtos: protocols, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			shown := c.shown
			return &shown, nil
		}})
	if err != nil {
		return nil, err
	}
	c.listener = l
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
			resp.Body = &silenced{resp.Body, c, resp.Request.Context().Done()}
			for _, f := range c.matching(resp.Request) {
				// A refusal is no stream of frames: its first bytes read as a length of 1.8 GB.
				watch := resp.Request.URL.Query().Get("watch") == "true" && resp.StatusCode == http.StatusOK
				if f.NoBookmarks && watch {
					resp.Body = reframed(resp.Body, resp.Header.Get("Content-Type"), withoutBookmarks)
				}
				if f.Duplicate && watch {
					resp.Body = reframed(resp.Body, resp.Header.Get("Content-Type"), twice)
				}
				if date, err := http.ParseTime(resp.Header.Get("Date")); f.Clock != 0 && err == nil {
					resp.Header.Set("Date", date.Add(f.Clock).Format(http.TimeFormat))
				}
				resp.Body = &spoilt{
					ReadCloser: resp.Body, f: f, began: time.Now(), left: f.Stall,
					gone: resp.Request.Context().Done(),
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	c.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "true" {
			c.watching(1)
			defer c.watching(-1)
		}
		c.hush(r.Context().Done())
		for _, f := range c.matching(r) {
			switch {
			case f.Hang:
				select {
				case <-r.Context().Done():
				case <-c.closed:
				}
				return
			case f.Answer != nil:
				f.Answer(w, r)
				return
			case f.Status != 0:
				if f.RetryAfter > 0 {
					w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
				}
				w.WriteHeader(f.Status)
				return
			}
		}
		reverse.ServeHTTP(w, r)
	})}
	c.server.ConnState = func(conn net.Conn, state http.ConnState) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch state {
		case http.StateNew:
			c.open[conn] = true
		case http.StateClosed, http.StateHijacked:
			delete(c.open, conn)
		}
	}
	quiet := log.New(io.Discard, "", 0)
	reverse.ErrorLog, c.server.ErrorLog = quiet, quiet
	go func() { _ = c.server.Serve(l) }()
	return c, nil
}

// URL is what to give a client as its server.
func (c *Chaos) URL() string { return "https://" + c.listener.Addr().String() }

// Watches is how many watches go through the proxy now.
func (c *Chaos) Watches() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watches
}

func (c *Chaos) watching(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches += more
}

// Inject makes a fault happen until it is lifted. Answers that have begun keep
// the faults that they began with.
func (c *Chaos) Inject(f Fault) (lift func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, &f)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.faults = slices.DeleteFunc(c.faults, func(x *Fault) bool { return x == &f })
	}
}

// Silence makes the proxy accept connections and requests and pass nothing on,
// not even of answers in progress, until it is ended: like a firewall that has
// forgotten a connection. Over HTTP/2 the proxy itself still answers pings.
func (c *Chaos) Silence() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	silence := make(chan struct{})
	c.silence = silence
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.silence = nil
		close(silence)
	})
}

// Show makes the proxy present another certificate, and closes every connection
// with the old one.
func (c *Chaos) Show(as tls.Certificate) {
	c.mu.Lock()
	c.shown = as
	c.mu.Unlock()
	c.Break()
}

// Break ends every connection; others may be made.
func (c *Chaos) Break() {
	c.mu.Lock()
	open := slices.Collect(maps.Keys(c.open))
	c.mu.Unlock()
	for _, conn := range open {
		_ = conn.Close()
	}
}

// hush returns when there is no silence, or the client is gone.
func (c *Chaos) hush(gone <-chan struct{}) {
	c.mu.Lock()
	silence := c.silence
	c.mu.Unlock()
	if silence == nil {
		return
	}
	select {
	case <-silence:
	case <-gone:
	case <-c.closed:
	}
}

// silenced is the body of an answer through a proxy that may fall silent.
type silenced struct {
	io.ReadCloser
	c    *Chaos
	gone <-chan struct{}
}

func (s *silenced) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.c.hush(s.gone)
	return n, err
}

func (c *Chaos) matching(r *http.Request) []*Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.faults), func(f *Fault) bool { return f.Match != nil && !f.Match(r) })
}

// Close ends the proxy and every connection through it.
func (c *Chaos) Close() {
	close(c.closed)
	c.server.Close()
}

var (
	errReset = errors.New("broken off by the test")
	errFrame = errors.New("no frame of a watch: another fault has spoilt it")
)

// maxFrame is more than any frame of a watch here has.
const maxFrame = 64 << 20

// spoilt is the body of an answer with a fault.
type spoilt struct {
	io.ReadCloser
	f     *Fault
	began time.Time
	left  int
	gone  <-chan struct{}
	once  sync.Once
	piece int
}

func (s *spoilt) Read(p []byte) (int, error) {
	if s.f.Reset > 0 {
		// A body that pauses is broken off as well.
		s.once.Do(func() { time.AfterFunc(s.f.Reset, func() { s.ReadCloser.Close() }) })
	}
	if s.f.Slice && len(p) > 1 {
		p = p[:1]
	}
	if s.f.Stall > 0 {
		if s.left == 0 {
			<-s.gone
			return 0, errReset
		}
		p = p[:min(len(p), s.left)]
	}
	n, err := s.ReadCloser.Read(p)
	s.left -= n
	if s.f.Garble > 0 && n > 0 {
		if s.piece++; s.piece%s.f.Garble == 0 {
			copy(p[:n], bytes.Repeat([]byte{0xff}, n))
		}
	}
	if old := s.f.Replace[0]; old != "" && n > 0 {
		copy(p[:n], bytes.ReplaceAll(p[:n], []byte(old), []byte(s.f.Replace[1])))
	}
	if s.f.Delay > 0 {
		select {
		case <-time.After(s.f.Delay):
		case <-s.gone:
		}
	}
	if s.f.Reset > 0 && time.Since(s.began) >= s.f.Reset {
		return n, errReset
	}
	return n, err
}

// withoutBookmarks and twice say how often a frame of a watch is passed on.
func withoutBookmarks(frame []byte) int {
	if bytes.Contains(frame[:min(len(frame), 24)], []byte("BOOKMARK")) {
		return 0
	}
	return 1
}

func twice([]byte) int { return 2 }

// reframed passes a watch on, in JSON or protobuf, each frame as often as times
// says.
func reframed(body io.ReadCloser, contentType string, times func([]byte) int) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		defer body.Close()
		next := jsonFrame
		if strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf") {
			next = protoFrame
		}
		from := bufio.NewReader(body)
		for {
			frame, err := next(from)
			for range times(frame) {
				if err == nil {
					_, err = w.Write(frame)
				}
			}
			if err != nil {
				w.CloseWithError(err)
				return
			}
		}
	}()
	return struct {
		io.Reader
		io.Closer
	}{r, closers{r, body}}
}

type closers []io.Closer

func (c closers) Close() error {
	for _, x := range c {
		_ = x.Close()
	}
	return nil
}

// protoFrame reads four bytes of length, and a WatchEvent, whose first field is
// its type.
func protoFrame(r *bufio.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(frame)
	if size > maxFrame {
		return nil, errFrame
	}
	frame = append(frame, make([]byte, size)...)
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

// jsonFrame reads a line.
func jsonFrame(r *bufio.Reader) ([]byte, error) { return r.ReadBytes('\n') }
