package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// otherVerbs are commands of kubectl that have nothing to do with this program.
var otherVerbs = []string{
	"annotate", "api-resources", "api-versions", "attach", "auth", "autoscale", "certificate", "cordon", "cp", "debug", "drain",
	"edit", "exec", "expose", "kustomize", "label", "patch", "port-forward", "proxy", "run", "scale", "set", "taint", "top", "uncordon",
}

// kubectlVerb returns an error with the command to use if the first argument is a verb
// of kubectl, which would otherwise be taken for a TYPE that no cluster has.
func kubectlVerb(args []string, files []string) error {
	if len(args) == 0 {
		return nil
	}
	verb, of := args[0], strings.Join(args[1:], " ")
	if of == "" && len(files) > 0 {
		of = "-f " + strings.Join(files, " -f ")
	}
	source := cmp.Or(of, "deploy/web")
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
		next = "kstatus-tui " + source + ", then 4 for its logs; or kubectl logs " + of
	case "rollout":
		subcommand, rest, _ := strings.Cut(of, " ")
		if rest == "" {
			rest = "deploy/web"
		}
		next = "kubectl rollout " + subcommand + " " + rest + "; kstatus-tui " + rest + " follows it"
		if subcommand == "status" || subcommand == "" {
			next = "kstatus-tui wait " + rest
		}
	case "apply", "create", "replace":
		file := "app.yaml"
		if len(files) > 0 {
			file = files[0]
		}
		next = "kubectl " + verb + " -f " + file + " -o yaml | kstatus-tui wait -f -"
	case "delete":
		next = "kubectl delete " + source + "; kstatus-tui wait " + source + " --for deleted"
	case "explain":
		next = "use " + strings.TrimSpace("kubectl explain "+of) + "; kstatus-tui compute -f FILE --explain explains a status"
	case "cluster-info":
		next = "kubectl cluster-info dump > dump.json; kstatus-tui status --from dump.json"
	case "watch":
		next = "kstatus-tui " + source + " follows it live"
	default:
		if !slices.Contains(otherVerbs, verb) {
			return nil
		}
		next = "use kubectl " + strings.TrimSpace(verb+" "+of)
	}
	return problem.New(next, "%q is a command of kubectl, and no resource type; kstatus-tui only reads", verb)
}
