// Package logline finds the line of a log that says why its container ended.
package logline

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// The ranks of lines, lowest first: the last line of the highest rank decides.
const (
	traceLine   = iota - 1 // of a stack trace
	plainLine              // says nothing of a failure, or only that there was one
	failureLine            // mentions a failure
	fatalLine              // a panic or a fatal error
)

// Decisive returns the line of a log that says why its container ended: the last with a panic or
// fatal error, otherwise the last that mentions a failure, otherwise the last that is not empty.
// With these exceptions:
//
//   - Lines of a stack trace are skipped.
//   - A line that only says that the program ends, or which log has the reason, counts as little
//     as one without a failure. So do the entries of a list of possible reasons.
//   - A line that only sums up gives way to a line close to it that names a fault (see summarizes
//     and faultBeside).
//   - A line that only says that the program gave up gives way to an earlier one about a missing
//     permission, or about what could not be reached.
//
// The prefixes of loggers are removed. If the line holds a message of several lines, the decisive
// one of those is returned. The line is whole, up to MostOfLine: [message.Ends] shortens it for a
// title.
func Decisive(lines []string) string {
	bestLine, bestRank, bestIndex := "", traceLine, 0
	deniedLine, unreachableLine := "", ""
	gaveUp := false    // bestLine only says that the program gave up
	inGuesses := false // within a list of possible reasons
	for i, raw := range lines {
		line := strings.TrimSpace(raw)
		if line == "" {
			continue
		}
		lineRank := rankOf(raw, line)
		if inGuesses = guessesBegin().MatchString(line) || inGuesses && isGuess(raw, line); inGuesses {
			lineRank = min(lineRank, plainLine)
		}
		lower := strings.ToLower(line)
		switch {
		case lineRank < failureLine:
		case message.RemedyOf(line) == message.Permission:
			deniedLine = withoutAttempt(line)
		case message.FailureOf(line) == message.Unreachable && !message.RanOutOfTime(lower):
			unreachableLine = line
		}
		if lineRank >= bestRank && lineRank >= plainLine || bestLine == "" {
			bestLine, bestRank, bestIndex = line, lineRank, i
			gaveUp = message.RanOutOfTime(lower) || wording.HasAny(lower, "giving up", "gave up")
		}
	}
	switch {
	case gaveUp && deniedLine != "":
		bestLine = deniedLine
	case gaveUp && unreachableLine != "" && message.FailureOf(bestLine) == message.OtherFailure:
		bestLine = unreachableLine
	case bestRank >= failureLine:
		bestLine = cmp.Or(faultBeside(lines, bestIndex), bestLine)
	}
	text := strings.TrimSpace(messageOf(bestLine))
	if within := strings.Split(text, "\n"); len(within) > 1 && slices.ContainsFunc(within, Complains) {
		return Decisive(within)
	}
	return message.Clip(message.Line(withoutAttempt(withoutBullet(text))), MostOfLine)
}

// guessesBegin matches the line before a list of what the reason may be, as Open MPI writes it:
// "This usually is caused by:" (kubeflow/mpi-operator#424).
var guessesBegin = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)\b(?:(?:usually|often|probably|possibly|may be|might be|can be)\b.{0,30}\b(?:caused by|because|due to)|` +
			`(?:possible|common|potential|likely) (?:causes|reasons)\b.{0,30}):$`)
})

// isGuess reports whether a line belongs to such a list: an entry, or the rest of one.
func isGuess(raw, line string) bool {
	return strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "- ") || strings.HasPrefix(raw, " ")
}

// MostOfLine is how much of a line is kept, in bytes.
const MostOfLine = 1500

// rankOf is the rank of a line of a log.
func rankOf(raw, line string) int {
	low := strings.ToLower(line)
	switch {
	case stackLine(raw, line):
		return traceLine
	case wording.HasAny(low, pointsToLog...), onlyEnds().MatchString(low), advice().MatchString(line),
		singleField().MatchString(line), heading().MatchString(line):
		return plainLine
	case levelBelowWarning().MatchString(line): // msg="completed" error="<nil>"
		return plainLine
	case wording.HasAny(low, "panic:", "fatal"):
		return fatalLine
	case wording.HasAny(low, complaints...):
		return failureLine
	}
	return plainLine
}

// levelBelowWarning matches a line in whose logger's frame the level is below that of a warning.
var levelBelowWarning = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)(?:^|\s)level="?(?:info|debug|trace)"?(?:\s|$)|"(?:level|severity)": ?"(?:info|debug|trace)"`)
})

