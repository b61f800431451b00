package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// longest is the length of a message in a terminal's table, in cells. In a
// pipe, a file or a document nothing is cut.
const longest = 120

// showsNamespaces reports whether names need their namespace: there are several, or not the
// current one, or all were asked for.
func showsNamespaces(m *known.Facts) bool {
	spaces := m.Namespaces()
	current := m.Options().Namespace
	everywhere := func(source string) bool { return slices.Contains(strings.Fields(source), "-A") }
	return len(spaces) > 1 || len(spaces) == 1 && current != "" && spaces[0] != current ||
		slices.ContainsFunc(m.Options().Sources, everywhere)
}

// namespaced is an object's name, behind its namespace if names need that.
func namespaced(m *known.Facts, id object.ID) string {
	if id.Namespace == "" || !showsNamespaces(m) {
		return id.String()
	}
	return id.Namespace + " " + id.String()
}

// tableLine has the cells of a line of the table; not every table shows all of them.
type tableLine struct {
	namespace, name, status, since, rule, confidence, observed, reason, labels string
}

// table prints objects, worst first. width is that of the terminal in cells, or 0 if lines may have
// any length.
func table(b *bytes.Buffer, m *known.Facts, ids []object.ID, width int, look Table) {
	namespaces := showsNamespaces(m)
	var rows [][]string
	add := func(l tableLine) {
		row := []string{l.name, l.status, l.since}
		if namespaces {
			row = slices.Insert(row, 0, cmp.Or(l.namespace, "-"))
		}
		if look.wide {
			row = append(row, cmp.Or(l.rule, "-"), cmp.Or(l.confidence, "-"), l.observed)
		}
		if row = append(row, l.reason); look.Labels {
			row = append(row, cmp.Or(l.labels, "<none>"))
		}
		rows = append(rows, row)
	}
	if !look.NoHeaders {
		add(tableLine{
			namespace: "NAMESPACE", name: "NAME", status: "STATUS", since: "SINCE", rule: "RULE",
			confidence: "CONFIDENCE", observed: "OBSERVED", reason: "REASON", labels: "LABELS",
		})
	}
	for _, id := range worstFirst(m, ids) {
		r, _ := m.Resource(id)
		why := ownReason(r) // whole
		if !look.wide {
			why = fitted(reason(m, r), width)
		}
		add(tableLine{
			namespace: id.Namespace, name: id.String(), status: word(r), since: age(m.Now(), r.Assessment.Since),
			rule: r.Assessment.Rule, confidence: string(r.Assessment.Confidence), observed: observed(r.Object),
			reason: why, labels: labels(r.Object),
		})
	}
	align(b, rows, width)
}

// observed is observedGeneration over generation: "3/4".
func observed(o *object.Object) string {
	if o == nil || !o.Observed.Set {
		return "-"
	}
	return fmt.Sprintf("%d/%d", o.Observed.V, o.Generation.V)
}

