package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

var update = flag.Bool("update", false, "write docs/commands.md anew")

// printed runs the program in this process.
func printed(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"kstatus-tui"}, args...), genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &out, ErrOut: &errs})
	return out.String(), errs.String(), code
}

// docs/commands.md is what the program says of itself.
func TestThePageOfCommandsIsTheProgramsHelp(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // kubectl's flags name it in their defaults
	t.Setenv("COLUMNS", "")
	var b strings.Builder
	b.WriteString("# Commands\n\nWhat `kstatus-tui COMMAND --help` prints, for each command. The connection flags are the same for\n" +
		"every command: they are at the end of this page, and `kstatus-tui options` prints them.\n")
	help, _, _ := printed(t, "", "--help")
	for _, command := range append([]string{""}, commandsIn(help)...) {
		args := append(strings.Fields(command), "--help")
		text, stderr, code := printed(t, "", args...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s --help: %d %s", command, code, stderr)
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", strings.TrimSpace("kstatus-tui "+command), strings.TrimSpace(text))
	}
	options, _, _ := printed(t, "", "options")
	fmt.Fprintf(&b, "\n## Connection flags\n\n```\n%s\n```\n", strings.TrimSpace(options))
	b.WriteString("\n<!-- made by go test ./cmd/kstatus-tui -run Commands -update -->\n")
	page := filepath.Join("..", "..", "docs", "commands.md")
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil || string(have) != b.String() {
		t.Errorf("docs/commands.md is not what the program says (%v): -update writes it anew", err)
	}
}

// commandsIn are the names of a help's section Commands.
func commandsIn(help string) (names []string) {
	_, rest, _ := strings.Cut(help, "\nCommands:\n")
	section, _, _ := strings.Cut(rest, "\n\n")
	for line := range strings.Lines(section) {
		if f := strings.Fields(line); f[0] != "help" {
			names = append(names, f[0])
		}
	}
	return names
}

// Every line that a page offers to a shell is run against a town with the
// objects that the pages name, and must neither fail nor find nothing.
func TestTheLinesOfThePagesCanBePasted(t *testing.T) {
	town, err := os.ReadFile("testdata/pages.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := testcluster.New()
	defer c.Close()
	for o, err := range inventory.Objects("pages.yaml", town) {
		if err != nil {
			t.Fatal(err)
		}
		c.Put(string(o.JSON))
	}
	url, err := c.Listen()
	if err != nil {
		t.Fatal(err)
	}
	demo, err := os.ReadFile("demo.rec.gz")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	for name, data := range map[string][]byte{
		"config": fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: test\nclusters: [{name: test, cluster: {server: %q}}]\n"+
			"contexts: [{name: test, context: {cluster: test, namespace: shop}}]\n", url),
		"app.yaml": town, "objects.yaml": town, "object.yaml": town, "overlays/prod/app.yaml": town,
		"overlays/prod/kustomization.yaml": []byte("resources: [app.yaml]\n"),
		"saved/shop.yaml":                  town, "shop.yaml": town, "cluster.yaml": town, "must-gather.tar.gz": archive(t, town), "support-bundle.tar.gz": archive(t, town),
		"run.rec.gz": demo, "incident.rec.gz": demo, "rollout.rec.gz": demo, "good.rec.gz": demo, "bad.rec.gz": demo,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", dir)
	t.Setenv("KUBECONFIG", config)
	t.Chdir(dir)
	tried := 0
	for _, page := range []string{
		"README.md", "docs/getting-started.md", "docs/watch-a-rollout.md", "docs/why-is-it-stuck.md", "docs/follow-an-inventory.md",
		"docs/pipelines.md", "docs/beside-other-tools.md", "docs/faq.md", "docs/offline.md", "docs/configuration.md", "docs/troubleshooting.md",
		"docs/environment.md", "docs/saved-cluster.md", "docs/recording.md",
	} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range shellLines(string(text)) {
			args, stdin := asRun(line, string(town))
			if args == nil {
				continue
			}
			tried++
			if err := os.WriteFile("run.rec.gz", demo, 0o644); err != nil { // a line before may have recorded to it
				t.Fatal(err)
			}
			stdout, stderr, code := printed(t, stdin, args...)
			if code == exitError || stdout == "" {
				t.Errorf("%s: %s\nends with %d: %s%s", page, line, code, stdout, stderr)
			}
		}
	}
	var plugins struct {
		Plugins map[string]struct{ Args, Scopes []string }
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "k9s-plugins.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &plugins); err != nil {
		t.Fatal(err)
	}
	for name, plugin := range plugins.Plugins {
		words := strings.NewReplacer("$CONTEXT", "test", "$NAMESPACE", "shop", "$RESOURCE_NAME.$RESOURCE_GROUP/$NAME", "deployments.apps/web", "$RESOURCE_NAME/$NAME", "deployments/web", "$NAME", "shop").
			Replace(strings.Join(plugin.Args, " "))
		stdout, stderr, code := printed(t, "", append([]string{"status"}, strings.Fields(words)...)...)
		if code != 0 || !strings.Contains(stdout, "Deployment/web") || len(plugin.Scopes) == 0 {
			t.Errorf("k9s, %s: %s ends with %d: %s%s", name, words, code, stdout, stderr)
		}
	}
	if len(plugins.Plugins) < 3 {
		t.Errorf("%d plugins for k9s", len(plugins.Plugins))
	}
	if tried < 20 {
		t.Errorf("only %d lines were tried", tried)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range regexp.MustCompile("(?m)(?:^|`)make ([a-z0-9-]+)").FindAllStringSubmatch(string(readme), -1) {
		if !regexp.MustCompile(`(?m)^` + target[1] + `:`).Match(makefile) {
			t.Errorf("README.md: there is no target %s", target[1])
		}
	}
}

// archive is a .tar.gz with one file.
func archive(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: "saved/shop.yaml", Mode: 0o600, Size: int64(len(text))})
	if err == nil {
		_, err = w.Write(text)
	}
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shellLines are the lines of a page's blocks for a shell.
func shellLines(page string) (lines []string) {
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// asRun turns a documented line into one that the test can run: without
// comments and a file for the output, kubectl's output as input, the dashboard as
// status, and with a timeout. It is nil for other programs, for the screen of a recording, and for
// inventories that the test's cluster lacks: docs/sources.md's have tests of
// their own.
func asRun(line, applied string) (args []string, stdin string) {
	line, _, _ = strings.Cut(line, " # ")
	line, _, _ = strings.Cut(line, " > ")
	line = strings.TrimSpace(line)
	if rest := regexp.MustCompile(`^kubectl (apply|get) .*-o yaml \| `).FindString(line); rest != "" {
		line, stdin = strings.TrimPrefix(line, rest), applied
	}
	line = regexp.MustCompile(`^[A-Z_]+=\S+ `).ReplaceAllString(line, "")
	words := strings.Fields(strings.NewReplacer("'", "").Replace(line))
	if len(words) == 0 || words[0] != "kstatus-tui" {
		return nil, ""
	}
	args = words[1:]
	if regexp.MustCompile(`\b(flux|argo|kapp|helm)/|^kstatus-tui (demo|replay|inventories)\b|--owner`).MatchString(line) {
		return nil, ""
	}
	switch args[0] {
	case "why", "wait", "status", "compute", "augment", "config", "rbac", "diff", "completion", "members", "version", "__complete":
	default:
		args = append([]string{"status"}, args...)
	}
	if args[0] == "wait" {
		args = append(args, "--timeout", "2s")
	}
	return args, stdin
}

func TestTheClusterRoleOfTheQuestionsIsOne(t *testing.T) {
	text, err := os.ReadFile("../../docs/faq.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of YAML, want 1", len(blocks))
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(blocks[0][1], &role); err != nil {
		t.Fatal(err)
	}
	for _, rule := range role.Rules {
		if strings.Join(rule.Verbs, " ") != "get list watch" {
			t.Errorf("%v may more, or less, than read", rule.Resources)
		}
	}
	if role.Kind != "ClusterRole" || len(role.Rules) < 8 {
		t.Errorf("%s with %d rules", role.Kind, len(role.Rules))
	}
}

// action.yml hands every input of a step to the script that reads it.
func TestTheActionHandsOverWhatItsScriptsRead(t *testing.T) {
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Description string }
		Runs   struct {
			Using string
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for _, step := range action.Runs.Steps {
		if step.Run == "" {
			continue
		}
		scripts++
		name := filepath.Base(strings.Trim(step.Run, `"`))
		script, err := os.ReadFile(filepath.Join("../../action", name))
		if err != nil {
			t.Fatal(err)
		}
		for variable := range step.Env {
			if !regexp.MustCompile(`\$\{?` + variable + `\b`).Match(script) {
				t.Errorf("%s does not read %s", name, variable)
			}
		}
		if out, err := exec.Command("bash", "-n", filepath.Join("../../action", name)).CombinedOutput(); err != nil {
			t.Errorf("%s: %s", name, out)
		}
	}
	for input, of := range action.Inputs {
		if of.Description == "" || !bytes.Contains(data, []byte("inputs."+input)) {
			t.Errorf("the input %s is not described, or not used", input)
		}
	}
	var gitlab map[string]struct {
		Variables map[string]string
		Script    []string
	}
	if data, err = os.ReadFile("../../action/gitlab-ci.yml"); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &gitlab); err != nil {
		t.Fatal(err)
	}
	job := gitlab[".kstatus-tui"]
	wait, err := os.ReadFile("../../action/wait.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"SOURCE", "TIMEOUT", "FAIL_FAST", "ARGS", "FORMAT"} {
		if _, set := job.Variables[name]; !set || !bytes.Contains(wait, []byte(name)) {
			t.Errorf("GitLab's job does not set %s, or wait.sh does not read it", name)
		}
	}
	if script := strings.Join(job.Script, "\n"); !strings.Contains(script, "bash install.sh") || !strings.Contains(script, "bash wait.sh") || strings.Contains(script, "|") {
		t.Errorf("GitLab's job runs %s", script)
	}
	if action.Runs.Using != "composite" || scripts != 2 {
		t.Errorf("%s with %d scripts", action.Runs.Using, scripts)
	}
}

// docs/configuration.md lists every key of the file with its default, and every colour of
// a theme. A key without a default is a comment there.
func TestThePageOfTheConfigurationHasTheDefaults(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, all, _ := strings.Cut(string(page), "\n## All keys\n")
	_, block, _ := strings.Cut(all, "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	c := &configuration{file: "config.yaml", screen: true}
	if err := c.read([]byte(block)); err != nil || len(c.keys)+len(c.themes)+len(c.commands) > 0 {
		t.Errorf("the block changes more than settings, or is refused: %v", err)
	}
	settings().VisitAll(func(f *pflag.Flag) {
		set, listed := c.values[f.Name]
		switch {
		case listed && set.value == f.DefValue:
		case listed: // 60s is 1m0s
			if err := f.Value.Set(set.value); err != nil || f.Value.String() != f.DefValue {
				t.Errorf("%s is %q on the page, and %q without a file (%v)", f.Name, set.value, f.DefValue, err)
			}
		case f.DefValue != "" || !strings.Contains(block, "\n# "+f.Name+": "):
			t.Errorf("the page does not list %s", f.Name)
		}
	})
	_, themes, _ := strings.Cut(all, "\n| colour | of what |\n")
	table, _, _ := strings.Cut(themes, "\n\n")
	var colours []string
	for _, m := range regexp.MustCompile("`([a-zA-Z]+)`").FindAllStringSubmatch(table, -1) {
		colours = append(colours, m[1])
	}
	roles := slices.Sorted(slices.Values(views.Roles()))
	if slices.Sort(colours); !slices.Equal(colours, roles) {
		t.Errorf("the page lists the colours %v, and themes have %v", colours, roles)
	}
}

// The pages name the classes, labels and streams that the program has.
func TestThePagesNameWhatTheProgramPrints(t *testing.T) {
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	stuck, glossary, causes := page("why-is-it-stuck.md"), page("glossary.md"), page("causes.md")
	for _, class := range []codes.Class{codes.Waits, codes.Retries, codes.Action, codes.Terminal} {
		if !strings.Contains(causes, "\n| `"+string(class)+"` | ") {
			t.Errorf("docs/causes.md does not explain the class %s", class)
		}
		for name, text := range map[string]string{"why-is-it-stuck.md": stuck, "glossary.md": glossary} {
			if !strings.Contains(text, "`"+string(class)+"`") || !strings.Contains(text, "(causes.md#the-classes)") {
				t.Errorf("docs/%s does not name the class %s, or does not link to what it means", name, class)
			}
		}
	}
	stdout, _, code := printed(t, "", "why", "--replay", "demo.rec.gz", "--at", "60s")
	if code != exitFailed {
		t.Fatalf("exit %d", code)
	}
	example := regexp.MustCompile("(?s)\n```\n(».*?)```").FindStringSubmatch(stuck)
	if example == nil {
		t.Fatal("docs/why-is-it-stuck.md has no example")
	}
	label := regexp.MustCompile(`(?m)^    ([a-z]+) `)
	printedLabels := map[string]bool{}
	for _, m := range label.FindAllStringSubmatch(stdout, -1) {
		printedLabels[m[1]] = true
	}
	for _, m := range label.FindAllStringSubmatch(example[1], -1) {
		if !printedLabels[m[1]] {
			t.Errorf("docs/why-is-it-stuck.md shows %q, which the program does not print", m[1])
		}
	}
	// What the README shows of an answer is part of one, but for its age.
	readme := page("../README.md")
	_, shown, _ := strings.Cut(readme, "$ kstatus-tui why deploy/checkout\n")
	shown, _, _ = strings.Cut(shown, "```")
	age := regexp.MustCompile(`\([0-9a-z]+ ago\)`)
	for line := range strings.Lines(shown) {
		if !strings.Contains(age.ReplaceAllString(stdout, ""), age.ReplaceAllString(line, "")) {
			t.Errorf("README.md shows %q, which the program does not print:\n%s", line, stdout)
		}
	}
	if strings.Count(shown, "\n") < 5 {
		t.Error("README.md has no example of why")
	}
	if !strings.Contains(stuck, "`unseen`") { // an unreadable thing has this label in report.facts
		t.Error("docs/why-is-it-stuck.md does not name the label unseen")
	}
	// Results go to standard output, progress to standard error.
	stdout, stderr, _ := printed(t, "", "wait", "--replay", "demo.rec.gz", "--at", "30s", "--fail-fast", "never")
	output := strings.Join(strings.Fields(page("output.md")), " ")
	if !strings.Contains(output, "Results go to standard output, progress, warnings and errors to standard error") ||
		strings.Contains(stdout, "InProgress") || !strings.Contains(stderr, "InProgress") || !strings.Contains(stdout, "9 of 9 Current") {
		t.Errorf("docs/output.md has other streams than the program:\n%s", stdout)
	}
}
