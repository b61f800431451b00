package inventory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// slowly reads a document as it is read where quickly gives up.
func slowly(text []byte) (manifest, error) {
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return manifest{}, err
	}
	return decodedItems(asJSON)
}

func decodedItems(asJSON []byte) (manifest, error) {
	var o manifest
	if err := json.Unmarshal(asJSON, &o); err != nil {
		return o, err
	}
	if o.Items != nil {
		o.read = &[]manifest{}
		for _, raw := range *o.Items {
			item, err := decodedItems(raw)
			if err != nil {
				return o, err
			}
			*o.read = append(*o.read, item)
		}
	}
	return o, nil
}

// seen leaves of a manifest what is asked of it.
func seen(o manifest) string {
	var b strings.Builder
	m := o.Metadata
	fmt.Fprintf(&b, "%q %q %q %q %q %q %d labels %q", o.APIVersion, o.Kind, m.Name, m.GenerateName, m.Namespace, m.UID, m.Generation, m.Labels)
	if m.Annotations[localConfig] == "true" {
		b.WriteString(" local")
	}
	if o.read != nil {
		for _, item := range *o.read {
			b.WriteString("\n- " + seen(item))
		}
	}
	return b.String()
}

// quickAsSlow holds quickly to what the library says of a document, and says
// whether it read it.
func quickAsSlow(t testing.TB, text string) bool {
	t.Helper()
	fast, ok := quickly([]byte(text), true, map[string]string{})
	if !ok {
		return false
	}
	slow, err := slowly([]byte(text))
	if err != nil {
		t.Errorf("read quickly, though the library says %v:\n%s", err, text)
	} else if diff := cmp.Diff(seen(slow), seen(fast)); diff != "" {
		t.Errorf("(-library +quick)\n%s\nof\n%s", diff, text)
	}
	if again, ok := quickly([]byte(text), false, map[string]string{}); !ok || len(again.Metadata.Labels) > 0 {
		t.Errorf("not read without labels, or with them (%v):\n%s", ok, text)
	}
	return true
}

const podHead = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"