func labels(o *object.Object) string {
	if o == nil {
		return ""
	}
	var out []string
	for _, l := range o.Labels {
		out = append(out, l.Key+"="+l.Value)
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// worstFirst sorts objects by status.
func worstFirst(m *known.Facts, ids []object.ID) []object.ID {
	rank := func(id object.ID) int {
		r, _ := m.Resource(id)
		return slices.Index(status.Statuses, r.Assessment.Status)
	}
	return slices.SortedStableFunc(slices.Values(ids), func(x, y object.ID) int {
		return cmp.Compare(rank(x), rank(y))
	})
}

// word is the status with its marks.
func word(r known.Resource) string {
	s := string(cmp.Or(r.Assessment.Status, status.Unknown))
	switch {
	case r.Assessment.Paused:
		s += " (paused)"
	case r.Root != nil && r.Root.Optional:
		s += " (optional)"
	}
	return s
}

// reason is why a resource is as it is, in one line: the title of the first cause that
// blocks it, as long as that is not only a wait; else its own reason and message.
func reason(m *known.Facts, r known.Resource) string {
	title, more, logged := firstCause(m, r)
	if title == "" || strings.Contains(title, "…") && !logged { // nothing to say, or shortened
		return ownReason(r)
	}
	if w := r.Assessment.Reason; w != "" && w != string(r.Assessment.Status) && !strings.Contains(title, w) {
		title = w + ": " + title
	}
	if more > 0 {
		title += fmt.Sprintf("; and %d more", more)
	}
	return withStale(r, title)
}

// firstCause is the title of the first cause that keeps a resource from being Current,
// and how many more there are; "" if there is none, or only something to wait for. A title that
// quotes a log says even if it is shortened more than the resource, which knows no logs.
func firstCause(m *known.Facts, r known.Resource) (title string, more int, logged bool) {
	o := r.Object
	// the causes are about what was applied before
	unobserved := o != nil && o.Observed.Set && o.Observed.V < o.Generation.V
	switch r.Assessment.Status {
	case status.Current, status.NotFound, status.Unknown: // it says itself what is missing
		return "", 0, false
	}
	if unobserved {
		return "", 0, false
	}
	for _, c := range m.CausesOf(r.ID) {
		switch {
		case len(c.Blocks) == 0 || c.Class == explain.Waits:
		case title == "":
			title = oneLine(c.Title)
			logged = slices.ContainsFunc(c.Evidence, func(e explain.Evidence) bool { return e.Type == "log" })
			if c.Count > 1 && len(r.Children) > 0 {
				title += fmt.Sprintf(" ×%d", c.Count)
			}
			shows := slices.ContainsFunc(c.Objects, func(id object.ID) bool { return isBelow(m, id, r.ID) })
			if !shows && !isBelow(m, c.Subject.ID, r.ID) {
				title += fmt.Sprintf(" (%s)", c.Subject.ID)
			}
		default:
			more++
		}
	}
	return title, more, logged
}

// isBelow reports whether an object is another one, or stands below it.
func isBelow(m *known.Facts, id, above object.ID) bool {
	for range maxDepth {
		if id == above {
			return true
		}
		r, ok := m.Resource(id)
		if !ok || r.Parent.IsZero() {
			return false
		}
		id = r.Parent
	}
	return false
}

// ownReason is the reason by the resource itself, and by the descendant that blocks it.
func ownReason(r known.Resource) string {
	a := r.Assessment
	text := a.Message
	if a.Reason != string(a.Status) && !strings.Contains(text, a.Reason) {
		text = strings.TrimSuffix(a.Reason+": "+text, ": ")
	}
	if a.Status == status.Current {
		text = cmp.Or(a.Note, r.Note, text)
	} else if !r.Lead.IsZero() && r.Lead != r.ID && r.LeadReason != "" {
		lead := fmt.Sprintf("%s: %s", r.Lead, r.LeadReason)
		if r.LeadCount > 1 {
			lead = fmt.Sprintf("%s ×%d", lead, r.LeadCount)
		}
		if !strings.Contains(text, r.LeadReason) {
			text = strings.TrimSuffix(lead+"; "+text, "; ")
		}
	}
	return withStale(r, text)
}

// withStale marks a reason whose data is stale.
func withStale(r known.Resource, text string) string {
	if r.Stale {
		text = "(stale) " + text
	}
	return oneLine(text)
}

// fitted shortens a reason to a table's width.
func fitted(text string, width int) string {
	if width == 0 {
		return text
	}
	return ansi.Truncate(text, longest, "…")
}

// Screen is a writer that knows its size in cells, as a terminal does. Lines
// are wrapped at its width.
type Screen interface {
	io.Writer
	Size() (width, height int)
}

// widthOf is 0 if lines may have any length.
func widthOf(w io.Writer) int {
	if s, ok := w.(Screen); ok {
		width, _ := s.Size()
		return width
	}
	return 0
}

// leastColumn is the least width of a table's last column. If less is left, it
// stands on the lines below, indented.
const leastColumn = 32

// align prints rows with two spaces between columns; the last column is not
// padded. Text that exceeds the width continues below its column.
func align(b *bytes.Buffer, rows [][]string, width int) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		head, last := "", Inert(row[len(row)-1]) // before it is broken
		for i, cell := range row[:len(row)-1] {
			head += fmt.Sprintf("%-*s", widths[i]+2, cell)
		}
		if start := utf8.RuneCountInString(head); width > 0 && start+utf8.RuneCountInString(last) > width {
			if width-start < leastColumn {
				start = 4
				head = strings.TrimRight(head, " ") + "\n    "
			}
			last = strings.Join(broken(last, width-start), "\n"+strings.Repeat(" ", start))
		}
		b.WriteString(strings.TrimRight(head+last, " ") + "\n")
	}
}

