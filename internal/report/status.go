package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// StatusFormats are the formats of [Status].
var StatusFormats = []string{"table", "tree", "json", "jsonl", "yaml", "markdown"}

// WhyFormats are the formats of [Why].
var WhyFormats = []string{"text", "json", "markdown"}

// Status prints the state of everything that was asked for. The exit code is
// for the formats that hold it.
func Status(w io.Writer, m model.Model, format string, exitCode int) error {
	var b bytes.Buffer
	switch format {
	case "json":
		if err := JSON(&b, m); err != nil {
			return err
		}
	case "yaml":
		if err := JSON(&b, m); err != nil {
			return err
		}
		text, err := yaml.JSONToYAML(b.Bytes())
		if err != nil {
			return fmt.Errorf("write YAML: %w", err)
		}
		b.Reset()
		b.Write(text)
	case "jsonl":
		for _, id := range m.Roots() {
			line, err := json.Marshal(statusOf(m, id, utc(m.Now())))
			if err != nil {
				return err
			}
			b.Write(append(line, '\n'))
		}
		b.Write(append(Result(m, exitCode, ""), '\n'))
	case "tree":
		tree(&b, m)
		summary(&b, m)
	case "markdown":
		markdown(&b, m, true)
	default:
		table(&b, m, m.Roots())
		summary(&b, m)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// JSON prints the document.
func JSON(w io.Writer, m model.Model) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(New(m))
}

// Why prints the causes alone.
func Why(w io.Writer, m model.Model, format string) error {
	var b bytes.Buffer
	switch format {
	case "json":
		if err := JSON(&b, m); err != nil {
			return err
		}
	case "markdown":
		markdown(&b, m, false)
	default:
		why(&b, m)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// NotCurrent prints what is not Current and why: what a wait leaves behind.
// Nothing is printed when there is nothing.
func NotCurrent(w io.Writer, m model.Model) error {
	var open []status.ID
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && r.Assessment.Status != status.Current {
			open = append(open, id)
		}
	}
	if len(open) == 0 {
		return nil
	}
	var b bytes.Buffer
	table(&b, m, open)
	causes(&b, m)
	_, err := w.Write(b.Bytes())
	return err
}

// Markdown is the finding as a page: the verdict, the resources and the causes
// with their proof.
func Markdown(m model.Model) []byte {
	var b bytes.Buffer
	markdown(&b, m, true)
	return b.Bytes()
}
