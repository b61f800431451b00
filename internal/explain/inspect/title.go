package inspect

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// A title is one line, made here of the parts that detectors give:
//
//	Say   what is wrong with what      volume data cannot be mounted
//	Why   the reason that is given     : access denied by server
//	Note  an aspect of it              (it has ebs.csi.aws.com)
//	Also  what else is known           ; pod csi-node-x should bring it
//
// They stand in the order in which they were given. Each wording is a format at its one place, so
// that it can be searched for. Of a title that is too long the line of a log is shortened that it
// quotes (see QuoteLog), then its first part: a reason is never lost.

// part is a part of a title, with what stands before and after it.
type part struct{ before, text, after string }

// TitleMost is the longest title, in bytes, titleFirst the shortest first part of one, and
// titleQuote the shortest quotation.
const TitleMost, titleFirst, titleQuote = 240, 60, 120

// Say sets what is wrong with what. Parts that were given before are dropped.
func (f *Finding) Say(format string, args ...any) {
	f.title = append(f.title[:0], part{text: fmt.Sprintf(format, args...)})
}

// Why adds the reason that somebody gives.
func (f *Finding) Why(format string, args ...any) { f.add(": ", "", format, args) }

// Note adds an aspect, in brackets.
func (f *Finding) Note(format string, args ...any) { f.add(" (", ")", format, args) }

// Also adds what else is known, once.
func (f *Finding) Also(format string, args ...any) {
	if !strings.Contains(f.Title(), fmt.Sprintf(format, args...)) {
		f.add("; ", "", format, args)
	}
}

// Add goes on in the same clause.
func (f *Finding) Add(format string, args ...any) {
	before := " "
	if text := strings.TrimSpace(fmt.Sprintf(format, args...)); text != "" && strings.ContainsAny(text[:1], ",:;") {
		before = ""
	}
	f.add(before, "", format, args)
}

// Become makes the finding one of another code, with another title: a code never stands
// beside a title that was given for another one.
func (f *Finding) Become(code *codes.Code, format string, args ...any) {
	f.Code, f.Class = code, code.Class
	f.Say(format, args...)
}

func (f *Finding) add(before, after, format string, args []any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		f.title = append(f.title, part{before, text, after})
	}
}

// Title is the line.
func (f *Finding) Title() string {
	if len(f.title) == 0 {
		return ""
	}
	texts, rest, quote := make([]string, len(f.title)), 0, f.shortQuote()
	for i, p := range f.title {
		texts[i] = message.Fold(p.text)
		if quote != "" {
			texts[i] = strings.Replace(texts[i], f.quote, quote, 1)
		}
		if i+1 < len(f.title) && f.title[i+1].before != " " {
			texts[i] = strings.TrimSuffix(texts[i], ".") // the sentence goes on
		}
		if texts[i] = p.before + texts[i] + p.after; i > 0 {
			rest += len(texts[i])
		}
	}
	if rest > 0 {
		texts[0] = message.Clip(texts[0], max(TitleMost-rest, titleFirst))
	}
	return message.Clip(strings.Join(texts, ""), TitleMost)
}

// QuoteLog says that the title, as it is, quotes the line of a container's log, and adds the line
// as evidence. Where the title has no room for it, it is shortened to its decisive parts, and the
// detail has it whole.
func (f *Finding) QuoteLog(pod object.ID, container, line string) {
	f.QuotesLog = true
	f.claim(LogEvidence, pod, "log:"+container, line)
	f.quote = message.Fold(line)
	if f.Detail == "" && !strings.Contains(f.Title(), f.quote) {
		f.Detail = f.quote
	}
}

// shortQuote is what the title quotes of a log, where that has to be shortened.
func (f *Finding) shortQuote() string {
	if len(f.quote) <= titleQuote {
		return ""
	}
	over := -TitleMost
	for _, p := range f.title {
		over += len(p.before) + len(message.Fold(p.text)) + len(p.after)
	}
	if over <= 0 {
		return ""
	}
	return message.Ends(f.quote, max(len(f.quote)-over, titleQuote))
}
