package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// treeKind names the reader of one or several built-in kinds that have no typed
// view.
type treeKind uint8

const (
	notTree treeKind = iota
	treeExisting
	treeIngress
	treeAutoscaler
	treeBudget
	treeAPIService
	treeDefinition
	treeNamespace
	treeNode
	treeVolume
	treeAttachment
	treeQuota
	treeSigningRequest
	treeWebhooks
	treeAdmissionPolicy
	treeResourceClaim
	treeLease
	treeFlowSchema
	treeGatewayClass
	treeGateway
	treeRoute
	treePolicy
)

// treeKinds are Kubernetes's own kinds without a typed view, and the Gateway
// API's, by group and kind. What a reader takes a status for is that of its
// documentation in k8s.io/api (v0.37) and of the controllers in
// kubernetes/kubernetes v1.33, unless it says otherwise.
var treeKinds = func() map[[2]string]treeKind {
	table := make(map[[2]string]treeKind)
	for kind, list := range map[treeKind]string{
		treeExisting:        existing,
		treeIngress:         "networking.k8s.io/Ingress extensions/Ingress",
		treeAutoscaler:      "autoscaling/HorizontalPodAutoscaler",
		treeBudget:          "policy/PodDisruptionBudget",
		treeAPIService:      "apiregistration.k8s.io/APIService",
		treeDefinition:      "apiextensions.k8s.io/CustomResourceDefinition",
		treeNamespace:       "Namespace",
		treeNode:            "Node",
		treeVolume:          "PersistentVolume",
		treeAttachment:      "storage.k8s.io/VolumeAttachment",
		treeQuota:           "ResourceQuota",
		treeSigningRequest:  "certificates.k8s.io/CertificateSigningRequest",
		treeWebhooks:        "admissionregistration.k8s.io/ValidatingWebhookConfiguration admissionregistration.k8s.io/MutatingWebhookConfiguration",
		treeAdmissionPolicy: "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
		treeResourceClaim:   "resource.k8s.io/ResourceClaim",
		treeLease:           "coordination.k8s.io/Lease",
		treeFlowSchema:      "flowcontrol.apiserver.k8s.io/FlowSchema",
		treeGatewayClass:    "gateway.networking.k8s.io/GatewayClass",
		treeGateway:         "gateway.networking.k8s.io/Gateway gateway.networking.k8s.io/ListenerSet gateway.networking.x-k8s.io/XListenerSet",
		treeRoute: `gateway.networking.k8s.io/HTTPRoute gateway.networking.k8s.io/GRPCRoute gateway.networking.k8s.io/TCPRoute
			gateway.networking.k8s.io/TLSRoute gateway.networking.k8s.io/UDPRoute`,
		treePolicy: `gateway.networking.k8s.io/BackendTLSPolicy gateway.networking.k8s.io/BackendLBPolicy
			gateway.networking.x-k8s.io/XBackendTrafficPolicy`,
	} {
		for gk := range strings.FieldsSeq(list) {
			group, name, ok := strings.Cut(gk, "/")
			if !ok {
				group, name = "", gk
			}
			table[[2]string{group, name}] = kind
		}
	}
	return table
}()

// readTree calls a reader. It is a switch and not a table of functions, which
// would send every judgement to the heap.
func (c *custom) readTree(kind treeKind) signal {
	switch kind {
	case treeIngress:
		return readIngress(c)
	case treeAutoscaler:
		return readAutoscaler(c)
	case treeBudget:
		return readBudget(c)
	case treeAPIService:
		return readAPIService(c)
	case treeDefinition:
		return readDefinition(c)
	case treeNamespace:
		return readNamespace(c)
	case treeNode:
		return readNode(c)
	case treeVolume:
		return readVolume(c)
	case treeAttachment:
		return readAttachment(c)
	case treeQuota:
		return readQuota(c)
	case treeSigningRequest:
		return readSigningRequest(c)
	case treeWebhooks:
		return readWebhooks(c)
	case treeAdmissionPolicy:
		return readAdmissionPolicy(c)
	case treeResourceClaim:
		return readResourceClaim(c)
	case treeLease:
		return readLease(c)
	case treeFlowSchema:
		return readFlowSchema(c)
	case treeGatewayClass:
		return readGatewayClass(c)
	case treeGateway:
		return readGateway(c)
	case treeRoute:
		return readParents(c, "parents", "parentRef")
	case treePolicy:
		return readParents(c, "ancestors", "ancestorRef")
	}
	return readExisting(c)
}

