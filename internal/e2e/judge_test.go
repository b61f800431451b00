package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
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
// It tells how often it had to look.
func verdicts(t *testing.T, args []string, want map[string]string) (looks int) {
	t.Helper()
	doc, _ := statusUntil(t, cluster.ReadOnly, args, func(doc document, _ outcome) string {
		looks++
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
	if doc.Verdict == "Failed" {
		sameCauses(t, args)
	}
	return looks
}

// sameCauses checks that a wait which stops early names the causes of status. Something
// may change between the two: then they are compared again.
func sameCauses(t *testing.T, args []string) {
	t.Helper()
	statusUntil(t, cluster.ReadOnly, args, func(want document, _ outcome) string {
		got := ktui(t, cluster.ReadOnly, append([]string{"wait", "-o", "json", "--fail-fast", "any", "--timeout", "10s"}, args...)...)
		var doc document
		if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
			t.Fatalf("wait %s: %v\n%s", strings.Join(args, " "), err, got)
		}
		if want, got := codesOf(want), codesOf(doc); !slices.Equal(want, got) {
			return fmt.Sprintf("wait names the causes %q, status %q", got, want)
		}
		return ""
	})
}

func codesOf(doc document) (codes []string) {
	for _, c := range doc.Causes {
		codes = append(codes, fmt.Sprintf("%s %s %s/%s", c.Code, c.Class, c.Subject.Kind, c.Subject.Name))
	}
	return codes
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
	verdicts(t, args, map[string]string{
		"DaemonSet/nowhere":                 "Current apps/DaemonSet.noNodes",
		"DaemonSet/by-hand":                 "Current apps/DaemonSet.onDelete",
		"Deployment/held":                   "InProgress apps/Deployment.paused",
		"Deployment/none":                   "Current apps/Deployment.done",
		"StatefulSet/slow":                  "InProgress apps/StatefulSet.availableReplicas",
		"ReplicationController/old":         "Current ReplicationController.done",
		"PodDisruptionBudget/naked":         "Current policy/PodDisruptionBudget.current",
		"HorizontalPodAutoscaler/no-target": "Failed autoscaling/HorizontalPodAutoscaler.failed",
		"HorizontalPodAutoscaler/idle":      "Current autoscaling/HorizontalPodAutoscaler.idle",
		"Job/waits":                         "InProgress batch/Job.suspended",
		"Job/indexed":                       "Failed batch/Job.failed terminal",
		"PersistentVolumeClaim/data":        "Failed events",
		"ResourceQuota/quota":               "Current ResourceQuota.observed",
		"Service/outside":                   "InProgress Service.loadBalancer",
		"Lease/held":                        "Current coordination.k8s.io/Lease.exists",
		"Ingress/web":                       "InProgress networking.k8s.io/Ingress.address",
	})
	// Its status leaves updatedNumberScheduled out as soon as no pod is new.
	apply(t, ns, strings.Replace(set("DaemonSet", "by-hand", "updateStrategy: {type: OnDelete},", ""), "a:1", "a:2", 1))
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "ds/by-hand"}, func(_ document, got outcome) string {
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
	looks := verdicts(t, []string{"-n", ns, "-f", manifest(t, app.String())}, map[string]string{
		"Plain/x0":  "Current convention.no-status-expected",
		"Hollow/x4": "Current convention.no-status-expected",
		"Owing/x0":  "InProgress convention.no-status",
	})
	times := map[string]int{}
	asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		clear(times)
		for _, r := range requests {
			if r.Resource == "customresourcedefinitions" && strings.Contains(r.URI, group) {
				times[r.URI]++
			}
		}
		if len(times) != 3 {
			return fmt.Sprintf("want one definition for each of three kinds: %v", times)
		}
		return ""
	})
	for uri, n := range times {
		if n > looks {
			t.Errorf("%s was asked for %d times for five objects", uri, n)
		}
	}
}

