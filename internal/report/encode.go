package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
)

// WriteJSON prints a document as JSON that no CI system takes for a command.
func WriteJSON(w io.Writer, document any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(InertJSON(text.Bytes()))
	return err
}

// WriteDocument prints the document of [New] as [WriteJSON] does, but one resource after
// the other. For ten thousand Pods it has some ten megabytes, and WriteJSON would hold four
// copies: the values, the text, the indented text, and that with CI commands broken up.
func WriteDocument(w io.Writer, m *known.Facts) error {
	var rest bytes.Buffer
	if err := WriteJSON(&rest, newDocument(m)); err != nil {
		return err
	}
	// No string has a line break, and no other field of this depth has this name.
	head, tail, _ := bytes.Cut(rest.Bytes(), []byte("\n  \"resources\": []"))
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(head) // an error stays until Flush
	out.WriteString("\n  \"resources\": [")
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	roots := m.Roots()
	for i, id := range roots {
		text.Reset()
		if err := enc.Encode(NewResource(m, id, true)); err != nil {
			return err
		}
		out.WriteString("\n    ")
		out.Write(InertJSON(bytes.TrimSuffix(text.Bytes(), []byte("\n"))))
		if i < len(roots)-1 {
			out.WriteString(",")
		}
	}
	if len(roots) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteString("]")
	out.Write(tail)
	return out.Flush()
}

// line is a document as one line of JSON.
func line(document any) ([]byte, error) {
	text, err := json.Marshal(document)
	return InertJSON(text), err
}

// WriteYAML prints a document as YAML that no CI system takes for a command, its fields
// sorted as kubectl sorts them. No line is folded: the rest of a text would begin one.
func WriteYAML(w io.Writer, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil { // JSON is YAML
		return fmt.Errorf("write YAML: %w", err)
	}
	inBlocks(&root)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := enc.Encode(&root); err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	_, err = w.Write(secondHash.ReplaceAll(invisible(out.Bytes()), []byte(`#\x23$1`)))
	return err
}

// inBlocks gives JSON the style of YAML, and sorts its fields.
func inBlocks(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && needsQuotes(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	if n.Kind == yaml.MappingNode {
		n.Content = sorted(n.Content)
	}
	for _, c := range n.Content {
		inBlocks(c)
	}
}

// sorted are the keys and values of a map, by key.
func sorted(content []*yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	pairs := slices.Collect(slices.Chunk(content, 2))
	slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
	for _, pair := range pairs {
		out = append(out, pair...)
	}
	return out
}

// oldScalar matches texts that YAML 1.1, which Kubernetes reads, takes for a boolean or
// a number, and the encoder of YAML 1.2 does not quote.
var oldScalar = regexp.MustCompile(`^(?i:y|yes|n|no|on|off)$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9]*)?$`)

// needsQuotes reports whether a text is only safe in double quotes, in which "#" and
// invisible characters may be written as escapes.
func needsQuotes(text string) bool {
	return strings.Contains(text, "##") || oldScalar.MatchString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) })
}

// invisible writes the characters as escapes that are not printable and that a terminal
// may obey: bidirectional controls, for one. encoding/json leaves those above U+001F.
func invisible(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) }
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		}
	}
	return out.Bytes()
}
