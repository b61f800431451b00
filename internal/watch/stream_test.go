package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	kwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The Reflector would take each object of an initial list from one goroutine to
// another and keep it in a map of its own, to hand all of them over at the end.
func TestAnInitialListGoesPastTheReflector(t *testing.T) {
	h := newHub(0, "none", time.Now)
	s := &source{e: &Engine{hub: h}, recs: map[*rec]struct{}{}, spec: spec{res: deployments, namespace: "ns"}}
	h.add(s)
	var body strings.Builder
	event := func(typ, name, uid string, rv int) {
		fmt.Fprintf(&body, `{"type":%q,"object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"namespace":"ns","name":%q,"uid":%q,"resourceVersion":"%d"}}}`+"\n", typ, name, uid, rv)
	}
	for i := range 100 {
		event("ADDED", fmt.Sprint("n", i), fmt.Sprint("u", i), 10+i)
	}
	event("MODIFIED", "n7", "u7", 200)
	event("DELETED", "n3", "u3", 201)
	event("DELETED", "n4", "u4", 202)
	event("ADDED", "n4", "again", 203)
	body.WriteString(`{"type":"BOOKMARK","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"210","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n")
	event("MODIFIED", "n8", "u8", 211)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	st := &stream{s: s, events: make(chan kwatch.Event), stop: stop, ctx: ctx}
	s.stream = st
	ended := make(chan error, 1)
	w, tap := watchOf(t, strings.NewReader(body.String()), "application/json", s.types()...)
	go func() {
		defer close(st.events)
		ended <- st.read(w, tap, true)
	}()
	var types []string
	var got []*object.Object
	for ev := range st.events {
		types = append(types, string(ev.Type))
		if ev.Type == kwatch.Bookmark {
			if n := len(h.recs); n != 100 {
				t.Errorf("%d objects are shown when the list ends, want 100", n)
			}
			if got = s.listed([]any{&item{o: &object.Object{}}}, "210"); s.stream.first.Load() != nil {
				t.Error("the list is kept though it has been handed over")
			}
		}
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("it ended with %v", err)
	}
	if want := []string{"ADDED", "BOOKMARK", "MODIFIED"}; !slices.Equal(types, want) {
		t.Errorf("the Reflector is told %v, want %v", types, want)
	}
	last := map[string]string{}
	for _, o := range got {
		last[o.Name] = o.UID + "@" + o.ResourceVersion
	}
	if len(last) != 99 || last["n3"] != "" || last["n4"] != "again@203" || last["n7"] != "u7@200" || last["n99"] != "u99@109" {
		t.Errorf("the list has %d names: n3 %q, n4 %q, n7 %q, n99 %q", len(last), last["n3"], last["n4"], last["n7"], last["n99"])
	}
	if list := s.listed([]any{&item{o: &object.Object{}}}, "300"); len(list) != 1 {
		t.Errorf("%d objects of another list, which the Reflector has, want 1", len(list))
	}
}
