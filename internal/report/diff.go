package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// DiffFormats are the formats of [Diff].
var DiffFormats = []string{"text", "json", "markdown"}

// Moment is one side of a comparison: a state and its name.
type Moment struct {
	Name  string
	Facts *known.Facts
}

// Difference compares two states of the followed resources. Generated objects
// are left out, because their names differ in every run; their state appears in
// their owners' status and in the causes.
type Difference struct {
	Schema    string         `json:"schema"`
	A         Side           `json:"a"`
	B         Side           `json:"b"`
	Resources []Changed      `json:"resources"` // the resources that differ, sorted
	Causes    CausesCompared `json:"causes"`
	Same      int            `json:"same"` // how many resources are equal
	// Elsewhere counts the resources that are in another namespace in B than in
	// A; they are compared by kind and name.
	Elsewhere int `json:"elsewhere,omitempty"`
}

// Side is one of the two.
type Side struct {
	Name    string        `json:"name"`
	Time    time.Time     `json:"time"`
	Elapsed string        `json:"elapsed"` // since its recording began
	Sources []string      `json:"sources"`
	Verdict status.Status `json:"verdict"`
	Counts  Counts        `json:"counts"`
	// Recording is set if the recording is incomplete.
	Recording *Recording `json:"recording,omitempty"`
}

// Changed is a resource that differs, or that is in one state only.
type Changed struct {
	Ref    object.ID `json:"ref"`
	RefB   object.ID `json:"refB,omitzero"` // set if it is in another namespace in B
	In     string    `json:"in"`            // both, a, b
	Fields []Field   `json:"fields"`
}

// Field is one difference; "" means absent.
type Field struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// CausesCompared are the causes of both sides. Two causes are the same if they
// have the same code and object.
type CausesCompared struct {
	OnlyA []Cause `json:"onlyA"`
	OnlyB []Cause `json:"onlyB"`
	Both  []Cause `json:"both"` // as in the second state
}

// Compare compares two states.
func Compare(a, b Moment) Difference {
	d := Difference{Schema: Schema, A: side(a), B: side(b), Resources: []Changed{}}
	ids := append(slices.Clone(a.Facts.Roots()), b.Facts.Roots()...)
	slices.SortFunc(ids, object.ID.Compare)
	ids = slices.Compact(ids)
	pairs := elsewhere(a.Facts, b.Facts, ids)
	d.Elsewhere = len(pairs)
	others := map[object.ID]struct{}{}
	for _, id := range pairs {
		others[id] = struct{}{}
	}
	for _, id := range ids {
		if _, met := others[id]; met {
			continue
		}
		c := Changed{Ref: id, RefB: pairs[id], In: "both", Fields: []Field{}}
		fa, inA := fieldsOf(a.Facts, id)
		fb, inB := fieldsOf(b.Facts, cmp.Or(c.RefB, id))
		switch {
		case !inB:
			c.In = "a"
		case !inA:
			c.In = "b"
		}
		names := slices.Concat(slices.Collect(maps.Keys(fa)), slices.Collect(maps.Keys(fb)))
		slices.SortFunc(names, func(x, y string) int { return cmp.Or(fieldOrder(x)-fieldOrder(y), cmp.Compare(x, y)) })
		for _, k := range slices.Compact(names) {
			if fa[k] != fb[k] {
				c.Fields = append(c.Fields, Field{k, fa[k], fb[k]})
			}
		}
		if len(c.Fields) == 0 && c.In == "both" {
			d.Same++
			continue
		}
		d.Resources = append(d.Resources, c)
	}
	da, db := New(a.Facts).Causes, New(b.Facts).Causes
	d.Causes = CausesCompared{OnlyA: shared(da, db, false), OnlyB: shared(db, da, false), Both: shared(db, da, true)}
	return d
}

// shared are the causes that another side has too, or has not.
func shared(causes, others []Cause, want bool) []Cause {
	out := []Cause{}
	for _, c := range causes {
		if slices.ContainsFunc(others, func(o Cause) bool { return sameCause(c, o) }) == want {
			out = append(out, c)
		}
	}
	return out
}

