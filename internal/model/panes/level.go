package panes

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
)

// levels are the words of log levels.
var levels = map[string]markup.Token{
	"panic": markup.Bad, "fatal": markup.Bad, "critical": markup.Bad, "crit": markup.Bad,
	"emerg": markup.Bad, "alert": markup.Bad,
	"error": markup.Bad, "err": markup.Bad, "severe": markup.Bad,
	"warning": markup.Stuck, "warn": markup.Stuck,
	"notice": markup.Text, "info": markup.Text, "information": markup.Text,
	"debug": markup.Dim, "dbg": markup.Dim, "trace": markup.Dim, "fine": markup.Dim,
}

// levelKeys are the fields of structured logs that hold the level.
var levelKeys = []string{"level", "severity", "lvl", "loglevel"}

// levelToken is the colour of a log line by its level, where it names one. Only a word in
// the place of a level counts: "0 errors, 0 warnings" names none.
func levelToken(text string) markup.Token {
	head := text[:min(len(text), 300)] // the level comes before the message
	lower := strings.ToLower(head)
	for _, key := range levelKeys {
		for _, lead := range []string{`"` + key + `":`, key + "="} {
			if _, value, ok := strings.Cut(lower, lead); ok {
				word := strings.TrimLeft(value, ` "`)
				if tok, ok := levels[word[:letters(word)]]; ok {
					return tok
				}
			}
		}
	}
	// klog: I0102 15:04:05.000000
	if len(head) > 5 && strings.Trim(head[1:5], "0123456789") == "" && strings.ContainsRune(" :", rune(head[5])) {
		switch head[0] {
		case 'E', 'F':
			return markup.Bad
		case 'W':
			return markup.Stuck
		case 'I':
			return markup.Text
		}
	}
	for i, field := range strings.Fields(head) {
		if i == 6 { // behind date, time, zone, thread and logger stands the message
			break
		}
		word := strings.Trim(field, "[]()<>:|,\"'")
		tok, ok := levels[strings.ToLower(word)]
		// In capitals, in brackets, or as the first word before a colon.
		if ok && (word == strings.ToUpper(word) || strings.HasPrefix(field, "[") ||
			i == 0 && strings.HasSuffix(field, ":")) {
			return tok
		}
	}
	return markup.Text
}

// letters counts the letters that a text begins with.
func letters(s string) int {
	n := 0
	for n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
		n++
	}
	return n
}
