package sources

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// A kind that was not served just after an outage was taken for the next outage, whose end made
// it a kind just after an outage again: the dashboard stayed "reconnecting", with a request or
// two a second.
func TestAKindThatIsNotServedIsNoOutage(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("dial tcp: connection refused"), true},
		{context.DeadlineExceeded, true},
		{resolve.ErrNotServed, false},
		{fmt.Errorf("Crate.soak.example.com: %w", resolve.ErrNotServed), false},
		{apierrors.NewGenericServerResponse(http.StatusNotFound, "get", schema.GroupResource{}, "", "", 0, false), false},
	} {
		if got := Unreached(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}
