package message

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Short shortens a message to one line of about limit bytes: what is wrong, with the subject that
// the message names. The innermost clause of an error alone would often lose its subject ("must
// be no more than 63 bytes"). So the line keeps the field and the value, the webhook, or the quota,
// and may be longer by subjectExtra for that. A message that is short enough is kept, without its
// stack trace.
func Short(text string, limit int) string {
	text = plain(text)
	for _, parse := range subjectKeepers {
		if s, ok := parse(text); ok {
			return Clip(s, limit)
		}
	}
	if len(text) <= limit {
		return text
	}
	if s, ok := quota(text); ok {
		return Clip(s, limit+subjectExtra)
	}
	for _, parse := range []func(string) (string, bool){ownership, clauses, oneOfMany} {
		if s, ok := parse(text); ok && len(s) <= limit+subjectExtra {
			return s
		}
	}
	if s := innermost(text, limit+subjectExtra); len(s) >= leastClause {
		return clipSentences(s, limit+subjectExtra)
	}
	return Clip(lastSegments(text, limit), limit)
}

// lastSegments drops segments ("SEGMENT: SEGMENT") from the beginning of a wrapped error until the
// rest has at most limit bytes, or only a short segment would be left.
func lastSegments(text string, limit int) string {
	for len(text) > limit {
		_, rest, ok := strings.Cut(text, ": ")
		if !ok || len(rest) < leastClause {
			break
		}
		text = rest
	}
	return text
}

// subjectExtra is by how many bytes a line may be longer to keep its subject.
const subjectExtra = 60

// leastClause is the length in bytes from which on a clause says something by itself.
const leastClause = 24

// subjectKeepers parse messages that name their subject before the clause that says why.
var subjectKeepers = []func(string) (string, bool){fieldError, configValue, webhook, conversion, notAuthorized}

// Reason is the innermost clause of a message, with its subject. It is for a sentence that says
// itself what has failed, and quotes why.
func Reason(text string) string {
	text = plain(text)
	for _, parse := range append(subjectKeepers[:len(subjectKeepers):len(subjectKeepers)], quota) {
		if s, ok := parse(text); ok {
			return s
		}
	}
	return innermost(text, 160+subjectExtra)
}

// plain is a message in one line, without what surrounds its sentence: a stack trace, the JSON of
// an answer, quotes around a whole error, what a cloud adds for its support, lines that tell one
// what to read, the advice to a client that has lost a race (apimachinery v0.36, api/errors
// NewConflict).
func plain(text string) string {
	text = strings.ReplaceAll(Fold(withoutAdvice(WithoutLog(text))),
		"; please apply your changes to the latest version and try again", "")
	text = azureIDs(withoutSupport(
		vault(bodies(azureResponse(fabric8(withoutKind(unquoted(withoutKind(exception(text))))))))))
	// Kafka Connect's advice
	if before, _, ok := strings.Cut(text, " You can also find the above list of errors at the endpoint "); ok {
		text = before
	}
	text, _, _ = strings.Cut(text, " (extra info: {") // the whole request (microsoft/hcsshim v0.8)
	text = tektonGuess().ReplaceAllString(withoutPreemption(text), "")
	return emptyLabel().ReplaceAllString(text, "$1")
}

// withoutPreemption leaves out what the scheduler adds to why no node fits: that evicting others
// would not help either.
func withoutPreemption(text string) string {
	if i := strings.Index(text, " nodes are available: "); i >= 0 {
		if end := strings.Index(text[i:], " preemption: "); end >= 0 {
			text = strings.TrimSuffix(strings.TrimRight(text[:i+end], ", "), " no new claims to deallocate")
		}
	}
	return text
}

// tektonGuess is what Tekton suspects, whatever the error before it says (tektoncd/pipeline v1,
// pkg/reconciler/taskrun): "failed to create task run pod "x": ERROR. Maybe missing or invalid Task
// ns/name".
var tektonGuess = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.? Maybe (?:missing or )?invalid Task(?:Spec| \S+)\.?$`)
})

// withoutAdvice leaves out the lines of an output, behind its first, that say where one may read
// on: "See 'influx -h' for help", "Refer to the mount.cifs(8) manual page".
func withoutAdvice(text string) string {
	text = strings.ReplaceAll(text, "⏎", "\n")
	if !strings.Contains(text, "\n") {
		return text
	}
	kept, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		if !advice().MatchString(line) {
			kept += "\n" + line
		}
	}
	return kept
}

var advice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)^\s*(?:refer to (?:the )?\S+ manual|see '[^']+' for |run '[^']+' for |for more information|is the [a-z ]+ running\?)`)
})

