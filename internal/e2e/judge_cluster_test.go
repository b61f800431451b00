package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// An APIService without a backend breaks discovery for all clients, so no other
// scenario runs beside this one.
func TestAlone_AnAPIServiceWithoutAServerIsFailedAndAffectsNothingElse(t *testing.T) {
	ns := namespace(t, "apis")
	const api = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.nobody.kstatus-tui.example.org}
spec:
  group: nobody.kstatus-tui.example.org
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {namespace: default, name: kstatus-tui-nobody}
`
	const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
	apply(t, ns, settings)
	apply(t, "", api)
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", api) })
	const rule = "apiregistration.k8s.io/APIService.failed"
	args := []string{"-n", ns, "apiservice/v1.nobody.kstatus-tui.example.org", "apiservice/v1.apps", "cm/settings"}
	judged := func(want string) (document, outcome) {
		return statusUntil(t, cluster.ReadOnly, args, func(doc document, _ outcome) string {
			r := doc.resource("APIService", "v1.nobody.kstatus-tui.example.org")
			if r == nil || r.Status != want || r.Rule != rule || r.Reason != "ServiceNotFound" {
				return fmt.Sprintf("the API that nobody serves is not %s: %v", want, r)
			}
			return ""
		})
	}
	judged("InProgress")
	// It has been so for long.
	report(t, schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}, "", "v1.nobody.kstatus-tui.example.org",
		`{"conditions":[{"type":"Available","status":"False","reason":"ServiceNotFound","message":"service/kstatus-tui-nobody in \"default\" is not present","lastTransitionTime":"2026-01-01T00:00:00Z"}]}`)
	doc, got := judged("Failed")
	for kind, name := range map[string]string{"APIService": "v1.apps", "ConfigMap": "settings"} {
		if r := doc.resource(kind, name); r == nil || r.Status != "Current" {
			t.Errorf("%s/%s is not Current beside it: %v", kind, name, r)
		}
	}
	if !strings.Contains(got.stdout, "kstatus-tui-nobody") {
		t.Errorf("nothing names the Service that is missing:\n%s", got)
	}
}

// An overdue run is started at once, without waiting for the next minute.
func TestACronJobIsJudgedByItsLastRun(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "cron")
	job := func(name, annotations, more string) string {
		return fmt.Sprintf(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: %s}
spec:
  schedule: "0 0 1 1 *"
  %s
  jobTemplate: {spec: {backoffLimit: 0, template: {metadata: {annotations: {%s}}, spec: {restartPolicy: Never, containers: [{name: a, image: "registry.example.com/a:1"}]}}}}
---`, name, more, annotations)
	}
	failing := cluster.FaultAnnotation + ": " + cluster.JobFailed
	app := job("yearly", "", "") + job("broken", failing, "") + job("held", failing, "suspend: true")
	apply(t, ns, app)
	args := []string{"-n", ns, "-f", manifest(t, app)}
	verdicts(t, args, map[string]string{
		"CronJob/yearly": "Current batch/CronJob.scheduled", "CronJob/broken": "Current batch/CronJob.scheduled", "CronJob/held": "Current batch/CronJob.suspended",
	})
	overdue := fmt.Sprintf(`{"lastScheduleTime":%q}`, time.Now().UTC().AddDate(-1, 0, -1).Format(time.RFC3339))
	for _, name := range []string{"yearly", "broken", "held"} {
		report(t, schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}, ns, name, overdue)
	}
	// The cluster's controller runs the two that may run, its kubelets end them.
	_, got := statusUntil(t, cluster.ReadOnly, args, func(doc document, _ outcome) string {
		if r := doc.resource("CronJob", "broken"); r == nil || r.Status != "Failed" || r.Rule != "batch/CronJob.lastRun" || r.Reason != "LastRunFailed" {
			return fmt.Sprintf("broken is %v", r)
		}
		if r := doc.resource("CronJob", "yearly"); r == nil || r.Status != "Current" || !strings.Contains(r.Message, "next run") {
			return fmt.Sprintf("yearly is %v", r)
		}
		return ""
	})
	if !strings.Contains(got.stdout, "BackoffLimitExceeded") {
		t.Errorf("nothing tells what became of the run:\n%s", got)
	}
	verdicts(t, args, map[string]string{"CronJob/held": "Current batch/CronJob.suspended"})
}