// pointsToLog are words of a line that says where the reason stands: "ERROR: Elasticsearch did not
// exit normally - check the logs at …" (elastic/cloud-on-k8s#2853).
var pointsToLog = []string{
	"check the log", "check log", "see the log", "see log",
	"refer to the log", "look at the log",
}

// advice matches a line that begins, behind a logger's frame, with where one may read on (npm,
// Quarkus, rake, SQLAlchemy).
var advice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:^(?:[A-Z]+:? )?\(?|[\])!] +)(?:For more (?:details|information)|If you need help|A complete log of this run|` +
			`See full trace|Background on this error|Please include the following file)\b`)
})

// singleField matches a line that is one field of an error, as .NET prints those of a database's:
// "Severity: FATAL", "Routine: auth_failed" (eclipse-tractusx/tractus-x-umbrella#273).
var singleField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:severity|level|status|state|sqlstate|code|routine|file|line): [\w.]+$`)
})

// heading matches a line between two rules, as scripts print them before a step and at their end:
// "---------- Job submission failed ----------" (spotify/flink-on-k8s-operator#280). A line with a
// reason behind a colon is an error that its program frames.
var heading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:-{3,}|={3,}|\*{3,}|#{3,}) [^-=*#:]+ (?:-{3,}|={3,}|\*{3,}|#{3,})$`)
})

// onlyEnds matches a line that says no more than that the program ends: "[ERROR] [MY-010119]
// [Server] Aborting" (percona/percona-xtradb-cluster-operator#1628).
var onlyEnds = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:^|[\]:] ?)(?:abort(?:ing|ed)?|exiting|shutting down|terminating|stopping)(?: now)?[.!]*$`)
})

// complaints are words that indicate a failure. The order of a container's two
// streams in its log is not reliable, so the last line alone is not enough.
var complaints = []string{
	"panic", "error", "exception", "denied", "refused", "no such", "cannot ", "can't ", "could not", "couldn't",
	"unable to", "failed", "failure",
	"unknown ", "invalid", "missing", "not found", "not set", "required", "unexpected", "undefined",
	"unsupported", "timed out", "timeout",
	"unauthorized", "forbidden", "not permitted", "not allowed", "no space left", "out of memory",
	"abort", "address already in use",
	// Node.js
	"getaddrinfo", "eai_again", "enotfound", "econnrefused", "econnreset", "etimedout", "eacces",
	"enoent", "eaddrinuse", "enospc",
}

// withoutAttempt leaves out what was attempted before what the API server forbids: the line
// is cut at its end, where who may not do what stands.
func withoutAttempt(line string) string {
	object, _, ok := strings.Cut(line, " is forbidden: User ")
	if i := strings.LastIndex(object, ": "); ok && i > 0 {
		return line[i+len(": "):]
	}
	return line
}

// withoutBullet is a line of a list without its mark.
func withoutBullet(line string) string {
	return strings.TrimPrefix(strings.TrimPrefix(line, "- "), "* ")
}

// Complains reports whether a line of a log mentions a failure.
func Complains(line string) bool {
	return wording.HasAny(strings.ToLower(line), complaints...) || strings.Contains(strings.ToLower(line), "fatal")
}

// stackLine reports whether a line belongs to a stack trace.
func stackLine(raw, line string) bool {
	line = strings.TrimPrefix(line, `"`) // of a list in JSON
	return strings.HasPrefix(raw, "\t") || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "goroutine ") ||
		strings.HasPrefix(line, "File \"") || strings.HasPrefix(line, "... ") || strings.HasPrefix(line, "panic(") ||
		strings.Contains(line, "] <0.") && erlangReport().MatchString(line)
}

