package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A tag of an action can be moved to other code, a commit cannot
// (docs.github.com, "Security hardening for GitHub Actions").
func TestActionsArePinnedByCommit(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`(?m)uses: *(.*)$`)
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	found := 0
	for _, file := range append(files, "../../action.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllSubmatch(text, -1) {
			found++
			if !pinned.Match(m[1]) {
				t.Errorf("%s: %q is not a commit with its version as a comment", file, m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("found %d actions only: the test looks in the wrong place", found)
	}
}

func TestEveryModuleIsKeptUpToDate(t *testing.T) {
	root := filepath.Join("..", "..")
	var modules []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" {
			dir, err := filepath.Rel(root, filepath.Dir(path))
			modules = append(modules, strings.TrimSuffix("/"+filepath.ToSlash(dir), "."))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^ +- (/\S*)$`).FindAllSubmatch(text, -1) {
		listed = append(listed, string(m[1]))
	}
	slices.Sort(modules)
	slices.Sort(listed)
	if !slices.Equal(modules, listed) {
		t.Errorf(".github/dependabot.yml lists the modules %v, and the repository has %v", listed, modules)
	}
}
