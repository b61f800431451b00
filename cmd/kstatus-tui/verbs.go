package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// otherVerbs are commands of kubectl that have nothing to do with this program.
var otherVerbs = []string{
	"annotate", "api-resources", "api-versions", "attach", "auth", "autoscale", "certificate",
	"cordon", "cp", "debug", "drain",
	"edit", "exec", "expose", "kustomize", "label", "patch", "port-forward", "proxy", "run", "scale",
	"set", "taint", "top", "uncordon",
}

// kubectlSwitches are flags of kubectl without a value that this program does not have.
var kubectlSwitches = []string{
	"all-containers", "force", "follow", "i", "ignore-not-found", "it", "now", "p", "prefix",
	"previous", "show-kind", "stdin", "t",
	"timestamps", "tty", "w", "watch", "watch-only",
}

// toolForms are tools with commands of their own, and how what they applied is named here.
var toolForms = map[string]string{
	"helm": "helm/RELEASE", "flux": "flux/ks/NAME", "argocd": "argo/APP", "kapp": "kapp/APP", "timoni": "timoni/NAME",
}

// typedKey is the context's key for the words of the command line.
type typedKey struct{}

// withTypedWords keeps the words of the command line as they were typed. They are needed when
// cobra has parsed only a part of them, because it stops at a flag that it does not know.
func withTypedWords(ctx context.Context, words []string) context.Context {
	return context.WithValue(ctx, typedKey{}, words)
}

// kubectlVerb returns an error with the command to use if the first argument is a verb
// of kubectl, which would otherwise be taken for a TYPE that no cluster has.
func kubectlVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	verb := args[0]
	typed, _ := cmd.Context().Value(typedKey{}).([]string)
	if cmd != cmd.Root() {
		typed = without(typed, cmd.CalledAs())
	}
	rest := splitSwitches(without(typed, verb)) // what the verb is applied to
	kubectl := "kubectl " + quoted(typed)
	_, names := flagsAndNames(cmd.Root(), rest)
	example := "deploy/web" // proposed if no object is named
	// ours is the command of this program with that name, applied to the same objects.
	ours := func(name string) string {
		target := cmd.Root()
		if name != "" {
			target, _, _ = target.Find([]string{name})
		}
		words, named := flagsAndNames(target, rest)
		if len(named) == 0 && !slices.ContainsFunc(words, namesObjects) {
			words = append([]string{example}, words...)
		}
		return strings.TrimSpace("kstatus-tui "+name) + " " + quoted(words)
	}
	if form, ok := toolForms[verb]; ok && len(names) > 0 && !strings.Contains(names[0], "/") {
		next := "kstatus-tui inventories lists them, and kstatus-tui " + form + " follows one"
		if source := toolSource(verb, names, rest); source != "" {
			next = "kstatus-tui " + source + " follows it; kstatus-tui inventories lists all"
		}
		return problem.New(next,
			"%q is a command of %s, not a resource type; kstatus-tui only reads", verb+" "+names[0], verb)
	}
	next := ""
	switch verb {
	case "get", "ps":
		next = ours("status")
		switch {
		case slices.ContainsFunc(names, func(n string) bool { return n == "events" || n == "ev" || n == "event" }):
			rest, example = withoutAll(rest, names), "--all"
			next = kubectl + "; " + ours("why") + " shows those that matter"
		case slices.ContainsFunc(typed, looksOnce):
		case slices.ContainsFunc(rest, func(w string) bool { return w == "-w" || strings.HasPrefix(w, "--watch") }):
			next = ours("") + " follows it live"
		case slices.ContainsFunc(rest, printsObject):
			rest = withoutOutput(rest)
			next = kubectl + " prints the object; " + ours("status") + " judges it"
		}
	case "describe", "events", "event", "ev":
		if verb != "describe" && len(names) > 0 && !strings.Contains(names[0], "/") { // a TYPE with names
			return nil
		}
		if verb != "describe" {
			example = "--all"
			if i := slices.IndexFunc(rest, func(w string) bool {
				return w == "--for" || strings.HasPrefix(w, "--for=")
			}); i >= 0 {
				_, of, found := strings.Cut(rest[i], "=")
				if !found && i+1 < len(rest) {
					of, rest = rest[i+1], without(rest, rest[i+1])
				}
				example, rest = cmp.Or(of, example), without(rest, rest[i])
			} else if len(names) > 0 {
				kubectl = "kubectl events --for " + names[0]
			}
			return problem.New(ours("why")+" shows those that matter; "+kubectl+" prints all",
				"events have no status; they are shown with the objects that they are about")
		}
		next = ours("why") + " shows the events and fields that matter"
	case "logs", "log":
		// to follow them, here a file
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return w == "-f" })
		_, names = flagsAndNames(cmd.Root(), rest)
		switch {
		case len(names) == 0 && slices.ContainsFunc(rest, namesObjects):
			rest = append([]string{"pods"}, rest...)
		case len(names) == 1 && !strings.Contains(names[0], "/"):
			rest[slices.Index(rest, names[0])] = "pod/" + names[0] // kubectl means a Pod
		}
		next = ours("") + ", then 4 for its logs; or " + kubectl
	case "rollout":
		of := len(names) == 0 || strings.Contains(names[0], "/") // rollout deploy/web
		if !of {
			rest = without(rest, names[0])
		}
		switch {
		case of || names[0] == "status":
			next = ours("wait")
			if slices.ContainsFunc(typed, looksOnce) {
				next = ours("status")
			}
		default:
			next = kubectl + "; " + ours("") + " follows it"
		}
	case "apply", "create", "replace":
		switch {
		case verb != "create" && len(rest) == 0:
			kubectl += " -f app.yaml"
		case len(rest) == 1 && isName(rest[0]) && strings.ContainsAny(rest[0], "./"): // apply app.yaml
			kubectl = "kubectl " + verb + " -f " + quoted(rest)
		}
		next = kubectl + " -o yaml | kstatus-tui wait -f -"
	case "delete":
		next = kubectl + "; " + ours("wait") + " --for deleted"
	case "explain":
		next = "use " + kubectl + "; kstatus-tui compute -f FILE --explain explains a status"
	case "cluster-info":
		next = "kubectl cluster-info dump > dump.json; kstatus-tui status --from dump.json"
	case "watch":
		next = ours("") + " follows it live"
	default:
		if !slices.Contains(otherVerbs, verb) {
			return nil
		}
		next = "use " + kubectl
	}
	return problem.New(next, "%q is a command of kubectl, not a resource type; kstatus-tui only reads", verb)
}