// A node that the cluster's simulated kubelets keep. They put back whatever is
// made of its conditions, so that its faults are left to internal/status.
func TestANodeIsJudgedByItsKubelet(t *testing.T) {
	t.Parallel()
	const name = "kstatus-tui-judged"
	node := func(more string) string {
		return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\nspec: {taints: [{key: example.org/nobody, effect: NoSchedule}]" + more + "}\n"
	}
	apply(t, "", node(""))
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), "", node("")) })
	args := []string{"node/" + name}
	verdicts(t, args, map[string]string{"Node/" + name: "Current Node.current"})
	apply(t, "", node(", unschedulable: true"))
	statusUntil(t, cluster.ReadOnly, args, func(doc document, got outcome) string {
		if r := doc.resource("Node", name); r == nil || r.Status != "Current" || !strings.Contains(got.stdout, "cordoned") {
			return fmt.Sprintf("not told that it is cordoned: %v", r)
		}
		return ""
	})
}

// A CSI driver's resizer writes a status between the requested and the actual
// size.
func TestAClaimThatIsBeingResizedIsNotDone(t *testing.T) {
	since(t, 34, "the status of a claim's resizing")
	t.Parallel()
	ns := namespace(t, "resize")
	app := fmt.Sprintf(`
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: kstatus-tui-growing}
provisioner: nobody.example.org
allowVolumeExpansion: true
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: kstatus-tui-growing}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: kstatus-tui-growing
  claimRef: {namespace: %[1]s, name: data}
  csi: {driver: nobody.example.org, volumeHandle: growing}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: %[1]s}
spec: {storageClassName: kstatus-tui-growing, volumeName: kstatus-tui-growing, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`, ns)
	apply(t, ns, app)
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), ns, app) })
	args := []string{"-n", ns, "pvc/data"}
	verdicts(t, args, map[string]string{"PersistentVolumeClaim/data": "Current PersistentVolumeClaim.bound"})
	patch(t, "v1", "PersistentVolumeClaim", ns, "data", `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`)
	claims := schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	for _, step := range []struct{ status, want, text string }{
		{"", "InProgress PersistentVolumeClaim.resize", "1Gi → 2Gi"},
		{`{"allocatedResourceStatuses":{"storage":"ControllerResizeInfeasible"}}`, "Failed PersistentVolumeClaim.resize", "cannot be resized"},
		{`{"allocatedResourceStatuses":null,"conditions":[{"type":"FileSystemResizePending","status":"True","message":"waits for a pod to mount it"}]}`, "InProgress PersistentVolumeClaim.resize", "waits for a pod to mount it"},
		{`{"capacity":{"storage":"2Gi"},"conditions":null}`, "Current PersistentVolumeClaim.bound", ""},
	} {
		if step.status != "" {
			report(t, claims, ns, "data", step.status)
		}
		statusUntil(t, cluster.ReadOnly, args, func(doc document, got outcome) string {
			r := doc.resource("PersistentVolumeClaim", "data")
			if r == nil || r.Status+" "+r.Rule != step.want || !strings.Contains(got.stdout, step.text) {
				return fmt.Sprintf("%v, want %s, %q", r, step.want, step.text)
			}
			return ""
		})
	}
}

// A ResourceClaim waits for its first Pod, then for a driver with devices.
func TestAClaimForADeviceWaitsForItsPod(t *testing.T) {
	since(t, 34, "ResourceClaims")
	t.Parallel()
	ns := namespace(t, "devices")
	const app = `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: nobody.example.org}}]}}
`
	apply(t, ns, app)
	args := []string{"-n", ns, "-f", manifest(t, app)}
	const rule = "resource.k8s.io/ResourceClaim."
	verdicts(t, args, map[string]string{"ResourceClaim/gpu": "Current " + rule + "current"})
	claims := schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}
	const allocated = `"allocation":{"devices":{"results":[{"request":"gpu","driver":"nobody.example.org","pool":"a","device":"gpu-0"}]}}`
	report(t, claims, ns, "gpu", "{"+allocated+"}")
	verdicts(t, args, map[string]string{"ResourceClaim/gpu": "Current " + rule + "current"})
	report(t, claims, ns, "gpu", "{"+allocated+`,"devices":[{"driver":"nobody.example.org","pool":"a","device":"gpu-0",
		"conditions":[{"type":"Ready","status":"False","reason":"Unplugged","message":"the device is gone","lastTransitionTime":"2026-01-01T00:00:00Z"}]}]}`)
	verdicts(t, args, map[string]string{"ResourceClaim/gpu": "Failed " + rule + "failed"})
}
