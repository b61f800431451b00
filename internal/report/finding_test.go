package report

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A report of one look has no page of changes in one second: what an object was at
// first sight is no change, nor what became known of it right after.
func TestAReportOfOneLookHasNoChanges(t *testing.T) {
	f := newFilm("a", "b")
	happened := func() string {
		_, text, _ := strings.Cut(string(Finding(f.m.Facts, "test")), "### What happened\n\n")
		text, _, _ = strings.Cut(text, "\n### Seen with")
		return strings.TrimSpace(text)
	}
	f.becomes(100*time.Millisecond, "a", status.InProgress)
	f.becomes(200*time.Millisecond, "a", status.Failed)
	f.becomes(300*time.Millisecond, "b", status.Current)
	if got, want := happened(), "Nothing has changed since the first look."; got != want {
		t.Errorf("at first:\n%s\nwant %s", got, want)
	}
	f.becomes(5*time.Second, "b", status.InProgress)
	f.becomes(5*time.Second+100*time.Millisecond, "b", status.Failed)
	want := "| time | resource | status | reason |\n|---|---|---|---|\n| 14:00:05 | ConfigMap/b | Current → Failed | it is so |"
	if got := happened(); got != want {
		t.Errorf("it happened:\n%s\nwant\n%s", got, want)
	}
}
