package inventory

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
	// Namespace is where things are looked up that name none: the one given by
	// -n, otherwise the context's. NamespaceGiven says that it came from -n: then
	// a manifest that names another one is a mistake, as it is for kubectl.
	Namespace      string
	NamespaceGiven bool
	// Stdin is standard input if it is a pipe or a file, and nil otherwise. It
	// is read for "-f -", and when nothing is named at all.
	Stdin io.Reader
	// Client fetches URLs; nil means a plain one with a timeout.
	Client *http.Client
}

// The bounds on what is read. They are far above any real manifest; they keep
// a mistake (a disk image, an endless response) from eating the memory.
const (
	maxInput   = 64 << 20 // bytes of one source
	maxTargets = 100_000
	maxNesting = 8 // Lists within Lists
	urlTimeout = 30 * time.Second
)

// howToName is the hint of every error that says that nothing was named.
const howToName = `name what to follow: deploy/web, TYPE -l app=web, -f app.yaml, -k overlays/prod, or --all`

// Parse reads what was asked for into targets, in the order of the command
// line: arguments, then files, then the kustomization. Nothing is looked up in
// a cluster. A thing named twice is one target, the first. Every error is an
// *Error.
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

// Read is Parse in two steps, so that nobody waits for the second with the first
// request: what a document names is read by its head, and check reads the
// documents whole.
func Read(ctx context.Context, r Request) (targets []Target, check func() error, err error) {
	m := manifests{request: r, files: Reader{Stdin: r.Stdin, Client: r.Client, Recursive: r.Recursive}}
	if targets, err = m.read(ctx, r); err == nil {
		return targets, m.check, nil
	}
	if earlier := m.check(); earlier != nil { // a mistake in a document before
		err = earlier
	}
	return nil, nil, err
}

func (m *manifests) read(ctx context.Context, r Request) ([]Target, error) {
	if r.Selector != "" {
		var err error
		if m.filter, err = labels.Parse(r.Selector); err != nil {
			return nil, problem("a selector looks like app=web,tier!=cache",
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
			return nil, problem("name a TYPE with it (deploy -l "+r.Selector+"), or add --all for every type",
				"the selector -l %q has no type to select from", r.Selector)
		case r.Stdin == nil:
			return nil, problem(howToName, "nothing to follow")
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

// fieldSelection refuses a field selector that has no type to select from: the
// fields that one may ask for are each type's own.
func (r Request) fieldSelection() error {
	if r.FieldSelector == "" {
		return nil
	}
	if _, err := fields.ParseSelector(r.FieldSelector); err != nil {
		return problem("as in --field-selector status.phase=Running", "cannot read --field-selector %q: %w", r.FieldSelector, err)
	}
	if !r.namesAType() {
		return problem("name a TYPE with it: pods --field-selector "+r.FieldSelector, "--field-selector %q has no type to select from", r.FieldSelector)
	}
	return nil
}

func emptySelection(r Request, filtered int) error {
	switch {
	case filtered > 0:
		return problem("check the labels of the manifests, or leave -l out",
			"no object matches -l %q, of %d in the manifests", r.Selector, filtered)
	case len(r.Files) == 0 && r.Kustomize == "":
		return problem(howToName, "nothing to follow: standard input is empty")
	}
	return problem("check that it holds Kubernetes objects (apiVersion, kind, metadata.name)",
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

// Sources lists what the targets were asked for with, as typed, each once and
// in their order.
func Sources(targets []Target) []string {
	var out []string
	seen := map[string]bool{}
	last := ""
	for i := range targets {
		s := cmp.Or(targets[i].Source, targets[i].Type)
		if i > 0 && s == last { // thousands of one file
			continue
		}
		if last = s; !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// distinct drops what was named before. A pinned generation survives: of two
// applies in one pipe the newer one counts.
func distinct(targets []Target) []Target {
	type key struct {
		id                        object.ID
		typ, namespace, name, sel string
		fields                    string
		everywhere, all           bool
		scheme                    string
		version                   int
	}
	objects := make(map[object.ID]int, len(targets)) // of manifests: often all, and thousands
	others := map[key]int{}
	out := targets[:0]
	for n := range targets {
		t := &targets[n]
		k := key{t.ID, t.Type, t.Namespace, t.Name, t.Selector, t.FieldSelector, t.AllNamespaces, t.All, t.Scheme, t.HelmVersion}
		obj := k == key{id: t.ID}
		i, ok := objects[t.ID]
		if !obj {
			i, ok = others[k]
		}
		switch {
		case ok:
			out[i].Generation = max(out[i].Generation, t.Generation)
			continue
		case obj:
			objects[t.ID] = len(out)
		default:
			others[k] = len(out)
		}
		if out = out[:len(out)+1]; len(out) <= n {
			out[len(out)-1] = *t
		}
	}
	return slices.Clip(out)
}

// oneLine makes text safe for a one-line message: no line break, no control
// character, nothing invisible that reorders or hides other text, no runs of
// spaces.
func oneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(clean), " ")
}
