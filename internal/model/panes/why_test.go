package panes

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// A path loses its first fields, whole ones, and its value is always read.
func TestAProofInALineHasItsValue(t *testing.T) {
	exit := explain.Evidence{Path: "status.containerStatuses[main].lastState.terminated.exitCode", Value: "3"}
	label := explain.Evidence{Path: "metadata.labels[app.kubernetes.io/name]", Value: "shop"}
	for _, c := range []struct {
		e    explain.Evidence
		w    int
		want string
	}{
		{exit, 80, "status.containerStatuses[main].lastState.terminated.exitCode  3"},
		{exit, 38, "…lastState.terminated.exitCode  3"},
		{exit, 34, "…lastState.terminated.exitCode  3"},
		{exit, 32, "…terminated.exitCode  3"},
		{exit, 15, "…exitCode  3"},
		{label, 40, "…labels[app.kubernetes.io/name]  shop"},
	} {
		if got := fact(c.e, c.w); got != c.want || markup.Width(got) > max(c.w, 15) {
			t.Errorf("in %d cells: %q, want %q", c.w, got, c.want)
		}
	}
	long := explain.Evidence{Path: "status.message", Value: strings.Repeat("no ", 30)}
	if got := fact(long, 40); !strings.HasPrefix(got, "status.message  no") {
		t.Errorf("a value that is a sentence is behind its whole path: %q", got)
	}
}

// What a cause's title says already, the object's own message need not say again.
func TestAMessageThatTheTitleHasIsLeftOut(t *testing.T) {
	causes := []explain.Cause{{Title: "no status has been reported yet"}, {Title: "tag 2 does not exist"}}
	for message, want := range map[string]bool{
		"no status has been reported yet": true, "2 of 4 replicas updated": false, "tag 2 does not exist; 2 of 4 replicas updated": false,
	} {
		if repeatedBy(causes, message) != want {
			t.Errorf("%q is repeated: %v", message, !want)
		}
	}
}
