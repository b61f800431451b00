package logline

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
)

// Lines that only sum up, and the line beside one that names what has gone wrong: a program that
// fails often reports the fault first, then what it attempted:
//
//	- Curl error (6): Couldn't resolve host name for https://cdn.redhat.com/…
//	Error: Failed to download metadata for repo 'a': All mirrors were tried

// summary is how much less a line says than the fault that it sums up.
type summary int

const (
	tellsItself  summary = iota // the line names a fault, or says something else that is particular
	missesOnly                  // it says that something was not found, which a download that failed may explain
	attemptsOnly                // it only says what was attempted
	statusOnly                  // it says with which status a command has ended, whose output stands before it
)

// summarizes judges the line of a log that mentions a failure last.
func summarizes(text string) summary {
	low := readOn().ReplaceAllString(strings.ToLower(text), "$1")
	switch {
	case names(unreachable, low), names(faults, low):
		return tellsItself
	case wording.HasAny(low, absences...):
		return missesOnly
	case names(particular, low):
		return tellsItself
	case gaveUp().MatchString(low):
		return attemptsOnly
	}
	links := strings.Split(strings.TrimRight(low, " .!:"), ": ")
	says := attemptsOnly
	for len(links) > 1 && emptyEnd().MatchString(links[len(links)-1]) {
		links, says = links[:len(links)-1], statusOnly
	}
	last := links[len(links)-1]
	if len(links) > 1 && !strings.Contains(last, " ") {
		last = links[len(links)-2] + ": " + last // "error initialising module: compactor"
	}
	switch {
	case emptyEnd().MatchString(last):
		return statusOnly
	case attempt().MatchString(last):
		return says
	}
	return tellsItself
}

// Bounds of what is beside a line.
const (
	linesBeside = 6
	timeBeside  = 30 * time.Second
)

// faultBeside is the line next to one that only sums up which names the fault, or "": the closest
// before it, or a cause that is given behind it. If none has words for a fault, it is the first of
// a burst.
func faultBeside(lines []string, at int) string {
	says := summarizes(strings.TrimSpace(messageOf(strings.TrimSpace(lines[at]))))
	if says == tellsItself {
		return ""
	}
	if says != missesOnly {
		if cause := causeBehind(lines[at+1:]); cause != "" {
			return cause
		}
	}
	when, dated := timeOf(lines[at])
	for i, near := at-1, 0; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if line == "" || stackLine(lines[i], line) {
			continue
		}
		if takesBack().MatchString(line) {
			return firstOfBurst(lines, at, says) // what failed before it works now
		}
		then, also := timeOf(line)
		switch apart := when.Sub(then).Abs(); {
		case dated && also && apart > timeBeside:
			return firstOfBurst(lines, at, says)
		case dated && also && apart <= time.Second: // of one burst, however long it is
		case near >= linesBeside:
			return firstOfBurst(lines, at, says)
		}
		near++
		if explains(line, says) {
			return line
		}
	}
	return firstOfBurst(lines, at, says)
}

