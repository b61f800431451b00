package recording

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// copied is a recording written anew.
func copied(t testing.TB, data []byte, redact bool) []byte {
	t.Helper()
	p := open(t, data)
	h := p.Header()
	h.Redacted, h.Secrets = h.Redacted || redact, h.Secrets && !redact
	var out bytes.Buffer
	if err := p.copyTo(NewWriter(nopCloser{&out}, h)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// genuine is the recording of a rollout on a real cluster.
func genuine(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../cmd/kstatus-tui/demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestACopyHoldsTheSameLines(t *testing.T) {
	t.Parallel()
	town, _ := aTown(t)
	for name, data := range map[string][]byte{"genuine": genuine(t), "with chapters": chaptered(t), "a town": town} {
		got := copied(t, data, false)
		if diff := cmp.Diff(strings.Split(unzip(t, data), "\n"), strings.Split(unzip(t, got), "\n")); diff != "" {
			t.Errorf("%s (-recorded +copied):\n%.3000s", name, diff)
		}
		if a, b := open(t, data), open(t, got); len(a.file.places) != len(b.file.places) || !cmp.Equal(a.marks, b.marks) || !a.end.Equal(b.end) {
			t.Errorf("%s: %d chapters, %d marks, end %v became %d, %d, %v", name, len(a.file.places), len(a.marks), a.end, len(b.file.places), len(b.marks), b.end)
		}
	}
}

// identifying are the words of a recording that could identify its owner: every
// part of the names, namespaces, nodes, images, labels, UIDs and addresses in
// it, and everything in details and logs that is not common.
func identifying(t testing.TB, data []byte) []string {
	t.Helper()
	p := open(t, data)
	p.Speed = 0
	batches, _ := play(t, p)
	var texts []string
	add := func(s ...string) { texts = append(texts, s...) }
	h := p.Header()
	add(h.Context, h.Namespace)
	add(h.Sources...)
	for _, b := range batches {
		for _, r := range b.Roots {
			add(r.ID.Namespace, r.ID.Name, r.Source)
		}
		for _, o := range b.Objects {
			add(o.Namespace, o.Name, o.UID)
			for _, l := range o.Labels {
				add(l.Value)
			}
			for _, w := range o.Owners {
				add(w.Name, w.UID)
			}
			if o.Pod != nil {
				add(o.Pod.Node)
				for _, c := range o.Pod.Containers {
					add(c.Image)
				}
			}
		}
		for _, e := range b.Events {
			add(e.UID, e.About.Name, e.AboutUID)
		}
	}
	for i := range p.file.places {
		s := surveyOf(p.file, i, maxDetails)
		for _, l := range s.logs {
			for _, line := range l.Chunk.Lines {
				add(line.Text)
			}
		}
	}
	var out []string
	for _, s := range texts {
		for _, part := range strings.FieldsFunc(s, notAlnum) {
			// Short words occur everywhere, and common words identify nobody.
			if len(part) >= 4 && !words()[strings.ToLower(part)] && !fixed[part] && !isDigits(part) {
				out = append(out, part)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var wordsOf = regexp.MustCompile(`[A-Za-z0-9]+`)

// After the fact, of a genuine rollout: of everything that could tell whose it
// is, nothing is left in what the file says.
func TestARecordingIsRedactedAfterTheFact(t *testing.T) {
	t.Parallel()
	data := genuine(t)
	names := identifying(t, data)
	if len(names) < 50 || !slices.Contains(names, "checkout") {
		t.Fatalf("only %d words identify it: this tests nothing: %q", len(names), names)
	}
	text := unzip(t, copied(t, data, true))
	said := map[string]bool{}
	for _, w := range wordsOf.FindAllString(text, -1) {
		said[w] = true
	}
	// The names of the format's own fields, and what Kubernetes calls things.
	plain := unzip(t, data)
	for _, n := range names {
		if !said[n] {
			continue
		}
		if strings.Contains(plain, `"`+n+`":`) || n == "endpointslice" {
			continue
		}
		i := strings.Index(text, n)
		t.Errorf("%q is in it: …%s…", n, text[max(0, i-100):min(len(text), i+60)])
	}
	if p := open(t, copied(t, data, true)); !p.Header().Redacted || len(p.Playback().Marks) == 0 {
		t.Error("the header does not say so, or the marks are gone")
	}
}

func TestARecordingIsNotCopiedOntoItself(t *testing.T) {
	name := t.TempDir() + "/a.rec.gz"
	if err := os.WriteFile(name, genuine(t), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Copy(name, true); err == nil || !strings.Contains(err.Error(), "is the recording itself") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(name); err != nil || !bytes.Equal(after, genuine(t)) {
		t.Error("it was written over")
	}
}

func TestEqualConditionsShareMemory(t *testing.T) {
	p := open(t, genuine(t))
	p.Speed = 0
	batches, _ := play(t, p)
	said, places, all := map[object.Statement]bool{}, map[*object.Statement]bool{}, 0
	for _, b := range batches {
		for _, o := range b.Objects {
			for _, c := range o.Conditions {
				said[*c.Statement], places[c.Statement] = true, true
				all++
			}
		}
	}
	// That one loses its place to another now and then is chance.
	if len(said) < 20 || len(places) > all/2 {
		t.Errorf("%d conditions say %d things in %d places", all, len(said), len(places))
	}
}
