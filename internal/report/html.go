package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// page is the template of the HTML report. It loads nothing: no script, font or
// picture, which its Content-Security-Policy says, too. html/template escapes every
// value.
//
//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("report").Parse(pageText))

// Bounds of the page.
const (
	mostLanes   = 60    // of the timeline
	mostNodes   = 5_000 // of the tree
	mostChanges = 1_000 // of the list of changes
)

// The data of the template.
type (
	htmlPage struct {
		Verdict      status.Status
		Headline     string
		Sources      []string
		Time         string
		Causes       []htmlCause
		MoreCauses   int
		Notes        []string
		NotPermitted []string
		Tree         []htmlNode
		MoreNodes    int
		Lanes        []htmlLane
		Ticks        []htmlTick
		MoreLanes    int
		Changes      []htmlChange
		MoreChanges  int
		Seen         [][2]string
	}
	htmlCause struct {
		Title, Detail, Class, Subject, Since string
		Count                                int
		Blocks, Then, Unseen                 []string
		Chain                                string
		Proof                                []inspect.Evidence
		Changed                              []htmlField
		Next                                 []inspect.Step
	}
	htmlField struct{ Path, Before, After string }
	htmlNode  struct {
		Name, Reason, Since, Note string
		Status                    status.Status
		Open                      bool
		Children                  []htmlNode
	}
	htmlLane struct {
		Name  string
		Parts []htmlPart
	}
	// htmlPart is a time in one status, in percent of the whole.
	htmlPart struct {
		Left, Width float64
		Status      status.Status
		Title       string
	}
	htmlTick struct {
		Left float64
		Text string
	}
	htmlChange struct {
		Time, Name, Reason string
		From, To           status.Status
	}
)

// HTML writes a session as one self-contained page: the verdict, the causes with
// their proof and the next commands, the tree, the timeline as a picture, and what
// changed. program is its name and version.
func HTML(w io.Writer, m *known.Facts, program string) error {
	o := m.Options()
	p := htmlPage{
		Verdict: m.Verdict().Status, Headline: headline(m),
		Sources: clean(o.Sources), Time: utc(m.Now()).Format(time.RFC3339),
		MoreCauses: m.MoreCauses(), Notes: clean(notes(m)), NotPermitted: clean(m.Refusals()),
		Seen: [][2]string{
			{"program", program},
			{"context", object.Clean(o.Context)},
			{"namespaces", strings.Join(m.Namespaces(), ", ")},
			{"recording", object.Clean(o.Recording)},
			{"followed since", utc(o.Now).Format(time.RFC3339)},
			{"objects", fmt.Sprintf("%d requested, %d generated", m.Counts().Total(), m.GeneratedCounts().Total())},
		},
	}
	p.Seen = slices.DeleteFunc(p.Seen, func(row [2]string) bool { return row[1] == "" })
	for _, c := range m.Causes() {
		p.Causes = append(p.Causes, htmlCauseOf(m.Now(), c))
	}
	p.Tree, p.MoreNodes = htmlTree(m)
	p.Lanes, p.Ticks, p.MoreLanes = htmlTimeline(m)
	p.Changes, p.MoreChanges = htmlChanges(m)
	var text bytes.Buffer
	if err := page.Execute(&text, p); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err := w.Write(InertXML(text.Bytes()))
	return err
}

// clean are texts in one line each.
func clean(texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, oneLine(text))
	}
	return out
}

func htmlCauseOf(now time.Time, c explain.Cause) htmlCause {
	h := htmlCause{
		Title: oneLine(c.Title), Class: string(c.Class), Subject: c.Subject.ID.String(), Count: c.Count,
		Blocks: blocked(c), Next: c.Steps(), Unseen: clean(c.Missing), Proof: c.Evidence,
	}
	if c.Subject.Container != "" {
		h.Subject += ", container " + c.Subject.Container
	}
	if !strings.Contains(h.Title, oneLine(c.Detail)) {
		h.Detail = strings.ReplaceAll(oneLine(c.Detail), string(object.LineBreak), "\n")
	}
	if !c.Since.IsZero() {
		h.Since = fmt.Sprintf("for %s, %s", age(now, c.Since), c.Certainty)
	}
	if len(c.Chain) > 1 {
		var steps []string
		for _, id := range c.Chain {
			steps = append(steps, id.String())
		}
		h.Chain = strings.Join(steps, " → ")
	}
	for _, s := range c.Echoes(mostEchoes) {
		h.Then = append(h.Then, s.Ref.String()+": "+oneLine(s.Title))
	}
	for _, x := range c.Changed {
		h.Changed = append(h.Changed, htmlField{x.Path, orNone(oneLine(x.Before)), orNone(oneLine(x.After))})
	}
	return h
}

