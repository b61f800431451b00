package inventory

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// manifests collects the objects of files, folders, URLs and standard input.
type manifests struct {
	request  Request
	filter   labels.Selector // nil accepts every object
	targets  []Target
	filtered int // number of objects that the filter rejected
	files    Reader
	heads    []headed // documents of which only the head has been parsed
}

// headed is a document of which only the head has been parsed, with the objects
// that it names.
type headed struct {
	text    []byte
	from    origin
	targets []Target
}

// source reads one value of -f.
func (m *manifests) source(ctx context.Context, name string) error {
	for in, err := range m.files.Inputs(ctx, name) {
		if err != nil {
			return err
		}
		if err := m.input(in.Data, origin{name: in.Name, source: "-f " + name, stdin: in.Stdin}); err != nil {
			return err
		}
	}
	return nil
}

func (m *manifests) kustomization(dir string) error {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil && strings.Contains(err.Error(), "evalsymlink failure") {
		return problem.New("check the folder given with -k", "cannot read the kustomization %s: no such folder", dir)
	}
	if err != nil {
		return problem.New("kubectl kustomize "+dir+" shows the same error", "cannot build the kustomization %s: %w", dir, err)
	}
	data, err := built.AsYaml()
	if err != nil {
		return problem.New("kubectl kustomize "+dir+" shows what it makes", "cannot build the kustomization %s: %w", dir, err)
	}
	return m.input(data, origin{name: "the kustomization " + dir, source: "-k " + dir})
}

// origin is the place of an input, for messages.
type origin struct {
	name, source   string
	stdin          bool
	document, line int // of the current document; 1-based
	several        bool
}

func (o origin) String() string {
	s := o.name
	if o.several || o.line > 1 {
		s += fmt.Sprintf(", document %d, line %d", o.document, o.line)
	}
	return s
}

// input reads one file: kubectl's plain text, or manifests.
func (m *manifests) input(data []byte, from origin) error {
	if lines, ok := kubectlText(data); ok {
		return m.text(lines, from)
	}
	from.several = several(data)
	m.targets = slices.Grow(m.targets, min(1+bytes.Count(data, []byte("\n---")), maxTargets))
	for doc := range documents(data) {
		from.document, from.line = doc.number, doc.line
		if err := m.document(doc.text, from); err != nil {
			return err
		}
	}
	return nil
}

func (m *manifests) document(text []byte, from origin) error {
	if first := head(text); len(first) < len(text) {
		n, filtered := len(m.targets), m.filtered
		if err := m.whole(first, from); err == nil && len(m.targets)+m.filtered > n+filtered {
			m.heads = append(m.heads, headed{text, from, slices.Clone(m.targets[n:])})
			return nil
		}
		m.targets, m.filtered = m.targets[:n], filtered // the layout has no head
	}
	return m.whole(text, from)
}

func (m *manifests) whole(text []byte, from origin) error {
	for o, err := range objects(text, from) {
		if err != nil {
			return err
		}
		if err := m.add(o.head, o.from); err != nil {
			return err
		}
	}
	return nil
}

// check parses in full the documents that were read by their heads: they must
// be valid and name the same objects.
func (m *manifests) check() error {
	for _, doc := range m.heads {
		whole := manifests{request: m.request, filter: m.filter}
		if err := whole.whole(doc.text, doc.from); err != nil {
			return err
		}
		if !slices.Equal(whole.targets, doc.targets) {
			return problem.New("indent every line of a text in quotes", "%s: a line of a text looks like the name of the object", doc.from)
		}
	}
	return nil
}

// yamlLine finds the line number in the library's error.
var yamlLine = regexp.MustCompile(`^line (\d+): `)

// brokenYAML converts the parser's line number, which is relative to the
// document, to one of the file.
func brokenYAML(err error, from origin) error {
	msg := err.Error()
	if _, after, ok := strings.Cut(msg, "yaml: "); ok {
		msg = after
	}
	if _, after, ok := strings.Cut(msg, "unmarshal errors:\n  "); ok {
		msg = after
	}
	line := from.line
	if at := yamlLine.FindStringSubmatch(msg); at != nil {
		if n, err := strconv.Atoi(at[1]); err == nil {
			line, msg = from.line+n-1, msg[len(at[0]):]
		}
	}
	e := problem.New("correct the YAML; kubectl apply --dry-run=client -f FILE checks it too",
		"%s, document %d, line %d: broken YAML: %s", from.name, from.document, line, msg)
	e.Err = err
	return e
}

// localConfig marks the input of a KRM function, which is never applied.
const localConfig = "config.kubernetes.io/local-config"

func (m *manifests) add(o manifest, from origin) error {
	switch name := o.Metadata.Name; {
	case name == "" && o.Metadata.GenerateName != "":
		return problem.New("create it and pipe the name: kubectl create -f FILE -o name | kstatus-tui -f -",
			"%s: the name of this %s is generated when it is created", from, o.Kind)
	case name == "":
		return problem.New(notAnObject, "%s: %s has no metadata.name", from, o.Kind)
	default:
		if bad := content.IsPathSegmentName(name); len(bad) > 0 {
			return problem.New("correct metadata.name", "%s: %q cannot be a name: it %s", from, name, bad[0])
		}
	}
	if m.filter != nil && !m.filter.Matches(labels.Set(o.Metadata.Labels)) {
		m.filtered++
		return nil
	}
	if o.Metadata.Annotations[localConfig] == "true" {
		return nil
	}
	r := m.request
	namespace := o.Metadata.Namespace
	if r.NamespaceGiven && namespace != "" && namespace != r.Namespace {
		return problem.New("pass -n "+namespace+", or leave -n out",
			"%s: %s/%s is in namespace %q, not in %q", from, o.Kind, o.Metadata.Name, namespace, r.Namespace)
	}
	if namespace == "" {
		namespace = r.Namespace
	}
	t := Target{
		Source: from.source, Version: o.gv.Version,
		ID: object.ID{Group: o.gv.Group, Kind: o.Kind, Namespace: namespace, Name: o.Metadata.Name},
	}
	// The generation is only pinned for standard input, which may be the output
	// of kubectl apply. A file with a generation was exported at some time in
	// the past.
	if from.stdin && o.Metadata.UID != "" {
		t.Generation = o.Metadata.Generation
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
