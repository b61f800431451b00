package inventory

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Scheme is the syntax of a SOURCE that begins with a reserved word, such as
// "helm" in helm/NAME.
type Scheme struct {
	form string // for messages
	// least and most are how many words may follow the scheme; most includes a namespace.
	least, most int
	// read sets the target from the words without the namespace. Nil names a
	// candidate, or the root of the source's kind.
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

// SchemesMeantBy proposes sources for a TYPE that the server does not have: "flux/hr/web" for "hr"
// and "web". The TYPE may be a typing error of a scheme, or the word that a tool has for what it
// applies ("app", "hr", "release"). If no name follows the TYPE, only a whole word counts, because
// the TYPE may itself be a name.
func SchemesMeantBy(typ, name string) []string {
	typ = strings.ToLower(typ)
	singular := strings.TrimSuffix(typ, "s")
	var out []string
	for i := range Known {
		s := &Known[i]
		word := strings.ToLower(s.Name[strings.LastIndexByte(s.Name, ' ')+1:]) // of "Argo CD Application"
		if s.Scheme == nil || schemes[word] != nil {
			continue
		}
		_, short, _ := strings.Cut(s.Short, "/")
		if typ == short || singular == word && len(word) > 3 ||
			name != "" && len(singular) > 2 && strings.HasPrefix(word, singular) {
			out = append(out, s.Short+"/"+cmp.Or(name, "NAME"))
		}
	}
	if near := NearScheme(typ); near != "" && name != "" {
		out = append(out, near+"/"+name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// NearScheme returns the scheme that a word may be a typing error of, or "".
func NearScheme(word string) string {
	for _, s := range Schemes() {
		if problem.Distance(word, s) == 1 {
			return s
		}
	}
	return ""
}

// scheme parses an argument with a reserved word.
func (r Request) scheme(arg string) (Target, error) {
	word, rest, _ := strings.Cut(arg, "/")
	if word == "kpt" {
		return r.kpt(arg, rest)
	}
	t := Target{Source: arg, Namespace: r.Namespace}
	form := schemes[word].form
	malformed := problem.New("write "+form+"; kstatus-tui inventories lists what there is",
		"%q does not name an inventory", arg)
	i := slices.IndexFunc(Known, func(s Source) bool { return s.Scheme != nil && strings.HasPrefix(arg, s.Short+"/") })
	if i < 0 {
		return t, malformed
	}
	s := &Known[i]
	words := strings.Split(arg[len(s.Short)+1:], "/")
	if len(words) < s.Scheme.least || len(words) > s.Scheme.most {
		return t, malformed
	}
	if len(words) == s.Scheme.most {
		t.Namespace, words = words[0], words[1:]
	}
	for _, w := range words {
		name, _, _ := strings.Cut(w, "@")
		if name == "" {
			return t, malformed
		}
		// Inventories are found by their name or by a label.
		if len(content.IsDNS1123Subdomain(name)) > 0 && len(content.IsLabelValue(name)) > 0 {
			return t, problem.New("write it "+form, "%s: %q cannot be a name", object.Clean(arg), name)
		}
	}
	if !isNamespace(t.Namespace) {
		return t, problem.New("write it "+form, "%s: %q cannot be a namespace", arg, t.Namespace)
	}
	if r.AllNamespaces {
		return t, problem.New("name its namespace, or leave the name out: kstatus-tui inventories -A lists them all",
			"%s: an inventory cannot be named across all namespaces", arg)
	}
	t.Scheme = s.Short
	switch {
	case s.Scheme.read != nil:
		if err := s.Scheme.read(words, &t); err != nil {
			return t, problem.New("write it "+form, "%s: %w", arg, err)
		}
	case s.Candidates != nil:
		t.Name = words[0]
	default:
		t.ID = object.ID{Group: s.Group, Kind: s.Kind, Name: words[0]}
	}
	if !t.ID.IsZero() {
		t.ID.Namespace = t.Namespace
	}
	return t, nil
}

// kpt finds the inventory of a package folder in its Kptfile, or in the
// ResourceGroup file that "kpt live init" writes.
func (r Request) kpt(arg, dir string) (Target, error) {
	t := Target{Source: arg, Scheme: "kpt", Namespace: r.Namespace}
	dir = cmp.Or(dir, ".")
	for _, file := range []string{"resourcegroup.yaml", "Kptfile"} {
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var doc struct {
			Metadata, Inventory struct{ Name, Namespace string }
		}
		if err == nil {
			err = yaml.Unmarshal(bytes.TrimSpace(data), &doc)
		}
		found := doc.Metadata
		if file == "Kptfile" {
			found = doc.Inventory
		}
		if err == nil && found.Name == "" {
			continue
		}
		t.ID = object.ID{
			Group: "kpt.dev", Kind: "ResourceGroup",
			Namespace: cmp.Or(found.Namespace, r.Namespace), Name: found.Name,
		}
		if err == nil {
			err = Member{ID: t.ID}.check()
		}
		if err != nil {
			return t, problem.New("correct "+path, "%s: %s cannot be read: %w", arg, file, err)
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
	Check func(*object.Object) bool
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