// cut divides a line at the last space at which its first part fits; a longer word stays whole. It
// breaks at no hyphen, as ansi.Wordwrap would: names have some.
func cut(line string, width int) (first, rest string) {
	cells, end := 0, 0
	for end < len(line) {
		spaces := len(line[end:]) - len(strings.TrimLeft(line[end:], " "))
		next := len(line)
		if i := strings.IndexByte(line[end+spaces:], ' '); i >= 0 {
			next = end + spaces + i
		}
		cells += ansi.StringWidth(line[end:next])
		if cells > width && strings.TrimLeft(line[:end], " ") != "" {
			return line[:end], strings.TrimLeft(line[end:], " ")
		}
		end = next
	}
	return line, ""
}

// broken breaks text at its spaces.
func broken(text string, width int) (lines []string) {
	for {
		first, rest := cut(text, width)
		if lines = append(lines, first); rest == "" {
			return lines
		}
		text = rest
	}
}

// wrapped breaks a line at its spaces and indents the lines that follow. A width of 0 is none.
func wrapped(line string, width int) string { return wrappedAt(line, width, 4) }

// wrappedAt is wrapped with an indent of its own. The line is made inert before it is broken, or a
// password on the line below "password:" is none. What is printed is made inert once more: a line may
// begin with what stood within one.
func wrappedAt(line string, width, indent int) string {
	line = Inert(line)
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	if width-indent < leastColumn {
		indent = min(indent, 4)
	}
	first, rest := cut(line, width)
	if rest == "" {
		return first
	}
	next := "\n" + strings.Repeat(" ", indent)
	return first + next + strings.Join(broken(rest, width-indent), next)
}

// tree prints all known objects, children below their parents.
func tree(b *bytes.Buffer, m *known.Facts, width int) {
	namespaces := showsNamespaces(m)
	rows := [][]string{{"NAME", "STATUS", "SINCE", "REASON"}}
	var visit func(id object.ID, lead, branch string, depth int)
	visit = func(id object.ID, lead, branch string, depth int) {
		r, ok := m.Resource(id)
		if !ok || depth > maxDepth {
			return
		}
		name := id.String()
		if namespaces && depth == 0 && id.Namespace != "" {
			name = id.Namespace + " " + name
		}
		rows = append(rows,
			[]string{lead + branch + name, word(r), age(m.Now(), r.Assessment.Since), fitted(reason(m, r), width)})
		switch branch {
		case "├─ ":
			lead += "│  "
		case "└─ ":
			lead += "   "
		}
		for i, child := range r.Children {
			next := "├─ "
			if i == len(r.Children)-1 {
				next = "└─ "
			}
			visit(child, lead, next, depth+1)
		}
	}
	for _, id := range m.Roots() {
		// A followed object that has a parent stands below it.
		if r, _ := m.Resource(id); r.Parent.IsZero() {
			visit(id, "", "", 0)
		}
	}
	align(b, rows, width)
}

// summary is the verdict and the causes below a table.
func summary(b *bytes.Buffer, m *known.Facts, width int) {
	fmt.Fprintf(b, "\n%s\n", wrapped(headline(m), width))
	causes(b, m, m.Causes(), width)
}