// existing are the kinds whose whole status is that they exist.
const existing = `ConfigMap Secret ServiceAccount LimitRange PodTemplate Event ComponentStatus Binding
	events.k8s.io/Event apps/ControllerRevision node.k8s.io/RuntimeClass
	rbac.authorization.k8s.io/Role rbac.authorization.k8s.io/RoleBinding
	rbac.authorization.k8s.io/ClusterRole rbac.authorization.k8s.io/ClusterRoleBinding
	networking.k8s.io/NetworkPolicy networking.k8s.io/IngressClass networking.k8s.io/IPAddress
	scheduling.k8s.io/PriorityClass storage.k8s.io/StorageClass storage.k8s.io/CSIDriver
	storage.k8s.io/CSINode storage.k8s.io/CSIStorageCapacity storage.k8s.io/VolumeAttributesClass
	resource.k8s.io/DeviceClass resource.k8s.io/ResourceSlice resource.k8s.io/ResourceClaimTemplate
	admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding
	admissionregistration.k8s.io/MutatingAdmissionPolicy
	admissionregistration.k8s.io/MutatingAdmissionPolicyBinding
	flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration policy/PodSecurityPolicy
	certificates.k8s.io/ClusterTrustBundle gateway.networking.k8s.io/ReferenceGrant`

func good(rule, message string, paths ...string) signal {
	return signal{status: Current, rule: rule, message: message, paths: paths}
}

func underway(rule, reason, message string, paths ...string) signal {
	return signal{status: InProgress, rule: rule, reason: reason, message: message, paths: paths}
}

func fails(rule, reason, message string, paths ...string) signal {
	return signal{status: Failed, heals: true, rule: rule, reason: reason, message: message, paths: paths}
}

func silent(rule, message string, paths ...string) signal {
	return signal{silent: true, rule: rule, message: message, paths: paths}
}

// by makes a signal of a condition: a fault that may heal, or work under way,
// or success.
func (c *custom) by(status Status, i int, rule string) signal {
	s := c.at(i, rule, describe(&c.o.Conditions[i]))
	s.status, s.heals = status, status == Failed
	return s
}

// fresh returns the index of a condition that describes this generation, or -1.
func (c *custom) fresh(typ string) int {
	if i := c.index(typ); i >= 0 && !c.staleCondition(&c.o.Conditions[i]) {
		return i
	}
	return -1
}

func readExisting(c *custom) signal { return good("exists", c.o.Kind+" exists") }

// ingressPatience is how long an Ingress may be without an address before we
// take its controller for one that never reports any.
const ingressPatience = 5 * time.Minute

func readIngress(c *custom) signal {
	const path = "status.loadBalancer.ingress"
	addresses := 0
	for _, el := range c.o.List("status", "loadBalancer", "ingress") {
		if m, ok := el.(map[string]any); ok && (m["ip"] != nil || m["hostname"] != nil) {
			addresses++
		}
	}
	if addresses > 0 {
		return good("address", strconv.Itoa(addresses)+" address"+plural(addresses, "es")+" assigned", path)
	}
	if !c.w.Offline && !c.o.Created.IsZero() && c.now.Sub(c.o.Created) >= ingressPatience {
		s := good("no-address", "No address is reported", path)
		s.note = "no address after " + ingressPatience.String() + ": its controller may be one that never reports any, or none serves its class"
		return s
	}
	s := underway("address", "NoAddress", "Waiting for an address", path)
	if !c.w.Offline && !c.o.Created.IsZero() {
		s.recheck, s.what = c.o.Created.Add(ingressPatience), "its controller is taken for one that never reports an address"
	}
	return s
}

