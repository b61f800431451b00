package inventory

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// manifests collects the objects of files, folders, URLs and standard input.
type manifests struct {
	request  Request
	filter   labels.Selector // nil accepts every object
	targets  []Target
	filtered int      // number of objects that the filter rejected
	heads    []headed // documents of which only the head has been parsed
}

// headed is a document with the objects that its head names.
type headed struct {
	document
	objects []RawObject
}

// input reads one file: kubectl's plain text, or manifests.
func (m *manifests) input(in Input) error {
	if isText, err := m.text(in); isText {
		return err
	}
	for d := range in.documents() {
		short := d
		short.text = head(d.text)
		objs, broken := short.all()
		if broken != nil || len(objs) == 0 {
			objs, broken = d.all()
		} else if len(short.text) < len(d.text) {
			m.heads = append(m.heads, headed{d, objs})
		}
		for _, o := range objs {
			if err := m.add(o); err != nil {
				return err
			}
		}
		if broken != nil {
			return broken
		}
	}
	return nil
}

// check parses in full the documents that were read by their heads: they must
// be valid and name the same objects.
func (m *manifests) check() error {
	for _, d := range m.heads {
		objs, broken := d.all()
		if broken != nil {
			return broken
		}
		if !slices.EqualFunc(objs, d.objects, func(a, b RawObject) bool {
			return reflect.DeepEqual(a.header, b.header)
		}) {
			return problem.New("indent every line of a text in quotes",
				"%s: a line of a text looks like the name of the object", d)
		}
	}
	return nil
}

func (m *manifests) add(o RawObject) error {
	switch bad := notAName(o.Name); {
	case !isWord(o.Kind):
		return problem.New("correct its kind", "%s: %q cannot be a kind", o.Where, o.Kind)
	case !isGroupVersion(o.APIVersion):
		return problem.New("correct its apiVersion", "%s: %q cannot be an apiVersion", o.Where, o.APIVersion)
	case o.Name == "" && o.GenerateName != "":
		return problem.New("create it and pipe the name: kubectl create -f FILE -o name | kstatus-tui -f -",
			"%s: the name of this %s is generated when it is created", o.Where, o.Kind)
	case o.Name == "":
		return problem.New(notAnObject, "%s: %s has no metadata.name", o.Where, o.Kind)
	case bad != "":
		return problem.New("correct metadata.name", "%s: %q cannot be a name: it %s", o.Where, o.Name, bad)
	case o.Namespace != "" && !isNamespace(o.Namespace):
		return problem.New("correct metadata.namespace", "%s: %q cannot be a namespace", o.Where, o.Namespace)
	case m.filter != nil && !m.filter.Matches(labels.Set(o.Labels)):
		m.filtered++
		return nil
	case o.Annotations["config.kubernetes.io/local-config"] == "true":
		return nil // the input of a KRM function, which is never applied
	}
	r := m.request
	if r.NamespaceGiven && o.Namespace != "" && o.Namespace != r.Namespace {
		return problem.New("pass -n "+o.Namespace+", or leave -n out",
			"%s: %s/%s is in namespace %q, not in %q", o.Where, o.Kind, o.Name, o.Namespace, r.Namespace)
	}
	gvk := o.GroupVersionKind()
	t := Target{
		Source: o.Where.source, Version: gvk.Version,
		ID: object.ID{Group: gvk.Group, Kind: gvk.Kind, Namespace: cmp.Or(o.Namespace, r.Namespace), Name: o.Name},
	}
	// The generation is only pinned for standard input, which may be the output
	// of kubectl apply. A file with a generation was exported at some time in
	// the past.
	if o.Where.source == "-f -" && o.UID != "" {
		t.Generation = o.Generation
	}
	return m.append(t)
}

func (m *manifests) append(t Target) error {
	if len(m.targets) == maxTargets {
		return problem.New("follow a part of it", "more than %d objects are named", maxTargets)
	}
	m.targets = append(m.targets, t)
	return nil
}
