package status

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// TestStalledAndReconcilingCountForEveryKind adds kstatus's standard conditions
// to every object of the cases: built-in kinds, the registry's and unknown
// ones. Stalled is Failed at once; Reconciling is InProgress, unless the kind's
// rule finds a fault.
func TestStalledAndReconcilingCountForEveryKind(t *testing.T) {
	tried := 0
	probe := func(o *object.Object, obj []byte, now time.Time) {
		t.Helper()
		seen := World{FirstSeen: now}
		before := Assess(o, seen, now)
		general, _, _ := strings.Cut(before.Rule, ".")
		behind := o.Observed.Set && o.Observed.V < o.Generation.V
		if general == "deletion" || behind || general == "generation" ||
			general == "malformed" || before.Rule == "convention.staleness" || o.Endpoints != nil {
			return
		}
		row := registry.For(o.Group, o.Kind)
		for _, typ := range []string{Stalled, Reconciling} {
			if o.Condition(typ) != nil || row.Ignores(typ) {
				continue
			}
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
				a := Assess(probed, seen, now)
				ok := a.Status == Failed
				if typ == Reconciling {
					ok = a.Status == InProgress || a.Status == Failed && before.Status == Failed
				}
				if row.Names(typ) { // as Flux's retries: the row may give it a grace
					ok = a.Status != Current
				}
				if !ok {
					t.Errorf("with %s=True (%s) it is %s by %s, without %s by %s: %s",
						typ, reason, a.Status, a.Rule, before.Status, before.Rule, obj)
				}
			}
		}
	}
	for _, file := range append(registryCases(t), "testdata/builtin-cases.txt", "testdata/convention-cases.txt") {
		data, err := os.ReadFile(file)
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
	if tried < 8000 {
		t.Errorf("only %d objects were tried", tried)
	}
}
