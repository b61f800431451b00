package kube

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// pods is the resource of Pods.
var pods = Resource{Version: "v1", Plural: "pods", Kind: "Pod", Namespaced: true, Enc: Protobuf}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watchOf is a watch whose answer is a body.
func watchOf(t testing.TB, body io.Reader, contentType string) (kwatch.Interface, *Tap) {
	t.Helper()
	answer := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(body)}, nil
	}
	c, err := NewClient(&rest.Config{Host: "http://server.example", Transport: roundTripper(answer)}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w, p, err := c.Watch(t.Context(), "/watch", nil, AcceptJSON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w, p
}

// ending is why a watch ends after its events, of which there are so many.
func ending(w kwatch.Interface, p *Tap) (events []kwatch.Event, err error) {
	for ev := range w.ResultChan() {
		if o, ok := ev.Object.(*runtime.Unknown); ok {
			o.Raw = bytes.Clone(o.Raw) // they are valid until the next event
		}
		events = append(events, ev)
	}
	return events, p.Reason
}

func TestWatchFramesAreTheSameHoweverTheyAreSplit(t *testing.T) {
	var js, pb bytes.Buffer
	var objects []string
	for i := range 5 {
		obj := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"X","n":%d,"text":"%s\n"}`, i, strings.Repeat("x", i*30000%70000))
		objects = append(objects, obj)
		if i == 3 { // another order of the members, and white space
			fmt.Fprintf(&js, "{ \"object\": %s, \"type\": \"ADDED\" }\n\n", obj)
		} else {
			fmt.Fprintf(&js, "{\"type\":\"ADDED\",\"object\":%s}\n", obj)
		}
		ev := metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: []byte(obj)}}
		b, err := ev.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		_ = binary.Write(&pb, binary.BigEndian, uint32(len(b)))
		pb.Write(b)
	}
	for name, c := range map[string]struct {
		data        []byte
		contentType string
	}{"json": {js.Bytes(), "application/json"}, "protobuf": {pb.Bytes(), "application/vnd.kubernetes.protobuf;stream=watch"}} {
		for split, r := range map[string]io.Reader{
			"whole": bytes.NewReader(c.data), "bytes": iotest.OneByteReader(bytes.NewReader(c.data)), "halves": iotest.HalfReader(bytes.NewReader(c.data)),
		} {
			events, err := ending(watchOf(t, r, c.contentType))
			if len(events) != len(objects) || err != io.EOF {
				t.Fatalf("%s, %s: %d events, then %v", name, split, len(events), err)
			}
			for i, ev := range events {
				if raw := ev.Object.(*runtime.Unknown).Raw; ev.Type != kwatch.Added || string(raw) != objects[i] {
					t.Errorf("%s, %s, frame %d: %s, %s", name, split, i, ev.Type, raw)
				}
			}
		}
		if events, _ := ending(watchOf(t, bytes.NewReader(c.data[:len(c.data)-9]), c.contentType)); len(events) == len(objects) {
			t.Errorf("%s: a stream that was cut off reads as whole", name)
		}
	}
}

// An object that cannot be decoded is an event; anything else that is invalid
// ends the watch, and an error that client-go hides is reported.
func TestErrorsThatClientGoHidesAreReported(t *testing.T) {
	broken := errors.New("the line is cut")
	bad := `{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"X","metadata":7}}` + "\n"
	good := `{"type":"ADDED","object":{"apiVersion":"example.com/v1","kind":"X"}}` + "\n"
	for name, c := range map[string]struct {
		body   io.Reader
		events int
		want   func(error) bool
	}{
		"undecodable":    {strings.NewReader(good + bad + good), 3, func(err error) bool { return err == io.EOF }},
		"a broken line":  {io.MultiReader(strings.NewReader(good), iotest.ErrReader(broken)), 1, func(err error) bool { return errors.Is(err, broken) }},
		"a cut in it":    {io.MultiReader(strings.NewReader(good[:9]), iotest.ErrReader(io.ErrUnexpectedEOF)), 0, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		"no event":       {strings.NewReader(good + `{"kind":"PodList","apiVersion":"v1"}`), 1, IsForeign},
		"a page":         {strings.NewReader("<html>log in</html>"), 0, IsForeign},
		"JSON that ends": {strings.NewReader(good + `}`), 1, IsDecodeError},
	} {
		events, err := ending(watchOf(t, c.body, "application/json"))
		if len(events) != c.events || !c.want(err) {
			t.Errorf("%s: %d events, then %v", name, len(events), err)
		}
	}
}

func TestAFrameThatIsTooLongIsAnErrorAndNotRead(t *testing.T) {
	for contentType, r := range map[string]io.Reader{
		"application/vnd.kubernetes.protobuf;stream=watch": io.MultiReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff}), neverEnding{}),
		"application/json": io.MultiReader(strings.NewReader(`{"type":"`), neverEnding{}),
	} {
		if _, err := ending(watchOf(t, r, contentType)); !IsDecodeError(err) {
			t.Errorf("%s: %v", contentType, err)
		}
	}
}

// neverEnding is a line without an end.
type neverEnding struct{}

func (neverEnding) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// An object's name says nothing about what its answer should be.
func TestAnObjectNamedLogIsNoLog(t *testing.T) {
	answer := func(*http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"log","namespace":"shop"}}`))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}, nil
	}
	c, err := NewClient(&rest.Config{Host: "http://server.example", Transport: roundTripper(answer)}, Origin{}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Body(t.Context(), pods, object.ID{Kind: "Pod", Namespace: "shop", Name: "log"}, false); err != nil {
		t.Error(err)
	}
}

// FuzzFrames looks for bytes that make the reading of a watch fall over.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("{\"type\":\"ADDED\",\"object\":{}}\n"), false)
	f.Add([]byte{0, 0, 0, 2, 10, 0}, true)
	f.Fuzz(func(t *testing.T, data []byte, proto bool) {
		contentType := "application/json"
		if proto {
			contentType = "application/vnd.kubernetes.protobuf;stream=watch"
		}
		events, err := ending(watchOf(t, bytes.NewReader(data), contentType))
		if err == nil {
			t.Error("it ends without a reason")
		}
		for _, ev := range events {
			raw := ev.Object.(*runtime.Unknown).Raw
			_ = EventError(raw)
			_, _ = DecodeObject(raw, pods, convert.Options{})
		}
	})
}