func plural(n int, suffix string) string {
	if n == 1 {
		return ""
	}
	return suffix
}

// readAutoscaler follows pkg/controller/podautoscaler/horizontal.go: what is
// reported as FailedGet… and FailedUpdate… is a fault, a disabled or limited
// scaling is not.
func readAutoscaler(c *custom) signal {
	conds, paths := c.o.Conditions, []string{"status.conditions"}
	if text, ok := c.o.Annotation("autoscaling.alpha.kubernetes.io/conditions"); ok && len(conds) == 0 {
		// autoscaling/v1 keeps them there.
		conds = parseConditions(text)
		paths = []string{"metadata.annotations[autoscaling.alpha.kubernetes.io/conditions]"}
	}
	var able, active, limited *Condition
	for i := range conds {
		switch conds[i].Type {
		case "AbleToScale":
			able = &conds[i]
		case "ScalingActive":
			active = &conds[i]
		case "ScalingLimited":
			limited = &conds[i]
		}
	}
	say := func(s signal, cond *Condition) signal {
		s.reason, s.message, s.since, s.paths = cond.Reason, describe(cond), cond.LastTransitionTime, paths
		if len(c.o.Conditions) > 0 {
			s.cond = c.index(cond.Type) + 1
		}
		return s
	}
	switch {
	case able != nil && strings.HasPrefix(able.Reason, "Failed"):
		return say(fails("able-to-scale", "", ""), able)
	case active != nil && isFalse(active) && active.Reason == "ScalingDisabled":
		s := say(good("scaling-disabled", ""), active)
		s.note = "scaling is disabled: the target has 0 replicas"
		return s
	case active != nil && isFalse(active):
		return say(fails("scaling-active", "", ""), active)
	case able == nil && len(conds) == 0:
		return silent("conditions", "The autoscaler has not been looked at yet", "status.conditions")
	case able == nil || !isTrue(able):
		if able == nil {
			return underway("able-to-scale", "AbleToScaleMissing", "Condition AbleToScale is not reported yet", paths...)
		}
		return say(underway("able-to-scale", "", ""), able)
	}
	s := say(good("able-to-scale", ""), able)
	if limited != nil && isTrue(limited) && limited.Reason == "TooManyReplicas" {
		s.note = "wants more replicas than its maximum allows"
	}
	return s
}

// readBudget: a budget whose controller cannot compute it protects nothing.
// That too few pods are healthy is a fact about the pods.
func readBudget(c *custom) signal {
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		if cond.Type == "DisruptionAllowed" && isFalse(cond) && cond.Reason == "SyncFailed" && !c.staleCondition(cond) {
			return c.by(Failed, i, "sync-failed")
		}
	}
	expected, healthy, desired := c.o.Int("status", "expectedPods"), c.o.Int("status", "currentHealthy"), c.o.Int("status", "desiredHealthy")
	if !expected.Set && !desired.Set && len(c.o.Conditions) == 0 {
		return silent("computed", "The allowed disruptions are not computed yet", "status")
	}
	s := good("computed", pair("", healthy.V, " of ", expected.V, pair(" pods healthy, ", desired.V, " wanted; ",
		c.o.Int("status", "disruptionsAllowed").V, " disruptions allowed")),
		"status.currentHealthy", "status.desiredHealthy", "status.disruptionsAllowed")
	switch {
	case expected.V == 0 && healthy.V > 0:
		s.message = "It selects " + count(healthy.V, "healthy pod") + " that no controller owns"
		s.note = "protects nothing: how many pods there should be is not known without a controller"
	case expected.Set && expected.V == 0:
		s.note = "its selector matches no pod"
	case healthy.V < desired.V:
		s.note = pair("", healthy.V, " of the ", desired.V, " healthy pods that it wants")
	case c.o.Int("status", "disruptionsAllowed").V == 0 && expected.V > 0:
		s.note = "allows no disruption: it blocks draining nodes"
	}
	return s
}

