package inventory

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

func parse(t *testing.T, r Request) []Target {
	t.Helper()
	if r.Namespace == "" {
		r.Namespace = "shop"
	}
	got, err := Parse(t.Context(), r)
	if err != nil {
		t.Fatalf("Parse: %v (hint: %s)", err, hintOf(err))
	}
	return got
}

func hintOf(err error) string {
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return e.Hint()
	}
	return ""
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestArgumentsAreReadAsKubectlReadsThem(t *testing.T) {
	named := func(source, typ, name string) Target {
		return Target{Source: source, Type: typ, Namespace: "shop", Name: name}
	}
	for _, test := range []struct {
		line string
		want []Target
	}{
		{"deploy/web", []Target{named("deploy/web", "deploy", "web")}},
		{"deploy web api", []Target{named("deploy/web", "deploy", "web"), named("deploy/api", "deploy", "api")}},
		{"deploy,sts db", []Target{named("deploy/db", "deploy", "db"), named("sts/db", "sts", "db")}},
		{"deploy web svc/api sts db", []Target{named("deploy/web", "deploy", "web"), named("svc/api", "svc", "api"), named("sts/db", "sts", "db")}},
		{"certificates.v1.cert-manager.io/web", []Target{named("certificates.v1.cert-manager.io/web", "certificates.v1.cert-manager.io", "web")}},
		{"clusterrole/system:node", []Target{named("clusterrole/system:node", "clusterrole", "system:node")}},
		{"deploy/web deploy web", []Target{named("deploy/web", "deploy", "web")}},
		{"deploy -l app=x", []Target{{Source: "deploy -l app=x", Type: "deploy", Namespace: "shop", Selector: "app=x"}}},
		{"pods", []Target{{Source: "pods", Type: "pods", Namespace: "shop", All: true}}},
		{"deploy,sts svc/api", []Target{
			{Source: "deploy", Type: "deploy", Namespace: "shop", All: true},
			{Source: "sts", Type: "sts", Namespace: "shop", All: true},
			named("svc/api", "svc", "api"),
		}},
		{"deploy,sts --all -A", []Target{
			{Source: "deploy --all -A", Type: "deploy", Namespace: "shop", AllNamespaces: true, All: true},
			{Source: "sts --all -A", Type: "sts", Namespace: "shop", AllNamespaces: true, All: true},
		}},
		{"--all", []Target{{Source: "--all", Namespace: "shop", All: true}}},
		{"--all -A -l app=x", []Target{{Source: "--all -l app=x -A", Namespace: "shop", AllNamespaces: true, All: true, Selector: "app=x"}}},
		{"svc/api --all", []Target{named("svc/api", "svc", "api"), {Source: "--all", Namespace: "shop", All: true}}},
		{"deploy --all svc/api", []Target{{Source: "deploy --all", Type: "deploy", Namespace: "shop", All: true}, named("svc/api", "svc", "api")}},
	} {
		t.Run(test.line, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parse(t, request(test.line))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// request reads a command line of the few flags that these tests use.
func request(line string) Request {
	r := Request{Namespace: "shop"}
	words := strings.Fields(line)
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "--all":
			r.All = true
		case "-A":
			r.AllNamespaces = true
		case "-R":
			r.Recursive = true
		case "-l":
			i++
			r.Selector = words[i]
		case "-f":
			i++
			r.Files = append(r.Files, words[i])
		default:
			r.Args = append(r.Args, words[i])
		}
	}
	return r
}

func TestErrorsNameTheCulpritAndTheNextStep(t *testing.T) {
	for _, test := range []struct{ line, problem, hint string }{
		{"", "nothing to follow", "-f app.yaml"},
		{"deploy/", `"deploy/" is not TYPE/NAME`, "deploy/web"},
		{"shop/deploy/web", `"shop/deploy/web" is not TYPE/NAME`, "-n"},
		{"./app.yaml", `"./app.yaml" is not TYPE/NAME`, "-f ./app.yaml"},
		{"app.yaml", `"app.yaml" is not a resource type`, "-f app.yaml"},
		{"de$ploy web", `"de$ploy" is not a resource type`, "deployments.apps"},
		{"deploy,svc/web", `"deploy,svc/web" is not TYPE/NAME`, "deploy/web"},
		{"deploy/web -A", "deploy/web: an object cannot be named across all namespaces", "-n"},
		{"deploy web -l a=b", "deploy/web: a name and -l a=b exclude each other", "leave out"},
		{"deploy web --all", "deploy/web: a name and --all exclude each other", "leave out"},
		{"deploy svc secret --all", "deploy/svc: a name and --all exclude each other", "leave out either; several types are joined by commas: deploy,svc,secret"},
		{"deploy/web -l a=b", "deploy/web: a name and -l a=b exclude each other", "leave out"},
		{"flux/ks/apps -l a=b", "flux/ks/apps: a name and -l a=b exclude each other", "leave out"},
		{"kpt/nowhere -l a=b", "kpt/nowhere: a name and -l a=b exclude each other", "leave out"},
		{"deploy -l a=b=c", `cannot read the selector -l "a=b=c"`, "app=web"},
		{"-l a=b", `the selector -l "a=b" has no type`, "--all"},
		{"deploy %2e", `"%2e" cannot be a name`, ""},
		{"helm/web@latest", "helm/web@latest: a revision is a number, as in helm/web@3", "helm/[NAMESPACE/]RELEASE"},
		{"helm/a/b/c", `"helm/a/b/c" does not name an inventory`, "write helm/[NAMESPACE/]RELEASE[@REVISION]; kstatus-tui inventories"},
		{"flux/ks/Shop/apps", `flux/ks/Shop/apps: "Shop" cannot be a namespace`, "write it flux/ks/[NAMESPACE/]NAME"},
		{"helm/", `"helm/" does not name an inventory`, "write helm/"},
		{"flux/apps", `"flux/apps" does not name an inventory`, "write flux/ks/[NAMESPACE/]NAME (or hr, rset, instance)"},
		{"flux/git/apps", `"flux/git/apps" does not name an inventory`, "hr, rset"},
		{"argo/shop -A", "argo/shop: an inventory cannot be named across all namespaces", "inventories -A"},
		{"kpt/nowhere", "kpt/nowhere: nowhere has no inventory", "kpt live init"},
		{"-f nowhere.yaml", "cannot read nowhere.yaml: no such file or directory", "-f"},
		{"-f ftp://x/y", "-f ftp://x/y: only http and https", "download"},
		{"-f -", "standard input is a terminal", "kubectl apply"},
	} {
		t.Run(test.line, func(t *testing.T) {
			_, err := Parse(t.Context(), request(test.line))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), test.problem) || !strings.Contains(hintOf(err), test.hint) {
				t.Errorf("got %q, hint %q", err, hintOf(err))
			}
			if strings.Contains(err.Error()+hintOf(err), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

// A script's unset variable must not turn one object into all of them.
func TestAnEmptyNameIsRefused(t *testing.T) {
	for _, args := range [][]string{{"deploy", ""}, {"deploy", "web", ""}, {"deploy,svc", "", "web"}} {
		got, err := Parse(t.Context(), Request{Args: args, Namespace: "shop"})
		if err == nil || err.Error() != "a name after deploy is empty" || !strings.Contains(hintOf(err), "deploy alone is all of them") {
			t.Errorf("%q: %+v, %v (hint: %s)", args, got, err, hintOf(err))
		}
	}
}

const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
`

func fromStdin(text string) Request {
	return Request{Files: []string{"-"}, Stdin: strings.NewReader(text), Namespace: "shop"}
}

func TestManifestsOfEveryShapeBecomeTargets(t *testing.T) {
	deployment := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	for name, test := range map[string]struct {
		text string
		want []object.ID
	}{
		"one document":            {web, []object.ID{deployment}},
		"indented":                {"  apiVersion: v1\n  kind: Service\n  metadata: {name: a}\n", []object.ID{{Kind: "Service", Namespace: "shop", Name: "a"}}},
		"a byte order mark, CRLF": {"\ufeff" + strings.ReplaceAll(web, "\n", "\r\n") + "---\r\n", []object.ID{deployment}},
		"UTF-16 of PowerShell":    {"\xff\xfe" + strings.Join(strings.Split(web, ""), "\x00") + "\x00", []object.ID{deployment}},
		"empty documents":         {"---\n# nothing\n---\n" + web + "---\n", []object.ID{deployment}},
		"directives, ends":        {"%YAML 1.1\n---\n" + web + "...\n--- # next\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: other}\n", []object.ID{deployment, {Kind: "Pod", Namespace: "other", Name: "p"}}},
		"content on the marker":   {"--- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n", []object.ID{{Kind: "Pod", Namespace: "shop", Name: "p"}}},
		"a list in a list":        {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: PodList\n  items: [{apiVersion: v1, kind: Pod, metadata: {name: p}}]\n", []object.ID{{Kind: "Pod", Namespace: "shop", Name: "p"}}},
		"lists without items":     {"apiVersion: v1\nkind: PodList\nitems: null\n---\napiVersion: v1\nkind: List\n---\n" + web, []object.ID{deployment}},
		"a kind that ends in List": {
			"apiVersion: x.io/v1\nkind: AllowList\nmetadata: {name: l}\n",
			[]object.ID{{Group: "x.io", Kind: "AllowList", Namespace: "shop", Name: "l"}},
		},
		"JSON values in a row": {
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}` + "\n" + `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}`,
			[]object.ID{{Kind: "Pod", Namespace: "shop", Name: "a"}, {Kind: "Pod", Namespace: "shop", Name: "b"}},
		},
		"dashes in a block scalar": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  x: |\n    ---\n    a: b\n", []object.ID{{Kind: "ConfigMap", Namespace: "shop", Name: "c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []object.ID
			for _, target := range parse(t, fromStdin(test.text)) {
				got = append(got, target.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A message about a document names the line that its content begins in.
func TestAnErrorOfADocumentNamesItsFirstLine(t *testing.T) {
	text := "# nothing\n---\n" + web + "---\n\n# the service\n" + web + "... \n%YAML 1.1\n--- # comment\n" + web + "--- {a: b}\n--- |\n  ---\n  x\n-----BEGIN\n"
	var got []string
	for doc := range (Input{Data: []byte(text)}).documents() {
		first, _, _ := strings.Cut(string(doc.text), "\n")
		got = append(got, fmt.Sprintf("%d, line %d: %s", doc.number, doc.line, first))
	}
	want := []string{"1, line 3: apiVersion: apps/v1", "2, line 9: # the service", "3, line 17: apiVersion: apps/v1", "4, line 21: --- {a: b}", "5, line 22: --- |"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheGenerationIsPinnedOnlyByObjectsFromAPipe(t *testing.T) {
	applied := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, uid: u1, generation: 7}\n"
	if got := parse(t, fromStdin(applied))[0].Generation; got != 7 {
		t.Errorf("from a pipe: generation %d, want 7", got)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"exported.yaml": applied})
	if got := parse(t, Request{Files: []string{dir}})[0].Generation; got != 0 {
		t.Errorf("from a file: generation %d, want none", got)
	}
	// A client-side dry run has no UID: it was not applied.
	dry := strings.Replace(applied, "uid: u1, ", "", 1)
	if got := parse(t, fromStdin(dry))[0].Generation; got != 0 {
		t.Errorf("without a UID: generation %d, want none", got)
	}
}

func TestKubectlsPlainOutputIsRead(t *testing.T) {
	text := `Warning: spec.template.spec is odd
namespace/shop unchanged
deployment.apps/web created
service/web configured (server dry run)
ingress.networking.k8s.io/web serverside-applied
configmap/old pruned

pod "gone" deleted
pod "far" deleted from other namespace
pod "stays" deleted (server dry run)
pod/none created (dry run)
pod/nor created (server dry run)
`
	want := []Target{
		{Type: "namespace", Name: "shop", Namespace: "shop", Unplaced: Applied},
		{Type: "deployment.apps", Name: "web", Namespace: "shop", Unplaced: Applied},
		{Type: "service", Name: "web", Namespace: "shop", Unplaced: Applied},
		{Type: "ingress.networking.k8s.io", Name: "web", Namespace: "shop", Unplaced: Applied},
		{Type: "pod", Name: "gone", Namespace: "shop", Unplaced: Deleted},
		{Type: "pod", Name: "far", Namespace: "other"},
		{Type: "pod", Name: "stays", Namespace: "shop", Unplaced: Applied},
		{Type: "pod", Name: "none", Namespace: "shop", Unplaced: Planned},
		{Type: "pod", Name: "nor", Namespace: "shop", Unplaced: Planned},
	}
	for i := range want {
		want[i].Source = "-f -"
	}
	if diff := cmp.Diff(want, parse(t, fromStdin(text))); diff != "" {
		t.Error(diff)
	}
	for _, target := range parse(t, Request{Stdin: strings.NewReader(text), Namespace: "shop", NamespaceGiven: true}) {
		if target.Unplaced != 0 {
			t.Errorf("-n says where, and of %s it is not known", target.Name)
		}
	}
	names := parse(t, Request{Stdin: strings.NewReader("deployment.apps/web\nservice/web\n"), Namespace: "shop"})
	if len(names) != 2 || names[1].Type != "service" {
		t.Errorf("-o name with nothing else named: %+v", names)
	}
}

func TestBadInputIsLocated(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"broken YAML":  {web + "---\napiVersion: v1\nkind: [\nmetadata: x\n", "standard input, document 2, line "},
		"a bad indent": {"apiVersion: v1\nkind: Pod\n metadata: x\n", "standard input, document 1, line 3: broken YAML"},
		"broken JSON":  {`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}` + "\n{\"a\": }", "line 2: broken JSON"},
		"a number in a list in a list": {
			"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: PodList, items: [{metadata: {name: a}}, 3]}\n",
			"standard input, items[0], items[1]: this is a number, not a Kubernetes manifest",
		},
		"a sentence":      {"hello, world", "this is plain text, not a Kubernetes manifest"},
		"a list":          {"- a\n- b\n", "this is a list, not a Kubernetes manifest"},
		"no object first": {"hello\n---\n" + web, "standard input, document 1, line 1: this is plain text"},
		"no kind":         {web + "---\nreplicaCount: 3\n", "document 2, line 6: not a Kubernetes object"},
		"no name":         {"apiVersion: v1\nkind: Pod\nmetadata: {}\n", "Pod has no metadata.name"},
		"a number":        {"apiVersion: v1\nkind: Pod\nmetadata: {name: 3}\n", "metadata.name is a number, not a string"},
		"a word of YAML":  {"apiVersion: v1\nkind: Pod\nmetadata: {name: off}\n", "metadata.name is a boolean, not a string"},
		"a list of names": {"apiVersion: v1\nkind: Pod\nmetadata: {name: [a]}\n", "metadata.name cannot be of type array"},
		"a generated one": {"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: x-}\n", "the name of this Job is generated"},
		"a path in a name": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: ../secrets/x}\n",
			"cannot be a name",
		},
		"a path in a namespace": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a/b}\n",
			`standard input: "a/b" cannot be a namespace`,
		},
		"an error of kubectl": {"deployment.apps/web created\nerror: no such luck\n", `line 2: not kubectl's output: "error: no such luck"`},
		"nothing":             {"\n# nothing\n", "no object in -f -"},
		"less than nothing":   {"\n", "nothing to follow: standard input is empty"},
		"control characters":  {"apiVersion: v1\nkind: \"Po\\e[2Jd\"\nmetadata: {}\n", `"Po\x1b[2Jd" cannot be a kind`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(t.Context(), fromStdin(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to contain %q", err, test.want)
			}
		})
	}
}

