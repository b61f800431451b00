package message

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// How much a message says.
const (
	SaysNothing   = iota // it is empty
	SaysThatOnly         // that something is so: "Triggers are not working correctly"
	SaysWhat             // with what: "2 of 3 replicas of db-0"
	SaysWhy              // what is wrong: "permission denied"
	SaysWhyOfWhat        // and with what: secrets "x" not found
)

// Weight is how much a message says. A condition that restates a fault weighs less than one, or an
// event, that names something missing or an error.
func Weight(text string) int {
	text = strings.TrimSpace(text)
	if text == "" {
		return SaysNothing
	}
	w := SaysThatOnly
	if isSpecific(text) {
		w++
	}
	low := quotedWords().ReplaceAllString(strings.ToLower(text), "")
	low = strings.ReplaceAll(low, "errored", "") // that something is so
	for _, say := range complaints {
		if strings.Contains(low, say) {
			return w + 2
		}
	}
	return w
}

// Bare reports whether a message only says which attempt failed, without a subject and
// without a reason: "ClusterFailure: Failed to configure ceph cluster"; or only where the reason
// stands: "At least one error present, see Errors for details".
func Bare(text string) bool { return bareFailure().MatchString(text) || elsewhere().MatchString(text) }

var (
	bareFailure = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^(?:[A-Z]\w+: )?(?i:failed to|failure to|unable to|could not|cannot|error) [a-zA-Z ]{3,60}\.?$`)
	})
	elsewhere = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)[,;.] (?:please )?(?:see|check) (?:the )?[a-z. ]{3,40}(?: for (?:more )?(?:details|information))\.?$`)
	})
)

// quotedWords are names: what one is called says nothing about it.
var quotedWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\"[^\" ]+\"|'[^' ]{4,}'|`[^` ]+`")
})

// complaints are the words of a reason rather than of a state.
var complaints = []string{
	"not found", "not present", "does not exist", "doesn't exist", "no such", "no matches for kind", "denied",
	"forbidden", "refused", "unauthorized", "unauthenticated", "not authorized", "not have permission",
	"timed out", "timeout", "deadline exceeded", "invalid", "exceed", "insufficient", "couldn't", "could not",
	"cannot ", "can't ", "can not ",
	"unable to", "failed to", "failure", "error", "missing", "required", "conflict", "already exists",
	"already in use", "in use by", "violat", "unsupported",
	"not supported", "not allowed", "owned by another", "disallowed", "not permitted", "must be", "must not",
	"unreachable",
	"has dependencies", "dependents", "no space", "mismatch", "does not match", "doesn't match",
	"unknown ", "expired", "no endpoints", "no values", "not receiving", "crash", "oomkilled", "backoff",
	"back-off", "x509", "certificate signed by", "maximum", "limit", "quota",
	"too long", "too large", "too many", "must have", "unexpected eof", ": eof", "blocked", "rejected",
	"immutable", "corrupt", "predicate", "wrong ", "not referenced", "not satisfied",
}

// failureWords are the words of what has been tried and has failed. The other complaints occur in what
// is only described, too: a limit, a timeout, what is required.
var failureWords = []string{
	"not found", "does not exist", "doesn't exist", "no such", "no matches for kind", "denied", "forbidden",
	"refused", "unauthorized", "timed out", "deadline exceeded", "failed to", "unable to", "could not", "couldn't",
	"cannot ", "can't ", "not allowed", "not permitted", "already exists", "rejected", "exceeded",
}

// ReportsFailure reports whether a text says, in a line of prose, that something has been tried and
// has failed. It is stricter than Weight: for a text whose place does not promise a reason.
func ReportsFailure(text string) bool {
	if strings.ContainsAny(text, "\n⏎") || assignments().MatchString(text) {
		return false
	}
	low := quotedWords().ReplaceAllString(strings.ToLower(text), "")
	return slices.ContainsFunc(failureWords, func(say string) bool { return strings.Contains(low, say) })
}

// assignments are settings, and no prose: max_connections=100 statement_timeout=30s.
var assignments = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*[\w.-]+\s*[=:]\s*\S+\s+[\w.-]+=`)
})

// isSpecific reports whether a text names something: a quoted word, a number, a name with a
// hyphen or a path.
func isSpecific(text string) bool {
	for w := range strings.FieldsSeq(text) {
		switch {
		case strings.ContainsAny(w, "\"'`") && len(w) > 3 && !strings.HasSuffix(w, "n't"),
			strings.ContainsAny(w, "=/[]{}"):
			return true
		case strings.ContainsAny(w, "0123456789") && len(w) > 1, strings.Contains(strings.Trim(w, "-"), "-"):
			return true
		}
		if isCamel(w) {
			return true
		}
	}
	return false
}

// isCamel reports whether a word is an identifier in camelCase: awsAccessKeyID.
func isCamel(w string) bool {
	w = strings.Trim(w, ".,:;()")
	lower := w != "" && w[0] >= 'a' && w[0] <= 'z'
	return lower && strings.ContainsFunc(w, func(r rune) bool { return r >= 'A' && r <= 'Z' })
}
