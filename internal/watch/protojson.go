package watch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Protobuf is decoded by writing the few fields that status.DecodeJSON reads as
// JSON, and leaving the reading to it. So there is one decoder, whose rules
// about what is malformed, cleaned and kept hold for both encodings, and most
// of an object (managed fields, environment values, volume mounts) is skipped
// without having been looked at.

// protoSchema lists, per message, the fields that are written: number, JSON
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
//	?M list whose empty elements are left out
//
// Fields are written in the order of the message; where JSON has another one
// that the decoder lets through (a pod's containers come after its init
// containers), "|" separates what is written first from what comes later.
const protoSchema = `
Partial: 1 metadata Meta
Meta: 1 name s; 3 namespace s; 5 uid s; 6 resourceVersion s; 7 generation i; 8 creationTimestamp t; 9 deletionTimestamp t; 10 deletionGracePeriodSeconds I; 11 labels m; 12 annotations m; 13 ownerReferences *Owner; 14 finalizers *s; 17 managedFields *Managed
Owner: 1 kind s; 3 name s; 4 uid s; 5 apiVersion s; 6 controller B
Managed: 1 manager s; 2 operation s; 4 time t; 7 fieldsV1 Fields; 8 subresource s
Fields: 1 - r
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
Container: 1 name s; 2 image s; 6 ports *ContainerPort; 19 envFrom *EnvFrom | 7 env ?Env; 8 resources Resources; 10 livenessProbe Probe; 11 readinessProbe Probe; 22 startupProbe Probe; 24 restartPolicy s
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

// protoMessage is one message of the schema, by field number.
type protoMessage struct {
	name   string
	fields []protoField
	passes uint8
}

type protoField struct {
	name string // the key with its quotes and colon
	typ  byte   // as in the schema; 'M' for messages, '.' for inlined ones, 0 for none
	list bool
	slim bool  // empty elements are left out
	pass uint8 // in which run over the message it is written
	sub  *protoMessage
}

var protoMessages = parseSchema(protoSchema)

func parseSchema(schema string) map[string]*protoMessage {
	all := map[string]*protoMessage{}
	get := func(name string) *protoMessage {
		if all[name] == nil {
			all[name] = &protoMessage{name: name}
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
			if err != nil {
				panic("schema: " + line)
			}
			f := protoField{name: `"` + w[1] + `":`, pass: m.passes - 1}
			typ, list := strings.CutPrefix(w[2], "*")
			typ, f.slim = strings.CutPrefix(typ, "?")
			f.list = list || f.slim
			switch inline, ok := strings.CutPrefix(typ, "."); {
			case ok:
				f.typ, f.sub = '.', get(inline)
			case len(typ) == 1 && strings.Contains("sSiIbBtqmQr", typ):
				f.typ = typ[0]
			default:
				f.typ, f.sub = 'M', get(typ)
			}
			for len(m.fields) <= num {
				m.fields = append(m.fields, protoField{})
			}
			m.fields[num] = f
		}
	}
	return all
}

var protoBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// decodeProto decodes one object's message (without its envelope).
func decodeProto(b []byte, res resource, opts status.DecodeOptions) (*status.Object, error) {
	m := protoMessages[res.Kind]
	if res.Enc == encMeta {
		m = protoMessages["Partial"]
	}
	if opts.PodSpec.Filled() {
		m = protoMessages["Pod of a known spec"]
	}
	if m == nil {
		return nil, fmt.Errorf("no protobuf of %s is known", res)
	}
	buf := protoBuffers.Get().(*[]byte)
	defer protoBuffers.Put(buf)
	w := protoWriter{out: (*buf)[:0]}
	err := w.message(b, m)
	*buf = w.out
	if err != nil {
		return nil, err
	}
	o, err := decodeJSON(w.out, res, opts)
	if err == nil && o.Workload != nil {
		o.SpecSum = sumProtoSpec(b, m)
	}
	return o, err
}

// sumProtoSpec is [status.Object.SpecSum] of a workload, of all that was sent:
// what was written as JSON is but a part of it.
func sumProtoSpec(b []byte, m *protoMessage) (sum uint32) {
	const spec = 2
	_ = eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		if num != spec {
			return nil
		}
		fields := m.fields[spec].sub.fields
		return eachField(data, func(num protowire.Number, data []byte, v uint64) error {
			if int(num) < len(fields) && fields[num].name == `"replicas":` {
				return nil
			}
			var n [16]byte
			binary.BigEndian.PutUint64(n[:8], uint64(num))
			binary.BigEndian.PutUint64(n[8:], v)
			sum = crc32.Update(crc32.Update(sum, status.SpecSums, n[:]), status.SpecSums, data)
			return nil
		})
	})
	return sum
}

// protoWriter writes protobuf as JSON.
type protoWriter struct {
	out      []byte
	deleting bool // a deletionTimestamp was met
	depth    int
}

func (w *protoWriter) message(b []byte, m *protoMessage) error {
	if w.depth++; w.depth > 64 {
		return errNoProto
	}
	w.out = append(w.out, '{')
	err := w.fields(b, m)
	w.out = append(w.out, '}')
	w.depth--
	return err
}

// fields writes the fields of a message into an object that is open.
func (w *protoWriter) fields(b []byte, m *protoMessage) error {
	for pass := range m.passes {
		if err := w.pass(b, m, pass); err != nil {
			return err
		}
	}
	return nil
}

// pass writes the fields of one pass. The entries of a list or a map follow one
// another, as Kubernetes writes them.
func (w *protoWriter) pass(b []byte, m *protoMessage, pass uint8) error {
	open := protowire.Number(0) // the list or map that is being written
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var data []byte
		var v uint64
		switch typ {
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if int(num) >= len(m.fields) || m.fields[num].typ == 0 || m.fields[num].pass != pass {
			continue
		}
		f := &m.fields[num]
		isMap := f.typ == 'm' || f.typ == 'Q'
		if open != num && open != 0 {
			w.close(&m.fields[open])
			open = 0
		}
		if (f.typ == 'M' || f.typ == '.' || f.typ == 't' || isMap) && typ != protowire.BytesType {
			continue
		}
		switch {
		case f.list || isMap:
			if open != num {
				w.key(f.name)
				open = num
				if isMap {
					w.out = append(w.out, '{')
				} else {
					w.out = append(w.out, '[')
				}
			} else if c := w.out[len(w.out)-1]; c != '[' && c != '{' {
				w.out = append(w.out, ',')
			}
			if err := w.element(f, data); err != nil {
				return err
			}
		case f.typ == '.':
			if err := w.fields(data, f.sub); err != nil {
				return err
			}
		default:
			if err := w.single(f, data, v); err != nil {
				return err
			}
		}
	}
	if open != 0 {
		w.close(&m.fields[open])
	}
	return nil
}

func (w *protoWriter) close(f *protoField) {
	if f.list {
		w.out = append(w.out, ']')
	} else {
		w.out = append(w.out, '}')
	}
}

// key begins a member of the object that is open.
func (w *protoWriter) key(name string) {
	if c := w.out[len(w.out)-1]; c != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, name...)
}

// element writes an entry of a list or a map.
func (w *protoWriter) element(f *protoField, data []byte) error {
	switch f.typ {
	case 'M':
		start := len(w.out)
		err := w.message(data, f.sub)
		if f.slim && len(w.out) == start+2 {
			w.out = bytes.TrimSuffix(w.out[:start], []byte(","))
		}
		return err
	case 's', 'S':
		w.quote(data)
	case 'm', 'Q':
		k, v := protoEntry(data)
		if f.typ == 'Q' { // Quantity: string = 1
			v = protoString(v)
		}
		w.quote(k)
		w.out = append(w.out, ':')
		w.quote(v)
	}
	return nil
}

// protoString takes field 1 out of a message.
func protoString(b []byte) (s []byte) {
	_ = eachField(b, func(num protowire.Number, data []byte, _ uint64) error {
		if num == 1 {
			s = data
		}
		return nil
	})
	return s
}

func (w *protoWriter) single(f *protoField, data []byte, v uint64) error {
	switch f.typ {
	case 's', 'S':
		if len(data) > 0 || f.typ == 'S' {
			w.key(f.name)
			w.quote(data)
		}
	case 'i', 'I':
		if v != 0 || f.typ == 'I' {
			w.key(f.name)
			w.out = strconv.AppendInt(w.out, int64(v), 10)
		}
	case 'b', 'B':
		if v != 0 || f.typ == 'B' {
			w.key(f.name)
			w.out = strconv.AppendBool(w.out, v != 0)
		}
	case 't':
		w.time(f.name, data)
	case 'q':
		w.intOrString(f.name, data)
	case 'r':
		w.out = append(w.out, data...)
	case 'M':
		if f.sub.name == "Fields" {
			// The field set is long, and read only of what is being deleted.
			raw := protoString(data)
			if w.deleting && len(raw) > 1 && raw[0] == '{' {
				w.key(f.name)
				w.out = append(w.out, raw...)
			}
			return nil
		}
		w.key(f.name)
		return w.message(data, f.sub)
	}
	return nil
}

func (w *protoWriter) time(name string, data []byte) {
	if len(data) == 0 {
		return // the zero time
	}
	var seconds int64 // JSON has no fractions either
	_ = eachField(data, func(num protowire.Number, _ []byte, n uint64) error {
		if num == 1 {
			seconds = int64(n)
		}
		return nil
	})
	if name == `"deletionTimestamp":` {
		w.deleting = true
	}
	w.key(name)
	w.out = append(w.out, '"')
	w.out = time.Unix(seconds, 0).UTC().AppendFormat(w.out, time.RFC3339)
	w.out = append(w.out, '"')
}

func (w *protoWriter) intOrString(name string, data []byte) {
	var isString bool
	var number int64
	var text []byte
	_ = eachField(data, func(num protowire.Number, data []byte, n uint64) error {
		switch num {
		case 1:
			isString = n == 1
		case 2:
			number = int64(int32(n))
		case 3:
			text = data
		}
		return nil
	})
	w.key(name)
	if isString {
		w.quote(text)
	} else {
		w.out = strconv.AppendInt(w.out, number, 10)
	}
}

const hexDigits = "0123456789abcdef"

// quote writes a JSON string. What is no valid UTF-8 stays as it is: the
// decoder deals with it.
func (w *protoWriter) quote(s []byte) {
	w.out = append(w.out, '"')
	start := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		w.out = append(w.out, s[start:i]...)
		switch c {
		case '"', '\\':
			w.out = append(w.out, '\\', c)
		case '\n':
			w.out = append(w.out, '\\', 'n')
		default:
			w.out = append(w.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		start = i + 1
	}
	w.out = append(append(w.out, s[start:]...), '"')
}