// plainManifests are what quickly is for.
var plainManifests = map[string]string{
	"the smallest":           podHead,
	"block style":            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n  labels:\n    app.kubernetes.io/name: web\n    app.kubernetes.io/version: 1.2.3\n    empty: \"\"\n",
	"indented":               "  apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p",
	"comments":               "# first\n\n  # second\napiVersion: v1 # third\nkind: Pod   # fourth\nmetadata: # fifth\n  # sixth\n  name: p#no\n# seventh\n",
	"quotes":                 "\"apiVersion\": 'v1'\n'kind': \"Pod\"\nmetadata: {\"name\":\"p\", 'namespace': 'x', \"labels\":{\"1\":\"true\"}}\n",
	"flow over lines":        "apiVersion: v1\nkind: Pod\nmetadata: {\n  name: p,\n  labels: {\n a: b\n}\n}\nspec:\n  a: [b, {c: [d]},\ne]\n",
	"lists":                  podHead + "spec:\n  containers:\n  - name: a\n    image: b:c\n    args:\n    - --x=y\n    - \"-z\"\n    - -1\n    -   - 1\n        - 2\n    - - a: b\n        c: d\n  - name: e\n  tolerations:\n    - key: x\n      operator: Exists\n",
	"null, numbers, words":   podHead + "spec:\n  a:\n  b: ~\n  c: null\n  d: 1e3\n  e: 0x10\n  f: yes\n  g: 1_000\n  h: 2020-01-01\n  i: 12:30:45\n  j: 010\n  k: +1\n  l: 1e999\n  m: 18446744073709551615\n  n:\n",
	"a literal":              "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  x: |\n    kind: List\n    \ttab\n     deeper\n\n    --- no\n  y: >-\n    a\n    # no comment\n\n  z: |+\n\n\n  last: |\n    end",
	"an empty literal":       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  x: |\n  y: |-\n\n  z: b\n",
	"literals in lists":      podHead + "spec:\n  a:\n  - |\n    x: y\n  - >\n   z\n  b:\n    - c: |\n        d\n      e: f\n",
	"a scalar over lines":    podHead + "spec:\n  a: one two\n    three - four\n\n    - five # a comment\n  b: 'six\n    seven'\n  c: \"eight\\\n    \\  nine\n\n  ten\"\n  d:\n  - eleven\n    twelve\n  - thirteen\n",
	"escapes":                podHead + "spec: \"\\x41\\u00e9\\t\\\\ \\\"\"\n",
	"a list of objects":      "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    annotations:\n      a/b: |\n        {\"apiVersion\":\"v1\"}\n    creationTimestamp: \"2026-01-01T00:00:00Z\"\n    generation: 7\n    name: p\n    uid: 01234567-89ab-cdef-0123-456789abcdef\n- apiVersion: v1\n  kind: PodList\n  items:\n  - kind: Pod\n    apiVersion: v1\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
	"never applied":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: \"true\"}}\n",
	"applied":                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: \"false\", x: [y]}}\n",
	"beyond ASCII":           podHead + "spec:\n  a: größer – 大 # ✓\n  ä: ö\n",
	"twice what nobody asks": podHead + "spec: a\nspec: {b: c, b: d}\n",
	"nothing in it":          "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n  annotations:\nspec: {}\na: []\nb: [ ]\n",
	"keys of a Secret":       "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  .dockerconfigjson: e30=\n  tls.crt: ==\n  10-default.conf: x\n",
	"names like numbers":     "apiVersion: v1\nkind: Pod\nmetadata: {name: 1e3-x, namespace: 0x-1, generateName: 1.2.3-, labels: {pod-template-hash: 5c5784bc5f, a: 0d, b: 755c8c54f7}}\n",
	"a long line":            podHead + "a: " + strings.Repeat("x", 5000) + "\nb: [" + strings.Repeat("{y: z}, ", 500) + "c]\nd:\n- " + strings.Repeat("z", 5000) + "\n- {" + strings.Repeat("y: z, ", 500) + "c: \"\"}\n",
}

func TestManifestsOfTheUsualFormAreReadQuickly(t *testing.T) {
	for name, text := range plainManifests {
		t.Run(name, func(t *testing.T) {
			if !quickAsSlow(t, text) {
				t.Error("left to the library")
			}
		})
	}
}

