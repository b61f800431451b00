package explain

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a container said, in its termination message or its log.

// words are what a container said before it ended. Logged says that they come
// from its log, unseen why that cannot be read.
type words struct {
	line   string
	logged bool
	unseen string
}

// lastWords is what a container said before it ended: its termination message,
// which is there already, or else the decisive line of its log.
func (l *look) lastWords(c *object.Container, t *object.ContainerState) words {
	if m := strings.TrimSpace(t.Message); m != "" && !unread(m) {
		return words{line: decisive(m)}
	}
	return l.logLine(l.o.ID, c.Name)
}

// unread reports whether a termination message is not the container's, but the
// kubelet's word that it could not read one.
func unread(m string) bool { return strings.HasPrefix(m, "Error on reading termination ") }

// logLine is the decisive line of a container's log, as far as it has been read.
func (l *look) logLine(pod object.ID, container string) words {
	if l.s.LogLine == nil {
		return words{logged: true}
	}
	line, unseen, fresh := l.s.LogLine(pod, container)
	if !fresh {
		l.need(Need{ID: pod, Log: container})
	}
	return words{line: clip(headline(line), 160), logged: true, unseen: unseen}
}

// decisive picks of several lines the one that says why it ended.
func decisive(text string) string {
	// Decoding has made line breaks visible; see object.Clean.
	return Decisive(strings.Split(strings.ReplaceAll(text, "⏎", "\n"), "\n"))
}

// Decisive picks the line of a container's log that says why it ended: the last
// that tells of a panic or a fatal error, else the last that names a failure,
// else the last that is not empty. Lines of a stack are none. What loggers put
// before their message is taken off.
func Decisive(lines []string) string {
	best, rank := "", -1
	for _, raw := range lines {
		line := strings.TrimSpace(raw)
		if line == "" {
			continue
		}
		r := 0
		low := strings.ToLower(line)
		switch {
		case stackLine(raw, line):
			r = -1
		case hasAny(low, "panic:", "fatal"):
			r = 2
		case hasAny(low, complaints...):
			r = 1
		}
		if r >= rank && r >= 0 || best == "" {
			best, rank = line, r
		}
	}
	return clip(headline(message(best)), 160)
}

// complaints are words of lines that tell of a failure. The two streams of a
// container may reach its log in another order than they were written in, so the
// last line alone says little.
var complaints = []string{
	"panic", "error", "exception", "denied", "refused", "no such", "cannot ", "can't ", "could not", "couldn't", "unable to", "failed", "failure",
	"unknown ", "invalid", "missing", "not found", "not set", "required", "unexpected", "undefined", "unsupported", "timed out", "timeout",
	"unauthorized", "forbidden", "not permitted", "not allowed", "no space left", "out of memory", "abort", "address already in use",
}

// stackLine reports whether a line belongs to a stack trace.
func stackLine(raw, line string) bool {
	return strings.HasPrefix(raw, "\t") || strings.HasPrefix(line, "at ") || strings.HasPrefix(line, "goroutine ") ||
		strings.HasPrefix(line, "File \"") || strings.HasPrefix(line, "... ") || strings.HasPrefix(line, "panic(")
}

// stamped is what loggers write before a message: a time, or klog's header.
var stamped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\[?\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}[.,\d]*(?:Z|[+-]\d{2}:?\d{2})?\]?|[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [^\]]{1,80}\])\s+`)
})

// message takes a logger's frame off a line: a time, JSON, logfmt.
func message(line string) string {
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
			case msg != "" && why != "" && !strings.Contains(msg, why):
				return msg + ": " + why
			case msg+why != "":
				return cmp.Or(msg, why)
			}
		}
		return line
	}
	if i := strings.Index(line, "msg="); i >= 0 && (i == 0 || line[i-1] == ' ') {
		msg, why := logfmt(line, "msg="), cmp.Or(logfmt(line, "err="), logfmt(line, "error="))
		if msg != "" && why != "" {
			return msg + ": " + why
		}
		return cmp.Or(msg, line)
	}
	return stamped().ReplaceAllString(line, "")
}

// logfmt is the value of one key of a line of key=value.
func logfmt(line, key string) string {
	i := strings.Index(" "+line, " "+key)
	if i < 0 {
		return ""
	}
	rest := line[i+len(key):]
	if strings.HasPrefix(rest, `"`) {
		if q, err := strconv.QuotedPrefix(rest); err == nil {
			s, _ := strconv.Unquote(q)
			return s
		}
		return ""
	}
	v, _, _ := strings.Cut(rest, " ")
	return v
}

// backOff adds the moment of the next restart.
func (l *look) backOff(f *Finding, c *object.Container) {
	if c.State.Reason != "CrashLoopBackOff" || c.Last().Finished.IsZero() {
		return
	}
	d, err := time.ParseDuration(between(c.State.Message, "back-off ", " "))
	if err != nil {
		return
	}
	f.Until, f.UntilWhat = c.Last().Finished.Add(d), "next restart"
}
