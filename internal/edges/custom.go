package edges

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The kinds that projects' controllers generate. As everywhere, a selector only
// narrows the search, and the owner decides.

// generatedKind is a kind that a custom resource's controller makes, and where to look for it.
type generatedKind struct {
	group, version, resource, kind string
	// label is the label with the owner's name. Without one the whole namespace
	// is searched. An empty version is the owner's.
	label string
}

// selecting are the kinds whose own selector finds what they make, as it does for their controllers
// (cluster-api v1.11, internal/controllers/machineset).
var selecting = []string{"cluster.x-k8s.io/MachineDeployment", "cluster.x-k8s.io/MachineSet"}

// customChildren lists, by group and kind, what custom resources generate. Labels and
// kinds as of cert-manager v1.18, Knative serving v1.19, Tekton pipelines v1.3,
// Cluster API v1.11, Karpenter v1.8, KubeRay v1.5, JobSet v0.10, LeaderWorkerSet v0.7.
var customChildren = map[string][]generatedKind{
	"cert-manager.io/Certificate":        {{"cert-manager.io", "", "certificaterequests", "CertificateRequest", ""}},
	"cert-manager.io/CertificateRequest": {{"acme.cert-manager.io", "v1", "orders", "Order", ""}},
	"acme.cert-manager.io/Order":         {{"acme.cert-manager.io", "", "challenges", "Challenge", ""}},

	"serving.knative.dev/Service": {
		{"serving.knative.dev", "", "configurations", "Configuration", "serving.knative.dev/service"},
		{"serving.knative.dev", "", "routes", "Route", "serving.knative.dev/service"},
	},
	"serving.knative.dev/Configuration": {
		{"serving.knative.dev", "", "revisions", "Revision", "serving.knative.dev/configuration"},
	},
	"serving.knative.dev/Revision": {{"apps", "v1", "deployments", "Deployment", "serving.knative.dev/revision"}},

	// A Knative Service for each component, or a Deployment where there is no Knative (kserve v0.15
	// pkg/constants/constants.go, InferenceServicePodLabelKey).
	"serving.kserve.io/InferenceService": {
		{"serving.knative.dev", "v1", "services", "Service", "serving.kserve.io/inferenceservice"},
		{"apps", "v1", "deployments", "Deployment", "serving.kserve.io/inferenceservice"},
	},

	"tekton.dev/PipelineRun": {{"tekton.dev", "", "taskruns", "TaskRun", "tekton.dev/pipelineRun"}},
	"tekton.dev/TaskRun":     {{"", "v1", "pods", "Pod", "tekton.dev/taskRun"}},

	"cluster.x-k8s.io/Cluster": {
		{"cluster.x-k8s.io", "", "machinedeployments", "MachineDeployment", "cluster.x-k8s.io/cluster-name"},
	},
	"cluster.x-k8s.io/MachineDeployment": {
		{"cluster.x-k8s.io", "", "machinesets", "MachineSet", "cluster.x-k8s.io/deployment-name"},
	},
	"cluster.x-k8s.io/MachineSet": {{"cluster.x-k8s.io", "", "machines", "Machine", "cluster.x-k8s.io/set-name"}},

	"karpenter.sh/NodePool": {{"karpenter.sh", "", "nodeclaims", "NodeClaim", "karpenter.sh/nodepool"}},

	"ray.io/RayCluster": {
		{"", "v1", "pods", "Pod", "ray.io/cluster"},
		{"", "v1", "services", "Service", "ray.io/cluster"},
	},

	// (dragonfly-operator internal/resources/resources.go at 00e1c28; kroxylicious-operator's
	// ProxyDeploymentDependentResource and its Services' standard labels)
	"dragonflydb.io/Dragonfly": {
		{"apps", "v1", "statefulsets", "StatefulSet", "app"},
		{"", "v1", "services", "Service", "app"},
	},
	"kroxylicious.io/KafkaProxy": {
		{"apps", "v1", "deployments", "Deployment", "app.kubernetes.io/instance"},
		{"", "v1", "services", "Service", "app.kubernetes.io/instance"},
	},

	// The label with the owner's name can be configured (postgres-operator v1.15,
	// cluster_name_label), or has a suffix (redis-operator v0.22, app=NAME-leader).
	"acid.zalan.do/postgresql": {
		{"apps", "v1", "statefulsets", "StatefulSet", ""},
		{"apps", "v1", "deployments", "Deployment", ""},
		{"", "v1", "services", "Service", ""},
	},
	"redis.redis.opstreelabs.in/RedisCluster": {
		{"apps", "v1", "statefulsets", "StatefulSet", ""},
		{"", "v1", "services", "Service", ""},
	},
	// A StatefulSet for each host, whose Pods answer or not after the reconciliation has completed
	// (clickhouse-operator 0.25 pkg/model/common/creator/stateful-set.go).
	"clickhouse.altinity.com/ClickHouseInstallation":              {{"apps", "v1", "statefulsets", "StatefulSet", ""}},
	"clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation": {{"apps", "v1", "statefulsets", "StatefulSet", ""}},

	"wildfly.org/WildFlyServer": { // (wildfly-operator controllers/wildflyserver_controller.go)
		{"apps", "v1", "statefulsets", "StatefulSet", "app.kubernetes.io/name"},
		{"", "v1", "services", "Service", "app.kubernetes.io/name"},
	},

	// Their objects have no status at all (redis-operator v1.3
	// operator/redisfailover/service/generator.go, fluent-operator v3.4 pkg/operator): the labels
	// of FluentBit's DaemonSet are the user's.
	"databases.spotahome.com/RedisFailover": {
		{"apps", "v1", "statefulsets", "StatefulSet", "app.kubernetes.io/name"},
		{"apps", "v1", "deployments", "Deployment", "app.kubernetes.io/name"},
		{"", "v1", "services", "Service", "app.kubernetes.io/name"},
	},
	"fluentbit.fluent.io/FluentBit": {{"apps", "v1", "daemonsets", "DaemonSet", ""}},
	"fluentd.fluent.io/Fluentd": {
		{"apps", "v1", "statefulsets", "StatefulSet", "app.kubernetes.io/name"},
		{"apps", "v1", "daemonsets", "DaemonSet", "app.kubernetes.io/name"},
	},

	// A proxy of its own, where the implementation makes one: Istio, Cilium, kgateway, NGINX
	// Gateway Fabric (gateway-api GEP-1762).
	"gateway.networking.k8s.io/Gateway": {
		{"apps", "v1", "deployments", "Deployment", "gateway.networking.k8s.io/gateway-name"},
		{"", "v1", "services", "Service", "gateway.networking.k8s.io/gateway-name"},
	},

	// (addon-controller v1.7, api/v1beta1/clustersummary_types.go)
	"config.projectsveltos.io/ClusterProfile": {
		{"config.projectsveltos.io", "", "clustersummaries", "ClusterSummary", "projectsveltos.io/cluster-profile-name"},
	},

	"jobset.x-k8s.io/JobSet": {{"batch", "v1", "jobs", "Job", "jobset.sigs.k8s.io/jobset-name"}},
	"leaderworkerset.x-k8s.io/LeaderWorkerSet": {
		{"apps", "v1", "statefulsets", "StatefulSet", "leaderworkerset.sigs.k8s.io/name"},
	},
}

