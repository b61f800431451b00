package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// resolves checks every claim of a cause against the objects: a field has the
// value, an event or log contains it, an absent object does not exist.
func (w *world) resolves(t *testing.T, c Cause) {
	t.Helper()
	for _, e := range c.Evidence {
		if why := w.refute(e); why != "" {
			t.Errorf("%s: evidence %s %s %s = %q does not hold: %s", c.Code, e.Type, e.Ref, e.Path, e.Value, why)
		}
	}
}

func (w *world) refute(e Evidence) string {
	switch e.Type {
	case inspect.EventEvidence:
		reason := strings.TrimPrefix(e.Path, "event:")
		for _, x := range w.events[e.Ref] {
			if x.Reason == reason && message.Clip(x.Message, inspect.MostOfValue) == e.Value {
				return ""
			}
		}
		return "there is no such event"
	case inspect.LogEvidence:
		if lines := w.logged[e.Ref.Name+"/"+strings.TrimPrefix(e.Path, "log:")]; lines != nil {
			var text strings.Builder
			for _, l := range lines {
				text.WriteString(strings.ReplaceAll(l.Text, `\"`, `"`) + "\n")
			}
			if hasParts(text.String(), e.Value) {
				return ""
			}
			return "no line of the log has that"
		}
		if line := w.logs[e.Ref.Name+"/"+strings.TrimPrefix(e.Path, "log:")]; line == "" ||
			!strings.Contains(message.Line(line), strings.TrimSuffix(e.Value, "…")) {
			return "the log says " + line
		}
	case inspect.ObservedEvidence:
		_, gone := w.gone[e.Ref]
		if e.Path == "assessment" && e.Value != "" {
			return "" // how it is judged, where no field of a typed view is named
		}
		if !gone && w.lost[e.Ref] == 0 && w.written[e.Ref] == 0 && w.trouble[e.Ref.Kind] == "" && w.hidden[e.Ref.Kind] == "" {
			return "nothing of the sort was observed"
		}
	case inspect.AbsenceEvidence:
		if e.Path == "" {
			if w.raw[e.Ref] != nil {
				return "it exists"
			}
			return ""
		}
		if w.raw[e.Ref] == nil {
			return "the object does not exist"
		}
		for _, v := range explaintest.At(w.raw[e.Ref], e.Path) {
			list, isList := v.([]any)
			m, isMap := v.(map[string]any)
			if v != nil && v != "" && (!isList || len(list) > 0) && (!isMap || len(m) > 0) {
				return fmt.Sprint("it is ", v)
			}
		}
	case inspect.FieldEvidence:
		return explaintest.Refute(w.raw[e.Ref], e)
	default:
		return "it has no type"
	}
	return ""
}

// hasParts reports whether a log has the parts of a quotation: a message, its error, and the exception below.
func hasParts(log, quoted string) bool {
	for part := range strings.SplitSeq(strings.TrimSuffix(quoted, "…"), ": ") {
		if !strings.Contains(log, part) {
			return false
		}
	}
	return true
}
