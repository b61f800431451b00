package message

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Failure is a kind of failure that a runtime, a registry or a kubelet reports.
type Failure int

// The kinds.
const (
	OtherFailure Failure = iota
	DiskFull
	RateLimited   // too many requests
	WrongPlatform // no build for the node's platform
	Denied        // credentials are missing or do not suffice
	NotFound
	Unreachable // network, name, certificate, or a server's own error
)

// FailureOf is the kind of failure that a message reports. What the message is about is taken out
// first (see [Plain]), so that neither an image nor a port makes it another kind.
func FailureOf(text string, subjects ...string) Failure {
	return failureIn(strings.ToLower(Plain(text, subjects...)))
}

// failureIn is the same for a plain text in lower case.
func failureIn(plain string) Failure {
	status := httpStatus(plain)
	for _, f := range failures {
		if status != "" && strings.Contains(f.statuses, status) || containsAny(plain, f.phrases) {
			return f.kind
		}
	}
	return OtherFailure
}

// Remedy is what ends a failure that is tried again and again.
type Remedy int

// The remedies.
const (
	NoRemedy Remedy = iota // the message does not say
	// somebody lacks a permission or credentials, or does not trust a certificate: trying again
	// changes nothing
	Permission
	Recovery      // a connection cannot be made, or a server has an error of its own: the next attempt may succeed
	PassageOfTime // a limit of requests: it ends by itself
)

// RemedyOf is what ends the failure that a message reports. Amazon says "is not authorized", Google
// "PERMISSION_DENIED", Azure "AuthorizationFailed"; Go's crypto/x509 begins each of its errors with
// its name. A registry's limit may come with "access denied".
func RemedyOf(text string) Remedy {
	plain := strings.ToLower(Plain(text))
	kind := failureIn(plain)
	switch {
	case kind == RateLimited:
		return PassageOfTime
	case kind == Denied, containsAny(plain, []string{
		"permission denied", "not authorized", "authorizationfailed", "does not have access", "x509: ",
		"http response to https client",
		" is forbidden: user ",
	}):
		return Permission
	case containsAny(plain, unreached):
		return Recovery
	}
	return NoRemedy
}

// unreached are the words for a connection that cannot be made, or a server that has an error of
// its own.
var unreached = []string{
	"connection refused", "connection reset", "i/o timeout", "no route to host",
	"server misbehaving", "503 service unavailable",
}

// RanOutOfTime reports whether a controller gave up only because what it waited for did not happen
// in time: what was wrong with that is the cause. These are the words of Helm (pkg/kube/wait.go,
// v3.19 and v4), of apimachinery's wait package and of context.
func RanOutOfTime(text string) bool {
	return containsAny(text, outOfTime)
}

var outOfTime = []string{
	"context deadline exceeded", "exceed context deadline",
	"timed out waiting for", "timeout waiting for",
}

// OnlyRanOutOfTime reports whether a message gives no other reason than that time ran out, and does
// not name what it waited for: "failed to ensure load balancer: timed out waiting for the
// condition".
func OnlyRanOutOfTime(text string) bool {
	if !RanOutOfTime(strings.ToLower(text)) {
		return false // most do not, and Reason is slow
	}
	reason := Reason(text)
	begins := func(words string) bool { return strings.HasPrefix(strings.ToLower(reason), words) }
	return slices.ContainsFunc(outOfTime, begins) && Weight(reason) < SaysWhyOfWhat
}

// failures are the kinds by their HTTP statuses and phrases, in an order that respects texts that
// contain others: containerd v1.7 and v2.1 (core/remotes/docker), CRI-O v1.33 with containers/image
// v5.36, cri-dockerd v0.3 with moby v28, and what distribution v3 and the large registries answer.
var failures = []struct {
	kind     Failure
	statuses string
	phrases  []string
}{
	{DiskFull, "", []string{"no space left on device"}},
	{RateLimited, "429", []string{
		"toomanyrequests", "pull rate limit", "too many requests", "rate exceeded", "rate limit exceeded",
		// letsencrypt/boulder, ratelimits
		"too many failed authorizations", "too many certificates", "too many new orders",
	}},
	{WrongPlatform, "", []string{
		"no match for platform", "no matching manifest",
		"no image found in manifest list", "exec format error",
	}},
	{Denied, "401 403", []string{
		"unauthorized", "authentication required", "access denied", "access to the resource is denied", "no basic auth",
		"may require 'docker login'", "denied:", "insufficient_scope", "permission_denied", "invalid username/password",
	}},
	{NotFound, "404", []string{
		"not found", "manifest unknown", "name unknown",
		"does not exist", "repository_not_found",
	}},
	{Unreachable, "500 502 503 504", []string{
		"timeout", "timed out", "no such host", "x509", "certificate", "connection refused", "connection reset",
		"network is unreachable", "tls:",
		": eof", "unexpected eof", "deadline exceeded", "server misbehaving", "no route to host", "i/o",
		"http response to https client",
		"temporary failure in name resolution", "proxyconnect", "lost connection to",
		"can't connect to", "could not connect to",
		"request canceled", "while awaiting headers", // Go's net/http, of a Client.Timeout, which looks like a host
	}},
}

