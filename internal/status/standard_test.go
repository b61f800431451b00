package status

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// TestStalledAndReconcilingCountForEveryKind adds kstatus's standard conditions
// to every object of our cases that is Current, of built-in kinds, of the
// registry's and of none.
func TestStalledAndReconcilingCountForEveryKind(t *testing.T) {
	tried := 0
	probe := func(o *object.Object, obj []byte, now time.Time) {
		t.Helper()
		if Assess(o, World{Offline: true}, now).Status != Current || o.Endpoints != nil {
			return
		}
		for typ, want := range map[string]Status{Stalled: Failed, Reconciling: InProgress} {
			for _, reason := range []string{"Odd", "SettingUp"} {
				var m map[string]any
				if err := json.Unmarshal(obj, &m); err != nil {
					t.Fatal(err)
				}
				st, _ := m["status"].(map[string]any)
				if st == nil {
					st = map[string]any{}
					m["status"] = st
				}
				list, _ := st["conditions"].([]any)
				st["conditions"] = append(list, map[string]any{"type": typ, "status": "True", "reason": reason, "message": "as it says"})
				probed, err := convert.Map(m, convert.Options{})
				if err != nil {
					t.Fatal(err)
				}
				tried++
				a := Assess(probed, World{Offline: true}, now)
				if a.Status != want {
					t.Errorf("with %s=True (%s) it is %s by %s: %s", typ, reason, a.Status, a.Rule, obj)
				}
			}
		}
	}
	for _, file := range []string{"builtin-cases.txt", "registry-cases.txt", "convention-cases.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if _, obj, ok := strings.Cut(line, "{"); ok && !strings.HasPrefix(line, "#") {
				probe(decode(t, "{"+obj), []byte("{"+obj), caseTime)
			}
		}
	}
	for c := range caseFile(t, "assess.txt", 100) {
		probe(decode(t, c.object), []byte(c.object), noon)
	}
	if tried < 2000 {
		t.Errorf("only %d objects were tried", tried)
	}
}
