package recording

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// readBothWays reads a line quickly and by reflection alone, and holds the two
// against each other.
func readBothWays(t testing.TB, text []byte, known map[object.ID]*object.Object) line {
	t.Helper()
	read := func(general bool) (l line, made int, err error) {
		p := parser{general: general, known: func(id object.ID) *object.Object { return known[id] }}
		err = p.line(text, &l)
		return l, p.made, err
	}
	slow, slowMade, slowErr := read(true)
	fast, fastMade, fastErr := read(false)
	if fmt.Sprint(slowErr) != fmt.Sprint(fastErr) {
		t.Fatalf("%.300q\nby reflection: %v\nquickly: %v", text, slowErr, fastErr)
	}
	if slowErr != nil {
		return line{}
	}
	if slowMade != fastMade {
		t.Errorf("%.300q\nstands for %d bytes by reflection, for %d quickly", text, slowMade, fastMade)
	}
	if diff := cmp.Diff(slow, fast, cmp.AllowUnexported(change{}, batch{}, line{})); diff != "" {
		t.Fatalf("%.300q (-by reflection +quickly):\n%s", text, diff)
	}
	return fast
}

func TestLinesAreReadQuicklyAsByReflection(t *testing.T) {
	var out bytes.Buffer
	recorded(t, nopCloser{&out}, 6, 40*time.Second)
	known := map[object.ID]*object.Object{}
	lines := 0
	for text := range strings.Lines(unzip(t, out.Bytes())) {
		l := readBothWays(t, []byte(text), known)
		if lines++; l.State != nil {
			for _, o := range l.State.Objects {
				known[o.ID] = o
			}
		}
		if l.Batch != nil {
			for _, o := range l.Batch.Objects {
				known[o.ID] = o
			}
			for _, c := range l.Batch.Changes {
				known[c.now.ID] = c.now
			}
		}
	}
	if lines < 100 {
		t.Fatalf("%d lines: this tests nothing", lines)
	}
}

// Whatever stands in a line, both ways make the same of it.
func FuzzReadingQuickly(f *testing.F) {
	var out bytes.Buffer
	recorded(f, nopCloser{&out}, 1, 20*time.Second)
	n := 0
	for text := range strings.Lines(unzip(f, out.Bytes())) {
		if n++; len(text) < 4000 {
			f.Add([]byte(text))
		}
	}
	for _, text := range []string{
		`{"state":{"objects":[{"kind":"Pod","name":"a","pod":{"containers":[null,{"name":"x"},{"state":null,"last":{},"restarts":null}]}},{"pod":null},{"pod":{"containers":{"0":{"ready":true}}}}]}}`,
		`{"state":{"objects":[{"kind":"Pod","conditions":[{"type":"\u0007é"}]},{"conditions":{"1":{}}},{"conditions":{"0":null}}]}}`,
		`{"state":{"objects":[{"labels":[["a","b"],["c"]]}]}}`,
		`{"state":{"objects":[{"labels":[["a","b"],null,["c","d","e"]],"owners":null,"created":"x"}]}}`,
		`{"state":{"remembered":[{"name":"a","lost":99999999999999999999,"retries":{}},{"seen":-1,"took":1.5}]}}`,
		`{"state":{"history":[{"at":null,"id":{"name":"a"}},{"id":null,"what":[{}]}],"events":[{"uid":"1","about":{"kind":"Pod"}},null,{"count":2147483648,"gone":true}]}}`,
		`{"state":{"roots":[{"id":{"name":"a"},"order":1,"told":{"status":"Failed"}},{"order":null},null]}}`,
		`{"batch":{"changes":[{"kind":"Pod","name":"a","pod":{"containers":{"0":{"place":70000000000}}}}]}}`,
		`{"state":{"objects":[{"workload":{"replicas":null,"selector":{"match":[["a","b"]],"exprs":[]},"ready":"1"}}]}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		id := object.ID{Kind: "Pod", Name: "a"}
		readBothWays(t, text, map[object.ID]*object.Object{id: {ID: id, Pod: &object.Pod{
			PodTemplate: &object.PodTemplate{RestartPolicy: "Always"},
			Containers:  []object.Container{{ContainerSpec: &object.ContainerSpec{Name: "x"}, Place: 1}},
		}}})
	})
}

func TestAStringEndsAtItsQuoteWhereverThatStands(t *testing.T) {
	for n := range 20 {
		for _, at := range []string{"", "é", "\x7f", "~", `\"`, `\\`, "\x01"} {
			for i := range n + 1 {
				inner := strings.Repeat("a", i) + at + strings.Repeat("b", n-i)
				p := parser{b: []byte(`"` + inner + `":"x"`)}
				got, plain, err := p.quoted()
				if at == "\x01" {
					if err == nil {
						t.Fatalf("%q was read", inner)
					}
					continue
				}
				want := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
				if err != nil || string(got) != want || p.b[p.i] != ':' {
					t.Fatalf("%q was read as %q, %v, up to %d", inner, got, err, p.i)
				}
				if plain != (at == "" || at == "~") {
					t.Fatalf("%q: plain is %v", inner, plain)
				}
			}
		}
	}
}
