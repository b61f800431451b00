package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/docstest"
)

// widestRow is how wide a row of a table may be. A cell that needs more is a paragraph.
const widestRow = 140

// Prose is wrapped: a page is also read in a terminal, and its diffs are reviewed.
func TestTheProseOfThePagesIsWrapped(t *testing.T) {
	root := filepath.Join("..", "..")
	var pages []string
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} {
		pages = append(pages, filepath.Join(root, name))
	}
	for _, folder := range []string{"docs", "docs/internals"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no pages in %s: %v", folder, err)
		}
		pages = append(pages, files...)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		have := strings.Split(string(text), "\n")
		for i, line := range strings.Split(docstest.Wrap(string(text)), "\n") {
			if line != have[i] {
				t.Errorf("%s:%d is wider than %d columns: %.60s…", page, i+1, docstest.Columns, have[i])
				break
			}
		}
		for i, line := range have {
			if strings.HasPrefix(line, "|") && utf8.RuneCountInString(line) > widestRow {
				t.Errorf("%s:%d: a row of a table is wider than %d columns: %.60s…", page, i+1, widestRow, line)
			}
		}
	}
}
