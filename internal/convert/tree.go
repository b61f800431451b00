package convert

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// keep declares fields that a rule reads of a kind without a typed view, beyond
// what is always kept: the status, the short scalars of spec and of the top
// level, the selector, and fields named …Ref or …Refs.
type keep struct {
	group, kind string // an empty kind means every kind of the group
	// paths are dotted: "spec.tls.secretName". Lists are passed through, "*" is
	// any field, and everything below the end is kept.
	paths []string
}

// Bounds of a Tree. The rest is left out, with a flaw.
const (
	maxTreeDepth = 24
	maxTreeList  = 4096
	maxTreeNodes = 60_000
	// shortString is the longest string that is kept without a declaration.
	shortString = 254
)

// keepNode is a node in the tree of paths to keep.
type keepNode struct {
	all   bool
	small bool // keep short scalars and references, too
	next  map[string]*keepNode
}

var keepAll = &keepNode{all: true}

func (n *keepNode) add(path string) {
	for field := range strings.SplitSeq(path, ".") {
		if n.next == nil {
			n.next = map[string]*keepNode{}
		}
		sub := n.next[field]
		if sub == nil {
			sub = &keepNode{}
			n.next[field] = sub
		}
		n = sub
	}
	n.all = true
}

// child is the node for a field, or nil.
func (n *keepNode) child(key string, v any) *keepNode {
	switch {
	case n.all:
		return n
	case n.next[key] != nil:
		return n.next[key]
	case n.next["*"] != nil:
		return n.next["*"]
	case n.small && isSmall(key, v):
		return keepAll
	}
	return nil
}

// isSmall reports whether a field is kept without a declaration.
func isSmall(key string, v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= shortString
	case map[string]any, []any:
		return key == "selector" || strings.HasSuffix(key, "Ref") || strings.HasSuffix(key, "Refs") || strings.HasSuffix(key, "Reference")
	}
	return true
}

var keepNodes sync.Map // GroupKind → *keepNode

// keepFor returns the paths to keep for a kind.
func keepFor(group, kind string) *keepNode {
	gk := object.ID{Group: group, Kind: kind}.GroupKind()
	if n, ok := keepNodes.Load(gk); ok {
		return n.(*keepNode)
	}
	n := &keepNode{small: true, next: map[string]*keepNode{"spec": {small: true}}}
	for _, path := range registry.Keep(group, kind) {
		n.add(path)
	}
	for _, k := range builtinKeeps {
		if k.group == group && (k.kind == kind || k.kind == "") {
			for _, path := range k.paths {
				n.add(path)
			}
		}
	}
	keepNodes.Store(gk, n)
	return n
}

