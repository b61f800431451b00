package inventory

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Scheme is the syntax of a SOURCE that begins with a reserved word, such as
// "helm" in helm/NAME.
type Scheme struct {
	form string // for messages
	// least and most are how many words may follow; most includes a namespace.
	least, most int
	// read sets the target from the words without the namespace. Nil names the
	// root of a source's kind, by Short and the last word.
	read func(words []string, t *Target) error
}

// schemes are the reserved words.
var schemes = func() map[string]*Scheme {
	words := map[string]*Scheme{"kpt": {form: "kpt/DIR"}}
	for _, s := range Known {
		if s.Scheme != nil {
			word, _, _ := strings.Cut(s.Short, "/")
			words[word] = s.Scheme
		}
	}
	return words
}()

// Schemes returns the reserved words, sorted.
func Schemes() []string { return slices.Sorted(maps.Keys(schemes)) }

// nearScheme returns the scheme that a word may be a typing error of, or "".
func nearScheme(word string) string {
	for _, s := range Schemes() {
		if levenshtein.ComputeDistance(word, s) == 1 {
			return s
		}
	}
	return ""
}

// searched is the read of a scheme whose roots are candidates.
func searched(scheme string) func([]string, *Target) error {
	return func(w []string, t *Target) error {
		t.Scheme, t.Name = scheme, w[0]
		return nil
	}
}

// scheme parses an argument with a reserved word.
func (r Request) scheme(s *Scheme, arg string) (Target, error) {
	word, rest, _ := strings.Cut(arg, "/")
	if word == "kpt" {
		return r.kpt(arg, rest)
	}
	words := strings.Split(rest, "/")
	t := Target{Source: arg, Namespace: r.Namespace}
	if len(words) < s.least || len(words) > s.most {
		return t, problem.New("write it "+s.form, "%s is not %s", arg, s.form)
	}
	kind := []string{word}
	if s.read == nil && s.least == 2 { // flux/KIND/[NAMESPACE/]NAME
		kind, words = append(kind, words[0]), words[1:]
	}
	if len(words)+len(kind)-1 == s.most {
		t.Namespace, words = words[0], words[1:]
	}
	for _, w := range slices.Concat(kind, words, []string{t.Namespace}) {
		name, _, _ := strings.Cut(w, "@")
		if bad := content.IsPathSegmentName(name); len(bad) > 0 || name == "" {
			return t, problem.New("write it "+s.form, "%s is not %s", arg, s.form)
		}
	}
	if r.AllNamespaces {
		return t, problem.New("name its namespace, or leave the name out: kstatus-tui inventories -A lists them all",
			"%s: an inventory cannot be named across all namespaces", arg)
	}
	read := s.read
	if read == nil {
		read = rooted(strings.Join(kind, "/"))
	}
	if err := read(words, &t); err != nil {
		return t, problem.New("write it "+s.form, "%s: %w", arg, err)
	}
	if !t.ID.IsZero() {
		t.ID.Namespace = t.Namespace
	}
	return t, nil
}

// rooted is the read of a scheme that names the root of a source's kind.
func rooted(short string) func([]string, *Target) error {
	return func(w []string, t *Target) error {
		i := slices.IndexFunc(Known, func(s Source) bool { return s.Short == short && s.Kind != "" })
		if i < 0 {
			return errors.New("that is not one of them")
		}
		t.Scheme, t.ID = short, object.ID{Group: Known[i].Group, Kind: Known[i].Kind, Name: w[0]}
		return nil
	}
}

// kpt finds the inventory of a package folder in its Kptfile, or in the
// ResourceGroup file that "kpt live init" writes.
func (r Request) kpt(arg, dir string) (Target, error) {
	t := Target{Source: arg, Scheme: "kpt", Namespace: r.Namespace}
	if dir == "" {
		dir = "."
	}
	type names struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	}
	group := object.ID{Group: "kpt.dev", Kind: "ResourceGroup"}
	for _, file := range []string{"resourcegroup.yaml", "Kptfile"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return t, problem.New("check the folder", "%s: %w", arg, err)
		}
		var doc struct {
			Metadata  names `json:"metadata"`
			Inventory names `json:"inventory"`
		}
		if err := yaml.Unmarshal(bytes.TrimSpace(data), &doc); err != nil {
			return t, problem.New("correct "+filepath.Join(dir, file), "%s: %s cannot be read: %w", arg, file, err)
		}
		found := doc.Inventory
		if file != "Kptfile" {
			found = doc.Metadata
		}
		if found.Name == "" {
			continue
		}
		t.ID = group
		t.ID.Namespace, t.ID.Name = found.Namespace, found.Name
		if t.ID.Namespace == "" {
			t.ID.Namespace = r.Namespace
		}
		if err := (Member{ID: t.ID}).check(); err != nil {
			return t, problem.New("correct "+filepath.Join(dir, file), "%s: %s: %w", arg, file, err)
		}
		return t, nil
	}
	return t, problem.New("kpt live init "+dir+" makes one; manifests are followed with -f "+dir,
		"%s: %s has no inventory", arg, dir)
}

// Candidate is a place where the root of an inventory may be.
type Candidate struct {
	ID       object.ID // without a name if the selector finds it
	Selector string
	// Check inspects the whole object if the selector is not specific enough.
	// Nil accepts it.
	Check func(Object) bool
}

// Candidates lists the possible roots of a target that names only a scheme, the
// likeliest first. Nil means that nothing has to be searched.
func (t Target) Candidates() []Candidate {
	scheme, _, _ := strings.Cut(t.Scheme, "-")
	for _, s := range Known {
		if s.Candidates != nil && s.Short == scheme {
			return s.Candidates(t)
		}
	}
	return nil
}

// at is an ID in the target's namespace.
func (t Target) at(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Namespace: t.Namespace, Name: name}
}