// unquoted takes a wrapped error that ends a message out of its quotes: the kubelet's `failed to
// "KillPodSandbox" for "UID" with KillPodSandboxError: "ERROR"` (kubernetes v1.36,
// pkg/kubelet/container, sync_result.go), external-snapshotter's "failed to take snapshot of the
// volume v: "ERROR"" (v8, pkg/sidecar-controller), the output of a hook's command.
func unquoted(text string) string {
	for i := 0; ; {
		at := strings.Index(text[i:], `: "`)
		if at < 0 {
			return text
		}
		i += at + len(`: `)
		if s, err := strconv.Unquote(text[i:]); err == nil && strings.Contains(s, ": ") {
			return text[:i] + Fold(withoutAdvice(s))
		}
	}
}

// withoutKind leaves out the kind of an error that containerd puts behind it, where it says nothing
// or the same again (containerd/errdefs v1, errors.go): "stale NFS file handle: unknown".
func withoutKind(text string) string {
	before, last, ok := cutLast(text, ": ")
	if !ok || !strings.Contains(before, " ") {
		return text
	}
	switch last {
	case "unknown", "failed precondition":
		return before
	case "not found":
		if strings.HasSuffix(before, " not found") {
			return before
		}
	}
	return text
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// emptyLabel is what an error ends with that has no details: "summary: TEXT, detail: " (Terraform's
// diagnostics, as Config Connector and Crossplane's providers print them).
var emptyLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^.,;])[.,;]+ [a-z]+: ?$`) })

// WithoutLog is a message without the log that its writer has added (helm-controller until v0.37 in
// conditions, and in events until today: internal/action and reconcile).
func WithoutLog(text string) string {
	if before, _, _ := strings.Cut(text, "Last Helm logs:"); strings.TrimSpace(before) != "" {
		return before
	}
	return text
}

// vault makes a sentence of an error of Vault's API, whose lines have been folded (hashicorp/vault
// v1.20, api/response.go ResponseError.Error).
func vault(text string) string {
	return vaultErrors().ReplaceAllString(text, "$1: $2: ")
}

// fabric8 is the API's message in an error of Java's client for Kubernetes
// (fabric8io/kubernetes-client v7, OperationSupport.requestFailure), with which many operators are
// written:
//
//	Failure executing: GET at: https://…. Message: secrets "x" not found. Received status: Status(apiVersion=v1, …).
func fabric8(text string) string { return fabric8Errors().ReplaceAllString(text, "$1") }

var fabric8Errors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Failure executing: [A-Z]+ at: \S+ Message: (.*?)\.? Received status: Status\(.*\)\.?`)
})

var vaultErrors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`Error making API request\. URL: (\S+ \S+) Code: (\d+)\. (?:Errors|Raw Message): (?:\* )?`)
})

// Line makes one line of a message: white space folded, gRPC's wrapping and the recorder's prefix
// removed. Line breaks that object.Clean has marked stay.
func Line(s string) string {
	if strings.ContainsAny(s, "\n\r\t") || strings.Contains(s, "  ") || strings.TrimSpace(s) != s {
		s = strings.Join(strings.Fields(s), " ")
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

// Fold is Line without marked line breaks.
func Fold(s string) string { return Line(strings.ReplaceAll(s, "⏎", "\n")) }

// withoutSupport removes what AWS and Azure add to an error for their support: the request's ID,
// and the status beside the error's code (aws-sdk-go v1, awserr/types.go; aws-sdk-go-v2,
// transport/http/response_error.go; cloud-provider-azure v1.31, pkg/retry/azure_error.go;
// go-autorest v14, autorest/error.go, autorest/azure/azure.go).
func withoutSupport(text string) string {
	text = azureRetries().ReplaceAllString(text, "")
	text = autorest().ReplaceAllString(text, "")
	text = codeAndMessage().ReplaceAllString(text, "$1: $2")
	if i := strings.LastIndex(text, " status code: "); i > 0 && strings.Contains(text[i:], ", request id: ") {
		text = strings.TrimRight(text[:i], " ,")
	}
	if before, rest, ok := strings.Cut(text, "https response error StatusCode: "); ok {
		if _, after, ok := strings.Cut(rest, ", api error "); ok {
			text = strings.TrimRight(before, " ,") + ": " + after
		}
	}
	return text
}

var azureRetries = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:Retriable: (?:true|false), )(?:RetryAfter: \S+, )?(?:HTTPStatusCode: \d+, )?RawError: `)
})

var (
	autorest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?:Failure (?:sending|responding to) request: StatusCode=\d+ -- Original Error: )|(?:failed request: )?autorest/azure: Service returned an error\. Status=\S+ `)
	})
	codeAndMessage = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bCode="(\w+)" Message="((?:[^"\\]|\\.)*)"`)
	})
)

