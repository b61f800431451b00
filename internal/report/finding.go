package report

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// changesShown is how many of the latest changes a finding tells.
const changesShown = 200

// Finding is everything that is worth keeping of a session, as Markdown: the
// verdict, the causes with their proof, the whole tree, what happened and when,
// and what saw it. program names the program and its version. No data of a
// Secret is in it, because none is ever fetched.
func Finding(m model.Model, program string) []byte {
	var b bytes.Buffer
	markdown(&b, m, true)
	b.WriteString("\n### Tree\n\n```\n")
	var t bytes.Buffer
	tree(&t, m)
	b.WriteString(strings.ReplaceAll(t.String(), "```", "'''"))
	b.WriteString("```\n\n### What happened\n\n")
	history := m.History()
	if n := len(history) - changesShown; n > 0 {
		fmt.Fprintf(&b, "%d earlier changes are left out.\n\n", n)
		history = history[n:]
	}
	if len(history) == 0 {
		b.WriteString("Nothing has changed.\n")
	} else {
		b.WriteString("| time | resource | status | reason |\n|---|---|---|---|\n")
	}
	for _, h := range history {
		to := string(h.To)
		if h.From != "" && h.From != h.To {
			to = string(h.From) + " → " + to
		}
		why := h.Reason
		if h.Message != "" && h.Message != h.Reason {
			why = strings.TrimPrefix(why+": ", ": ") + h.Message
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", utc(h.At).Format(time.TimeOnly), escape(h.ID.String()), to, escape(shorten(oneLine(why), 200)))
	}
	b.WriteString("\n### Seen with\n\n")
	o := m.Options()
	for _, f := range [][2]string{
		{"program", program},
		{"context", o.Context},
		{"namespaces", strings.Join(m.Namespaces(), ", ")},
		{"recording", o.Recording},
		{"followed since", utc(o.Now).Format(time.RFC3339)},
		{"objects", fmt.Sprintf("%d asked for, %d generated", m.Counts().Total(), m.GeneratedCounts().Total())},
	} {
		if f[1] != "" {
			fmt.Fprintf(&b, "- %s: %s\n", f[0], escape(status.Clean(f[1])))
		}
	}
	return b.Bytes()
}
