package viewstest

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// ShopBatch holds a Deployment whose Pod cannot pull its image.
func ShopBatch(now time.Time) feed.Batch {
	dep := &object.Object{
		ID:      object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"},
		Version: "v1", UID: "d", ResourceVersion: "1",
		Created: now.Add(-time.Hour), Generation: object.IntOf(2), Observed: object.IntOf(2),
		Workload: &object.Workload{
			Replicas: object.IntOf(1), StatusReplicas: object.IntOf(1),
			Updated: object.IntOf(1), Ready: object.IntOf(0), Available: object.IntOf(0),
			Unavailable: object.IntOf(1), HasSelector: true, Revision: "2",
		},
		Conditions: []object.Condition{
			{Statement: &object.Statement{Type: "Progressing", Status: "True", Reason: "ReplicaSetUpdated"}},
		},
	}
	pod := &object.Object{
		ID:      object.ID{Kind: "Pod", Namespace: "shop", Name: "web-abc-1"},
		Version: "v1", UID: "p", ResourceVersion: "1", Created: now.Add(-time.Minute),
		Owners: []object.Owner{{Group: "apps", Kind: "Deployment", Name: "web", UID: "d", Controller: true}},
		Pod: &object.Pod{
			PodTemplate: &object.PodTemplate{}, Phase: "Pending", Node: "n1",
			Containers: []object.Container{{
				ContainerSpec: &object.ContainerSpec{Name: "web", Image: "registry.local/web:2.4.1"},
				State: object.ContainerState{
					Kind: "waiting", Reason: "ImagePullBackOff",
					Message: "Back-off pulling image",
				},
			}},
		},
		Conditions: []object.Condition{
			{Statement: &object.Statement{Type: "Ready", Status: "False"}, LastTransitionTime: now.Add(-time.Minute)},
		},
	}
	return feed.Batch{
		Seq: 1, At: now, Synced: true,
		Roots:   []feed.Root{{ID: dep.ID, Source: "deploy/web"}},
		Objects: []*object.Object{dep, pod},
		Sources: []feed.SourceState{
			{Key: "deployments", Resource: "deployments", Mode: feed.ModeWatch, Phase: feed.Live, Since: now},
		},
	}
}
