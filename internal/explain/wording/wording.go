// Package wording makes parts of sentences (durations, numbers, a few names of
// many) and commands to copy. Package message reads messages.
package wording

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Stamp is a time as the API writes it.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Resource is a kind as kubectl takes it.
func Resource(id object.ID) string {
	if !strings.Contains(id.Group, ".") { // core, apps, batch, …: their kinds are unambiguous
		return strings.ToLower(id.Kind)
	}
	return strings.ToLower(id.Kind) + "." + id.Group
}

// PluralOf is a kind's resource as kubectl prints it, by the rules of
// meta.UnsafeGuessKindToResource (apimachinery v0.36): "runtimeclasses" of RuntimeClass.
func PluralOf(kind string) string {
	word := strings.ToLower(kind)
	switch {
	case word == "endpoints":
		return word
	case strings.HasSuffix(word, "s"):
		return word + "es"
	case strings.HasSuffix(word, "y"):
		return strings.TrimSuffix(word, "y") + "ies"
	}
	return word + "s"
}

// Kinds is a kind's plural as a sentence has it: Pods, Ingresses, NetworkPolicies.
func Kinds(kind string) string {
	ends := func(with ...string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(kind, end) })
	}
	switch {
	case kind == "Endpoints":
		return kind
	case ends("ay", "ey", "oy"):
		return kind + "s"
	case strings.HasSuffix(kind, "y"):
		return strings.TrimSuffix(kind, "y") + "ies"
	case ends("s", "x", "ch", "sh"):
		return kind + "es"
	}
	return kind + "s"
}

// Are begins a sentence about nodes: "node n1 is", "nodes n1, n2 are".
func Are(nodes []string) string {
	if len(nodes) == 1 {
		return "node " + nodes[0] + " is"
	}
	return "nodes " + Names(nodes, 3) + " are"
}

// NamesAfter is a word followed by the names of a few objects; "" without
// objects.
func NamesAfter(word string, ids []object.ID) string {
	if len(ids) == 0 {
		return ""
	}
	var list []string
	for _, id := range ids {
		list = append(list, id.Name)
	}
	return word + Names(list, 3)
}

// PodNames is namesAfter for objects.
func PodNames(word string, list []*object.Object) string {
	var ids []object.ID
	for _, o := range list {
		ids = append(ids, o.ID)
	}
	return NamesAfter(word, ids)
}

// Normal are the words of a message without what differs between equal causes:
// numbers, hexadecimal words and generated names. It is for fingerprints, never
// for the screen.
func Normal(s string) string {
	const digits = "0123456789"
	var out []string
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		numbered := strings.ContainsAny(w, digits)
		switch {
		case numbered && strings.Trim(w, digits+"abcdefABCDEF") == "",
			// Generated suffixes use an alphabet without vowels (k8s.io/apimachinery
			// pkg/util/rand, v0.36).
			!strings.ContainsAny(w, "aeiouAEIOU") && (len(w) == 5 || len(w) >= 8 && numbered):
			w = "#"
		case numbered:
			w = strings.Join(strings.FieldsFunc(w, unicode.IsDigit), "#")
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func HasAny(s string, subs ...string) bool {
	for _, x := range subs {
		if strings.Contains(s, x) {
			return true
		}
	}
	return false
}

// Span formats a duration for people: "40s", "4m", "3h20m", "2d".
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second && d%time.Second != 0:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour && d%time.Hour != 0:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		h := int(d.Hours())
		if m := int(d.Minutes()) - 60*h; m > 0 {
			return fmt.Sprintf("%dh%dm", h, m)
		}
		return fmt.Sprintf("%dh", h)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Command returns a kubectl command that can be pasted into a shell.
func Command(namespace string, args ...string) string {
	words := make([]string, 0, len(args)+3)
	words = append(words, "kubectl")
	for _, a := range args {
		words = append(words, Quote(a))
	}
	if namespace != "" {
		words = append(words, "-n", Quote(namespace))
	}
	return strings.Join(words, " ")
}

// Quote quotes text as a single word for a shell.
func Quote(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Names joins a few names in a sentence.
func Names(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}

// Nearest orders texts by how few letters differ from one that was meant, and
// keeps the order of equals.
func Nearest(meant string, list []string) []string {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b string) int { return distance(meant, a) - distance(meant, b) })
	return out
}

// distance is Levenshtein's, of at most 64 bytes.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
