package watch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// brought is a connection that brings what is sent to it.
type brought struct {
	net.Conn
	pieces chan []byte
	rest   []byte
	end    error
	reads  int
}

func (b *brought) Read(p []byte) (n int, err error) {
	b.reads++
	for n < len(p) {
		if len(b.rest) == 0 {
			ok := true
			select {
			case b.rest, ok = <-b.pieces:
			default:
				if n > 0 {
					return n, nil
				}
				b.rest, ok = <-b.pieces
			}
			if !ok {
				return n, b.end
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
		got, err := io.ReadAll(iotest.OneByteReader(&strides{Conn: b}))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("it ends with %v", err)
		}
		if !bytes.Equal(got, sent.Bytes()) {
			t.Errorf("of %d bytes %d came, or others", sent.Len(), len(got))
		}
		// 66 pieces before any waiting, then 160 at a time or as many as the buffer takes.
		if b.reads > 66+pieces/160+4 {
			t.Errorf("%d pieces took %d reads", pieces, b.reads)
		}
		if took, sent := time.Since(began), pieces*50*time.Microsecond; took > sent+2*strideWait {
			t.Errorf("it took %s, and sending %s", took, sent)
		}
	})
}

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
