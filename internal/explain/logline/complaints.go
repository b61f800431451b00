package logline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// Line is a line of a log.
type Line struct {
	At   time.Time // zero if it has no time
	Text string
}

// Complaint is what a log says of an object that its program works on: an error or a warning, or
// that the object has been dealt with.
type Complaint struct {
	At      time.Time // zero if the line has no time
	Says    string    // the message and its error, without the logger's frame
	Success bool      // it is no complaint: see succeeds
	By      string    // the logger or controller within the program
	Fields  []Field   // of a structured line, sorted by key
	text    string    // the message and its error, as they are written
	line    string    // the whole line
}

// Field is a key and its value in a structured line. Keys are in lower case; those of an object in
// an object are joined by a dot.
type Field struct{ Key, Value string }

// mostComplaints bounds the complaints of a log: the newest are kept.
const mostComplaints = 300

// Complaints are the lines of a log of level error or warning. A line without a level counts if its
// words say why something fails. now gives a year to times without one.
func Complaints(lines []Line, now time.Time) (out []Complaint) {
	for i := range lines {
		text := strings.TrimSpace(strings.ReplaceAll(lines[i].Text, "\t", " "))
		if text == "" || stackLine(lines[i].Text, text) {
			continue
		}
		fields := fieldsOf(text)
		how := levelOf(text, fields)
		msg, why := parts(text, fields)
		says := message.Clip(message.Line(joinError(msg, why)), MostOfLine)
		c := Complaint{
			Says: says, Fields: fields, By: valueOf(fields, "logger", "controller"),
			text: msg + " " + why + " " + bracketed().FindString(text), line: text,
		}
		switch {
		case says == "" || passing().MatchString(says):
			continue
		case how == infoLevel:
			if c.Success = succeeds().MatchString(says); !c.Success {
				continue
			}
		case how == unknownLevel && (!Complains(says) || message.Weight(says) < message.SaysWhy):
			continue
		}
		cause := ""
		if !c.Success {
			cause = causeBelow(lines[i+1:])
		}
		switch {
		case cause != "" && !strings.Contains(c.Says, cause):
			c.Says = message.Clip(strings.TrimRight(c.Says, ".")+": "+cause, MostOfLine)
		case onlyFails().MatchString(c.Says) && !c.Success:
			continue
		}
		if c.At = lines[i].At; c.At.IsZero() {
			c.At = momentOf(text, fields, now)
		}
		out = append(out, c)
	}
	return out[max(0, len(out)-mostComplaints):]
}

// bracketed matches an object in brackets: "[shop/db] message".
var bracketed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[\w.-]+/[\w.-]+\]`) })

// passing matches what controllers log in ordinary operation: another writer was faster, or the
// program ends.
var passing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`the object has been modified|please apply your changes to the latest version|` +
		`context canceled|StorageError: invalid object, Code: 4`)
})

// succeeds matches a line that reports that an object has been dealt with.
var succeeds = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:success(?:ful|fully)?|succeeded|reconciled|recovered|is ready|became ready)\b`)
})

// The levels of lines.
type level int

const (
	unknownLevel level = iota
	infoLevel
	warningLevel
	errorLevel
)

// levelOf is the level of a line: of a field, or where loggers write it.
func levelOf(text string, fields []Field) level {
	if v := valueOf(fields, "level", "severity", "lvl", "@level", "log.level", "loglevel"); v != "" {
		if n, err := strconv.Atoi(v); err == nil && n >= 10 { // pino, bunyan
			return [...]level{infoLevel, infoLevel, infoLevel, infoLevel, warningLevel, errorLevel, errorLevel}[min(n/10, 6)]
		}
		return levelNamed(v)
	}
	if m := klogHeader().FindStringSubmatch(text); m != nil {
		return levelNamed(m[1])
	}
	if m := levelWord().FindStringSubmatch(text[:min(len(text), 160)]); m != nil {
		return levelNamed(m[1])
	}
	return unknownLevel
}

func levelNamed(word string) level {
	switch low := strings.ToLower(word); {
	case wording.HasAny(low, "warn", "wrn") || low == "w":
		return warningLevel
	case strings.HasPrefix(low, "e") || strings.HasPrefix(low, "f") ||
		wording.HasAny(low, "panic", "crit", "severe", "alert"):
		return errorLevel
	}
	return infoLevel
}

var klogHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([IWEF])\d{4} \d{2}:\d{2}:\d{2}\.\d+ `)
})

// levels are the words for levels.
const levels = `(?i:trace|debug|dbg|info|inf|notice|warning|warn|wrn|error|erro|err|dpanic|panic|fatal|critical|severe)`

// levelWord matches a level at the beginning of a line, behind its time, the thread and the logger:
//
//	error controller-runtime.controller Reconciler error
//	2024-01-01 00:00:00,000 [main] ERROR Reconciler:260 - …
//	[2024-01-01 00:00:00,000] kopf.objects [ERROR ] [shop/db] …
var levelWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(?:\[?[\dT:.,/+\-]{8,}Z?\]? ?(?:[AP]M )?){0,2}(?:\S+ +){0,2}?\[?\b(` + levels + `)\b ?(?: *\]|:| |$)`)
})

// fieldsOf are the fields of a line in JSON, in key=value, or in JSON at its end.
func fieldsOf(text string) (fields []Field) {
	var object map[string]any
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &object) == nil {
		return flatten(nil, "", object, 0)
	}
	if _, object, ok := cutFields(text); ok {
		return flatten(nil, "", object, 0)
	}
	for at := 0; ; {
		m := keyOfField().FindStringSubmatchIndex(text[at:])
		if m == nil {
			return fields
		}
		key, rest := strings.ToLower(text[at+m[2]:at+m[3]]), text[at+m[1]:]
		value, read := "", 0
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			value, _ = strconv.Unquote(quoted)
			read = len(quoted)
		} else {
			value, _, _ = strings.Cut(rest, " ")
			read = len(value)
		}
		object = nil
		if strings.HasPrefix(value, "{") && json.Unmarshal([]byte(value), &object) == nil {
			fields = flatten(fields, key+".", object, 1)
		} else if len(fields) < mostFields {
			fields = append(fields, Field{key, strings.TrimRight(value, ",;)]")})
		}
		at += m[1] + read
	}
}

// mostFields bounds the fields of a line.
const mostFields = 64

var keyOfField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[ ,({\[])"?([A-Za-z_@][\w.@/\-]{0,60})"?=`)
})

func flatten(fields []Field, prefix string, object map[string]any, depth int) []Field {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if len(fields) >= mostFields {
			return fields
		}
		switch v := object[key].(type) {
		case string:
			fields = append(fields, Field{prefix + strings.ToLower(key), v})
		case float64:
			fields = append(fields, Field{prefix + strings.ToLower(key), strconv.FormatFloat(v, 'f', -1, 64)})
		case map[string]any:
			if depth < 2 {
				fields = flatten(fields, prefix+strings.ToLower(key)+".", v, depth+1)
			}
		}
	}
	return fields
}

// valueOf is the value of the first of some keys that a line has.
func valueOf(fields []Field, keys ...string) string {
	for _, key := range keys {
		for _, f := range fields {
			if f.Key == key && f.Value != "" {
				return f.Value
			}
		}
	}
	return ""
}

// parts are the message of a line, without its logger's frame, and its error.
func parts(text string, fields []Field) (msg, why string) {
	why = valueOf(fields, "error", "err", "exception", "error.message", "err.message", "error.msg", "cause")
	if strings.HasPrefix(text, "{") && fields != nil {
		return valueOf(fields, "msg", "message", "@message", "log", "event", "text"), why
	}
	if msg = valueOf(fields, "msg", "message"); msg != "" {
		return msg, why
	}
	header := klogHeader().MatchString(text)
	if text = stamped().ReplaceAllString(text, ""); !header {
		text = frame().ReplaceAllString(text, "")
	}
	if strings.HasPrefix(text, `"`) { // klog: "MESSAGE" err="ERROR" key="value"
		if q, err := strconv.QuotedPrefix(text); err == nil {
			msg, _ = strconv.Unquote(q)
			return msg, why
		}
	}
	if before, _, ok := cutFields(text); ok { // zap: LOGGER MESSAGE {"controller": "a", "error": "ERROR"}
		return strings.TrimSpace(before), why
	}
	if why != "" {
		if at := strings.Index(text, "="); at > 0 && keyAndValue().MatchString(" "+text) {
			return why, ""
		}
		for _, key := range [...]string{" error=", " err=", ` "error"=`, ` "err"=`} {
			text, _, _ = strings.Cut(text, key)
		}
	}
	return text, why
}

