package explain

import (
	"slices"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestAPullsDetailNamesTheImageOnce(t *testing.T) {
	const want = `failed to resolve reference "r.example/web:2.O": not found`
	for _, msg := range []string{
		`Back-off pulling image "r.example/web:2.O": ErrImagePull: failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		`rpc error: code = NotFound desc = failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		`Failed to pull image "r.example/web:2.O": rpc error: code = NotFound desc = failed to pull and unpack image "r.example/web:2.O": failed to resolve reference "r.example/web:2.O": r.example/web:2.O: not found`,
		want,
	} {
		if got := pulled(msg); got != want {
			t.Errorf("pulled(%q)\n got %q\nwant %q", msg, got, want)
		}
	}
	for _, msg := range []string{"", `Back-off pulling image "r.example/web:2.O"`, "unauthorized: who are you?"} {
		if got := pulled(msg); got != msg {
			t.Errorf("pulled(%q) = %q, want it as it is", msg, got)
		}
	}
}

func TestCausesOfAFailureComeBeforeThoseOfWhatIsInProgress(t *testing.T) {
	web := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	list := []ranked{
		{Cause: &Cause{Code: "OrderedWait", Class: Waits, Blocks: []object.ID{web}}, fails: true},
		{Cause: &Cause{Code: "ProvisionerSilent", Class: Action, Certainty: Proven, Blocks: []object.ID{web, web}, Count: 9}},
		{Cause: &Cause{Code: "Regressed", Class: Action, Certainty: Proven}, fails: true},
		{Cause: &Cause{Code: "RegistryUnreachable", Class: Retries, Certainty: Likely, Blocks: []object.ID{web}}, fails: true},
	}
	slices.SortFunc(list, compareCauses)
	var got []string
	for _, c := range list {
		got = append(got, c.Code)
	}
	if want := []string{"RegistryUnreachable", "ProvisionerSilent", "OrderedWait", "Regressed"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
