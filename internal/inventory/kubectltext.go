package inventory

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// Both have the groups type, name, verb, namespace and "dry run". The namespace is empty in applied.
var (
	// applied matches a line of kubectl apply, create, scale, patch … or of -o
	// name: "deployment.apps/web created (dry run)", "service/web".
	applied = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]*)/([^\s/]+)(?: ([a-z][a-z-]*(?: [a-z]+)*)()( \(.*\))?)?$`)
	// deleted matches a line of kubectl delete: `pod "web" deleted`, since
	// v1.33 with " from default namespace".
	deleted = regexp.MustCompile(
		`^([a-z0-9][a-z0-9.-]*) "([^"\s]+)" (?:force )?(deleted)(?: from (\S+) namespace)?( \(.*\))?$`)
)

// text reads kubectl's plain output. isText is false if the first line that is not blank has another
// form.
func (m *manifests) text(in Input) (isText bool, err error) {
	number := 0
	for raw := range bytes.Lines(in.Data) {
		number++
		line := strings.TrimSpace(string(raw[:min(len(raw), 4096)]))
		if line == "" || strings.HasPrefix(line, "Warning:") {
			continue
		}
		at := applied.FindStringSubmatch(line)
		if at == nil {
			at = deleted.FindStringSubmatch(line)
		}
		switch {
		case at == nil && !isText:
			return false, nil
		case m.filter != nil:
			return true, problem.New("pipe the objects instead: kubectl apply … -o yaml",
				"%s: -l %q has no labels to look at: these are names only", in.Name, m.request.Selector)
		case at == nil, !isGroup(at[1]), notAName(at[2]) != "":
			return true, problem.New("pipe standard output only: kubectl apply … | kstatus-tui -f -",
				"%s, line %d: not kubectl's output: %.60q", in.Name, number, line)
		}
		isText = true
		verb, dry := at[3], strings.HasSuffix(at[5], "dry run)")
		t := Target{Source: in.source, Type: at[1], Name: at[2], Namespace: m.request.Namespace}
		switch {
		case verb == "pruned":
			continue // it was part of an earlier apply
		case at[4] != "":
			t.Namespace = at[4]
		case m.request.NamespaceGiven:
		case verb == "deleted" && !dry:
			t.Unplaced = Deleted
		case verb == "created" && dry:
			t.Unplaced = Planned
		default:
			t.Unplaced = Applied
		}
		if err := m.append(t); err != nil {
			return true, err
		}
	}
	return isText, nil
}
