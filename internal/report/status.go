package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// StatusFormats are the formats of [Status].
var StatusFormats = []string{"table", "wide", "tree", "json", "jsonl", "yaml", "markdown"}

// WhyFormats are the formats of [Why].
var WhyFormats = []string{"text", "json", "markdown", "html"}

// Table are the options of a table.
type Table struct {
	NoHeaders bool // the rows alone
	Labels    bool // a column of labels
	wide      bool // the rule that decided, its confidence and the generations
}

// Status prints the state of the followed resources. exitCode is for the
// formats that contain it, look for tables.
func Status(w io.Writer, m *known.Facts, format string, exitCode int, look Table) error {
	var b bytes.Buffer
	switch format {
	case "json":
		return JSON(w, m)
	case "yaml":
		return WriteYAML(w, New(m))
	case "jsonl":
		for _, id := range m.Roots() {
			resource, err := line(statusOf(m, id, true, utc(m.Now())))
			if err != nil {
				return err
			}
			b.Write(append(resource, '\n'))
		}
		b.Write(append(result(m, exitCode, ""), '\n'))
	case "tree":
		tree(&b, m, widthOf(w))
		summary(&b, m, widthOf(w))
		return printInert(w, &b)
	case "markdown":
		markdown(&b, m, true)
	default:
		look.wide = format == "wide"
		table(&b, m, m.Roots(), widthOf(w), look)
		if !look.NoHeaders {
			summary(&b, m, widthOf(w))
		}
		return printInert(w, &b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// JSON prints the document.
func JSON(w io.Writer, m *known.Facts) error { return WriteDocument(w, m) }

// Why prints the causes alone.
func Why(w io.Writer, m *known.Facts, format string) error {
	var b bytes.Buffer
	switch format {
	case "json":
		return JSON(w, m)
	case "markdown":
		markdown(&b, m, false)
	default:
		why(&b, m, widthOf(w))
		return printInert(w, &b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// End is how a wait has ended.
type End struct {
	Code int
	Why  string // in a few words
	// Word is the goal as a word that follows a number of objects ("3 of 4
	// gone"), and Done whether an object has reached it. The zero values mean
	// being Current.
	Word string
	Done func(known.Resource) bool
	// Gone says that the goal is deletion: an absent object is good.
	Gone bool
	// Note explains an object that has reached the goal without looking so, or
	// "".
	Note string
}

func (e End) done(r known.Resource) bool {
	if e.Done == nil {
		return r.Assessment.Status == status.Current
	}
	return e.Done(r)
}

// Open reports whether a resource is listed after a wait: it is not Current, or
// not gone if deletion was the goal.
func (e End) Open(r known.Resource) bool {
	if r.Root != nil && r.Root.Kept { // removed from its inventory: no part of the wait
		return false
	}
	if e.Gone || e.Word == "" {
		return !e.done(r)
	}
	return r.Assessment.Status != status.Current
}

// tally says how many have reached the goal: "3 of 4 Current".
func (e End) tally(m *known.Facts) string {
	done, total, assumed := 0, 0, 0
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && (r.Root == nil || !r.Root.Kept) {
			total++
			if e.done(r) {
				done++
				if r.Assessment.Status == status.Current && r.Assessment.Confidence == status.Assumed {
					assumed++
				}
			}
		}
	}
	text := fmt.Sprintf("%d of %d %s", done, total, cmp.Or(e.Word, string(status.Current)))
	if e.Word == "" && assumed > 0 {
		text += ofThemAssumed(assumed)
	}
	return text
}

// causes are the causes of the open resources.
func (e End) causes(m *known.Facts) []explain.Cause {
	if !e.Gone && e.Note == "" {
		return m.Causes()
	}
	wanted := map[string]bool{}
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && e.Open(r) {
			for _, c := range m.CausesOf(id) {
				wanted[c.ID] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(m.Causes()), func(c explain.Cause) bool { return !wanted[c.ID] })
}

// rest prints the open resources and their causes. It prints nothing if there
// are none.
func rest(w io.Writer, m *known.Facts, e End) error {
	var open []object.ID
	for _, id := range m.Roots() {
		r, ok := m.Resource(id)
		// the goal did not need it to be judged
		reachedUnjudged := e.Code == 0 && r.Assessment.Reason == world.ReasonWaiting
		if ok && e.Open(r) && !reachedUnjudged {
			open = append(open, id)
		}
	}
	if len(open) == 0 {
		return nil
	}
	var b bytes.Buffer
	table(&b, m, open, widthOf(w), Table{})
	causes(&b, m, e.causes(m), widthOf(w))
	return printInert(w, &b)
}

func printInert(w io.Writer, b *bytes.Buffer) error {
	_, err := io.WriteString(w, Inert(b.String()))
	return err
}