// erlangReport matches a line of the report that Erlang's supervisors add to an error, which is
// indented.
var erlangReport = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\] <\d+\.\d+\.\d+> {2,}\S`) })

// stamped matches a logger's prefix: a time, with the level and the place in the source after it as
// TensorFlow writes them, or klog's header.
var stamped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:\[?\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}[.,\d]*(?:Z|[+-]\d{2}:?\d{2})?\]?(?:: [IWEF] \S{1,120}:\d+\]| [A-Z](?: \d+)+\](?: \(\w+\) \S{1,120}:\d+:)?)?|[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [^\]]{1,80}\])\s+`)
})

// leveled matches the level and the place in the source behind a time, and MySQL's thread, level, code and
// subsystem: "fatal\tVictoriaMetrics/app/vmalert/main.go:170\t", "0 [ERROR] [MY-010119] [Server] ".
var leveled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?i:fatal|panic|error|warn)\s+\S+\.go:\d+|` +
		`\d+ \[(?:ERROR|Warning|Note|System)\](?: \[[\w-]+\]){0,2})\s+`)
})

// messageOf removes a logger's frame from a line: a time, JSON, logfmt.
func messageOf(line string) string {
	if strings.HasPrefix(line, "{") {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil {
			text := func(keys ...string) string {
				for _, k := range keys {
					if s, ok := m[k].(string); ok && s != "" {
						return s
					}
				}
				return ""
			}
			msg, why := text("msg", "message", "log", "event"), text("error", "err", "exception", "reason")
			switch {
			case msg != "":
				return join(msg, why)
			case why != "":
				return why
			}
		}
		return line
	}
	msg := cmp.Or(logfmt(line, "msg"), logfmt(line, `"msg"`))
	why := cmp.Or(logfmt(line, "err"), logfmt(line, "error"), logfmt(line, `"error"`), logfmt(line, `"err"`))
	text := stamped().ReplaceAllString(line, "")
	if msg == "" && strings.HasPrefix(text, `"`) { // klog: "MESSAGE" err="ERROR" key="value"
		if q, err := strconv.QuotedPrefix(text); err == nil && keyAndValue().MatchString(text[len(q):]) {
			msg, _ = strconv.Unquote(q)
		}
	}
	if msg == "" && why != "" && keyAndValue().MatchString(" "+text) { // level=error ts=… err="ERROR"
		msg, why = why, ""
	}
	if msg != "" {
		return join(msg, why)
	}
	text = leveled().ReplaceAllString(text, "")
	if before, fields, ok := cutFields(text); ok { // zap: MESSAGE	{"controller": "a", "error": "ERROR"}
		if why, _ := fields["error"].(string); why != "" {
			return join(strings.TrimSpace(before), why)
		}
	}
	return text
}

// join is a message with its error, unless that only says that there is one.
func join(msg, why string) string {
	if why == "" || why == "error during command" || strings.Contains(msg, why) {
		return msg
	}
	return msg + ": " + why
}

// keyAndValue matches the first key of a line of key=value, behind a blank.
var keyAndValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ "?[a-zA-Z_.]+"?=`) })

// cutFields divides a line of zap's console from the fields in JSON that end it.
func cutFields(line string) (before string, fields map[string]any, ok bool) {
	i := strings.Index(line, `{"`)
	if i <= 0 || !strings.HasSuffix(line, "}") || json.Unmarshal([]byte(line[i:]), &fields) != nil {
		return line, nil, false
	}
	return line[:i], fields, true
}

// logfmt returns the value of a key in a line of key=value.
func logfmt(line, key string) string {
	_, rest, _ := strings.Cut(" "+line, " "+key+"=")
	if q, err := strconv.QuotedPrefix(rest); err == nil {
		s, _ := strconv.Unquote(q)
		return s
	}
	v, _, _ := strings.Cut(rest, " ")
	return v
}
