package status

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// No API server stores it, but a file may say that a limit is a map. To compare
// two of them ended compute with a panic.
func TestAQuotaWhoseLimitIsAMapIsJudged(t *testing.T) {
	limit := func(of string) map[string]any {
		return map[string]any{"hard": map[string]any{"cpu": map[string]any{of: int64(1)}}}
	}
	for of, want := range map[string]Status{"a": Current, "b": InProgress} {
		o := &object.Object{
			ID: object.ID{Kind: "ResourceQuota", Namespace: "shop", Name: "q"}, Version: "v1",
			Tree: map[string]any{"spec": limit("a"), "status": limit(of)},
		}
		if got := Assess(o, World{}, time.Now()).Status; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
