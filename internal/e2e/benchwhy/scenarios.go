package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// want is a cause that a scenario must show. Subject is "Kind/name" or
// "Kind/name/container"; a name that ends in * stands for a generated one.
// About, where it is set, is a part of the title: one code may have two
// answers (a pod that never fits, and one for which there is no room now).
type want struct {
	code, class, subject, about string
}

// step is a manifest to apply, and what to wait for before the next one.
type step struct {
	manifest string
	until    string // a regular expression over the evidence; "" goes on at once
}

// scenario is one thing gone wrong, in a namespace of its own.
type scenario struct {
	id   string
	name string
	// before is applied and not followed: quotas, policies, classes. {{ns}} in
	// any manifest is the scenario's namespace.
	before string
	steps  []step // the last one is followed
	// kinds are those whose objects in the namespace hold the evidence, as
	// apiVersion/Kind; Pods and Events where there are none.
	kinds    []string
	evidence string // a regular expression over them: from here on, the cause can be known
	// ripens is how long the evidence must last: a provisioner is not silent
	// before it had time to act.
	ripens time.Duration
	wants  []want
	// tells is what the other tools' text must contain to have named the cause.
	tells string
	main  string // the object whose texts are compared, Kind/name
	// follow is what is asked for instead of the manifest of the last step.
	follow []string
	// only leaves out the healthy sibling that every other scenario has.
	only    bool
	labels  string // the namespace's
	control bool   // only causes that wait are allowed
	phase   int    // 0: all at once; then one after the other
	// act is done after the steps: a status that a controller would write.
	act func(*run, *scenario, string) error
}

// options are what differs between the workloads.
type options struct {
	kind     string // Deployment where it is empty
	replicas int    // 1 where it is 0
	fault    string
	image    string
	pod      string // more fields of the Pod's spec, in flow style
	box      string // more fields of the container
	more     string // more fields of the workload's spec
}

func workload(name string, o options) string {
	if o.kind == "" {
		o.kind = "Deployment"
	}
	if o.image == "" {
		o.image = "registry.example/shop/" + name + ":1.0"
	}
	version, shape := "apps/v1", fmt.Sprintf("replicas: %d, selector: {matchLabels: {app: %s}}, ", max(o.replicas, 1), name)
	switch o.kind {
	case "DaemonSet":
		shape = fmt.Sprintf("selector: {matchLabels: {app: %s}}, ", name)
	case "StatefulSet":
		shape += fmt.Sprintf("serviceName: %s, ", name)
	case "Job":
		version, shape = "batch/v1", ""
		o.pod = join("restartPolicy: Never", o.pod)
	}
	if o.more != "" {
		shape += o.more + ", "
	}
	annotations := ""
	if o.fault != "" {
		annotations = fmt.Sprintf(", annotations: {%s: %s}", cluster.FaultAnnotation, o.fault)
	}
	return fmt.Sprintf(`
---
apiVersion: %s
kind: %s
metadata: {name: %s}
spec: {%stemplate: {metadata: {labels: {app: %s}%s}, spec: {%s}}}
`, version, o.kind, name, shape, name, annotations,
		join("terminationGracePeriodSeconds: 0", o.pod, fmt.Sprintf("containers: [{%s}]", join("name: app, image: \""+o.image+"\"", o.box))))
}

func join(parts ...string) string {
	var full []string
	for _, p := range parts {
		if p != "" {
			full = append(full, p)
		}
	}
	return strings.Join(full, ", ")
}

func service(name, app, port string) string {
	return fmt.Sprintf(`
---
apiVersion: v1
kind: Service
metadata: {name: %s}
spec: {selector: {app: %s}, ports: [{port: 80, targetPort: %s}]}
`, name, app, port)
}

func claim(name, class string) string {
	if class != "" {
		class = ", storageClassName: " + class
	}
	return fmt.Sprintf(`
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %s}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}%s}
`, name, class)
}

func volumeClass(name, provisioner, mode string) string {
	return fmt.Sprintf(`
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: %s}
provisioner: %s
volumeBindingMode: %s
`, name, provisioner, mode)
}

