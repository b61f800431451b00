package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// offline runs a command over standard input.
func offline(t *testing.T, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(in), Out: &o, ErrOut: &e})
	return o.String(), e.String(), code
}

const twoAndABrokenOne = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2}
status: {replicas: 1}
---
nonsense: [
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: c}
- apiVersion: v1
  kind: Pod
  metadata: {name: p}
  status: {phase: Odd}
`

func TestComputeAsKstatusJudgesEveryDocumentButTheBrokenOne(t *testing.T) {
	out, errs, code := offline(t, twoAndABrokenOne, "compute", "-f", "-", "--rules", "kstatus")
	want := `STATUS      OBJECT                    REASON        MESSAGE
InProgress  shop Deployment.apps/web  LessReplicas  Replicas: 1/2
Current     ConfigMap/c               -             Resource is always ready
Unknown     Pod/p                     -             unknown phase Odd
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.HasPrefix(errs, "kstatus-tui: standard input, document 2, line 7: broken YAML: ") || code != 1 {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestComputePrintsALineAnObject(t *testing.T) {
	out, _, _ := offline(t, twoAndABrokenOne, "compute", "-f", "-", "--rules", "kstatus", "-o", "jsonl")
	want := `{"group":"apps","version":"v1","kind":"Deployment","namespace":"shop","name":"web","status":"InProgress","reason":"LessReplicas","message":"Replicas: 1/2","conditions":[{"type":"Reconciling","status":"True","reason":"LessReplicas","message":"Replicas: 1/2"}]}
{"group":"","version":"v1","kind":"ConfigMap","name":"c","status":"Current","message":"Resource is always ready","conditions":[]}
{"group":"","version":"v1","kind":"Pod","name":"p","status":"Unknown","error":"unknown phase Odd","conditions":[]}
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestComputeJudgesByTheUsersRulesToo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "health.yaml")
	if err := os.WriteFile(file, []byte("healthCheckExprs:\n- apiVersion: example.com/v1\n  kind: Widget\n  current: status.done\n  failed: spec.mode == 'broken'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"mode":"broken"},"status":{"done":false}}`
	out, errs, code := offline(t, widget, "compute", "-f", "-", "--health-rules", file, "-o", "jsonl")
	if !strings.Contains(out, `"status":"Failed"`) || !strings.Contains(out, `"confidence":"user"`) || code != 0 {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func TestComputeExplainsItself(t *testing.T) {
	const more = `
---
{apiVersion: v1, kind: Pod, metadata: {name: r}, status: {phase: Running}}
---
apiVersion: example.org/v1
kind: Thing
metadata: {name: t}
status: {conditions: [{type: Synced, status: "True"}, {type: Ready, status: "False", reason: NoRoom}]}
`
	out, _, _ := offline(t, twoAndABrokenOne+more, "compute", "-f", "-", "--explain")
	for _, want := range []string{
		"           status.conditions[1].status: Ready is False\n           status.conditions[1].reason: NoRoom\n",
		"           status.conditions[Ready]: absent\n",
		"InProgress  shop Deployment.apps/web  ReplicasMissing  apps/Deployment.replicas  exact       1 of 2 replicas exist\n",
		"    no   it is being deleted                                 deletion\n",
		"    so   InProgress, ReplicasMissing: 1 of 2 replicas exist  apps/Deployment.replicas\n",
		"           spec.replicas: 2\n           status.replicas: 1\n",
		"    sure?  exact: there is a rule for this very kind\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
}

func TestComputeJudgesParentsWithTheirChildren(t *testing.T) {
	const family = `apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, uid: d}, spec: {replicas: 1}, status: {replicas: 1, updatedReplicas: 1}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, uid: r, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: 1}, status: {replicas: 1, fullyLabeledReplicas: 1}}
- {apiVersion: v1, kind: Pod, metadata: {name: web-1-x, uid: p, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r, controller: true}]}, status: {phase: Pending, containerStatuses: [{name: c, image: web, state: {waiting: {reason: ImagePullBackOff}}}]}}
- {apiVersion: x.io/v1, kind: Loop, metadata: {name: l, uid: l, ownerReferences: [{apiVersion: x.io/v1, kind: Loop, name: l, uid: l}]}}
`
	out, errs, code := offline(t, family, "compute", "-f", "-")
	for _, want := range []string{"Failed      Deployment.apps/web    ImagePullBackOff", "Failed      ReplicaSet.apps/web-1  ImagePullBackOff", "Failed      Pod/web-1-x"} {
		if !strings.Contains(out, want) {
			t.Errorf("exit code %d, lacks %q:\n%s%s", code, want, out, errs)
		}
	}
}

func TestComputeExpectsAStatusIfTheDefinitionInItsInputServesOne(t *testing.T) {
	const input = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: plains.example.org}
spec: {group: example.org, names: {kind: Plain, plural: plains}, versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]}
---
apiVersion: example.org/v1
kind: Plain
metadata: {name: p}
---
apiVersion: example.org/v1
kind: Other
metadata: {name: o}
`
	out, _, _ := offline(t, input, "compute", "-f", "-")
	for _, want := range []string{"Current     Plain.example.org/p", "InProgress  Other.example.org/o"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
}

func TestComputeLintChecksTheStatusOfAController(t *testing.T) {
	const widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","generation":1},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`
	for _, rules := range []string{"full", "kstatus"} {
		out, _, code := offline(t, widget, "compute", "-f", "-", "--lint", "--rules", rules)
		if code != 0 || !strings.Contains(out, "    lint ") || !strings.Contains(out, "observedGeneration") {
			t.Errorf("%s: exit code %d\n%s", rules, code, out)
		}
	}
	out, _, _ := offline(t, widget, "compute", "-f", "-", "--lint", "-o", "jsonl")
	if !strings.Contains(out, `"lint":[{"code":"`) {
		t.Error(out)
	}
}

func TestComputeRefusesWrongArgumentsAndInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"compute", "nothing to read: -f FILE is missing"},
		{"compute -f - --rules helm", `invalid value "helm" for --rules (one of: full, kstatus)`},
		{"compute -f - -o xml", `invalid value "xml" for --output (one of: table, jsonl, json, yaml, name, go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file, custom-columns, custom-columns-file)`},
		{"compute -f /nowhere/at/all", "cannot read /nowhere/at/all: no such file or directory"},
		{"compute -f -", "standard input is empty"},
		{"augment -f - -o table", `invalid value "table" for --output (one of: yaml, json)`},
	} {
		out, errs, code := offline(t, "", strings.Fields(c.args)...)
		if code != 1 || out != "" || !strings.HasPrefix(errs, "kstatus-tui: "+c.want+"\n") {
			t.Errorf("%s: exit code %d\n%s%s", c.args, code, out, errs)
		}
	}
}

