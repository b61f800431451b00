package podlogs

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// logs are the answers to requests for a log, the last one again and again.
type logs []io.Reader

func (l *logs) RoundTrip(*http.Request) (*http.Response, error) {
	body := (*l)[0]
	if len(*l) > 1 {
		*l = (*l)[1:]
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(body)}, nil
}

// brokenOff ends an answer with an error.
func brokenOff(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF))
}

// keeper reads logs from a server that answers by a transport. It ends with the test.
func keeper(t *testing.T, answers http.RoundTripper) *Keeper {
	client, err := kube.NewClient(&rest.Config{Host: "http://server.example", Transport: answers},
		kube.Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	spawn := func(f func()) { go f() }
	return &Keeper{
		Context: t.Context(), Client: client, Spawn: spawn, Object: func(object.ID) *object.Object { return nil },
		Gate: &gate.Gate{Context: t.Context(), Spawn: spawn, Probe: func(context.Context) error { return nil }},
	}
}

// What a broken connection cuts off is no line: it is read again, whole.
func TestALineThatIsCutOffIsReadAgain(t *testing.T) {
	const whole = "2026-01-01T00:00:00.000000001Z listening\n2026-01-01T00:00:00.000000002Z error: cannot connect"
	cut := whole[:len(whole)-10]
	for _, c := range []struct {
		name    string
		answers logs
		key     feed.LogKey
		want    []string
	}{
		{"within a line", logs{brokenOff(cut), strings.NewReader(whole + "\n")}, feed.LogKey{}, []string{"listening", "error: cannot connect"}},
		{"within a line of a tail", logs{brokenOff(cut)}, feed.LogKey{Tail: 10}, []string{"listening"}},
		{"at the end of a line", logs{brokenOff(whole + "\n"), strings.NewReader(whole + "\n")}, feed.LogKey{}, []string{"listening", "error: cannot connect"}},
		{"not at all, and the last line has no end", logs{strings.NewReader(whole)}, feed.LogKey{}, []string{"listening", "error: cannot connect"}},
		{"by the kubelet", logs{strings.NewReader(whole + "\n" + kubeletGone + "x")}, feed.LogKey{Previous: true}, []string{"listening", "error: cannot connect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := keeper(t, &c.answers)
				c.key.Pod, c.key.Container = object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, "app"
				var got []string
				for at := (feed.LogChunk{}); !at.Ended; {
					var err error
					if at, err = k.Read(k.Context, c.key, at.Cursor); err != nil {
						t.Log(err)
					}
					for _, line := range at.Lines {
						got = append(got, line.Text)
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		})
	}
}

// slowly answers after five seconds.
type slowly struct{}

func (slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := gate.Sleep(r.Context(), 5*time.Second); err != nil {
		return nil, err
	}
	return (&logs{strings.NewReader("2026-01-01T00:00:00.000000001Z listening\n")}).RoundTrip(r)
}

// An answer does not wait long for a kubelet, and a saved cluster is read whatever the machine
// does beside it.
func TestATailIsAwaitedForAsLongAsItsKeeperIsPatient(t *testing.T) {
	for _, c := range []struct {
		patience time.Duration
		want     int
	}{{0, 0}, {time.Minute, 1}} {
		synctest.Test(t, func(t *testing.T) {
			k := keeper(t, slowly{})
			k.Patience = c.patience
			key := feed.LogKey{Pod: object.ID{Kind: "Pod", Namespace: "shop", Name: "web"}, Container: "app", Tail: 10}
			chunk, err := k.Read(k.Context, key, 0)
			if len(chunk.Lines) != c.want || (err == nil) != (c.want > 0) {
				t.Errorf("patient for %v: %d lines, %v", c.patience, len(chunk.Lines), err)
			}
		})
	}
}

// Whatever a container writes, a line of it is bounded and says nothing to a terminal.
func FuzzLine(f *testing.F) {
	f.Add("2026-01-02T03:04:05.000000001Z starting\n2026-01-02T03:04:06Z \x1b[2Jcleared\n")
	f.Add("failed to try resolving symlinks\n\n\r\n")
	f.Add("2026-01-02T03:04:05Z " + strings.Repeat("x", maxLine+10))
	f.Fuzz(func(t *testing.T, text string) {
		br := bufio.NewReader(strings.NewReader(text))
		for {
			raw, err := readLine(br)
			if len(raw) > maxLine {
				t.Fatalf("a line of %d bytes", len(raw))
			}
			if line, _ := parseLine(raw, time.Time{}); escapes.Check([]byte(line.Text)) != nil {
				t.Fatalf("%q of a log", line.Text)
			}
			if err != nil {
				return
			}
		}
	})
}
