package rules

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Whatever a file holds, reading it ends in rules or in an error, and rules
// judge whatever an object holds without a panic.
func FuzzRules(f *testing.F) {
	const obj = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a"},"status":{"phase":"Ready","n":3,"list":[1,null,{"a":"b"}]}}`
	for _, rule := range []string{
		"healthCheckExprs:\n- apiVersion: example.org/v1\n  kind: Widget\n  current: status.phase == 'Ready'\n",
		"healthCheckExprs:\n- apiVersion: example.org/v1\n  failed: status.n / 0 == 1\n",
		"healthCheckExprs:\n- apiVersion: example.org/v1\n  failed: status.list.exists(x, x.a == 'b')\n",
		"conditions:\n- polarity: {Leaking: abnormal-true}\n  ready: [Sealed]\n",
		"healthCheckExprs: [{apiVersion: 7}]", "a: &a [*a]", "\x00", "healthCheckExprs: {}",
	} {
		f.Add(rule, obj)
	}
	f.Add("conditions:\n- ready: [A]", `{"apiVersion":"example.org/v1","kind":"Widget","status":{"conditions":[{"type":"A","status":7}]}}`)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, file, obj string) {
		set, err := Parse("health.yaml", []byte(file))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a word")
			}
			return
		}
		o, err := convert.JSON([]byte(obj), convert.Options{Whole: true})
		if err != nil {
			return
		}
		if a := status.Assess(o, status.World{User: set, Offline: true}, now); a.Status == "" || a.Rule == "" {
			t.Errorf("judged as nothing: %+v", a)
		}
	})
}
