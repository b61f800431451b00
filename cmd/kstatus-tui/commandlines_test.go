package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// Text in a CI log never starts a command of the CI system, whether it is a
// message in the cluster or part of an error.
func TestPrintedTextNeverStartsACommandOfACISystem(t *testing.T) {
	hostile := "::error::a\n::add-mask::b ##[error]c ##vso[task.complete]d ##teamcity[e] " + strings.Repeat("::set-output::f ", 20)
	message, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	c := testcluster.New()
	defer c.Close()
	c.Put(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"default","uid":"u","generation":1,"creationTimestamp":"2020-01-01T00:00:00Z"},
"spec":{"replicas":1,"selector":{"matchLabels":{"a":"a"}},"template":{"metadata":{"labels":{"a":"a"}},"spec":{"containers":[{"name":"a","image":"a"}]}}},
"status":{"observedGeneration":1,"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":` + string(message) + `}]}}`)
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", t.TempDir())
	server := []string{"--server", url, "deployment/a"}
	missing := filepath.Join(t.TempDir(), "##[error]x")
	manifest := filepath.Join(t.TempDir(), "pod.yaml")
	if err := os.WriteFile(manifest, []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"phase":"Failed","reason":"##[error]","message":`+string(message)+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"entries": `{"##vso[task.complete]set-output":""}`, "empty": `{}`} {
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","namespace":"default","uid":"` + name + `","labels":{"cli-utils.sigs.k8s.io/inventory-id":"` + name + `"}},"data":` + data + `}`)
	}
	for name, args := range map[string][]string{
		"table":            append([]string{"status"}, server...),
		"tree":             append([]string{"status", "-o", "tree"}, server...),
		"why":              append([]string{"why"}, server...),
		"wait":             append([]string{"wait", "-o", "text", "--timeout", "1s"}, server...),
		"wide":             append([]string{"status", "-o", "wide"}, server...),
		"json":             append([]string{"status", "-o", "json"}, server...),
		"jsonl":            append([]string{"status", "-o", "jsonl"}, server...),
		"yaml":             append([]string{"status", "-o", "yaml"}, server...),
		"status markdown":  append([]string{"status", "-o", "markdown"}, server...),
		"columns":          append([]string{"status", "-o", "custom-columns=M:.message"}, server...),
		"jsonpath":         append([]string{"status", "-o", "jsonpath={.resources[0].message}"}, server...),
		"go-template":      append([]string{"status", "-o", "go-template={{(index .resources 0).message}}"}, server...),
		"why json":         append([]string{"why", "-o", "json"}, server...),
		"wait jsonl":       append([]string{"wait", "-o", "jsonl", "--timeout", "1s"}, server...),
		"wait json":        append([]string{"wait", "-o", "json", "--timeout", "1s"}, server...),
		"wait junit":       append([]string{"wait", "-o", "junit", "--timeout", "1s"}, server...),
		"wait github":      append([]string{"wait", "-o", "github", "--timeout", "1s"}, server...),
		"compute":          {"compute", "-f", manifest},
		"compute explain":  {"compute", "-f", manifest, "--explain"},
		"compute lint":     {"compute", "-f", manifest, "--lint"},
		"compute json":     {"compute", "-f", manifest, "-o", "json"},
		"compute jsonl":    {"compute", "-f", manifest, "-o", "jsonl"},
		"augment":          {"augment", "-f", manifest},
		"members":          {"members", "--server", url, "inventory/entries"},
		"members json":     {"members", "--server", url, "inventory/entries", "-o", "json"},
		"rbac":             {"rbac", "--server", url, "deploy/##vso[a]set-output"},
		"rbac table":       {"rbac", "--server", url, "deploy/##vso[a]set-output", "-o", "table"},
		"rbac json":        {"rbac", "--server", url, "deploy/##vso[a]set-output", "-o", "json"},
		"config":           {"config", "--context", "##vso[a]set-output"},
		"an unknown type":  {"status", "--server", url, "##vso[task.complete]x/a"},
		"a missing file":   {"status", "--server", url, "-f", missing},
		"a lost recording": {"status", "--replay", missing},
		"an unknown flag":  {"status", "--##[error]x"},
	} {
		var out, stderr bytes.Buffer
		run(append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		text := out.String() + stderr.String()
		if name != "wait github" && !strings.Contains(text, "set-output") && !strings.Contains(stderr.String(), "# #") {
			t.Errorf("%s does not show it:\n%s", name, text)
		}
		for line := range strings.Lines(text) {
			low := strings.TrimSpace(line)
			own := name == "wait github" && regexp.MustCompile(`^::(error|warning|notice) title=`).MatchString(low) && strings.Count(low, "::error") < 3
			if strings.HasPrefix(low, "::") && !own || strings.Contains(low, "##[") || strings.Contains(low, "##vso[") || strings.Contains(low, "##teamcity[") {
				t.Errorf("%s: a command: %q", name, line)
			}
		}
	}
}

