package inventory

import (
	"bytes"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

var (
	// applied matches a line of kubectl apply, create, scale, patch … or of -o
	// name: "deployment.apps/web created (dry run)", "service/web".
	applied = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]*)/([^\s/]+)(?: ([a-z][a-z-]*(?: [a-z]+)*)( \(.*\))?)?$`)
	// deleted matches a line of kubectl delete: `pod "web" deleted`, since
	// v1.33 with " from default namespace".
	deleted = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]*) "([^"\s]+)" (?:force )?deleted(?: from (\S+) namespace)?( \(.*\))?$`)
)

type textLine struct {
	typ, name, namespace, verb string
	dry                        bool // the line reports a dry run
	number                     int
	text                       string
}

// outcome is the state that the line announces.
func (l textLine) outcome() Outcome {
	switch {
	case l.verb == "deleted" && !l.dry:
		return Deleted
	case l.verb == "created" && l.dry:
		return Planned
	}
	return Applied
}

// kubectlText parses kubectl's plain output; ok is false if the first line with
// content has another form.
func kubectlText(data []byte) (lines []textLine, ok bool) {
	number := 0
	for raw := range bytes.Lines(data) {
		number++
		line := textLine{number: number, text: strings.TrimSpace(string(raw[:min(len(raw), 4096)]))}
		if line.text == "" || strings.HasPrefix(line.text, "Warning:") {
			continue
		}
		if at := applied.FindStringSubmatch(line.text); at != nil {
			line.typ, line.name, line.verb, line.dry = at[1], at[2], at[3], strings.HasSuffix(at[4], "dry run)")
		} else if at := deleted.FindStringSubmatch(line.text); at != nil {
			line.typ, line.name, line.namespace, line.verb, line.dry = at[1], at[2], at[3], "deleted", strings.HasSuffix(at[4], "dry run)")
		} else if len(lines) == 0 {
			return nil, false
		}
		lines = append(lines, line)
	}
	return lines, len(lines) > 0
}

func (m *manifests) text(lines []textLine, from origin) error {
	if m.filter != nil {
		return problem.New("pipe the objects instead: kubectl apply … -o yaml",
			"%s: -l %q has no labels to look at: these are names only", from.name, m.request.Selector)
	}
	for _, line := range lines {
		switch {
		case !isGroup(line.typ):
			return problem.New("pipe standard output only: kubectl apply … | kstatus-tui -f -",
				"%s, line %d: not kubectl's output: %q", from.name, line.number, shorten(line.text))
		case line.verb == "pruned":
			continue // pruned: it was part of an earlier apply
		case len(content.IsPathSegmentName(line.name)) > 0:
			return problem.New("pipe what kubectl prints, unchanged", "%s, line %d: %q cannot be a name", from.name, line.number, line.name)
		}
		t := Target{
			Source: from.source, Type: line.typ, Name: line.name, Namespace: m.request.Namespace,
		}
		switch {
		case line.namespace != "":
			t.Namespace = line.namespace
		case !m.request.NamespaceGiven:
			t.Unplaced = line.outcome()
		}
		if err := m.append(t); err != nil {
			return err
		}
	}
	return nil
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}
