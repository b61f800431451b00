package edges

import (
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestTheChainsOfTheEcosystemsAreLookedFor(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{
			"a certificate's requests carry no label: the whole namespace",
			`{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":"web","namespace":"a"}}`,
			[]string{"cert-manager.io/v1 certificaterequests "},
		},
		{
			"an order is of another group",
			`{"apiVersion":"cert-manager.io/v1","kind":"CertificateRequest","metadata":{"name":"web-1","namespace":"a"}}`,
			[]string{"acme.cert-manager.io/v1 orders "},
		},
		{
			"a Knative service makes two kinds, in its own version",
			`{"apiVersion":"serving.knative.dev/v1","kind":"Service","metadata":{"name":"api","namespace":"a"}}`,
			[]string{"serving.knative.dev/v1 configurations serving.knative.dev/service=api", "serving.knative.dev/v1 routes serving.knative.dev/service=api"},
		},
		{
			"a machine set's machines, in the version that it was read in",
			`{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","metadata":{"name":"md-1","namespace":"a"}}`,
			[]string{"cluster.x-k8s.io/v1beta2 machines cluster.x-k8s.io/set-name=md-1"},
		},
		{
			"a Ray cluster's Pods are its own",
			`{"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"ray","namespace":"a"}}`,
			[]string{"/v1 pods ray.io/cluster=ray", "/v1 services ray.io/cluster=ray"},
		},
		{
			"what stays ready whatever becomes of its parts",
			`{"apiVersion":"kroxylicious.io/v1alpha1","kind":"KafkaProxy","metadata":{"name":"simple","namespace":"a"}}`,
			[]string{"apps/v1 deployments app.kubernetes.io/instance=simple", "/v1 services app.kubernetes.io/instance=simple"},
		},
		{
			"a cache's StatefulSet",
			`{"apiVersion":"dragonflydb.io/v1alpha1","kind":"Dragonfly","metadata":{"name":"cache-a","namespace":"a"}}`,
			[]string{"apps/v1 statefulsets app=cache-a", "/v1 services app=cache-a"},
		},
		{
			"a model server's Knative Services, or its Deployments",
			`{"apiVersion":"serving.kserve.io/v1beta1","kind":"InferenceService","metadata":{"name":"iris","namespace":"a"}}`,
			[]string{"serving.knative.dev/v1 services serving.kserve.io/inferenceservice=iris", "apps/v1 deployments serving.kserve.io/inferenceservice=iris"},
		},
		{
			"what has no status has its workloads",
			`{"apiVersion":"databases.spotahome.com/v1","kind":"RedisFailover","metadata":{"name":"cache","namespace":"a"}}`,
			[]string{
				"apps/v1 statefulsets app.kubernetes.io/name=cache", "apps/v1 deployments app.kubernetes.io/name=cache",
				"/v1 services app.kubernetes.io/name=cache",
			},
		},
		{
			"a database whose label can be configured",
			`{"apiVersion":"acid.zalan.do/v1","kind":"postgresql","metadata":{"name":"pg","namespace":"a"}}`,
			[]string{"apps/v1 statefulsets ", "apps/v1 deployments ", "/v1 services "},
		},
		{
			"a StatefulSet for each host",
			`{"apiVersion":"clickhouse.altinity.com/v1","kind":"ClickHouseInstallation","metadata":{"name":"ch","namespace":"a"}}`,
			[]string{"apps/v1 statefulsets "},
		},
		{
			"an application server's StatefulSet",
			`{"apiVersion":"wildfly.org/v1alpha1","kind":"WildFlyServer","metadata":{"name":"eap","namespace":"a"}}`,
			[]string{"apps/v1 statefulsets app.kubernetes.io/name=eap", "/v1 services app.kubernetes.io/name=eap"},
		},
		{
			"a machine set selects its machines",
			`{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","metadata":{"name":"md-1","namespace":"a"},"spec":{"selector":{"matchLabels":{"machine-template-hash":"x5k2w"}}}}`,
			[]string{"cluster.x-k8s.io/v1beta2 machines machine-template-hash=x5k2w"},
		},
		{
			"a rollout selects as a deployment does",
			`{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web","namespace":"a"},"spec":{"selector":{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"tier","operator":"In","values":["x"]}]}}}`,
			[]string{"apps/v1 replicasets app=web,tier in (x)", "/v1 pods app=web,tier in (x)"},
		},
		{
			"a rollout whose analysis failed has its runs looked at",
			`{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web","namespace":"a"},"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"conditions":[{"type":"Progressing","status":"False","reason":"RolloutAborted","message":"Rollout aborted update to revision 2: Step-based analysis phase error/failed"}]}}`,
			[]string{"apps/v1 replicasets app=web", "/v1 pods app=web", "argoproj.io/v1alpha1 analysisruns "},
		},
		{"a rollout without a selector makes nothing that could be found", `{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web","namespace":"a"},"spec":{}}`, nil},
		{"an issuer makes nothing", `{"apiVersion":"cert-manager.io/v1","kind":"Issuer","metadata":{"name":"le","namespace":"a"}}`, nil},
		{
			"of an unknown resource's children only their owner tells",
			`{"apiVersion":"kafka.strimzi.io/v1","kind":"Kafka","metadata":{"name":"events","namespace":"a"}}`,
			[]string{
				"/v1 pods ", "batch/v1 jobs ", "apps/v1 statefulsets ", "apps/v1 deployments ", "apps/v1 daemonsets ",
				"/v1 persistentvolumeclaims ", "/v1 services ", "networking.k8s.io/v1 ingresses ", "kafka.strimzi.io/  ",
			},
		},
		{
			"one of the cluster has them anywhere: what runs its Pods is looked for",
			`{"apiVersion":"lab.io/v1","kind":"Widget","metadata":{"name":"w"}}`,
			[]string{"apps/v1 deployments ", "apps/v1 daemonsets ", "apps/v1 statefulsets ", "batch/v1 jobs ", "lab.io/  "},
		},
		{"an issuer of the cluster makes nothing", `{"apiVersion":"cert-manager.io/v1","kind":"ClusterIssuer","metadata":{"name":"le"}}`, nil},
		{"Flux applies what an inventory lists", `{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"w","namespace":"a"}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := convert.JSON([]byte(c.doc), convert.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range Needs(o) {
				got = append(got, n.Group+"/"+n.Version+" "+n.Resource+" "+Format(n.Selector))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

// Whatever an object contains, the needs are bounded, and nothing panics.
func FuzzEdges(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i","namespace":"a"},"spec":{"tls":[{"secretName":"s"}],"rules":[{"http":{"paths":[{"backend":{"service":{"name":"web"}}}]}}]}}`))
	f.Add([]byte(`{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web","uid":"u"},"spec":{"selector":{"matchLabels":{"app":"web"},"matchExpressions":[null,{"key":1}]}}}`))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","ownerReferences":[{"uid":"u","kind":"Pod","name":"p"}]},"spec":{"nodeName":"n","volumes":[{"persistentVolumeClaim":{"claimName":"c"}}],"resourceClaims":[{"resourceClaimName":"g"}]}}`))
	f.Add([]byte(`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"r"},"spec":{"parentRefs":[{"name":"g"},null,3],"rules":[{"backendRefs":[{"name":"w","namespace":"b"}]}]}}`))
	f.Add([]byte(`{"apiVersion":"example.org/v1","kind":"X","metadata":{"name":"x"},"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"a/v1","kind":"K","name":"n"},[[]]]}}}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		o, err := convert.JSON(doc, convert.Options{})
		if err != nil {
			return
		}
		refs := References(o)
		if len(refs) > 256 {
			t.Errorf("%d references", len(refs))
		}
		seen := map[object.ID]bool{}
		for _, r := range refs {
			if r.To == o.ID || r.To.Name == "" || r.To.Kind == "" || seen[r.To] {
				t.Errorf("refers to %v", r.To)
			}
			seen[r.To] = true
		}
		for _, n := range Needs(o) {
			if (n.Resource == "" || n.Kind == "") && (n.Group == "" || n.Group != o.Group) {
				t.Errorf("looks for %+v", n)
			}
			_ = Format(n.Selector)
			_, _ = Instead(n)
		}
		if IsChild(o, o) {
			t.Error("it is its own child")
		}
		_ = Selects(SelectorOf(o), o)
		_ = Offers(o, nil)
		_ = Refers(o, nil)
	})
}

func TestGroupsOfOneProjectAreRelatives(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"kafka.strimzi.io", "core.strimzi.io", true},
		{"longhorn.io", "longhorn.io", true},
		{"postgresql.cnpg.io", "barmancloud.cnpg.io", true},
		{"cluster.x-k8s.io", "kueue.x-k8s.io", false}, // the domain of many projects
		{"controlplane.cluster.x-k8s.io", "cluster.x-k8s.io", true},
		{"infrastructure.cluster.x-k8s.io", "bootstrap.cluster.x-k8s.io", true},
		{"ec2.services.k8s.aws", "s3.services.k8s.aws", false},
		{"kueue.x-k8s.io", "kueue.x-k8s.io", true},
		{"batch", "apps", false},
	} {
		if got := Relatives(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func TestAGroupProvidesForTheKindThatNamesItsProduct(t *testing.T) {
	for _, c := range []struct {
		group, kind string
		want        bool
	}{
		{"tinkerbell.org", "TinkerbellMachine", true},
		{"kubevirt.io", "KubevirtMachine", true},
		{"cdi.kubevirt.io", "KubevirtMachine", true},
		{"metal3.io", "Metal3Machine", true},
		{"tinkerbell.org", "Machine", false},
		{"apps", "Apps", false},
		{"kro.run", "KroThing", false}, // too short to be more than chance
	} {
		if got := Provides(c.group, c.kind); got != c.want {
			t.Errorf("%s for %s: %v", c.group, c.kind, got)
		}
	}
}

// A NodePool is Ready whatever becomes of its NodeClaims; a certificate that was issued owns
// the requests that failed before.
func TestChildrenAreLookedAtBelowWhatDoesNotSumThemUp(t *testing.T) {
	for groupKind, want := range map[string]bool{
		"karpenter.sh/NodePool": true, "cluster.x-k8s.io/MachineSet": true, "lab.io/Database": true,
		"cert-manager.io/Certificate": false, "serving.knative.dev/Service": false, "tekton.dev/PipelineRun": false,
		"apps/Deployment": false, "source.toolkit.fluxcd.io/GitRepository": false,
	} {
		group, kind, _ := strings.Cut(groupKind, "/")
		o := &object.Object{ID: object.ID{Group: group, Kind: kind, Name: "x"}, Tree: map[string]any{}}
		if got := LooksBelow(o); got != want {
			t.Errorf("%s: %t, want %t", groupKind, got, want)
		}
	}
}