// traps are documents of which the library, or encoding/json behind it, makes
// something that one might not think of. Most of them it refuses.
var traps = []string{
	"", "\n", "# nothing", "null", "~", "a", "- a\n", "{}", "{apiVersion: v1, kind: Pod, metadata: {name: p}}", "'a': b: c",
	// Fields that are wanted, in other forms.
	"apiVersion: v1\nkind: Pod\nmetadata: {name: 3}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: yes}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: 1e3}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 0x10}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 1_0}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: 0b11}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 5e31}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 0o17}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: -0x1f}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 0b}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: ~}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: null}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: .inf}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: 2020-01-01}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: }\n", "apiVersion: v1\nkind: Pod\nmetadata: {name}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\tb\"}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 'it''s'}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: 'a\n b'}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: a:}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name:a}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: [a]}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {name: a, name: b}\n", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nmetadata: {name: b}\n", "kind: Pod\nkind: Pod\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {Name: a}\n", "apiVersion: v1\nKIND: Pod\n", "apiVersion: v1\n\u212aind: Pod\n", "apiversion: v1\n",
	"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n    b\n", "apiVersion: v1\nkind: Pod\nmetadata:\n  name:\n    a\n", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: |\n    a\n",
	"apiVersion: v1\nkind: Pod\nmetadata:\n", "apiVersion: v1\nkind: Pod\nmetadata: x\n", "apiVersion: v1\nkind: Pod\nmetadata: []\n", "apiVersion: v1\nkind:\n  a: b\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {labels: x}\n", "apiVersion: v1\nkind: Pod\nmetadata: {labels: {a: 1}}\n", "apiVersion: v1\nkind: Pod\nmetadata: {labels: {a: true}}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {labels: {a: }}\n", "apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    a:\n", "apiVersion: v1\nkind: Pod\nmetadata: {labels: {a: b, a: c}}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {labels: {1: b}}\n", "apiVersion: v1\nkind: Pod\nmetadata: {annotations: x}\n", "apiVersion: v1\nkind: Pod\nmetadata: {annotations: {config.kubernetes.io/local-config: true}}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {generation: 1.5}\n", "apiVersion: v1\nkind: Pod\nmetadata: {generation: 017}\n", "apiVersion: v1\nkind: Pod\nmetadata: {generation: \"7\"}\n",
	"apiVersion: v1\nkind: Pod\nmetadata: {generation: 99999999999999999999}\n", "apiVersion: v1\nkind: Pod\nmetadata: {generation: -7}\n", "apiVersion: v1\nkind: Pod\nmetadata: {generation: 1_0}\n",
	"kind: List\nitems:\n", "kind: List\nitems: []\n", "kind: List\nitems: x\n", "kind: List\nitems: {a: b}\n", "kind: List\nitems:\n- a\n", "kind: List\nitems:\n- null\n", "kind: List\nitems:\n-\n",
	"kind: List\nitems:\n- {kind: Pod}\n", "kind: Pod\nitems:\n- metadata: 3\n", "kind: List\nitems:\n- kind: Pod\n- metadata: 3\n", "Items: 3\nkind: Pod\n",
	// Structure.
	podHead + "a:\n\tb: c\n", podHead + "\ta: b\n", podHead + "a: b\t# c\n", podHead + "a:\tb\n", podHead + "a: b\tc\n", podHead + "\t\n", podHead + "a:\n-\tb\n", podHead + "a: {b:\tc}\n", podHead + "a: |\n  \tb\n", podHead + "a: |\n\tb\n",
	podHead + "a: |\n  b\n \tc\n", podHead + "a: |\n  b\n \t\n", podHead + "a: b\n  \t\nc: d\n", podHead + "a: b\n  \tc\n", podHead + "a: 'b\n\tc'\n",
	podHead + " a: b\n", podHead + "a:\n    b: c\n  d: e\n", podHead + "a:\n  - b\n - c\n", podHead + "a:\n  - b\n  c: d\n", podHead + "a:\n  b: c\n  - d\n", podHead + "- a\n", podHead + "a: b\n- c\n", "  kind: Pod\na: b\n",
	podHead + "a:\n- b\n  - c\n", podHead + "a:\n- b: c\n   d: e\n", podHead + "a:\n- b: c\n d: e\n", podHead + "a:\n  - b: c\n   d: e\n", podHead + "a: - b\n", podHead + "a: -\n", podHead + "a:\n-\n- b\n", podHead + "a:\n- # c\n  b\n", podHead + "a:\n- - b\n - c\n", podHead + "a:\n- - b\n  c: d\n",
	podHead + "a: b: c\n", podHead + "a: b:\n", podHead + "a: b\n  c: d\n", podHead + "a: b\n  # c\n  d\n", podHead + "a: b # c\n  d\n", podHead + "a: b\n  c # d\n  e\n", podHead + "a: b\n  c:\n", podHead + "a: b\n\n  : c\n", podHead + "a : b\n", podHead + "a :b: c\n", podHead + "a #b: c\n", podHead + "a#b: c\n", podHead + "a\n", podHead + "a:b\n", podHead + "a: #b\n", podHead + "a:#b\n",
	podHead + "a: 'b' c\n", podHead + "a: 'b'#c\n", podHead + "a: 'b\n", podHead + "a: \"b\n", podHead + "a: \"b\\\"\n", podHead + "a: \"\\q\"\n", podHead + "a: \"\\ud800\"\n", podHead + "a: \"\\x4\"\n", podHead + "a: \"\\U00110000\"\n", podHead + "a: 'b'\n  c\n", podHead + "a: 'b'\n 'c'\n", podHead + "a: 'b\n--- c'\n", podHead + "a: 'b\n...\n'\n", podHead + "'a' : b\n", podHead + "'a'\n", podHead + "'a':b\n", podHead + "\"a\\tb\": c\n", podHead + "'a\n b': c\n", podHead + "a:\n- 'b': c\n- \"d\":e\n",
	podHead + "a: {b\n", podHead + "a: {b: c\n", podHead + "a: {b: c}}\n", podHead + "a: {b: c} d\n", podHead + "a: {b: c}#d\n", podHead + "a: {b: c}: d\n", podHead + "a: {b: c,}\n", podHead + "a: {b: c,, d: e}\n", podHead + "a: {,}\n", podHead + "a: [,]\n", podHead + "a: [b,]\n", podHead + "a: [b: c]\n", podHead + "a: [b c\n d]\n", podHead + "a: [b]]\n", podHead + "a: [b}\n", podHead + "a: [b # c\n]\n", podHead + "a: [\n# c\n]\n", podHead + "a: {b: c: d}\n", podHead + "a: {b: {c}}\n", podHead + "a: {'b':c}\n", podHead + "a: {'b'::c}\n", podHead + "a: {? b: c}\n", podHead + "a: {b: c?d}\n", podHead + "a: {b: -}\n", podHead + "a: [-, -b]\n", podHead + "a: [- b]\n", podHead + "a: [b\n...\n]\n", podHead + "a: [b,\n... c]\n", podHead + "a: {b: *c}\n", podHead + "a: [b:]\n", podHead + "a: [b:c]\n", podHead + "a: {[b]: c}\n", podHead + "a: {{b: c}: d}\n", podHead + "a:\n- {b: c}: d\n", podHead + "a:\n- [b]: d\n", podHead + "a:\n  {b: c}\n", podHead + "a: [b\n", podHead + "a: [b,\n", podHead + "a: {b:\n", podHead + "a: {\"b\"\n", podHead + "a: {\"b\":\n",
	podHead + "a: |2\n  b\n", podHead + "a: |-2\n  b\n", podHead + "a: |x\n  b\n", podHead + "a: | # c\n  b\n", podHead + "a: |#c\n  b\n", podHead + "a: |\n   \n  b\n", podHead + "a: |\n  \n  b\n", podHead + "a: |\n    b\n  c\n", podHead + "a: |\n    b\n  c: d\n", podHead + "a: |\n    b\n  # c\n", podHead + "a: |\nb\n", podHead + "a: |\n b\nc\n", podHead + "a: ||\n b\n", podHead + "a: |", podHead + "a:\n- |\n b\n- c\n", podHead + "a:\n- |\nb: c\n", podHead + "a:\n  - |\n  b\n", podHead + "a:\n  - b: |\n    c\n",
	podHead + "a: &b c\n", podHead + "a: *b\n", podHead + "a: !!str b\n", podHead + "a: !!int b\n", podHead + "&a b: c\n", podHead + "<<: {a: b}\n", podHead + "<<: a\n", podHead + "a: {<<: b}\n", podHead + "'<<': a\n", podHead + "? a\n: b\n", podHead + ": b\n", podHead + "a: @b\n", podHead + "a: `b\n", podHead + "a: %b\n", podHead + "%a: b\n", podHead + "@a: b\n", podHead + "a: ]b\n", podHead + "a: ,b\n", podHead + "a: ?b\n", podHead + "a: :b\n", podHead + "a: *\n",
	podHead + "---\n", podHead + "--- a\n", podHead + "---a: b\n", podHead + "...\n", podHead + "... \na: b\n", podHead + "...: b\n", podHead + "... : b\n", podHead + ".a: b\n", "%YAML 1.1\n---\n" + podHead, "---\n" + podHead,
	// Keys and values that JSON does not know.
	podHead + "1: a\n", podHead + "yes: a\n", podHead + "~: a\n", podHead + "null: a\n", podHead + "Null: a\n", podHead + "a: {~: b}\n", podHead + "18446744073709551615: a\n", podHead + "1.5: a\n", podHead + ".inf: a\n", podHead + "2020-01-01: a\n", podHead + "'': a\n", podHead + "a: {'': b}\n",
	podHead + "a: .inf\n", podHead + "a: -.INF\n", podHead + "a: +.Inf\n", podHead + "a: .NaN\n", podHead + "a: [.nan]\n", podHead + "a:\n- .inf\n", podHead + "a: .inf\n  b\n", podHead + "a: inf\n", podHead + "a: NaN\n", podHead + "a: 0b12\n", podHead + "a: .5\n", podHead + "a: .e5\n", podHead + "a: '.inf'\n",
	// Characters.
	strings.ReplaceAll(podHead, "\n", "\r\n"), podHead + "a: b\rc: d\n", "\ufeff" + podHead, podHead + "\ufeffa: b\n", podHead + "a: b\ufeff\n", podHead + "a: \x00\n", podHead + "a: \x07\n", podHead + "# \x1b[0m\n", podHead + "a: \x7f\n", podHead + "a: \u0085b\n", podHead + "a: \u0090\n", podHead + "a: b\u2028c: d\n", podHead + "a: \ufffe\n", podHead + "a: \ufffd\n", podHead + "a: \xff\n", podHead + "a: \xc3\n", podHead + "a: \xed\xa0\x80\n", podHead + "a: \xc0\x80\n", podHead + "a: \xf4\x90\x80\x80\n", "\xff\xfea\x00", podHead + "a:\u00a0b\n", podHead + "a: \u00a0\n",
	// Limits.
	podHead + strings.Repeat("k", 1020) + ": a\n", podHead + strings.Repeat("k", 1030) + ": a\n", podHead + "a: {" + strings.Repeat("k", 1030) + ": a}\n", podHead + "'" + strings.Repeat("k", 1030) + "': a\n", podHead + "a:\n- " + strings.Repeat("k", 1030) + ": a\n", podHead + strings.Repeat("\u00e4", 600) + ": a\n",
	podHead + "a: " + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "\n", podHead + "a: " + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + "\n", podHead + "a:\n" + strings.Repeat("- ", 10_001) + "b\n", podHead + "a: " + strings.Repeat("{b: ", 200) + "c\n",
}