// blocked are the names of what a cause blocks, a bounded number.
func blocked(c explain.Cause) []string {
	if len(c.Blocks) == 0 {
		return nil
	}
	return strings.Split(names(c.Blocks), ", ")
}

// htmlTree are the roots with what is below them, and how many nodes are left out.
// What is not Current is unfolded.
func htmlTree(m *known.Facts) (roots []htmlNode, more int) {
	count, namespaces := 0, showsNamespaces(m)
	var visit func(id object.ID, depth int) (htmlNode, bool)
	visit = func(id object.ID, depth int) (htmlNode, bool) {
		r, ok := m.Resource(id)
		if !ok || depth > maxDepth {
			return htmlNode{}, false
		}
		if count++; count > mostNodes {
			more++
			return htmlNode{}, false
		}
		n := htmlNode{
			Name: id.String(), Status: r.Assessment.Status,
			Since: age(m.Now(), r.Assessment.Since), Reason: reason(m, r),
			Note: r.Note, Open: r.Assessment.Status != status.Current,
		}
		if n.Since == "-" {
			n.Since = ""
		}
		if n.Reason == oneLine(n.Note) {
			n.Reason = ""
		}
		if namespaces && depth == 0 && id.Namespace != "" {
			n.Name = id.Namespace + " " + n.Name
		}
		for _, child := range r.Children {
			if c, ok := visit(child, depth+1); ok {
				n.Children = append(n.Children, c)
			}
		}
		return n, true
	}
	for _, id := range m.Roots() {
		if r, _ := m.Resource(id); r.Parent.IsZero() { // else it stands below its parent
			if n, ok := visit(id, 0); ok {
				roots = append(roots, n)
			}
		}
	}
	return roots, more
}

// htmlTimeline has a lane for each root, those that changed first.
func htmlTimeline(m *known.Facts) (lanes []htmlLane, ticks []htmlTick, more int) {
	changes := map[object.ID][]htmlPart{}
	begin, end := m.Options().Now, m.Now()
	history := m.History()
	if len(history) > 0 && history[0].At.Before(begin) {
		begin = history[0].At
	}
	whole := end.Sub(begin)
	if whole <= 0 {
		return nil, nil, 0
	}
	place := func(at time.Time) float64 { return min(max(100*at.Sub(begin).Seconds()/whole.Seconds(), 0), 100) }
	for _, h := range history {
		parts := changes[h.ID]
		left := place(h.At)
		if n := len(parts); n > 0 {
			parts[n-1].Width = left - parts[n-1].Left
		}
		title := utc(h.At).Format(time.TimeOnly) + " " + string(h.To)
		if h.Reason != "" {
			title += ": " + h.Reason
		}
		changes[h.ID] = append(parts, htmlPart{Left: left, Width: 100 - left, Status: h.To, Title: title})
	}
	ids := slices.Clone(m.Roots())
	slices.SortStableFunc(ids, func(a, b object.ID) int { return min(len(changes[b]), 2) - min(len(changes[a]), 2) })
	for _, id := range ids {
		if len(lanes) == mostLanes {
			more++
			continue
		}
		parts := changes[id]
		if len(parts) == 0 {
			r, _ := m.Resource(id)
			parts = []htmlPart{{Width: 100, Status: r.Assessment.Status, Title: string(r.Assessment.Status)}}
		}
		lanes = append(lanes, htmlLane{id.String(), parts})
	}
	for i := range 5 {
		ticks = append(ticks,
			htmlTick{float64(25 * i), (whole * time.Duration(i) / 4).Round(100 * time.Millisecond).String()})
	}
	return lanes, ticks, more
}

// htmlChanges are the newest changes, oldest first.
func htmlChanges(m *known.Facts) (out []htmlChange, more int) {
	history := happened(m)
	if more = len(history) - mostChanges; more > 0 {
		history = history[more:]
	}
	for _, h := range history {
		why := h.Reason
		if h.Message != "" && h.Message != h.Reason {
			why = strings.TrimPrefix(why+": ", ": ") + h.Message
		}
		out = append(out, htmlChange{utc(h.At).Format(time.TimeOnly), h.ID.String(), oneLine(why), h.From, h.To})
	}
	return out, max(more, 0)
}
