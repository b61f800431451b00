package views

import (
	"context"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// shopBatch is a Deployment whose pod cannot pull its image.
func shopBatch(now time.Time) status.Batch {
	dep := &status.Object{
		ID: status.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, Version: "v1", UID: "d", ResourceVersion: "1",
		Created: now.Add(-time.Hour), Generation: status.IntOf(2), Observed: status.IntOf(2),
		Workload: &status.Workload{
			Replicas: status.IntOf(1), StatusReplicas: status.IntOf(1), Updated: status.IntOf(1), Ready: status.IntOf(0), Available: status.IntOf(0),
			Unavailable: status.IntOf(1), HasSelector: true, Revision: "2",
		},
		Conditions: []status.Condition{{Statement: &status.Statement{Type: "Progressing", Status: "True", Reason: "ReplicaSetUpdated"}}},
	}
	pod := &status.Object{
		ID: status.ID{Kind: "Pod", Namespace: "shop", Name: "web-abc-1"}, Version: "v1", UID: "p", ResourceVersion: "1", Created: now.Add(-time.Minute),
		Owners: []status.Owner{{Group: "apps", Kind: "Deployment", Name: "web", UID: "d", Controller: true}},
		Pod: &status.Pod{PodTemplate: &status.PodTemplate{}, Phase: "Pending", Node: "n1", Containers: []status.Container{{
			ContainerSpec: &status.ContainerSpec{Name: "web", Image: "registry.local/web:2.4.1"},
			State:         status.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff", Message: "Back-off pulling image"},
		}}},
		Conditions: []status.Condition{{Statement: &status.Statement{Type: "Ready", Status: "False"}, LastTransitionTime: now.Add(-time.Minute)}},
	}
	return status.Batch{
		Seq: 1, At: now, Synced: true,
		Roots:   []status.Root{{ID: dep.ID, Source: "deploy/web"}},
		Objects: []*status.Object{dep, pod},
		Sources: []status.SourceState{{Key: "deployments", Resource: "deployments", Mode: status.ModeWatch, Phase: status.Live, Since: now}},
	}
}

// noFeed answers everything at once, with nothing.
type noFeed struct{}

var _ model.Feed = noFeed{}

func (noFeed) Next(context.Context, uint64) (status.Batch, error) { return status.Batch{}, nil }
func (noFeed) Want(status.Wants)                                  {}
func (noFeed) Detail(context.Context, status.ID) (status.Detail, error) {
	return status.Detail{}, nil
}

func (noFeed) Logs(context.Context, status.LogKey, uint64) (status.LogChunk, error) {
	return status.LogChunk{}, nil
}