// headline is the verdict in one line: "Failed: 1 of 18 resources failed, 17 Current".
func headline(m *known.Facts) string {
	verdict, counts, all := m.Verdict().Status, m.Counts(), 0
	for _, n := range counts {
		all += n
	}
	var parts []string
	for _, s := range status.Statuses {
		n := counts[s]
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", n, s)
		if s == verdict { // it needs its word no more
			part = fmt.Sprintf("%d of %d resources", n, all)
		}
		if s == verdict && s == status.Failed {
			part += " failed"
		}
		if assumed := m.Assumed(); s == status.Current && assumed > 0 {
			part += ofThemAssumed(assumed)
		}
		if s == verdict {
			parts = slices.Insert(parts, 0, part)
		} else {
			parts = append(parts, part)
		}
	}
	line := string(verdict)
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	if own := ownFieldsOnly(m); own != "" {
		line += " (" + own + ")"
	}
	if m.Verdict().Lost {
		line += " (the connection is lost; this is what was known)"
	}
	return line
}

// tally is the number of followed resources in each status.
func tally(m *known.Facts) (parts []string) {
	counts := m.Counts()
	for _, s := range status.Statuses {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return parts
}

// ofThemAssumed follows the number of Current resources.
func ofThemAssumed(n int) string { return fmt.Sprintf(", %d of them assumed", n) }

// ownFieldsOnly says that children were not read, if the user asked for that.
func ownFieldsOnly(m *known.Facts) string {
	if !m.Options().NoChildren {
		return ""
	}
	return "judged by their own fields only: --children=none"
}

// causes prints a line for each cause and its next step.
func causes(b *bytes.Buffer, m *known.Facts, list []explain.Cause, width int) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n")
	const most = 20
	for i, c := range list {
		if i == most {
			fmt.Fprintf(b, "and %d more causes\n", len(list)-most)
			return
		}
		b.WriteString(wrapped(causeLine(m, c), width) + "\n")
		if len(c.Next) > 0 {
			fmt.Fprintf(b, "    next: %s\n", oneLine(c.Next[0]))
		}
	}
}

func causeLine(m *known.Facts, c explain.Cause) string {
	line := "» " + oneLine(c.Title)
	if c.Count > 1 {
		line += fmt.Sprintf(" ×%d", c.Count)
	}
	subject := namespaced(m, c.Subject.ID)
	if c.Subject.Container != "" {
		subject += ", container " + c.Subject.Container
	}
	return fmt.Sprintf("%s  (%s; %s)", line, subject, c.Class)
}

// why prints the causes with their evidence. Commands stay in one line, to be copied.
func why(b *bytes.Buffer, m *known.Facts, width int) {
	b.WriteString(wrapped(headline(m), width) + "\n")
	if len(m.Causes()) == 0 {
		open := false
		for _, id := range m.Roots() {
			if r, ok := m.Resource(id); ok && r.Assessment.Status != status.Current {
				open = true
				line := fmt.Sprintf("%s  %s  %s", namespaced(m, id), word(r), reason(m, r))
				fmt.Fprintf(b, "\n%s\n", wrapped(line, width))
			}
		}
		if !open {
			b.WriteString("\nnothing blocks\n")
		}
	}
	for _, c := range m.Causes() {
		b.WriteString("\n" + wrapped(causeLine(m, c), width) + "\n")
		for _, f := range facts(m.Now(), c) {
			line := fmt.Sprintf("    %-7s %s", f.name, f.text)
			if !f.command {
				line = wrappedAt(line, width, len("    detail  "))
			}
			b.WriteString(line + "\n")
		}
	}
	for i, n := range notes(m) {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString(wrapped("note  "+n, width) + "\n")
	}
}

// notes are remarks on resources that are Current.
func notes(m *known.Facts) (out []string) {
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && r.Assessment.Status == status.Current && remarks(r) != "" {
			out = append(out, id.String()+": "+oneLine(remarks(r)))
		}
	}
	return out
}

// mostEchoes bounds how many symptoms of a cause are printed.
const mostEchoes = 3

// fact is one line below a cause.
type fact struct {
	name, text string
	command    bool
}