// fieldError reads a refusal by a validation (apimachinery v0.36, util/validation/field Error),
// wherever it stands in a message:
//
//	Kind "name" is invalid: field: Invalid value: "value": text
//	Kind "name" is invalid: [field: Required value: text, field: …]
//	… security context constraint: [spec.containers[0].x: Invalid value: true: text]
//	… security context constraint: [provider "a": Forbidden: text, provider b: .spec.x: Invalid value: true: text, …]
//
// The field, the value and the text are the subject; of several refusals the first is kept.
func fieldError(text string) (string, bool) {
	at := fieldErrors().FindStringSubmatchIndex(text)
	if at == nil {
		return "", false
	}
	field, kind, rest := text[at[2]:at[3]], text[at[4]:at[5]], text[at[1]:]
	if many := strings.LastIndexByte(text[:at[2]], '[') > strings.LastIndexByte(text[:at[2]], ']'); many {
		if next := fieldErrors().FindStringIndex(rest); next != nil {
			rest = strings.TrimRight(rest[:next[0]], " ,.")
			if i := strings.LastIndex(rest, ", provider "); i > 0 { // of OpenShift, before each field
				rest = rest[:i]
			}
		} else if i := strings.LastIndexByte(rest, ']'); i > 0 {
			rest = rest[:i]
		}
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, ":"), " ")
	switch kind {
	case "Invalid value", "Unsupported value":
		if value, why, ok := quoted(rest); ok && why != "" {
			return field + " " + Clip(value, 80) + ": " + why, true
		}
	case "Required value":
		return strings.TrimSuffix(field+" is required: "+rest, ": "), true
	}
	return field + ": " + strings.ToLower(kind) + ": " + rest, true
}

var fieldErrors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`([a-zA-Z][\w.\-]*(?:\[[^\]\s]*\][\w.\-]*)*): (Invalid value|Unsupported value|Duplicate value|Too long|Not found|Forbidden|Required value|Too many)(?:$|:|\])`)
})

// Invalid is the object that a validation refuses, "Kind name", or "" (apimachinery v0.36,
// api/errors NewInvalid). A custom resource's kind comes with its group. Who applies many objects
// at once needs it beside the field that Short returns.
func Invalid(text string) string {
	m := isInvalid().FindStringSubmatch(Fold(text))
	if m == nil {
		return ""
	}
	return m[1] + " " + m[2]
}

var isInvalid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b([A-Z]\w+)[\w.\-]* \\?"([^"\\ ]+)\\?" is invalid: `)
})

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

// configValue reads the refusal of a configuration by Kafka (kafka v4.0, common/config
// ConfigException):
//
//	Invalid value VALUE for configuration NAME: text
func configValue(text string) (string, bool) {
	m := configValues().FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return strings.TrimSuffix(m[2]+" "+Clip(m[1], 80)+": "+m[3], ": "), true
}

var configValues = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Invalid value (\S.*?) for configuration ([\w.\-]+)(?:: (.*))?$`)
})

// webhook reads a webhook that cannot be called, or that denies.
func webhook(text string) (string, bool) {
	if name, why, ok := WebhookDown(text); ok {
		return "webhook " + name + " cannot be called: " + why, true
	}
	if name, rest, ok := after(text, `admission webhook "`); ok {
		if _, why, ok := strings.Cut(rest, "denied the request: "); ok {
			return "webhook " + name + " denied it: " + why, true
		}
	}
	return "", false
}

// conversion reads a conversion webhook that cannot be called.
func conversion(text string) (string, bool) {
	kind, version, why, ok := ConversionDown(text)
	return "the conversion webhook of " + kind + " (" + version + ") cannot be called: " + why, ok
}

