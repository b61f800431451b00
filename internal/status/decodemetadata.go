package status

import (
	"bytes"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func (d *decoder) metadata(key []byte) {
	o := d.o
	switch string(key) {
	case "name":
		o.Name = d.text()
	case "namespace":
		o.Namespace = d.word()
	case "uid":
		o.UID = d.text()
	case "resourceVersion":
		o.ResourceVersion = d.text()
	case "generation":
		if !d.nullFlaw() {
			o.Generation = d.integer()
		}
	case "creationTimestamp":
		o.Created = d.when()
		d.touched(o.Created)
	case "deletionTimestamp":
		if !d.nullFlaw() {
			o.Deleted = d.when()
			d.touched(o.Deleted)
		}
	case "deletionGracePeriodSeconds":
		grace := d.integer()
		if o.Pod != nil {
			o.Pod.GracePeriod = grace
		}
	case "finalizers":
		d.array(func(i int) {
			if f := d.word(); i < 64 {
				o.Finalizers = append(o.Finalizers, f)
			}
		})
	case "ownerReferences":
		d.array(d.owner)
	case "labels":
		o.Labels = d.labels()
	case "annotations":
		o.Annotations = d.annotations()
	case "managedFields":
		d.managed = deferred{key, d.here()}
		d.array(func(int) {
			d.object(func(key []byte) {
				switch string(key) {
				case "time":
					at := d.when()
					d.touched(at)
					d.written = newest(d.written, at)
				case "subresource":
					name, _ := d.bytes()
					d.scaled = d.scaled || string(name) == "scale"
				default:
					d.skip()
				}
			})
		})
	default:
		d.skip()
	}
}

func (d *decoder) owner(int) {
	var w object.Owner
	d.object(func(key []byte) {
		switch string(key) {
		case "apiVersion":
			v, _ := d.bytes()
			if group, _, ok := bytes.Cut(v, []byte("/")); ok {
				w.Group = object.Intern(group)
			}
		case "kind":
			w.Kind = d.word()
		case "name":
			w.Name = d.word()
		case "uid":
			w.UID = d.word()
		case "controller":
			w.Controller = d.boolean()
		default:
			d.skip()
		}
	})
	if len(d.o.Owners) < 64 {
		d.o.Owners = append(d.o.Owners, w)
	}
}

// maxLabels is how many labels, or annotations, are kept of one object.
const maxLabels = 128

// labels reads a map of strings, sorted by key.
func (d *decoder) labels() []object.Label {
	var few [16]object.Label
	list := few[:0]
	d.object(func(key []byte) {
		if len(list) >= maxLabels {
			d.skip()
			return
		}
		list = append(list, object.Label{Key: object.Intern(key), Value: d.word()})
	})
	return d.same(object.SortLabels(list))
}

// same is the list as the object has it already, or a copy: the labels of a
// workload, its selector and the labels of its pods are mostly one.
func (d *decoder) same(list []object.Label) []object.Label {
	if len(list) == 0 {
		return nil
	}
	if slices.Equal(list, d.o.Labels) {
		return d.o.Labels
	}
	if !slices.Equal(list, d.last) {
		d.last = append(make([]object.Label, 0, len(list)), list...)
	}
	return d.last
}

// annotations reads those that are kept, sorted by key.
func (d *decoder) annotations() []object.Label {
	o := d.o
	var few [16]object.Label
	list := few[:0]
	d.object(func(key []byte) {
		if len(list) >= maxLabels {
			d.skip()
			return
		}
		at := d.here()
		n := d.length()
		if n > maxAnnotation {
			d.flaw("is longer than Kubernetes allows")
		}
		if o.Workload != nil && string(key) == lastApplied {
			d.applied = deferred{key, at}
		}
		if d.err != nil || !KeepAnnotation(o.Group, o.Kind, string(key), n-2) {
			return
		}
		d.back(at)
		list = append(list, object.Label{Key: object.Intern(key), Value: d.text()})
	})
	if len(list) == 0 {
		return nil
	}
	return append(make([]object.Label, 0, len(list)), object.SortLabels(list)...)
}

// KeepAnnotation reports whether an annotation is worth keeping, by its key and
// the length of its value. Every decoder asks it, so that they agree.
func KeepAnnotation(group, kind, key string, length int) bool {
	if key == lastApplied {
		return false
	}
	if kind == "Pod" && group == "" {
		return length <= 512 && keptOnPods(key)
	}
	if key == scalingConditions {
		return length <= object.MaxText
	}
	return length <= 512
}

func keptOnPods(key string) bool {
	domain, name, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	switch domain {
	case "kubernetes.io", "batch.kubernetes.io", "kubectl.kubernetes.io", "cluster-autoscaler.kubernetes.io",
		"cloud.google.com", "karpenter.sh", "kwok.x-k8s.io",
		// Of which inventory a Pod is that was itself applied.
		"kapp.k14s.io", "meta.helm.sh", "argocd.argoproj.io", "kustomize.toolkit.fluxcd.io", "config.k8s.io":
		return true
	case "cni.projectcalico.org", "k8s.v1.cni.cncf.io":
		return false
	}
	return domain == "controller.kubernetes.io" || strings.HasPrefix(name, "ignore-")
}

// MetadataKind reports whether nothing but the metadata of that kind is ever
// read.
func MetadataKind(group, kind string) bool {
	return metadataKinds[object.ID{Group: group, Kind: kind}.GroupKind()]
}

// writers reads metadata.managedFields again, where somebody will ask who wrote
// the object.
func (d *decoder) writers() {
	o := d.o
	if d.managed.key == nil || o.MetadataOnly && o.Deleted.IsZero() {
		return
	}
	deleting := !o.Deleted.IsZero() && len(o.Finalizers) > 0
	unobserved := o.Generation.Set && o.Observed.Set && o.Observed.V < o.Generation.V
	if !deleting && !unobserved && d.status {
		return
	}
	d.back(d.managed.place)
	d.array(func(int) {
		var w object.Writer
		d.object(func(key []byte) {
			switch string(key) {
			case "manager":
				w.Manager = d.word()
			case "subresource":
				w.Status = d.word() == "status"
			case "time":
				w.At = d.when()
			case "fieldsV1":
				switch {
				case !d.proto:
					d.finalizers(&w)
				case !o.Deleted.IsZero(): // it is long, and asked for only then
					set := reader{b: d.val.data, o: &object.Object{}}
					set.finalizers(&w)
				}
			default:
				d.skip()
			}
		})
		if len(o.Writers) < 16 {
			o.Writers = append(o.Writers, w)
		}
	})
}

// finalizers reads which of them are in a field set.
func (r *reader) finalizers(w *object.Writer) {
	r.within("f:metadata", func() {
		r.within("f:finalizers", func() {
			r.object(func(key []byte) {
				r.skip()
				if name, ok := bytes.CutPrefix(key, []byte(`v:"`)); ok && len(w.Finalizers) < 64 {
					w.Finalizers = append(w.Finalizers, object.Intern(bytes.TrimSuffix(name, []byte(`"`))))
				}
			})
		})
	})
}

// selector reads a LabelSelector.
func (d *decoder) selector() (s object.Selector) {
	d.object(func(key []byte) {
		switch string(key) {
		case "matchLabels":
			s.Match = d.labels()
		case "matchExpressions":
			s.Exprs = d.requirements()
		default:
			d.skip()
		}
	})
	return s
}

func (d *decoder) requirements() (list []object.Requirement) {
	d.array(func(int) {
		var q object.Requirement
		d.object(func(key []byte) {
			switch string(key) {
			case "key":
				q.Key = d.word()
			case "operator":
				q.Operator = d.word()
			case "values":
				d.array(func(int) { q.Values = append(q.Values, d.word()) })
			default:
				d.skip()
			}
		})
		list = append(list, q)
	})
	return list
}