func TestFoldersAreReadAsKubectlDoes(t *testing.T) {
	dir := t.TempDir()
	pod := func(name string) string { return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\n" }
	write(t, dir, map[string]string{
		"a/b.yaml": pod("b"), "a/c.json": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}}`,
		"a/readme.md": "no", "a/deep/d.yml": pod("d"),
	})
	names := func(r Request) (out []string) {
		for _, target := range parse(t, r) {
			out = append(out, target.ID.Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{"b", "c"}, names(Request{Files: []string{filepath.Join(dir, "a")}})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b", "c", "d"}, names(Request{Files: []string{filepath.Join(dir, "a")}, Recursive: true})); diff != "" {
		t.Error("with -R:", diff)
	}
	if diff := cmp.Diff([]string{"b", "d"}, names(Request{Files: []string{filepath.Join(dir, "a/*.yaml"), filepath.Join(dir, "a/deep")}})); diff != "" {
		t.Error("a glob:", diff)
	}
	_, err := Parse(t.Context(), Request{Files: []string{dir}})
	if err == nil || !strings.Contains(hintOf(err), "-R") {
		t.Errorf("a folder of folders: %v, hint %q", err, hintOf(err))
	}
}

func TestAKustomizationIsBuilt(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"kustomization.yaml": "namespace: prod\nnamePrefix: x-\nresources: [web.yaml]\n", "web.yaml": web,
	})
	got := parse(t, Request{Kustomize: dir})
	if len(got) != 1 || got[0].ID != (object.ID{Group: "apps", Kind: "Deployment", Namespace: "prod", Name: "x-web"}) || got[0].Source != "-k "+dir {
		t.Errorf("got %+v", got)
	}
	if _, err := Parse(t.Context(), Request{Kustomize: t.TempDir()}); err == nil || hintOf(err) == "" {
		t.Errorf("a folder without a kustomization: %v", err)
	}
}

func TestURLsAreFetchedPlainly(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/app.yaml" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(web))
	}))
	defer server.Close()
	if got := parse(t, Request{Files: []string{server.URL + "/app.yaml"}}); len(got) != 1 || got[0].ID.Name != "web" {
		t.Errorf("got %+v", got)
	}
	_, err := Parse(t.Context(), Request{Files: []string{server.URL + "/no.yaml"}})
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a missing page: %v", err)
	}
}

func TestTheNamespaceFollowsKubectl(t *testing.T) {
	in := "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: other}\n"
	if got := parse(t, fromStdin(in))[0].ID.Namespace; got != "other" {
		t.Errorf("the manifest's namespace was lost: %q", got)
	}
	r := fromStdin(in)
	r.NamespaceGiven = true
	if _, err := Parse(t.Context(), r); err == nil || !strings.Contains(hintOf(err), "-n other") {
		t.Errorf("-n against the manifest: %v, hint %q", err, hintOf(err))
	}
}

func TestASelectorFiltersManifests(t *testing.T) {
	r := fromStdin("apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: x}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n")
	r.Selector = "app=x"
	if got := parse(t, r); len(got) != 1 || got[0].ID.Name != "a" {
		t.Errorf("got %+v", got)
	}
	r = fromStdin("apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n")
	r.Selector = "app=x"
	if _, err := Parse(t.Context(), r); err == nil || !strings.Contains(err.Error(), "no object matches") {
		t.Errorf("got %v", err)
	}
}

func TestInputBeyondALimitIsAnError(t *testing.T) {
	deep := strings.Repeat(`{"kind":"List","apiVersion":"v1","items":[`, 20) + strings.Repeat("]}", 20)
	if _, err := Parse(t.Context(), fromStdin(deep)); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("nested lists: %v", err)
	}
	endless := Request{Files: []string{"-"}, Stdin: zeros{}}
	if _, err := Parse(t.Context(), endless); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("endless input: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		web, "---\n" + web + "---\nkind: [\n", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}{`,
		"deployment.apps/web created\npod \"x\" deleted\n", "a: &a [*a]\n", "--- {a: b}\n...\n%YAML 1.1\n---\n",
	} {
		f.Add(seed, "deploy/web")
	}
	f.Add("", "deploy,sts web svc/x")
	f.Fuzz(func(t *testing.T, text, args string) {
		check := func(r Request) {
			targets, err := Parse(context.Background(), r)
			if err != nil {
				if e, ok := errors.AsType[*problem.Error](err); !ok || strings.ContainsAny(e.Text+e.Next, "\n\r\x1b") {
					t.Fatalf("not a one-line error: %q", err)
				}
				return
			}
			if len(targets) == 0 {
				t.Fatal("neither a target nor an error")
			}
			for _, target := range targets {
				if target.Name == "" && target.ID.Name == "" && target.Selector == "" && !target.All {
					t.Fatalf("a target that names nothing: %+v", target)
				}
			}
		}
		check(fromStdin(text))
		check(Request{Args: strings.Fields(args), Namespace: "shop"})
	})
}

func TestFilesThatAreNeverAppliedAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
		"local.yaml":         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: setters, annotations: {config.kubernetes.io/local-config: \"true\"}}\n",
		"kustomization.yaml": "resources: [a.yaml]\n",
		"headed.yaml":        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
		"kustomization.yml":  "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	targets, err := Parse(t.Context(), Request{Files: []string{dir}, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, target := range targets {
		got = append(got, target.ID.String())
	}
	if want := []string{"ConfigMap/a", "Kustomization/apps"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A parsed value takes a hundred times the memory of its text.
func TestADocumentOfTooManyValuesIsRefused(t *testing.T) {
	for _, text := range []string{
		"apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: [" + strings.Repeat(",", maxValues) + "]",
		`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"spec":[` + strings.Repeat("0,", maxValues) + `0]}`,
		"apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:" + strings.Repeat("\n-", maxValues),
	} {
		for o, err := range Objects("many.yaml", []byte(text)) {
			if err == nil || !strings.Contains(err.Error(), "it has more than 8000000 values") {
				t.Errorf("%.60s…: %v, %v", text, o.Kind, err)
			}
		}
	}
}

func TestAllFilesTogetherHaveABound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, maxInput)); err != nil { // it takes no room on the disk
		t.Fatal(err)
	}
	read := 0
	var last error
	for in, err := range (Request{Files: slices.Repeat([]string{file}, 10)}).Inputs(t.Context()) {
		read += len(in.Data)
		last = err
	}
	if read != maxInputs || last == nil || !strings.HasSuffix(last.Error(), "the files are larger than 512 MB together") {
		t.Errorf("%d MB and %v", read>>20, last)
	}
}

