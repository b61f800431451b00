package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// report writes the status of an object, as its controller would.
func report(t *testing.T, gvr schema.GroupVersionResource, ns, name, status string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"status": json.RawMessage(status)})
	if err != nil {
		t.Fatal(err)
	}
	client := shared.Client().Resource(gvr)
	if ns == "" {
		_, err = client.Patch(t.Context(), name, types.MergePatchType, body, metav1.PatchOptions{}, "status")
	} else {
		_, err = client.Namespace(ns).Patch(t.Context(), name, types.MergePatchType, body, metav1.PatchOptions{}, "status")
	}
	if err != nil {
		t.Fatalf("write the status of %s %s: %v", gvr.Resource, name, err)
	}
}

// definition is a CustomResourceDefinition whose schema of an object is given.
func definition(group, plural, kind, schema string) string {
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {plural: %[2]s, kind: %[3]s}
  versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: %[4]s}}]
---`, group, plural, kind, schema)
}

// verdicts waits until objects are judged as wanted: "Status rule" by kind/name,
// with "terminal" behind it where it is.
func verdicts(t *testing.T, within time.Duration, args []string, want map[string]string) {
	t.Helper()
	statusUntil(t, within, cluster.ReadOnly, args, func(doc document, _ outcome) string {
		var wrong []string
		for name, wanted := range want {
			kind, name, _ := strings.Cut(name, "/")
			r := doc.resource(kind, name)
			if r == nil {
				wrong = append(wrong, kind+"/"+name+" is not there")
				continue
			}
			got := r.Status + " " + r.Rule
			if r.Terminal {
				got += " terminal"
			}
			if got != wanted {
				wrong = append(wrong, fmt.Sprintf("%s/%s is %s, want %s", kind, name, got, wanted))
			}
		}
		slices.Sort(wrong)
		return strings.Join(wrong, "; ")
	})
}

// The controllers of a real control plane leave their objects in states that no
// unit test makes up: fields left out because they are zero, conditions with
// reasons of their own, names taken by others.
func TestBuiltinKindsAreJudgedAsTheirControllersLeaveThem(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "kinds")
	const containers = `containers: [{name: a, image: "registry.example.com/a:1"}]`
	set := func(kind, name, spec, pod string) string {
		return fmt.Sprintf(`
