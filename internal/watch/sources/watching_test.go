package sources

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// A streamed list is what remains at its end; its first rows are shown before.
func TestAStreamedListIsShownAsItComesAndWholeAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := &rows{by: map[string]*object.Object{}}
		v := &Server{}
		s := v.New(t.Context(), ToFollow, plan.Spec{Resource: deployments, Namespace: "ns"}, nil, convert.Options{})
		s.sink = shown
		body, server := io.Pipe()
		event := func(typ, name, uid string, rv int) {
			fmt.Fprintf(server, `{"type":%q,"object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"namespace":"ns","name":%q,"uid":%q,"resourceVersion":"%d"}}}`+"\n", typ, name, uid, rv)
		}
		ctx, stop := context.WithCancel(t.Context())
		st := &openWatch{s: s, events: make(chan kwatch.Event), stop: stop, ctx: ctx, listing: true}
		c, err := kube.NewClient(&rest.Config{Host: "http://server.example", Transport: streams{body}}, kube.Origin{}, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		w, tap, err := c.Watch(ctx, "/watch", nil, kube.AcceptJSON)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(st.events)
			_ = st.read(w, tap)
		}()
		var got []any
		r := cache.NewReflectorWithOptions(&cache.ListWatch{
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (kwatch.Interface, error) { return st, nil },
		}, nil, replaced{&watching{reading: &reading{Stream: s}}, &got}, cache.ReflectorOptions{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = r.ListAndWatchWithContext(klog.NewContext(ctx, logr.Discard()))
		}()

		for i := range 100 {
			event("ADDED", fmt.Sprint("n", i), fmt.Sprint("u", i), 10+i)
		}
		synctest.Wait()
		if len(shown.by) != 100 || got != nil {
			t.Errorf("%d objects are shown before the list ends, want 100; %d were handed over", len(shown.by), len(got))
		}
		event("MODIFIED", "n7", "u7", 200)
		event("DELETED", "n3", "u3", 201)
		event("DELETED", "n4", "u4", 202)
		event("ADDED", "n4", "again", 203)
		fmt.Fprintln(server, `{"type":"BOOKMARK","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"210","annotations":{"k8s.io/initial-events-end":"true"}}}}`)
		event("MODIFIED", "n8", "u8", 211)
		synctest.Wait()
		last := map[string]string{}
		for _, obj := range got {
			o := obj.(*item).o
			last[o.Name] = o.UID + "@" + o.ResourceVersion
		}
		if len(got) != 99 || last["n3"] != "" || last["n4"] != "again@203" || last["n7"] != "u7@200" || last["n8"] != "u8@18" || last["n99"] != "u99@109" {
			t.Errorf("the list has %d objects: n3 %q, n4 %q, n7 %q, n8 %q, n99 %q", len(got), last["n3"], last["n4"], last["n7"], last["n8"], last["n99"])
		}
		if o := shown.by["n8"]; o == nil || o.ResourceVersion != "211" {
			t.Errorf("n8 is %v", o)
		}
		stop()
		server.Close()
		<-ended
	})
}

// rows is a sink that keeps what it is given.
type rows struct {
	nobody
	by map[string]*object.Object
}

func (r *rows) Upsert(o *object.Object) { r.by[o.Name] = o }
func (r *rows) Remove(o *object.Object) { delete(r.by, o.Name) }

// replaced is a source's store that notes what a completed list holds.
type replaced struct {
	*watching
	got *[]any
}

func (r replaced) Replace(list []any, _ string) error {
	*r.got = list
	return nil
}

// streams is a server whose every answer is a body.
type streams struct{ body io.ReadCloser }

func (s streams) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: s.body}, nil
}

