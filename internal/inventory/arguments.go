package inventory

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// arguments parses the SOURCE arguments. Unlike kubectl, it lets the forms be
// mixed: a word without a slash starts a group TYPE NAME…, and the next
// argument with a slash ends it.
func (r Request) arguments() ([]Target, error) {
	var out []Target
	var types []string // types of the open group
	var group string   // as typed
	names := 0
	closeGroup := func() error {
		if types == nil {
			return nil
		}
		if names == 0 {
			if !r.All && r.Selector == "" && r.FieldSelector == "" {
				return problem.New("name it ("+group+"/NAME), select by label ("+group+" -l app=web), or take all ("+group+" --all)",
					"of which %s?", group)
			}
			for _, typ := range types {
				out = append(out, r.ofType(typ))
			}
		}
		types, names = nil, 0
		return nil
	}
	for _, arg := range r.Args {
		if strings.Contains(arg, "/") {
			if err := closeGroup(); err != nil {
				return nil, err
			}
			t, err := r.typeSlashName(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			continue
		}
		if types == nil {
			words, err := typeList(arg)
			if err != nil {
				return nil, err
			}
			types, group = words, arg
			continue
		}
		names++
		for _, typ := range types {
			if r.FieldSelector != "" {
				return nil, problem.New("leave out the name or the selector", "%s/%s: a name and --field-selector exclude each other", typ, arg)
			}
			if r.All || (r.Selector != "" && !r.filesNamed()) {
				return nil, problem.New("leave out the name, or --all and -l",
					"%s/%s: a name, and --all or -l, exclude each other", typ, arg)
			}
			t, err := r.named(typ, arg, typ+"/"+arg)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	if err := closeGroup(); err != nil {
		return nil, err
	}
	// --all alone means everything; after a TYPE it belongs to that.
	if r.All && !r.namesAType() {
		out = append(out, Target{
			Source: r.spelled("--all"), Namespace: r.Namespace,
			AllNamespaces: r.AllNamespaces, Selector: r.Selector, All: true,
		})
	}
	return out, nil
}

// namesAType reports whether an argument is a TYPE without names.
func (r Request) namesAType() bool {
	return slices.ContainsFunc(r.Args, func(arg string) bool { return !strings.Contains(arg, "/") })
}

func typeList(arg string) ([]string, error) {
	var out []string
	for word := range strings.SplitSeq(arg, ",") {
		if word == "" {
			continue
		}
		if !isWord(word) {
			return nil, problem.New("a type looks like deploy, deployments.apps or certificates.cert-manager.io; several as deploy,sts",
				"%q is not a resource type", arg)
		}
		if s, reserved := schemes[word]; reserved {
			return nil, problem.New("write "+s.form+"; a kind of that name is named with its group", "%q is no resource type but a kind of source", word)
		}
		out = append(out, word)
	}
	if len(out) == 0 {
		return nil, problem.New(howToName, "%q names no resource type", arg)
	}
	return out, nil
}

func (r Request) typeSlashName(arg string) (Target, error) {
	typ, name, _ := strings.Cut(arg, "/")
	if scheme, reserved := schemes[typ]; reserved {
		return r.scheme(scheme, arg)
	}
	if typ == "" || name == "" || strings.Contains(name, "/") || !isWord(typ) {
		hint := "as in deploy/web; the namespace is given with -n"
		if near := nearScheme(typ); near != "" && name != "" {
			hint = "did you mean " + near + "/" + name + "?"
		}
		if strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "/") || strings.HasSuffix(arg, ".yaml") {
			hint = "a manifest is given with -f " + arg
		}
		return Target{}, problem.New(hint, "%q is not TYPE/NAME", arg)
	}
	return r.named(typ, name, arg)
}

func (r Request) named(typ, name, source string) (Target, error) {
	switch {
	case r.AllNamespaces:
		return Target{}, problem.New("name its namespace with -n, or leave the name out and use --all",
			"%s: an object cannot be named across all namespaces", source)
	case r.Selector != "" && !r.filesNamed() && !r.namesAType() && !r.All:
		return Target{}, problem.New("leave out the name or the selector",
			"%s: a name and a selector (-l %s) exclude each other", source, r.Selector)
	}
	if bad := content.IsPathSegmentName(name); len(bad) > 0 {
		return Target{}, problem.New("as in deploy/web", "%q cannot be a name: it %s", name, bad[0])
	}
	return Target{Source: source, Type: typ, Namespace: r.Namespace, Name: name}, nil
}

func (r Request) filesNamed() bool { return len(r.Files) > 0 || r.Kustomize != "" }

func (r Request) ofType(typ string) Target {
	return Target{
		Source: r.spelled(typ), Type: typ, Namespace: r.Namespace, AllNamespaces: r.AllNamespaces,
		Selector: r.Selector, FieldSelector: r.FieldSelector, All: r.Selector == "" && r.FieldSelector == "",
	}
}

// spelled is a selection as the user would type it again.
func (r Request) spelled(what string) string {
	if r.FieldSelector != "" && what != "--all" {
		what += " --field-selector " + r.FieldSelector
	}
	if r.Selector != "" {
		what += " -l " + r.Selector
	} else if r.All && what != "--all" {
		what += " --all"
	}
	if r.AllNamespaces {
		what += " -A"
	}
	return what
}