// A fault without a date is as old as the last write, also for a single look.
// Only the server writes these dates.
func TestAnUndatedFaultIsAsOldAsTheLastWriteForASingleLook(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "undated")
	apply(t, "", definition("undated.example.org", "things", "Thing", `{type: object, x-kubernetes-preserve-unknown-fields: true}`))
	const thing = "apiVersion: undated.example.org/v1\nkind: Thing\nmetadata: {name: it}\nspec: {size: 1}\n"
	apply(t, ns, thing)
	written := time.Now() // or a little later, and to the second
	report(t, schema.GroupVersionResource{Group: "undated.example.org", Version: "v1", Resource: "things"}, ns, "it", `{"phase":"Degraded"}`)
	args := []string{"-n", ns, "-f", manifest(t, thing)}
	verdicts(t, args, map[string]string{"Thing/it": "InProgress convention.phase"})
	verdicts(t, args, map[string]string{"Thing/it": "Failed convention.phase"})
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
	writers(t) // several projects define Kustomizations
	apply(t, "", definition("cert-manager.io", "certificates", "Certificate", open))
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
	verdicts(t, args, map[string]string{
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
		{flux, "Kustomization/apps", `{"observedGeneration":-1,"conditions":[{"type":"Ready","status":"Unknown","reason":"Progressing","message":"x",` + since + `}]}`, "InProgress convention.ready"},
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
		verdicts(t, args, map[string]string{step.name: step.want})
	}
}

// Gateway API objects have no summary: what counts is in their listeners,
// parents and ancestors, and the schema's defaults are not a report.
func TestTheGatewayAPIIsJudgedThroughItsStates(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "gateways")
	const group = "gateway.networking.k8s.io"
	kinds := servedKind(group, "Cluster", "GatewayClass", "gatewayclasses", "v1") + servedKind(group, "Namespaced", "TCPRoute", "tcproutes", "v1alpha2")
	for kind, plural := range map[string]string{"Gateway": "gateways", "HTTPRoute": "httproutes", "GRPCRoute": "grpcroutes", "BackendTLSPolicy": "backendtlspolicies"} {
		kinds += servedKind(group, "Namespaced", kind, plural, "v1")
	}
	// The group requires an approval annotation.
	apply(t, "", strings.ReplaceAll(kinds, "metadata: {name: ", `metadata: {annotations: {api-approved.kubernetes.io: "unapproved, a scenario"}, name: `))
	const app = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: kstatus-tui-edge}