// elsewhere pairs, by kind and name, resources that are in one namespace in A
// and in another in B: a release in staging and in production. Ambiguous names
// are not paired.
func elsewhere(a, b *known.Facts, ids []object.ID) map[object.ID]object.ID {
	only := map[object.ID][2][]object.ID{} // by ID without namespace
	for _, id := range ids {
		inA, inB := isRoot(a, id), isRoot(b, id)
		if inA == inB || id.Namespace == "" {
			continue
		}
		key := id
		key.Namespace = ""
		sides := only[key]
		if inA {
			sides[0] = append(sides[0], id)
		} else {
			sides[1] = append(sides[1], id)
		}
		only[key] = sides
	}
	pairs := map[object.ID]object.ID{}
	for _, sides := range only {
		if len(sides[0]) == 1 && len(sides[1]) == 1 {
			pairs[sides[0][0]] = sides[1][0]
		}
	}
	return pairs
}

func sameCause(a, b Cause) bool { return a.ID == b.ID || a.Code == b.Code && a.Title == b.Title }

func side(m Moment) Side {
	return Side{
		Name: m.Name, Time: utc(m.Facts.Now()), Elapsed: m.Facts.Elapsed().Round(time.Second).String(),
		Sources: m.Facts.Options().Sources, Verdict: m.Facts.Verdict().Status, Counts: newCounts(m.Facts),
		Recording: recordingOf(m.Facts),
	}
}

// fieldOrder sorts judgements first, then spec fields, then the rest.
func fieldOrder(f string) int {
	if i := slices.Index([]string{"status", "reason", "message", "note"}, f); i >= 0 {
		return i
	}
	if strings.HasPrefix(f, "spec") || strings.HasPrefix(f, "image ") {
		return 10
	}
	return 20
}

func isRoot(m *known.Facts, id object.ID) bool {
	r, ok := m.Resource(id)
	return ok && r.Root != nil
}

// fieldsOf returns the comparable fields of a resource, by name.
func fieldsOf(m *known.Facts, id object.ID) (map[string]string, bool) {
	r, ok := m.Resource(id)
	if !ok || r.Root == nil {
		return nil, false
	}
	a := r.Assessment
	f := map[string]string{"status": string(a.Status), "reason": a.Reason, "note": cmp.Or(a.Note, r.Note)}
	if a.Status != status.Current {
		f["message"] = oneLine(a.Message)
	}
	if r.Took > 0 {
		f["took"] = r.Took.Round(time.Second).String()
	}
	o := r.Object
	if o == nil {
		return f, true
	}
	if o.Generation.Set {
		f["generation"] = strconv.FormatInt(o.Generation.V, 10)
	}
	for _, c := range o.Conditions {
		f["condition "+c.Type] = strings.TrimSpace(c.Status + " " + c.Reason)
	}
	if w := o.Workload; w != nil {
		for _, i := range w.Images {
			f["image "+i.Container] = i.Image
		}
		for name, v := range map[string]object.Int{
			"spec.replicas": w.Replicas, "ready": w.Ready,
			"updated": w.Updated, "available": w.Available,
		} {
			if v.Set {
				f[name] = strconv.FormatInt(v.V, 10)
			}
		}
		f["spec.strategy"], f["spec.serviceAccount"], f["revision"] = w.Strategy, w.ServiceAccount, w.Revision
	}
	flatten(f, "", o.Tree, 0)
	return f, true
}

// flatten lists the leaves of a custom resource's fields by path.
func flatten(into map[string]string, path string, v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if depth < 8 && len(into) < 2000 {
				flatten(into, strings.TrimPrefix(path+"."+k, "."), e, depth+1)
			}
		}
	case []any:
		for i, e := range v {
			if depth < 8 && len(into) < 2000 {
				flatten(into, path+"["+strconv.Itoa(i)+"]", e, depth+1)
			}
		}
	case nil:
	default:
		// times and counters differ in every run
		if s, ok := v.(string); ok {
			if _, err := time.Parse(time.RFC3339, s); err == nil {
				return
			}
		}
		into[path] = oneLine(fmt.Sprint(v))
	}
}

// Diff prints the differences of two states.
func Diff(w io.Writer, d Difference, format string) error {
	var out bytes.Buffer
	switch format {
	case "json":
		return WriteJSON(w, d)
	case "markdown":
		d.markdown(&out)
	default:
		d.text(&out, widthOf(w))
	}
	return printInert(w, &out)
}

