package status

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// labelled is one case of the labelled corpora.
type labelled struct {
	ID               string          `json:"id"`
	Object           json.RawMessage `json:"object"`
	Want             []Status        `json:"want"`
	Native           string          `json:"native"`
	WantMessage      *string         `json:"wantMessage"`
	WantConditions   []Condition     `json:"wantConditions"`
	AbsentConditions []string        `json:"absentConditions"`
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
