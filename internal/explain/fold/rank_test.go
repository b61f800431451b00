package fold

import (
	"slices"
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
