package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// An answer with missing permissions says so: neither "nothing found" nor only
// the rows.
func TestAMissingPermissionIsNamedInTheOutput(t *testing.T) {
	forbidden := feed.SourceState{
		Key: "deployments", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespace: "shop", Phase: feed.Forbidden, Error: "no right to list deployments",
	}
	m, _ := model.New(model.Options{Now: begin, Namespace: "shop", Sources: []string{"deploy --all"}})
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{Seq: 1, At: begin, Sources: []feed.SourceState{forbidden}, Synced: true}})
	var out bytes.Buffer
	err := somethingFound(m, &out)
	if err == nil || !strings.Contains(err.Error(), "no right to list deployments") {
		t.Errorf("nothing is shown, and the error is %v", err)
	}

	web := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	o := &object.Object{ID: web, UID: "1", Generation: object.IntOf(1), Workload: &object.Workload{Replicas: object.IntOf(1)}}
	m, _ = m.Update(model.BatchArrived{Batch: feed.Batch{
		Seq: 2, At: begin.Add(time.Second), Roots: []feed.Root{{ID: o.ID, Source: "deploy/web"}}, Objects: []*object.Object{o}, Synced: true,
	}})
	if err := somethingFound(m, &out); err != nil {
		t.Error(err)
	}
	if got := out.String(); !strings.Contains(got, "cannot list deployments.apps in shop") || strings.Count(got, "\n") != 1 {
		t.Errorf("said %q", got)
	}
}

// What is printed while something new is looked into says so, and is no success.
func TestAVerdictBeforeEverythingHasAnsweredIsNoSuccess(t *testing.T) {
	m, _ := model.New(model.Options{Now: begin, Namespace: "shop", Sources: []string{"cm/a"}})
	cm := &object.Object{ID: object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, UID: "a", ResourceVersion: "1", MetadataOnly: true}
	look := func(seq uint64, synced bool, want int, told string) {
		t.Helper()
		b := feed.Batch{Seq: seq, At: begin.Add(time.Duration(seq) * time.Second), Roots: []feed.Root{{ID: cm.ID, Source: "cm/a"}}, Objects: []*object.Object{cm}, Synced: synced}
		m, _ = m.Update(model.BatchArrived{Batch: b})
		var out bytes.Buffer
		if err := somethingFound(m, &out); err != nil || !strings.Contains(out.String(), told) || told == "" && out.Len() > 0 {
			t.Errorf("batch %d: said %q, %v", seq, out.String(), err)
		}
		if got := verdictCode(m.Facts.Verdict(), m.Facts.Whole()); got != want {
			t.Errorf("batch %d: exit %d, want %d", seq, got, want)
		}
	}
	look(1, false, exitPending, "not everything has answered")
	look(2, true, exitOK, "")
	look(3, false, exitPending, "not everything has answered")
	look(4, true, exitOK, "")
}

// A cause that needs an object which the cluster has not returned is missing, and that is said
// until the object has come.
func TestWhatWasNotReadInTimeIsNamed(t *testing.T) {
	m, _ := model.New(model.Options{Now: begin, Namespace: "shop", Sources: []string{"cm/a"}})
	cm := &object.Object{ID: object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}, UID: "a", ResourceVersion: "1", MetadataOnly: true}
	node := feed.SourceState{Key: "reference n1", Resource: "nodes", Kind: "Node", Name: "n1", Phase: feed.Stale, Late: true, Children: true}
	classes := feed.SourceState{Key: "reference sc", Group: "storage.k8s.io", Resource: "storageclasses", Kind: "StorageClass", Phase: feed.Syncing, Late: true, Children: true}
	look := func(seq uint64, want string, states ...feed.SourceState) {
		t.Helper()
		b := feed.Batch{Seq: seq, At: begin.Add(time.Duration(seq) * time.Second), Roots: []feed.Root{{ID: cm.ID, Source: "cm/a"}}, Objects: []*object.Object{cm}, Synced: true, Sources: states}
		m, _ = m.Update(model.BatchArrived{Batch: b})
		var out bytes.Buffer
		if err := somethingFound(m, &out); err != nil || out.String() != want {
			t.Errorf("batch %d: said %q, %v", seq, out.String(), err)
		}
		if link := m.Facts.Connection().Link; link != world.LinkLive {
			t.Errorf("batch %d: the connection is %s", seq, link)
		}
	}
	look(1, "kstatus-tui: the cluster has not returned nodes/n1, storageclasses.storage.k8s.io in time; causes that need it are missing\n", node, classes)
	node.Phase, node.Late, classes.Phase, classes.Late = feed.Live, false, feed.Live, false
	look(2, "", node, classes)
}

func TestMissingPermissionsOfOnePlaceAreOneClause(t *testing.T) {
	got := together([]string{
		"user dev cannot list events in shop (RBAC)", "user dev cannot list nodes at the cluster scope (RBAC)", "user dev cannot list pods in shop (RBAC)",
		"user dev cannot watch pods in shop (RBAC)", "the server does not know the API group lab.io",
	})
	want := []string{
		"user dev cannot list events, pods in shop (RBAC)", "user dev cannot list nodes at the cluster scope (RBAC)",
		"user dev cannot watch pods in shop (RBAC)", "the server does not know the API group lab.io",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
