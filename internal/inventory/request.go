package inventory

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

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
}

// Bounds on the input. They are far above any real manifest and protect the
// memory from mistakes (a disk image, an endless response).
const (
	maxInput  = 64 << 20  // bytes of one source
	maxInputs = 512 << 20 // bytes of all sources
	// separators in one document: a parsed value takes some 200 bytes of memory, and 2 of the text
	maxValues  = 8_000_000
	maxTargets = 100_000
	maxNesting = 8 // depth of nested Lists
	urlTimeout = 30 * time.Second
)

// howToName is the hint of every error about a missing source.
const howToName = `name what to follow: deploy/web, pods, TYPE -l app=web, -f app.yaml, -k overlays/prod, or --all (everything in the namespace; with -A in all)`

// Parse converts a request to targets, in the order of the command line:
// arguments, files, kustomization. It does not talk to a cluster. A thing that
// is named twice is one target, the first. Every error is a *problem.Error.
func Parse(ctx context.Context, r Request) ([]Target, error) {
	targets, check, err := Read(ctx, r)
	if err == nil {
		err = check()
	}
	return targets, err
}

// Read is Parse in two steps, so that the first request need not wait for the
// second: targets are read from the documents' heads, and check parses the
// documents in full.
func Read(ctx context.Context, r Request) (targets []Target, check func() error, err error) {
	m := manifests{request: r}
	if targets, err = m.read(ctx, r); err == nil {
		return targets, m.check, nil
	}
	if earlier := m.check(); earlier != nil { // report the mistake of an earlier document first
		err = earlier
	}
	return nil, nil, err
}

// badSelector is the error of a label selector, without the library's regular expressions.
func badSelector(text string, err error) error {
	next, why := "a selector looks like app=web,tier!=cache", err.Error()
	if _, invalid, found := strings.Cut(why, "Invalid value: "); found {
		why, _, _ = strings.Cut(invalid, " (e.g.")
	}
	why = strings.TrimPrefix(why, "unable to parse requirement: ")
	terms := strings.Split(strings.ReplaceAll(text, ":", "="), ",")
	for i, term := range terms { // app=web,-ltier=cache
		terms[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(term), "-l"))
	}
	fixed := strings.Join(terms, ",")
	switch _, wrong := labels.Parse(fixed); {
	case strings.HasSuffix(text, ","):
		next = "quote it if it has spaces; " + next
	case fixed != text && wrong == nil:
		next = "did you mean " + fixed + "? " + next
	}
	return problem.New(next, "cannot read the selector -l %q: %s", text, why)
}

func (m *manifests) read(ctx context.Context, r Request) (targets []Target, err error) {
	if r.Selector != "" {
		if m.filter, err = labels.Parse(r.Selector); err != nil {
			return nil, badSelector(r.Selector, err)
		}
	}
	if _, err := fields.ParseSelector(r.FieldSelector); err != nil {
		return nil, problem.New("as in --field-selector status.phase=Running",
			"cannot read --field-selector %q: %w", r.FieldSelector, err)
	}
	if r.FieldSelector != "" && !r.namesAType() { // selectable fields depend on the type
		return nil, problem.New("name a TYPE with it: pods --field-selector "+r.FieldSelector,
			"--field-selector %q has no type to select from", r.FieldSelector)
	}
	if len(r.Args) == 0 && !r.filesNamed() && !r.All {
		switch {
		case r.Selector != "":
			return nil, problem.New("name a TYPE with it (deploy -l "+r.Selector+"), or add --all for every type",
				"the selector -l %q has no type to select from", r.Selector)
		case r.Stdin == nil:
			return nil, problem.New(howToName, "nothing to follow")
		}
		r.Files = []string{"-"}
	}
	if m.targets, err = r.arguments(); err != nil {
		return nil, err
	}
	var sources []string
	blank := true
	for in, err := range r.Inputs(ctx) {
		sources = append(sources, in.source)
		blank = blank && len(bytes.TrimSpace(in.Data)) == 0
		if err == nil {
			err = m.input(in)
		}
		if err != nil {
			return nil, err
		}
	}
	targets = distinct(m.targets)
	switch {
	case len(targets) > 0:
		return targets, nil
	case m.filtered > 0:
		return nil, problem.New("check the labels of the manifests, or leave -l out",
			"no object matches -l %q, of %d in the manifests", r.Selector, m.filtered)
	case !m.request.filesNamed() && r.AllNamespaces:
		return nil, problem.New("add --all for everything in all namespaces, or "+howToName,
			"nothing to follow: -A names no SOURCE, and standard input is empty")
	case !m.request.filesNamed() && r.NamespaceGiven:
		return nil, problem.New("add --all for everything in namespace "+r.Namespace+", or "+howToName,
			"nothing to follow: -n names no SOURCE, and standard input is empty")
	case !m.request.filesNamed():
		return nil, problem.New(howToName, "nothing to follow: no SOURCE is given, and standard input is empty")
	}
	if blank && slices.Contains(m.request.Files, "-") {
		return nil, problem.New("did the command before the pipe fail?", "nothing to follow: standard input is empty")
	}
	next := holdsObjects
	for _, file := range m.request.Files {
		if kustomizationOf(file) != "" {
			next = PathHint(file)
		}
	}
	return nil, problem.New(next, "nothing to follow: no object in %s", strings.Join(slices.Compact(sources), ", "))
}

const holdsObjects = "check that it holds Kubernetes objects (apiVersion, kind, metadata.name)"

// NoObject is the hint for files without an object, for a command that has no -k.
func NoObject(files []string, command string) string {
	for _, file := range files {
		if dir := kustomizationOf(file); dir != "" {
			return "kubectl kustomize " + dir + " | kstatus-tui " + command + " -f -"
		}
	}
	return holdsObjects
}

// filesNamed reports whether manifests were named, which -l then filters.
func (r Request) filesNamed() bool { return len(r.Files) > 0 || r.Kustomize != "" }

// Sources lists the sources of the targets, as typed, each once and in order.
func Sources(targets []Target) []string {
	var out []string
	for _, t := range targets {
		if s := cmp.Or(t.Source, t.Type); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// distinct drops duplicates. The newest pinned generation wins: of two applies
// in one pipe the second one counts.
func distinct(targets []Target) []Target {
	at := make(map[Target]int, len(targets))
	out := targets[:0]
	for _, t := range targets {
		key := t
		key.Source, key.Version, key.Generation, key.Unplaced = "", "", 0, 0
		if i, known := at[key]; known {
			out[i].Generation = max(out[i].Generation, t.Generation)
			continue
		}
		at[key] = len(out)
		out = append(out, t)
	}
	return slices.Clip(out)
}
