// Package mask masks what looks like a secret before it is shown or recorded: values
// of fields, recognised by their keys ([Value]), and credentials in texts, recognised by
// patterns ([Credentials]). docs/masking.md has both lists.
package mask

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Placeholder replaces a value whose key looks like a secret's.
const Placeholder = "***"

// Words that make a key look like a secret's; docs/recording.md has the same
// list. A key is split at capitals and punctuation ("db-adminPassword" is db,
// admin, password). A word matches the end of a part, and a pair of words
// matches consecutive parts. Plurals and trailing numbers match too.
const secretWords = `password passwd passphrase passcode pass pwd token secret credential cred
	apikey accesskey privatekey secretkey signingkey encryptionkey authkey sshkey sharedkey masterkey accountkey clientkey tlskey keydata
	connectionstring stringdata dockerconfigjson htpasswd`

// A key with one of these as its last word describes a secret, usually where it
// is: secretName, passwordSecretKeyRef, tokenExpirationSeconds.
const aboutSecrets = `ref reference name namespace key selector type kind class provider method mode algorithm
	status state phase reason message condition ready count size length limit min max policy rotation format encoding
	ttl expiry expiration expires expired second minute hour day duration period interval timeout time timestamp date age at
	url uri endpoint host port path file filename dir mount volume store template audience issuer scope version revision generation
	enabled disabled required optional group role user username request review controller`

// Keys of Secrets' names that do not end in "name".
const secretNames = `existingsecret pullsecret tlssecret`

// keyWords has the three lists as sets.
var keyWords = sync.OnceValue(func() (w struct{ words, about, names map[string]bool }) {
	set := func(list string) map[string]bool {
		m := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			m[word] = true
		}
		return m
	}
	w.words, w.about, w.names = set(secretWords), set(aboutSecrets), set(secretNames)
	return w
})

// secrecy is what a key says about its value.
type secrecy uint8

const (
	// notSecret: the key says nothing about it.
	notSecret secrecy = iota
	// secretIfString: the value is a secret if it is a string ("tokenForCI",
	// "passwords").
	secretIfString
	// certainlySecret: the value is a secret ("adminPassword").
	certainlySecret
	// secretOf: the value is a secret or names one, as "secret" does in
	// Kubernetes.
	secretOf
)

func secrecyOf(key string) secrecy {
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		key = key[i+1:] // the name part of an annotation's key
	}
	parts := keyParts(key)
	for i := len(parts) - 1; i >= 0; i-- {
		part := strings.TrimSuffix(parts[i], "s")
		pair := part
		if i > 0 {
			pair = parts[i-1] + part
		}
		found := endsInSecret(part) || keyWords().words[pair] || strings.HasSuffix(parts[i], "pass")
		switch last := i == len(parts)-1; {
		case last && keyWords().names[pair]:
			return notSecret
		case last && strings.HasSuffix(part, "secret"):
			return secretOf
		case last && found && part == parts[i] && !strings.HasSuffix(part, "data"):
			return certainlySecret
		case found:
			return secretIfString
		case last && isAbout(key):
			return notSecret
		}
	}
	return notSecret
}

// endsInSecret also finds a word in "rootpassword".
func endsInSecret(part string) bool {
	for i := range part {
		if keyWords().words[part[i:]] {
			return true
		}
	}
	return false
}

// isAbout reports whether a key's last word makes it a description of a secret.
func isAbout(key string) bool {
	parts := keyParts(key)
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return keyWords().about[last] || keyWords().about[strings.TrimSuffix(last, "s")]
}

// keyParts are the words of a key, in lower case, without trailing numbers.
func keyParts(key string) []string {
	var parts []string
	var part []rune
	flush := func() {
		if s := strings.TrimRight(strings.ToLower(string(part)), "0123456789"); s != "" {
			parts = append(parts, s)
		}
		part = part[:0]
	}
	runes := []rune(key)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		part = append(part, r)
	}
	flush()
	return parts
}

// LooksSecret reports whether the value of a key must not be shown, judged by
// the key alone: "adminPassword", "api_key", "DB_TOKEN", but not
// "tokenSecretRef".
func LooksSecret(key string) bool { return secrecyOf(key) != notSecret }

// Value returns v, the JSON of an object or part of it as in
// [object.Object.Tree], with secrets masked: by key, as the value of a
// name/value pair, as the data of an embedded Secret, as the argument after --password, and all of
// these within strings that are JSON, YAML or KEY=VALUE themselves. If there are none,
// changed is false and v itself is returned. Booleans stay; v is never
// modified.
func Value(v any) (masked any, changed bool) { return walk(v, notSecret) }