func TestWhatIsReadQuicklyIsWhatTheLibraryReads(t *testing.T) {
	taken := 0
	for _, text := range traps {
		if quickAsSlow(t, text) {
			taken++
		}
		// In the middle of a document too.
		quickAsSlow(t, text+"\nz: y\n")
		quickAsSlow(t, "x:\n  "+strings.ReplaceAll(text, "\n", "\n  "))
		quickAsSlow(t, "x:\n- "+strings.ReplaceAll(text, "\n", "\n  "))
	}
	t.Logf("%d of %d traps are read quickly", taken, len(traps))
}

// TestRealObjectsAreReadQuickly has the objects that other projects test with,
// in the two forms in which YAML is mostly written: kubectl's, with lists in the
// column of their key, and that of yaml.v3, with four spaces.
func TestRealObjectsAreReadQuickly(t *testing.T) {
	all, taken := 0, 0
	for _, text := range realObjects(t) {
		all++
		if quickAsSlow(t, text) {
			taken++
		} else if testing.Verbose() {
			t.Logf("left to the library: %.2000s", text)
		}
	}
	t.Logf("%d of %d are read quickly", taken, all)
	if taken*100 < all*98 {
		t.Errorf("%d of %d are left to the library", all-taken, all)
	}
}

// TestRealObjectsWithMistakesAreReadAsTheLibraryDoes changes them at random.
func TestRealObjectsWithMistakesAreReadAsTheLibraryDoes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	all, taken := 0, 0
	for _, text := range realObjects(t) {
		if len(text) > 2500 {
			continue
		}
		for range 2 {
			all++
			if quickAsSlow(t, mistaken(rnd, text)) {
				taken++
			}
		}
	}
	t.Logf("%d of %d are read quickly", taken, all)
}

