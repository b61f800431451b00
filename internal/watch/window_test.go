package watch

import (
	"log/slog"
	"net/http"
	"testing"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

func TestAServerOnThisMachineIsReadWithASmallWindow(t *testing.T) {
	for host, want := range map[string]int{"https://127.0.0.1:1": nearWindow, "https://[::1]:1": nearWindow, "https://192.0.2.1:1": 0} {
		for range 2 { // the second client shares the first one's transport
			c, err := newClient(&rest.Config{Host: host, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, Origin{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			rt := c.http.Load().Transport
			for {
				w, ok := rt.(utilnet.RoundTripperWrapper)
				if !ok {
					break
				}
				rt = w.WrappedRoundTripper()
			}
			got := 0
			if h := rt.(*http.Transport).HTTP2; h != nil {
				got = h.MaxReceiveBufferPerStream
			}
			if got != want {
				t.Errorf("%s: %d bytes, want %d", host, got, want)
			}
		}
	}
	if _, err := newClient(&rest.Config{Host: "https://127.0.0.1:1"}, Origin{}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if h := http.DefaultTransport.(*http.Transport).HTTP2; h != nil {
		t.Errorf("the transport that everybody shares was changed: %v", h)
	}
}
