package status

import (
	"slices"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// Keep declares fields of a kind without a view that a rule reads beyond its
// status, which is kept anyway, and beyond what is kept of every kind: the
// short scalars of spec and of the top level, the selector, and what is named
// …Ref or …Refs.
type Keep struct {
	Group, Kind string // an empty Kind means every kind of the group
	// Paths are dotted: "spec.tls.secretName". Lists are passed through, "*"
	// is any field, and everything below the end is kept.
	Paths []string
}

// The bounds of a Tree. What lies beyond is left out, with a flaw.
const (
	maxTreeDepth = 24
	maxTreeList  = 4096
	maxTreeNodes = 60_000
)

// keepNode is a step of the paths to keep.
type keepNode struct {
	all   bool
	small bool // short scalars and references too
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

func (n *keepNode) child(key []byte) *keepNode {
	if n.all {
		return n
	}
	if sub := n.next[string(key)]; sub != nil {
		return sub
	}
	if sub := n.next["*"]; sub != nil {
		return sub
	}
	return nil
}

var keepNodes sync.Map // GroupKind → *keepNode

func newKeepNode(paths []string) *keepNode {
	top := &keepNode{small: true, next: map[string]*keepNode{
		"spec": {small: true},
	}}
	for _, p := range paths {
		top.add(p)
	}
	return top
}

// keepFor returns what to keep of a kind.
func keepFor(group, kind string, extra []Keep) *keepNode {
	gk := object.ID{Group: group, Kind: kind}.GroupKind()
	if len(extra) == 0 {
		if n, ok := keepNodes.Load(gk); ok {
			return n.(*keepNode)
		}
	}
	paths := registry.Keep(group, kind)
	for _, k := range slices.Concat(builtinKeeps, extra) {
		if k.Group == group && (k.Kind == kind || k.Kind == "") {
			paths = append(paths, k.Paths...)
		}
	}
	n := newKeepNode(paths)
	if len(extra) == 0 {
		keepNodes.Store(gk, n)
	}
	return n
}

// builtinKeeps is what the readers of built-in kinds and the edges between
// them need.
var builtinKeeps = []Keep{
	{"networking.k8s.io", "Ingress", []string{"spec.defaultBackend", "spec.rules.host", "spec.rules.http.paths.path", "spec.rules.http.paths.backend", "spec.tls.secretName", "spec.tls.hosts"}},
	{"extensions", "Ingress", []string{"spec.backend", "spec.rules.http.paths.backend", "spec.tls.secretName"}},
	{"networking.k8s.io", "NetworkPolicy", []string{"spec.podSelector", "spec.policyTypes"}},
	{"networking.k8s.io", "IngressClass", []string{"spec.parameters"}},
	{"gateway.networking.k8s.io", "", []string{"spec.parentRefs", "spec.rules.backendRefs", "spec.targetRefs", "spec.listeners.name", "spec.listeners.port", "spec.listeners.protocol", "spec.listeners.hostname", "spec.listeners.tls", "spec.hostnames"}},
	{"", "PersistentVolume", []string{"spec.claimRef", "spec.csi.driver", "spec.csi.controllerPublishSecretRef", "spec.csi.nodeStageSecretRef", "spec.csi.nodePublishSecretRef", "spec.csi.controllerExpandSecretRef", "spec.csi.nodeExpandSecretRef", "spec.capacity", "spec.nodeAffinity.required.nodeSelectorTerms.matchExpressions"}},
	{"storage.k8s.io", "VolumeAttachment", []string{"spec.source"}},
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

// secretFields never enter a tree, at the top level of any object.
func secretField(key []byte) bool {
	switch string(key) {
	case "data", "stringData", "binaryData":
		return true
	}
	return false
}

// treeField reads a top-level field that is neither metadata nor status.
func (d *decoder) treeField(key []byte) {
	sub := d.keep.child(key)
	if sub == nil && (secretField(key) || !d.keepSmall(key)) {
		d.skip()
		return
	}
	if sub == nil {
		sub = keepAll
	}
	name := object.Intern(key)
	if v := d.tree(sub, 1); v != nil {
		d.setTree(name, v)
	}
}

// keepSmall reports whether the next value, under that key, is kept without
// having been declared.
func (d *decoder) keepSmall(key []byte) bool {
	switch c := d.peek(); {
	case c == '"':
		for i := d.i + 1; i < len(d.b) && i < d.i+256; i++ {
			if d.b[i] == '"' {
				return true
			}
		}
		return false
	case c == '{' || c == '[':
		k := string(key)
		return k == "selector" || strings.HasSuffix(k, "Ref") || strings.HasSuffix(k, "Refs") || strings.HasSuffix(k, "Reference")
	}
	return true
}

// tree reads any value, as far as the node keeps it. Nothing kept is nil.
func (d *decoder) tree(n *keepNode, depth int) any {
	switch c := d.peek(); {
	case c == '{':
		return d.treeMap(n, depth)
	case c == '[':
		return d.treeList(n, depth)
	case !n.all && !n.small && n.next != nil: // a scalar where fields were expected
		d.skip()
		return nil
	case c == '"':
		return d.word()
	case c == 't' || c == 'f':
		return d.boolean()
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	d.skip()
	return nil
}

func (d *decoder) treeMap(n *keepNode, depth int) any {
	if d.tooMuch(depth) {
		return nil
	}
	m := map[string]any{}
	d.object(func(key []byte) {
		sub := n.child(key)
		if sub == nil && n.small && d.keepSmall(key) {
			sub = keepAll
		}
		if sub == nil {
			d.skip()
			return
		}
		name := object.Intern(key)
		null := d.peek() == 'n'
		if v := d.tree(sub, depth+1); v != nil || null {
			m[name] = v
		}
	})
	return m
}

func (d *decoder) treeList(n *keepNode, depth int) any {
	if d.tooMuch(depth) {
		return nil
	}
	list := []any{}
	d.array(func(i int) {
		switch {
		case i < maxTreeList:
			list = append(list, d.tree(n, depth+1))
		case i == maxTreeList:
			d.flaw("has more entries than are kept")
			fallthrough
		default:
			d.skip()
		}
	})
	return list
}

// tooMuch skips the next value when the tree has reached one of its bounds.
func (d *decoder) tooMuch(depth int) bool {
	d.nodes++
	switch {
	case depth > maxTreeDepth:
		d.flaw("is nested too deeply")
	case d.nodes == maxTreeNodes:
		d.flaw("is too large to be kept whole")
	case d.nodes < maxTreeNodes:
		return false
	}
	d.skip()
	return true
}

// whole reads everything once more, for rules whose needs are not known.
func (d *decoder) whole() {
	r := decoder{reader: reader{b: d.b, o: d.o}}
	hidden := MetadataKind(d.o.Group, d.o.Kind)
	tree := map[string]any{}
	r.object(func(key []byte) {
		switch {
		case secretField(key) && hidden:
			r.skip()
		case string(key) == "metadata":
			meta := map[string]any{}
			r.object(func(key []byte) {
				if string(key) == "managedFields" {
					r.skip()
					return
				}
				name := object.Intern(key)
				meta[name] = r.tree(keepAll, 2)
				if notes, ok := meta["annotations"].(map[string]any); ok {
					delete(notes, lastApplied)
				}
			})
			tree["metadata"] = meta
		default:
			name := object.Intern(key)
			tree[name] = r.tree(keepAll, 1)
		}
	})
	if _, ok := tree["kind"]; !ok {
		tree["kind"] = d.o.Kind
	}
	if _, ok := tree["apiVersion"]; !ok {
		tree["apiVersion"] = strings.TrimPrefix(d.o.Group+"/"+d.o.Version, "/")
	}
	d.o.Tree = tree
}