// mistaken is a text with a change that somebody might make by mistake.
func mistaken(rnd *rand.Rand, text string) string {
	pieces := []string{" ", "  ", "\n", ":", ": ", "- ", "-", "#", " #", "'", "\"", "{", "}", "[", "]", ",", "|", ">", "\t", "&a ", "*a", "!", "?", "%", "\\", "~", "null", ".inf", "\n\n", "\n  ", "\n- ", "\nkind: x", "---\n", "...\n"}
	at := rnd.IntN(len(text))
	switch rnd.IntN(4) {
	case 0: // leave something out
		return text[:at] + text[min(at+1+rnd.IntN(3), len(text)):]
	case 1: // a line less
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return text[:at]
		}
		return text[:at] + text[at+end+1:]
	case 2: // at the beginning of a line
		at = strings.LastIndexByte(text[:at], '\n') + 1
	}
	return text[:at] + pieces[rnd.IntN(len(pieces))] + text[at:]
}

func realObjects(t testing.TB) []string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(root), "shared", "corpora", "*.jsonl"))
	if len(files) == 0 {
		t.Skip("the corpora are not there")
	}
	var out []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var of struct {
				Object map[string]any
				Frames []map[string]any
			}
			if err := json.Unmarshal(line, &of); err != nil {
				t.Fatal(err)
			}
			for _, obj := range append(of.Frames, of.Object) {
				if obj == nil {
					continue
				}
				asKubectl, err := yaml.Marshal(obj)
				if err != nil {
					t.Fatal(err)
				}
				asOthers, err := yamlv3.Marshal(obj)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, string(asKubectl), string(asOthers))
			}
		}
	}
	return out
}