func readAPIService(c *custom) signal {
	switch i := c.index("Available"); {
	case i < 0:
		return silent("available", "Condition Available is not reported yet", "status.conditions")
	case isTrue(&c.o.Conditions[i]):
		return c.by(Current, i, "available")
	case c.o.Conditions[i].Reason == "ServiceNotFound", c.o.Conditions[i].Reason == "ServicePortError":
		return c.by(Failed, i, "available")
	default:
		return c.by(InProgress, i, "available")
	}
}

// readDefinition follows apiextensions-apiserver's controllers. Names that
// another definition has taken are not given back by waiting.
func readDefinition(c *custom) signal {
	if i := c.index("Terminating"); i >= 0 && isTrue(&c.o.Conditions[i]) {
		return c.by(InProgress, i, "terminating")
	}
	if i := c.index("NamesAccepted"); i >= 0 && isFalse(&c.o.Conditions[i]) {
		s := c.by(Failed, i, "names-accepted")
		s.heals, s.terminal = false, true
		return s
	}
	if i := c.index("NonStructuralSchema"); i >= 0 && isTrue(&c.o.Conditions[i]) {
		return c.by(Failed, i, "structural-schema")
	}
	switch i := c.index("Established"); {
	case i < 0:
		return underway("established", "Installing", "Waiting to be established", "status.conditions")
	case isTrue(&c.o.Conditions[i]):
		s := c.by(Current, i, "established")
		if k := c.index("KubernetesAPIApprovalPolicyConformant"); k >= 0 && isFalse(&c.o.Conditions[k]) {
			s.note = "a *.k8s.io group without the approval that the API policy asks for"
		}
		return s
	case c.o.Conditions[i].Reason == "Installing":
		return c.by(InProgress, i, "established")
	default:
		return c.by(Failed, i, "established")
	}
}

func readNamespace(c *custom) signal {
	switch phase := c.o.Str("status", "phase"); phase {
	case "Active":
		return good("phase", "Namespace is active", "status.phase")
	case "Terminating":
		return signal{status: Terminating, rule: "phase", message: "Namespace is being deleted", paths: []string{"status.phase"}}
	case "":
		return silent("phase", "The namespace has not been created yet", "status.phase")
	default:
		return signal{status: Unknown, rule: "phase", message: "status.phase is " + phase, paths: []string{"status.phase"}}
	}
}

func readNode(c *custom) signal {
	ready := c.index("Ready")
	if ready < 0 {
		return silent("ready", "The kubelet has not reported yet", "status.conditions")
	}
	if !isTrue(&c.o.Conditions[ready]) {
		return c.by(Failed, ready, "ready")
	}
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		if i == ready || !isTrue(cond) {
			continue
		}
		switch {
		case cond.Type == "NetworkUnavailable":
			return c.by(Failed, i, "network")
		case strings.HasSuffix(cond.Type, "Pressure"):
			return c.by(Failed, i, "pressure")
		}
	}
	s := c.by(Current, ready, "ready")
	if v, _ := c.o.Bool("spec", "unschedulable"); v {
		s.note = "cordoned: nothing new is scheduled here"
		return s
	}
	for i := range c.o.Conditions {
		// node-problem-detector's conditions
		cond := &c.o.Conditions[i]
		if kind, _ := conditionSense(cond.Type); isTrue(cond) && kind == kindFault {
			s.note = cond.Type + ": " + describe(cond)
			break
		}
	}
	return s
}

func readVolume(c *custom) signal {
	text := c.o.Str("status", "message")
	switch phase := c.o.Str("status", "phase"); phase {
	case "Bound":
		return good("phase", "Volume is bound", "status.phase")
	case "Available":
		return good("phase", "Volume is available", "status.phase")
	case "Released":
		s := good("phase", "Volume is released", "status.phase")
		s.note = "its claim is gone; it is not given to another until it is reclaimed"
		return s
	case "Failed":
		if text == "" {
			text = "Reclaiming the volume failed"
		}
		return fails("phase", c.o.Str("status", "reason"), text, "status.phase", "status.message")
	case "Pending", "":
		return underway("phase", "Pending", "Volume is pending", "status.phase")
	default:
		return signal{status: Unknown, rule: "phase", message: "status.phase is " + phase, paths: []string{"status.phase"}}
	}
}