spec: {controllerName: example.org/edge}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec: {gatewayClassName: kstatus-tui-edge, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web}
spec: {parentRefs: [{name: edge}, {name: inner}], rules: [{backendRefs: [{name: web, port: 80}]}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: {name: api}
spec: {parentRefs: [{name: edge}]}
---
apiVersion: gateway.networking.k8s.io/v1alpha2
kind: TCPRoute
metadata: {name: db}
spec: {parentRefs: [{name: edge}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: tls}
spec: {targetRefs: [{group: "", kind: Service, name: web}]}
`
	apply(t, ns, app)
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), ns, app) })
	args := []string{"-n", ns, "--children=none", "-f", manifest(t, app)}
	const id, since = group + "/", `"lastTransitionTime":"2026-01-01T00:00:00Z"`
	verdicts(t, args, map[string]string{
		"GatewayClass/kstatus-tui-edge": "InProgress " + id + "GatewayClass.silent", "Gateway/edge": "InProgress " + id + "Gateway.silent",
		"HTTPRoute/web": "InProgress " + id + "HTTPRoute.silent", "BackendTLSPolicy/tls": "InProgress " + id + "BackendTLSPolicy.silent",
	})
	cond := func(typ, is, reason string, generation int) string {
		return fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":"","observedGeneration":%d,%s}`, typ, is, reason, generation, since)
	}
	parent := func(name string, conds ...string) string {
		return fmt.Sprintf(`{"parentRef":{"name":%q},"ancestorRef":{"name":%[1]q},"controllerName":"example.org/edge","conditions":[%s]}`, name, strings.Join(conds, ","))
	}
	accepted := cond("Accepted", "True", "Accepted", 1)
	programmed := cond("Programmed", "True", "Programmed", 1)
	resolved := cond("ResolvedRefs", "True", "ResolvedRefs", 1)
	for _, step := range []struct{ name, status, want string }{
		{"GatewayClass/kstatus-tui-edge", `{"conditions":[` + strings.ReplaceAll(cond("Accepted", "Unknown", "Pending", 0), "2026-01-01", "1970-01-01") + `]}`, "InProgress " + id + "GatewayClass.silent"},
		{"GatewayClass/kstatus-tui-edge", `{"conditions":[` + cond("Accepted", "False", "InvalidParameters", 1) + `]}`, "Failed " + id + "GatewayClass.failed"},
		{"GatewayClass/kstatus-tui-edge", `{"conditions":[` + accepted + `]}`, "Current " + id + "GatewayClass.current"},
		{"Gateway/edge", `{"conditions":[` + accepted + `]}`, "InProgress " + id + "Gateway.progress"},
		{"Gateway/edge", `{"conditions":[` + accepted + "," + cond("Programmed", "False", "AddressNotAssigned", 1) + `]}`, "InProgress " + id + "Gateway.progress"},
		{"Gateway/edge", `{"conditions":[` + accepted + "," + programmed + `],"listeners":[{"name":"http","conditions":[` + cond("ResolvedRefs", "False", "InvalidCertificateRef", 1) + `]}]}`, "Failed " + id + "Gateway.failed"},
		{"Gateway/edge", `{"conditions":[` + accepted + "," + programmed + `],"listeners":[{"name":"http","conditions":[` + accepted + "," + resolved + "," + cond("Conflicted", "False", "NoConflicts", 1) + `]}]}`, "Current " + id + "Gateway.current"},
		{"HTTPRoute/web", `{"parents":[` + parent("edge", cond("Accepted", "True", "Accepted", 0)) + `]}`, "InProgress " + id + "HTTPRoute.parents"},
		{"HTTPRoute/web", `{"parents":[` + parent("edge", accepted, resolved) + "," + parent("inner", cond("Accepted", "False", "NotAllowedByListeners", 1)) + `]}`, "Failed " + id + "HTTPRoute.failed"},
		{"HTTPRoute/web", `{"parents":[` + parent("edge", accepted, cond("ResolvedRefs", "False", "BackendNotFound", 1)) + "," + parent("inner", accepted, resolved) + `]}`, "Failed " + id + "HTTPRoute.failed"},
		{"HTTPRoute/web", `{"parents":[` + parent("edge", accepted, resolved) + "," + parent("inner", accepted, resolved) + `]}`, "Current " + id + "HTTPRoute.current"},
		{"GRPCRoute/api", `{"parents":[` + parent("edge", accepted, cond("PartiallyInvalid", "True", "UnsupportedValue", 1)) + `]}`, "Failed " + id + "GRPCRoute.failed"},
		{"GRPCRoute/api", `{"parents":[` + parent("edge", accepted, resolved) + `]}`, "Current " + id + "GRPCRoute.current"},
		{"TCPRoute/db", `{"parents":[` + parent("edge", cond("Accepted", "False", "NoMatchingParent", 1)) + `]}`, "Failed " + id + "TCPRoute.failed"},
		{"TCPRoute/db", `{"parents":[` + parent("edge", accepted, resolved) + `]}`, "Current " + id + "TCPRoute.current"},
		{"BackendTLSPolicy/tls", `{"ancestors":[` + parent("edge", cond("Accepted", "False", "Conflicted", 1)) + "," + parent("inner", cond("Accepted", "False", "TargetNotFound", 1)) + `]}`, "Failed " + id + "BackendTLSPolicy.failed"},
		{"BackendTLSPolicy/tls", `{"ancestors":[` + parent("edge", accepted) + "," + parent("inner", cond("Accepted", "False", "TargetNotFound", 1)) + `]}`, "Current " + id + "BackendTLSPolicy.current"},
	} {
		kind, name, _ := strings.Cut(step.name, "/")
		plural, in := map[string]string{"GatewayClass": "gatewayclasses", "BackendTLSPolicy": "backendtlspolicies"}[kind], ns
		if kind == "GatewayClass" {
			in = ""
		}
		if plural == "" {
			plural = strings.ToLower(kind) + "s"
		}
		version := "v1"
		if kind == "TCPRoute" {
			version = "v1alpha2"
		}
		report(t, schema.GroupVersionResource{Group: group, Version: version, Resource: plural}, in, name, step.status)
		verdicts(t, args, map[string]string{step.name: step.want})
	}
	// A new spec without a report is not covered by the report on the old one.
	apply(t, ns, strings.ReplaceAll(app, "port: 80, protocol", "port: 8080, protocol"))
	verdicts(t, args, map[string]string{"Gateway/edge": "InProgress convention.staleness"})
}