func facts(now time.Time, c explain.Cause) []fact {
	var out []fact
	add := func(name, text string) {
		if text = oneLine(text); text != "" {
			out = append(out, fact{name: name, text: text})
		}
	}
	if !strings.Contains(oneLine(c.Title), oneLine(c.Detail)) {
		add("detail", c.Detail)
	}
	if !c.Since.IsZero() {
		add("since", fmt.Sprintf("%s (%s ago), %s", utc(c.Since).Format(time.RFC3339), age(now, c.Since), c.Certainty))
	}
	if len(c.Chain) > 1 {
		steps := make([]string, len(c.Chain))
		for i, id := range c.Chain {
			steps[i] = id.String()
		}
		add("chain", strings.Join(steps, " → "))
	}
	add("blocks", names(c.Blocks))
	for _, s := range c.Echoes(mostEchoes) {
		add("then", s.Ref.String()+": "+s.Title)
	}
	for _, e := range c.Evidence {
		if e.Type == "log" && e.Value == c.Detail {
			add("proof", fmt.Sprintf("%s %s (see detail)", e.Ref, e.Path))
			continue
		}
		add("proof", fmt.Sprintf("%s %s = %s", e.Ref, e.Path, e.Value))
	}
	for _, x := range c.Changed {
		add("changed", fmt.Sprintf("%s: %s → %s", x.Path, orNone(x.Before), orNone(x.After)))
	}
	for _, x := range c.Missing {
		add("unseen", x)
	}
	if !c.Until.IsZero() {
		add("until", fmt.Sprintf("%s %s", utc(c.Until).Format(time.RFC3339), c.UntilWhat))
	}
	for _, n := range c.Steps() {
		out = append(out, fact{name: "next", text: oneLine(n.String()), command: true})
	}
	return out
}

// orNone is a field's value, or (none).
func orNone(s string) string { return cmp.Or(s, "(none)") }

func names(ids []object.ID) string {
	const most = 5
	var out []string
	for i, id := range ids {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(ids)-most))
			break
		}
		out = append(out, id.String())
	}
	return strings.Join(out, ", ")
}

// markdown prints a finding for an issue tracker.
func markdown(b *bytes.Buffer, m *known.Facts, resources bool) {
	fmt.Fprintf(b, "## %s\n\n", escape(headline(m)))
	fmt.Fprintf(b, "%s", utc(m.Now()).Format(time.RFC3339))
	if s := m.Options().Sources; len(s) > 0 {
		fmt.Fprintf(b, ", `%s`", strings.ReplaceAll(strings.Join(s, " "), "`", "'"))
	}
	b.WriteString("\n")
	for _, r := range m.Refusals() {
		fmt.Fprintf(b, "\nNot permitted: %s\n", escape(r))
	}
	if list := notes(m); !resources && len(list) > 0 {
		b.WriteString("\n")
		for _, n := range list {
			fmt.Fprintf(b, "- note: %s\n", escape(n))
		}
	}
	if resources {
		b.WriteString("\n| resource | status | since | reason |\n|---|---|---|---|\n")
		for _, id := range worstFirst(m, m.Roots()) {
			r, _ := m.Resource(id)
			name := id.String()
			if id.Namespace != "" {
				name = id.Namespace + "/" + name
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", escape(name), word(r),
				age(m.Now(), r.Assessment.Since), escape(reason(m, r)))
		}
	}
	for _, c := range m.Causes() {
		fmt.Fprintf(b, "\n### %s\n\n", escape(strings.TrimPrefix(causeLine(m, c), "» ")))
		for _, f := range facts(m.Now(), c) {
			if f.command {
				fmt.Fprintf(b, "- %s: `%s`\n", f.name, strings.ReplaceAll(f.text, "`", "'"))
				continue
			}
			fmt.Fprintf(b, "- %s: %s\n", f.name, escape(f.text))
		}
	}
}

// escape keeps text from the cluster from being read as markup.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;",
		"[", `\[`, "#", `\#`).Replace(s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(object.Clean(s)), " ") }

// age is a duration as kubectl prints it.
func age(now, since time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return duration.HumanDuration(max(now.Sub(since), 0))
}
