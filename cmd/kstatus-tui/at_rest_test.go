package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/explaintest"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// What an explanation needs and what it rests on do not take turns: on a cluster where
// nothing changes, nothing is asked for any more once a first look has ended. The clusters
// are every fifth case of internal/explain.
func TestNoRequestsFollowTheFirstLookAtAnUnchangedCluster(t *testing.T) {
	cases, err := explaintest.Cases(filepath.Join("..", "..", "internal", "explain", "testdata", "cases"))
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for i, c := range cases {
		if i%5 > 0 {
			continue
		}
		if requests, err := requestsAtRest(t, c); err != nil {
			t.Logf("%s, %s: %v", c.File, c.Name, err)
		} else if followed++; len(requests) > 0 {
			t.Errorf("%s, %s: %d requests at rest:\n%s", c.File, c.Name, len(requests), strings.Join(requests[:min(len(requests), 30)], "\n"))
		}
	}
	t.Logf("%d cases of %d", followed, len(cases))
}

// requestsAtRest serves a case and follows its roots, or all of its namespace. It returns
// the requests of the twenty seconds after the first look. It is an error if that does
// not end, or if an API server would not take one of the objects.
func requestsAtRest(t *testing.T, c explaintest.Case) (requests []string, err error) {
	saved := dumptest.Cluster{At: explaintest.Now}
	for _, o := range c.Objects {
		delete(o, "judged") // the case's own
		saved.Objects = append(saved.Objects, o)
	}
	listKinds(&saved)
	followed := map[string]bool{"events": true}
	for _, k := range saved.Listed {
		followed[k.Plural] = true
	}
	targets, err := inventory.Parse(t.Context(), inventory.Request{Namespace: "a", All: true})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var server *testcluster.Cluster
		if server, err = serve(saved); err != nil {
			server.Close()
			return
		}
		defer server.Close()
		o := watch.Options{Targets: targets, Namespace: "a"}
		began, rested, before := time.Now(), time.Time{}, 0
		followUntil(t, server, o, modelOptions(o), func(m *model.Model) (bool, time.Time) {
			if rested.IsZero() && m.Intake.Quiesced() {
				synctest.Wait() // watches that follow the last lists may not be open yet
				rested, before = time.Now(), len(server.Requests())
			}
			end := rested.Add(20 * time.Second)
			if rested.IsZero() {
				end = began.Add(time.Minute)
			}
			return !time.Now().Before(end), end
		})
		if rested.IsZero() {
			err = errors.New("the first look does not end")
			return
		}
		for _, r := range server.Requests()[before:] {
			if followed[r.Resource] { // discovery repeats its requests now and then
				requests = append(requests, fmt.Sprintf("%s %s?%s", r.Verb, r.Path, r.Query))
			}
		}
	})
	slices.Sort(requests)
	return requests, err
}