func TestAToolsOwnWordLeadsToItsInventory(t *testing.T) {
	for typed, want := range map[string]string{
		"app/shop": "argo/shop kapp/shop", "apps/shop": "argo/shop kapp/shop", "application/shop": "argo/shop", "applications/": "argo/NAME",
		"ks/apps": "flux/ks/apps", "ks/": "flux/ks/NAME", "kustomization/apps": "flux/ks/apps", "hr/web": "flux/hr/web",
		"helmreleases/web": "flux/hr/web", "release/web": "helm/web", "helmm/web": "helm/web", "aplyset/web": "applyset/web",
		"app/": "", "checkout/": "", "widget/a": "", "so/a": "",
	} {
		typ, name, _ := strings.Cut(typed, "/")
		if got := strings.Join(SchemesMeantBy(typ, name), " "); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}

func TestNamesAreSeparatedBySpaces(t *testing.T) {
	_, err := Parse(t.Context(), Request{Args: []string{"deploy", "web,api"}})
	if err == nil || problem.Hint(err, "") != "separate them by spaces: deploy web api" {
		t.Errorf("%v, %q", err, problem.Hint(err, ""))
	}
	if _, err := Parse(t.Context(), Request{Args: []string{"clusterrole", "a,b"}}); err != nil {
		t.Error(err)
	}
}

// A flag within a selector is left out of what is suggested; the letters of a key are not.
func TestASelectorIsSuggested(t *testing.T) {
	for text, want := range map[string]string{
		"my-label:web":          "my-label=web",
		"app:web,my-label:web":  "app=web,my-label=web",
		"app=web,-ltier=front":  "app=web,tier=front",
		"-l app=web":            "app=web",
		"app=web, -l my-long:x": "app=web,my-long=x",
	} {
		_, err := Parse(t.Context(), Request{Args: []string{"pods"}, Selector: text})
		if got := problem.Hint(err, ""); got != "did you mean "+want+"? a selector looks like app=web,tier!=cache" {
			t.Errorf("%s: %v, %q", text, err, got)
		}
	}
}
