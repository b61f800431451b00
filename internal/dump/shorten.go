package dump

import (
	"bytes"
)

// Half of a Pod's text are the names of the fields that each of its writers wrote
// (managedFields[].fieldsV1). Of these internal/convert reads whether it wrote the spec
// or the status, who set a finalizer, and when a CronJob's template was written. So
// the text is shortened before it is parsed.

// shortened shortens the fieldsV1 of a JSON text.
func shortened(text []byte) []byte {
	key := []byte(`"fieldsV1":`)
	if !bytes.Contains(text, key) {
		return text
	}
	out := make([]byte, 0, len(text))
	for {
		i := bytes.Index(text, key)
		if i < 0 {
			return append(out, text...)
		}
		i += len(key)
		out = append(out, text[:i]...)
		text = text[i:]
		end := objectEnd(text)
		out = append(out, markers(text[:end], `"f:spec":`, `"f:status":`)...)
		text = text[end:]
	}
}

// objectEnd is where a JSON object at the beginning of a text ends; 0 if there is none.
func objectEnd(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth <= 0 {
				return i + 1
			}
		case depth == 0 && c != ' ' && c != '\n' && c != '\r' && c != '\t':
			return 0
		}
	}
	return 0
}

// markers are the fieldsV1 of which only what is read is left. The text is returned as
// it is where more is read.
func markers(text []byte, spec, status string) []byte {
	if len(text) == 0 || bytes.Contains(text, []byte("f:finalizers")) || bytes.Contains(text, []byte("f:jobTemplate")) {
		return text
	}
	switch {
	case bytes.Contains(text, []byte(spec)) && bytes.Contains(text, []byte(status)):
		return []byte(`{"f:spec":{},"f:status":{}}`)
	case bytes.Contains(text, []byte(spec)):
		return []byte(`{"f:spec":{}}`)
	case bytes.Contains(text, []byte(status)):
		return []byte(`{"f:status":{}}`)
	}
	return []byte(`{}`)
}

// shortenedYAML does the same for YAML in block style.
func shortenedYAML(text []byte) []byte {
	key := []byte("fieldsV1:\n")
	if !bytes.Contains(text, key) {
		return text
	}
	out := make([]byte, 0, len(text))
	for {
		i := bytes.Index(text, key)
		if i < 0 {
			return append(out, text...)
		}
		indent := i - 1 - bytes.LastIndexByte(text[:i], '\n')
		if len(bytes.Trim(text[i-indent:i], " -")) > 0 { // not a key of its own
			out = append(out, text[:i+len(key)]...)
			text = text[i+len(key):]
			continue
		}
		begin := i + len(key)
		end := begin
		for line := range bytes.Lines(text[begin:]) {
			if rest := bytes.TrimLeft(line, " "); len(line)-len(rest) <= indent {
				break
			}
			end += len(line)
		}
		if short := markers(text[begin:end], "f:spec:", "f:status:"); len(short) < end-begin {
			out = append(append(append(out, text[:begin-1]...), ' '), short...)
			out = append(out, '\n')
		} else {
			out = append(out, text[:end]...)
		}
		text = text[end:]
	}
}
