package inventory

import (
	"encoding/base64"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// cases are the roots of testdata/sources.txt: a title, the root as YAML, and
// what is read from it.
func cases(t testing.TB) (titles, roots, want []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/sources.txt")
	if err != nil {
		t.Fatal(err)
	}
	payload := regexp.MustCompile(`BASE64(.*)`)
	for part := range strings.SplitSeq(string(data), "== ") {
		title, rest, _ := strings.Cut(part, "\n")
		root, result, ok := strings.Cut(rest, "--\n")
		if !ok {
			continue
		}
		root = payload.ReplaceAllStringFunc(root, func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte(strings.TrimPrefix(s, "BASE64")))
		})
		titles, roots, want = append(titles, title), append(roots, root), append(want, strings.TrimSpace(result))
	}
	return titles, roots, want
}

func TestEverySourceIsRecognisedByItsShapeAndRead(t *testing.T) {
	titles, roots, want := cases(t)
	seen := map[string]bool{}
	for i, title := range titles {
		t.Run(title, func(t *testing.T) {
			o, known := obj(t, roots[i])
			got := []string{"not recognised"}
			if s := Recognise(known); s != nil {
				seen[s.Name+s.Group+s.Kind] = true
				set, ok := s.Read(o)
				got = append([]string{s.Name}, words(set)...)
				if !ok {
					got = []string{s.Name, "holds no inventory"}
				}
			}
			// The order of the other fields does not matter.
			wanted := strings.Split(want[i], "\n")
			slices.Sort(got)
			slices.Sort(wanted)
			if diff := cmp.Diff(wanted, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	// These are read as their siblings above.
	siblings := []string{"FluxInstance", "RepoSync", "ClusterExtensionRevision", "Function"}
	for _, s := range Known {
		if s.decode != nil && !seen[s.Name+s.Group+s.Kind] && !slices.Contains(siblings, s.Kind) {
			t.Errorf("no case reads a %s (%s %s)", s.Name, s.Group, s.Kind)
		}
	}
}

func FuzzReadingARoot(f *testing.F) {
	_, roots, _ := cases(f)
	for _, r := range roots {
		f.Add(r)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var body map[string]any
		if err := yamlInto(text, &body); err != nil {
			return
		}
		o := &object.Object{ID: object.ID{Kind: "X", Namespace: "n", Name: "x"}, Tree: body}
		for _, s := range Known {
			if s.decode == nil {
				continue
			}
			set, _ := s.Read(o)
			holdsToItsWord(t, set.Members)
		}
	})
}

func FuzzAnIDString(f *testing.F) {
	for _, s := range []string{"default_podinfo__Service", "_a__b_rbac.authorization.k8s.io_ClusterRole", "x", "____"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		set := Set{}
		set.addID(s, "v1")
		holdsToItsWord(t, set.Members)
	})
}

func FuzzAHelmRelease(f *testing.F) {
	f.Add(payload(f, release(), true))
	f.Add(payload(f, release(), false))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeHelm(data)
		if err != nil {
			return
		}
		holdsToItsWord(t, r.Members)
	})
}

func FuzzAHelmManifest(f *testing.F) {
	f.Add(helmManifest)
	f.Fuzz(func(t *testing.T, text string) {
		s := Set{}
		s.manifest("manifest", text, "shop")
		holdsToItsWord(t, s.Members)
	})
}

// holdsToItsWord checks what every reader promises of its members: one that is
// not marked as unreadable is the name of an object, safe to print and to
// request.
func holdsToItsWord(t *testing.T, members []Member) {
	t.Helper()
	if len(members) > maxMembers+1 {
		t.Fatalf("%d members", len(members))
	}
	for _, m := range members {
		if m.Unreadable == "" {
			if err := m.check(); err != nil {
				t.Fatalf("%+v: %v", m.ID, err)
			}
		}
		for _, s := range []string{m.ID.Name, m.Unreadable, m.Note, m.Cluster, m.Reported.Word} {
			if s != object.Clean(s) {
				t.Fatalf("%q is not safe to print", s)
			}
		}
	}
}
