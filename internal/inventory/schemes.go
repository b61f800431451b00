package inventory

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// scheme is a reserved first word of a SOURCE, such as "helm" in helm/NAME.
type scheme struct {
	form string // its syntax, for messages
	// parts are the permitted numbers of words after it, without and with a
	// namespace first.
	parts int
	read  func(words []string, t *Target) error
}

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

var schemes = map[string]scheme{
	"helm": {"helm/[NAMESPACE/]RELEASE[@REVISION]", 1, func(w []string, t *Target) error {
		t.Scheme, t.Name = "helm", w[0]
		if name, revision, ok := strings.Cut(w[0], "@"); ok {
			n, err := strconv.Atoi(revision)
			if err != nil || n < 1 {
				return errors.New("a revision is a number, as in helm/web@3")
			}
			t.Name, t.HelmVersion = name, n
		}
		return nil
	}},
	"flux": {"flux/ks/[NAMESPACE/]NAME (or hr, rset, instance)", 2, func(w []string, t *Target) error {
		return t.rooted("flux/"+w[0], w[1])
	}},
	"argo": {"argo/[NAMESPACE/]APPLICATION", 1, func(w []string, t *Target) error {
		return t.rooted("argo", w[0])
	}},
	"timoni": {"timoni/[NAMESPACE/]INSTANCE", 1, func(w []string, t *Target) error {
		t.Scheme, t.ID = "timoni", object.ID{Kind: "Secret", Name: "timoni." + w[0]}
		return nil
	}},
	"kapp":      {"kapp/[NAMESPACE/]APP", 1, searched("kapp")},
	"inventory": {"inventory/[NAMESPACE/]NAME", 1, searched("inventory")},
	"applyset": {"applyset/[[NAMESPACE/]TYPE[.GROUP]/]NAME", 1, func(w []string, t *Target) error {
		t.Scheme, t.Type, t.Name = "applyset", "secrets", w[len(w)-1]
		if len(w) > 1 {
			t.Type = w[len(w)-2]
		}
		return nil
	}},
	"kro": {"kro/[NAMESPACE/]TYPE/NAME", 2, func(w []string, t *Target) error {
		t.Scheme, t.Type, t.Name = "kro", w[0], w[1]
		return nil
	}},
	"kpt": {"kpt/DIR", 1, nil}, // see Request.kpt
}

func searched(word string) func([]string, *Target) error {
	return func(w []string, t *Target) error {
		t.Scheme, t.Name = word, w[0]
		return nil
	}
}

// rooted sets the root of t to one of a source, by the source's short name.
func (t *Target) rooted(short, name string) error {
	for _, s := range Known {
		if s.Short == short && s.Kind != "" {
			t.Scheme, t.ID = short, object.ID{Group: s.Group, Kind: s.Kind, Name: name}
			return nil
		}
	}
	return errors.New("that is not one of them")
}

// scheme parses an argument with a reserved word.
func (r Request) scheme(s scheme, arg string) (Target, error) {
	word, rest, _ := strings.Cut(arg, "/")
	if word == "kpt" {
		return r.kpt(arg, rest)
	}
	parts := strings.Split(rest, "/")
	t := Target{Source: arg, Namespace: r.Namespace}
	most := s.parts + 1
	if word == "applyset" {
		most = 3
	}
	if len(parts) < s.parts || len(parts) > most {
		return t, problem("write it "+s.form, "%s is not %s", arg, s.form)
	}
	words := parts
	if len(parts) == most {
		// The namespace precedes the name; Flux's kind word precedes the
		// namespace.
		at := 0
		if word == "flux" {
			at = 1
		}
		t.Namespace = parts[at]
		words = append(append([]string{}, parts[:at]...), parts[at+1:]...)
	}
	for _, w := range append(words, t.Namespace) {
		name, _, _ := strings.Cut(w, "@")
		if bad := content.IsPathSegmentName(name); len(bad) > 0 || name == "" {
			return t, problem("write it "+s.form, "%s is not %s", arg, s.form)
		}
	}
	if r.AllNamespaces {
		return t, problem("name its namespace, or leave the name out: kstatus-tui inventories -A lists them all",
			"%s: an inventory cannot be named across all namespaces", arg)
	}
	if err := s.read(words, &t); err != nil {
		return t, problem("write it "+s.form, "%s: %w", arg, err)
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
			return t, problem("", "%s: %w", arg, err)
		}
		var doc struct {
			Metadata  names `json:"metadata"`
			Inventory names `json:"inventory"`
		}
		if err := yaml.Unmarshal(bytes.TrimSpace(data), &doc); err != nil {
			return t, problem("", "%s: %s cannot be read: %w", arg, file, err)
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
			return t, problem("", "%s: %s: %w", arg, file, err)
		}
		return t, nil
	}
	return t, problem("kpt live init "+dir+" makes one; manifests are followed with -f "+dir,
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
	at := func(group, kind, name string) object.ID {
		return object.ID{Group: group, Kind: kind, Namespace: t.Namespace, Name: name}
	}
	switch t.Scheme {
	case "kapp":
		return []Candidate{
			{ID: at("", "ConfigMap", t.Name), Selector: labelKappApp},
			{ID: at("", "ConfigMap", t.Name+".apps.k14s.io"), Selector: labelKappApp},
		}
	case "kapp-label":
		return []Candidate{{ID: at("", "ConfigMap", ""), Selector: labelKappApp, Check: func(o Object) bool {
			set, _ := kappConfigMap(o)
			return len(set.Labels) > 0 && strings.HasSuffix(set.Labels[0].Selector, "="+t.Name)
		}}}
	case "inventory":
		id := labelInventoryID + "=" + t.Name
		out := []Candidate{
			{ID: at("", "ConfigMap", t.Name), Selector: labelInventoryID},
			{ID: at("kpt.dev", "ResourceGroup", t.Name)},
		}
		if selectorWord(id) {
			out = append(out, Candidate{ID: at("", "ConfigMap", ""), Selector: id},
				Candidate{ID: at("kpt.dev", "ResourceGroup", ""), Selector: id})
		}
		return out
	case "applyset-id":
		id := labelApplySet + "=" + t.Name
		if !selectorWord(id) {
			return nil
		}
		return []Candidate{{ID: at("", "Secret", ""), Selector: id}, {ID: at("", "ConfigMap", ""), Selector: id}}
	}
	return nil
}

// HelmReleaseID is the identity of a release: Helm stores revisions, but no
// object for the release itself.
func HelmReleaseID(namespace, name string) object.ID {
	return object.ID{Group: "helm.sh", Kind: "Release", Namespace: namespace, Name: name}
}