apiVersion: apps/v1
kind: %s
metadata: {name: %[2]s}
spec: {%[3]s selector: {matchLabels: {app: %[2]s}}, template: {metadata: {labels: {app: %[2]s}}, spec: {%[4]s %[5]s}}}
---`, kind, name, spec, pod, containers)
	}
	app := set("DaemonSet", "nowhere", "", "nodeSelector: {no: where},") +
		set("DaemonSet", "by-hand", "updateStrategy: {type: OnDelete},", "") +
		set("Deployment", "held", "paused: true,", "") +
		set("Deployment", "none", "replicas: 0,", "") +
		set("StatefulSet", "slow", "minReadySeconds: 600, serviceName: x,", "") + fmt.Sprintf(`
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec: {replicas: 1, selector: {app: old}, template: {metadata: {labels: {app: old}}, spec: {%[1]s}}}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, labels: {app: alone}}
spec: {containers: [{name: a, image: "registry.example.com/a:1"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: naked}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: alone}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: no-target}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: nobody}, maxReplicas: 3}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: idle}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: none}, maxReplicas: 3}
---
apiVersion: batch/v1
kind: Job
metadata: {name: waits}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: "registry.example.com/a:1"}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: indexed}
spec: {completionMode: Indexed, completions: 2, parallelism: 2, backoffLimitPerIndex: 0, template: {metadata: {annotations: {kstatus-tui.test/fault: %[2]s}}, spec: {restartPolicy: Never, containers: [{name: a, image: "registry.example.com/a:1"}]}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {storageClassName: missing, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {count/secrets: "5"}}
---
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {type: LoadBalancer, selector: {app: none}, ports: [{port: 80}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: held}
spec: {holderIdentity: me, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z"}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {defaultBackend: {service: {name: outside, port: {number: 80}}}}
`, containers, cluster.JobFailed)
	apply(t, ns, app)
	args := []string{"-n", ns, "-f", manifest(t, app)}
	verdicts(t, 60*time.Second, args, map[string]string{
		"DaemonSet/nowhere":                 "Current apps/DaemonSet.noNodes",
		"DaemonSet/by-hand":                 "Current apps/DaemonSet.onDelete",
		"Deployment/held":                   "InProgress apps/Deployment.paused",
		"Deployment/none":                   "Current apps/Deployment.done",
		"StatefulSet/slow":                  "InProgress apps/StatefulSet.availableReplicas",
		"ReplicationController/old":         "Current ReplicationController.done",
		"PodDisruptionBudget/naked":         "Current policy/PodDisruptionBudget.computed",
		"HorizontalPodAutoscaler/no-target": "Failed autoscaling/HorizontalPodAutoscaler.able-to-scale",
		"HorizontalPodAutoscaler/idle":      "Current autoscaling/HorizontalPodAutoscaler.scaling-disabled",
		"Job/waits":                         "InProgress batch/Job.suspended",
		"Job/indexed":                       "Failed batch/Job.failed terminal",
		"PersistentVolumeClaim/data":        "InProgress PersistentVolumeClaim.pending",
		"ResourceQuota/quota":               "Current ResourceQuota.observed",
		"Service/outside":                   "InProgress Service.loadBalancer",
		"Lease/held":                        "Current coordination.k8s.io/Lease.holder",
		"Ingress/web":                       "InProgress networking.k8s.io/Ingress.address",
	})
	// Its status leaves updatedNumberScheduled out as soon as no pod is new.
	apply(t, ns, strings.Replace(set("DaemonSet", "by-hand", "updateStrategy: {type: OnDelete},", ""), "a:1", "a:2", 1))
	statusUntil(t, 20*time.Second, cluster.ReadOnly, []string{"-n", ns, "ds/by-hand"}, func(_ document, got outcome) string {
		if !strings.Contains(got.stdout, "pods of the old revision") {
			return "nothing tells of the pods of the old revision"
		}
		return ""
	})
}

// Objects that a structural schema allows no status say nothing, and need not.
// Their definition is fetched once for a kind, not for each object.
func TestAKindWithoutAStatusIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "reports")
	const group = "reports.example.org"
	apply(t, "", definition(group, "plains", "Plain", `{type: object, properties: {spec: {type: object}}}`)+
		definition(group, "hollows", "Hollow", `{type: object, properties: {status: {type: object}}}`)+
		definition(group, "owings", "Owing", `{type: object, properties: {status: {type: object, properties: {phase: {type: string}}}}}`))
	var app strings.Builder
	for _, kind := range []string{"Plain", "Hollow", "Owing"} {
		for i := range 5 {
			fmt.Fprintf(&app, "apiVersion: %s/v1\nkind: %s\nmetadata: {name: x%d}\n---\n", group, kind, i)
		}
	}
	apply(t, ns, app.String())
	mark := shared.Mark()
	verdicts(t, 10*time.Second, []string{"-n", ns, "-f", manifest(t, app.String())}, map[string]string{
		"Plain/x0":  "Current convention.no-status-expected",
		"Hollow/x4": "Current convention.no-status-expected",
		"Owing/x0":  "InProgress convention.no-status",
	})
	requests, err := shared.Requests(mark, cluster.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	for _, r := range requests {
		if r.Resource == "customresourcedefinitions" && strings.Contains(r.URI, group) {
			asked[r.URI]++
		}
	}
	if len(asked) != 3 {
		t.Errorf("want one definition for each of three kinds: %v", asked)
	}
	for uri, n := range asked {
		if n > 2 { // the program may have been run twice
			t.Errorf("%s was asked for %d times for five objects", uri, n)
		}
	}
}

// A fault without a date is as old as the last write: whoever looks but once is
// told of it. The server alone writes these dates.
func TestAnUndatedFaultIsFailedForWhoeverLooksOnce(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "undated")
	apply(t, "", definition("undated.example.org", "things", "Thing", `{type: object, x-kubernetes-preserve-unknown-fields: true}`))
	const thing = "apiVersion: undated.example.org/v1\nkind: Thing\nmetadata: {name: it}\nspec: {size: 1}\n"
	apply(t, ns, thing)
	report(t, schema.GroupVersionResource{Group: "undated.example.org", Version: "v1", Resource: "things"}, ns, "it", `{"phase":"Degraded"}`)
	written := time.Now()
	args := []string{"-n", ns, "-f", manifest(t, thing)}
	verdicts(t, 5*time.Second, args, map[string]string{"Thing/it": "InProgress convention.phase"})
	verdicts(t, 40*time.Second, args, map[string]string{"Thing/it": "Failed convention.phase"})
	if lasted := time.Since(written); lasted < 28*time.Second {
		t.Errorf("Failed %s after it was written, want 30s", lasted)
	}
}

// The Gateway API's kinds, and the two that people know best of the registry,
// through the states that their controllers write.
func TestCustomKindsAreJudgedThroughTheirStates(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "custom")
	const open = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	apply(t, "", definition("kustomize.toolkit.fluxcd.io", "kustomizations", "Kustomization", open)+
		definition("cert-manager.io", "certificates", "Certificate", open))
	const app = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec: {suspend: false}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web}
spec: {secretName: web}
`
	apply(t, ns, app)
	args := []string{"-n", ns, "--children=none", "-f", manifest(t, app)}
	verdicts(t, 5*time.Second, args, map[string]string{
		"Kustomization/apps": "InProgress convention.no-status", "Certificate/web": "InProgress convention.no-status",
	})
	flux := schema.GroupVersionResource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Resource: "kustomizations"}
	certs := schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}
	const since = `"lastTransitionTime":"2026-01-01T00:00:00Z"`
	for _, step := range []struct {
		gvr          schema.GroupVersionResource
		name, status string
		want         string
	}{
		{flux, "Kustomization/apps", `{"observedGeneration":-1,"conditions":[{"type":"Ready","status":"Unknown","reason":"Progressing","message":"x",` + since + `}]}`, "InProgress generation.observed"},
		{flux, "Kustomization/apps", `{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"DependencyNotReady","message":"dependency 'a/b' is not ready",` + since + `}]}`, "InProgress kustomize.toolkit.fluxcd.io/Kustomization.progress"},
		{flux, "Kustomization/apps", `{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"HealthCheckFailed","message":"x",` + since + `},{"type":"Reconciling","status":"True","reason":"ProgressingWithRetry","message":"x",` + since + `}]}`, "Failed kustomize.toolkit.fluxcd.io/Kustomization.failed"},
		{flux, "Kustomization/apps", `{"observedGeneration":1,"conditions":[{"type":"Stalled","status":"True","reason":"InvalidPath","message":"x",` + since + `}]}`, "Failed kustomize.toolkit.fluxcd.io/Kustomization.terminal terminal"},
		{flux, "Kustomization/apps", `{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True","reason":"ReconciliationSucceeded","message":"x",` + since + `}]}`, "Current convention.ready"},
		{certs, "Certificate/web", `{"conditions":[{"type":"Ready","status":"False","reason":"DoesNotExist","message":"x",` + since + `},{"type":"Issuing","status":"True","reason":"DoesNotExist","message":"x",` + since + `}]}`, "InProgress cert-manager.io/Certificate.progress"},
		{certs, "Certificate/web", `{"failedIssuanceAttempts":1,"conditions":[{"type":"Ready","status":"False","reason":"DoesNotExist","message":"x",` + since + `},{"type":"Issuing","status":"False","reason":"Failed","message":"x",` + since + `}]}`, "Failed cert-manager.io/Certificate.failed"},
		{certs, "Certificate/web", `{"failedIssuanceAttempts":null,"conditions":[{"type":"Ready","status":"True","reason":"Ready","message":"x",` + since + `}]}`, "Current convention.ready"},
	} {
		_, name, _ := strings.Cut(step.name, "/")
		report(t, step.gvr, ns, name, step.status)
		verdicts(t, 5*time.Second, args, map[string]string{step.name: step.want})
	}
}
