package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// labelled is one case of the labelled corpora.
type labelled struct {
	ID               string             `json:"id"`
	Object           json.RawMessage    `json:"object"`
	Want             []Status           `json:"want"`
	Native           string             `json:"native"`
	WantMessage      *string            `json:"wantMessage"`
	WantConditions   []object.Condition `json:"wantConditions"`
	AbsentConditions []string           `json:"absentConditions"`
}

// corpus reads a file of labelled objects that lies beside the repository. now
// takes the place of their placeholder for the current time.
func corpus(t testing.TB, name string, now time.Time) []labelled {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, "..", "shared", "corpora", name))
	if err != nil {
		t.Skipf("the labelled corpora are not here: %v", err)
	}
	data = bytes.ReplaceAll(data, []byte("__NOW__"), []byte(now.Format(time.RFC3339)))
	var list []labelled
	for line := range bytes.Lines(data) {
		var c labelled
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// fileCase is a line of a file of cases: "KIND[@SEEN] FIELDS => WANT", where
// an earlier line "kind KIND FIELDS" holds what the objects of a kind share.
type fileCase struct {
	at               string // file:line
	name, object, in string // KIND[@SEEN], the whole object, the line's left side
	want             string
}

// caseFile reads testdata's files of cases, and demands at least so many, so
// that a file that is lost is a failure.
func caseFile(t *testing.T, file string, atLeast int) iter.Seq[fileCase] {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(fileCase) bool) {
		kinds, ran := map[string]string{}, 0
		for i, line := range strings.Split(string(data), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if shared, ok := strings.CutPrefix(line, "kind "); ok {
				name, base, _ := strings.Cut(shared, " ")
				kinds[name] = base
				continue
			}
			c := fileCase{at: fmt.Sprintf("%s:%d", file, i+1)}
			var ok bool
			c.in, c.want, ok = strings.Cut(line, " => ")
			name, rest, _ := strings.Cut(c.in, " ")
			c.name = name
			name, _, _ = strings.Cut(name, "@")
			base, known := kinds[name]
			if !ok || !known {
				t.Fatalf("%s: not a case: %s", c.at, line)
			}
			c.object = "{" + strings.TrimSuffix(base+","+strings.TrimSpace(rest), ",") + "}"
			ran++
			if !yield(c) {
				return
			}
		}
		if ran < atLeast {
			t.Errorf("%s: only %d cases ran", file, ran)
		}
	}
}
