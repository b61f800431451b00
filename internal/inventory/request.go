package inventory

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Request is the part of a command line that says what to follow.
type Request struct {
	Args          []string // SOURCE arguments
	Files         []string // -f: a file, a folder, an http(s) URL, a glob, or "-" for Stdin
	Kustomize     string   // -k: a folder with a kustomization
	Recursive     bool     // -R: folders with everything below them
	Selector      string   // -l
	FieldSelector string   // --field-selector
	All           bool     // --all
	AllNamespaces bool     // -A
	// Namespace is the default namespace: the one of -n, otherwise the
	// context's. NamespaceGiven says that it came from -n: then a manifest with
	// another namespace is an error, as in kubectl.
	Namespace      string
	NamespaceGiven bool
	// Stdin is standard input if it is a pipe or a file, otherwise nil. It is
	// read for "-f -", and if no source is named.
	Stdin io.Reader
	// Client fetches URLs; nil means a client with a timeout.
	Client *http.Client
}

// Bounds on the input. They are far above any real manifest and protect the
// memory from mistakes (a disk image, an endless response).
const (
	maxInput   = 64 << 20 // bytes of one source
	maxTargets = 100_000
	maxNesting = 8 // depth of nested Lists
	urlTimeout = 30 * time.Second
)

// howToName is the hint of every error about a missing source.
const howToName = `name what to follow: deploy/web, TYPE -l app=web, -f app.yaml, -k overlays/prod, or --all`

// Parse converts a request to targets, in the order of the command line:
// arguments, files, kustomization. It does not talk to a cluster. A thing that
// is named twice is one target, the first. Every error is a *problem.Error.
func Parse(ctx context.Context, r Request) ([]Target, error) {
	targets, check, err := Read(ctx, r)
	if err == nil {
		err = check()
	}
	if err != nil {
		return nil, err
	}
	return targets, nil
}

// Read is Parse in two steps, so that the first request need not wait for the
// second: targets are read from the documents' heads, and check parses the
// documents in full.
func Read(ctx context.Context, r Request) (targets []Target, check func() error, err error) {
	m := manifests{request: r, files: Reader{Stdin: r.Stdin, Client: r.Client, Recursive: r.Recursive}}
	if targets, err = m.read(ctx, r); err == nil {
		return targets, m.check, nil
	}
	if earlier := m.check(); earlier != nil { // report the mistake of an earlier document first
		err = earlier
	}
	return nil, nil, err
}

func (m *manifests) read(ctx context.Context, r Request) ([]Target, error) {
	if r.Selector != "" {
		var err error
		if m.filter, err = labels.Parse(r.Selector); err != nil {
			return nil, problem.New("a selector looks like app=web,tier!=cache",
				"cannot read the selector -l %q: %w", r.Selector, err)
		}
	}
	if err := r.fieldSelection(); err != nil {
		return nil, err
	}
	fromFiles := len(r.Files) > 0 || r.Kustomize != ""
	files := r.Files
	if len(r.Args) == 0 && !fromFiles && !r.All {
		switch {
		case r.Selector != "":
			return nil, problem.New("name a TYPE with it (deploy -l "+r.Selector+"), or add --all for every type",
				"the selector -l %q has no type to select from", r.Selector)
		case r.Stdin == nil:
			return nil, problem.New(howToName, "nothing to follow")
		}
		files = []string{"-"}
	}

	targets, err := r.arguments()
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if err := m.source(ctx, name); err != nil {
			return nil, err
		}
	}
	if r.Kustomize != "" {
		if err := m.kustomization(r.Kustomize); err != nil {
			return nil, err
		}
	}
	if len(targets) > 0 {
		m.targets = append(targets, m.targets...)
	}
	targets = distinct(m.targets)
	if len(targets) == 0 {
		return nil, emptySelection(r, m.filtered)
	}
	return targets, nil
}

// fieldSelection refuses a field selector without a TYPE: selectable fields
// depend on the type.
func (r Request) fieldSelection() error {
	if r.FieldSelector == "" {
		return nil
	}
	if _, err := fields.ParseSelector(r.FieldSelector); err != nil {
		return problem.New("as in --field-selector status.phase=Running", "cannot read --field-selector %q: %w", r.FieldSelector, err)
	}
	if !r.namesAType() {
		return problem.New("name a TYPE with it: pods --field-selector "+r.FieldSelector, "--field-selector %q has no type to select from", r.FieldSelector)
	}
	return nil
}

func emptySelection(r Request, filtered int) error {
	switch {
	case filtered > 0:
		return problem.New("check the labels of the manifests, or leave -l out",
			"no object matches -l %q, of %d in the manifests", r.Selector, filtered)
	case len(r.Files) == 0 && r.Kustomize == "":
		return problem.New(howToName, "nothing to follow: standard input is empty")
	}
	return problem.New("check that it holds Kubernetes objects (apiVersion, kind, metadata.name)",
		"nothing to follow: no object in %s", strings.Join(r.fileSources(), ", "))
}

func (r Request) fileSources() []string {
	var out []string
	for _, f := range r.Files {
		out = append(out, "-f "+f)
	}
	if r.Kustomize != "" {
		out = append(out, "-k "+r.Kustomize)
	}
	return out
}

// Sources lists the sources of the targets, as typed, each once and in order.
func Sources(targets []Target) []string {
	var out []string
	seen := map[string]bool{}
	last := ""
	for i := range targets {
		s := cmp.Or(targets[i].Source, targets[i].Type)
		if i > 0 && s == last { // thousands may come from one file
			continue
		}
		if last = s; !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// distinct drops duplicates. The newest pinned generation wins: of two applies
// in one pipe the second one counts.
func distinct(targets []Target) []Target {
	type key struct {
		id                        object.ID
		typ, namespace, name, sel string
		fields                    string
		everywhere, all           bool
		scheme                    string
		version                   int
	}
	at := make(map[key]int, len(targets))
	out := targets[:0]
	for _, t := range targets {
		k := key{t.ID, t.Type, t.Namespace, t.Name, t.Selector, t.FieldSelector, t.AllNamespaces, t.All, t.Scheme, t.HelmVersion}
		if i, known := at[k]; known {
			out[i].Generation = max(out[i].Generation, t.Generation)
			continue
		}
		at[k] = len(out)
		out = append(out, t)
	}
	return slices.Clip(out)
}