// takesBack matches a line that says that something works.
var takesBack = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)(?:^|[\s:])(?:(?:re)?connected to|connection (?:was |has been |is )?(?:re-?)?established|recovered|succeeded)\b`)
})

// causeBehind is the innermost cause in the stack trace that follows a line, or "".
func causeBehind(lines []string) (cause string) {
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		switch {
		case isCause().MatchString(line) && summarizes(line) == tellsItself:
			cause = line
		case !isCause().MatchString(line) && !stackLine(raw, line):
			return cause
		}
	}
	return cause
}

// firstOfBurst is the line that begins the errors which end with one that only sums up, or "": what
// a program reports in one moment is the consequence of what it reports first. Each line has a
// level, and the same second.
func firstOfBurst(lines []string, at int, says summary) (first string) {
	when, dated := timeOf(lines[at])
	if !dated || says == missesOnly {
		return ""
	}
	for i := at - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if line == "" || stackLine(lines[i], line) {
			continue
		}
		if then, also := timeOf(line); !also || when.Sub(then).Abs() > time.Second || !ofError().MatchString(line) {
			break
		}
		if summarizes(messageOf(line)) == tellsItself {
			first = line
		}
	}
	return first
}

// explains reports whether a line names a fault that explains one that only sums up.
func explains(line string, says summary) bool {
	if levelBelowWarning().MatchString(line) || ofInfo().MatchString(line) {
		return false
	}
	text := messageOf(line)
	low := strings.ToLower(text)
	switch {
	case harmless().MatchString(low):
		return false
	case names(unreachable, low):
		return true
	case says == missesOnly, says != statusOnly && ofWarning().MatchString(line):
		return false
	}
	return names(faults, low) || names(particular, low) && summarizes(text) == tellsItself
}

func names(phrases []string, low string) bool { return wording.HasAny(low, phrases...) }

// unreachable are the words for what cannot be reached: of a resolver, a connection, TLS.
var unreachable = []string{
	"resolve host", "resolve the host", "resolving host", "no such host", "name or service not known",
	"name resolution", "nodename nor servname",
	"failure resolving", "unknownhostexception", "enotfound", "eai_again", "getaddrinfo", "host not found",
	"translate host name", "server misbehaving",
	"connection refused", "econnrefused", "connection reset", "econnreset", "no route to host", "ehostunreach",
	"network is unreachable", "enetunreach",
	"i/o timeout", "connection timed out", "connect timed out", "etimedout", "could not connect to",
	"establish connection", "establish a connection", "failed to connect to", "unable to connect to",
	"x509:", "certificate verify failed", "unknown authority", "certificate has expired",
	"self signed certificate", "self-signed certificate", "tls handshake",
	"tls: ", "ssl routines", "sslhandshakeexception", "pkix path",
	"temporary error (try again later)", // apk
}

// faults are the words of a system, or of a server, that refuses.
var faults = []string{
	"manifest unknown", "manifest_unknown", // a registry's code for an image or chart that it does not have
	"permission denied", "access denied", "accessdenied", "not permitted", "eacces", "eperm",
	"read-only file system", "no space left", "enospc", "quota exceeded",
	"no such file", "enoent", "not a directory", "is a directory", "address already in use", "eaddrinuse",
	"already locked", "locked by", "already running", "resource busy",
	"unauthorized", "authentication failed", "not authorized", "forbidden", "invalid credentials",
	"bad credentials", "authentication required",
	"does not exist", "nosuchbucket", "nosuchkey", "cannot allocate memory", "out of memory", "outofmemory",
	"too many open files", "exec format error",
	"input/output error", "no such device", "file exists", "segmentation fault", "sigsegv",
}

// particular are the words of what is wrong with a configuration or an input.
var particular = []string{
	"unknown ", "invalid", "missing", "required", "unexpected", "undefined", "unsupported", "not supported",
	"not set", "must be", "must not", "mismatch", "incompatible",
	"not allowed", "corrupt", "already exists", "duplicate", "too low", "too large", "too small", "too many",
	"too old", "exceed", "not found",
}

// absences are the words of a tool that has nothing to choose from: a package manager whose lists
// could not be read.
var absences = []string{
	"could not find a version", "no matching distribution", "unable to locate package",
	"no installation candidate", "no such package", "unable to select packages",
	"no package ", "no match for argument", "unable to find a match", "nothing provides",
	"unsatisfiable constraints", "required by: world[", // apk
	"not a git repository", "not in a git directory",
}

// readOn matches what a line adds about where to read on: "Installation of system tables failed! Examine the logs in".
var readOn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([.!]) +(?:please )?(?:examine|see|check|consult|refer to|look at) .*$`)
})

