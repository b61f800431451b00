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
	end    error
	reads  int
}

func (b *brought) Read(p []byte) (int, error) {
	b.reads++
	first, ok := <-b.pieces
	if !ok {
		return 0, b.end
	}
	n := copy(p, first)
	for n < len(p) {
		select {
		case more, ok := <-b.pieces:
			if !ok {
				return n, b.end
			}
			n += copy(p[n:], more)
		default:
			return n, nil
		}
	}
	return n, nil
}

func TestWhatGathersIsReadAtOnceAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pieces, size = 2000, 1000
		b := &brought{pieces: make(chan []byte, 200), end: io.ErrUnexpectedEOF}
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
		// 65 pieces before any waiting, then twenty at a time.
		if b.reads > 65+pieces/20+2 {
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
