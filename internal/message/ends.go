package message

import (
	"regexp"
	"strings"
	"sync"
)

// Ends shortens a line that is too long to its decisive parts, in at most most bytes. A wrapped
// error says at its end what is wrong, and at its beginning what was attempted: its last segments
// are kept, and its first one if there is room. Long values are shortened first. A line without
// segments keeps its beginning.
//
//	cannot parse the configuration: …: invalid expression for rule "Down": unexpected token "-"
func Ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = plain(text)
	for _, longest := range [...]int{80, 40, 20, 0} {
		if text = shortValues(text, longest); len(text) <= most {
			return text
		}
	}
	text = trailingValue().ReplaceAllString(text, "")
	segments := splitSegments(text)
	if joined := segments[len(segments)-1]; strings.HasPrefix(joined, "[") && strings.HasSuffix(joined, "]") &&
		strings.Contains(joined, ": ") {
		segments = append(segments[:len(segments)-1], splitSegments(joined[1:len(joined)-1])...)
	}
	for last := len(segments) - 1; last > 0 && saysNothing().MatchString(segments[last]); last-- {
		segments = segments[:last]
	}
	last := len(segments) - 1
	end := segments[last]
	if last == 0 || len(end) > most-len("…: ") {
		if first := segments[0] + between(last); last > 0 && len(first) < most/3 {
			return first + clipSentences(end, most-len(first))
		}
		return clipSentences(end, most)
	}
	first := segments[0] + between(last)
	if !strings.Contains(segments[0], " ") || len(first) > most/2 || len(first)+len(end) > most {
		first = "…: " // it only says "Error", or leaves no room for what is wrong
	}
	for last--; last > 0 && len(first)+len(segments[last])+len(": ")+len(end) <= most; last-- {
		end = segments[last] + ": " + end
	}
	if first == "…: " { // as many words before as there is room for
		if words := lastWords(segments[last], most-len("… ")-len(": ")-len(end)); words != "" {
			return "… " + words + ": " + end
		}
	}
	return first + end
}

// lastWords are the last words of a text that so many bytes hold, if they say something.
func lastWords(text string, most int) string {
	from := max(len(text)-max(most, 0), 0)
	if from > 0 {
		i := strings.IndexByte(text[from:], ' ')
		if i < 0 {
			return ""
		}
		from += i + 1
	}
	if words := text[from:]; len(words) >= 24 && strings.Count(words, `"`)%2 == 0 {
		return words
	}
	return ""
}

// between stands between the first segment and the one with an index: it marks what is left out.
func between(last int) string {
	if last <= 1 {
		return ": "
	}
	return ": …: "
}

// saysNothing matches an end of a wrapped error that says nothing: the error before it does.
var saysNothing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:unknown|EOF|error|failed precondition|exit status \d+|exit code \d+|error during command)$`)
})

// trailingValue is a value that has been shortened, with its label, behind what is wrong with it:
// `; unparsed data: "…"`.
var trailingValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[;,] [a-z]+(?: [a-z]+)?: ".{0,20}…"$`)
})

// shortValues shortens what a text quotes, lists in brackets, and paths, to so many bytes: of a
// path its end remains, of anything else its beginning. A name stays whole.
func shortValues(text string, longest int) string {
	text = quotations().ReplaceAllStringFunc(text, func(quoted string) string {
		value := quoted[1 : len(quoted)-1]
		if len(value) <= max(longest, 12) || strings.HasPrefix(value, "…/") || bareName().MatchString(value) {
			return quoted
		}
		if isFile(value) {
			return `"` + endOfPath(value) + `"`
		}
		return `"` + strings.TrimRight(strings.TrimSuffix(Clip(value, longest), "…"), `\ `) + `…"`
	})
	text = lists().ReplaceAllStringFunc(text, func(list string) string {
		if len(list) <= max(longest, 12) || strings.Contains(list, ": ") { // errors that are joined
			return list
		}
		return strings.TrimRight(strings.TrimSuffix(Clip(list, max(longest, len("[…"))), "…"),
			" ,") + "…" + list[len(list)-1:]
	})
	return longPaths().ReplaceAllStringFunc(text, func(path string) string {
		if len(path) <= max(longest, 20) {
			return path
		}
		return endOfPath(path)
	})
}

var (
	bareName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w[\w.\-:/@]{0,79}$`) })
	quotations = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })
	lists      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[^\[\]"]*\]|\{[^{}"]*\}`) })
	longPaths  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|\B)/(?:[\w.\-@*+]+/)+[\w.\-@*+]+`)
	})
)

// isFile reports whether a value is the path of a file.
func isFile(value string) bool { return strings.HasPrefix(value, "/") && !strings.Contains(value, " ") }

// endOfPath is the last element of a path.
func endOfPath(path string) string {
	return "…" + path[strings.LastIndexByte(strings.TrimRight(path, "/"), '/'):]
}