// notAuthorized reads what AWS answers to who lacks a permission (AWS IAM User Guide, "Troubleshoot
// access denied error messages"):
//
//	User: ARN is not authorized to perform: ACTION on resource: ARN because …
//
// The colons in it divide no clauses. Azure says first what is permitted
// (LinkedAuthorizationFailed):
//
//	The client 'C' with object id 'O' has permission to perform action 'A' on scope 'S'; however, it
//	does not have permission to perform action 'B' on the linked scope(s) 'L'
func notAuthorized(text string) (string, bool) {
	if may, why, ok := strings.Cut(text, "however"); ok {
		if who, _, ok := strings.Cut(may, " has permission to perform action "); ok {
			who, _, _ = strings.Cut(who, " with object id ")
			why = strings.TrimLeft(why, ", ")
			if rest, ok := strings.CutPrefix(why, "it "); ok {
				return who + " " + rest, true
			}
			return who + ": " + why, true
		}
	}
	const says = " is not authorized to perform: "
	who, what, ok := strings.Cut(text, says)
	if !ok {
		return "", false
	}
	if i := strings.LastIndex(who, "User: "); i >= 0 {
		who = who[i+len("User: "):]
	}
	what, _, _ = strings.Cut(what, " because ")
	return who + says + what, true
}

// WebhookDown reads a webhook that cannot be called, and why (kubernetes v1.36,
// apiserver/pkg/admission/plugin/webhook, errors and validating/dispatcher.go):
//
//	failed calling webhook "name": failed to call webhook: Post "URL": text
//	admission webhook "name" denied the request: text
func WebhookDown(text string) (name, why string, ok bool) {
	name, why, ok = after(Fold(text), `failed calling webhook "`)
	if i := strings.Index(why, ` "http`); i >= 0 {
		if _, after, quoted := strings.Cut(why[i+2:], `": `); quoted {
			why = after
		}
	}
	return name, strings.TrimPrefix(why, "failed to call webhook: "), ok
}

// Between returns the text between two marks, or "". Without a second mark it is the rest.
func Between(s, before, after string) string {
	_, s, ok := strings.Cut(s, before)
	if ok && after != "" {
		s, _, ok = strings.Cut(s, after)
	}
	if !ok {
		return ""
	}
	return s
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
// apiserver/pkg/admission/plugin/resourcequota). Its colons divide no clauses.
//
//	exceeded quota: NAME, requested: cpu=1, used: cpu=2, limited: cpu=2
//	failed quota: NAME: must specify limits.cpu for: CONTAINERS; limits.memory for: CONTAINERS
func quota(text string) (string, bool) {
	at := quotaRefuses().FindStringIndex(text)
	if at == nil {
		return "", false
	}
	return text[at[0]:], true
}

var quotaRefuses = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:exceeded|failed) quota: `) })

// ownership reads Helm's refusal to take over an object (helm v3.18, pkg/action/validate.go).
func ownership(text string) (string, bool) {
	object, why, ok := strings.Cut(text, " exists and cannot be imported into the current release: ")
	if !ok {
		return "", false
	}
	if i := strings.LastIndex(object, ": "); i >= 0 {
		object = object[i+2:]
	}
	if i := strings.LastIndex(why, "annotation validation error: "); i >= 0 {
		why = strings.TrimPrefix(why[i:], "annotation validation error: ")
	}
	return object + " exists and cannot be imported into the current release: " + why, true
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
	if len(last) < 12 || strings.HasPrefix(last, "got: ") ||
		Weight(last) < SaysWhy && slices.ContainsFunc(parts, func(p string) bool {
			return Weight(p) >= SaysWhyOfWhat
		}) {
		return "", false // see oneOfMany
	}
	return first + ": " + last, true
}

// oneOfMany reads a sentence of many clauses in no order, of which one says what is wrong: of those
// that weigh most the last (operator-framework's "constraints not satisfiable: A requires B, A
// exists, C exists and is not referenced by a subscription").
func oneOfMany(text string) (string, bool) {
	_, list, ok := strings.Cut(text, ": ")
	parts := splitClauses(list)
	if !ok || len(parts) < 3 {
		return "", false
	}
	best, least := parts[0], SaysWhyOfWhat
	for _, p := range parts {
		if Weight(p) >= Weight(best) {
			best = p
		}
		least = min(least, Weight(p))
	}
	if text, _, wraps := strings.Cut(best, ": "); wraps && !strings.HasPrefix(best[len(text)+2:], `"`) {
		return "", false // a comma within a wrapped error divides no clauses
	}
	return best, least < SaysWhy && Weight(best) >= SaysWhyOfWhat
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

