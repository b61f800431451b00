package status

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

// TestRecordedStreamsEndRightAndAreNeverWronglyGreen replays recorded watch
// events of Pods and Jobs, each frame with the assessment before it.
func TestRecordedStreamsEndRightAndAreNeverWronglyGreen(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpora", "pulumi-workflows.jsonl"))
	if err != nil {
		t.Skipf("the recorded streams are not here: %v", err)
	}
	for line := range bytes.Lines(data) {
		var s struct {
			ID        string
			Frames    []json.RawMessage
			WantReady bool
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		var last Assessment
		var prior *Assessment
		for i, frame := range s.Frames {
			o, err := convert.JSON(frame, convert.Options{})
			if err != nil {
				t.Fatalf("%s: frame %d: %v", s.ID, i, err)
			}
			last = Assess(o, World{Offline: true, Prior: prior}, judgedAt)
			a := last
			prior = &a
			done := o.Pod != nil && o.Pod.Phase == "Succeeded"
			for _, c := range o.Conditions {
				done = done || (c.Type == "Ready" || c.Type == "Complete") && c.Status == "True"
			}
			if last.Status == Current && !done {
				t.Errorf("%s: frame %d is Current by %s: %s", s.ID, i, last.Rule, last.Message)
			}
		}
		if (last.Status == Current) != s.WantReady {
			t.Errorf("%s ends %s by %s, ready is %v: %s", s.ID, last.Status, last.Rule, s.WantReady, last.Message)
		}
	}
}
