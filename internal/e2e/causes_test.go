package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// The causes at the ends of projects' chains, with only their roots followed:
// the links between are found on the way.

// explanation is what `why -o json` says.
type explanation struct {
	Verdict string `json:"verdict"`
	Causes  []struct {
		Code, Title, Class string
		Subject            struct{ Kind, Name, Container string }
		Chain              []struct{ Kind, Name string }
		Symptoms           []struct{ Ref struct{ Kind string } }
	} `json:"causes"`
}

func (e explanation) String() string {
	var b strings.Builder
	for _, c := range e.Causes {
		fmt.Fprintf(&b, "%s %s %s/%s", c.Code, c.Class, c.Subject.Kind, c.Subject.Name)
		for _, r := range c.Chain {
			fmt.Fprintf(&b, " %s", r.Kind)
		}
		fmt.Fprintf(&b, ": %s\n", c.Title)
	}
	return b.String()
}

// blames waits until `why` gives one cause, with these words: the beginning of "Code
// class Kind/name", part of the title, and the kinds of the chain down to it. Answers from
// before the last write may come first.
func blames(t *testing.T, ns, source, head, title, chain string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := ktui(t, cluster.ReadOnly, "why", "-n", ns, "-o", "json", source)
		var e explanation
		if err := json.Unmarshal([]byte(got.stdout), &e); err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		if len(e.Causes) == 1 {
			c := e.Causes[0]
			kinds := make([]string, len(c.Chain))
			for i, r := range c.Chain {
				kinds[i] = r.Kind
			}
			if strings.HasPrefix(fmt.Sprintf("%s %s %s/%s", c.Code, c.Class, c.Subject.Kind, c.Subject.Name), head) && strings.Contains(c.Title, title) && strings.Join(kinds, " ") == chain {
				if got.code != 2 && got.code != 3 {
					t.Errorf("why %s: exit %d", source, got.code)
				}
				waitNamesTheCauses(t, ns, source, e)
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("why %s: want %s: …%s… by way of %s, got\n%s\n%s", source, head, title, chain, e, got)
		}
	}
}

// waitNamesTheCauses checks that a wait which stops early, or runs out of time, prints
// the causes of why.
func waitNamesTheCauses(t *testing.T, ns, source string, want explanation) {
	t.Helper()
	got := ktui(t, cluster.ReadOnly, "wait", "-n", ns, "-o", "json", "--fail-fast", "any", "--timeout", "10s", source)
	var e explanation
	if err := json.Unmarshal([]byte(got.stdout), &e); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if e.String() != want.String() {
		t.Errorf("wait %s names other causes than why:\n%s\nwant\n%s", source, e, want)
	}
}

// owned makes an object of a controller's: what the first document of by names owns
// what the other manifest says.
func owned(t *testing.T, ns, by, manifest string) {
	t.Helper()
	owner, err := cluster.Objects([]byte(by))
	if err != nil {
		t.Fatal(err)
	}
	owner[0].SetNamespace(ns)
	o := fetch(t, owner[0])
	ref := fmt.Sprintf("ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: %q, controller: true}]", o.GetAPIVersion(), o.GetKind(), o.GetName(), o.GetUID())
	record(t, ns, strings.ReplaceAll(manifest, "OWNER", ref))
}

func TestACertificateIsExplainedByItsChallenge(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "issuing")
	const open = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	apply(t, "", definition("cert-manager.io", "certificates", "Certificate", open)+
		definition("cert-manager.io", "certificaterequests", "CertificateRequest", open)+
		definition("acme.cert-manager.io", "orders", "Order", open)+
		definition("acme.cert-manager.io", "challenges", "Challenge", open))
	const since = `lastTransitionTime: "2026-01-01T00:00:00Z"`
	const certificate = `
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web}
spec: {secretName: web-tls, dnsNames: [web.example.com]}
status: {conditions: [{type: Issuing, status: "True", reason: DoesNotExist, message: "Issuing certificate as Secret does not exist", ` + since + `}, {type: Ready, status: "False", reason: DoesNotExist, message: "Issuing certificate as Secret does not exist", ` + since + `}]}
`
	const request = `
apiVersion: cert-manager.io/v1
kind: CertificateRequest
metadata: {name: web-1, OWNER}
status: {conditions: [{type: Ready, status: "False", reason: Pending, message: "Waiting on certificate issuance from order web-1-1: \"pending\"", ` + since + `}]}
`
	const order = `
apiVersion: acme.cert-manager.io/v1
kind: Order
metadata: {name: web-1-1, OWNER}
status: {state: pending}
`
	const challenge = `
apiVersion: acme.cert-manager.io/v1
kind: Challenge
metadata: {name: web-1-1-1, OWNER}
status: {presented: true, processing: true, state: pending, reason: "Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'"}
`
	record(t, ns, certificate)
	owned(t, ns, certificate, request)
	owned(t, ns, request, order)
	// Since January is longer than an order may take, and it has no challenge.
	blames(t, ns, "certificate/web", "CertificateNotReady action Order/web-1-1", "pending", "Certificate CertificateRequest Order")
	owned(t, ns, order, challenge)
	// Nor may what the order waits for, which does not say since when it is tried.
	blames(t, ns, "certificate/web", "CertificateNotReady action Challenge/web-1-1-1", "wrong status code '404'", "Certificate CertificateRequest Order Challenge")
}