// innermost is the last segment of a wrapped error, with the segments before it that say what it
// is about. Of errors that are joined in brackets the first is read.
func innermost(text string, most int) string {
	segments := splitSegments(text)
	if joined := segments[len(segments)-1]; len(segments) > 1 && strings.HasPrefix(joined, "[") &&
		strings.HasSuffix(joined, "]") && strings.Contains(joined, ": ") {
		return innermost(splitClauses(strings.TrimSuffix(joined[1:], "]"))[0], most)
	}
	out, last := clause(segments)
	for i := last - 1; i >= 0 && !names(out); i-- {
		longer := strings.Join(segments[i:last], ": ") + ": " + out
		if len(longer) > most || !isSubject(segments[i]) && !isPackage(segments[i]) {
			break
		}
		if isSubject(segments[i]) {
			out, last = longer, i
		}
	}
	if strings.Count(out, ")") > strings.Count(out, "(") {
		out = strings.TrimSuffix(out, ")") // "with error(CODE: text)"
	}
	out = attempted(segments[:last], out, most)
	return workingFile().ReplaceAllString(out, "$1: ")
}

// attempted adds to a connection that has failed, or took too long, for what it was made: the last
// segment that names what was to be got, or else what a dialled address belongs to.
//
//	Unable to fetch image "gcr.io/p/a": failed to resolve image to digest: Get "https://gcr.io/v2/": context deadline exceeded
//	client has run out of available brokers to talk to: read tcp 10.0.0.1:48->10.0.0.2:92: read: connection reset by peer
func attempted(before []string, out string, most int) string {
	if !containsAny(out, unreached) && !RanOutOfTime(out) || strings.HasPrefix(out, "lookup ") { // which names its host
		return out
	}
	for i, s := range slices.Backward(before) {
		owner := i == len(before)-1 && dialled().MatchString(out) && strings.Count(s, " ") >= 2
		if (owner || attempts().MatchString(s)) && len(s)+len(": ")+len(out) <= most {
			return s + ": " + out
		}
	}
	return out
}

var (
	dialled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:dial|read|write) (?:tcp|udp|unix)\d? `)
	})
	attempts = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:could not|cannot|failed to|unable to|error) [a-z ]+ "[^" ]*[/.\-][^" ]*"$`)
	})
)

// names reports whether a clause names its subject in quotes. A plain word in quotes may be a
// value instead: a tag, a phase.
func names(clause string) bool { return len(Objects(clause)) > 0 || quotedName().MatchString(clause) }

var quotedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^" ]*[^" a-z][^"]*"`) })

// workingFile is a file in a tool's working directory, of which the name alone says something.
var workingFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:open|stat|lstat) /tmp/(?:[^/ ]*/)*([^/ :]+): `)
})

// Clause is the last clause of a wrapped error alone, for a sentence that names the subject itself.
func Clause(text string) string {
	out, _ := clause(splitSegments(plain(text)))
	return out
}

// clause is the last segment, and its index. "Kind ns/name: not found" needs the segment before it.
func clause(segments []string) (string, int) {
	last := len(segments) - 1
	if last > 0 && strings.HasPrefix(segments[last], "see http") {
		last-- // where one may read on
	}
	out := segments[last]
	if last > 0 && (len(out) < 16 || !strings.Contains(out, " ") || count().MatchString(out) ||
		!strings.ContainsFunc(out, unicode.IsLetter)) {
		last--
		out = segments[last] + ": " + out
	}
	if last > 0 && ofServer().MatchString(out) {
		last--
		out = segments[last] + ": " + out
	}
	// "expected one, got: [a b]", "Invalid value for field 'size': '9'. Must be …"
	if last > 0 && (strings.HasPrefix(out, "[") || strings.HasPrefix(out, "'")) {
		last--
		out = segments[last] + ": " + out
	}
	return out, last
}

