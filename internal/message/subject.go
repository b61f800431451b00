package message

import (
	"path"
	"strings"
)

// Short makes a line of at most most bytes, or little more, of a message: what is wrong, with the
// subject that the message names. Where the innermost clause alone would lose its subject ("must
// be no more than 63 bytes"), the subject is kept: the field and the value, the webhook, the quota.
// A short message is kept as it is, but for a stack trace.
func Short(text string, most int) string {
	text = Fold(text)
	text = exception(text)
	for _, parse := range []func(string) (string, bool){invalid, webhook} {
		if s, ok := parse(text); ok {
			return clip(s, most)
		}
	}
	if len(text) <= most {
		return text
	}
	for _, parse := range []func(string) (string, bool){quota, clauses} {
		if s, ok := parse(text); ok && len(s) <= most {
			return s
		}
	}
	if s := innermost(text); len(s) >= 24 {
		return clip(s, most)
	}
	return clip(text, most)
}

// Fold makes one line of a message: white space folded, gRPC's wrapping and the recorder's prefix
// removed.
func Fold(s string) string {
	if strings.ContainsAny(s, "\n\r\t⏎") || strings.Contains(s, "  ") || strings.TrimSpace(s) != s {
		s = strings.Join(strings.Fields(strings.ReplaceAll(s, "⏎", "\n")), " ")
	}
	s = strings.TrimPrefix(s, "(combined from similar events): ")
	for {
		before, rest, wrapped := strings.Cut(s, "rpc error: code = ")
		_, desc, ok := strings.Cut(rest, "desc = ")
		if !wrapped || !ok {
			return s
		}
		s = before + desc
	}
}

// invalid reads a refusal by the API server's validation (apimachinery v0.36, api/errors
// NewInvalid; util/validation/field Error):
//
//	Kind "name" is invalid: field: Invalid value: "value": text
//	Kind "name" is invalid: [field: Required value: text, field: …]
//
// The field, the value and the text are the subject; of several refusals the first is kept.
func invalid(text string) (string, bool) {
	_, rest, ok := strings.Cut(text, " is invalid: ")
	if !ok {
		return "", false
	}
	rest, many := strings.CutPrefix(rest, "[")
	field, rest, ok := strings.Cut(rest, ": ")
	if !ok || strings.ContainsAny(field, " ") || field == "" {
		return "", false
	}
	if many {
		rest, _, _ = strings.Cut(strings.TrimSuffix(rest, "]"), ", spec.")
		rest, _, _ = strings.Cut(rest, ", metadata.")
	}
	for _, kind := range [...]string{"Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Too long: ", "Not found: ", "Forbidden: ", "Required value: ", "Required value", "Too many: "} {
		if !strings.HasPrefix(rest, kind) {
			continue
		}
		rest = strings.TrimPrefix(rest, kind)
		switch kind {
		case "Invalid value: ", "Unsupported value: ":
			if value, why, ok := quoted(rest); ok && why != "" {
				return field + " " + clip(value, 80) + ": " + why, true
			}
		case "Required value", "Required value: ":
			return strings.TrimSuffix(field+" is required: "+rest, ": "), true
		}
		return field + ": " + strings.ToLower(strings.TrimSuffix(kind, ": ")) + ": " + rest, true
	}
	return "", false
}

// quoted splits a value that a message quotes, with its quotes, from what follows after ": ".
func quoted(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		value, rest, ok = strings.Cut(s, ": ")
		return value, rest, ok
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1], strings.TrimPrefix(s[i+1:], ": "), true
		}
	}
	return "", "", false
}

// webhook reads a webhook that cannot be called, or that denies (kubernetes v1.36,
// apiserver/pkg/admission/plugin/webhook, errors and validating/dispatcher.go):
//
//	failed calling webhook "name": failed to call webhook: Post "URL": text
//	admission webhook "name" denied the request: text
func webhook(text string) (string, bool) {
	if name, rest, ok := after(text, `failed calling webhook "`); ok {
		return "webhook " + name + " cannot be called: " + innermost(rest), true
	}
	if name, rest, ok := after(text, `admission webhook "`); ok {
		if _, why, ok := strings.Cut(rest, "denied the request: "); ok {
			return "webhook " + name + " denied it: " + why, true
		}
	}
	return "", false
}

