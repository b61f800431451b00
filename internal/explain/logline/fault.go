package logline

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
)

// Lines that only sum up, and the line beside one that names what has gone wrong: a program that fails often
// reports the fault first, then what it attempted:
//
//	- Curl error (6): Couldn't resolve host name for https://cdn.redhat.com/…
//	Error: Failed to download metadata for repo 'a': All mirrors were tried

// summary is how much less a line says than the fault that it sums up.
type summary int

const (
	tellsItself  summary = iota // the line names a fault, or says something else that is particular
	missesOnly                  // it says that something was not found, which a download that failed may explain
	attemptsOnly                // it only says what was attempted
)

// summarizes judges the line of a log that mentions a failure last.
func summarizes(text string) summary {
	low := strings.ToLower(text)
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
	for len(links) > 1 && emptyEnd().MatchString(links[len(links)-1]) {
		links = links[:len(links)-1]
	}
	if attempt().MatchString(links[len(links)-1]) || emptyEnd().MatchString(links[len(links)-1]) {
		return attemptsOnly
	}
	return tellsItself
}

// Bounds of what is beside a line.
const (
	linesBeside = 6
	timeBeside  = 30 * time.Second
)

// faultBeside is the line next to one that only sums up which names the fault, or "": the closest before it, or a
// cause that is given behind it.
func faultBeside(lines []string, at int) string {
	says := summarizes(strings.TrimSpace(messageOf(strings.TrimSpace(lines[at]))))
	if says == tellsItself {
		return ""
	}
	for _, raw := range lines[at+1:] {
		if line := strings.TrimSpace(raw); isCause().MatchString(line) && explains(line, says) {
			return line
		}
	}
	when, dated := timeOf(lines[at])
	for i, near := at-1, 0; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if line == "" || stackLine(lines[i], line) {
			continue
		}
		then, also := timeOf(line)
		switch apart := when.Sub(then).Abs(); {
		case dated && also && apart > timeBeside:
			return ""
		case dated && also && apart <= time.Second: // of one burst, however long it is
		case near >= linesBeside:
			return ""
		}
		near++
		if explains(line, says) {
			return line
		}
	}
	return ""
}

// explains reports whether a line names a fault that explains one that only sums up.
func explains(line string, says summary) bool {
	if atEase().MatchString(line) || ofInfo().MatchString(line) {
		return false
	}
	text := messageOf(line)
	low := strings.ToLower(text)
	switch {
	case harmless().MatchString(low):
		return false
	case names(unreachable, low):
		return true
	case says == missesOnly, ofWarning().MatchString(line):
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
	"x509:", "certificate verify failed", "unknown authority", "certificate has expired",
	"self signed certificate", "self-signed certificate", "tls handshake",
	"tls: ", "ssl routines", "sslhandshakeexception", "pkix path",
}

// faults are the words of a system, or of a server, that refuses.
var faults = []string{
	"permission denied", "access denied", "accessdenied", "not permitted", "eacces", "eperm",
	"read-only file system", "no space left", "enospc", "quota exceeded",
	"no such file", "enoent", "not a directory", "is a directory", "address already in use", "eaddrinuse",
	"already locked", "locked by", "already running", "resource busy",
	"unauthorized", "authentication failed", "not authorized", "forbidden", "invalid credentials",
	"bad credentials", "authentication required",
	"does not exist", "nosuchbucket", "nosuchkey", "cannot allocate memory", "out of memory", "outofmemory",
	"too many open files", "exec format error",
	"input/output error", "no such device", "segmentation fault", "sigsegv",
}

// particular are the words of what is wrong with a configuration or an input.
var particular = []string{
	"unknown ", "invalid", "missing", "required", "unexpected", "undefined", "unsupported", "not supported",
	"not set", "must be", "must not", "mismatch", "incompatible",
	"not allowed", "corrupt", "already exists", "duplicate", "too low", "too large", "too small", "too many",
	"too old", "exceed", "not found",
}

// absences are the words of a tool that has nothing to choose from: a package manager whose lists could not be read.
var absences = []string{
	"could not find a version", "no matching distribution", "unable to locate package",
	"no installation candidate", "no such package", "unable to select packages",
	"no package ", "no match for argument", "unable to find a match", "nothing provides",
}

// gaveUp matches a line that says that attempts have ended.
var gaveUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:giving up|gave up|all (?:\S+ ){1,2}(?:were|have been) (?:tried|exhausted)|retries (?:exhausted|exceeded)|(?:max(?:imum)? )?(?:number of )?(?:retries|attempts) (?:exceeded|reached)|too many (?:retries|attempts))\b`)
})

// emptyEnd matches an error that names no reason: a command's status, the end of a stream.
var emptyEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:eof|unknown|unknown error|internal error|error|an error (?:has )?occurred|.{0,40}\bexit(?:ed)?(?: with)?(?: non-zero)?(?: status| code)*(?:: |:|=| )?\d+|error during command)$`)
})

// attempt matches what was attempted, without a reason. What could not be found or understood is a reason.
var attempt = sync.OnceValue(func() *regexp.Regexp {
	const verbs = `(?:start|initiali[sz]|init|load|list|get|creat|run|execut|connect|fetch|download|instal|updat|upgrad|build|setup|set up|configur|complet|process|read|writ|sync|launch|open|prepar|apply|migrat|backup|back up|restor|mount|perform|provision|register|deploy|bootstrap|boot|establish|obtain|retriev|check|verif|validat|acquir|communicat|reload|test|stop|join|serv|listen|handl|clon|pull|push|clean|generat|save|stor)`
	return regexp.MustCompile(`(?:\b(?:failed|failure|unable|not able) to |\b(?:could not|couldn't|cannot|can't|can not|fails? to) |\b(?:error|failure|problem|exception)s? (?:while |when |during |in |on |with |at )?(?:the )?)` + verbs +
		`[^;]*$|\b(?:failed|has failed|have failed|was unsuccessful|unsuccessfully|with (?:an )?errors?)$`)
})

// isCause matches a line that gives the cause of the one before it.
var isCause = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Caused by: |[\w.$]+(?:Exception|Error): )`)
})

// harmless matches a line about what is not needed.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:continuing|ignor(?:ed|ing)|skipp(?:ed|ing)|using (?:the )?default|fall(?:ing)? ?back|optional)\b`)
})

// ofWarning and ofInfo match a line whose level is that, as loggers write it.
var (
	ofWarning = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^W\d{4} |^(?:\S+ ){0,3}\[?(?i:warn|warning)\]?:?\s|(?i:level|lvl|severity)"?[=:] ?"?(?i:warn)`)
	})
	ofInfo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^I\d{4} |^(?:\S+ ){0,3}\[?(?:INFO|DEBUG|TRACE)\]?:?\s|(?i:level|lvl|severity)"?[=:] ?"?(?i:info|debug|trace)`)
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

var timeOfDay = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[T \[])(\d{2}:\d{2}:\d{2})(?:\D|$)`) })
