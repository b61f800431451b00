package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const podHead = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"

// filling makes a document large enough for its head to be read alone.
var filling = "spec:\n" + strings.Repeat("  a: |\n    kind: Nothing\n", 1) + strings.Repeat("  # a comment of some length\n", 40)

// Whatever a document's style, its head names what the whole does.
func TestTheHeadOfADocumentNamesTheSameObjectAsTheWhole(t *testing.T) {
	for name, text := range map[string]string{
		"block style":        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n  labels:\n    app: web\n" + filling,
		"last":               filling + "metadata:\n  name: web\n  labels: {app: web}\napiVersion: v1\nkind: Pod\n",
		"indented":           "  apiVersion: v1\n  kind: Pod\n  metadata:\n    name: p\n  " + strings.ReplaceAll(strings.TrimSpace(filling), "\n", "\n  "),
		"quoted keys":        "\"apiVersion\": v1\n'kind': Pod\nmetadata: {name: p}\n" + filling,
		"an anchor":          "data: &a {app: web}\napiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: *a}\n" + filling,
		"a text in quotes":   podHead + filling + "a: \"b\nkind: c\"\n",
		"a merge":            "data: &a {name: p}\napiVersion: v1\nkind: Pod\nmetadata: {<<: *a}\n" + filling,
		"flow style":         "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: [\n" + strings.Repeat("abcdefgh,\n", 100) + "]}\n",
		"never applied":      "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {config.kubernetes.io/local-config: \"true\"}}\n" + filling,
		"kubectl's list":     "apiVersion: v1\nitems:\n" + strings.Repeat("- apiVersion: v1\n  data:\n    kind: |\n      kind: No\n  kind: ConfigMap\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    labels:\n      app: web\n    name: b\n  spec:\n    c:\n    - name: x\n", 5) + "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
		"another's list":     "kind: List\napiVersion: v1\nitems:\n" + strings.Repeat("  - data:\n      a: b\n    kind: ConfigMap\n    apiVersion: v1\n    metadata: {name: a}\n", 9),
		"data first":         "kind: List\napiVersion: v1\nitems:\n" + strings.Repeat("- data:\n    a: b\n  kind: ConfigMap\n  apiVersion: v1\n  metadata: {name: a}\n", 9),
		"a list in the spec": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n- a\n- kind: b\n" + filling[6:],
	} {
		for _, selector := range []string{"", "app=web"} {
			r := Request{Files: []string{"-"}, Selector: selector, Namespace: "shop", Stdin: strings.NewReader(text)}
			got, err := Parse(t.Context(), r)
			whole := manifests{request: r}
			objs, e := document{Input: Input{Name: "standard input", source: "-f -"}, text: []byte(text), number: 1, line: 1}.all()
			for _, o := range objs {
				e = errors.Join(e, whole.add(o))
			}
			if e != nil {
				t.Fatalf("%s: %v", name, e)
			}
			if want := distinct(whole.targets); selector == "" && len(want) > 0 && (err != nil || fmt.Sprint(got) != fmt.Sprint(want)) {
				t.Errorf("%s: %v, %v\nwant %v", name, err, got, want)
			}
			if want := strings.Contains(text, "app: web"); selector != "" && want != (len(got) > 0) {
				t.Errorf("%s -l %s: %v, %v", name, selector, err, got)
			}
		}
	}
}

// A mistake below the head is found, with its line, when the document is checked.
func TestAMistakeBelowTheHeadIsReportedWithItsLine(t *testing.T) {
	text := podHead + filling + "  b: c\n d: e\n---\n" + podHead
	targets, check, err := Read(t.Context(), Request{Files: []string{"-"}, Stdin: strings.NewReader(text), Namespace: "shop"})
	if err != nil || len(targets) == 0 {
		t.Fatalf("the heads name %v: %v", targets, err)
	}
	if err := check(); err == nil || !strings.Contains(err.Error(), "standard input, document 1, line 4") || !strings.Contains(err.Error(), "broken YAML") {
		t.Errorf("%v, want the line", err)
	}
	if _, err := Parse(t.Context(), Request{Files: []string{"-"}, Stdin: strings.NewReader(text), Namespace: "shop"}); err == nil {
		t.Error("Parse takes it")
	}
}

// BenchmarkTheHeadsOf3000Deployments is what there is to do before the first
// request.
func BenchmarkTheHeadsOf3000Deployments(b *testing.B) {
	var data bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&data, "---\n%s", strings.Replace(deployment, "NAME", fmt.Sprintf("web-%04d", i), 1))
	}
	for b.Loop() {
		targets, _, err := Read(b.Context(), Request{Files: []string{"-"}, Stdin: bytes.NewReader(data.Bytes()), Namespace: "shop"})
		if err != nil || len(targets) != 3000 {
			b.Fatal(len(targets), err)
		}
	}
}

// deployment is a usual Deployment.
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