func definition(plural, kind, group, version string) string {
	return fmt.Sprintf(`
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[3]s}
spec:
  group: %[3]s
  scope: Namespaced
  names: {plural: %[1]s, singular: %[5]s, kind: %[2]s, listKind: %[2]sList}
  versions:
  - {name: %[4]s, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`, plural, kind, group, version, strings.TrimSuffix(plural, "s"))
}

// sibling is healthy, and allowed by every policy here.
var sibling = workload("sibling", options{
	pod: "securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}",
	box: "securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}, resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {cpu: 10m, memory: 16Mi}}",
})

const (
	disk = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
	// pair lets a Pod onto the two nodes that are kept for this alone.
	pair       = "nodeSelector: {pool: pair}, tolerations: [{key: pool, operator: Exists}]"
	full       = "nodeSelector: {pool: full}, tolerations: [{key: pool, operator: Exists}]"
	fromSecret = "env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: database, key: password}}}]"
	restricted = "pod-security.kubernetes.io/enforce: restricted"
)

func small(cpu string) string {
	return fmt.Sprintf("resources: {requests: {cpu: %q, memory: 16Mi}, limits: {cpu: %q, memory: 16Mi}}", cpu, cpu)
}

func one(manifest string) []step { return []step{{manifest: manifest}} }

