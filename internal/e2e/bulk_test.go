package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// From 500 objects on a first sync has a connection of its own, and its stream goes
// on by the usual one.
func TestALargeFirstSyncIsListedOnceAndGoesOn(t *testing.T) {
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
	of := func(requests []cluster.Request) (whole, on, lists int) {
		for _, r := range requests {
			switch {
			case r.Namespace != ns || r.Resource != "configmaps":
			case r.Verb == "list":
				if r.Query().Get("limit") != "1" { // that one asks how many there are
					lists++
				}
			case r.Query().Get("sendInitialEvents") != "":
				whole++
			case r.Query().Get("resourceVersion") != "":
				on++
			}
		}
		return whole, on, lists
	}
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		if _, on, _ := of(requests); on == 0 {
			return "the stream does not go on from its first sync"
		}
		return ""
	})
	apply(t, ns, last)
	w.ends(0)
	requests, err := shared.Requests(mark, cluster.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	if whole, _, lists := of(requests); whole != 1 || lists != 0 {
		t.Errorf("everything was asked for %d times by a stream and %d times by a list: %v", whole, lists, requests)
	}
}

// The Pods of hundreds of Deployments come by two streams at first, one of which
// selects what the other does not; one goes on.
func TestPodsOfACrowdComeInTwoHalvesAndGoOn(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "halves")
	var all []string
	for i := range 500 {
		name := fmt.Sprintf("one-of-a-crowd-%03d", i)
		all = append(all, strings.NewReplacer("worker", name, "replicas: 2", fmt.Sprint("replicas: ", i%100/99)).Replace(fmt.Sprintf(worker, "")))
	}
	manifest := strings.Join(all, "---\n")
	apply(t, ns, strings.Join(all[:499], "---\n"))
	var halves, on, others []cluster.Request
	var waits []waiting
	// Where the Deployments take more than a second nobody waits for them: a busy
	// machine is asked again.
	for range 3 {
		mark := shared.Mark()
		waits = append(waits, startWaitOn(t, manifest, "-n", ns, "-f", "-", "--children=all", "--timeout=3m").says("one-of-a-crowd-499"))
		asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
			halves, on, others = nil, nil, nil
			for _, r := range requests {
				switch {
				case r.Namespace != ns || r.Resource != "pods":
				case r.Verb == "watch" && r.Query().Get("sendInitialEvents") != "" && r.Query().Get("labelSelector") != "":
					halves = append(halves, r)
				case r.Verb == "watch" && r.Query().Get("resourceVersion") != "":
					on = append(on, r)
				default:
					others = append(others, r)
				}
			}
			if len(on) == 0 {
				return "the stream does not go on from its first sync"
			}
			return ""
		})
		if len(halves) > 0 {
			break
		}
	}
	if len(halves) != 2 || len(others) != 0 {
		t.Fatalf("Pods were asked for by %d halves, and by %v", len(halves), others)
	}
	a, b := halves[0].Query().Get("labelSelector"), halves[1].Query().Get("labelSelector")
	if strings.Contains(a, "notin") {
		a, b = b, a
	}
	if !strings.HasPrefix(a, "app in (one-of-a-crowd-") || b != strings.Replace(a, " in ", " notin ", 1) {
		t.Errorf("the halves are not each other's contrary: %.200s\n%.200s", a, b)
	}
	if on[0].Query().Get("labelSelector") != "" {
		t.Errorf("a half goes on: %s", on[0])
	}
	apply(t, ns, all[499])
	for _, w := range waits {
		w.ends(0)
	}
}
