package testcluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"sync"
	"syscall"
	"time"
)

// certificate is the server's, and its own authority. The clock of a synctest
// bubble begins in the year 2000.
var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"cluster.test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

// pipeListener hands connections in memory to the server.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex
	open []net.Conn
}

// dial connects by two pipes and what lies between them; nothing arrives before
// thawed returns.
func (l *pipeListener) dial(ctx context.Context, thawed func()) (net.Conn, error) {
	client, near := net.Pipe()
	far, server := net.Pipe()
	select {
	case l.conns <- server:
		l.mu.Lock()
		l.open = append(l.open, server)
		l.mu.Unlock()
		go carry(far, near, thawed)
		go carry(near, far, thawed)
		return client, nil
	case <-l.closed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// carry takes what is sent at once, as the buffers of a network do: a bubble's
// clock stands still while somebody waits for the lock of a blocked write.
func carry(to, from net.Conn, thawed func()) {
	pieces := make(chan []byte, 1<<12)
	go func() {
		defer close(pieces)
		for b := make([]byte, 1<<16); ; {
			n, err := from.Read(b)
			if err != nil {
				return
			}
			pieces <- bytes.Clone(b[:n])
		}
	}()
	for b := range pieces {
		thawed()
		if _, err := to.Write(b); err != nil {
			_ = from.Close()
		}
	}
	_ = to.Close()
}

func (l *pipeListener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		_ = c.Close()
	}
	l.open = nil
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
