package watch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// brought is a connection that brings what is sent to it.
type brought struct {
	net.Conn
	pieces   chan []byte
	rest     []byte
	end      error
	reads    int
	deadline time.Time
}

func (b *brought) SetReadDeadline(at time.Time) error {
	b.deadline = at
	return nil
}

// next waits for a piece as a connection does.
func (b *brought) next() (piece []byte, err error) {
	var late <-chan time.Time
	if !b.deadline.IsZero() {
		late = time.After(time.Until(b.deadline))
	}
	select {
	case piece, ok := <-b.pieces:
		if !ok {
			return nil, b.end
		}
		return piece, nil
	case <-late:
		return nil, os.ErrDeadlineExceeded
	}
}

func (b *brought) Read(p []byte) (n int, err error) {
	b.reads++
	for n < len(p) {
		if len(b.rest) == 0 {
			if n > 0 && len(b.pieces) == 0 {
				return n, nil
			}
			if b.rest, err = b.next(); err != nil {
				return n, err
			}
		}
		k := copy(p[n:], b.rest)
		n, b.rest = n+k, b.rest[k:]
	}
	return n, nil
}

func TestWhatGathersIsReadAtOnceAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces, size = 2000, 1000
		b := &brought{pieces: make(chan []byte, 500), end: io.ErrUnexpectedEOF}
		var sent bytes.Buffer
		began := time.Now()
		go func() {
			for i := range pieces {
				piece := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, size/2)
				sent.Write(piece)
				b.pieces <- piece
				time.Sleep(50 * time.Microsecond)
			}
			close(b.pieces)
		}()
		s := &strides{Conn: b}
		woken := 0
		got, err := io.ReadAll(readerFunc(func(p []byte) (int, error) {
			if s.from == s.to {
				woken++
			}
			return iotest.OneByteReader(s).Read(p)
		}))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("it ends with %v", err)
		}
		if !bytes.Equal(got, sent.Bytes()) {
			t.Errorf("of %d bytes %d came, or others", sent.Len(), len(got))
		}
		// 66 pieces before any waiting, then 160 at a time or as many as the buffer takes.
		if woken > 66+pieces/160+4 {
			t.Errorf("%d pieces came in %d strides", pieces, woken)
		}
		// The connection itself is read every millisecond, so that it has room for more.
		if b.reads > 66+pieces/20+2*pieces/160+8 {
			t.Errorf("%d pieces took %d reads", pieces, b.reads)
		}
		if took, sent := time.Since(began), pieces*50*time.Microsecond; took > sent+2*strideWait {
			t.Errorf("it took %s, and sending %s", took, sent)
		}
	})
}

// A sender that may be so far ahead and no further is not held up.
func TestAConnectionThatHoldsLittleIsNotSlower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &brought{pieces: make(chan []byte, 64), end: io.EOF}
		began := time.Now()
		go func() {
			for range 2000 {
				b.pieces <- make([]byte, 1000)
				time.Sleep(5 * time.Microsecond)
			}
			close(b.pieces)
		}()
		if got, err := io.ReadAll(&strides{Conn: b}); err != nil || len(got) != 2000*1000 {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if took := time.Since(began); took > 2000/64*strideStep+2*strideWait {
			t.Errorf("it took %v", took)
		}
	})
}

// What pauses is handed over, and goes on.
func TestAPauseEndsAStride(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &brought{pieces: make(chan []byte, 1000), end: io.EOF}
		s := &strides{Conn: b}
		for range 10 {
			b.pieces <- make([]byte, 20<<10)
		}
		p := make([]byte, 1<<20)
		for n := 0; n < 200<<10; {
			k, err := s.Read(p)
			if err != nil {
				t.Fatal(err)
			}
			n += k
		}
		began := time.Now()
		b.pieces <- make([]byte, 1000)
		if n, err := s.Read(p); n != 1000 || err != nil || time.Since(began) > 2*strideStep {
			t.Errorf("%d bytes after %v: %v", n, time.Since(began), err)
		}
		go func() {
			time.Sleep(time.Hour)
			close(b.pieces)
		}()
		if n, err := s.Read(p); n != 0 || err != io.EOF {
			t.Errorf("an hour later: %d bytes, %v", n, err)
		}
		if !b.deadline.IsZero() {
			t.Error("a deadline is left")
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestWhatComesFirstIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &brought{pieces: make(chan []byte, 4)}
		dialled, err := inStrides(func(context.Context, string, string) (net.Conn, error) { return b, nil })(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for range 3 {
			b.pieces <- make([]byte, 16<<10)
			if n, err := dialled.Read(make([]byte, 32<<10)); n != 16<<10 || err != nil {
				t.Errorf("read %d, %v", n, err)
			}
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("48 KB were read after %s", d)
		}
		broken := errors.New("broken")
		if _, err := inStrides(func(context.Context, string, string) (net.Conn, error) { return nil, broken })(t.Context(), "", ""); !errors.Is(err, broken) {
			t.Errorf("a connection that cannot be made says %v", err)
		}
	})
}