// A report starts no command of a CI system either: a job may print it, or append it to its
// summary.
func TestAReportStartsNoCommandOfACISystem(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	manifest := filepath.Join(t.TempDir(), "pod.yaml")
	if err := os.WriteFile(manifest, []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop"},"status":{"phase":"Failed","reason":"Evicted","message":"##vso[task.complete]a ##[error]b"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range reportFormats {
		file := filepath.Join(t.TempDir(), "report."+format)
		var out, stderr bytes.Buffer
		run([]string{"kstatus-tui", "status", "--from", manifest, "--report", file}, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err, stderr.String())
		}
		if !bytes.Contains(text, []byte("task.complete]")) {
			t.Errorf("%s does not have the message", format)
		}
		for _, command := range []string{"##vso[", "##["} {
			if bytes.Contains(text, []byte(command)) {
				t.Errorf("%s has %s", format, command)
			}
		}
	}
}

// No table prints the credentials of a URL in the kubeconfig, which client-go has in its errors.
func TestConfigMasksACredentialOfTheKubeconfig(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "kubeconfig")
	for _, cluster := range []string{
		`{"server":"https://127.0.0.1:1","proxy-url":"ht tp://u:hunter2@127.0.0.1:2"}`,
		`{"server":"https://admin:hunter2@ho st:1"}`,
		`{"server":"https://admin:hunter2@127.0.0.1:1"}`,
	} {
		if err := os.WriteFile(file, []byte(`{"apiVersion":"v1","kind":"Config","current-context":"x","contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}],"clusters":[{"name":"c","cluster":`+cluster+`}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"config", "status"} {
			var out, stderr bytes.Buffer
			run([]string{"kstatus-tui", command, "--kubeconfig", file}, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
			if text := out.String() + stderr.String(); strings.Contains(text, "hunter2") {
				t.Errorf("%s with %s:\n%s", command, cluster, text)
			}
		}
	}
}

// As a plugin of kubectl the program is not on the PATH by its own name: every command to copy
// begins with kubectl.
func TestAPluginNamesItselfAsItIsTyped(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "")
	for want, args := range map[string][]string{
		"hint: kubectl kstatus-tui status pods\n":                                            {"get", "pods"},
		"hint: kubectl rollout undo deploy/web; kubectl kstatus-tui deploy/web follows it\n": {"rollout", "undo", "deploy/web"},
		"hint: kubectl apply -f app.yaml -o yaml | kubectl kstatus-tui wait -f -\n":          {"apply", "-f", "app.yaml"},
		"without any, try: kubectl kstatus-tui demo\n":                                       {"status", "deploy/web"},
		"hint: use kubectl kstatus-tui status deploy/web -o json\n":                          {"deploy/web", "-o", "json"},
		"hint: as in kubectl kstatus-tui replay night.rec.gz --at 2m\n":                      {"replay"},
		"  kubectl apply -f app.yaml -o yaml | kubectl kstatus-tui wait -f -\n":              {"wait", "--help"},
		"  kubectl apply -f app.yaml -o yaml | kubectl kstatus-tui -f -   # follows this":    {"--help"},
		"\n  kubectl kstatus-tui rbac helm/shop --check\n":                                   {"rbac", "--help"},
		": kubectl create rolebinding kstatus-tui --role kstatus-tui --user dev -n shop.\n":  {"rbac", "--help"},
		"\n  ln -s \"$(command -v kstatus-tui)\" ~/bin/kubectl-kstatus_tui\n":                {"completion", "kubectl", "--help"},
	} {
		var out, stderr bytes.Buffer
		run(append([]string{"/x/kubectl-kstatus_tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		if text := out.String() + stderr.String(); !strings.Contains(text, want) {
			t.Errorf("%q: no %q in\n%s", args, want, text)
		}
	}
}

// A credential that cannot be sent is no fault of the cluster, and is not tried again
// until the time is over.
func TestACredentialThatCannotBeSentIsReportedAtOnce(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, flag := range []string{"--token=a\nb", "--as=a\nb"} {
		var out, stderr bytes.Buffer
		code := run([]string{"kstatus-tui", "status", "deploy/web", "--timeout", "0", "--server", "https://127.0.0.1:1", flag},
			genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		if code != exitError || !strings.Contains(stderr.String(), "a credential cannot be sent: invalid header field value for") {
			t.Errorf("%q: exit %d, %s", flag, code, &stderr)
		}
	}
}

// No name of an argument, a manifest or a file writes a control sequence to the
// terminal, in any command.
func TestHostileNamesReachNoTerminal(t *testing.T) {
	const hostile = "a\x1b[2J\x1b]0;owned\a\u202eb"
	c := testcluster.New()
	defer c.Close()
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	manifest := filepath.Join(dir, "m.yaml")
	write := func(file, text string) string {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write(manifest, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a\u001b[2J\u202eb","namespace":"shop"}}`)
	kind := write(filepath.Join(dir, "k.yaml"), `{"apiVersion":"v1","kind":"P\u001b[2J\u202e","metadata":{"name":"a"}}`)
	version := write(filepath.Join(dir, "v.yaml"), `{"apiVersion":"v\u001b[2J\u202e","kind":"Pod","metadata":{"name":"a"}}`)
	file := write(filepath.Join(dir, hostile), "{}")
	lines := [][]string{
		{"inventories", "-n", hostile},
		{"members", "flux/ks/" + hostile},
		{"diff", file, file},
		{"replay", file},
		{"replay", "x", "--record", file},
		{"status", "--replay", file},
		{"config", "--context", hostile},
		{hostile},
		{"status", "--owner", "deploy/" + hostile},
		{"status", "-l", hostile, "pods"},
		{"wait", "deploy/web", "--for", hostile},
		{"wait", "deploy/web", "--for", "condition=" + hostile, "--timeout", "1s"},
		{"wait", "deploy/web", "--optional", hostile},
		{"status", "deploy/web", "-o", hostile},
		{"status", "deploy/web", "--report", hostile},
		{"status", "deploy/web", "--" + hostile},
		{"help", hostile},
	}
	for _, command := range []string{"status", "why", "wait", "rbac", "compute", "augment"} {
		more := []string{"--timeout", "1s"}
		if command != "status" && command != "wait" {
			more = nil
		}
		for _, source := range [][]string{
			{"deploy/" + hostile},
			{hostile + "/web"},
			{"deploy", hostile},
			{hostile},
			{"-f", manifest},
			{"-f", kind},
			{"-f", version},
			{"-f", file},
			{"-f", hostile},
			{"helm/" + hostile},
			{"argo/" + hostile},
			{"timoni/" + hostile},
			{"kapp/" + hostile},
			{"inventory/" + hostile},
			{"applyset/" + hostile},
			{"kpt/" + hostile},
		} {
			if command == "compute" || command == "augment" {
				if source[0] != "-f" {
					continue
				}
			}
			lines = append(lines, slices.Concat([]string{command}, source, more))
		}
	}
	for _, args := range lines {
		var out, stderr bytes.Buffer
		run(slices.Concat([]string{"kstatus-tui"}, args, []string{"--server", url}), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &stderr})
		for stream, text := range map[string]string{"stdout": out.String(), "stderr": stderr.String()} {
			if strings.ContainsAny(text, "\x1b\a\u202e") {
				t.Errorf("%q: %s: %q", args, stream, text)
			}
		}
	}
}
