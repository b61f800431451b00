package fold

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestCausesOfFailedObjectsComeBeforeThoseInProgress(t *testing.T) {
	web := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	var list []ranked
	for _, x := range []struct {
		Cause
		fails bool
	}{
		{Cause{Code: "OrderedWait", Class: codes.Waits, Blocks: []object.ID{web}}, true},
		{Cause{Code: "ProvisionerSilent", Class: codes.Action, Certainty: inspect.Proven, Blocks: []object.ID{web, web}, Count: 9}, false},
		{Cause{Code: "Regressed", Class: codes.Action, Certainty: inspect.Proven}, true},
		// What cannot recover comes before what needs action, however much that blocks.
		{Cause{Code: "ProbeKills", Class: codes.Action, Certainty: inspect.Proven, Blocks: []object.ID{web, web}, Count: 2}, true},
		{Cause{Code: "JobFailed", Class: codes.Terminal, Certainty: inspect.Proven, Blocks: []object.ID{web}, Count: 1}, true},
		{Cause{Code: "RegistryUnreachable", Class: codes.Retries, Certainty: inspect.Likely, Blocks: []object.ID{web}}, true},
	} {
		list = append(list, ranked{Cause: &x.Cause, importance: importance(&x.Cause, x.fails)})
	}
	slices.SortFunc(list, compareCauses)
	var got []string
	for _, c := range list {
		got = append(got, c.Code)
	}
	if want := []string{"JobFailed", "ProbeKills", "RegistryUnreachable", "ProvisionerSilent", "OrderedWait", "Regressed"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestATitleHasRoomForTheWordsOfWhatWaits(t *testing.T) {
	cluster := &inspect.Finding{Code: codes.ConditionFalse, Object: object.ID{Group: "postgresql.cnpg.io", Kind: "Cluster", Namespace: "a", Name: "pg"}}
	for _, length := range []int{40, 150, 200, 239} {
		title := "readiness probe: " + strings.Repeat("x", length-len("readiness probe: "))
		cause := &Cause{Code: codes.ReadinessProbeFailing.Name, Title: title}
		cluster.Say("Not enough disk space: no space left on %s", strings.Repeat("volume data ", 20))
		wordless(cause, []*foldedFinding{{Finding: cluster}})
		if len(cause.Title) > inspect.TitleMost || !strings.HasPrefix(cause.Title, title) {
			t.Errorf("%d bytes: %q", len(cause.Title), cause.Title)
		}
		if said := len(cause.Title) > length; said != (length < 200) {
			t.Errorf("%q: the words are in it: %v", cause.Title, said)
		}
	}
}

func TestAProbeOfAContainersOwnPortIsNoConnectionToSomethingElse(t *testing.T) {
	for title, want := range map[string]bool{
		"c: readiness probe failing: GET :8081/: connection refused":                                                 false,
		"c: readiness probe failing: tcp :5433: connection refused":                                                  false,
		"c: readiness probe failing: https :8000/readyz: 503":                                                        false,
		"c: readiness probe failing: exec: ERROR 2013 (HY000): Lost connection to MySQL server":                      true,
		"dns: readiness probe failing: GET :8181/ready: 503; its log: Get https://10.0.0.1/version: i/o timeout":     true,
		"web exits 1 after 1s: dial tcp 10.0.0.7:5432: connect: connection refused (16 restarts)":                    true,
		"web exits 1 after 1s: unknown flag --no-such (16 restarts)":                                                 false,
		"app is restarted: liveness probe failing: GET :8080/live: connection refused (2 restarts)":                  false,
		"web exits 1 after 1s: Get \"http://api:8080/\": dial tcp: lookup api: no such host (1 restart); 3 restarts": true,
	} {
		c := &Cause{Code: codes.ReadinessProbeFailing.Name, Title: title}
		c.Subject.Container = "c"
		if got := awaitsAnother(c); got != want {
			t.Errorf("%s: %v", title, got)
		}
	}
}
