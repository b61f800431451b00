package mask

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// A pattern finds one sort of credential in a text, and replaces it. docs/masking.md
// lists them in the same order; a test compares the two.
type pattern struct {
	name    string
	needs   byteClass // the text must have a byte of each of these classes
	markers []string  // and contain one of these, unless there are none
	find    string
	replace string                      // as in regexp.ReplaceAll
	by      func(match []string) string // instead of replace
	all     func(text string) string    // instead of find
	regexp  func() *regexp.Regexp
}

// byteClass is a set of classes of bytes. One pass over a text finds those it has, so
// that most texts cost nothing more.
type byteClass uint8

const (
	at byteClass = 1 << iota
	equals
	quote
	space
	upper
	dash
	underscore
)

var classOf = func() (t [256]byteClass) {
	t['@'], t['='], t['"'], t[' '], t['\n'], t['-'], t['_'] = at, equals, quote, space, space, dash, underscore
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = upper
	}
	return t
}()

// patterns are applied one after the other.
var patterns = []*pattern{
	{
		name: "private key", needs: space | dash, markers: []string{"PRIVATE KEY"},
		find:    `(?s)(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----).*?(-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`,
		replace: "${1}" + Placeholder + "${2}",
	},
	{
		name: "private key in base64", markers: []string{beginInBase64}, needs: upper,
		find: beginInBase64 + `[A-Za-z0-9+/]+=*`, by: encodedKey,
	},
	{
		name: "password in a URL", needs: at, markers: []string{"://"},
		find: `([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@'"<>?#]*:)[^\s/'"<>?#]+@`, replace: "${1}" + Placeholder + "@",
	},
	{
		name: "token in a URL", needs: at, markers: []string{"://"},
		find: `([A-Za-z][A-Za-z0-9+.-]*://)[A-Za-z0-9_.~-]{20,}@`, replace: "${1}" + Placeholder + "@",
	},
	{
		name: "password in a DSN", needs: at, markers: []string{"@tcp(", "@udp(", "@unix("},
		find: `([\w.-]+:)[^\s:/'"<>]+@((?:tcp|udp|unix)\()`, replace: "${1}" + Placeholder + "@${2}",
	},
	{
		name: "password of jdbc:oracle", needs: at, markers: []string{"jdbc:oracle:"},
		find: `(jdbc:oracle:\w+:[^/\s@]+/)[^\s@]+@`, replace: "${1}" + Placeholder + "@",
	},
	{
		name: "password of curl", needs: space | dash, markers: []string{"-u ", "--user ", "--user="},
		find: `((?:^|\s)(?:-u|--user)[ =]['"]?[\w.@-]+:)[^\s'"]+`, replace: "${1}" + Placeholder,
	},
	{
		name: "webhook of Slack", markers: []string{"hooks.slack.com/"},
		find: `(hooks\.slack\.com/(?:services|workflows|triggers)/)[\w/-]+`, replace: "${1}" + Placeholder,
	},
	{
		name: "signature in a URL", needs: equals, markers: []string{"?", "&", ";"},
		find:    `(?i)((?:[?&;]|\\u0026)(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|sharedaccesssignature|secret)=)[^&\s"'#\\]+`,
		replace: "${1}" + Placeholder,
	},
	{name: "assignment", needs: equals, all: assignments},
	{name: "field of YAML, or header", needs: space, all: colons},
	{
		name: "field of JSON", needs: quote, markers: []string{`":"`, `": "`, `\":`},
		find: `(\\*")([A-Za-z][\w.-]*)(\\*"\s?:\s?\\*")([^"\\]+)`, by: field,
	},
	{
		name: "bearer token", needs: space,
		markers: []string{"earer ", "asic ", "uthorization", "EARER ", "ASIC ", "UTHORIZATION"},
		find:    `(?i)\b(bearer|basic|authorization:|authorization: \w+) ([A-Za-z0-9._~+/-]{16,}=*)`, by: header,
	},
	{
		name: "JSON Web Token", needs: upper, markers: []string{"eyJ"},
		find: `\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`, replace: Placeholder,
	},
	{
		name: "access key of AWS", needs: upper, markers: []string{"AKIA", "ASIA"},
		find: `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, replace: Placeholder,
	},
	{
		name: "API key of Google", needs: upper, markers: []string{"AIza"},
		find: `\bAIza[\w-]{35}`, replace: Placeholder,
	},
	{
		name: "token of GitHub", needs: underscore,
		markers: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		find:    `\b(?:gh[opusr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})`, replace: Placeholder,
	},
	{
		name: "token of GitLab", needs: dash, markers: []string{"glpat-"},
		find: `\bglpat-[\w-]{20,}`, replace: Placeholder,
	},
	{
		name: "token of Slack", needs: dash, markers: []string{"xox"},
		find: `\bxox[abeoprs]-[\w-]{10,}`, replace: Placeholder,
	},
	{
		name: "key of Stripe", needs: underscore, markers: []string{"k_live_", "k_test_"},
		find: `\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}`, replace: Placeholder,
	},
	{
		name: "token of npm, Docker Hub, Hugging Face or DigitalOcean", needs: underscore,
		markers: []string{"npm_", "dckr_pat_", "hf_", "_v1_"},
		find:    `\b(?:npm_[A-Za-z0-9]{36}|dckr_pat_[\w-]{20,}|hf_[A-Za-z0-9]{30,}|do[opr]_v1_[a-f0-9]{64})`,
		replace: Placeholder,
	},
	{
		name: "token of Vault", markers: []string{"hvs.", "hvb.", "hvr."},
		find: `\bhv[sbr]\.[\w-]{20,}`, replace: Placeholder,
	},
	{
		name: "key of OpenAI or Anthropic", needs: dash, markers: []string{"sk-"},
		find: `\bsk-[\w-]{20,}`, by: mixed,
	},
	{
		name: "key of SendGrid", needs: upper, markers: []string{"SG."},
		find: `\bSG\.[\w-]{16,}\.[\w-]{16,}`, replace: Placeholder,
	},
	{
		name: "secret key of age", needs: upper | dash, markers: []string{"AGE-SECRET-KEY-"},
		find: `AGE-SECRET-KEY-1[0-9A-Z]+`, replace: Placeholder,
	},
}

func init() {
	for _, p := range patterns {
		p.regexp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.find) })
	}
}

// shortest is the length of the shortest text that is looked at.
const shortest = len("pwd=x")

// Credentials masks the credentials in a text: see patterns. A text without any
// is returned as it is. A key that names a Secret or describes a password ("secret=db",
// "tokenTTL=5m") hides nothing, nor does a value that refers to another one
// ("password=$(DB_PASSWORD)").
func Credentials(s string) string {
	if len(s) < shortest {
		return s
	}
	var has byteClass
	for i := range len(s) {
		has |= classOf[s[i]]
	}
	if has == 0 && !strings.Contains(s, "hooks.") && !strings.Contains(s, "hv") ||
		has == dash && !hasAny(s, "glpat-", "xox", "sk-", "hooks.", "hv") {
		return s // most names, addresses and images
	}
	for _, p := range patterns {
		if has&p.needs == p.needs && p.marked(s) {
			s = p.mask(s)
		}
	}
	return s
}

// marked reports whether a text may match.
func (p *pattern) marked(s string) bool {
	return len(p.markers) == 0 || hasAny(s, p.markers...)
}

func hasAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

func (p *pattern) mask(s string) string {
	switch {
	case p.all != nil:
		return p.all(s)
	case p.by == nil:
		return p.regexp().ReplaceAllString(s, p.replace)
	}
	return p.regexp().ReplaceAllStringFunc(s,
		func(found string) string { return p.by(p.regexp().FindStringSubmatch(found)) })
}

// assignments masks KEY=VALUE, KEY="VALUE" and KEY = VALUE. It is no regular
// expression, because a line of a log may be nothing but assignments.
func assignments(s string) string {
	var out strings.Builder
	done := 0 // how much of s is written
	for i := 0; i < len(s); i++ {
		if s[i] != '=' || i < done {
			continue
		}
		end := i // of the key
		if end > 0 && s[end-1] == ' ' {
			end--
		}
		begin := end
		for begin > done && isKeyByte(s[begin-1]) {
			begin--
		}
		value := i + 1
		if value < len(s) && s[value] == ' ' && end < i {
			value++
		}
		key := strings.TrimLeft(s[begin:end], "-.")
		if !maySecret(key) {
			continue
		}
		value, after := valueAt(s, value)
		if !hides(key, s[value:after]) {
			continue
		}
		out.WriteString(s[done:value] + Placeholder)
		done = after
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

func isKeyByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// valueAt is where a value begins and ends that stands in quotes or in none. The quotes of a text
// within a text are escaped, msg="password=\"hunter2\"", and those within the value once more.
func valueAt(s string, at int) (from, to int) {
	from = at
	for from < len(s) && s[from] == '\\' {
		from++
	}
	escapes := from - at
	if from == len(s) || s[from] != '"' && s[from] != '\'' {
		to = at
		for to < len(s) && !endsValue(s[to]) {
			to++
		}
		if to < len(s) && s[to] == ' ' && to > at && s[to-1] == ':' { // of an error: "…?token=x: dial tcp"
			to--
		}
		for to < len(s) && to > at && s[to-1] == '\\' { // of the quote that ends the text around it
			to--
		}
		return at, to
	}
	closing := s[from]
	from++
	before := 0 // backslashes
	for to = from; to < len(s); to++ {
		switch {
		case s[to] == '\\':
			before++
			continue
		case s[to] == closing && before <= escapes:
			return from, to - before
		}
		before = 0
	}
	return from, to
}

// endsValue reports whether a byte ends a value that is not in quotes.
func endsValue(c byte) bool { return strings.IndexByte(" \t\n,;&\"'()[]{}<>|", c) >= 0 }

// colons masks the value of KEY: VALUE, in YAML and in headers. In a sentence ("invalid
// token: unexpected end") the value is a word; a credential has a digit.
func colons(s string) string {
	var out strings.Builder
	done := 0 // how much of s is written
	for i := 0; i+2 < len(s); i++ {
		if s[i] != ':' || s[i+1] != ' ' || i < done {
			continue
		}
		begin := i
		for begin > done && isKeyByte(s[begin-1]) {
			begin--
		}
		key := strings.TrimLeft(s[begin:i], "-.")
		if !maySecret(key) {
			continue
		}
		value, after := valueAt(s, i+2)
		text := s[value:after]
		if len(text) < 6 || !strings.ContainsAny(text, "0123456789") || strings.Contains(text, "://") ||
			!hides(key, text) {
			continue
		}
		out.WriteString(s[done:value] + Placeholder)
		done = after
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

// beginInBase64 is how base64 of "-----BEGIN " begins.
const beginInBase64 = "LS0tLS1CRUdJTi"

// encodedKey masks a private key in base64, and no certificate.
func encodedKey(m []string) string {
	head := m[0][:min(len(m[0]), 64)&^3]
	if text, err := base64.StdEncoding.DecodeString(head); err != nil || !bytes.Contains(text, []byte("PRIVATE KEY")) {
		return m[0]
	}
	return Placeholder
}

// mixed masks what has digits and capitals: a key, and no name.
func mixed(m []string) string {
	if !strings.ContainsAny(m[0], "0123456789") || strings.ToLower(m[0]) == m[0] {
		return m[0]
	}
	return Placeholder
}

// isBasicAuth reports whether a text is USER:PASSWORD in base64, as "auth" of a
// .dockerconfigjson has it.
func isBasicAuth(text string) bool {
	decoded, err := base64.StdEncoding.DecodeString(text)
	return err == nil && bytes.Contains(decoded, []byte(":"))
}

// field masks "KEY":"VALUE", also within a string of JSON.
func field(m []string) string {
	if !hides(m[2], m[4]) && (m[2] != "auth" || !isBasicAuth(m[4])) {
		return m[0]
	}
	return m[1] + m[2] + m[3] + Placeholder
}

// hides reports whether a text's KEY=VALUE is a credential.
func hides(key, value string) bool {
	if value == "" || !maySecret(key) {
		return false
	}
	secrecy := secrecyOf(key)
	switch strings.ToLower(value) {
	case Placeholder, "true", "false", "null", "nil", "none", "empty", "redacted", "x", "xxx", "xxxx", "xxxxx",
		"required", "invalid", "missing":
		return false
	}
	switch {
	case secrecy == notSecret:
		return false
	case strings.EqualFold(key, "secret"), strings.EqualFold(key, "secrets"): // the name of one, in most logs
		return false
	case value[0] == '$', value[0] == '<', value[0] == '*', value[0] == '=': // a reference, a placeholder, a comparison
		return false
	case secrecy == secretIfString && strings.Trim(value, "0123456789.") == "": // maxTokens=4096
		return false
	}
	return true
}

// partsOfWords are in every word of secretWords.
var partsOfWords = []string{
	"pass", "pwd", "token", "secret", "cred", "key", "connectionstring",
	"stringdata", "dockerconfigjson",
}

// maySecret reports whether a key may look like a secret's: a quick look before
// secrecyOf.
func maySecret(key string) bool {
	var letters [64]byte
	n := 0
	for i := 0; i < len(key) && n < len(letters); i++ {
		if c := key[i] | 0x20; 'a' <= c && c <= 'z' {
			letters[n] = c
			n++
		}
	}
	for _, part := range partsOfWords {
		if n >= len(part) && bytes.Contains(letters[:n], []byte(part)) {
			return true
		}
	}
	return n == len(letters)
}

// header masks the value of an Authorization header. A word is none.
func header(m []string) string {
	if !strings.ContainsAny(m[2], "0123456789") {
		return m[0]
	}
	return m[1] + " " + Placeholder
}

// URL masks the credentials in a URL that a user typed: the password, and the values of
// all parameters that look like secrets. What is no URL is masked as a text.
func URL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" || u.RawQuery == "" {
		return Credentials(s)
	}
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		if key, value, ok := strings.Cut(pair, "="); ok && value != "" && LooksSecret(key) {
			pairs[i] = key + "=" + Placeholder
		}
	}
	before, _, _ := strings.Cut(s, "?")
	_, fragment, hasFragment := strings.Cut(s, "#")
	s = before + "?" + strings.Join(pairs, "&")
	if hasFragment {
		s += "#" + fragment
	}
	return Credentials(s)
}