// count is a number that a sentence ends with: "limit reached. Number of volumes: 10. Ask for
// more", "Quota 'x' exceeded. Limit: 100.0 in region y".
var count = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+(?:[.,;)](?: |$)|\.\d+ )`) })

// ofServer is an answer of the API server that does not say what was requested (apimachinery v0.36,
// api/errors NewGenericServerResponse): "failed to fetch token: the server could not find the
// requested resource".
var ofServer = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^the server [a-z ]+$`) })

// splitSegments splits a wrapped error at ": ", outside of brackets and quotes. The refusal of a
// quota is one segment.
func splitSegments(text string) (out []string) {
	end := len(text)
	if strings.Contains(text, " quota: ") {
		if refusal, ok := quota(text); ok {
			end -= len(refusal)
		}
	}
	quotes := strings.Count(text, `"`)%2 == 0 // otherwise a message that has been cut
	depth, quote, from := 0, false, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' && quotes && (i == 0 || text[i-1] != '\\'):
			quote = !quote
		case quote:
		case c == '{' || c == '[':
			depth++
		case (c == '}' || c == ']') && depth > 0:
			depth--
		case c == ':' && depth == 0 && i < end && strings.HasPrefix(text[i:], ": "):
			out = append(out, text[from:i])
			from = i + 2
		}
	}
	return append(out, text[from:])
}

// isSubject reports whether a segment of a wrapped error says what the next one is about:
//
//	open /path, mkdirat /path, dial tcp 10.0.0.1:443, lookup host on 10.0.0.10:53   Go's os.PathError, net.OpError, net.DNSError
//	Get "https://host/path", Get http://host/path                    Go's url.Error
//	UnauthorizedOperation, InvalidKeyPair.NotFound                   the code of a cloud's error
//	GET https://host/v2/…, MANIFEST_UNKNOWN                          a registry's (google/go-containerregistry v0.20, transport/error.go)
//	error getting ClusterInformation                                 Calico's (projectcalico/calico v3.30, cni-plugin)
//	pods "web" is forbidden, … fulfilled on widgets.lab.io "w"       the API's errors (apimachinery, api/errors)
//	hcnCreateNetwork failed in Win32                                 a system call of Windows (microsoft/hcsshim v0.12)
//	could not recreate replica pod "a/db-2"                          what a controller attempted, with what
//	.status.terminatingReplicas                                       a field (structured-merge-diff v6, typed/validate.go)
//	invalid argument "x" for "--size" flag                           a command's (spf13/pflag v1)
//	mount error(13)                                                  cifs-utils' mount.cifs
func isSubject(segment string) bool { return subjects().MatchString(segment) }

var subjects = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`^(?:open|stat|lstat|mkdir|mkdirat|mknod|symlink|readlink|chdir|remove|rename|unlink|chmod|chown|fork/exec|exec|read|write|lookup|Get|Post|Put|Patch|Delete|Head|GET|HEAD) \S*["/.:\d]`,
		`^[A-Z]+(?:_[A-Z]+)+$`,
		`^error (?:getting|creating|updating|reading|listing) [A-Z]\w+$`,
		`^(?:dial|read|write) (?:tcp|udp|unix)\d? `,
		`^(?:[A-Z]+[a-z0-9]+){2,}(?:\.[A-Za-z]+)*$`,
		`(?:^| )[a-z]+s(?:\.[a-z0-9.\-]+)? "[^"]+"(?: is forbidden)?$`,
		`^[a-z]+(?:[A-Z][a-z]+)+ failed(?: in Win32)?$`,
		`^(?:could not|cannot|failed to|unable to) [a-z ]+ "[^" ]*[/.\-][^" ]*"$`,
		`^\.[a-zA-Z][\w.\[\]"=,-]*$`,
		`^invalid argument "[^"]*" for "[^"]*" flag$`,
		`^mount error ?\(\d+\)$`,
	}, "|"))
})

// isPackage reports whether a segment is only the name of the code that reports: "net/http",
// "x509".
func isPackage(segment string) bool {
	return segment != "" && strings.Trim(segment, "abcdefghijklmnopqrstuvwxyz0123456789/") == ""
}

// clipSentences cuts a text to whole sentences where that leaves most of it.
func clipSentences(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if i := strings.LastIndex(s[:n-len("…")], ". "); i >= n/3 {
		return s[:i+len(". ")] + "…"
	}
	return Clip(s, n)
}

// Clip cuts a text to at most n bytes, at a rune, and marks the cut.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)] + "…"
}
