package explain

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/docstest"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
)

var update = flag.Bool("update", false, "rewrite golden files and docs/causes.md")

// titlesFile holds what the causes of the cases are called.
const titlesFile = "testdata/titles.txt"

// docs/causes.md is the published list of causes: what scripts may compare
// `code` with.
func TestThePublishedListOfCausesIsUpToDate(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Causes\n\n")
	b.WriteString("The codes that `why` and the `causes` of the JSON output may carry, each with its usual class.\n\n")
	b.WriteString("## The classes\n\nThe class of a cause says who has to act.\n\n")
	b.WriteString("| class | what it means | on the screen |\n|---|---|---|\n" +
		"| `terminal` | it has failed, and cannot recover by itself | will not heal by itself |\n" +
		"| `action` | somebody has to act | action needed |\n" +
		"| `retries` | it is tried again, and may succeed: nobody has to act yet | retrying |\n" +
		"| `waits` | it is intended (a paused rollout), or it passes by itself (an image is being pulled) | waiting |\n\n")
	b.WriteString("A single cause may have another class than its code has below: `retries` instead of `action` if it heals by itself once the missing object exists, `action` instead of `retries` once a deadline that it blocks has passed. Most causes of the class `waits` or `retries` become `action` when they last too long: after 5 minutes to an hour, depending on the cause. What is intended does not, nor does what ends with a limit or an outage (a registry that limits pulls).\n\n")
	b.WriteString("## The codes\n\n")
	b.WriteString("\"Needs\" names what is read beside the object and its children. What is not permitted (RBAC) lowers the certainty and is named in the cause.\n\n")
	examples := map[string]string{}
	titles, err := os.ReadFile(titlesFile)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(titles)) {
		code, title, _ := strings.Cut(strings.TrimSpace(l), "\t")
		if examples[code] == "" {
			examples[code] = title
		}
	}
	for _, e := range codes.All() {
		fmt.Fprintf(&b, "- **`%s`** (`%s`): %s", e, e.Class, e.Meaning)
		if example := examples[e.Name]; example != "" {
			fmt.Fprintf(&b, " Example: `%s`.", strings.ReplaceAll(example, "`", "'"))
		}
		if e.Reads != "" {
			fmt.Fprintf(&b, " Needs: %s.", e.Reads)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n<!-- made by go test ./internal/explain -run ThePublishedList -update -->\n")
	page := docstest.Wrap(b.String())
	path := filepath.Join("..", "..", "docs", "causes.md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page {
		t.Error("docs/causes.md is not what the table says; run: go test ./internal/explain -update")
	}
}

// The name of a code is the name of its variable, and its descriptor is
// complete. (The compiler sees to it that a detector finds no other code.)
func TestEveryCodeIsDescribed(t *testing.T) {
	files, err := filepath.Glob("codes/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	var descriptors strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		descriptors.Write(data)
	}
	seen := map[string]bool{}
	for _, c := range codes.All() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c)
		}
		seen[c.Name] = true
		if !strings.HasSuffix(c.Meaning, ".") || c.Class == "" {
			t.Errorf("the descriptor of %s is not complete", c)
		}
		if !strings.Contains(descriptors.String(), "\t"+c.Name+" = register(") {
			t.Errorf("the variable of %s has another name", c)
		}
	}
}

// Every code is found by a detector. Those of a missing object are found by the kind in
// their descriptor.
func TestEveryCodeIsUsed(t *testing.T) {
	var source strings.Builder
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "codes") {
			return err
		}
		data, err := os.ReadFile(path)
		source.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`codes\.\w+`).FindAllString(source.String(), -1)
	for _, c := range codes.All() {
		if c.Lacks == nil && !slices.Contains(used, "codes."+c.Name) {
			t.Errorf("no detector finds %s", c)
		}
	}
}