// builtinKeeps are the fields that rules and edges of built-in kinds read.
var builtinKeeps = []keep{
	{"networking.k8s.io", "Ingress", []string{"spec.defaultBackend", "spec.rules.host", "spec.rules.http.paths.path", "spec.rules.http.paths.backend", "spec.tls.secretName", "spec.tls.hosts"}},
	{"extensions", "Ingress", []string{"spec.backend", "spec.rules.http.paths.backend", "spec.tls.secretName"}},
	{"networking.k8s.io", "NetworkPolicy", []string{"spec.podSelector", "spec.policyTypes"}},
	{"networking.k8s.io", "IngressClass", []string{"spec.parameters"}},
	{"gateway.networking.k8s.io", "", []string{"spec.parentRefs", "spec.rules.backendRefs", "spec.targetRefs", "spec.listeners.name", "spec.listeners.port", "spec.listeners.protocol", "spec.listeners.hostname", "spec.listeners.tls", "spec.hostnames"}},
	{"", "PersistentVolume", []string{"spec.claimRef", "spec.csi.driver", "spec.csi.controllerPublishSecretRef", "spec.csi.nodeStageSecretRef", "spec.csi.nodePublishSecretRef", "spec.csi.controllerExpandSecretRef", "spec.csi.nodeExpandSecretRef", "spec.capacity", "spec.nodeAffinity.required.nodeSelectorTerms.matchExpressions"}},
	{"storage.k8s.io", "VolumeAttachment", []string{"spec.source"}},
	{"storage.k8s.io", "CSINode", []string{"spec.drivers"}},
	{"storage.k8s.io", "StorageClass", []string{"allowVolumeExpansion"}},
	{"autoscaling", "HorizontalPodAutoscaler", []string{"spec.scaleTargetRef", "spec.metrics.type"}},
	{"policy", "PodDisruptionBudget", []string{"spec.selector"}},
	{"apiregistration.k8s.io", "APIService", []string{"spec.service"}},
	{"apiextensions.k8s.io", "CustomResourceDefinition", []string{
		"spec.names.kind", "spec.names.plural", "spec.versions.name", "spec.versions.served", "spec.versions.storage", "spec.versions.subresources", "spec.versions.schema.openAPIV3Schema.x-kubernetes-preserve-unknown-fields",
		"spec.versions.schema.openAPIV3Schema.properties.status.x-kubernetes-preserve-unknown-fields", "spec.versions.schema.openAPIV3Schema.properties.status.additionalProperties.type",
		"spec.versions.schema.openAPIV3Schema.properties.status.properties.*.type", "spec.conversion.webhook.clientConfig.service",
	}},
	{"", "Namespace", []string{"spec.finalizers"}},
	{"coordination.k8s.io", "Lease", []string{"spec.holderIdentity", "spec.renewTime", "spec.leaseDurationSeconds"}},
	{"external-secrets.io", "", []string{"spec.target.name", "spec.externalSecretSpec.secretStoreRef"}},
	{"kustomize.toolkit.fluxcd.io", "", []string{"spec.dependsOn"}},
	{"helm.toolkit.fluxcd.io", "", []string{"spec.dependsOn", "spec.chart.spec.chart", "spec.chart.spec.sourceRef"}},
	{"cluster.x-k8s.io", "Machine", []string{"spec.bootstrap.configRef"}},
	{"cluster.x-k8s.io", "MachineDeployment", []string{"spec.template.spec.infrastructureRef", "spec.template.spec.bootstrap.configRef"}},
	{"cluster.x-k8s.io", "MachineSet", []string{"spec.template.spec.infrastructureRef", "spec.template.spec.bootstrap.configRef"}},
	{"karpenter.sh", "NodePool", []string{"spec.template.spec.nodeClassRef"}},
	{"secrets.hashicorp.com", "", []string{"spec.destination.name"}},
	{"", "Node", []string{"spec.taints"}},
	{"", "ResourceQuota", []string{"spec.hard"}},
	{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", []string{"webhooks.name", "webhooks.failurePolicy", "webhooks.timeoutSeconds", "webhooks.clientConfig.service", "webhooks.clientConfig.url"}},
	{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", []string{"webhooks.name", "webhooks.failurePolicy", "webhooks.timeoutSeconds", "webhooks.clientConfig.service", "webhooks.clientConfig.url"}},
}

// isPayload reports whether a top-level field never enters a tree.
func isPayload(key string) bool { return key == "data" || key == "stringData" || key == "binaryData" }

// tree keeps what rules read of a kind without a typed view: its status without
// the conditions, which are separate, and the declared fields.
func (c *converter) tree(m map[string]any) {
	declared := keepFor(c.o.Group, c.o.Kind)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		var kept any
		switch key {
		case "apiVersion", "kind", "metadata":
			continue
		case "status":
			status, ok := m[key].(map[string]any)
			if !ok {
				continue
			}
			kept = c.statusTree(status)
		default:
			sub := declared.child(key, m[key])
			if sub == nil || isPayload(key) && declared.next[key] == nil {
				continue
			}
			kept = c.kept(sub, m[key], key, 1)
		}
		if kept == nil {
			continue
		}
		if c.o.Tree == nil {
			c.o.Tree = make(map[string]any, 4)
		}
		c.o.Tree[key] = kept
	}
	if spec, ok := m["spec"].(map[string]any); ok && spec["replicas"] != nil {
		scaled := maps.Clone(spec)
		delete(scaled, "replicas")
		c.o.SpecSum = specSum(scaled)
	}
}

// statusTree is the status; an empty one differs from none.
func (c *converter) statusTree(status map[string]any) map[string]any {
	out := make(map[string]any, len(status))
	for _, key := range slices.Sorted(maps.Keys(status)) {
		switch v := status[key]; key {
		case "conditions":
		case "observedGeneration":
			if _, ok := v.(int64); ok {
				out[key] = v
			}
		default:
			out[c.word(key)] = c.kept(keepAll, v, "status."+key, 1)
		}
	}
	return out
}

// kept copies the part of a value that the node keeps; nil is nothing.
func (c *converter) kept(n *keepNode, v any, at string, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		if c.tooMuch(at, depth) {
			return nil
		}
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if sub := n.child(key, v[key]); sub != nil {
				if x := c.kept(sub, v[key], at+"."+key, depth+1); x != nil || v[key] == nil {
					out[c.word(key)] = x
				}
			}
		}
		return out
	case []any:
		if c.tooMuch(at, depth) {
			return nil
		}
		if len(v) > maxTreeList {
			c.flaw(at, "has more entries than are kept")
			v = v[:maxTreeList]
		}
		out := make([]any, 0, len(v))
		for i, x := range v {
			out = append(out, c.kept(n, x, at+"["+strconv.Itoa(i)+"]", depth+1))
		}
		return out
	}
	if !n.all && !n.small && n.next != nil { // a scalar where the declaration expects fields
		return nil
	}
	if s, ok := v.(string); ok {
		return c.word(s)
	}
	return v
}

// tooMuch reports whether the tree has reached a bound.
func (c *converter) tooMuch(at string, depth int) bool {
	c.size++
	switch {
	case depth > maxTreeDepth:
		c.flaw(at, "is nested too deeply")
	case c.size == maxTreeNodes:
		c.flaw(at, "is too large to be kept whole")
	case c.size < maxTreeNodes:
		return false
	}
	return true
}

// whole keeps everything, for the user's rules.
func (c *converter) whole(m map[string]any) {
	all := maps.Clone(m)
	if MetadataKind(c.o.Group, c.o.Kind) {
		maps.DeleteFunc(all, func(key string, _ any) bool { return isPayload(key) })
	}
	if meta, ok := m["metadata"].(map[string]any); ok {
		meta = runtime.DeepCopyJSON(meta)
		unstructured.RemoveNestedField(meta, "managedFields")
		unstructured.RemoveNestedField(meta, "annotations", lastApplied)
		all["metadata"] = meta
	}
	c.size = 0
	tree := make(map[string]any, len(all))
	for key, v := range all {
		tree[c.word(key)] = c.kept(keepAll, v, key, 1)
	}
	if tree["kind"] == nil {
		tree["kind"] = c.o.Kind
	}
	if tree["apiVersion"] == nil {
		tree["apiVersion"] = strings.TrimPrefix(c.o.Group+"/"+c.o.Version, "/")
	}
	c.o.Tree = tree
}