func readAttachment(c *custom) signal {
	fault := func(field, reason string) (signal, bool) {
		m := c.o.Map("status", field)
		text, _ := m["message"].(string)
		if text == "" {
			return signal{}, false
		}
		s := fails(field, reason, text, "status."+field+".message")
		at, _ := m["time"].(string)
		s.since, _ = time.Parse(time.RFC3339, at)
		return s, true
	}
	if s, ok := fault("detachError", "DetachFailed"); ok {
		return s
	}
	if v, _ := c.o.Bool("status", "attached"); v {
		return good("attached", "Volume is attached", "status.attached")
	}
	if s, ok := fault("attachError", "AttachFailed"); ok {
		return s
	}
	return underway("attached", "Attaching", "Waiting for the volume to be attached", "status.attached")
}

func readQuota(c *custom) signal {
	hard, used := c.o.Map("status", "hard"), c.o.Map("status", "used")
	want := c.o.Map("spec", "hard")
	missing, found := "", false
	for k, v := range want { // the first by name, whatever the order of the map
		if hard[k] != v && (!found || k < missing) {
			missing, found = k, true
		}
	}
	if found {
		return underway("observed", "NotObserved", "The limit of "+missing+" is not in force yet", "spec.hard", "status.hard")
	}
	s := good("observed", "Quota is in force", "status.hard", "status.used")
	var full []string
	for k, v := range hard {
		limit, ok := parseAmount(v)
		have, ok2 := parseAmount(used[k])
		if ok && ok2 && limit > 0 && have >= limit {
			full = append(full, k)
		}
	}
	if len(full) > 0 {
		slices.Sort(full)
		s.note = "used up: " + strings.Join(full, ", ")
	}
	return s
}

func parseAmount(v any) (int64, bool) {
	switch v := v.(type) {
	case string:
		return ParseAmount(v)
	case int64:
		return ParseAmount(strconv.FormatInt(v, 10))
	}
	return 0, false
}

func readSigningRequest(c *custom) signal {
	for _, typ := range [...]string{"Denied", "Failed"} {
		if i := c.index(typ); i >= 0 && c.o.Conditions[i].Status != "False" {
			s := c.by(Failed, i, strings.ToLower(typ))
			s.heals, s.terminal = false, true
			return s
		}
	}
	if cert := c.o.Str("status", "certificate"); cert != "" {
		return good("certificate", "Certificate is issued", "status.certificate")
	}
	if i := c.index("Approved"); i >= 0 {
		return underway("certificate", "Approved", "Approved; waiting for the signer "+c.o.Str("spec", "signerName"), "status.certificate")
	}
	return underway("approval", "Pending", "Waiting for approval", "status.conditions")
}

func readWebhooks(c *custom) signal {
	n := len(c.o.List("webhooks"))
	s := good("exists", strconv.Itoa(n)+" webhook"+plural(n, "s")+" configured", "webhooks")
	if c.w.Lookup == nil {
		return s
	}
	for _, el := range c.o.List("webhooks") {
		m, _ := el.(map[string]any)
		service := asMap(treeAt(m, "clientConfig", "service"))
		name, _ := service["name"].(string)
		ns, _ := service["namespace"].(string)
		o := c.w.Lookup(ID{Kind: "Service", Namespace: ns, Name: name})
		if name == "" || o == nil || o.Deleted.IsZero() {
			continue
		}
		s.note = "the service " + ns + "/" + name + " behind it is being deleted"
	}
	return s
}

// readAdmissionPolicy: the controller type-checks the expressions and writes
// what it finds; the policy is in force all the same.
func readAdmissionPolicy(c *custom) signal {
	warnings := c.o.List("status", "typeChecking", "expressionWarnings")
	s := good("type-checking", "Policy is in force", "status.typeChecking")
	if len(warnings) > 0 {
		m, _ := warnings[0].(map[string]any)
		field, _ := m["fieldRef"].(string)
		s.note = fmt.Sprintf("%d type-checking warning%s, the first at %s", len(warnings), plural(len(warnings), "s"), field)
	}
	return s
}

