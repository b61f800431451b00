package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/escapes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// oneAnswer is a server that says the same to every question.
type oneAnswer struct {
	code     int
	typ      string
	body     []byte
	requests atomic.Int64
}

func (a *oneAnswer) RoundTrip(r *http.Request) (*http.Response, error) {
	a.requests.Add(1)
	return &http.Response{
		StatusCode: a.code, Status: http.StatusText(a.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {a.typ}}, Body: io.NopCloser(bytes.NewReader(a.body)),
	}, nil
}

// asking is an engine that asks such a server, without anything that runs.
func asking(t testing.TB, a *oneAnswer) *Engine {
	t.Helper()
	c, err := kube.NewClient(&rest.Config{Host: "http://server.example", Transport: a},
		kube.Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &Engine{ctx: context.Background(), client: c, resolver: resolve.New(c, func() {})}
}

func TestADetailThatIsNoObjectIsAnError(t *testing.T) {
	for _, body := range []string{"null", "[]", `"x"`, "7", "", "<html>"} {
		for _, kind := range []string{"Secret", "ConfigMap"} {
			e := asking(t, &oneAnswer{code: 200, typ: "application/json", body: []byte(body)})
			if d, err := e.Detail(t.Context(), object.ID{Kind: kind, Namespace: "shop", Name: "a"}); err == nil {
				t.Errorf("%s, %q: %+v", kind, body, d)
			}
		}
	}
}

// Any answer of a server, whatever its type says, is read or refused with a
// clean line: a list, a discovery, a Status, an object, a table or a log. No
// payload of a Secret comes out, and reading the same answer again gives the
// same.
func FuzzAnswers(f *testing.F) {
	const (
		discovery = `{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced","shortNames":["deploy"],"verbs":["list"],"categories":["all"]}]}]}]}`
		list      = `{"kind":"SecretList","metadata":{"resourceVersion":"7","continue":"x","remainingItemCount":3},"items":[{"metadata":{"name":"a","namespace":"shop","labels":{"owner":"helm"}},"data":{"x":"aHVudGVyMg=="}},null,7]}`
		table     = `{"kind":"Table","columnDefinitions":[{"name":"Type"},{"name":"Data"}],"rows":[{"cells":["Opaque",2],"object":{"metadata":{"name":"a"},"data":{"x":"hunter2"}}}]}`
		obj       = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","annotations":{"x":"\u001b[2J"}},"data":{"x":"hunter2"},"stringData":{"x":"hunter2"}}`
		refusal   = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no\u001b[2J","reason":"Forbidden","details":{"name":"a","kind":"pods","retryAfterSeconds":7,"causes":[{"reason":"x"}]},"code":403}`
		event     = `{"metadata":{"uid":"1"},"involvedObject":{"uid":"2","fieldPath":"\u001b"},"reason":"A","message":"\u202e","count":2,"series":{"count":7,"lastObservedTime":"2026-01-01T00:00:00.000000Z"},"eventTime":7}`
		groups    = `{"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}],"versions":["v1"],"resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list"]},{"name":"pods/log"}]}`
		log       = "2026-01-01T00:00:00.1Z a line\n2026-01-01T00:00:00Z \x1b[2J\nno time\n"
	)
	for _, body := range []string{discovery, list, table, obj, refusal, event, groups, log, "null", "<html>login</html>", "404 page not found", "{}", `{"items":`} {
		f.Add([]byte(body), uint16(0), "application/json")
	}
	f.Add([]byte(refusal), uint16(203), "application/json")
	f.Add([]byte("<html>"), uint16(302), "text/html")
	raw, _ := (&metav1.Status{Status: "Failure", Message: "no\x1b[2J", Code: 410, Reason: "Expired"}).Marshal()
	raw, _ = (&runtime.Unknown{Raw: raw}).Marshal()
	f.Add(append([]byte("k8s\x00"), raw...), uint16(210), "application/vnd.kubernetes.protobuf")
	f.Fuzz(func(t *testing.T, body []byte, code uint16, typ string) {
		a := &oneAnswer{code: 200 + int(code)%400, typ: typ, body: body}
		e := asking(t, a)
		ctx := t.Context()
		refused := func(err error) {
			if err == nil {
				return
			}
			text := object.Clean(kube.ErrorText(err))
			if e := escapes.Check([]byte(text)); e != nil || text == "" && err.Error() != "" && len(body) == 0 {
				t.Fatalf("%q: %v", text, e)
			}
		}
		pods := resolve.Builtin("", "Pod")
		for _, res := range []kube.Resource{pods, resolve.Builtin("", "Secret"), {Group: "example.org", Version: "v1", Plural: "widgets", Kind: "Widget", Namespaced: true}} {
			page, err := kube.DecodeList(body, res, convert.Options{})
			refused(err)
			for _, o := range page.Items {
				if o == nil || o.Kind != res.Kind || o.Name != object.Clean(o.Name) {
					t.Fatalf("an item of %s: %+v", res, o)
				}
			}
		}
		d, err := e.Detail(ctx, object.ID{Kind: "Secret", Namespace: "shop", Name: "a"})
		refused(err)
		if bad := escapes.Check([]byte(d.YAML)); bad != nil {
			t.Fatal(bad)
		}
		_, err = e.client.Body(ctx, pods, object.ID{Kind: "Pod", Namespace: "shop", Name: "a"}, true)
		refused(err)
		_, err = e.client.List(ctx, pods, "shop", nil, false)
		refused(err)
		_, err = kube.DecodeTable(body, resolve.Builtin("", "Secret"))
		refused(err)
		_, err = e.resolver.Served(ctx, "apps", "v1", "Deployment")
		refused(err)
		all, err := e.resolver.Discover(ctx)
		refused(err)
		if len(all) > len(body)*len(body)+1 || a.requests.Load() > int64(20+len(body)) {
			t.Fatalf("%d kinds, %d requests of %d bytes", len(all), a.requests.Load(), len(body))
		}
		_, err = e.resolver.Type(ctx, "widgets")
		refused(err)
		refused(kube.EventError(body))
		var ev corev1.Event
		if json.Unmarshal(body, &ev) == nil {
			ev.SetGroupVersionKind(resolve.Builtin("", "Event").ObjectKind())
			o, err := convert.Object(&ev, convert.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := o.Event
			for _, s := range []string{got.Field, got.Type, got.Reason, got.Message, got.From} {
				if s != object.Clean(s) {
					t.Fatalf("%q of an event", s)
				}
			}
			if got.Count < 1 || got.Last.Before(got.First) {
				t.Fatalf("%+v", got)
			}
		}
	})
}
