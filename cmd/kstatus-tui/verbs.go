package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// otherVerbs are commands of kubectl that have nothing to do with this program.
var otherVerbs = []string{
	"annotate", "api-resources", "api-versions", "attach", "auth", "autoscale", "certificate", "cordon", "cp", "debug", "drain",
	"edit", "exec", "expose", "kustomize", "label", "patch", "port-forward", "proxy", "run", "scale", "set", "taint", "top", "uncordon",
}

// kubectlSwitches are flags of kubectl without a value that this program does not have.
var kubectlSwitches = []string{
	"all-containers", "force", "follow", "i", "ignore-not-found", "it", "now", "p", "prefix", "previous", "show-kind", "stdin", "t",
	"timestamps", "tty", "w", "watch", "watch-only",
}

// toolForms are tools with commands of their own, and how what they applied is named here.
var toolForms = map[string]string{
	"helm": "helm/RELEASE", "flux": "flux/ks/NAME", "argocd": "argo/APP", "kapp": "kapp/APP", "timoni": "timoni/NAME",
}

type typedKey struct{}

// withTyped keeps the words of a command line: parsing stops at a flag that is not known.
func withTyped(ctx context.Context, words []string) context.Context {
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
	rest := without(typed, verb) // of what the verb is
	kubectl := "kubectl " + quoted(typed)
	_, names := taken(cmd.Root(), rest)
	example := "deploy/web"
	ours := func(name string) string {
		target := cmd.Root()
		if name != "" {
			target, _, _ = target.Find([]string{name})
		}
		words, named := taken(target, rest)
		if len(named) == 0 && !slices.ContainsFunc(words, namesObjects) {
			words = append([]string{example}, words...)
		}
		return strings.TrimSpace("kstatus-tui "+name) + " " + quoted(words)
	}
	if form, ok := toolForms[verb]; ok && len(names) > 0 && !strings.Contains(names[0], "/") {
		if scheme, _, _ := strings.Cut(form, "/"); verb == "helm" && len(names) == 2 || verb == "argocd" && len(names) == 3 {
			form = scheme + "/" + names[len(names)-1] // helm status shop, argocd app get shop
		}
		return problem.New("kstatus-tui "+form+" follows one; kstatus-tui inventories lists them",
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
			if i := slices.IndexFunc(rest, func(w string) bool { return w == "--for" || strings.HasPrefix(w, "--for=") }); i >= 0 {
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
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return w == "-f" }) // to follow them, here a file
		_, names = taken(cmd.Root(), rest)
		switch {
		case len(names) == 0 && slices.ContainsFunc(rest, namesObjects):
			rest = append([]string{"pods"}, rest...)
		case len(names) == 1 && !strings.Contains(names[0], "/"):
			rest[slices.Index(rest, names[0])] = "pod/" + names[0] // kubectl means a Pod
		}
		next = ours("") + ", then 4 for its logs; or " + kubectl
	case "rollout":
		if len(names) > 0 {
			rest = without(rest, names[0])
		}
		if len(names) == 0 || names[0] == "status" {
			next = ours("wait")
		} else {
			next = kubectl + "; " + ours("") + " follows it"
		}
	case "apply", "create", "replace":
		if verb != "create" && len(rest) == 0 {
			kubectl += " -f app.yaml"
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

// isName reports whether a word is no flag.
func isName(word string) bool { return !strings.HasPrefix(word, "-") }

// namesObjects reports whether a flag names what to follow.
func namesObjects(word string) bool {
	return slices.ContainsFunc([]string{"-f", "--filename", "-k", "--kustomize", "--all", "-l", "--selector"}, func(flag string) bool {
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
			return slices.Contains([]string{"json", "yaml", "jsonpath", "go-template", "custom-columns", "jsonpath-as-json"}, format)
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

// taken are the words that a command takes, without kubectl's flags that it does not have,
// and those among them that are no flags and no values.
func taken(cmd *cobra.Command, words []string) (kept, names []string) {
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
