package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
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
