package views

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestPlainSpeaksOfWhatChangesAndNotOfWhatIsFoldedAway(t *testing.T) {
	s := &scene{synced: true, verdict: model.Verdict{Status: status.InProgress}, counts: world.Counts{status.Current: 1, status.InProgress: 1}}
	row := func(name string, st status.Status, reason string) model.Row {
		id := object.ID{Kind: "Pod", Name: name}
		return model.Row{Key: model.RowKey{ID: id}, Name: "Pod/" + name, Status: st, Reason: reason, Matched: true}
	}
	l := NewChangeLog(nil)
	spoken := func(rows ...model.Row) string {
		s.rows = rows
		return strings.Join(l.Lines(s, time.UTC), "\n")
	}
	spoken(row("a", status.Unknown, world.ReasonWaiting), row("b", status.Unknown, world.ReasonWaiting))
	if got := spoken(row("a", status.Current, ""), row("b", status.InProgress, "Starting")); strings.Contains(got, "Pod/a") || !strings.Contains(got, "Pod/b InProgress, Starting") {
		t.Errorf("at first: %q", got)
	}
	if got := spoken(row("a", status.Failed, "Crash"), row("b", status.Current, "")); !strings.Contains(got, "Pod/a Failed, Crash") || !strings.Contains(got, "Pod/b Current") {
		t.Errorf("then: %q", got)
	}
}

func TestPlainSpeaksOfNoVerdictBeforeTheSetIsKnown(t *testing.T) {
	s := &scene{verdict: model.Verdict{Status: status.Current}, counts: world.Counts{status.Current: 2}}
	l := NewChangeLog(nil)
	if got := strings.Join(l.Lines(s, time.UTC), "\n"); strings.Contains(got, "verdict") {
		t.Errorf("two of who knows how many: %q", got)
	}
	s.synced = true
	if got := strings.Join(l.Lines(s, time.UTC), "\n"); !strings.Contains(got, "verdict: done, 2 of 2 Current") {
		t.Errorf("then: %q", got)
	}
	s.synced, s.verdict.Lost = false, true
	if got := strings.Join(l.Lines(s, time.UTC), "\n"); !strings.Contains(got, "verdict: lost contact") {
		t.Errorf("lost: %q", got)
	}
}
