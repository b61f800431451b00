package edges

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
)

func referencesOf(t *testing.T, doc string) []string {
	t.Helper()
	o, err := convert.JSON([]byte(doc), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range References(o) {
		s := r.To.GroupKind() + " " + r.To.Namespace + "/" + r.To.Name
		if r.Optional {
			s += " optional"
		}
		out = append(out, s)
	}
	return out
}

func TestReferencesOfEachKindAreFound(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		want      []string
	}{
		{
			"a pod names its claims, configuration, account and node",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a"},"spec":{"nodeName":"n1","serviceAccountName":"sa","priorityClassName":"gold",
			"containers":[{"name":"c","envFrom":[{"secretRef":{"name":"s"}},{"configMapRef":{"name":"m","optional":true}}]}],
			"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}}`,
			[]string{"Secret a/s", "ConfigMap a/m optional", "PersistentVolumeClaim a/data", "ServiceAccount a/sa", "scheduling.k8s.io/PriorityClass /gold", "Node /n1"},
		},
		{
			"an ingress names its services, the default backend among them, its certificates and its class",
			`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i","namespace":"a"},"spec":{"ingressClassName":"nginx",
			"defaultBackend":{"service":{"name":"fallback","port":{"number":80}}},
			"rules":[{"http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"web","port":{"name":"http"}}}}]}}],"tls":[{"secretName":"web-tls"}]}}`,
			[]string{"Service a/fallback", "Service a/web", "Secret a/web-tls", "networking.k8s.io/IngressClass /nginx"},
		},
		{
			"a route's backends keep their namespace",
			`{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"r","namespace":"a"},"spec":{
			"parentRefs":[{"name":"gw","namespace":"infra"}],"rules":[{"backendRefs":[{"name":"web","port":80},{"name":"other","namespace":"b","port":80}]}]}}`,
			[]string{"gateway.networking.k8s.io/Gateway infra/gw", "Service a/web", "Service b/other"},
		},
		{
			"an autoscaler names its target",
			`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h","namespace":"a"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}`,
			[]string{"apps/Deployment a/web"},
		},
		{
			"a certificate names its issuer, cluster-wide or not, and its secret",
			`{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":"c","namespace":"a"},"spec":{"secretName":"tls","issuerRef":{"name":"le","kind":"ClusterIssuer"}}}`,
			[]string{"cert-manager.io/ClusterIssuer /le", "Secret a/tls optional"},
		},
		{
			"a kustomization names its source and what it depends on",
			`{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"apps","namespace":"flux"},"spec":{"sourceRef":{"kind":"GitRepository","name":"repo"},"dependsOn":[{"name":"infra"}]}}`,
			[]string{"source.toolkit.fluxcd.io/GitRepository flux/repo", "kustomize.toolkit.fluxcd.io/Kustomization flux/infra"},
		},
		{
			"a HelmRelease names its repository, and the chart that was made for it",
			`{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","metadata":{"name":"web","namespace":"apps"},"spec":{"chart":{"spec":{"chart":"web","sourceRef":{"kind":"HelmRepository","name":"charts"}}}},"status":{"helmChart":"flux/apps-web"}}`,
			[]string{"source.toolkit.fluxcd.io/HelmRepository apps/charts", "source.toolkit.fluxcd.io/HelmChart flux/apps-web"},
		},
		{
			"an API service names its service by namespace and name",
			`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.x"},"spec":{"service":{"namespace":"sys","name":"x"}}}`,
			[]string{"Service sys/x"},
		},
		{
			"a pod names its runtime class and its resource claims",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a"},"spec":{"runtimeClassName":"gvisor","resourceClaims":[{"name":"g","resourceClaimName":"gpu"}],"containers":[{"name":"c"}]}}`,
			[]string{"resource.k8s.io/ResourceClaim a/gpu", "node.k8s.io/RuntimeClass /gvisor"},
		},
		{
			"a volume names its claim, its class and its driver",
			`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"storageClassName":"fast","csi":{"driver":"csi.lab.io"},"claimRef":{"namespace":"a","name":"data"}}}`,
			[]string{"PersistentVolumeClaim a/data", "storage.k8s.io/StorageClass /fast", "storage.k8s.io/CSIDriver /csi.lab.io"},
		},
		{
			"a volume names its driver's secrets, in their namespaces",
			`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"csi":{"driver":"csi.lab.io","nodeStageSecretRef":{"namespace":"sys","name":"stage"},"nodePublishSecretRef":{"namespace":"a","name":"mount"}}}}`,
			[]string{"storage.k8s.io/CSIDriver /csi.lab.io", "Secret sys/stage", "Secret a/mount"},
		},
		{
			"a pod names the secret that its driver mounts with",
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a"},"spec":{"containers":[{"name":"c"}],"volumes":[{"name":"v","csi":{"driver":"csi.lab.io","nodePublishSecretRef":{"name":"mount"}}}]}}`,
			[]string{"Secret a/mount"},
		},
		{
			"an attachment names its volume and its node",
			`{"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":"x"},"spec":{"nodeName":"n1","source":{"persistentVolumeName":"pv"}}}`,
			[]string{"PersistentVolume /pv", "Node /n1"},
		},
		{
			"a node names its drivers and its pool",
			`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"karpenter.sh/nodepool":"default"}}}`,
			[]string{"storage.k8s.io/CSINode /n1", "karpenter.sh/NodePool /default"},
		},
		{
			"a machine names its node, its infrastructure and its bootstrap",
			`{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{"name":"m","namespace":"a"},"spec":{"infrastructureRef":{"kind":"AWSMachine","apiGroup":"infrastructure.cluster.x-k8s.io","name":"m"},
			"bootstrap":{"configRef":{"kind":"KubeadmConfig","apiGroup":"bootstrap.cluster.x-k8s.io","name":"m"}}},"status":{"nodeRef":{"name":"n1"}}}`,
			[]string{"Node /n1", "infrastructure.cluster.x-k8s.io/AWSMachine a/m", "bootstrap.cluster.x-k8s.io/KubeadmConfig a/m"},
		},
		{
			"a vertical autoscaler names its target",
			`{"apiVersion":"autoscaling.k8s.io/v1","kind":"VerticalPodAutoscaler","metadata":{"name":"v","namespace":"a"},"spec":{"targetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"}}}`,
			[]string{"apps/Deployment a/web"},
		},
		{"a config map names nothing", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"a"}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, referencesOf(t, c.doc)); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}
