package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// otherVerbs are commands of kubectl that have nothing to do with this program.
var otherVerbs = []string{
	"annotate", "api-resources", "api-versions", "attach", "auth", "autoscale", "certificate", "cordon", "cp", "debug", "drain",
	"edit", "exec", "expose", "kustomize", "label", "patch", "port-forward", "proxy", "run", "scale", "set", "taint", "top", "uncordon",
}

// kubectlVerb returns an error with the command to use if the first argument is a verb
// of kubectl, which would otherwise be taken for a TYPE that no cluster has. flags are
// those that were typed.
func kubectlVerb(args []string, flags *pflag.FlagSet) error {
	if len(args) == 0 {
		return nil
	}
	verb, names := args[0], strings.Join(args[1:], " ")
	which := typedFlags(flags, "filename", "kustomize", "recursive", "selector", "field-selector")
	where := typedFlags(flags, "namespace", "all-namespaces", "context")
	of := strings.TrimSpace(names + which)
	source := cmp.Or(of, "deploy/web") + where
	kubectl := strings.TrimSpace("kubectl "+verb+" "+of) + where
	next := ""
	switch verb {
	case "get", "ps":
		next = "kstatus-tui status " + source
	case "describe", "events", "event", "ev":
		if verb != "describe" && len(args) > 1 && !strings.Contains(args[1], "/") { // a TYPE with names
			return nil
		}
		next = "kstatus-tui why " + source + " shows the events and fields that matter"
	case "logs", "log":
		pod := source
		if len(args) == 2 && !strings.Contains(names, "/") { // kubectl means a Pod
			pod = "pod/" + source
		}
		next = "kstatus-tui " + pod + ", then 4 for its logs; or kubectl logs " + source
	case "rollout":
		subcommand, rest, _ := strings.Cut(of, " ")
		rest = cmp.Or(rest, "deploy/web") + where
		next = "kubectl rollout " + subcommand + " " + rest + "; kstatus-tui " + rest + " follows it"
		if subcommand == "status" || subcommand == "" {
			next = "kstatus-tui wait " + rest
		}
	case "apply", "create", "replace":
		next = "kubectl " + verb + cmp.Or(which, " -f app.yaml") + where + " -o yaml | kstatus-tui wait -f -"
	case "delete":
		next = "kubectl delete " + source + "; kstatus-tui wait " + source + " --for deleted"
	case "explain":
		next = "use " + kubectl + "; kstatus-tui compute -f FILE --explain explains a status"
	case "cluster-info":
		next = "kubectl cluster-info dump > dump.json; kstatus-tui status --from dump.json"
	case "watch":
		next = "kstatus-tui " + source + " follows it live"
	default:
		if !slices.Contains(otherVerbs, verb) {
			return nil
		}
		next = "use " + kubectl
	}
	return problem.New(next, "%q is a command of kubectl, and no resource type; kstatus-tui only reads", verb)
}

// typedFlags are those of the named flags that were typed, as they are typed behind
// something.
func typedFlags(flags *pflag.FlagSet, names ...string) string {
	if flags == nil {
		return ""
	}
	var typed strings.Builder
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			return
		}
		name := " --" + f.Name
		if f.Shorthand != "" {
			name = " -" + f.Shorthand
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			typed.WriteString(name)
			if f.Value.Type() != "bool" {
				typed.WriteString(" " + wording.Quote(value))
			}
		}
	})
	return typed.String()
}
