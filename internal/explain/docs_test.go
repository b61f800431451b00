package explain

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files and docs/causes.md")

// titlesFile holds what the causes of the cases are called.
const titlesFile = "testdata/titles.txt"

// docs/causes.md is the published list of causes: what scripts may compare
// `code` with.
func TestThePublishedListOfCausesIsUpToDate(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Causes\n\n")
	b.WriteString("The codes that `why` and the `causes` of the JSON output may carry, made from the table in `internal/explain`.\n")
	b.WriteString("`class` is the usual one; the moment may make it another: what needs a person may heal by itself once the missing object exists.\n\n")
	b.WriteString("| class | what it means |\n|---|---|\n")
	b.WriteString("| `terminal` | it is over, and did not succeed |\n| `action` | a person has to do something |\n| `retries` | it may heal by itself |\n| `waits` | waiting: normal for the moment, or as it was asked for |\n\n")
	b.WriteString("\"Needs\" names what is read beside the object and its children. What is not permitted (RBAC) lowers the certainty and is named in the cause.\n\n")
	b.WriteString("| code | class | meaning | for example | needs |\n|---|---|---|---|---|\n")
	examples := map[string]string{}
	titles, err := os.ReadFile(titlesFile)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(titles)) {
		code, title, _ := strings.Cut(strings.TrimSpace(l), "\t")
		if examples[code] == "" {
			examples[code] = strings.ReplaceAll(title, "|", "\\|")
		}
	}
	for _, e := range Catalogue() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", e.Code, e.Class, e.Says, examples[e.Code], e.Needs)
	}
	path := filepath.Join("..", "..", "docs", "causes.md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != b.String() {
		t.Error("docs/causes.md is not what the table says; run: go test ./internal/explain -update")
	}
}

func TestEveryCodeIsInTheCatalogueOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		if seen[e.Code] {
			t.Errorf("%s is there twice", e.Code)
		}
		seen[e.Code] = true
		if e.Says == "" || !strings.HasSuffix(e.Says, ".") || e.Class == "" {
			t.Errorf("%s says too little", e.Code)
		}
	}
	// Every code that a detector names, and no other, is in the list.
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || f == "catalogue.go" {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.WriteString(string(data))
	}
	for code := range seen {
		if !strings.Contains(source.String(), `"`+code+`"`) && code != codeProgressing && code != codeNotReady {
			t.Errorf("no detector finds %s", code)
		}
	}
}
