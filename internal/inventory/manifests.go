package inventory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// manifests collects the objects of files, folders, URLs and standard input.
type manifests struct {
	request  Request
	filter   labels.Selector // nil takes everything
	targets  []Target
	filtered int // objects that the filter left out
	stdin    bool
	heads    []headed // documents of which no more has been read
}

// headed is a document of which only the head has been read, and what that names.
type headed struct {
	text    []byte
	from    origin
	targets []Target
}

// source reads one value of -f.
func (m *manifests) source(ctx context.Context, name string) error {
	switch {
	case name == "-":
		if m.stdin {
			return problem("give -f - once", "standard input cannot be read twice")
		}
		m.stdin = true
		if m.request.Stdin == nil {
			return problem("kubectl apply -f app.yaml -o yaml | kstatus-tui -f -", "-f -: standard input is a terminal")
		}
		data, err := readBounded(m.request.Stdin)
		if err != nil {
			return problem("", "cannot read standard input: %w", err)
		}
		return m.input(data, origin{name: "standard input", source: "-f -", stdin: true})
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		data, err := m.fetch(ctx, name)
		if err != nil {
			return err
		}
		return m.input(data, origin{name: name, source: "-f " + name})
	case strings.Contains(name, "://"):
		return problem("download it and use -f FILE", "-f %s: only http and https URLs are followed", name)
	}
	return m.path(name)
}

func (m *manifests) path(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		if found, _ := filepath.Glob(name); len(found) > 0 && strings.ContainsAny(name, "*?[") {
			for _, f := range found {
				if err := m.path(f); err != nil {
					return err
				}
			}
			return nil
		}
		return problem("check the path given with -f", "cannot read %s: %w", name, cause(err))
	}
	if !info.IsDir() {
		return m.file(name, "-f "+name)
	}
	files, below, err := manifestFiles(name, m.request.Recursive)
	switch {
	case err != nil:
		return problem("check the path given with -f", "cannot read %s: %w", name, cause(err))
	case len(files) == 0 && below:
		return problem("add -R to read the folders below it", "no .yaml, .yml or .json file directly in %s", name)
	case len(files) == 0:
		return problem("check the path given with -f", "no .yaml, .yml or .json file in %s", name)
	}
	for _, f := range files {
		if isKustomization(f) {
			continue
		}
		if err := m.file(f, "-f "+name); err != nil {
			return err
		}
	}
	return nil
}

func (m *manifests) file(name, source string) error {
	f, err := os.Open(name)
	if err != nil {
		return problem("check the path given with -f", "cannot read %s: %w", name, cause(err))
	}
	defer f.Close()
	data, err := readBounded(f)
	if err != nil {
		return problem("", "cannot read %s: %w", name, cause(err))
	}
	return m.input(data, origin{name: name, source: source})
}

// isKustomization tells the file that kustomize builds a folder by, which is
// never applied, from a manifest of that name.
func isKustomization(path string) bool {
	if base := filepath.Base(path); base != "kustomization.yaml" && base != "kustomization.yml" {
		return false
	}
	data, err := os.ReadFile(path)
	var head struct{ APIVersion, Kind string }
	return err == nil && len(data) < maxKustomization && yaml.Unmarshal(data, &head) == nil &&
		(head.Kind == "" && head.APIVersion == "" || strings.HasPrefix(head.APIVersion, "kustomize.config.k8s.io/"))
}

// maxKustomization is how large a kustomization may be that is told from a
// manifest.
const maxKustomization = 1 << 20

// cause is the error without the path, which the message has already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// manifestFiles lists the manifests of a folder by name, as kubectl does; below
// says that there are folders which were not entered.
func manifestFiles(dir string, recursive bool) (files []string, below bool, err error) {
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p == dir || recursive {
				return nil
			}
			below = true
			return filepath.SkipDir
		}
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(p)) {
			files = append(files, p)
		}
		return nil
	})
	return files, below, err
}

func readBounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("it is larger than %d MB", maxInput>>20)
	}
	return data, err
}

func (m *manifests) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, urlTimeout)
	defer cancel()
	client := m.request.Client
	if client == nil {
		client = &http.Client{}
	}
	hint := "check the URL given with -f"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, problem(hint, "cannot fetch %s: not a URL", address)
	}
	resp, err := client.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err
		}
		return nil, problem(hint, "cannot fetch %s: %w", address, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, problem(hint, "cannot fetch %s: the server answered %s", address, resp.Status)
	}
	data, err := readBounded(resp.Body)
	if err != nil {
		return nil, problem(hint, "cannot fetch %s: %w", address, err)
	}
	return data, nil
}

func (m *manifests) kustomization(dir string) error {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return problem("kubectl kustomize "+dir+" shows the same error", "cannot build the kustomization %s: %w", dir, err)
	}
	data, err := built.AsYaml()
	if err != nil {
		return problem("", "cannot build the kustomization %s: %w", dir, err)
	}
	return m.input(data, origin{name: "the kustomization " + dir, source: "-k " + dir})
}

// origin is where an input came from, for messages.
type origin struct {
	name, source   string
	stdin          bool
	document, line int // of the document that is being read; 1-based
	several        bool
}

func (o origin) String() string {
	s := o.name
	if o.several || o.line > 1 {
		s += fmt.Sprintf(", document %d, line %d", o.document, o.line)
	}
	return s
}