// Volumes, definitions, namespaces and what admission calls, in the states that
// the control plane itself puts them.
func TestObjectsOfTheControlPlaneAreJudgedInTheirOwnStates(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "kept")
	volume := func(name, policy string) string {
		return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: kstatus-tui-%[1]s}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: %[2]s
  storageClassName: kstatus-tui-static
  claimRef: {namespace: %[3]s, name: %[1]s}
  csi: {driver: nobody.example.org, volumeHandle: %[1]s}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %[1]s, namespace: %[3]s}
spec: {storageClassName: kstatus-tui-static, volumeName: kstatus-tui-%[1]s, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---`, name, policy, ns)
	}
	const rest = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: kstatus-tui-free}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: kstatus-tui-unused, csi: {driver: nobody.example.org, volumeHandle: free}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: kstatus-tui-late}
provisioner: nobody.example.org
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: late}
spec: {storageClassName: kstatus-tui-late, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: kstatus-tui-attachment}
spec: {attacher: nobody.example.org, nodeName: none, source: {persistentVolumeName: kstatus-tui-free}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: kstatus-tui-dangling}
spec: {matchingPrecedence: 9999, priorityLevelConfiguration: {name: nobody}, rules: [{subjects: [{kind: User, user: {name: nobody}}], nonResourceRules: [{verbs: [get], nonResourceURLs: [/nowhere]}]}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: kstatus-tui-policy}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: object.spec.nothing == 1}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: kstatus-tui-guard}
webhooks:
- name: guard.example.org
  admissionReviewVersions: [v1]
  sideEffects: None
  rules: [{apiGroups: [guarded.example.org], apiVersions: [v1], operations: [CREATE], resources: [things]}]
  clientConfig: {service: {namespace: default, name: kstatus-tui-nobody}}
`
	app := volume("bound", "Retain") + volume("left", "Retain") + volume("broken", "Recycle") + volume("lost", "Retain") + rest + fmt.Sprintf(`
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: kstatus-tui-request}
spec: {signerName: example.org/nobody, usages: [client auth], request: %s}
---
apiVersion: v1
kind: Namespace
metadata: {name: kstatus-tui-doomed}
---
`, signingRequest(t)) + definition("kept.example.org", "firsts", "Kept", `{type: object}`)
	apply(t, ns, app)
	t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), ns, app) })
	// Its names are taken.
	app += definition("kept.example.org", "seconds", "Kept", `{type: object}`)
	apply(t, ns, app)
	args := []string{"-n", ns, "--children=none", "-f", manifest(t, app)}
	const admission = "admissionregistration.k8s.io/"
	verdicts(t, args, map[string]string{
		"PersistentVolume/kstatus-tui-bound":                "Current PersistentVolume.current",
		"PersistentVolume/kstatus-tui-free":                 "Current PersistentVolume.current",
		"PersistentVolumeClaim/bound":                       "Current PersistentVolumeClaim.bound",
		"PersistentVolumeClaim/left":                        "Current PersistentVolumeClaim.bound",
		"PersistentVolumeClaim/broken":                      "Current PersistentVolumeClaim.bound",
		"PersistentVolumeClaim/lost":                        "Current PersistentVolumeClaim.bound",
		"PersistentVolumeClaim/late":                        "Current PersistentVolumeClaim.waitForFirstConsumer",
		"VolumeAttachment/kstatus-tui-attachment":           "InProgress storage.k8s.io/VolumeAttachment.attached",
		"FlowSchema/kstatus-tui-dangling":                   "Failed flowcontrol.apiserver.k8s.io/FlowSchema.failed",
		"ValidatingAdmissionPolicy/kstatus-tui-policy":      "Current " + admission + "ValidatingAdmissionPolicy.current",
		"ValidatingWebhookConfiguration/kstatus-tui-guard":  "Failed " + admission + "ValidatingWebhookConfiguration.service",
		"CertificateSigningRequest/kstatus-tui-request":     "InProgress certificates.k8s.io/CertificateSigningRequest.progress",
		"Namespace/kstatus-tui-doomed":                      "Current Namespace.current",
		"CustomResourceDefinition/firsts.kept.example.org":  "Current apiextensions.k8s.io/CustomResourceDefinition.current",
		"CustomResourceDefinition/seconds.kept.example.org": "Failed apiextensions.k8s.io/CustomResourceDefinition.terminal terminal",
	})
	for _, name := range []string{"left", "broken"} {
		gone := strings.Split(volume(name, "Retain"), "---")[1]
		remove(t, ns, gone)
	}
	// Its protection is put back for as long as it is not being deleted.
	remove(t, ns, strings.Split(volume("lost", "Retain"), "---")[0])
	patch(t, "v1", "PersistentVolume", "", "kstatus-tui-lost", `{"metadata":{"finalizers":null}}`)
	report(t, schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"}, "", "kstatus-tui-attachment",
		`{"attached":false,"attachError":{"time":"2026-01-01T00:00:00Z","message":"rpc error: volume is in use elsewhere"}}`)
	apply(t, "kstatus-tui-doomed", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stays, finalizers: [example.org/stays]}\n")
	t.Cleanup(func() {
		on, err := shared.Kind(context.WithoutCancel(t.Context()), "v1", "ConfigMap", "kstatus-tui-doomed")
		if err == nil {
			_, _ = on.Patch(context.WithoutCancel(t.Context()), "stays", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		}
	})
	remove(t, "", "apiVersion: v1\nkind: Namespace\nmetadata: {name: kstatus-tui-doomed}\n")
	verdicts(t, args, map[string]string{
		"PersistentVolume/kstatus-tui-left":       "Current PersistentVolume.current",
		"PersistentVolume/kstatus-tui-broken":     "Failed PersistentVolume.failed",
		"PersistentVolumeClaim/lost":              "Failed PersistentVolumeClaim.lost terminal",
		"VolumeAttachment/kstatus-tui-attachment": "Failed storage.k8s.io/VolumeAttachment.attachError",
		"Namespace/kstatus-tui-doomed":            "Terminating deletion",
	})
	statusUntil(t, cluster.ReadOnly, []string{"pv/kstatus-tui-left", "ns/kstatus-tui-doomed"}, func(_ document, got outcome) string {
		for _, text := range []string{"its claim is gone", "example.org/stays"} {
			if !strings.Contains(got.stdout, text) {
				return "nothing tells: " + text
			}
		}
		return ""
	})
}

// signingRequest is a request for a certificate that no signer handles.
func signingRequest(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "nobody"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}