// walk masks the secrets within v. by is what the key that v stands under says about v.
func walk(v any, by secrecy) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		var out map[string]any
		isSecret := v["kind"] == "Secret"
		name, ok := v["name"].(string)
		if !ok {
			name, _ = v["key"].(string)
		}
		for k, e := range v {
			next := by
			switch own := secrecyOf(k); {
			case isSecret && (k == "data" || k == "stringData"):
				next = certainlySecret
			case k == "value" && LooksSecret(name):
				next = certainlySecret
			case own != notSecret:
				next = own
			case isAbout(k) && (by == secretOf || k != "key" && k != "url" && k != "template"):
				next = notSecret // a reference to a Secret, or its type
			}
			if _, text := e.(string); text && (k == "message" || k == "reason") && next == notSecret {
				continue // a sentence of several words
			}
			if n, changed := walk(e, next); changed {
				if out == nil {
					out = make(map[string]any, len(v))
					maps.Copy(out, v)
				}
				out[k] = n
			}
		}
		if out != nil {
			return out, true
		}
	case []any:
		var out []any
		for i, e := range v {
			next := by
			// elements of a list under a plural key; --token VALUE
			if by == secretIfString || i > 0 && by == notSecret && isArgument(v[i-1], e) {
				next = certainlySecret
			}
			if n, changed := walk(e, next); changed {
				if out == nil {
					out = append(out, v...)
				}
				out[i] = n
			}
		}
		if out != nil {
			return out, true
		}
	case string:
		if by == notSecret {
			s := Text(v)
			return s, s != v
		}
		return Placeholder, v != "" && v != Placeholder
	case nil, bool:
	default: // a number
		if by == certainlySecret {
			return Placeholder, true
		}
	}
	return v, false
}

// isArgument reports whether an element of a command line is the argument of the
// flag before it, and that looks like a secret's.
func isArgument(flag, arg any) bool {
	name, _ := flag.(string)
	value, ok := arg.(string)
	return ok && strings.HasPrefix(name, "-") && !strings.HasPrefix(value, "-") &&
		!strings.ContainsAny(name, "= \n") && LooksSecret(name)
}

// assignment matches a line of YAML or of KEY=VALUE.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\s*(?:- +)*(?:export +)?-*["']?)([\w./-]*\w)(["']?\s*[:=])(.*)$`)
})

// quotedKey matches a key of JSON.
var quotedKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^"\\]*)\\*"\s*:`) })

// Text masks the values of keys that look like secrets' within a text: JSON,
// lines of YAML or KEY=VALUE, and a single --key=value. Other credentials are masked as
// in any text.
func Text(s string) string { return Credentials(byKeys(s)) }

// byKeys masks the values within s that stand under keys which look like secrets'.
func byKeys(s string) string {
	if t := strings.TrimSpace(s); t != "" && (t[0] == '{' || t[0] == '[') {
		dec := json.NewDecoder(strings.NewReader(t))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) == nil && !dec.More() {
			if n, changed := walk(v, notSecret); changed {
				var b bytes.Buffer
				enc := json.NewEncoder(&b)
				enc.SetEscapeHTML(false)
				if enc.Encode(n) == nil {
					return strings.TrimSuffix(b.String(), "\n")
				}
			}
			return s
		}
		for _, at := range quotedKey().FindAllStringSubmatch(t, -1) { // truncated JSON
			if LooksSecret(at[1]) {
				return Placeholder
			}
		}
	}
	newline := "\n"
	if !strings.Contains(s, newline) {
		newline = "⏎" // the line break as object.Clean leaves it
	}
	if !strings.Contains(s, newline) {
		if at := assignment().FindStringSubmatch(s); at != nil &&
			strings.HasSuffix(at[3], "=") && at[4] != "" && LooksSecret(at[2]) {
			return at[1] + at[2] + at[3] + Placeholder
		}
		return s
	}
	lines := strings.Split(s, newline)
	below := -1 // the column of a key whose value continues on the lines below
	pair := ""  // the name on the previous line
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		text := strings.TrimSpace(line)
		if below >= 0 && text != "" && (indent > below || indent == below && strings.HasPrefix(text, "- ")) {
			lines[i] = line[:indent] + Placeholder
			continue
		}
		if text != "" {
			below = -1
		}
		at := assignment().FindStringSubmatch(line)
		if at == nil {
			continue
		}
		name := pair
		if pair = ""; at[2] == "name" || at[2] == "key" {
			pair = strings.Trim(at[4], ` "'`)
		}
		if !LooksSecret(at[2]) && !(at[2] == "value" && LooksSecret(name)) {
			continue
		}
		value := strings.TrimLeft(at[4], " \t")
		if value == "true" || value == "false" {
			continue
		}
		below = len(line) - len(strings.TrimLeft(line, " \t-")) // the value continues below
		if value != "" && value[0] != '|' && value[0] != '>' {
			lines[i] = strings.TrimSuffix(line, value) + Placeholder
		}
	}
	return strings.Join(lines, newline)
}
