package rules

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The example of docs/own-rules.md is a file that judges as the page says.
func TestTheExampleOfThePageIsARulesFile(t *testing.T) {
	page, err := os.ReadFile("../../docs/own-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of YAML, want 1", len(blocks))
	}
	set, err := Parse("own-rules.md", blocks[0][1])
	if err != nil {
		t.Fatal(err)
	}
	for phase, want := range map[string]status.Status{"Building": status.InProgress, "Broken": status.Failed, "Ready": status.Current, "Else": status.InProgress} {
		o := &object.Object{ID: object.ID{Group: "example.org", Kind: "Widget", Name: "w"}, Tree: map[string]any{
			"metadata": map[string]any{"name": "w"}, "status": map[string]any{"phase": phase},
		}}
		if a, ok := set.Judge(o, time.Time{}); !ok || a.Status != want {
			t.Errorf("%s: %s, %v, want %s", phase, a.Status, ok, want)
		}
	}
	gadget := &object.Object{ID: object.ID{Group: "example.org", Kind: "Gadget", Name: "g"}}
	if p, ok := set.Polarity(gadget, "Leaking"); !ok || p != status.AbnormalTrue || len(set.Ready(gadget)) != 2 {
		t.Errorf("the conditions of a Gadget: %s, %v, %v", p, ok, set.Ready(gadget))
	}
}