// readResourceClaim: a claim is allocated when a pod that uses it is scheduled
// (KEP-4381), so that one without a pod waits for nothing, as a
// PersistentVolumeClaim does that waits for its first consumer. Whether it can
// be allocated, the pod's own scheduling tells.
func readResourceClaim(c *custom) signal {
	if c.o.Map("status", "allocation") == nil {
		s := good("unallocated", "Is allocated once a pod that uses it is scheduled", "status.allocation")
		s.reason, s.note = "NotAllocated", "not allocated: waits for its first pod"
		return s
	}
	for i, el := range c.o.List("status", "devices") {
		m, _ := el.(map[string]any)
		list, _ := m["conditions"].([]any)
		for k, el := range list {
			cm, _ := el.(map[string]any)
			if cond := conditionOf(cm); cond.Type == "Ready" && isFalse(&cond) {
				s := fails("devices", cond.Reason, describe(&cond), fmt.Sprintf("status.devices[%d].conditions[%d]", i, k))
				s.since = cond.LastTransitionTime
				return s
			}
		}
	}
	n := len(c.o.List("status", "reservedFor"))
	return good("allocation", "Allocated, reserved for "+strconv.Itoa(n)+" consumer"+plural(n, "s"), "status.allocation", "status.reservedFor")
}

func readLease(c *custom) signal {
	holder := c.o.Str("spec", "holderIdentity")
	if holder == "" {
		return good("holder", "Nobody holds the lease", "spec.holderIdentity")
	}
	s := good("holder", "Held by "+holder, "spec.holderIdentity", "spec.renewTime")
	renewed, err := time.Parse(time.RFC3339, c.o.Str("spec", "renewTime"))
	seconds := c.o.Int("spec", "leaseDurationSeconds")
	if err == nil && seconds.Set && !c.w.Offline {
		if end := renewed.Add(time.Duration(seconds.V) * time.Second); c.now.After(end) {
			s.note = "expired: not renewed since " + renewed.UTC().Format(time.RFC3339)
		} else {
			s.recheck = end
		}
	}
	return s
}

func readFlowSchema(c *custom) signal {
	if i := c.index("Dangling"); i >= 0 && isTrue(&c.o.Conditions[i]) {
		return c.by(Failed, i, "dangling")
	}
	return good("dangling", "Flow schema is in force", "status.conditions")
}

// The Gateway API's kinds follow GEP-1364 and gateway-api v1.3
// apis/v1/{gatewayclass,gateway,shared}_types.go: Accepted and ResolvedRefs
// are about what was asked for, Programmed about what has been done.

func readGatewayClass(c *custom) signal {
	i := c.fresh("Accepted")
	switch {
	case i < 0 && c.index("Accepted") >= 0:
		return underway("accepted", "GenerationNotObserved", "The conditions describe an older generation", "status.conditions")
	case i < 0:
		return silent("accepted", "No controller has taken the class yet", "status.conditions")
	case isTrue(&c.o.Conditions[i]):
		return c.by(Current, i, "accepted")
	case isFalse(&c.o.Conditions[i]) && !waits(&c.o.Conditions[i]):
		return c.by(Failed, i, "accepted")
	default:
		return c.by(InProgress, i, "accepted")
	}
}

// waits reports whether a Gateway API condition that is False only means that
// nobody has come to it yet.
func waits(cond *Condition) bool {
	switch cond.Reason {
	case "Pending", "Waiting", "NotReconciled", "AddressNotAssigned", "NoResources":
		return true
	}
	return false
}

