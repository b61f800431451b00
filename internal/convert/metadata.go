package convert

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Bounds of one object's metadata, and of its flaws.
const (
	maxFlaws      = 64
	maxLabels     = 128 // or annotations
	maxOwners     = 64
	maxFinalizers = 64
	maxWriters    = 16
)

// maxAnnotation is the API server's limit for all annotations of an object.
const maxAnnotation = 256 << 10

// lastApplied is kubectl apply's copy of the manifest.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// metadataKinds are the kinds whose only status is to exist, or whose payload
// is confidential.
var metadataKinds = map[string]bool{
	"Secret": true, "ConfigMap": true, "ServiceAccount": true, "LimitRange": true, "PodTemplate": true,
	"rbac.authorization.k8s.io/Role":               true,
	"rbac.authorization.k8s.io/RoleBinding":        true,
	"rbac.authorization.k8s.io/ClusterRole":        true,
	"rbac.authorization.k8s.io/ClusterRoleBinding": true,
	"scheduling.k8s.io/PriorityClass":              true,
	"node.k8s.io/RuntimeClass":                     true,
	"apps/ControllerRevision":                      true,
}

// MetadataKind reports whether only the metadata of a kind is ever read.
func MetadataKind(group, kind string) bool {
	return metadataKinds[object.ID{Group: group, Kind: kind}.GroupKind()]
}

func (c *converter) metadata(m *metav1.ObjectMeta) {
	o := c.o
	o.Name, o.Namespace, o.UID, o.ResourceVersion = c.text(m.Name), c.word(m.Namespace),
		c.text(string(m.UID)), c.text(m.ResourceVersion)
	if !o.Generation.Set {
		o.Generation = optional(m.Generation)
	}
	o.Created = when(&m.CreationTimestamp)
	c.touched(o.Created)
	o.Deleted = when(m.DeletionTimestamp)
	c.touched(o.Deleted)
	o.Finalizers = c.words(m.Finalizers[:min(len(m.Finalizers), maxFinalizers)])
	for _, w := range m.OwnerReferences[:min(len(m.OwnerReferences), maxOwners)] {
		group := w.APIVersion[:max(strings.IndexByte(w.APIVersion, '/'), 0)]
		o.Owners = append(o.Owners, object.Owner{
			Group: c.word(group), Kind: c.word(w.Kind), Name: c.word(w.Name),
			UID: c.word(string(w.UID)), Controller: orZero(w.Controller),
		})
	}
	o.Labels = c.labels(m.Labels)
	c.annotations(m.Annotations)
	c.managed = m.ManagedFields
	for _, f := range c.managed {
		at := when(f.Time)
		c.touched(at)
		if at.After(o.Written) {
			o.Written = at
		}
	}
}

// labels converts a map, sorted by key.
func (c *converter) labels(m map[string]string) []object.Label {
	if len(m) == 0 {
		return nil
	}
	list := make([]object.Label, 0, len(m))
	for k, v := range m {
		list = append(list, object.Label{Key: c.word(k), Value: c.word(v)})
	}
	list = object.SortLabels(list)[:min(len(list), maxLabels)]
	if slices.Equal(list, c.o.Labels) { // often equal: a selector, a template's labels
		return c.o.Labels
	}
	return list
}

func (c *converter) annotations(m map[string]string) {
	o := c.o
	c.applied = m[lastApplied]
	for k, v := range m {
		if len(v) > maxAnnotation {
			c.flaw("metadata.annotations."+k, "is longer than Kubernetes allows")
		}
		if keepAnnotation(o.Group, o.Kind, k, len(v)) {
			o.Annotations = append(o.Annotations, object.Label{Key: c.word(k), Value: c.text(v)})
		}
	}
	o.Annotations = object.SortLabels(o.Annotations)[:min(len(o.Annotations), maxLabels)]
}

// podDomains are those of the annotations that are kept of Pods, of which there are
// many: Kubernetes', and of inventories, whose member a Pod may be.
var podDomains = strings.Fields(`kubernetes.io batch.kubernetes.io controller.kubernetes.io kubectl.kubernetes.io
	cluster-autoscaler.kubernetes.io cloud.google.com karpenter.sh kwok.x-k8s.io
	kapp.k14s.io meta.helm.sh argocd.argoproj.io kustomize.toolkit.fluxcd.io config.k8s.io`)

// keepAnnotation decides whether to keep an annotation, by its key and the
// length of its value.
func keepAnnotation(group, kind, key string, length int) bool {
	switch {
	case key == lastApplied:
		return false
	case kind == "Pod" && group == "":
		domain, _, _ := strings.Cut(key, "/")
		return length <= 512 && slices.Contains(podDomains, domain)
	case key == object.ScalingConditions, key == object.BackendHealth:
		return length <= object.MaxText
	}
	return length <= 512
}

// writers keeps the field managers if a detector may need them: of objects that
// are being deleted, not observed by their controller, or without a status.
func (c *converter) writers() {
	o := c.o
	if o.MetadataOnly && o.Deleted.IsZero() {
		return
	}
	deleting := !o.Deleted.IsZero() && len(o.Finalizers) > 0
	unobserved := o.Generation.Set && o.Observed.Set && o.Observed.V < o.Generation.V
	if !deleting && !unobserved && c.hasStatus {
		return
	}
	for _, f := range c.managed[:min(len(c.managed), maxWriters)] {
		writer := object.Writer{Manager: c.word(f.Manager), Status: f.Subresource == "status", At: when(f.Time)}
		if deleting {
			writer.Finalizers = c.finalizersOf(f.FieldsV1)
		}
		o.Writers = append(o.Writers, writer)
	}
}

// finalizersOf are the finalizers in a field set.
func (c *converter) finalizersOf(f *metav1.FieldsV1) (out []string) {
	if f == nil || !bytes.Contains(f.GetRawBytes(), []byte("f:finalizers")) {
		return nil
	}
	var set struct {
		Metadata struct {
			Finalizers map[string]json.RawMessage `json:"f:finalizers"`
		} `json:"f:metadata"`
	}
	if json.Unmarshal(f.GetRawBytes(), &set) != nil {
		return nil
	}
	for key := range set.Metadata.Finalizers {
		if name, ok := strings.CutPrefix(key, `v:"`); ok && len(out) < maxFinalizers {
			out = append(out, c.word(strings.TrimSuffix(name, `"`)))
		}
	}
	slices.Sort(out)
	return out
}

// scaler returns who has scaled a workload, and the replicas of the last
// applied manifest, if the two may disagree.
func (c *converter) scaler() *object.Scaled {
	var s object.Scaled
	var newest time.Time
	for _, f := range c.managed {
		if at := when(f.Time); f.Subresource == "scale" && !at.Before(newest) {
			s.By, newest = c.word(f.Manager), at
		}
	}
	if s.By == "" || c.applied == "" {
		return nil
	}
	var manifest struct {
		Spec struct{ Replicas *int64 }
	}
	if json.Unmarshal([]byte(c.applied), &manifest) != nil || manifest.Spec.Replicas == nil {
		return nil
	}
	s.Manifest = *manifest.Spec.Replicas
	return &s
}