// input reads one file's worth: kubectl's plain text, or manifests.
func (m *manifests) input(data []byte, from origin) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
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
		m.targets, m.filtered = m.targets[:n], filtered // it is not written as heads are
	}
	return m.whole(text, from)
}

func (m *manifests) whole(text []byte, from origin) error {
	for v, err := range values(text, from) {
		if err != nil {
			return err
		}
		if err := m.object(v.json, v.from, 0); err != nil {
			return err
		}
	}
	return nil
}

// check reads whole what was read by its head: the YAML must be in order, and name
// the same.
func (m *manifests) check() error {
	for _, doc := range m.heads {
		whole := manifests{request: m.request, filter: m.filter}
		if err := whole.whole(doc.text, doc.from); err != nil {
			return err
		}
		if !slices.Equal(whole.targets, doc.targets) {
			return problem("indent every line of a text in quotes", "%s: a line of a text looks like the name of the object", doc.from)
		}
	}
	return nil
}

// yamlLine is how the library says where a document is broken.
var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })

// brokenYAML names the line within the file; the parser only knows the line
// within the document.
func brokenYAML(err error, from origin) error {
	msg := err.Error()
	if _, after, ok := strings.Cut(msg, "yaml: "); ok {
		msg = after
	}
	if _, after, ok := strings.Cut(msg, "unmarshal errors:\n  "); ok {
		msg = after
	}
	line := from.line
	if at := yamlLine().FindStringSubmatch(msg); at != nil {
		if n, err := strconv.Atoi(at[1]); err == nil {
			line, msg = from.line+n-1, msg[len(at[0]):]
		}
	}
	e := problem("correct the YAML; kubectl apply --dry-run=client -f FILE checks it too",
		"%s, document %d, line %d: broken YAML: %s", from.name, from.document, line, msg)
	e.Err = err
	return e
}

// manifest is what is read of an object.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name         string            `json:"name"`
		GenerateName string            `json:"generateName"`
		Namespace    string            `json:"namespace"`
		UID          string            `json:"uid"`
		Generation   int64             `json:"generation"`
		Labels       map[string]string `json:"labels"`
		Annotations  map[string]any    `json:"annotations"`
	} `json:"metadata"`
	Items *[]json.RawMessage `json:"items"`
}

// localConfig marks the input of a function on the files, which is never applied.
const localConfig = "config.kubernetes.io/local-config"

const notAnObject = "a manifest has apiVersion, kind and metadata.name"

func (m *manifests) object(raw []byte, from origin, depth int) error {
	if string(raw) == "null" {
		return nil // a document of comments
	}
	var o manifest
	if err := json.Unmarshal(raw, &o); err != nil {
		if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			if te.Field == "" {
				return problem(notAnObject, "%s: not a Kubernetes object but this: %s", from, te.Value)
			}
			return problem(notAnObject, "%s: not a Kubernetes object: %s cannot be this: %s", from, te.Field, te.Value)
		}
		return problem(notAnObject, "%s: not a Kubernetes object: %w", from, err)
	}
	gv, err := schema.ParseGroupVersion(o.APIVersion)
	switch {
	case o.Kind == "" && o.APIVersion == "":
		return problem(notAnObject, "%s: not a Kubernetes object: it has neither apiVersion nor kind", from)
	case o.APIVersion == "":
		return problem(notAnObject, "%s: %s has no apiVersion", from, o.Kind)
	case o.Kind == "":
		return problem(notAnObject, "%s: not a Kubernetes object: it has no kind", from)
	case err != nil:
		return problem(notAnObject, "%s: %w", from, err)
	}
	if !strings.HasSuffix(o.Kind, "List") || o.Items == nil {
		return m.add(o, gv, from)
	}
	if depth == maxNesting {
		return problem("", "%s: Lists within Lists, more than %d deep", from, maxNesting)
	}
	for _, item := range *o.Items {
		if err := m.object(item, from, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (m *manifests) add(o manifest, gv schema.GroupVersion, from origin) error {
	switch name := o.Metadata.Name; {
	case name == "" && o.Metadata.GenerateName != "":
		return problem("create it and pipe the name: kubectl create -f FILE -o name | kstatus-tui -f -",
			"%s: the name of this %s is generated when it is created", from, o.Kind)
	case name == "":
		return problem(notAnObject, "%s: %s has no metadata.name", from, o.Kind)
	default:
		if bad := content.IsPathSegmentName(name); len(bad) > 0 {
			return problem("", "%s: %q cannot be a name: it %s", from, name, bad[0])
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
		return problem("pass -n "+namespace+", or leave -n out",
			"%s: %s/%s is in namespace %q, not in %q", from, o.Kind, o.Metadata.Name, namespace, r.Namespace)
	}
	if namespace == "" {
		namespace = r.Namespace
	}
	t := Target{
		Source: from.source, Version: gv.Version,
		ID:   object.ID{Group: gv.Group, Kind: o.Kind, Namespace: namespace, Name: o.Metadata.Name},
		File: from.name, Document: from.document, Line: from.line,
	}
	// Only a pipe is the output of the apply that is waited for: a file with a
	// generation was exported at some time, and what it says is history.
	if from.stdin && o.Metadata.UID != "" {
		t.Generation = o.Metadata.Generation
	}
	return m.append(t)
}

func (m *manifests) append(t Target) error {
	if len(m.targets) == maxTargets {
		return problem("follow a part of it", "more than %d objects are named", maxTargets)
	}
	m.targets = append(m.targets, t)
	return nil
}