// meantCommand adds the command to use to the error about a TYPE that does not exist, if the
// word is a command of another tool, or a usual name for what a command or a flag does here. A
// custom kind of that name would come first: the server has been asked, if there is one.
func meantCommand(ctx context.Context, root *cobra.Command, err error) error {
	typed, _ := ctx.Value(typedKey{}).([]string)
	asked := errors.Is(err, resolve.ErrUnknownType)
	if !asked && !errors.Is(err, errNoBuiltinType) || len(typed) == 0 {
		return err
	}
	cmd, _, _ := root.Find(typed)
	if cmd != root {
		typed = without(typed, cmd.CalledAs())
	}
	_, names := flagsAndNames(cmd, splitSwitches(typed))
	if len(names) == 0 {
		return err
	}
	word := names[0]
	ours := func(name, example string) string {
		words, named := flagsAndNames(cmd, without(splitSwitches(typed), word))
		if len(named) == 0 && !slices.ContainsFunc(words, namesObjects) {
			words = append([]string{example}, words...)
		}
		return strings.TrimSpace("kstatus-tui "+name) + " " + quoted(words)
	}
	next := ""
	switch word {
	case "list", "show", "view", "inspect":
		next = ours("status", "--all")
	case "tree", "xray":
		next = ours("status", "deploy/web") + " -o tree"
	case "dashboard", "ui", "tui", "open", "start", "pulse", "pulses":
		next = ours("", "--all") + " is the dashboard"
	case "check", "health", "doctor", "verify", "diagnose":
		next = ours("status", "--all") + " judges what it finds, and kstatus-tui why names the causes"
	case "ctx", "context", "contexts", "use-context":
		next = "--context NAME chooses one, and :context in the dashboard; kubectl config get-contexts lists them"
	case "help":
		next = cmd.CommandPath() + " --help"
	case "theme", "skin":
		next = "--theme NAME chooses one, and :theme in the dashboard; kstatus-tui --help lists them"
	default:
		if path := pathOf(names, err); path != "" {
			return problem.New(path+"; "+problem.Hint(err, ""), "%w", err)
		}
		if !asked {
			return err
		}
		next = problem.Hint(err, "")
		named := func(arg string) bool { // the TYPE stands before a name, as in deploy/web and kro/deploy/web
			words := strings.Split(arg, "/")
			return slices.ContainsFunc(words[:len(words)-1], func(w string) bool {
				return strings.Contains(err.Error(), strconv.Quote(w))
			})
		}
		types, unlike := strings.CutPrefix(next, "a name needs its type, as in deploy/web; ")
		switch {
		case unlike && slices.ContainsFunc(names, named):
			next = types + "; a custom kind needs its definition (CRD) there"
		case unlike && cmd == root:
			next += ", and kstatus-tui --help the commands"
		}
	}
	return problem.New(next, "%w", err)
}

// pathOf is how the word with an unknown TYPE is given if it is the path of manifests, or "".
func pathOf(words []string, unknown error) string {
	for _, word := range words {
		typ, _, _ := strings.Cut(word, "/")
		if strings.Contains(unknown.Error(), strconv.Quote(typ)) {
			return inventory.PathHint(word)
		}
	}
	return ""
}

