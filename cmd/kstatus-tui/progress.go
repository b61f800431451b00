package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var waitFormats = []cobra.Completion{"text", "jsonl", "json", "junit", "github"}

// progress is the output of a wait.
type progress interface {
	show(m model.Model)
	clear() // removes the block from the screen, before an error is printed
	end(m model.Model, e report.End) error
}

// newProgress returns the progress for an output format.
func newProgress(format string, s genericiooptions.IOStreams, begin time.Time, e report.End) progress {
	switch format {
	case "jsonl":
		return &eventProgress{w: s.Out, changes: report.NewChanges()}
	case "json":
		return silentProgress{s.Out, func(w io.Writer, m model.Model, _ report.End) error { return report.JSON(w, m) }}
	case "junit":
		return silentProgress{s.Out, report.JUnit}
	case "github":
		return silentProgress{s.Out, report.GitHub}
	}
	if isTerminal(s.Out) {
		return &blockProgress{w: screenOf(s.Out), begin: begin, open: e.Open, size: sized{s.Out.(*os.File)}.size}
	}
	return &lineProgress{w: s.Out, begin: begin, changes: report.NewChanges()}
}

// eventProgress prints every change as a line of JSON.
type eventProgress struct {
	w       io.Writer
	changes *report.Changes
}

func (p *eventProgress) show(m model.Model) {
	for _, line := range p.changes.Events(m) {
		fmt.Fprintf(p.w, "%s\n", line)
	}
}
func (*eventProgress) clear() {}

func (p *eventProgress) end(m model.Model, e report.End) error {
	p.show(m)
	_, err := fmt.Fprintf(p.w, "%s\n", report.Result(m, e.Code, e.Why))
	return err
}

// silentProgress prints one document at the end.
type silentProgress struct {
	w     io.Writer
	print func(w io.Writer, m model.Model, e report.End) error
}

func (silentProgress) show(model.Model) {}
func (silentProgress) clear()           {}
func (p silentProgress) end(m model.Model, e report.End) error {
	return p.print(p.w, m, e)
}

// lineProgress prints a line for each change of a followed resource: for pipes
// and logs.
type lineProgress struct {
	w       io.Writer
	begin   time.Time
	changes *report.Changes
	held    []object.ID // changed before the first sync; printed once it is complete
	outage  model.Outage
}

func (p *lineProgress) show(m model.Model) {
	if news := p.outage.News(m.Connection()); news != "" {
		fmt.Fprint(p.w, report.Inert(fmt.Sprintf("%s  %s\n", elapsed(m), oneLine(news))))
	}
	ids := p.held
	for _, id := range p.changes.Since(m) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	p.held = nil
	for _, id := range ids {
		r, ok := m.Resource(id)
		switch {
		case !ok || r.Root == nil:
			continue // a generated child
		case r.Object == nil && !m.Synced():
			p.held = append(p.held, id)
			continue
		}
		fmt.Fprint(p.w, report.Inert(fmt.Sprintf("%s  %s\n", elapsed(m), stateLine(m, r))))
	}
}
func (*lineProgress) clear() {}

func (p *lineProgress) end(m model.Model, e report.End) error {
	p.show(m)
	return lastWords(p.w, m, e)
}

func elapsed(m model.Model) string {
	return fmt.Sprintf("%6.1fs", m.Elapsed().Seconds())
}

// stateLine is the state of one object in a line.
func stateLine(m model.Model, r model.Resource) string {
	name := r.ID.String()
	if len(m.Namespaces()) > 1 && r.ID.Namespace != "" {
		name = r.ID.Namespace + " " + name
	}
	line := name + "  " + string(cmp.Or(r.Assessment.Status, status.Unknown))
	if r.Assessment.Paused {
		line += " (paused)"
	}
	text := cmp.Or(r.Assessment.Message, r.Assessment.Reason)
	if r.Assessment.Status == status.Current {
		text = cmp.Or(r.Assessment.Note, r.Note)
	}
	if !r.Lead.IsZero() && r.Lead != r.ID && r.LeadReason != "" && !strings.Contains(text, r.LeadReason) {
		text = strings.TrimSuffix(fmt.Sprintf("%s: %s; %s", r.Lead, r.LeadReason, text), "; ")
	}
	if text != "" {
		line += ": " + oneLine(text)
	}
	return line
}

