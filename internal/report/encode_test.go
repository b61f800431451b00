package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// What is written so that no CI system obeys it means the same to every parser.
func TestEncodedCommandsKeepTheirMeaning(t *testing.T) {
	want := map[string]any{"message": strings.Repeat("word ", 30) + "::error::a ##vso[task.complete]b ##[group] \\##[x] # ## ###[y]", "n": 1}
	var asJSON, asYAML bytes.Buffer
	if err := WriteJSON(&asJSON, want); err != nil {
		t.Fatal(err)
	}
	if err := WriteYAML(&asYAML, want); err != nil {
		t.Fatal(err)
	}
	var fromJSON, fromYAML map[string]any
	if err := json.Unmarshal(asJSON.Bytes(), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(asYAML.Bytes(), &fromYAML); err != nil {
		t.Fatal(err)
	}
	for _, got := range []any{fromJSON["message"], fromYAML["message"]} {
		if diff := cmp.Diff(want["message"], got); diff != "" {
			t.Error(diff)
		}
	}
	for _, text := range []string{asJSON.String(), asYAML.String()} {
		if strings.Contains(text, "##[") || strings.Contains(text, "##vso[") || strings.Count(text, "\n") > 4 {
			t.Errorf("a command, or a folded line:\n%s", text)
		}
	}
}

// The document is written in parts, and reads as if it had been written at once: with
// resources and causes, with texts that must be escaped, and with nothing at all.
func TestDocumentInPartsIsTheDocument(t *testing.T) {
	nothing, _ := model.New(model.Options{})
	for name, m := range map[string]*model.Model{"shop": shop(t), "hostile": hostileFacts(t), "nothing": nothing} {
		var want, got bytes.Buffer
		if err := WriteJSON(&want, New(m.Facts)); err != nil {
			t.Fatal(err)
		}
		if err := WriteDocument(&got, m.Facts); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Errorf("%s (-at once +in parts):\n%s", name, diff)
		}
	}
}

// A reader that has gone, as head's, ends the document with its error.
func TestDocumentInPartsReportsTheWritersError(t *testing.T) {
	gone := errors.New("broken pipe")
	if err := WriteDocument(failing{gone}, shop(t).Facts); !errors.Is(err, gone) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
