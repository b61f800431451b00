package proxy

import (
	"io"
	"net"
	"sync"
)

// Counter is a TCP proxy on loopback that counts bytes. A benchmark needs the
// CPU, so bytes pass within the kernel (splice), which counts them.
type Counter struct {
	listener net.Listener
	to       string

	mu             sync.Mutex
	open           map[*pipe]bool
	opened         int64
	closed         bool
	sent, received int64 // by connections that have ended
}

// pipe is a client's connection and the corresponding one to the server.
type pipe struct{ client, server *net.TCPConn }

// NewCounter starts a proxy to an address (host:port).
func NewCounter(to string) (*Counter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &Counter{listener: l, to: to, open: map[*pipe]bool{}}
	go c.serve()
	return c, nil
}

// Address is where clients connect.
func (c *Counter) Address() string { return c.listener.Addr().String() }

// Sent is how many bytes clients have sent so far, encryption included.
func (c *Counter) Sent() int64 {
	sent, _ := c.count()
	return sent
}

// Received is how many bytes were sent to clients so far, encryption included.
func (c *Counter) Received() int64 {
	_, received := c.count()
	return received
}

func (c *Counter) count() (sent, received int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent, received = c.sent, c.received
	for p := range c.open {
		sent += arrived(p.client)
		received += arrived(p.server)
	}
	return sent, received
}

// Connections is how many connections clients opened.
func (c *Counter) Connections() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opened
}

// Close ends the proxy and every connection through it.
func (c *Counter) Close() {
	c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for p := range c.open {
		c.end(p)
	}
}

// end closes a pipe, once; c is locked.
func (c *Counter) end(p *pipe) {
	if !c.open[p] {
		return
	}
	delete(c.open, p)
	c.sent += arrived(p.client)
	c.received += arrived(p.server)
	p.client.Close()
	p.server.Close()
}

func (c *Counter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		go c.connect(client.(*net.TCPConn))
	}
}

func (c *Counter) connect(client *net.TCPConn) {
	server, err := net.Dial("tcp", c.to)
	if err != nil {
		client.Close()
		return
	}
	p := &pipe{client, server.(*net.TCPConn)}
	c.mu.Lock()
	c.opened++
	c.open[p] = true
	if c.closed {
		c.end(p)
	}
	c.mu.Unlock()
	hangUp := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.end(p)
	}
	go func() {
		_, _ = io.Copy(p.server, p.client)
		hangUp() // the client has disconnected
	}()
	_, _ = io.Copy(p.client, p.server)
	hangUp()
}