func BenchmarkAManifestOf3000Documents(b *testing.B) {
	var small, deployments bytes.Buffer
	for i := range 3000 {
		kind := []string{"apps/v1\nkind: Deployment", "v1\nkind: Service", "v1\nkind: ConfigMap"}[i%3]
		fmt.Fprintf(&small, "---\napiVersion: %s\nmetadata: {name: app-%04d}\n", kind, i/3)
		fmt.Fprintf(&deployments, "---\n%s", strings.Replace(deployment, "NAME", fmt.Sprintf("web-%04d", i), 1))
	}
	for name, data := range map[string][]byte{"small": small.Bytes(), "deployments": deployments.Bytes()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var library, whole time.Duration
			for b.Loop() {
				began := time.Now()
				targets, err := Parse(b.Context(), Request{Files: []string{"-"}, Stdin: bytes.NewReader(data), Namespace: "shop"})
				if err != nil || len(targets) != 3000 {
					b.Fatal(len(targets), err)
				}
				whole += time.Since(began)
				b.StopTimer()
				began = time.Now()
				for doc := range documents(data) {
					if _, err := slowly(doc.text); err != nil {
						b.Fatal(err)
					}
				}
				library += time.Since(began)
				b.StartTimer()
			}
			b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N)/3000, "ns/doc")
			b.ReportMetric(float64(library.Nanoseconds())/float64(b.N)/3000, "library-ns/doc")
			b.ReportMetric(float64(library)/float64(whole), "times-quicker")
		})
	}
}

// deployment is what is usual in one.
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/managed-by: Helm
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: web
  template:
    metadata:
      labels:
        app.kubernetes.io/name: web
      annotations:
        prometheus.io/scrape: "true"
    spec:
      serviceAccountName: web
      securityContext: {runAsNonRoot: true, fsGroup: 1000}
      containers:
        - name: web
          image: "registry.example/web:1.2.3"
          args: ["--listen=:8080", "--log=json"]
          env:
            - name: LOG
              value: "debug"
            - name: POD
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
          ports:
            - name: http
              containerPort: 8080
              protocol: TCP
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
          resources:
            limits:
              cpu: 500m
              memory: 128Mi
      volumes:
        - name: config
          configMap:
            name: web # the other one
`

func FuzzManifestReadQuickly(f *testing.F) {
	for _, text := range plainManifests {
		f.Add(text)
	}
	for _, text := range traps {
		if len(text) < 1000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) { quickAsSlow(t, text) })
}
