package status

import (
	"strconv"
	"strings"
)

// protoSchema lists, per message, the fields that are read: number, JSON
// name, type (k8s.io/api and apimachinery v0.37.2, generated.proto; which
// fields are omitted when they are zero: the json tags in types.go).
//
//	s  string, omitted when empty      S  string
//	i  integer, omitted when zero      I  integer
//	b  boolean, omitted when false     B  boolean
//	t  Time                            q  IntOrString
//	m  map of strings                  Q  map of quantities
//	r  raw JSON (FieldsV1)
//	M  message M;  *M, *s  list;  .M  message whose fields are inlined
//
// Fields are read in the order of the message; where JSON has another one that
// the decoder lets through (a pod's containers come after its init containers),
// "|" separates what is read first from what comes later.
const protoSchema = `
Partial: 1 metadata Meta
Meta: 1 name s; 3 namespace s; 5 uid s; 6 resourceVersion s; 7 generation i; 8 creationTimestamp t; 9 deletionTimestamp t; 10 deletionGracePeriodSeconds I; 11 labels m; 12 annotations m; 13 ownerReferences *Owner; 14 finalizers *s; 17 managedFields *Managed
Owner: 1 kind s; 3 name s; 4 uid s; 5 apiVersion s; 6 controller B
Managed: 1 manager s; 4 time t; 7 fieldsV1 r; 8 subresource s
Selector: 1 matchLabels m; 2 matchExpressions *Requirement
Requirement: 1 key s; 2 operator s; 3 values *s
Condition: 1 type s; 2 status s; 3 lastTransitionTime t; 4 reason s; 5 message s
Local: 1 name s

Pod: 1 metadata Meta; 2 spec PodSpec; 3 status PodStatus
Pod of a known spec: 1 metadata Meta; 2 spec PodPlace; 3 status PodStatus
PodPlace: 10 nodeName s
PodSpec: 1 volumes *Volume; 20 initContainers *Container | 2 containers *Container | 34 ephemeralContainers *Ephemeral | 3 restartPolicy s; 7 nodeSelector m; 8 serviceAccountName s; 10 nodeName s; 15 imagePullSecrets *Local; 18 affinity Affinity; 19 schedulerName s; 22 tolerations *Toleration; 24 priorityClassName s; 28 readinessGates *ReadinessGate; 29 runtimeClassName s; 32 overhead Q; 33 topologySpreadConstraints *Spread; 38 schedulingGates *Gate; 39 resourceClaims *PodClaim; 40 resources Resources
ReadinessGate: 1 conditionType S
Gate: 1 name S
PodClaim: 3 resourceClaimName s
Volume: 1 name s; 2 - .VolumeSource
VolumeSource: 6 secret SecretVolume; 10 persistentVolumeClaim ClaimVolume; 19 configMap ConfigMapVolume; 26 projected Projected; 28 csi CSIVolume; 29 ephemeral Empty
CSIVolume: 5 nodePublishSecretRef Local
SecretVolume: 1 secretName s; 4 optional B
ClaimVolume: 1 claimName s
ConfigMapVolume: 1 - .Local; 4 optional B
Projected: 1 sources *Projection
Projection: 1 secret ConfigMapVolume; 3 configMap ConfigMapVolume
Empty:
Ephemeral: 1 - .Container
Container: 1 name s; 2 image s; 6 ports *ContainerPort; 19 envFrom *EnvFrom | 7 env *Env; 8 resources Resources; 10 livenessProbe Probe; 11 readinessProbe Probe; 22 startupProbe Probe; 24 restartPolicy s
ContainerPort: 1 name s; 2 hostPort i; 3 containerPort I; 4 protocol s
Resources: 1 limits Q; 2 requests Q
Env: 3 valueFrom EnvSource
EnvSource: 3 configMapKeyRef KeyRef; 4 secretKeyRef KeyRef
KeyRef: 1 - .Local; 2 key s; 3 optional B
EnvFrom: 2 configMapRef EnvFromRef; 3 secretRef EnvFromRef
EnvFromRef: 1 - .Local; 2 optional B
Probe: 1 - .ProbeHandler; 2 initialDelaySeconds i; 3 timeoutSeconds i; 4 periodSeconds i; 6 failureThreshold i
ProbeHandler: 1 exec Empty; 2 httpGet HTTPGet; 3 tcpSocket TCPSocket; 4 grpc GRPC
HTTPGet: 1 path s; 2 port q; 4 scheme s
TCPSocket: 1 port q
GRPC: 1 port I
Toleration: 1 key s; 2 operator s; 3 value s; 4 effect s; 5 tolerationSeconds I
Spread: 1 maxSkew I; 2 topologyKey s; 3 whenUnsatisfiable s; 4 labelSelector Selector
Affinity: 1 nodeAffinity NodeAffinity; 2 podAffinity PodAffinity; 3 podAntiAffinity PodAffinity
NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector
NodeSelector: 1 nodeSelectorTerms *NodeTerm
NodeTerm: 1 matchExpressions *Requirement; 2 matchFields *Requirement
PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution *PodTerm
PodTerm: 1 labelSelector Selector; 2 namespaces *s; 3 topologyKey s; 4 namespaceSelector Selector
PodStatus: 1 phase s; 2 conditions *PodCondition; 3 message s; 4 reason s; 7 startTime t; 8 containerStatuses *ContainerStatus; 9 qosClass s; 10 initContainerStatuses *ContainerStatus; 11 nominatedNodeName s; 13 ephemeralContainerStatuses *ContainerStatus; 17 observedGeneration i
PodCondition: 1 type s; 2 status s; 4 lastTransitionTime t; 5 reason s; 6 message s; 7 observedGeneration i
ContainerStatus: 1 name s; 2 state State; 3 lastState State; 4 ready B; 5 restartCount I; 6 image s; 9 started B
State: 1 waiting Waiting; 2 running Running; 3 terminated Terminated
Waiting: 1 reason s; 2 message s
Running: 1 startedAt t
Terminated: 1 exitCode I; 2 signal i; 3 reason s; 4 message s; 5 startedAt t; 6 finishedAt t

Template: 1 metadata TemplateMeta; 2 spec TemplateSpec
TemplateMeta: 1 name s; 11 labels m
TemplateSpec: 2 containers *TemplateContainer; 7 nodeSelector m; 8 serviceAccountName s; 20 initContainers *TemplateContainer
TemplateContainer: 1 name s; 2 image s; 8 resources TemplateResources
TemplateResources: 1 limits Q

Deployment: 1 metadata Meta; 2 spec DeploymentSpec; 3 status DeploymentStatus
DeploymentSpec: 1 replicas I; 2 selector Selector; 3 template Template; 4 strategy Strategy; 5 minReadySeconds i; 7 paused b; 9 progressDeadlineSeconds I
Strategy: 1 type s; 2 rollingUpdate Rolling
Rolling: 1 maxUnavailable q; 2 maxSurge q
DeploymentStatus: 1 observedGeneration i; 2 replicas i; 3 updatedReplicas i; 4 availableReplicas i; 5 unavailableReplicas i; 6 conditions *DeploymentCondition; 7 readyReplicas i; 9 terminatingReplicas I
DeploymentCondition: 1 type s; 2 status s; 4 reason s; 5 message s; 6 lastUpdateTime t; 7 lastTransitionTime t
ReplicaSet: 1 metadata Meta; 2 spec ReplicaSetSpec; 3 status ReplicaSetStatus
ReplicaSetSpec: 1 replicas I; 2 selector Selector; 3 template Template; 4 minReadySeconds i
ReplicaSetStatus: 1 replicas I; 2 fullyLabeledReplicas i; 3 observedGeneration i; 4 readyReplicas i; 5 availableReplicas i; 6 conditions *Condition; 7 terminatingReplicas I
ReplicationController: 1 metadata Meta; 2 spec ReplicationControllerSpec; 3 status ReplicaSetStatus
ReplicationControllerSpec: 1 replicas I; 2 selector m; 3 template Template; 4 minReadySeconds i
StatefulSet: 1 metadata Meta; 2 spec StatefulSetSpec; 3 status StatefulSetStatus
StatefulSetSpec: 1 replicas I; 2 selector Selector; 3 template Template; 4 volumeClaimTemplates *ClaimTemplate; 5 serviceName s; 6 podManagementPolicy s; 7 updateStrategy StatefulStrategy; 9 minReadySeconds i
ClaimTemplate: 1 metadata TemplateMeta
StatefulStrategy: 1 type s; 2 rollingUpdate StatefulRolling
StatefulRolling: 1 partition I; 2 maxUnavailable q
StatefulSetStatus: 1 observedGeneration i; 2 replicas I; 3 readyReplicas i; 4 currentReplicas i; 5 updatedReplicas i; 6 currentRevision s; 7 updateRevision s; 10 conditions *Condition; 11 availableReplicas I
DaemonSet: 1 metadata Meta; 2 spec DaemonSetSpec; 3 status DaemonSetStatus
DaemonSetSpec: 1 selector Selector; 2 template Template; 3 updateStrategy Strategy; 4 minReadySeconds i
DaemonSetStatus: 1 currentNumberScheduled I; 2 numberMisscheduled I; 3 desiredNumberScheduled I; 4 numberReady I; 5 observedGeneration i; 6 updatedNumberScheduled i; 7 numberAvailable i; 8 numberUnavailable i; 10 conditions *Condition

Job: 1 metadata Meta; 2 spec JobSpec; 3 status JobStatus
JobSpec: 1 parallelism I; 2 completions I; 3 activeDeadlineSeconds I; 4 selector Selector; 6 template Template; 7 backoffLimit I; 8 ttlSecondsAfterFinished I; 9 completionMode s; 10 suspend B; 14 podReplacementPolicy s; 15 managedBy s
JobStatus: 1 conditions *JobCondition; 2 startTime t; 3 completionTime t; 4 active i; 5 succeeded i; 6 failed i; 7 completedIndexes s; 9 ready I; 10 failedIndexes S; 11 terminating I
JobCondition: 1 type s; 2 status s; 4 lastTransitionTime t; 5 reason s; 6 message s
CronJob: 1 metadata Meta; 2 spec CronJobSpec; 3 status CronJobStatus
CronJobSpec: 1 schedule s; 3 concurrencyPolicy s; 4 suspend B; 8 timeZone s
CronJobStatus: 1 active *ObjectRef; 4 lastScheduleTime t; 5 lastSuccessfulTime t
ObjectRef: 1 kind s; 2 namespace s; 3 name s; 4 uid s

Service: 1 metadata Meta; 2 spec ServiceSpec; 3 status ServiceStatus
ServiceSpec: 1 ports *ServicePort; 2 selector m; 3 clusterIP s; 4 type s; 5 externalIPs *s; 10 externalName s; 13 publishNotReadyAddresses b; 21 loadBalancerClass s
ServicePort: 1 name s; 2 protocol s; 3 port I; 4 targetPort q
ServiceStatus: 1 loadBalancer LoadBalancer; 2 conditions *MetaCondition
LoadBalancer: 1 ingress *Ingress
Ingress: 1 ip s; 2 hostname s; 4 ports *PortStatus
PortStatus: 1 port i; 2 protocol s; 3 error s
MetaCondition: 1 type s; 2 status s; 3 observedGeneration i; 4 lastTransitionTime t; 5 reason s; 6 message s
EndpointSlice: 1 metadata Meta; 2 endpoints *Endpoint; 3 ports *SlicePort
Endpoint: 1 addresses *s; 2 conditions EndpointConditions; 4 targetRef ObjectRef; 6 nodeName s
EndpointConditions: 1 ready B; 2 serving B; 3 terminating B
SlicePort: 1 name s; 2 protocol s; 3 port I
Endpoints: 1 metadata Meta; 2 subsets *Subset
Subset: 1 addresses *Address; 2 notReadyAddresses *Address; 3 ports *EndpointPort
Address: 2 targetRef ObjectRef; 4 nodeName s
EndpointPort: 1 name s; 2 port I; 3 protocol s
PersistentVolumeClaim: 1 metadata Meta; 2 spec ClaimSpec; 3 status ClaimStatus
ClaimSpec: 2 resources Resources; 3 volumeName s; 5 storageClassName S
ClaimStatus: 1 phase s; 3 capacity Q; 4 conditions *JobCondition; 7 allocatedResourceStatuses m
`

