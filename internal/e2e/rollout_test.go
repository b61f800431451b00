package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/terminal"
)

// shop is an application of one of each: nine objects, the definition of the
// custom one among them. Its minReadySeconds keep the Deployment InProgress
// long enough to be seen.
func shop(image, fault string) string {
	return servedKind("shop.example.com", "Namespaced", "Campaign", "campaigns", "v1") + fmt.Sprintf(`---
apiVersion: shop.example.com/v1
kind: Campaign
metadata: {name: spring, finalizers: [shop.example.com/cleanup]}
spec: {discount: 10}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {currency: EUR}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  minReadySeconds: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {%s: "%s"}
    spec:
      containers: [{name: web, image: "registry.example.com/shop/web:%s"}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: database}
spec:
  serviceName: database
  replicas: 2
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec:
      containers: [{name: database, image: "registry.example.com/shop/database:16"}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "registry.example.com/shop/migrate:1"}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cleanup}
spec:
  schedule: "0 4 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: cleanup, image: "registry.example.com/shop/cleanup:1"}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: uploads}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: manual
  resources: {requests: {storage: 1Gi}}
`, cluster.FaultAnnotation, fault, image)
}

// The life of an application, seen by a user who started the program before the
// apply.
func TestAlone_ARolloutIsFollowedFromNothingToNothing(t *testing.T) {
	ctx := t.Context()
	ns, err := shared.CreateNamespace(ctx, "shop", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Kinds are the whole cluster's: a next run must not find ours.
		ctx := context.WithoutCancel(ctx)
		definition, _, _ := strings.Cut(shop("", ""), "\n---\n")
		_ = shared.Delete(ctx, "", definition)
		_ = shared.DeleteNamespace(ctx, ns)
	})
	if err := shared.CreateVolume(ctx, "rollout-1"); err != nil {
		t.Fatal(err)
	}
	ui := dashboard(t, cluster.ReadOnly, "-n", "shop", "-f", manifest(t, shop("1", "")))

	// Nothing is there, and that is said of each.
	ui.until("nine rows NotFound", func(s terminal.Screen) bool {
		for _, name := range []string{
			"crd/", "campaign/spring", "cm/settings", "deploy/web", "svc/web", "sts/database", "job/migrate", "cj/cleanup", "pvc/",
		} {
			if row(s, name, "∅") == "" {
				return false
			}
		}
		return s.Has("NOT DONE")
	})

	apply(t, ns, shop("1", ""))
	ui.until("the Deployment InProgress", func(s terminal.Screen) bool { return row(s, "/web ", "◌") != "" })
	if err := shared.PatchStatus(ctx, "shop.example.com/v1", "Campaign", ns, "spring", campaignReady(1)); err != nil {
		t.Fatal(err)
	}
	ui.until("everything Current", func(s terminal.Screen) bool { return s.Has("✓ DONE") && s.Has("9/9 Current") })

	// A bad image: the new Pods fail, and the Deployment's own row says why.
	failing := firstPod(t, ns, func(pod *unstructured.Unstructured) bool { return waitingReason(pod) == "ErrImagePull" })
	apply(t, ns, shop("2.O", cluster.ImageNotFound))
	// The old Pods serve on, so nothing but the rollout is in the way.
	shown := ui.until("the reason on the Deployment's row, which is not Current", func(s terminal.Screen) bool {
		return row(s, "deploy/web", " 3/3 ", "1/3 upd", "» tag 2.O") != "" && row(s, "deploy/web", "✓") == ""
	})
	changed := <-failing
	if late := shown.At.Sub(changed); late > 10*time.Second {
		t.Errorf("the reason stood on the Deployment's row %s after the Pod's change", late.Round(time.Millisecond))
	} else {
		t.Logf("the reason stood on the Deployment's row %s after the test saw the Pod's change", late.Round(time.Millisecond))
	}
	ui.until("a failing Pod below the Deployment", func(s terminal.Screen) bool {
		return row(s, "po/", "tag 2.O") != "" && row(s, "rs/", " 0/1 ") != ""
	})

	apply(t, ns, shop("3", ""))
	ui.until("everything Current again", func(s terminal.Screen) bool { return s.Has("✓ DONE") && s.Has("9/9 Current") })

	// Deletion: what a finalizer keeps is Terminating, the rest is gone.
	objects := shop("3", "")
	_, withoutDefinition, _ := strings.Cut(objects, "\n---\n")
	if err := shared.Delete(ctx, ns, withoutDefinition); err != nil {
		t.Fatal(err)
	}
	ui.until("the Campaign Terminating", func(s terminal.Screen) bool { return row(s, "campaign/spring", "⊘") != "" })
	ui.until("the Deployment NotFound", func(s terminal.Screen) bool { return row(s, "/web ", "∅") != "" })
	campaigns, err := shared.Kind(ctx, "shop.example.com/v1", "Campaign", ns)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := campaigns.Patch(ctx, "spring", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	ui.until("the Campaign NotFound", func(s terminal.Screen) bool { return row(s, "campaign/spring", "∅") != "" })
	if err := shared.Delete(ctx, ns, objects); err != nil {
		t.Fatal(err)
	}
	ui.until("everything NotFound", func(s terminal.Screen) bool {
		return row(s, "crd/", "∅") != "" && row(s, "✓") == ""
	})
	ui.quit()
}

func campaignReady(generation int) string {
	return fmt.Sprintf(`{"status":{"observedGeneration":%d,"conditions":[
		{"type":"Ready","status":"True","reason":"Running","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, generation)
}

// firstPod watches the Pods of a namespace by itself and sends the moment when
// it saw the first that fits.
func firstPod(t *testing.T, ns string, fits func(*unstructured.Unstructured) bool) <-chan time.Time {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	pods := shared.Client().Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace(ns)
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan time.Time, 1) // holds one time, then closed
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(seen)
		for event := range w.ResultChan() {
			pod, ok := event.Object.(*unstructured.Unstructured)
			if ok && event.Type != kwatch.Deleted && fits(pod) {
				seen <- time.Now()
				return
			}
		}
	})
	t.Cleanup(func() { w.Stop(); cancel(); reading.Wait() })
	return seen
}

// waitingReason is why a Pod's first container waits.
func waitingReason(pod *unstructured.Unstructured) string {
	statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	if len(statuses) == 0 {
		return ""
	}
	first, _ := statuses[0].(map[string]any)
	reason, _, _ := unstructured.NestedString(first, "state", "waiting", "reason")
	return reason
}