func TestACompositeIsExplainedByItsComposedResources(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "composing")
	apply(t, "", servedKind("s3.aws.upbound.io", "Namespaced", "Bucket", "buckets", "v1"))
	const state = `conditions: [{type: Synced, status: "%s", reason: %s, message: "%s", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Ready, status: "%s", reason: %s, message: "%s", lastTransitionTime: "2026-01-01T00:00:00Z"}]`
	bucket := func(name, state string) string {
		return "---\napiVersion: s3.aws.upbound.io/v1\nkind: Bucket\nmetadata: {name: " + name + "}\nspec: {forProvider: {region: x}}\nstatus: {" + state + "}\n"
	}
	well := fmt.Sprintf(state, "True", "ReconcileSuccess", "", "True", "Available", "")
	record(t, ns, bucket("logs", well)+
		bucket("data", fmt.Sprintf(state, "False", "ReconcileError", "observe failed: cannot assume role arn:x: AccessDenied", "False", "Creating", ""))+`---
apiVersion: shop.example.org/v2
kind: Store
metadata: {name: shop}
spec: {crossplane: {resourceRefs: [{apiVersion: s3.aws.upbound.io/v1, kind: Bucket, name: logs}, {apiVersion: s3.aws.upbound.io/v1, kind: Bucket, name: data}]}}
status: {`+fmt.Sprintf(state, "True", "ReconcileSuccess", "", "False", "Creating", "Unready resources: data")+`}
`)
	blames(t, ns, "store/shop", "CrossplaneNotReady action Bucket/data", "cannot assume role", "Store Bucket")
}

func TestAKnativeServiceIsExplainedByItsPod(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "serving")
	const open = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	apply(t, "", definition("serving.knative.dev", "services", "Service", open)+
		definition("serving.knative.dev", "configurations", "Configuration", open)+
		definition("serving.knative.dev", "revisions", "Revision", open)+
		definition("serving.knative.dev", "routes", "Route", open))
	unready := func(conditions ...string) string {
		var list []string
		for _, c := range conditions {
			list = append(list, `{type: `+c+`, status: "False", reason: RevisionFailed, message: "Revision \"web-1\" failed", lastTransitionTime: "2026-01-01T00:00:00Z"}`)
		}
		return "status: {conditions: [" + strings.Join(list, ", ") + "]}\n"
	}
	service := "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: web}\n" + unready("ConfigurationsReady", "Ready")
	configuration := "apiVersion: serving.knative.dev/v1\nkind: Configuration\nmetadata: {name: web, labels: {serving.knative.dev/service: web}, OWNER}\n" + unready("Ready")
	revision := "apiVersion: serving.knative.dev/v1\nkind: Revision\nmetadata: {name: web-1, labels: {serving.knative.dev/configuration: web}, OWNER}\n" + unready("ContainerHealthy", "Ready")
	record(t, ns, service)
	owned(t, ns, service, configuration)
	owned(t, ns, configuration, revision)
	owned(t, ns, revision, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-1-deployment, labels: {serving.knative.dev/revision: web-1}, OWNER}
spec:
  replicas: 1
  selector: {matchLabels: {app: web-1}}
  template:
    metadata: {labels: {app: web-1}, annotations: {kstatus-tui.test/fault: image-not-found}}
    spec: {containers: [{name: user-container, image: "registry.example.com/shop/web:nope"}]}
`)
	blames(t, ns, "services.serving.knative.dev/web", "ImageNotFound action Pod/web-1-deployment-", "tag nope does not exist", "Service Configuration Revision Deployment ReplicaSet Pod")
}

// The type of a Secret is in the table that kubectl prints, and in no metadata.
func TestATLSSecretOfTheWrongTypeIsReported(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "tls")
	apply(t, ns, `
apiVersion: v1
kind: Secret
metadata: {name: web-tls}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths":{}}'}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: kstatus-tui-tls}
spec: {controller: example.com/none}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {ingressClassName: kstatus-tui-tls, tls: [{hosts: [web.example.com], secretName: web-tls}], defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: ExternalName, externalName: example.com, ports: [{port: 80}]}
`)
	t.Cleanup(func() {
		_ = shared.Delete(context.WithoutCancel(t.Context()), "", "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: kstatus-tui-tls}\n")
	})
	const head, title = "TLSSecretInvalid action Ingress/web", "of type kubernetes.io/dockerconfigjson and has 1 key"
	blames(t, ns, "ingress/web", head, title, "Ingress")
}

// A budget that allows no disruption is a cause only if a draining controller
// reports that it blocks the drain.
func TestABudgetThatHoldsADrainUpIsReported(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "drain")
	apply(t, "", servedKind("cluster.x-k8s.io", "Namespaced", "Machine", "machines", "v1beta1"))
	apply(t, ns, `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: front}
spec: {minAvailable: 2, selector: {matchLabels: {app: front}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: front}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec: {containers: [{name: front, image: "registry.example.com/shop/front:1"}]}
`)
	record(t, ns, `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Machine
metadata: {name: worker-1}
spec: {clusterName: shop}
status: {phase: Deleting, conditions: [{type: Ready, status: "False", reason: Deleting, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}, {type: Deleting, status: "True", reason: DrainingNode, lastTransitionTime: "2026-01-01T00:00:00Z", message: "* Pods `+ns+`/front-x: cannot evict pod as it would violate the pod's disruption budget. The disruption budget front needs 2 healthy pods and has 2 currently"}]}
`)
	blames(t, ns, "machines.cluster.x-k8s.io/worker-1", "EvictionBlocked action PodDisruptionBudget/front", "it wants all of its 2 pods healthy, always", "Machine")
}
