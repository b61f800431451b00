package inventory

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// arguments parses the SOURCE arguments. Unlike kubectl, it lets the forms be
// mixed: a word without a slash starts a group TYPE NAME…, and the next
// argument with a slash ends it.
func (r Request) arguments() (out []Target, err error) {
	slashed := func(arg string) bool { return strings.Contains(arg, "/") }
	for args := r.Args; len(args) > 0; {
		arg := args[0]
		args = args[1:]
		if slashed(arg) {
			t, err := r.typeSlashName(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			continue
		}
		types, err := typeList(arg)
		if err != nil {
			return nil, err
		}
		names := args
		if i := slices.IndexFunc(args, slashed); i >= 0 {
			names = args[:i]
		}
		args = args[len(names):]
		if len(names) == 0 && len(args) > 0 && strings.HasPrefix(args[0], arg+"/") {
			return nil, problem.New(args[0]+" alone names one, and "+arg+" alone is all of them",
				"%s %s names all of a type, and one of it", arg, args[0])
		}
		if len(names) == 0 {
			for _, typ := range types { // a TYPE alone is all of it, as with kubectl get
				out = append(out, Target{
					Source: r.spelled(typ), Type: typ, Namespace: r.Namespace, AllNamespaces: r.AllNamespaces,
					Selector: r.Selector, FieldSelector: r.FieldSelector,
					All: r.Selector == "" && r.FieldSelector == "",
				})
			}
		}
		if excluded := r.selection(); excluded != "" && len(names) > 0 {
			if names[0] == "in" || names[0] == "notin" { // the shell has taken -l 'app in (web)' apart
				return nil, problem.New("as in -l '"+strings.Join(append([]string{r.Selector}, names...), " ")+"'",
					"a selector with spaces has to be quoted: %s", excluded)
			}
			return nil, problem.New("leave out either; several types are joined by commas: "+
				strings.Join(append(types, names...), ","),
				"%s/%s: a name and %s exclude each other", types[0], names[0], excluded)
		}
		for _, name := range names {
			for _, typ := range types {
				t, err := r.named(typ, name)
				if err != nil {
					return nil, err
				}
				out = append(out, t)
			}
		}
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

// isManifest reports whether an argument is named as a manifest's file is.
func isManifest(arg string) bool {
	return strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml") || strings.HasSuffix(arg, ".json")
}

func typeList(arg string) ([]string, error) {
	if isManifest(arg) {
		return nil, problem.New(PathHint(arg), "%q is not a resource type", arg)
	}
	types := strings.Split(arg, ",")
	for _, word := range types {
		if !isWord(word) {
			next := "a type looks like deploy, deployments.apps or certificates.cert-manager.io; several as deploy,sts"
			if typed := strings.Trim(arg, `:"'`); typed != arg && isWord(typed) { // :pods of k9s
				next = "did you mean " + typed + "? " + next
			}
			if path := PathHint(arg); path != "" {
				next = path
			}
			return nil, problem.New(next, "%q is not a resource type", arg)
		}
		if s, reserved := schemes[word]; reserved {
			return nil, problem.New("write "+s.form+"; a kind of that name is named with its group",
				"%q begins an inventory, and is no resource type", word)
		}
	}
	return types, nil
}

func (r Request) typeSlashName(arg string) (Target, error) {
	typ, name, _ := strings.Cut(arg, "/")
	reserved := schemes[typ] != nil
	if !reserved && (typ == "" || name == "" || strings.Contains(name, "/") || !isWord(typ)) {
		hint := "as in deploy/web; the namespace is given with -n"
		if name == "" && isWord(typ) {
			hint = "as in " + typ + "/web; " + typ + " alone is all of them"
		}
		if near := NearScheme(typ); near != "" && name != "" {
			hint = "did you mean " + near + "/" + name + "?"
		}
		if strings.Contains(name, ",") {
			hint = "separate them by spaces: " + strings.ReplaceAll(arg, ",", " ")
		}
		switch path := PathHint(arg); {
		case path != "":
			hint = path
		case strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "/"):
			hint = "manifests are given with -f " + arg
		}
		return Target{}, problem.New(hint, "%q is not TYPE/NAME", arg)
	}
	switch excluded := r.selection(); {
	case excluded != "" && !r.namesAType() && !r.All:
		return Target{}, problem.New("leave out either", "%s: a name and %s exclude each other", arg, excluded)
	case reserved:
		return r.scheme(arg)
	}
	return r.named(typ, name)
}

// selection is the flag that selects objects of a TYPE, or "".
func (r Request) selection() string {
	switch {
	case r.FieldSelector != "":
		return "--field-selector"
	case r.All:
		return "--all"
	case r.Selector != "" && !r.filesNamed():
		return "-l " + r.Selector
	}
	return ""
}

// named is the target of one object.
func (r Request) named(typ, name string) (Target, error) {
	t := Target{Source: typ + "/" + name, Type: typ, Namespace: r.Namespace, Name: name}
	free := strings.Contains(typ, "role") // only the names of roles are
	switch bad := notAName(name); {
	case r.AllNamespaces:
		return t, problem.New("give its namespace with -n, or leave the name out: "+typ+" -A",
			"%s: an object cannot be named across all namespaces", t.Source)
	case name == "": // or it would mean all of them
		return t, problem.New("as in "+typ+" web; "+typ+" alone is all of them", "a name after %s is empty", typ)
	case strings.Contains(name, ",") && !free:
		return t, problem.New(
			"separate them by spaces: "+typ+" "+strings.ReplaceAll(name, ",", " "), "%q is not one name", name)
	case strings.ContainsAny(name, "*?") && !free:
		return t, problem.New(typ+" alone is all of them, "+typ+" -l app=web those with a label",
			"%q has a wildcard, and names have none", name)
	case bad != "":
		return t, problem.New("as in deploy/web", "%s: %q cannot be a name: it %s", object.Clean(typ), name, bad)
	}
	return t, nil
}

// spelled is a selection as the user typed it.
func (r Request) spelled(what string) string {
	if r.FieldSelector != "" {
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