// after returns the quoted name behind a mark, and the rest.
func after(text, mark string) (name, rest string, ok bool) {
	_, rest, ok = strings.Cut(text, mark)
	if !ok {
		return "", "", false
	}
	name, rest, ok = strings.Cut(rest, `"`)
	return name, strings.TrimPrefix(rest, ": "), ok && name != ""
}

// quota reads the refusal of a quota: everything from the quota's name on (kubernetes v1.36,
// apiserver/pkg/admission/plugin/resourcequota).
func quota(text string) (string, bool) {
	i := strings.Index(text, "exceeded quota: ")
	if i < 0 {
		return "", false
	}
	return text[i:], true
}

// clauses reads a sentence of many clauses, of which the first name the subject and the last says
// why: Karpenter's "incompatible with nodepool "x", daemonset overhead={…}, …, REASON"
// (sigs.k8s.io/karpenter v1.8, scheduler.go). Of several such sentences the first is kept.
func clauses(text string) (string, bool) {
	text, _, _ = strings.Cut(text, "; ")
	parts := splitClauses(text)
	if len(parts) < 3 {
		return "", false
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) > 3 && !strings.ContainsAny(first, `"`) && strings.ContainsAny(parts[1], `"`) {
		first = parts[1]
	}
	if len(last) < 12 {
		return "", false
	}
	return first + ": " + last, true
}

// splitClauses splits at commas outside of brackets and quotes.
func splitClauses(text string) (out []string) {
	depth, quote, from := 0, false, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quote = !quote
		case quote:
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// exception makes a line of a stack trace that has been folded: the exception and its innermost
// cause (java.lang.Throwable, printStackTrace; Python's traceback).
func exception(text string) string {
	at := strings.Index(text, " at ")
	isJava := at > 0 && strings.Contains(text[at:], ".java:")
	if !isJava {
		if _, rest, ok := strings.Cut(text, "Traceback (most recent call last)"); ok {
			if i := strings.LastIndex(rest, "Error: "); i > 0 {
				from := strings.LastIndexByte(rest[:i], ' ') + 1
				return rest[from:]
			}
		}
		return text
	}
	head := text[:at]
	i := strings.LastIndex(text, "Caused by: ")
	if i < 0 {
		return head
	}
	cause := text[i+len("Caused by: "):]
	if at := strings.Index(cause, " at "); at > 0 {
		cause = cause[:at]
	}
	return head + ", caused by " + cause
}

// innermost is the last, most informative segment of a wrapped error. It is not split within
// brackets, and one that names nothing keeps the segment before it.
func innermost(s string) string {
	i := strings.LastIndex(s, ": ")
	for i > 0 && (strings.HasPrefix(s[i:], ": [") || strings.HasPrefix(s[i:], ": {") || strings.Count(s[i:], "[") < strings.Count(s[i:], "]")) {
		i = strings.LastIndex(s[:i], ": ")
	}
	if i < 0 {
		return s
	}
	if t := s[i+2:]; len(t) >= 16 && strings.ContainsAny(t, " ") {
		if file := s[strings.LastIndexByte(s[:i], ' ')+1 : i]; strings.HasPrefix(file, "/") {
			return path.Base(file) + ": " + t // os.PathError: "open /tmp/x/nope.yaml: no such file or directory"
		}
		return t
	}
	// "Kind ns/name: not found" needs the segment before it.
	if j := strings.LastIndex(s[:i], ": "); j >= 0 {
		return s[j+2:]
	}
	return s
}

// clip cuts a text to at most n bytes, at a rune, and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:max(n, 0)] + "…"
}
