package proxy

import (
	"io"
	"net"
	"sync"
)

// Relay passes on bytes unchanged, with both sides' certificates, until it is
// told to break off.
type Relay struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     map[net.Conn]bool
}

// NewRelay starts one on loopback, to an address (host:port).
func NewRelay(to string) (*Relay, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: l, to: to, open: map[net.Conn]bool{}}
	go r.serve()
	return r, nil
}

// Address is where clients connect.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Break ends every connection; others may be made.
func (r *Relay) Break() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.open {
		conn.Close()
	}
}

// Close ends the relay and every connection through it.
func (r *Relay) Close() {
	r.listener.Close()
	r.Break()
}

func (r *Relay) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.pass(client)
	}
}

func (r *Relay) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer server.Close()
	r.mu.Lock()
	r.open[client], r.open[server] = true, true
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.open, client)
		delete(r.open, server)
		r.mu.Unlock()
	}()
	go func() {
		_, _ = io.Copy(server, client)
		server.Close() // the client has disconnected
	}()
	_, _ = io.Copy(client, server)
}