var scenarios = []scenario{
	{
		id: "1", name: "a quota leaves room for a part", main: "Deployment/web", tells: `quota`,
		before: "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: pods}\nspec: {hard: {pods: \"3\"}}\n",
		steps:  one(workload("web", options{replicas: 3})), evidence: `exceeded quota`,
		wants: []want{{"QuotaExceeded", "action", "ResourceQuota/pods", ""}},
	},
	{
		id: "2", name: "a quota demands limits", main: "Deployment/web", tells: `must specify`,
		before: "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: compute}\nspec: {hard: {limits.cpu: \"4\"}}\n",
		steps:  one(workload("web", options{replicas: 3})), evidence: `must specify`,
		wants: []want{{"QuotaNeedsFields", "action", "ResourceQuota/compute", "limits.cpu"}},
	},
	{
		id: "3", name: "more than the LimitRange allows", main: "Deployment/web", tells: `maximum cpu`,
		before: "apiVersion: v1\nkind: LimitRange\nmetadata: {name: box}\nspec: {limits: [{type: Container, max: {cpu: 500m}}]}\n",
		steps:  one(workload("web", options{box: small("2")})), evidence: `maximum cpu usage`,
		wants: []want{{"LimitRangeViolated", "action", "LimitRange/box", ""}},
	},
	{
		id: "4", name: "pod security forbids a Deployment's pods", main: "Deployment/web", tells: `PodSecurity`, labels: restricted,
		steps: one(workload("web", options{})), evidence: `violates PodSecurity`,
		wants: []want{{"PodSecurityViolated", "action", "ReplicaSet/web-*", ""}},
	},
	{
		id: "5", name: "pod security forbids a StatefulSet's pods", main: "StatefulSet/web", tells: `PodSecurity`, labels: restricted,
		steps: one(workload("web", options{kind: "StatefulSet"}) + service("web", "web", "80")), evidence: `violates PodSecurity`,
		wants: []want{{"PodSecurityViolated", "action", "StatefulSet/web", ""}},
	},
	{
		id: "6", name: "pod security forbids a DaemonSet's pods", main: "DaemonSet/agent", tells: `PodSecurity`, labels: restricted,
		steps: one(workload("agent", options{kind: "DaemonSet"})), evidence: `violates PodSecurity`,
		wants: []want{{"PodSecurityViolated", "action", "DaemonSet/agent", ""}},
	},
	{
		id: "7", name: "no such ServiceAccount", main: "Deployment/web", tells: `(?i)serviceaccount`,
		steps: one(workload("web", options{pod: "serviceAccountName: robot"})), evidence: `serviceaccount \S*robot`,
		wants: []want{{"ServiceAccountMissing", "action", "ReplicaSet/web-*", "robot"}},
	},
	{
		id: "8", name: "a webhook's Service is gone", main: "Deployment/web", tells: `webhook`,
		before: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
- name: guard.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 2
  failurePolicy: Fail
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ns}}}}
  objectSelector: {matchExpressions: [{key: app, operator: In, values: [web, api]}]}
  clientConfig: {service: {namespace: {{ns}}, name: guard, path: /}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`,
		steps:    one(workload("web", options{}) + workload("api", options{})),
		evidence: `(?s)failed calling webhook.*failed calling webhook`,
		wants:    []want{{"WebhookUnreachable", "action", "ValidatingWebhookConfiguration/guard", "guard.example.com"}},
	},
	{
		id: "9", name: "a ValidatingAdmissionPolicy denies", main: "Deployment/web", tells: `needs an owner`,
		before: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owners}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "object.metadata.labels['app'] == 'sibling'", message: "needs an owner"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owners}
spec: {policyName: owners, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ns}}}}}}
`,
		steps: one(workload("web", options{})), evidence: `denied request`,
		wants: []want{{"PolicyDenied", "action", "ValidatingAdmissionPolicy/owners", ""}},
	},
	{
		id: "10", name: "more cpu than any node has", main: "Deployment/web", tells: `Insufficient cpu`,
		steps: one(workload("web", options{box: small("1000")})), evidence: `Insufficient cpu`,
		wants: []want{{"NotEnoughResources", "action", "Pod/web-*", "(?i)any node|largest|never"}},
	},
	{
		id: "11", name: "the nodes are full for now", main: "Deployment/web", tells: `Insufficient cpu`,
		before: workload("filler", options{replicas: 3, pod: full, box: small("1")}),
		steps:  one(workload("web", options{pod: full, box: small("2")})), evidence: `Insufficient cpu`,
		wants: []want{{"NotEnoughResources", "retries", "Pod/web-*", "at the moment"}},
	},
	{
		id: "12", name: "no node has the label", main: "Deployment/web", tells: `disk=nvme`,
		steps: one(workload("web", options{pod: "nodeSelector: {disk: nvme}"})), evidence: `FailedScheduling`,
		wants: []want{{"NoMatchingNode", "action", "Pod/web-*", "disk"}},
	},
	{
		id: "13", name: "the node with the label is tainted", main: "Deployment/web", tells: `dedicated`,
		steps: one(workload("web", options{pod: "nodeSelector: {disk: ssd}"})), evidence: `FailedScheduling`,
		wants: []want{{"TaintNotTolerated", "action", "Pod/web-*", "dedicated"}},
	},
	{
		id: "14", name: "anti-affinity: four on two nodes", main: "Deployment/web", tells: `anti-affinity`,
		steps: one(workload("web", options{replicas: 4, pod: pair + ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}"})), evidence: `anti-affinity`,
		wants: []want{{"PodAffinity", "action", "Pod/web-*", ""}},
	},
	{
		id: "15", name: "no node has the topology's label", main: "Deployment/web", tells: `rack`,
		steps: one(workload("web", options{replicas: 2, pod: "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]"})), evidence: `topology spread`,
		wants: []want{{"TopologySpread", "action", "Pod/web-*", "rack"}},
	},
	{
		id: "16", name: "a host port for three on two nodes", main: "Deployment/web", tells: `free ports`,
		steps: one(workload("web", options{replicas: 3, pod: pair, box: "ports: [{containerPort: 80, hostPort: 8099}]"})), evidence: `free ports`,
		wants: []want{{"HostPortTaken", "action", "Pod/web-*", "8099"}},
	},
	{
		id: "17", name: "a scheduling gate", main: "Deployment/web", tells: `(?i)gate`,
		steps: one(workload("web", options{pod: "schedulingGates: [{name: example.com/wait}]"})), evidence: `SchedulingGated`,
		wants: []want{{"SchedulingGated", "waits", "Pod/web-*", "example.com/wait"}},
	},
	{
		id: "18", name: "no such claim", main: "Deployment/web", tells: `persistentvolumeclaim`,
		steps: one(workload("web", options{pod: disk})), evidence: `persistentvolumeclaim \S*data`,
		wants: []want{{"ClaimMissing", "action", "Pod/web-*", "data"}},
	},
	{
		id: "19", name: "no such StorageClass", main: "Deployment/web", tells: `storageclass`,
		steps: one(workload("web", options{pod: disk}) + claim("data", "nope")), evidence: `storageclass.storage.k8s.io \S*nope`,
		wants: []want{{"StorageClassMissing", "action", "PersistentVolumeClaim/data", "nope"}},
	},
	{
		id: "20", name: "no StorageClass, and no default", main: "Deployment/web", tells: `no storage class is set`,
		steps: one(workload("web", options{pod: disk}) + claim("data", "")), evidence: `no storage class is set`,
		wants: []want{{"NoStorageClass", "action", "PersistentVolumeClaim/data", ""}},
	},
	{
		id: "21", name: "the CSI provisioner is silent", main: "Deployment/web", tells: `csi.silent.example`,
		before: volumeClass("silent", "csi.silent.example", "Immediate"),
		steps:  one(workload("web", options{pod: disk}) + claim("data", "silent")), evidence: `ExternalProvisioning`, ripens: time.Minute,
		wants: []want{{"ProvisionerSilent", "action", "PersistentVolumeClaim/data", "csi.silent.example"}},
	},
	{
		id: "22", name: "a claim waits for its first consumer", main: "PersistentVolumeClaim/data", tells: `(?i)consumer`,
		before: volumeClass("later", "csi.later.example", "WaitForFirstConsumer"),
		steps:  one(claim("data", "later")), evidence: `WaitForFirstConsumer`,
		wants: []want{{"WaitsForConsumer", "waits", "PersistentVolumeClaim/data", ""}},
	},
	{
		id: "23", name: "five pods cannot pull one image", main: "Deployment/web", tells: `ImagePull|pull`,
		steps: one(workload("web", options{replicas: 5, fault: cluster.ImageNotFound, image: "registry.example/shop/web:2.O"})), evidence: `(?s)(ImagePullBackOff.*){5}`,
		wants: []want{{"ImageNotFound", "action", "Pod/web-*/app", `2\.O`}},
	},
	{
		id: "24", name: "a new revision's image, the old one is up", main: "Deployment/web", tells: `ImagePull|pull`,
		steps: []step{
			{workload("web", options{replicas: 2}), `(?s)"phase":"Running".*"phase":"Running".*"phase":"Running"`},
			{workload("web", options{replicas: 2, fault: cluster.ImageNotFound, image: "registry.example/shop/web:2.O"}), ""},
		},
		evidence: `ImagePullBackOff`,
		wants:    []want{{"ImageNotFound", "action", "Pod/web-*/app", `2\.O`}},
	},
	{
		id: "25", name: "a crash loop after having been ready", main: "Deployment/web", tells: `DATABASE_URL`,
		steps: one(workload("web", options{replicas: 2, fault: cluster.CrashLoop})), evidence: `CrashLoopBackOff`,
		wants: []want{{"ContainerCrashing", "action", "Pod/web-*/app", "DATABASE_URL"}},
	},
	{
		id: "26", name: "out of memory since the limit was lowered", main: "Deployment/web", tells: `OOMKilled`,
		steps: []step{
			{workload("web", options{box: "resources: {limits: {memory: 512Mi}}"}), `(?s)"phase":"Running".*"phase":"Running"`},
			{workload("web", options{fault: cluster.OOM, box: "resources: {limits: {memory: 64Mi}}"}), ""},
		},
		evidence: `OOMKilled`,
		wants:    []want{{"OutOfMemory", "action", "Pod/web-*/app", "64Mi"}},
	},
	{
		id: "27", name: "a Secret's key is missing", main: "Deployment/web", tells: `find key`,
		before: "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\nstringData: {user: shop}\n",
		steps:  one(workload("web", options{fault: cluster.KeyMissing, box: fromSecret})), evidence: `CreateContainerConfigError`,
		wants: []want{{"ConfigKeyMissing", "action", "Pod/web-*/app", "password"}},
	},
	{
		id: "28", name: "a volume's ConfigMap is missing", main: "Deployment/web", tells: `app-settings`,
		steps: one(workload("web", options{fault: cluster.Mount, pod: "volumes: [{name: settings, configMap: {name: app-settings}}]", box: "volumeMounts: [{name: settings, mountPath: /etc/app}]"})), evidence: `FailedMount`,
		wants: []want{{"VolumeSourceMissing", "action", "Pod/web-*", "app-settings"}},
	},
	{
		id: "29", name: "an init container's command is missing", main: "Deployment/web", tells: `migrate`,
		steps: one(workload("web", options{fault: cluster.InitCrash, pod: "initContainers: [{name: migrate, image: \"registry.example/shop/migrate:1.0\"}]"})), evidence: `exitCode":127`,
		wants: []want{{"InitContainerFailing", "action", "Pod/web-*/migrate", ""}},
	},
	{
		id: "30", name: "an init container does not end", main: "Deployment/web", tells: `migrate`,
		steps: one(workload("web", options{fault: cluster.InitHang, pod: "initContainers: [{name: migrate, image: \"registry.example/shop/migrate:1.0\"}]"})), evidence: `initContainerStatuses":\[[^\]]*"running"`,
		wants: []want{{"InitContainerRunning", "waits", "Pod/web-*/migrate", ""}},
	},
	{
		id: "31", name: "the first of a StatefulSet is not ready", main: "StatefulSet/web", tells: `503`,
		steps: one(workload("web", options{kind: "StatefulSet", replicas: 3, fault: cluster.NeverReady}) + service("web", "web", "80")), evidence: `Readiness probe failed`,
		wants: []want{{"ReadinessProbeFailing", "retries", "Pod/web-0/app", "503"}},
	},
	{
		id: "32", name: "a StatefulSet after its repair: the broken pod stays", main: "StatefulSet/web", tells: `(?i)delete.*web-1`,
		steps: []step{
			{workload("web", options{kind: "StatefulSet", replicas: 2}) + service("web", "web", "80"), `(?s)"phase":"Running".*"phase":"Running".*"phase":"Running"`},
			{workload("web", options{kind: "StatefulSet", replicas: 2, fault: cluster.ImageNotFound, image: "registry.example/shop/web:2.O"}) + service("web", "web", "80"), `ImagePullBackOff`},
			{workload("web", options{kind: "StatefulSet", replicas: 2}) + service("web", "web", "80"), ""},
		},
		kinds: []string{"apps/v1/StatefulSet"}, evidence: `"observedGeneration":3`,
		wants: []want{{"RollbackTrap", "action", "StatefulSet/web", "web-1"}},
	},
	{
		id: "33", name: "updates that wait by design", main: "StatefulSet/web", tells: `(?i)partition`,
		steps: []step{
			{workload("web", options{kind: "StatefulSet", replicas: 2, more: "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}"}) + service("web", "web", "80") +
				workload("db", options{kind: "StatefulSet", more: "updateStrategy: {type: OnDelete}"}) + service("db", "db", "80"), `(?s)("phase":"Running".*){4}`},
			{workload("web", options{kind: "StatefulSet", replicas: 2, image: "registry.example/shop/web:2.0", more: "updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}"}) + service("web", "web", "80") +
				workload("db", options{kind: "StatefulSet", image: "registry.example/shop/db:2.0", more: "updateStrategy: {type: OnDelete}"}) + service("db", "db", "80"), ""},
		},
		kinds: []string{"apps/v1/StatefulSet"}, evidence: `(?s)"observedGeneration":2.*"observedGeneration":2`,
		wants: []want{{"OnDelete", "waits", "StatefulSet/db", ""}, {"Partitioned", "waits", "StatefulSet/web", ""}},
	},
	{
		id: "34", name: "a Job's back-off, a Job's deadline", main: "Job/migrate", tells: `(?i)backoff`,
		steps: one(workload("migrate", options{kind: "Job", fault: cluster.JobFailed, more: "backoffLimit: 0"}) +
			workload("report", options{kind: "Job", fault: cluster.InitHang, pod: "initContainers: [{name: fetch, image: \"registry.example/shop/fetch:1.0\"}]", more: "activeDeadlineSeconds: 3"})),
		kinds: []string{"batch/v1/Job"}, evidence: `(?s)("type":"Failed".*){2}`,
		wants: []want{{"JobBackoffLimitExceeded", "terminal", "Job/migrate", ""}, {"JobDeadlineExceeded", "terminal", "Job/report", ""}},
	},
	{
		id: "35", name: "three Services that lead nowhere", main: "Service/typo", tells: `(?i)selector`,
		steps: one(workload("web", options{box: "ports: [{name: http, containerPort: 8080}]"}) + workload("slow", options{fault: cluster.NeverReady}) +
			service("typo", "wbe", "8080") + service("port", "web", "htpp") + service("slow", "slow", "8080")),
		evidence: `(?s)Readiness probe failed.*"phase":"Running"|"phase":"Running".*Readiness probe failed`,
		wants:    []want{{"SelectorMatchesNothing", "action", "Service/typo", ""}, {"PortNameMissing", "action", "Service/port", "htpp"}, {"ReadinessProbeFailing", "retries", "Pod/slow-*/app", ""}},
	},
	{
		id: "36", name: "a node is lost", main: "Deployment/web", tells: `(?i)node`, phase: 2, only: true,
		steps: []step{{workload("web", options{replicas: 2, pod: "nodeSelector: {kubernetes.io/hostname: node-1}"}), `(?s)"phase":"Running".*"phase":"Running"`}},
		act:   loseNodes, kinds: []string{"v1/Pod"}, evidence: `"status":"False","type":"Ready"`,
		wants: []want{{"NodeLost", "retries", "Node/node-1", ""}},
	},
	{
		id: "37", name: "a namespace that does not go", main: "Namespace/{{ns}}", tells: `(?i)finalizer|broken`, phase: 1, only: true,
		before: definition("widgets", "Widget", "lab.example", "v1"),
		steps: one(`
apiVersion: lab.example/v1
kind: Widget
metadata: {name: held, finalizers: [lab.example/hold]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.broken.example}
spec: {group: broken.example, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: {{ns}}, name: nowhere}}
`),
		act: endNamespace, kinds: []string{"v1/Namespace"}, evidence: `"status":"True","type":"NamespaceDeletionDiscoveryFailure"`,
		follow: []string{"namespace/{{ns}}"},
		wants:  []want{{"APIServiceUnavailable", "action", "APIService/v1.broken.example", ""}, {"FinalizerBlocks", "action", "Widget/held", "lab.example/hold"}},
	},
	{
		id: "38", name: "a definition's names are taken; a kind nobody defines", main: "CustomResourceDefinition/gizmos.shop.example", tells: `already in use|conflict`,
		before: definition("gadgets", "Gadget", "shop.example", "v1"),
		steps: one(definition("gizmos", "Gadget", "shop.example", "v1") + `
---
apiVersion: absent.example/v1
kind: Thing
metadata: {name: early}
`), kinds: []string{"apiextensions.k8s.io/v1/CustomResourceDefinition"}, evidence: `already in use`,
		wants: []want{{"DefinitionNamesTaken", "action", "CustomResourceDefinition/gizmos.shop.example", ""}, {"KindNotServed", "retries", "Thing/early", ""}},
	},
	{
		id: "39", name: "a chain: external secret, Secret, pod, Flux", main: "Kustomization/apps", tells: `(?i)permission denied`,
		before: definition("externalsecrets", "ExternalSecret", "external-secrets.io", "v1") + definition("kustomizations", "Kustomization", "kustomize.toolkit.fluxcd.io", "v1"),
		steps: one(workload("web", options{fault: cluster.ConfigMissing, box: fromSecret}) + `
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database}
spec: {refreshInterval: 1h, secretStoreRef: {kind: SecretStore, name: vault}, target: {name: database}, data: [{secretKey: password, remoteRef: {key: shop/database}}]}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec: {interval: 10m, path: ./, prune: true, sourceRef: {kind: GitRepository, name: apps}}
`),
		act: breakChain, evidence: `CreateContainerConfigError`,
		wants: []want{{"ExternalSecretFailed", "action", "ExternalSecret/database", ""}},
	},
	{
		id: "40", name: "twelve resources: a shared cause, another, a slow one", main: "Deployment/api", tells: `database`,
		steps: one(workload("api", options{fault: cluster.ConfigMissing, box: fromSecret}) + workload("worker", options{fault: cluster.ConfigMissing, box: fromSecret}) +
			workload("web", options{fault: cluster.ImageNotFound, image: "registry.example/shop/web:2.O"}) +
			workload("search", options{fault: cluster.InitHang, pod: "initContainers: [{name: index, image: \"registry.example/shop/index:1.0\"}]"}) +
			workload("cart", options{}) + workload("mail", options{}) + workload("store", options{kind: "StatefulSet"}) + service("store", "store", "80") +
			service("cart", "cart", "80") + workload("once", options{kind: "Job"}) + "\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"),
		evidence: `(?s)ImagePullBackOff.*CreateContainerConfigError|CreateContainerConfigError.*ImagePullBackOff`,
		wants:    []want{{"ConfigMissing", "action", "Pod/*/app", "database"}, {"ImageNotFound", "action", "Pod/web-*/app", ""}, {"InitContainerRunning", "waits", "Pod/search-*/index", ""}},
	},

	{id: "c1", name: "a paused Deployment", control: true, main: "Deployment/web", evidence: `"phase":"Running"`, steps: []step{
		{workload("web", options{}), `(?s)"phase":"Running".*"phase":"Running"`},
		{workload("web", options{image: "registry.example/shop/web:2.0", more: "paused: true"}), ""},
	}},
	{id: "c2", name: "a suspended CronJob", control: true, main: "CronJob/nightly", evidence: `"phase":"Running"`, steps: one(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec: {schedule: "0 3 * * *", suspend: true, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: "registry.example/shop/nightly:1.0"}]}}}}}
