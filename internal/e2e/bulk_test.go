package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// However large a first sync is, it is one stream, which goes on as the watch.
func TestALargeFirstSyncIsListedOnceAndGoesOn(t *testing.T) {
	since(t, 34, "streamed lists")
	t.Parallel()
	ns := namespace(t, "large")
	var all strings.Builder
	for i := range 500 {
		fmt.Fprintf(&all, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%03d, namespace: %s}\n", i, ns)
	}
	first, last, _ := strings.Cut(all.String(), "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c499")
	last = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c499" + last
	apply(t, ns, first)
	mark := shared.Mark()
	w := startWaitOn(t, all.String(), "-f", "-", "--timeout=3m")
	w.says("c499")
	of := func(requests []cluster.Request) (whole, lists int) {
		for _, r := range requests {
			switch {
			case r.Namespace != ns || r.Resource != "configmaps":
			case r.Verb == "list":
				if r.Query().Get("limit") != "1" { // that one asks how many there are
					lists++
				}
			case r.Query().Get("sendInitialEvents") != "":
				whole++
			}
		}
		return whole, lists
	}
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		if whole, _ := of(requests); whole == 0 {
			return "nothing is asked for"
		}
		return ""
	})
	apply(t, ns, last)
	w.ends(0)
	requests, err := shared.Requests(mark, cluster.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	if whole, lists := of(requests); whole != 1 || lists != 0 {
		t.Errorf("everything was asked for %d times by a stream and %d times by a list: %v", whole, lists, requests)
	}
}
