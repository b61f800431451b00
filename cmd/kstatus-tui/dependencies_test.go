package main

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// A Pod for which there is no node is explained by all nodes, and its cause may be a node
// that stopped reporting, beside the Pod. If only that node were kept, the nodes would be
// forgotten, needed for the next explanation, listed and forgotten again, ten times a second;
// and no command would end.
func TestAllNodesStayKnownWhileACauseDependsOnThem(t *testing.T) {
	targets, err := inventory.Parse(t.Context(), inventory.Request{Args: []string{"deploy/web"}, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		server := testcluster.New()
		defer server.Close()
		server.Serve(testcluster.Resource{Version: "v1", Plural: "nodes", Kind: "Node", Cluster: true})
		old := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
		for node, spec := range map[string]string{
			"a": `"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"},{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}]`,
			"b": `"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}]`,
			"c": `"taints":[{"key":"dedicated","value":"gpu","effect":"NoSchedule"},{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"}]`,
		} {
			server.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"uid":"node-%[1]s"},"spec":{%s},
				"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown","lastTransitionTime":%q}]}}`, node, spec, old))
		}
		server.Put(fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"d","generation":1,"creationTimestamp":%q},
			"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}}},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"unavailableReplicas":1}}`, old))
		server.Put(fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1","namespace":"shop","uid":"r","labels":{"app":"web"},"creationTimestamp":%q,
			"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"d","controller":true}]},
			"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}}},"status":{"replicas":1}}`, old))
		server.Put(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1-x","namespace":"shop","uid":"p","labels":{"app":"web"},"creationTimestamp":%q,
			"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-1","uid":"r","controller":true}]},
			"spec":{"containers":[{"name":"web","image":"web"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}]},
			"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","lastTransitionTime":%q,
				"message":"0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)."}]}}`, old, old))
		o := watch.Options{Targets: targets, Namespace: "shop"}
		began, quiesced, after := time.Now(), false, 0
		m := followUntil(t, server, o, modelOptions(o), func(m *model.Model) (bool, time.Time) {
			if quiesced = quiesced || m.Intake.Quiesced(); quiesced && after == 0 {
				synctest.Wait() // the watch that follows the last list of events may not be open yet
				after = len(server.Requests())
			}
			return time.Since(began) > 10*time.Second, began.Add(2 * time.Minute)
		})
		if more := server.Requests()[after:]; !quiesced || len(more) > 0 {
			t.Errorf("it has come to rest: %v; in ten seconds after that: %v", quiesced, more)
		}
		if rests := m.Facts.Found.Found.DependsOn; !slices.Contains(rests, object.ID{Kind: "Node"}) {
			t.Errorf("all nodes were used to explain the Pod; only %v are kept", rests)
		}
		if causes := m.Facts.Causes(); len(causes) == 0 || causes[0].Code != "NodeLost" {
			t.Errorf("the causes are %+v", causes)
		}
	})
}