func (s Side) line(m string) string {
	total, assumed := 0, ""
	for key, n := range s.Counts {
		if key == string(status.Assumed) {
			assumed = ofThemAssumed(n)
		} else {
			total += n
		}
	}
	return fmt.Sprintf("%s  %s, %d of %d Current%s, %s after its beginning  (%s)", m, s.Verdict,
		s.Counts[string(status.Current)], total, assumed, s.Elapsed, s.Name)
}

func (d Difference) text(b *bytes.Buffer, width int) {
	fmt.Fprintln(b, d.A.line("A"))
	fmt.Fprintln(b, d.B.line("B"))
	if d.Elsewhere > 0 {
		fmt.Fprintf(b, "\n%s\n", d.elsewhere())
	}
	d.causes(b, "\n%s\n", func(c Cause) string { return "  " + causeTitle(c) + "\n" })
	for _, r := range d.Resources {
		where := map[string]string{"a": "  only in A", "b": "  only in B"}[r.In]
		if !r.RefB.IsZero() {
			where = "  (A: " + r.Ref.Namespace + ", B: " + r.RefB.Namespace + ")"
		}
		fmt.Fprintf(b, "\n%s%s\n", d.refName(r.Ref), where)
		var rows [][]string
		for _, f := range r.Fields {
			rows = append(rows, f.rows(r.In)...)
		}
		align(b, rows, width)
	}
	switch {
	case len(d.Resources) == 0:
		fmt.Fprintf(b, "\nNothing that was asked for differs.\n")
	case d.Same > 0:
		fmt.Fprintf(b, "\n%d more do not differ.\n", d.Same)
	}
}

// longestSide is the longest value that stands on one line with the other side's.
const longestSide = 60

// rows are a field's lines: both values on one, or each on its own if they are long.
func (f Field) rows(in string) [][]string {
	name, a, b := "  "+f.Field, cmp.Or(f.A, "-"), "→ "+cmp.Or(f.B, "-")
	switch {
	case in == "a":
		return [][]string{{name, a}}
	case in == "b":
		return [][]string{{name, f.B}}
	case utf8.RuneCountInString(a) > longestSide || utf8.RuneCountInString(b) > longestSide:
		return [][]string{{name, a}, {"", b}}
	}
	return [][]string{{name, a + " " + b}}
}

// elsewhere notes that some resources were compared across namespaces.
func (d Difference) elsewhere() string {
	if d.Elsewhere == 1 {
		return "One object is in another namespace in B than in A: it is compared by kind and name."
	}
	return fmt.Sprintf("%d objects are in other namespaces in B than in A: they are compared by kind and name.",
		d.Elsewhere)
}

// causes prints the causes of each side, a line for each.
func (d Difference) causes(b *bytes.Buffer, heading string, line func(Cause) string) {
	for _, part := range []struct {
		name   string
		causes []Cause
	}{{"Causes in A alone", d.Causes.OnlyA}, {"Causes in B alone", d.Causes.OnlyB}, {"Causes in both", d.Causes.Both}} {
		if len(part.causes) > 0 {
			fmt.Fprintf(b, heading, part.name)
		}
		for _, c := range part.causes {
			b.WriteString(line(c))
		}
	}
}

func causeTitle(c Cause) string {
	if c.Count > 1 {
		return fmt.Sprintf("%s ×%d  (%s)", oneLine(c.Title), c.Count, c.Code)
	}
	return fmt.Sprintf("%s  (%s)", oneLine(c.Title), c.Code)
}

// refName is an object's name, with its namespace where there are several.
func (d Difference) refName(r object.ID) string {
	name := r.Kind + "/" + r.Name
	for _, o := range d.Resources {
		if o.Ref.Namespace != r.Namespace {
			return strings.TrimPrefix(r.Namespace+" "+name, " ")
		}
	}
	return name
}

func (d Difference) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "## %s → %s\n\n- %s\n- %s\n", d.A.Verdict, d.B.Verdict, escape(d.A.line("A")), escape(d.B.line("B")))
	if d.Elsewhere > 0 {
		fmt.Fprintf(b, "\n%s\n", d.elsewhere())
	}
	d.causes(b, "\n### %s\n\n", func(c Cause) string { return "- " + escape(causeTitle(c)) + "\n" })
	if len(d.Resources) == 0 {
		return
	}
	b.WriteString("\n| resource | field | A | B |\n|---|---|---|---|\n")
	for _, r := range d.Resources {
		for _, f := range r.Fields {
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", escape(d.refName(r.Ref)),
				escape(f.Field), escape(f.A), escape(f.B))
		}
	}
}
