package watch

import (
	"context"
	"errors"
	"net"
	"os"
	"time"
)

const (
	// strideLeast and strideMost are how much is read from a connection at once:
	// the more it brings, the more.
	strideLeast = 32 << 10
	strideMost  = 512 << 10
	// strideFrom is after how many bytes more is waited for.
	strideFrom = 64 << 10
	// strideWait is for how long, where less than half of the most has come, and
	// strideStep how long what has come meanwhile stays with the kernel.
	strideWait = 8 * time.Millisecond
	strideStep = time.Millisecond
)

// strides is a connection that brings much. An API server sends each object of a
// first sync as it has it; to be woken for each costs both sides more than to read
// what has gathered in a few milliseconds: for 10,000 Pods a tenth of our CPU. What
// comes first is read at once.
//
// It gathers here and not with the kernel, which stops the sender once a receive
// buffer is full, and makes no larger one for a reader that takes its time: behind a
// proxy 40 MB took three times as long that way.
type strides struct {
	net.Conn
	buf      []byte
	from, to int
	read     int64 // bytes in all
	err      error // after what is left
}

func (s *strides) Read(p []byte) (int, error) {
	if s.from == s.to {
		if s.err != nil {
			return 0, s.err
		}
		s.gather()
	}
	n := copy(p, s.buf[s.from:s.to])
	s.from += n
	if s.from < s.to {
		return n, nil
	}
	return n, s.err
}

// gather reads what there is, and what follows soon.
func (s *strides) gather() {
	if n := len(s.buf); n < strideMost && s.to == n {
		s.buf = make([]byte, max(2*n, strideLeast))
	}
	s.from = 0
	s.to, s.err = s.Conn.Read(s.buf)
	s.read += int64(s.to)
	if s.read < strideFrom {
		return
	}
	for begun := time.Now(); s.err == nil && s.to < min(strideMost/2, len(s.buf)) && time.Since(begun) < strideWait; {
		time.Sleep(strideStep)
		if s.Conn.SetReadDeadline(time.Now().Add(strideStep)) != nil {
			return
		}
		n, err := s.Conn.Read(s.buf[s.to:])
		s.to, s.read = s.to+n, s.read+int64(n)
		if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
			break // it pauses
		}
		s.err = err
	}
	if err := s.Conn.SetReadDeadline(time.Time{}); s.err == nil {
		s.err = err
	}
}

// inStrides has the connections that dial makes read that way.
func inStrides(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &strides{Conn: c}, nil
	}
}