// protoMessage is one message of the schema, its fields by their numbers.
type protoMessage struct {
	fields []protoField
	itself *protoField // as a field would hold it
	passes int
	reads  [4]uint64 // which of them are read in each walk
}

type protoField struct {
	key  []byte // the name in JSON
	typ  byte   // as in the schema; 'M' for messages, '.' for inlined ones, 0 for none
	list bool   // of elements of that type
	many bool   // it comes once for each of its entries: a list or a map
	pass uint8  // in which walk over the message it is read
	sub  *protoMessage
}

var protoMessages = parseSchema(protoSchema)

func parseSchema(schema string) map[string]*protoMessage {
	all := map[string]*protoMessage{}
	get := func(name string) *protoMessage {
		if all[name] == nil {
			m := &protoMessage{}
			m.itself = &protoField{typ: 'M', sub: m}
			all[name] = m
		}
		return all[name]
	}
	for line := range strings.Lines(schema) {
		name, fields, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		m := get(name)
		m.passes = 1
		fields = strings.ReplaceAll(fields, "|", ";|")
		for part := range strings.SplitSeq(fields, ";") {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(part), "|"); ok {
				m.passes++
				part = rest
			}
			w := strings.Fields(part)
			if len(w) != 3 {
				continue
			}
			num, err := strconv.Atoi(w[0])
			if err != nil || num > 63 {
				panic("schema: " + line)
			}
			f := protoField{key: []byte(w[1]), pass: uint8(m.passes - 1)}
			typ, list := strings.CutPrefix(w[2], "*")
			f.list = list
			switch inline, ok := strings.CutPrefix(typ, "."); {
			case ok:
				f.typ, f.sub = '.', get(inline)
			case len(typ) == 1 && strings.Contains("sSiIbBtqmQr", typ):
				f.typ = typ[0]
			default:
				f.typ, f.sub = 'M', get(typ)
			}
			f.many = f.list || f.typ == 'm' || f.typ == 'Q'
			m.reads[f.pass] |= 1 << num
			for len(m.fields) <= num {
				m.fields = append(m.fields, protoField{})
			}
			m.fields[num] = f
		}
	}
	return all
}
