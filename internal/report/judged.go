package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Judged is an object's verdict: a line of compute -o jsonl.
type Judged struct {
	Group      string             `json:"group"`
	Version    string             `json:"version"`
	Kind       string             `json:"kind"`
	Namespace  string             `json:"namespace,omitempty"`
	Name       string             `json:"name"`
	Status     status.Status      `json:"status"`
	Reason     string             `json:"reason,omitempty"`
	Message    string             `json:"message,omitempty"`
	Error      string             `json:"error,omitempty"`
	Rule       string             `json:"rule,omitempty"`
	Confidence status.Confidence  `json:"confidence,omitempty"`
	Terminal   bool               `json:"terminal,omitempty"`
	Paused     bool               `json:"paused,omitempty"`
	Note       string             `json:"note,omitempty"`
	Conditions []object.Statement `json:"conditions"` // kstatus's standard ones
	Explain    []Deduced          `json:"explain,omitempty"`
	Lint       []Linted           `json:"lint,omitempty"`
}

// Deduced is a step of the deduction, with the values of the fields that it
// read.
type Deduced struct {
	status.Step
	Read []FieldValue `json:"read,omitempty"`
}

// Linted is a convention of the API that the object's controller breaks.
type Linted struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
}

// FieldValue is a field that a rule read, with its value; "absent" if the field
// does not exist.
type FieldValue struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// JSONLine prints a verdict as one line of JSON.
func JSONLine(out io.Writer, l Judged) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return err
	}
	_, err := out.Write(InertJSON(text.Bytes()))
	return err
}

// Verdicts prints a header and a line per object; the deduction and the broken
// conventions follow each line, indented. Without full, only the columns that
// kstatus fills.
func Verdicts(out io.Writer, lines []Judged, full, bare bool) error {
	if len(lines) == 0 {
		return nil
	}
	rows := [][]string{{"STATUS", "OBJECT", "REASON", "RULE", "CONFIDENCE", "MESSAGE"}}
	if bare {
		rows = nil
	}
	for _, l := range lines {
		name := ""
		if l.Namespace != "" {
			name = l.Namespace + " "
		}
		name += l.Kind
		if l.Group != "" {
			name += "." + l.Group
		}
		message := cmp.Or(l.Message, l.Error)
		if l.Note != "" {
			message = strings.TrimSpace(message + " (" + l.Note + ")")
		}
		rows = append(rows, []string{
			string(l.Status), name + "/" + l.Name, cmp.Or(l.Reason, "-"),
			cmp.Or(l.Rule, "-"), cmp.Or(string(l.Confidence), "-"), message,
		})
	}
	if !full {
		for i, r := range rows {
			rows[i] = slices.Concat(r[:3], r[5:])
		}
	}
	var table bytes.Buffer
	for _, r := range rows {
		for i, cell := range r {
			r[i] = object.Clean(cell) // --rules kstatus keeps line breaks in messages
		}
	}
	align(&table, rows, 0)
	var w bytes.Buffer
	i := len(lines) - len(rows) // the header has no deduction
	for row := range strings.Lines(table.String()) {
		w.WriteString(row)
		if i >= 0 {
			below(&w, lines[i])
		}
		i++
	}
	return printInert(out, &w)
}

func below(w io.Writer, l Judged) {
	deduction(w, l)
	for _, advice := range l.Lint {
		fmt.Fprintf(w, "    lint %s: %s", advice.Code, object.Clean(advice.Message))
		if advice.Path != "" {
			fmt.Fprintf(w, "  [%s]", object.Clean(advice.Path))
		}
		fmt.Fprintln(w)
	}
}

// deduction prints the steps of an object's judgement: rejected rules, observed
// values and conclusions, with the rule's id in a column of its own.
func deduction(w io.Writer, l Judged) {
	type line struct{ mark, text, rule string }
	var lines []line
	widest := 0
	for _, s := range l.Explain {
		switch {
		case s.Hit:
			text := string(l.Status)
			if l.Reason != "" {
				text += ", " + l.Reason
			}
			lines = append(lines, line{"so", text + ": " + cmp.Or(l.Message, l.Error), s.Rule})
		case s.Asks != "":
			lines = append(lines, line{"no", s.Asks, s.Rule})
		default:
			lines = append(lines, line{"yes", s.Found, s.Rule})
		}
		if n := utf8.RuneCountInString(lines[len(lines)-1].text); n <= 72 {
			widest = max(widest, n)
		}
	}
	for i, line := range lines {
		fmt.Fprintf(w, "    %-3s  %-*s  %s\n", line.mark, widest, line.text, line.rule)
		if line.mark == "no" {
			continue // a rule that did not apply needs no evidence
		}
		for _, v := range l.Explain[i].Read {
			fmt.Fprintf(w, "           %s: %s\n", v.Path, v.Value)
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "    sure?  %s\n", sureness(l.Confidence))
	}
}

// sureness explains a confidence in a sentence.
func sureness(c status.Confidence) string {
	switch c {
	case status.Exact:
		return "exact: there is a rule for this very kind"
	case status.Registry:
		return "registry: the kind is known, and a curated row says how to read it"
	case status.User:
		return "user: your own rule says so"
	case status.Convention:
		return "convention: the kind is not known; it was read as controllers use to write"
	case status.Assumed:
		return "assumed: nothing that it says is known to mean ready or not"
	}
	return string(c)
}
