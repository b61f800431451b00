package explaintest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// A Case is a small cluster as text, and the causes that it must have. It begins with
// "== name"; then come YAML documents and lines of its own, then the causes wanted,
// one a line:
//
//	-> Code class Kind/name[container] ×count: words of the title
//
// or "-> nothing", which allows ordinary progress alone. What is left out after
// the code is not compared. Documents take short cuts: namespace, uid and
// creationTimestamp (an hour ago) are filled in; "owner: Kind/name" makes an
// owner reference; "event:" makes an event about Kind/name, a minute ago.
// Moments are written as "-90s": before [Now]. The simplest case:
//
//	== ConfigMapMissing: the kubelet says so
//	kind: Pod
//	name: web
//	spec: {nodeName: n1, containers: [{name: app, image: i}]}
//	status:
//	  phase: Pending
//	  containerStatuses:
//	  - {name: app, state: {waiting: {reason: CreateContainerConfigError, message: 'configmap "web" not found'}}}
//	---
//	event: {about: Pod/web, reason: Failed, message: 'Error: configmap "web" not found'}
//	absent: ConfigMap/web
//	-> ConfigMissing action Pod/web[app]: ConfigMap web does not exist
//
// Lines of their own describe the cluster:
//
//	absent: Kind/name      a GET has said that it does not exist
//	complete: Kind …       all objects of these kinds are known
//	member: Kind/name Kind/root   the inventory with that root lists it
//	manifest: -f file      where the roots were read from
//	hidden: Kind why       not permitted to see the kind
//	log: pod/container …   the decisive line of its log
//	logged: pod/container … a line of the log of a controller; "hidden: log why" hides all of them
//	lost: Kind/name n      it stopped being Current n times in the last minute
//	written: Kind/name n   its spec was changed n times in the last minute
//	gone: Kind/name -40s   it was deleted while we watched
//	trouble: Kind error    the source of the kind fails
//	template: Kind/name {…} the pod template of a revision, as YAML in one line
//	respec: Kind/name path before after   a field of its spec was changed
//	roots: Kind/name …     what was asked for (else: what nothing owns)
//
// and what is wanted of the causes:
//
//	changed: path: before → after         wanted, of all causes, in this order
//	shown: Kind/name …      wanted among the proof of the causes
//	unshown: Kind/name …    not wanted there
//	certainty: likely       wanted of all causes
//	next: kubectl …         the first command wanted of all causes
//	first: Code             the cause wanted before all others
//	missing: kinds: why     wanted among what causes say could not be read
//	verdict: Kind/name Failed …   what it is judged to be, one of these
//
// A case stands in the file of testdata/cases that is named after its subject; cases from
// public reports stand in the files named incidents, and name their source.
type Case struct {
	File, Name string           // the file without its ending
	Objects    []map[string]any // as an API server has them, but "judged", which is the case's own
	Lines      []Line           // what the case says beside its objects, in order
	Wanted     []string         // without the arrow
}

// Line is "key: rest".
type Line struct{ Key, Rest string }

// lines are the keys of the lines that are no YAML.
var lines = []string{
	"absent", "complete", "member", "manifest", "hidden", "log", "logged", "lost", "written", "gone",
	"trouble", "template", "respec",
	"changed", "shown", "unshown", "certainty", "next", "first", "missing", "verdict", "roots",
}

// Now is the moment of every case.
var Now = time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)