// ofOneDeployment is a source of a namespace with one Deployment, and what ends it.
func ofOneDeployment(t *testing.T) (*Stream, context.CancelFunc) {
	t.Helper()
	c := testcluster.New()
	t.Cleanup(c.Close)
	c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"web"}}`)
	client, err := kube.NewClient(c.Config(), kube.Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, cancel := context.WithCancel(t.Context())
	v := &Server{Turns: NewTurns(1), Tokens: flowcontrol.NewTokenBucketRateLimiter(10, 10), Client: client, Gate: &gate.Gate{Context: ctx}, Spawn: func(f func()) { go f() }}
	return v.New(ctx, ToFollow, plan.Spec{Resource: deployments, Namespace: "shop"}, nil, convert.Options{}), cancel
}

// A stream whose reader has gone ends with its context, though it has something to
// hand over.
func TestAStreamThatNobodyReadsEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cancel := ofOneDeployment(t)
		s.sink = nobody{}
		st, err := s.open(s.ctx, metav1.ListOptions{Watch: true}, false, false)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // it holds its first event
		cancel()
		synctest.Wait()
		if ev, open := <-st.ResultChan(); open {
			t.Errorf("it still wants to hand over %v", ev.Type)
		}
	})
}

// A process that was stopped (ctrl+z, a laptop's lid) finds the silence too long when it
// goes on, though the stream is healthy: what the server sent meanwhile has yet to be read.
// A reader that nobody takes an event from is stopped here: its timer is due and not looked at.
func TestAStreamIsNotSilentBecauseThisProcessWasStopped(t *testing.T) {
	for listing, silent := range map[bool]error{true: errNoWatchList, false: errSilent} {
		t.Run(fmt.Sprintf("listing=%v", listing), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body, server := io.Pipe()
				defer server.Close()
				c, err := kube.NewClient(&rest.Config{Host: "http://server.example", Transport: streams{body}}, kube.Origin{}, nil, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				w, tap, err := c.Watch(t.Context(), "/watch", nil, kube.AcceptJSON)
				if err != nil {
					t.Fatal(err)
				}
				s := (&Server{}).New(t.Context(), ToFollow, plan.Spec{Resource: deployments, Namespace: "ns"}, nil, convert.Options{})
				s.sink = nobody{}
				st := &openWatch{s: s, events: make(chan kwatch.Event), ctx: t.Context(), listing: listing}
				ended := make(chan error, 1)
				go func() { ended <- st.read(w, tap) }()
				event := func(name string) {
					fmt.Fprintf(server, `{"type":"ADDED","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"namespace":"ns","name":%q,"uid":%q,"resourceVersion":"7"}}}`+"\n", name, name)
				}
				event("before")
				time.Sleep(10 * time.Minute) // stopped with it
				<-st.events
				time.Sleep(time.Second)
				go event("after")
				select {
				case <-st.events:
				case err := <-ended:
					t.Fatalf("it ended when the process went on: %v", err)
				}
				time.Sleep(syncSilence + LiveSilence)
				if err := <-ended; err != silent {
					t.Errorf("silent in earnest it ends with: %v", err)
				}
			})
		})
	}
}

// Its time is up just when it becomes live again: that counts, though the timer's
// turn to change its state comes later.
func TestASourceThatIsLiveAtTheLastMomentStaysLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cancel := ofOneDeployment(t)
		busy := &held{}
		go s.Run(busy)
		synctest.Wait()
		if busy.state.Phase != feed.Live {
			t.Fatalf("it is %s", busy.state.Phase)
		}
		busy.late = make(chan struct{})
		s.expectLive()
		time.Sleep(renewPatience)
		synctest.Wait() // the timer's change is held up
		late := busy.late
		busy.late = nil
		s.live()
		close(late)
		synctest.Wait()
		if busy.state.Phase != feed.Live {
			t.Errorf("it is %s", busy.state.Phase)
		}
		cancel()
		synctest.Wait()
	})
}

// held is a sink that holds changes of the state up while late is set.
type held struct {
	nobody
	state feed.SourceState
	late  chan struct{}
}

func (h *held) Replace([]*object.Object, string) {}

func (h *held) UpdateState(change func(*feed.SourceState)) {
	if h.late != nil {
		<-h.late
	}
	change(&h.state)
}

// nobody is a sink that takes nothing.
type nobody struct{ Sink }

func (nobody) Upsert(*object.Object)               {}
func (nobody) UpdateState(func(*feed.SourceState)) {}