func containsAny(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// Plain is a message without what it is about: quoted names, URLs, image references, digests, host
// names, addresses, ports, and the subjects given. Each becomes "…". What remains are the words in
// which the failure is described, and numbers that no name holds.
func Plain(text string, subjects ...string) string {
	text = strings.ReplaceAll(Fold(text), `\"`, `"`)
	text = quotedNames().ReplaceAllString(text, "…")
	for _, s := range subjects {
		text = replaceWord(text, s)
	}
	for _, n := range named() {
		if strings.Contains(text, n.word) {
			text = n.pattern.ReplaceAllString(text, "${1}…${2}")
		}
	}
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = plainWord(w)
	}
	return strings.Join(words, " ")
}

var quotedNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\"[^\"]*\"|`[^`]*`") })

// naming is a phrase that holds a bare name, which a word alone would not give away.
type naming struct {
	word    string // in each text that the pattern matches: searching for it costs a hundredth
	pattern *regexp.Regexp
}

var named = sync.OnceValue(func() (out []naming) {
	for _, n := range []struct{ word, pattern string }{
		{"lookup ", `(\blookup )\S+?( on |:)`},                  // Go's resolver
		{"manifest ", `(\bmanifest )\S+( in )`},                 // containers/image: reading manifest TAG in REPOSITORY
		{"manifest for ", `(\bmanifest for )\S+( not found)`},   // moby
		{"access denied for ", `(\baccess denied for )\S+?(,)`}, // moby
		{"valid for ", `(\bvalid for ).*?, not \S+()`},          // crypto/x509
		{"[manifests ", `(\[manifests )[^\]]*(\])`},             // containerd v2
		{"[blobs ", `(\[blobs )[^\]]*(\])`},
		{"tag ", `(\btag )\S+( not found)`},
		{"repository ", `(\brepository )\S+( not found)`},
	} {
		out = append(out, naming{n.word, regexp.MustCompile(n.pattern)})
	}
	return out
})

// plainWord replaces a word that is a name by "…", and keeps the punctuation after it: a URL, an
// image with its tag or digest, a host with its port, an address, a hexadecimal number.
func plainWord(word string) string {
	core := strings.TrimRight(word, ":,;.)]}'")
	end := word[len(core):]
	low := strings.ToLower(strings.TrimLeft(core, "([{'"))
	switch {
	case low == "", low == "i/o", low == "username/password", strings.HasPrefix(low, "status"),
		strings.HasPrefix(low, "code"):
		return word
	case strings.ContainsAny(low, "/@"), strings.Contains(low, "->"):
		return "…" + end
	case strings.Contains(low, ":"), strings.Contains(low, ".") && hostName().MatchString(low):
		return "…" + end
	case len(low) > 4 && strings.ContainsAny(low, "0123456789") && hexadecimal().MatchString(low):
		return "…" + end
	}
	return word
}

var (
	hostName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?[\w-]+(\.[\w-]+)+$`) })
	hexadecimal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]*\d[0-9a-f]*$`) })
	statusCode  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:status(?: ?code)?|http|code)\D{0,12}\b([45]\d\d)\b|\b([45]\d\d) [a-z]`)
	})
)

// httpStatus is the HTTP status that a message reports, or "".
func httpStatus(text string) string {
	m := statusCode().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// replaceWord replaces a subject where it stands as a word of its own. A bare
// word is left: an image may be called "denied".
func replaceWord(text, subject string) string {
	if !strings.ContainsAny(subject, "/:.@") {
		return text
	}
	inName := func(b byte) bool {
		return b == '-' || b == '_' || b == '.' || b == '/' || b == '@' ||
			b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	var b strings.Builder
	for {
		i := strings.Index(text, subject)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(subject)
		whole := (i == 0 || !inName(text[i-1])) && (end == len(text) || !inName(text[end]) || text[end] == '.')
		b.WriteString(text[:i])
		if whole {
			b.WriteString("…")
		} else {
			b.WriteString(subject)
		}
		text = text[end:]
	}
}