// Cases reads all cases of a folder.
func Cases(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there are no cases in %s", dir)
	}
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, text := range strings.Split("\n"+string(data), "\n== ")[1:] {
			name, body, _ := strings.Cut(text, "\n")
			c := Case{File: strings.TrimSuffix(filepath.Base(file), ".txt"), Name: name}
			if err := c.read(body); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", file, name, err)
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

func (c *Case) read(body string) error {
	var doc strings.Builder
	flush := func() error {
		text := doc.String()
		doc.Reset()
		if strings.TrimSpace(text) == "" {
			return nil
		}
		var m map[string]any
		if err := yaml.Unmarshal([]byte(text), &m); err != nil {
			return fmt.Errorf("%w in\n%s", err, text)
		}
		return c.Add(m)
	}
	for l := range strings.Lines(body) {
		l = strings.TrimRight(l, "\n")
		key, rest, _ := strings.Cut(l, ": ")
		switch {
		case strings.HasPrefix(l, "#"):
			continue
		case strings.HasPrefix(l, "-> "):
			c.Wanted = append(c.Wanted, l[3:])
		case slices.Contains(lines, key):
			c.Lines = append(c.Lines, Line{key, rest})
		case l != "---":
			doc.WriteString(l + "\n")
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for _, o := range c.Objects { // an event may stand before what it is about
		about, _ := o["involvedObject"].(map[string]any)
		if about != nil && about["uid"] == nil {
			maps.Copy(about, c.named(fmt.Sprint(about["kind"]), fmt.Sprint(about["name"])))
		}
	}
	return nil
}

// Add adds a document, with everything that it leaves out.
func (c *Case) Add(m map[string]any) error {
	times(m)
	if e, ok := m["event"].(map[string]any); ok {
		c.Objects = append(c.Objects, c.event(e))
		return nil
	}
	kind, _ := m["kind"].(string)
	if kind == "" {
		return fmt.Errorf("a document without a kind: %v", m)
	}
	if m["apiVersion"] == nil {
		m["apiVersion"] = apiVersion(kind)
	}
	if name, ok := alias[kind]; ok {
		m["kind"] = name
	}
	meta, _ := m["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		m["metadata"] = meta
	}
	for _, k := range []string{"name", "labels"} {
		if v, ok := m[k]; ok {
			meta[k] = v
			delete(m, k)
		}
	}
	fill := func(k string, v any) {
		if meta[k] == nil {
			meta[k] = v
		}
	}
	if kind == "Lease" {
		fill("namespace", "kube-system")
	}
	fill("uid", "u-"+kind+"-"+fmt.Sprint(meta["name"]))
	fill("creationTimestamp", Now.Add(-time.Hour).Format(time.RFC3339))
	if !ClusterScoped[kind] {
		fill("namespace", "a")
	}
	if o, ok := m["owner"].(string); ok {
		k, n, _ := strings.Cut(o, "/")
		owner := c.named(k, n)
		meta["ownerReferences"] = []any{
			map[string]any{
				"apiVersion": owner["apiVersion"], "kind": k, "name": n,
				"uid": "u-" + k + "-" + n, "controller": true,
			},
		}
		delete(m, "owner")
	}
	c.Objects = append(c.Objects, m)
	return nil
}

// event is the Event that a document "event:" stands for.
func (c *Case) event(e map[string]any) map[string]any {
	get := func(k, otherwise string) string {
		if s, ok := e[k].(string); ok {
			return s
		}
		return otherwise
	}
	kind, name, _ := strings.Cut(get("about", ""), "/")
	last := get("last", Now.Add(-time.Minute).Format(time.RFC3339))
	first := get("first", last)
	count := 1
	if first != last {
		count = 7 // a controller that repeats itself
	}
	about := c.named(kind, name)
	if path := get("field", ""); path != "" {
		about["fieldPath"] = path
	}
	uid := fmt.Sprint("e", len(c.Objects))
	return map[string]any{
		"apiVersion": "v1", "kind": "Event",
		"metadata": map[string]any{
			"name": name + "." + uid, "namespace": "a", "uid": uid,
			"creationTimestamp": first,
		},
		"involvedObject": about, "type": get("type", "Warning"), "reason": get("reason", ""),
		"message": get("message", ""),
		"count":   count, "firstTimestamp": first, "lastTimestamp": last,
		"source": map[string]any{"component": get("from", "")},
	}
}

// named is a reference to an object of the case, or to one that is in none.
func (c *Case) named(kind, name string) map[string]any {
	ref := map[string]any{"apiVersion": apiVersion(kind), "kind": kind, "name": name}
	if !ClusterScoped[kind] {
		ref["namespace"] = "a"
	}
	for _, o := range c.Objects {
		meta, _ := o["metadata"].(map[string]any)
		if o["kind"] != kind || meta["name"] != name {
			continue
		}
		ref["uid"] = meta["uid"]
		if Groups[kind] == "" {
			ref["apiVersion"], ref["namespace"] = o["apiVersion"], meta["namespace"]
		}
	}
	return ref
}

func apiVersion(kind string) string { return strings.TrimPrefix(Groups[kind]+"/v1", "/") }

// times turns "-90s" into moments, throughout a document.
func times(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k := range t {
			t[k] = times(t[k])
		}
	case []any:
		for i := range t {
			t[i] = times(t[i])
		}
	case string:
		if len(t) > 2 && (t[0] == '-' || t[0] == '+') {
			if d, err := time.ParseDuration(t); err == nil {
				return Now.Add(d).Format(time.RFC3339)
			}
		}
	}
	return v
}

// Groups are the API groups of kinds that a case names without one.
var Groups = map[string]string{
	"Deployment": "apps", "ReplicaSet": "apps", "StatefulSet": "apps", "DaemonSet": "apps",
	"Job": "batch", "CronJob": "batch",
	"EndpointSlice": "discovery.k8s.io", "Ingress": "networking.k8s.io", "IngressClass": "networking.k8s.io",
	"NetworkPolicy": "networking.k8s.io",
	"Lease":         "coordination.k8s.io", "ControllerRevision": "apps", "StorageClass": "storage.k8s.io",
	"VolumeAttachment": "storage.k8s.io", "CSINode": "storage.k8s.io", "CSIDriver": "storage.k8s.io",
	"HorizontalPodAutoscaler": "autoscaling", "PodDisruptionBudget": "policy",
	"APIService": "apiregistration.k8s.io", "CustomResourceDefinition": "apiextensions.k8s.io",
	"ValidatingWebhookConfiguration": "admissionregistration.k8s.io",
	"ValidatingAdmissionPolicy":      "admissionregistration.k8s.io",
	"PriorityClass":                  "scheduling.k8s.io", "RuntimeClass": "node.k8s.io",
	"Gateway": "gateway.networking.k8s.io", "GatewayClass": "gateway.networking.k8s.io",
	"HTTPRoute": "gateway.networking.k8s.io",
	"PgCluster": "postgresql.cnpg.io", "Backup": "velero.io", "MachinePool": "cluster.x-k8s.io",
	"RabbitmqCluster": "rabbitmq.com", "RuleGroups": "prometheusservice.services.k8s.aws",
	"VolumeSnapshot": "snapshot.storage.k8s.io", "VirtualMachine": "kubevirt.io",
	"SparkApplication": "sparkoperator.k8s.io",
	"postgresql":       "acid.zalan.do", "OpenStackCluster": "infrastructure.cluster.x-k8s.io",
	"RancherCluster": "provisioning.cattle.io",
	"ScaledObject":   "keda.sh", "TriggerAuthentication": "keda.sh", "VPC": "ec2.aws.crossplane.io",
	"CephCluster": "ceph.rook.io", "CephBlockPool": "ceph.rook.io",
	"ClusterProfile":     "config.projectsveltos.io",
	"ConstraintTemplate": "templates.gatekeeper.sh", "Elasticsearch": "elasticsearch.k8s.elastic.co",
	"Prometheus": "monitoring.coreos.com", "TargetGroupBinding": "elbv2.k8s.aws", "Release": "helm.sh",
	"Kafka": "kafka.strimzi.io", "Workload": "kueue.x-k8s.io", "Volume": "longhorn.io",
	"ClickHouseInstallation": "clickhouse.altinity.com", "ClusterExtension": "olm.operatorframework.io",
	"TinkerbellMachine": "infrastructure.cluster.x-k8s.io", "TinkerbellWorkflow": "tinkerbell.org",
	"KeycloakRealm": "v1.edp.epam.com", "DiskPool": "openebs.io",
	"Widget": "lab.io", "Kustomization": "kustomize.toolkit.fluxcd.io", "Terraform": "infra.contrib.fluxcd.io",
	"HelmRelease": "helm.toolkit.fluxcd.io", "HelmChart": "source.toolkit.fluxcd.io",
	"GitRepository": "source.toolkit.fluxcd.io",
	"Application":   "argoproj.io", "EventBus": "argoproj.io", "Rollout": "argoproj.io",
	"Certificate": "cert-manager.io", "CertificateRequest": "cert-manager.io", "Issuer": "cert-manager.io",
	"Order": "acme.cert-manager.io", "Challenge": "acme.cert-manager.io",
	"ClusterIssuer": "cert-manager.io", "ExternalSecret": "external-secrets.io", "SecretStore": "external-secrets.io",
	"Bucket": "s3.aws.upbound.io", "XDatabase": "example.crossplane.io", "Provider": "pkg.crossplane.io",
	"Machine": "cluster.x-k8s.io", "MachineDeployment": "cluster.x-k8s.io",
	"AWSMachine": "infrastructure.cluster.x-k8s.io",
	"KService":   "serving.knative.dev", "KRoute": "serving.knative.dev", "Configuration": "serving.knative.dev",
	"Revision": "serving.knative.dev", "TaskRun": "tekton.dev", "PipelineRun": "tekton.dev",
	"NodeClaim": "karpenter.sh", "EC2NodeClass": "karpenter.k8s.aws", "WebApp": "kro.run",
}

// alias are kinds that a case writes otherwise, because Kubernetes has their name, too.
var alias = map[string]string{"KService": "Service", "KRoute": "Route", "TinkerbellWorkflow": "Workflow"}

// ClusterScoped are the kinds outside of namespaces.
var ClusterScoped = map[string]bool{
	"Node": true, "StorageClass": true, "CSIDriver": true, "CSINode": true, "IngressClass": true,
	"VolumeAttachment": true, "APIService": true, "CustomResourceDefinition": true,
	"ValidatingWebhookConfiguration": true, "ValidatingAdmissionPolicy": true, "PriorityClass": true,
	"RuntimeClass": true, "Namespace": true,
	"ClusterIssuer": true, "GatewayClass": true, "NodeClaim": true, "EC2NodeClass": true,
	"PersistentVolume": true, "Provider": true,
}