// blockProgress redraws a block of lines: the counts, and the resources that
// the wait is still waiting for, as far as they fit.
type blockProgress struct {
	w     io.Writer
	begin time.Time
	open  func(model.Resource) bool // whether a resource gets a line
	size  func() (width, height int)
	lines int    // number of lines on the screen now
	last  string // the block as last drawn, without durations
	drawn time.Time
}

// calm is the least time between two redraws.
const calm = 100 * time.Millisecond

func (p *blockProgress) show(m model.Model) {
	width, height := p.size()
	var rows []string
	counts := m.Counts()
	var head strings.Builder
	head.WriteString(fmt.Sprintf("waiting %s", m.Elapsed().Truncate(time.Second)))
	for _, s := range status.Statuses {
		if counts[s] > 0 {
			head.WriteString(fmt.Sprintf("  %d %s", counts[s], s))
		}
	}
	rows = append(rows, head.String())
	if c := m.Connection(); c.Link == world.LinkReconnecting || c.Link == world.LinkStale {
		rows = append(rows, wrapped("connection lost: "+oneLine(c.Error), width-2)...)
		if c.Hint != "" {
			rows = append(rows, wrapped("  "+oneLine(c.Hint), width-2)...)
		}
	}
	room := max(min(height-3, 12), 1)
	hidden := 0
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		if !ok || !p.open(r) {
			continue
		}
		if len(rows) > room {
			hidden++
			continue
		}
		rows = append(rows, "  "+stateLine(m, r))
	}
	if hidden > 0 {
		rows = append(rows, fmt.Sprintf("  and %d more", hidden))
	}
	body := strings.Join(rows[1:], "\n")
	if now := m.Now(); body == p.last && now.Sub(p.drawn) < time.Second || now.Sub(p.drawn) < calm && p.lines > 0 {
		return
	}
	p.last, p.drawn = body, m.Now()
	var b bytes.Buffer
	p.erase(&b)
	for _, row := range rows {
		b.WriteString(ansi.Truncate(row, width-2, "…") + "\n")
	}
	p.lines = len(rows)
	_, _ = io.WriteString(p.w, report.Inert(b.String()))
}

// erase moves to the block's first line and clears everything below.
func (p *blockProgress) erase(b *bytes.Buffer) {
	if p.lines > 0 {
		fmt.Fprintf(b, "\r\x1b[%dA\x1b[J", p.lines) // the echo of ^C has moved the cursor
	}
	p.lines = 0
}

func (p *blockProgress) clear() {
	var b bytes.Buffer
	p.erase(&b)
	_, _ = p.w.Write(b.Bytes())
}

func (p *blockProgress) end(m model.Model, e report.End) error {
	p.clear()
	return lastWords(p.w, m, e)
}

// lastWords prints the outcome of the wait and, last, the resources that are
// not Current (or not gone, with --for=deleted) and why.
func lastWords(w io.Writer, m model.Model, e report.End) error {
	text := fmt.Sprintf("%s after %s", e.Tally(m), m.Elapsed().Truncate(100*time.Millisecond))
	if e.Code != exitOK || !everyDone(m, e) {
		text = fmt.Sprintf("%s after %s; %s", e.Why, m.Elapsed().Truncate(100*time.Millisecond), e.Tally(m))
	}
	if e.Note != "" {
		text += "; " + e.Note
	}
	if own := report.OwnFieldsOnly(m); own != "" {
		text += " (" + own + ")"
	}
	if _, err := fmt.Fprintln(w, report.Inert(text)); err != nil {
		return err
	}
	return report.Rest(w, m, e)
}

// everyDone reports whether the tally already says it: all of several.
func everyDone(m model.Model, e report.End) bool {
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && !e.Done(r) {
			return false
		}
	}
	return len(m.Roots()) > 0
}

// wrapped breaks a line at its spaces and indents the lines that follow.
func wrapped(s string, width int) []string {
	const indent = "    "
	return strings.Split(strings.ReplaceAll(ansi.Wordwrap(s, max(width-len(indent), 1), ""), "\n", "\n"+indent), "\n")
}
