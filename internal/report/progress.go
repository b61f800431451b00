package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// WaitFormats are the formats of [NewProgress].
var WaitFormats = []string{"text", "jsonl", "json", "junit", "github"}

// Progress is the output of a wait.
type Progress interface {
	Show(m *known.Facts)
	Clear() // removes what is redrawn from the screen, before an error is printed
	End(m *known.Facts, e End) error
}

// NewProgress returns the progress in a format. The text writes what happens to
// progress and the result to w; the other formats write to w alone. open says
// which resources are still waited for.
func NewProgress(w, progress io.Writer, format string, open func(known.Resource) bool) Progress {
	switch format {
	case "jsonl":
		return &eventProgress{w: w, changes: newChanges()}
	case "json":
		return silentProgress{w, func(w io.Writer, m *known.Facts, _ End) error { return JSON(w, m) }}
	case "junit":
		return silentProgress{w, JUnit}
	case "github":
		return silentProgress{w, GitHub}
	}
	if screen, ok := progress.(Screen); ok {
		return &blockProgress{w: screen, result: w, open: open}
	}
	return newLineProgress(progress, w)
}

// eventProgress prints every change as a line of JSON.
type eventProgress struct {
	w       io.Writer
	changes *changes
}

func (p *eventProgress) Show(m *known.Facts) {
	for _, line := range p.changes.events(m) {
		fmt.Fprintf(p.w, "%s\n", line)
	}
}
func (*eventProgress) Clear() {}

func (p *eventProgress) End(m *known.Facts, e End) error {
	p.Show(m)
	_, err := fmt.Fprintf(p.w, "%s\n", result(m, e.Code, e.Why))
	return err
}

// silentProgress prints one document at the end.
type silentProgress struct {
	w     io.Writer
	print func(w io.Writer, m *known.Facts, e End) error
}

func (silentProgress) Show(*known.Facts) {}
func (silentProgress) Clear()            {}
func (p silentProgress) End(m *known.Facts, e End) error {
	return p.print(p.w, m, e)
}

// lineProgress prints a line for each change of a followed resource: for pipes
// and logs.
type lineProgress struct {
	w       io.Writer
	result  io.Writer
	changes *changes
	held    []object.ID          // changed, but not judged yet; printed once they are
	printed map[object.ID]string // the last line of each, without what may alternate
	outage  known.Outage
}

func newLineProgress(progress, result io.Writer) *lineProgress {
	return &lineProgress{w: progress, result: result, changes: newChanges(), printed: map[object.ID]string{}}
}

func (p *lineProgress) Show(m *known.Facts) {
	if news := p.outage.News(m.Connection()); news != "" {
		fmt.Fprint(p.w, Inert(fmt.Sprintf("%s  %s\n", elapsed(m), oneLine(news))))
	}
	ids := p.held
	for _, id := range p.changes.since(m) {
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
		case r.Object == nil && !m.Synced(), r.Assessment.Reason == world.ReasonWaiting:
			p.held = append(p.held, id)
			continue
		}
		// A reason that alternates (ErrImagePull, ImagePullBackOff) is no news while its
		// cause stays.
		news := word(r)
		if title, more, _ := firstCause(m, r); title != "" {
			news += fmt.Sprint(title, more)
		} else {
			news += reason(m, r)
		}
		if p.printed[id] == news {
			continue
		}
		p.printed[id] = news
		fmt.Fprint(p.w, Inert(fmt.Sprintf("%s  %s\n", elapsed(m), stateLine(m, r))))
	}
}
func (*lineProgress) Clear() {}

func (p *lineProgress) End(m *known.Facts, e End) error {
	p.Show(m)
	return lastWords(p.result, m, e)
}

func elapsed(m *known.Facts) string {
	return fmt.Sprintf("%6.1fs", m.Elapsed().Seconds())
}

// stateLine is the state of one object in a line.
func stateLine(m *known.Facts, r known.Resource) string {
	line, text := namespaced(m, r.ID)+"  "+word(r), reason(m, r)
	switch {
	case text == "":
		return line
	case r.Assessment.Status == status.Current: // its remark may be about others: members of an inventory
		return line + " (" + text + ")"
	}
	return line + ": " + text
}

// blockProgress redraws a block of lines: the counts, and the resources that
// the wait is still waiting for, as far as they fit.
type blockProgress struct {
	w      Screen
	result io.Writer
	open   func(known.Resource) bool // whether a resource gets a line
	lines  int                       // number of lines on the screen now
	last   string                    // the block as last drawn, without durations
	drawn  time.Time
}

// calm is the least time between two redraws.
const calm = 100 * time.Millisecond

func (p *blockProgress) Show(m *known.Facts) {
	width, height := p.w.Size()
	head := fmt.Sprintf("waiting %s", m.Elapsed().Truncate(time.Second))
	rows := []string{strings.Join(append([]string{head}, tally(m)...), "  ")}
	if c := m.Connection(); c.Link == world.LinkReconnecting || c.Link == world.LinkStale {
		rows = append(rows, strings.Split(wrapped("connection lost: "+oneLine(c.Error), width-2), "\n")...)
		if c.Hint != "" {
			rows = append(rows, strings.Split(wrapped("  "+oneLine(c.Hint), width-2), "\n")...)
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
	_, _ = io.WriteString(p.w, Inert(b.String()))
}

// erase moves to the block's first line and clears everything below.
func (p *blockProgress) erase(b *bytes.Buffer) {
	if p.lines > 0 {
		fmt.Fprintf(b, "\r\x1b[%dA\x1b[J", p.lines) // the echo of ^C has moved the cursor
	}
	p.lines = 0
}

func (p *blockProgress) Clear() {
	var b bytes.Buffer
	p.erase(&b)
	_, _ = p.w.Write(b.Bytes())
}

func (p *blockProgress) End(m *known.Facts, e End) error {
	p.Clear()
	return lastWords(p.result, m, e)
}

// lastWords prints the outcome of the wait and, last, the resources that are
// not Current (or not gone, with --for=deleted) and why.
func lastWords(w io.Writer, m *known.Facts, e End) error {
	text := fmt.Sprintf("%s after %s", e.tally(m), m.Elapsed().Truncate(100*time.Millisecond))
	if e.Code != 0 || !everyDone(m, e) {
		outcome, details, _ := strings.Cut(e.Why, "; ")
		parts := []string{
			fmt.Sprintf("%s after %s", outcome, m.Elapsed().Truncate(100*time.Millisecond)), details, e.tally(m),
		}
		text = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
	}
	if e.Note != "" {
		text += "; " + e.Note
	}
	if own := ownFieldsOnly(m); own != "" {
		text += " (" + own + ")"
	}
	if _, err := fmt.Fprintln(w, Inert(wrapped(text, widthOf(w)))); err != nil {
		return err
	}
	return rest(w, m, e)
}

// everyDone reports whether the tally already says it: all of several.
func everyDone(m *known.Facts, e End) bool {
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && !e.Done(r) {
			return false
		}
	}
	return len(m.Roots()) > 0
}
