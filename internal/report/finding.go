package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// changesShown is how many of the latest changes a finding prints.
const changesShown = 200

// changesInJSON is how many of them it holds as JSON.
const changesInJSON = 2000

// Finding renders a session as Markdown: the verdict, the causes with their
// evidence, the whole tree, the timeline, and which program observed it.
// program is its name and version. It holds no data of Secrets, because none is
// ever fetched.
func Finding(m *known.Facts, program string) []byte {
	var b bytes.Buffer
	markdown(&b, m, true)
	b.WriteString("\n### Tree\n\n```\n")
	var t bytes.Buffer
	tree(&t, m, 0)
	b.WriteString(Inert(strings.ReplaceAll(t.String(), "```", "'''")))
	b.WriteString("```\n\n### What happened\n\n")
	history := happened(m)
	if n := len(history) - changesShown; n > 0 {
		fmt.Fprintf(&b, "%d earlier changes are left out.\n\n", n)
		history = history[n:]
	}
	if len(history) == 0 {
		b.WriteString("Nothing has changed since the first look.\n")
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", utc(h.At).Format(time.TimeOnly),
			escape(h.ID.String()), to, escape(oneLine(why)))
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
			fmt.Fprintf(&b, "- %s: %s\n", f[0], escape(object.Clean(f[1])))
		}
	}
	return b.Bytes()
}

// happened is what has changed since the first look, oldest first. What an object was at
// first sight is no change, and neither is what became known of it in the same second: a
// Deployment is judged before its Pods are there.
func happened(m *known.Facts) []world.Transition {
	var out []world.Transition
	last := map[object.ID]int{} // the index of an object's latest transition
	for _, h := range m.History() {
		i, ok := last[h.ID]
		if ok && utc(out[i].At).Truncate(time.Second).Equal(utc(h.At).Truncate(time.Second)) {
			h.From = out[i].From
			out[i] = h
			continue
		}
		last[h.ID], out = len(out), append(out, h)
	}
	began := m.Options().Now
	return slices.DeleteFunc(out, func(h world.Transition) bool {
		if h.From != "" {
			return h.From == h.To && h.Reason == "" && h.Message == ""
		}
		r, _ := m.Resource(h.ID)
		return r.Object == nil || !r.Object.Created.After(began)
	})
}

// FindingDocument is a finding as JSON.
type FindingDocument struct {
	Document
	Timeline []Change `json:"timeline"`
	SeenWith SeenWith `json:"seenWith"`
}

// Change is one entry of the timeline, oldest first.
type Change struct {
	Time    time.Time     `json:"time"`
	Ref     object.ID     `json:"ref"`
	From    status.Status `json:"from,omitempty"`
	To      status.Status `json:"to"`
	Reason  string        `json:"reason,omitempty"`
	Message string        `json:"message,omitempty"`
}

// SeenWith says which program observed what, and since when.
type SeenWith struct {
	Program    string    `json:"program"`
	Context    string    `json:"context,omitempty"`
	Namespaces []string  `json:"namespaces,omitempty"`
	Recording  string    `json:"recording,omitempty"`
	Since      time.Time `json:"since,omitzero"`
	Generated  int       `json:"generated"` // objects besides the followed ones
	// Omitted counts the older changes that are left out.
	Omitted int `json:"omitted,omitempty"`
}

// FindingJSON is [Finding] as JSON.
func FindingJSON(m *known.Facts, program string) ([]byte, error) {
	o := m.Options()
	d := FindingDocument{
		Document: New(m), Timeline: []Change{},
		SeenWith: SeenWith{
			Program: program, Context: object.Clean(o.Context), Namespaces: m.Namespaces(),
			Recording: object.Clean(o.Recording), Since: utc(o.Now),
			Generated: m.GeneratedCounts().Total(),
		},
	}
	history := m.History()
	if n := len(history) - changesInJSON; n > 0 {
		d.SeenWith.Omitted, history = n, history[n:]
	}
	for _, h := range history {
		d.Timeline = append(d.Timeline, Change{utc(h.At), h.ID, h.From, h.To, h.Reason, h.Message})
	}
	var b bytes.Buffer
	err := WriteJSON(&b, d)
	return b.Bytes(), err
}