`)},
	{
		id: "c3", name: "a disruption budget that allows none", control: true, main: "PodDisruptionBudget/web", kinds: []string{"policy/v1/PodDisruptionBudget"}, evidence: `"disruptionsAllowed":0,"expectedPods":1`,
		steps: one(workload("web", options{}) + "\n---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {minAvailable: 1, selector: {matchLabels: {app: web}}}\n"),
	},
	{
		// A definition replaces metrics-server: its API is served, and has no
		// metrics yet.
		id: "c4", name: "an autoscaler warms up", control: true, main: "HorizontalPodAutoscaler/web", kinds: []string{"autoscaling/v2/HorizontalPodAutoscaler"}, evidence: `FailedGetResourceMetric`,
		before: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pods.metrics.k8s.io, annotations: {api-approved.kubernetes.io: "unapproved, stands for metrics-server"}}
spec:
  group: metrics.k8s.io
  scope: Namespaced
  names: {plural: pods, singular: podmetrics, kind: PodMetrics, listKind: PodMetricsList}
  versions: [{name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`,
		steps: one(workload("web", options{}) + "\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {minReplicas: 1, maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}\n"),
	},
	{
		id: "c5", name: "a DaemonSet for no node", control: true, main: "DaemonSet/agent", kinds: []string{"apps/v1/DaemonSet"}, evidence: `"observedGeneration":1`,
		steps: one(workload("agent", options{kind: "DaemonSet", pod: "nodeSelector: {gpu: \"yes\"}"})),
	},
	{
		id: "c6", name: "an optional ConfigMap is missing", control: true, main: "Deployment/web", evidence: `(?s)"phase":"Running".*"phase":"Running"`,
		steps: one(workload("web", options{box: "envFrom: [{configMapRef: {name: extra, optional: true}}]"})),
	},
	{
		id: "c7", name: "a port that no container declares", control: true, main: "Service/web", evidence: `(?s)"phase":"Running".*"phase":"Running"`,
		steps: one(workload("web", options{}) + service("web", "web", "8080")),
	},
	{
		id: "c8", name: "the first moments of a start", control: true, main: "Deployment/web", kinds: []string{"apps/v1/Deployment"}, evidence: `"web"`,
		steps: one(workload("web", options{replicas: 3}) + service("web", "web", "8080") + workload("db", options{kind: "StatefulSet", replicas: 2}) + service("db", "db", "8080")),
	},
}