// frame matches what stands before a message behind its time: the level, the thread, and a logger or
// a place in the source.
//
//	error controller-runtime.controller Reconciler error
//	[main] ERROR Reconciler:260 - message
//	kopf.objects [ERROR ] [shop/db] message
var frame = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\[[\w .:#-]+\] )?(?:[\w.-]+ +)?\[?` + levels + ` *\]?:? +` +
		`(?:\[[^\] ]+\] |[\w.-]+(?:Reconciler|Controller) +|\[?[\w./-]+:\d+\]? (?:- )?|[\w-]+(?:[./][\w-]+)+ ){0,2}`)
})

// joinError is a message with its error. A message that only says that there is one is left out.
func joinError(msg, why string) string {
	msg = ofObject().ReplaceAllString(strings.TrimSpace(msg), "")
	if why != "" && onlyFails().MatchString(msg) {
		return why
	}
	return join(cmp.Or(msg, why), why)
}

// ofObject matches the object before a message: "Reconciliation #1(timer) Database(shop/db): message".
var ofObject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\S+ ){0,3}\w+\([\w.-]+/[\w.-]+\): `)
})

// onlyFails matches messages that say no more than that working on an object has failed.
var onlyFails = sync.OnceValue(func() *regexp.Regexp {
	work := `(?:sync|reconcil|process|handl|queue|requeue|item|key|request|object|resource|work)\w*`
	return regexp.MustCompile(`(?i)^(?:unhandled error|` +
		`(?:an )?(?:error|errors|failed|failure|unable|could not|cannot|problem)(?: (?:to|while|when|during|in|of))?` +
		`(?: (?:the|an?|` + work + `)){1,4}(?: \S+)?|` +
		work + `(?: ` + work + `)?:? (?:has |with )?(?:an )?(?:errors?|failed|failure|exception)(?:[,;] .{0,30})?|` +
		`re-?queu\w+ .{0,20}due to (?:an )?error(?: \w+)?)(?:, (?:will )?(?:retry|requeu)\w*)?[.:!]*$`)
})

// causeBelow is the cause that stands below a complaint: of a stack trace in Python the exception, in
// Java the last "Caused by".
func causeBelow(lines []Line) (cause string) {
	python := false
	for i := range lines[:min(len(lines), 80)] {
		raw := lines[i].Text
		text := strings.TrimSpace(raw)
		switch {
		case text == "" || stackLine(raw, text) || strings.HasPrefix(raw, " "):
		case strings.HasPrefix(text, "Traceback (most recent call last)"):
			python = true
		case isCause().MatchString(text):
			cause = strings.TrimPrefix(text, "Caused by: ")
		case python && !begins().MatchString(text):
		default:
			return cause
		}
	}
	return cause
}

// begins matches the first line of an entry.
var begins = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[{\[]|\S*\d{2}:\d{2}|[IWEF]\d{4} |\S+=)`)
})

// momentOf is the time that a line has in its text.
func momentOf(text string, fields []Field, now time.Time) time.Time {
	if v := valueOf(fields, "ts", "time", "timestamp", "@timestamp"); v != "" {
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return t
		}
		if n, err := strconv.ParseFloat(v, 64); err == nil && n > 1e9 {
			for n > 1e11 { // in milliseconds, or smaller
				n /= 1000
			}
			return time.Unix(int64(n), 0).UTC()
		}
	}
	if klogHeader().MatchString(text) {
		t, err := time.Parse("2006 0102 15:04:05", fmt.Sprintf("%04d %s", now.Year(), text[1:14]))
		if err == nil && t.After(now.Add(24*time.Hour)) {
			t = t.AddDate(-1, 0, 0)
		}
		return t
	}
	if m := dated().FindStringSubmatch(text); m != nil {
		t, _ := time.Parse("2006-01-02 15:04:05", strings.ReplaceAll(m[1], "/", "-")+" "+m[2])
		return t
	}
	return time.Time{}
}

var dated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[?(\d{4}[-/]\d{2}[-/]\d{2})[T ](\d{2}:\d{2}:\d{2})`)
})