// childrenOfUnknown are the kinds that operators make in order to run, serve and store something.
// The children of a custom resource without a line above are looked for in these kinds, in its
// whole namespace: only metadata is read, and the owner decides. ConfigMaps, Secrets and the like
// have no status that could explain anything.
var childrenOfUnknown = []generatedKind{
	{"", "v1", "pods", "Pod", ""},
	{"batch", "v1", "jobs", "Job", ""},
	{"apps", "v1", "statefulsets", "StatefulSet", ""},
	{"apps", "v1", "deployments", "Deployment", ""},
	{"apps", "v1", "daemonsets", "DaemonSet", ""},
	{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", ""},
	{"", "v1", "services", "Service", ""},
	{"networking.k8s.io", "v1", "ingresses", "Ingress", ""},
}

// childrenOfUnknownClusterScoped are the same for a custom resource without a namespace, in all
// namespaces. Pods are not among them: what runs them leads to them.
var childrenOfUnknownClusterScoped = []generatedKind{
	{"apps", "v1", "deployments", "Deployment", ""},
	{"apps", "v1", "daemonsets", "DaemonSet", ""},
	{"apps", "v1", "statefulsets", "StatefulSet", ""},
	{"batch", "v1", "jobs", "Job", ""},
}

// withoutChildren are groups, and kinds of groups, whose objects own nothing that could explain
// them: they write Secrets, or apply manifests that are followed by an inventory.
var withoutChildren = []string{
	"source.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io",
	"notification.toolkit.fluxcd.io",
	"external-secrets.io", "gateway.networking.k8s.io", "snapshot.storage.k8s.io",
	"argoproj.io/Application", "argoproj.io/AppProject", "argoproj.io/Rollout", "cert-manager.io/Issuer",
	"cert-manager.io/ClusterIssuer",
}

// Searches reports whether nothing says what o makes, so that its children can only be found by
// listing whole kinds. Nobody does that for a parent that is Current and closed, not even where
// all children are wanted.
func Searches(o *object.Object) bool {
	return !o.MetadataOnly && object.ProjectGroup(o.Group) && customChildren[o.GroupKind()] == nil &&
		!slices.Contains(withoutChildren, o.Group) && !slices.Contains(withoutChildren, o.GroupKind())
}

// LooksBelow reports whether the children that o is known to make are looked at where that costs no
// request, although o is Current: its status does not sum them up. Those of kinds that keep
// their past (a request that failed before the certificate was issued, a revision that never
// served) are not.
func LooksBelow(o *object.Object) bool {
	return Searches(o) || customChildren[o.GroupKind()] != nil && !slices.Contains(keepPast, o.Group)
}

// keepPast are the groups whose objects own what is over, and what came of it.
var keepPast = []string{"cert-manager.io", "acme.cert-manager.io", "serving.knative.dev", "tekton.dev"}

// Relatives reports whether two API groups belong to one project: they are equal, or share a
// domain that is a project's own (core.strimzi.io and kafka.strimzi.io, cluster.x-k8s.io and
// controlplane.cluster.x-k8s.io).
func Relatives(a, b string) bool {
	domain := func(group string, parts int) string {
		list := strings.Split(group, ".")
		return strings.Join(list[max(len(list)-parts, 0):], ".")
	}
	switch d := domain(a, 2); d {
	case "x-k8s.io": // each project has a domain in it
		return domain(a, 3) == domain(b, 3)
	case "k8s.io", "k8s.aws", "azure.com", "google.com", "googleapis.com", "amazonaws.com", "ibm.com", "openshift.io":
		return a == b // many projects' domain
	default:
		return d == domain(b, 2)
	}
}

// Provides reports whether an API group is that of the product for which a kind of another project
// stands: a TinkerbellMachine of Cluster API owns a Workflow of tinkerbell.org (aws/eks-anywhere#6196).
func Provides(group, kind string) bool {
	labels := strings.Split(group, ".")
	if len(labels) < 2 {
		return false
	}
	product := labels[len(labels)-2]
	return len(product) >= 5 && strings.HasPrefix(strings.ToLower(kind), product)
}

// customNeeds are the needs of a custom resource.
func customNeeds(o *object.Object) []Need {
	if o.Group == "argoproj.io" && o.Kind == "Rollout" {
		// A Rollout has a Deployment's selector.
		sel := SelectorOf(o)
		if len(sel.Match)+len(sel.Exprs) == 0 {
			return nil
		}
		out := []Need{need("apps", "v1", "replicasets", "ReplicaSet", o, sel), pods(o, sel)}
		if analysed(o) {
			out = append(out, need("argoproj.io", "v1alpha1", "analysisruns", "AnalysisRun", o, object.Selector{}))
		}
		return out
	}
	list := customChildren[o.GroupKind()]
	search := Searches(o)
	switch {
	case search && o.Namespace == "":
		list = childrenOfUnknownClusterScoped
	case search:
		list = childrenOfUnknown
	}
	if len(list) == 0 {
		return nil
	}
	out, own := make([]Need, 0, len(list)+1), SelectorOf(o)
	for _, m := range list {
		var sel object.Selector
		switch {
		case slices.Contains(selecting, o.GroupKind()) && len(own.Match)+len(own.Exprs) > 0:
			sel = own
		case m.label != "" && len(o.Name) > 63:
			continue // too long for a label value
		case m.label != "":
			sel = equals(m.label, o.Name)
		}
		n := need(m.group, m.version, m.resource, m.kind, o, sel)
		if n.Version == "" {
			n.Version = o.Version
		}
		n.Search = search
		out = append(out, n)
	}
	if search {
		// the project's own kinds
		out = append(out, Need{Group: o.Group, Namespace: o.Namespace, Search: true, OwnerKind: o.Kind})
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// analysed reports whether a Rollout's status speaks of an analysis: one that runs,
// or that has failed. (argo-rollouts utils/conditions and pkg/apis/rollouts/v1alpha1,
// v1.10.1)
func analysed(o *object.Object) bool {
	for _, strategy := range [...]string{"canary", "blueGreen"} {
		for key := range o.Map("status", strategy) {
			if strings.HasSuffix(key, "AnalysisRunStatus") {
				return true
			}
		}
	}
	return slices.ContainsFunc(o.Conditions,
		func(c object.Condition) bool { return strings.Contains(c.Message, "analysis") })
}

// SelectorOf is the label selector in the spec of an object without a view: a
// PodDisruptionBudget, a Rollout.
func SelectorOf(o *object.Object) object.Selector { return SelectorAt(o, "spec", "selector") }

// SelectorAt is the label selector at a path of an object without a view.
func SelectorAt(o *object.Object, path ...string) (sel object.Selector) {
	m := o.Map(path...)
	labels, _ := m["matchLabels"].(map[string]any)
	for k, v := range labels {
		if s, ok := v.(string); ok {
			sel.Match = append(sel.Match, object.Label{Key: k, Value: s})
		}
	}
	slices.SortFunc(sel.Match, func(a, b object.Label) int { return strings.Compare(a.Key, b.Key) })
	list, _ := m["matchExpressions"].([]any)
	for _, v := range list {
		e, _ := v.(map[string]any)
		r := object.Requirement{Key: str(e, "key"), Operator: str(e, "operator")}
		values, _ := e["values"].([]any)
		for _, x := range values {
			if s, ok := x.(string); ok {
				r.Values = append(r.Values, s)
			}
		}
		sel.Exprs = append(sel.Exprs, r)
	}
	return sel
}
