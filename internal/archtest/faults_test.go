package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/internals/faults.md says which test causes which fault, SECURITY.md which one holds
// which promise. A test that is renamed or removed must not be promised there any
// longer.
func TestTheTablesOfTestsNameTestsThatExist(t *testing.T) {
	root := filepath.Join("..", "..")
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, least := range map[string]int{"docs/internals/faults.md": 50, "SECURITY.md": 20} {
		table, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(table, -1)
		for _, m := range named {
			if !there[string(m[1])] {
				t.Errorf("%s names %s, which is no test", name, m[1])
			}
		}
		if len(named) < least {
			t.Errorf("%s names %d tests only", name, len(named))
		}
	}
}