func readGateway(c *custom) signal {
	var s signals
	s.c = c
	judged := 0
	for i := range c.o.Conditions {
		cond := &c.o.Conditions[i]
		if c.staleCondition(cond) {
			continue
		}
		judged++
		sig := c.at(i, gatewayRule(cond.Type), describe(cond))
		gatewayCondition(&s, cond, sig)
	}
	for i, el := range c.o.List("status", "listeners") {
		m, _ := el.(map[string]any)
		name, _ := m["name"].(string)
		list, _ := m["conditions"].([]any)
		for k, el := range list {
			cm, _ := el.(map[string]any)
			cond := conditionOf(cm)
			if cond.Type == "" || c.staleCondition(&cond) {
				continue
			}
			judged++
			p := "status.listeners[" + strconv.Itoa(i) + "].conditions[" + strconv.Itoa(k) + "]"
			gatewayCondition(&s, &cond, signal{
				rule: "listener", reason: cond.Reason, message: "Listener " + name + ": " + describe(&cond),
				since: cond.LastTransitionTime, paths: []string{p},
			})
		}
	}
	return gatewayVerdict(c, &s, judged, len(c.o.Conditions) > 0)
}

// gatewayRule is the rule for a condition, its type in lower case.
func gatewayRule(typ string) string {
	switch typ {
	case "Accepted":
		return "accepted"
	case "Programmed":
		return "programmed"
	case "ResolvedRefs":
		return "resolvedrefs"
	}
	return strings.ToLower(typ)
}

func gatewayCondition(s *signals, cond *Condition, sig signal) {
	switch cond.Type {
	case "Accepted", "ResolvedRefs", "Scheduled":
		switch {
		case isTrue(cond):
			s.good(sig)
		case isFalse(cond) && !waits(cond):
			s.fault(sig)
		default:
			s.progress(sig)
		}
	case "Programmed", "Ready":
		switch {
		case isTrue(cond):
			s.good(sig)
		case isFalse(cond) && cond.Reason == "Invalid":
			s.fault(sig)
		default:
			s.progress(sig)
		}
	case "Conflicted", "PartiallyInvalid":
		if isTrue(cond) {
			s.fault(sig)
		}
	}
}

func gatewayVerdict(c *custom, s *signals, judged int, reported bool) signal {
	best, found := s.worst()
	switch {
	case found:
		return best
	case judged > 0:
		return underway("accepted", "AcceptedMissing", "Condition Accepted is not reported yet", "status")
	case reported:
		return underway("staleness", "GenerationNotObserved", "The conditions describe an older generation", "status")
	}
	return silent("accepted", "No controller has taken it yet", "status")
}

// notResponsible reports whether an ancestor's controller says that the target
// is none of its own. Every implementation in a cluster answers every policy;
// such an answer must not outweigh that of the one that is meant.
func notResponsible(conditions []any) bool {
	return slices.ContainsFunc(conditions, func(el any) bool {
		m, _ := el.(map[string]any)
		return m["type"] == "Accepted" && m["status"] != "True" && m["reason"] == "TargetNotFound"
	})
}

// readParents judges a route by each of its parents, or a policy by its
// ancestors. A parent whose controller has not come to this generation is
// passed over while another has.
func readParents(c *custom, field, ref string) signal {
	var s signals
	s.c = c
	judged, reported := 0, false
	for i, el := range c.o.List("status", field) {
		m, _ := el.(map[string]any)
		name, _ := treeAt(m, ref, "name").(string)
		list, _ := m["conditions"].([]any)
		if field == "ancestors" && notResponsible(list) {
			reported = true
			continue
		}
		for k, el := range list {
			cm, _ := el.(map[string]any)
			cond := conditionOf(cm)
			if cond.Type == "" {
				continue
			}
			reported = true
			if c.staleCondition(&cond) {
				continue
			}
			judged++
			p := "status." + field + "[" + strconv.Itoa(i) + "].conditions[" + strconv.Itoa(k) + "]"
			gatewayCondition(&s, &cond, signal{
				rule: gatewayRule(cond.Type), reason: cond.Reason, message: name + ": " + describe(&cond),
				since: cond.LastTransitionTime, paths: []string{p},
			})
		}
	}
	return gatewayVerdict(c, &s, judged, reported)
}