// toolSource is what a command of a tool is about, as it is named here; "" if it names
// nothing.
func toolSource(tool string, names, words []string) string {
	at := func(i int) string {
		if i < len(names) {
			return names[i]
		}
		return ""
	}
	switch tool {
	case "helm":
		if slices.Contains(
			[]string{"status", "history", "get", "upgrade", "install", "rollback", "uninstall", "test"}, at(0)) {
			name := at(1)
			if at(0) == "get" { // helm get values shop
				name = at(2)
			}
			return prefixed("helm/", name)
		}
	case "flux":
		kinds := map[string]string{
			"kustomization": "ks", "kustomizations": "ks", "ks": "ks", "helmrelease": "hr",
			"helmreleases": "hr", "hr": "hr",
		}
		for i, name := range names {
			if kind := kinds[name]; kind != "" {
				return prefixed("flux/"+kind+"/", at(i+1))
			}
		}
	case "argocd":
		return prefixed("argo/", at(2)) // argocd app get shop
	case "kapp":
		for i, w := range words {
			if (w == "-a" || w == "--app") && i+1 < len(words) {
				return "kapp/" + words[i+1]
			}
		}
	}
	return ""
}

// prefixed is a name behind a prefix, or "".
func prefixed(prefix, name string) string {
	if name == "" {
		return ""
	}
	return prefix + name
}

// switches are the short flags without a value that people write together: -Aw.
const joinedSwitches = "ARw"

// splitSwitches returns words with such flags taken apart: -A -w.
func splitSwitches(words []string) (out []string) {
	for _, w := range words {
		for len(w) > 2 && w[0] == '-' && strings.IndexByte(joinedSwitches, w[1]) >= 0 {
			out, w = append(out, w[:2]), "-"+w[2:]
		}
		out = append(out, w)
	}
	return out
}

// looksOnce reports whether a word is kubectl's flag for one look.
func looksOnce(word string) bool { return word == "--watch=false" || word == "-w=false" }

// isName reports whether a word is no flag.
func isName(word string) bool { return !strings.HasPrefix(word, "-") }

// namesObjects reports whether a flag names what to follow.
func namesObjects(word string) bool {
	return slices.ContainsFunc(
		[]string{"-f", "--filename", "-k", "--kustomize", "--all", "-l", "--selector"}, func(flag string) bool {
			return word == flag || strings.HasPrefix(word, flag+"=")
		})
}

// without is words without the first that is word.
func without(words []string, word string) []string {
	i := slices.Index(words, word)
	if i < 0 {
		return words
	}
	return slices.Concat(words[:i], words[i+1:])
}

// withoutAll is words without others.
func withoutAll(words, others []string) []string {
	for _, other := range others {
		words = without(words, other)
	}
	return words
}

// withoutOutput is words without -o and its value.
func withoutOutput(words []string) (kept []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-o" || words[i] == "--output":
			i++
		case !strings.HasPrefix(words[i], "-o") && !strings.HasPrefix(words[i], "--output="):
			kept = append(kept, words[i])
		}
	}
	return kept
}

// printsObject reports whether a word is a format of kubectl get that prints fields of the
// object. This program's are about its own documents.
func printsObject(word string) bool {
	for _, flag := range []string{"--output=", "-o=", "-o", ""} {
		if format, ok := strings.CutPrefix(word, flag); ok {
			format, _, _ = strings.Cut(format, "=")
			return slices.Contains(
				[]string{"json", "yaml", "jsonpath", "go-template", "custom-columns", "jsonpath-as-json"}, format)
		}
	}
	return false
}

// quoted are words as they are typed in a shell.
func quoted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(wording.Quote(w))
	}
	return b.String()
}

// flagsAndNames drops the flags, with their values, that a command does not have (they are
// kubectl's). It returns the words that are left, and those among them that are neither a flag
// nor its value.
func flagsAndNames(cmd *cobra.Command, words []string) (kept, names []string) {
	for i := 0; i < len(words); i++ {
		if isName(words[i]) {
			kept, names = append(kept, words[i]), append(names, words[i])
			continue
		}
		flag, whole := flagOf(cmd, words[i])
		value := !whole && i+1 < len(words) && isName(words[i+1])
		if flag != nil {
			kept = append(kept, words[i])
			if value = value && flag.NoOptDefVal == ""; value {
				kept = append(kept, words[i+1])
			}
		} else if slices.Contains(kubectlSwitches, strings.TrimLeft(words[i], "-")) {
			value = false
		}
		if value {
			i++
		}
	}
	return kept, names
}

// flagOf is the flag of a command that a word gives, if it has one, and whether the word
// has its value, too.
func flagOf(cmd *cobra.Command, word string) (flag *pflag.Flag, whole bool) {
	cmd.InheritedFlags() // cobra merges the root's flags when they are asked for
	if name, ok := strings.CutPrefix(word, "--"); ok {
		name, _, whole = strings.Cut(name, "=")
		return cmd.Flags().Lookup(name), whole
	}
	if len(word) < 2 {
		return nil, true
	}
	return cmd.Flags().ShorthandLookup(word[1:2]), len(word) > 2
}
