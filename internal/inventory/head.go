package inventory

import "bytes"

// head returns the part of a document that names its object: the top-level
// fields apiVersion, kind, metadata and items, and the same fields of items in
// kubectl's layout. Parsing a whole Deployment takes a quarter of a
// millisecond; its head is much shorter. A document that is not in block style
// is returned whole.
func head(doc []byte) []byte {
	const small = 512
	if t := bytes.TrimSpace(doc); len(t) < small || t[0] == '{' || bytes.Contains(doc, []byte("<<:")) {
		return doc
	}
	var out []byte
	keep, items := false, false
	seen := map[string]bool{}
	for line := range bytes.Lines(doc) {
		switch c := line[0]; {
		case items && bytes.HasPrefix(line, []byte("- ")):
			keep = true // keep the line with the dash, whichever field follows it
		case items && len(line) > 2 && line[0] == ' ' && line[1] == ' ' &&
			!bytes.ContainsRune([]byte(" \t-\r\n#"), rune(line[2])):
			keep = naming(line[2:]) != ""
		case c == ' ' || c == '\t' || c == '-' || c == '\n' || c == '\r' || c == '#':
		default:
			key := naming(line)
			if keep, items = key != "", key == "items:"; keep && seen[key] {
				return doc // inside a block scalar
			}
			seen[key] = true
		}
		if keep {
			out = append(out, line...)
		}
	}
	return out
}

// naming returns the field of a head that a line begins with, or "".
func naming(line []byte) string {
	for _, key := range []string{"apiVersion:", "kind:", "metadata:", "items:"} {
		if bytes.HasPrefix(line, []byte(key)) {
			return key
		}
	}
	return ""
}
