package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Events before following began are dated by the objects, down to the
// containers of Pods; later ones are in the history.
func TestATimelineBeginsWithTheDatesThatObjectsCarry(t *testing.T) {
	p := newPlay(t, Options{Screen: true})
	p.send(rowsOn(120, 20))
	d, _, p1, _, _, b := shop()
	ago := func(minutes int) time.Time { return t0.Add(-time.Duration(minutes) * time.Minute) }
	d.Created, p1.Created = ago(60), ago(50)
	d.Conditions = []object.Condition{
		{Statement: &object.Statement{Type: "Available", Status: "True", Reason: "MinimumReplicasAvailable"}, LastTransitionTime: ago(40)},
		{Statement: &object.Statement{Type: "Progressing", Status: "True"}, LastTransitionTime: t0.Add(time.Second)}, // since
	}
	c := &p1.Pod.Containers[0]
	c.State = object.ContainerState{Kind: "running", Started: ago(10)}
	c.Prior = &object.ContainerState{Kind: "terminated", Reason: "OOMKilled", ExitCode: 137, Started: ago(30), Finished: ago(20)}
	p.batch(0, b)
	p.keys("g")
	var got []string
	for _, x := range timelineOf(p.m).Dates {
		if x.ID == d.ID || x.ID == p1.ID {
			got = append(got, fmt.Sprintf("%s %s %s", t0.Sub(x.At), x.ID.Kind, x.What))
		}
	}
	want := []string{
		"1h0m0s Deployment created", "50m0s Pod created", "40m0s Deployment Available became True (MinimumReplicasAvailable)",
		"30m0s Pod container web started", "20m0s Pod container web exited with 137 (OOMKilled)", "10m0s Pod container web started",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dates (-want +got):\n%s", diff)
	}
}