func TestAugmentingTwiceChangesNothing(t *testing.T) {
	for _, format := range []string{"yaml", "json"} {
		once, _, code := offline(t, twoAndABrokenOne, "augment", "-f", "-", "-o", format)
		if code != 1 || !strings.Contains(once, "LessReplicas") {
			t.Fatalf("exit code %d\n%s", code, once)
		}
		twice, errs, code := offline(t, once, "augment", "-f", "-", "-o", format)
		if code != 0 {
			t.Errorf("exit code %d: %s", code, errs)
		}
		if diff := cmp.Diff(once, twice); diff != "" {
			t.Errorf("%s (-once +twice)\n%s", format, diff)
		}
	}
}

// To the letter includes messages of several lines; the table has them on one
// line, and neither output moves a cursor.
func TestComputeAsKstatusRepeatsMessagesOfSeveralLines(t *testing.T) {
	const widget = `{"apiVersion":"x.io/v1","kind":"X","metadata":{"name":"w"},"status":{"conditions":[{"type":"Ready","status":"False","reason":"R","message":"first\n\tsecond \u009b31m\u001b[0m\n"}]}}`
	out, _, _ := offline(t, widget, "compute", "-f", "-", "--rules", "kstatus", "-o", "jsonl")
	const message = `first\n\tsecond \u009b31m\u001b[0m\n`
	want := `{"group":"x.io","version":"v1","kind":"X","name":"w","status":"InProgress","reason":"R","message":"` + message +
		`","conditions":[{"type":"Reconciling","status":"True","reason":"R","message":"` + message + `"}]}` + "\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	out, _, _ = offline(t, widget, "compute", "-f", "-", "--rules", "kstatus")
	if want := "InProgress  X.x.io/w  R       first⏎ second 31m\n"; !strings.HasSuffix(out, want) {
		t.Errorf("%q does not end with %q", out, want)
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What has no relation to other objects is printed before the next document is
// read, so that no number of documents fills the memory: where the output takes
// nothing, nobody learns of the broken document behind the first.
func TestObjectsArePrintedOneByOne(t *testing.T) {
	two := strings.SplitN(twoAndABrokenOne, "---\n", 2)
	in := two[0] + "---\n" + two[0] + "---\n" + two[1]
	for _, args := range []string{"augment -f -", "augment -f - -o json", "compute -f - --rules kstatus -o jsonl"} {
		var stderr bytes.Buffer
		code := run(append([]string{"kstatus-tui"}, strings.Fields(args)...), genericiooptions.IOStreams{In: strings.NewReader(in), Out: full{}, ErrOut: &stderr})
		if code != exitError || stderr.String() != "kstatus-tui: no space left on device\n" {
			t.Errorf("%s: exit code %d, %s", args, code, stderr.String())
		}
	}
}

func TestAugmentPrintsAListOfSeveralObjectsAsKubectlDoes(t *testing.T) {
	item := func(name string) string {
		return "        {\n            \"apiVersion\": \"v1\",\n            \"kind\": \"ConfigMap\",\n            \"metadata\": {\n                \"name\": \"" + name + "\"\n            },\n            \"status\": {\n                \"conditions\": []\n            }\n        }"
	}
	var in strings.Builder
	for _, name := range []string{"a", "b<", "c"} {
		in.WriteString("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: \"" + name + "\"}}\n")
	}
	out, errs, code := offline(t, in.String(), "augment", "-f", "-", "-o", "json")
	want := "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n" + item("a") + ",\n" + item(`b\u003c`) + ",\n" + item("c") + "\n    ],\n    \"kind\": \"List\"\n}\n"
	if diff := cmp.Diff(want, out); diff != "" || errs != "" || code != 0 {
		t.Errorf("exit code %d, %s (-want +got)\n%s", code, errs, diff)
	}
}

func TestObjectsThatAreJudgedTogetherHaveABound(t *testing.T) {
	before := maxTogether
	defer func() { maxTogether = before }()
	maxTogether = 2
	one := "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
	for n, want := range map[int]string{2: "", 3: "kstatus-tui: more than 2 objects cannot be judged together\nhint: judge a part of it; --rules kstatus -o jsonl judges any number\n"} {
		out, errs, code := offline(t, strings.Repeat(one, n), "compute", "-f", "-", "-o", "jsonl")
		if strings.Count(out, "\n") != 2 || errs != want || (code == exitOK) != (want == "") {
			t.Errorf("%d: exit code %d, %s\n%s", n, code, errs, out)
		}
	}
	if out, errs, code := offline(t, strings.Repeat(one, 3), "compute", "-f", "-", "-o", "jsonl", "--rules", "kstatus"); strings.Count(out, "\n") != 3 || errs != "" || code != exitOK {
		t.Errorf("one by one: exit code %d, %s\n%s", code, errs, out)
	}
}

// What made other tools panic or fill the memory is judged, or an error in one line.
func TestOddDocumentsOfPublicReports(t *testing.T) {
	for source, c := range map[string]struct{ in, out, errs string }{
		"kubernetes/kubernetes#53735": {
			in:   "apiVersion: v1\nkind: List\nitems: {a: 1}\n",
			errs: "kstatus-tui: standard input: not a Kubernetes object: items cannot be of type object\n",
		},
		"kubernetes/kubernetes#20627": {
			in:  "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: a}\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: a\n        args:\n        -\n",
			out: "InProgress  ReplicationController/a  ",
		},
		"helm/helm#2158": {
			in:  "\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
			out: "InProgress  Pod/a  ",
		},
		"helm/helm#10759": {
			in:   "{ { if eq .Values.A \"B\" } }\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.N }}-x\n{ { end } }\n",
			errs: "kstatus-tui: standard input, document 1, line 1: broken YAML: ",
		},
	} {
		out, errs, code := offline(t, c.in, "compute", "-f", "-", "--no-headers")
		if !strings.HasPrefix(out, c.out) || !strings.HasPrefix(errs, c.errs) || (c.errs == "") != (errs == "") || (code == exitOK) != (c.errs == "") {
			t.Errorf("%s: exit code %d\n%s\n%s", source, code, out, errs)
		}
	}
}

// What was read of a file that is too large is not judged: the rest may change the verdict.
func TestAFileThatIsTooLargeIsNotJudgedInPart(t *testing.T) {
	document := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n# "
	for _, command := range []string{"compute", "augment"} {
		var out, stderr bytes.Buffer
		code := run([]string{"kstatus-tui", command, "-f", "-"}, genericiooptions.IOStreams{
			In:  io.MultiReader(strings.NewReader(document), io.LimitReader(letters{}, 64<<20)),
			Out: &out, ErrOut: &stderr,
		})
		if code != exitError || strings.Contains(out.String(), "ConfigMap") || !strings.Contains(stderr.String(), "it is larger than 64 MB") {
			t.Errorf("%s: exit %d\n%s%s", command, code, &out, &stderr)
		}
	}
}

// letters is an endless comment.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