// gaveUp matches a line that says that attempts have ended.
var gaveUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + strings.Join([]string{
		`giving up`, `gave up`, `all (?:\S+ ){1,2}(?:were|have been) (?:tried|exhausted)`,
		`retries (?:exhausted|exceeded)`,
		`(?:number of )?(?:retries|attempts) (?:exceeded|reached)`, `too many (?:retries|attempts)`,
	}, "|") + `)\b`)
})

// emptyEnd matches an error that names no reason: a command's status, the end of a stream.
var emptyEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		`-?\d+`, `eof`, `unknown`, `(?:unknown |internal |generic )?error`,
		`an error (?:has )?occurred`, `error during command`,
		`.{0,40}\bexit(?:ed)?(?: with)?(?: non-zero)?(?: status| code)*(?:: |:|=| )?\d+`,
	}, "|") + `)$`)
})

// attempt matches what was attempted, without a reason. What could not be found or understood is a
// reason.
var attempt = sync.OnceValue(func() *regexp.Regexp {
	verbs := `(?:` + strings.Join(
		strings.Fields(`start initiali[sz] init load list get creat run execut connect fetch download instal updat upgrad
		build setup set.up configur complet process read writ sync launch open prepar apply migrat backup back.up restor mount perform
		provision register deploy bootstrap boot establish obtain retriev check verif validat acquir communicat reload test stop join serv
		listen handl clon pull push clean generat save stor`), "|") + `)`
	return regexp.MustCompile(strings.Join([]string{
		`(?:\b(?:failed|failure|unable|not able|fails?) to |\b(?:could not|couldn't|cannot|can't|can not) )(?:\w+ly )?` + verbs + `[^;]*$`,
		`\b(?:error|failure|problem|exception)s? (?:while |when |during |in |on |with |at )?(?:the )?` + verbs +
			`[^;]*$`,
		`\b(?:error|failure|problem|exception) (?:while|when|during) (?:the )?\w+$`,
		`\berrors? (?:during|while|in|at) (?:\S+ ){0,3}(?:start-?up|initiali[sz]ation|shutdown|boot|migration|deployment|execution)\b[^:;]*$`,
		`\b(?:failed|was unsuccessful|unsuccessfully|(?:with|returned|contains|has) (?:an )?errors?(?:, aborting)?|with error generic error)$`,
	}, "|"))
})

// isCause matches a line that gives the cause of the one before it.
var isCause = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Caused by: |[\w.$]+(?:Exception|Error): )`)
})

// harmless matches a line about what is not needed.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`\b(?:continuing|ignor(?:ed|ing)|skipp(?:ed|ing)|using (?:the )?default|fall(?:ing)? ?back|optional)\b`)
})

// ofWarning, ofError and ofInfo match a line whose level is that, as loggers write it.
var (
	ofWarning = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^W\d{4} |^(?:\S+ ){0,3}\[?(?i:warn|warning)\]?:?\s|(?i:level|lvl|severity)"?[=:] ?"?(?i:warn)`)
	})
	ofError = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^[EF]\d{4} |^(?:\S+ ){0,3}\[?(?i:error|fatal|severe|critical)\]?:?\s|(?i:level|lvl|severity)"?[=:] ?"?(?i:error|fatal)`)
	})
	ofInfo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`^I\d{4} |^(?:\S+ ){0,3}\[?(?:INFO|DEBUG|TRACE)\]?:?\s|(?i:level|lvl|severity)"?[=:] ?"?(?i:info|debug|trace)`)
	})
)

// timeOf is the time of day that a line begins with, if it has one.
func timeOf(line string) (time.Time, bool) {
	m := timeOfDay().FindStringSubmatch(line[:min(len(line), 60)])
	if m == nil {
		return time.Time{}, false
	}
	t, err := time.Parse(time.TimeOnly, m[1])
	return t, err == nil
}

var timeOfDay = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[T \[])(\d{2}:\d{2}:\d{2})(?:\D|$)`)
})
