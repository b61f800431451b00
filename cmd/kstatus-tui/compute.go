package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const computeLong = `Judge objects without a cluster: manifests, or what kubectl get -o yaml printed.

With --rules kstatus the verdicts are kstatus's, to the letter. The default also knows
conventions, custom kinds and time, and says by which rule it judged and how sure it is;
parents are judged with those of their children that are in the input.`

// computing holds the flags of compute.
type computing struct {
	files   []string
	from    inventory.Reader
	rules   string
	output  string
	bare    bool // no table headers
	explain bool
	lint    bool
	health  string
	user    status.UserRules
	now     time.Time
	whole   map[*object.Object]*object.Object // the objects with all fields, for the quotes of --explain
}

func newComputeCommand(s genericiooptions.IOStreams) *cobra.Command {
	var c computing
	cmd := &cobra.Command{
		Use: "compute -f FILE|-", Short: "Judge objects offline, without a cluster", Long: computeLong, Args: takes(0),
		Example: "  kubectl get deploy,pod -o yaml | kstatus-tui compute -f -\n  kstatus-tui compute -f app.yaml --explain",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("--rules", c.rules, "full", "kstatus"); err != nil {
				return err
			}
			if err := oneOf("-o", c.output, "table", "jsonl"); err != nil {
				return err
			}
			if c.rules == "kstatus" && c.explain {
				return problemf("leave --rules kstatus out", "--explain shows the deduction of the full rules")
			}
			if c.health != "" && c.rules == "kstatus" {
				return problemf("leave --rules kstatus out", "--health-rules adds to the full rules")
			}
			if c.rules != "kstatus" { // "kstatus" means the upstream rules alone, to the letter
				own, err := loadRules(c.health)
				if err != nil {
					return err
				}
				c.user = own.judge
			}
			c.now, c.from.Stdin = time.Now(), piped(s.In)
			return c.run(cmd.Context(), s)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&c.files, "filename", "f", nil, "a file, a folder, a URL, or - for standard input (repeatable)")
	addRecursive(f, &c.from.Recursive)
	f.StringVar(&c.rules, "rules", "full", "full, or kstatus for its verdicts to the letter")
	f.StringVarP(&c.output, "output", "o", "table", "table or jsonl")
	addNoHeaders(f, &c.bare)
	f.StringVar(&c.health, "health-rules", "", "a file of your own rules, in CEL")
	f.BoolVar(&c.explain, "explain", false, "print the whole deduction, rule by rule")
	f.BoolVar(&c.lint, "lint", false, "say what of the API conventions is broken")
	return cmd
}

// computed is a line of compute -o jsonl.
type computed struct {
	Group      string            `json:"group"`
	Version    string            `json:"version"`
	Kind       string            `json:"kind"`
	Namespace  string            `json:"namespace,omitempty"`
	Name       string            `json:"name"`
	Status     status.Status     `json:"status"`
	Reason     string            `json:"reason,omitempty"`
	Message    string            `json:"message,omitempty"`
	Error      string            `json:"error,omitempty"`
	Rule       string            `json:"rule,omitempty"`
	Confidence status.Confidence `json:"confidence,omitempty"`
	Terminal   bool              `json:"terminal,omitempty"`
	Paused     bool              `json:"paused,omitempty"`
	Note       string            `json:"note,omitempty"`
	Conditions []standard        `json:"conditions"`
	Explain    []deduced         `json:"explain,omitempty"`
	Lint       []linted          `json:"lint,omitempty"`
}

// deduced is a step of the deduction, with the values of the fields that it
// read.
type deduced struct {
	status.Step
	Read []fieldValue `json:"read,omitempty"`
}

// linted is a convention of the API that the object's controller breaks.
type linted struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
}

// standard is one of kstatus's standard conditions.
type standard struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

func (c *computing) run(ctx context.Context, s genericiooptions.IOStreams) error {
	var objects []*object.Object
	broken := 0
	c.whole = map[*object.Object]*object.Object{}
	for raw, err := range readObjects(ctx, c.files, c.from) {
		var o *object.Object
		if err == nil {
			o, err = decodeRaw(raw, convert.Options{Whole: c.user != nil, Verbatim: c.rules == "kstatus"})
		}
		if err != nil {
			printError(s.ErrOut, err)
			broken++
			continue
		}
		if c.explain {
			whole, err := decodeRaw(raw, convert.Options{Whole: true})
			if err == nil {
				c.whole[o] = whole
			}
		}
		objects = append(objects, o)
	}
	all := newFamily(objects, c.user, c.now)
	var lines []computed
	for _, o := range objects {
		l := c.judge(o, all)
		if c.output == "table" { // the table's columns depend on all rows
			lines = append(lines, l)
			continue
		}
		if err := jsonLine(s.Out, l); err != nil {
			return err
		}
	}
	if err := c.table(s.Out, lines); err != nil {
		return err
	}
	if broken > 0 {
		return exitWith(exitError)
	}
	return nil
}

// jsonLine prints a value as one line of JSON. It escapes all control
// characters that a terminal might obey; encoding/json escapes only those below
// U+0020.
func jsonLine(out io.Writer, v any) error {
	var line, safe bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	for _, r := range line.String() {
		switch {
		case r == '\n' || unicode.IsGraphic(r):
			safe.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&safe, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&safe, `\u%04x\u%04x`, high, low)
		}
	}
	_, err := out.Write(safe.Bytes())
	return err
}

// judge computes the line of one object.
func (c *computing) judge(o *object.Object, all *family) computed {
	l := computed{
		Group: o.Group, Version: o.Version, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name,
		Conditions: []standard{},
	}
	if c.lint {
		for _, f := range status.Lint(o) {
			l.Lint = append(l.Lint, linted(f))
		}
	}
	if c.rules == "kstatus" {
		r, err := status.Compute(o, c.now)
		if err != nil {
			l.Status, l.Error = status.Unknown, object.Clean(err.Error())
			return l
		}
		l.Status, l.Message = r.Status, r.Message
		for _, s := range r.Conditions {
			l.Reason = s.Reason
			l.Conditions = append(l.Conditions, standard{s.Type, s.Status, s.Reason, s.Message})
		}
		return l
	}
	a := all.assess(o)
	l.Status, l.Reason, l.Message = a.Status, a.Reason, a.Message
	l.Rule, l.Confidence, l.Terminal, l.Paused, l.Note = a.Rule, a.Confidence, a.Terminal, a.Paused, a.Note
	switch a.Status {
	case status.InProgress:
		l.Conditions = append(l.Conditions, standard{status.Reconciling, "True", a.Reason, a.Message})
	case status.Failed:
		l.Conditions = append(l.Conditions, standard{status.Stalled, "True", a.Reason, a.Message})
	case status.Unknown:
		l.Error = a.Message
	}
	if c.explain {
		for _, step := range status.Explain(o, all.world(o), c.now) {
			l.Explain = append(l.Explain, deduced{step, c.read(o, step)})
		}
	}
	return l
}

// table prints a header and a line per object; the output of --explain and
// --lint follows each line, indented.
func (c *computing) table(out io.Writer, lines []computed) error {
	if len(lines) == 0 {
		return nil
	}
	rows := [][]string{{"STATUS", "OBJECT", "REASON", "RULE", "CONFIDENCE", "MESSAGE"}}
	if c.bare {
		rows = nil
	}
	for _, l := range lines {
		name := ""
		if l.Namespace != "" {
			name = l.Namespace + " "
		}
		name += l.Kind
		if l.Group != "" {
			name += "." + l.Group
		}
		message := cmp.Or(l.Message, l.Error)
		if l.Note != "" {
			message = strings.TrimSpace(message + " (" + l.Note + ")")
		}
		rows = append(rows, []string{
			string(l.Status), name + "/" + l.Name, cmp.Or(l.Reason, "-"),
			cmp.Or(l.Rule, "-"), cmp.Or(string(l.Confidence), "-"), message,
		})
	}
	if c.rules == "kstatus" {
		for i, r := range rows {
			rows[i] = slices.Concat(r[:3], r[5:])
		}
	}
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			cell = object.Clean(cell) // --rules kstatus keeps line breaks in messages
			r[i] = cell
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	w := bufio.NewWriter(out)
	for i, r := range rows {
		last := len(r) - 1
		for j, cell := range r[:last] {
			fmt.Fprintf(w, "%-*s  ", widths[j], cell)
		}
		fmt.Fprintln(w, r[last])
		if i > 0 {
			below(w, lines[i-1])
		}
	}
	return w.Flush()
}

func below(w io.Writer, l computed) {
	deduction(w, l)
	for _, advice := range l.Lint {
		fmt.Fprintf(w, "    lint %s: %s", advice.Code, object.Clean(advice.Message))
		if advice.Path != "" {
			fmt.Fprintf(w, "  [%s]", object.Clean(advice.Path))
		}
		fmt.Fprintln(w)
	}
}

func decodeRaw(raw inventory.RawObject, opts convert.Options) (*object.Object, error) {
	opts.Kind = schema.FromAPIVersionAndKind(raw.APIVersion, raw.Kind)
	o, err := convert.JSON(raw.JSON, opts)
	if err != nil {
		return nil, problemf("", "%s: %w", raw.Where, err)
	}
	return o, nil
}

// readObjects yields the objects of all files given with -f, in order. An
// object that cannot be read is yielded as an error.
func readObjects(ctx context.Context, names []string, from inventory.Reader) iter.Seq2[inventory.RawObject, error] {
	return func(yield func(inventory.RawObject, error) bool) {
		if len(names) == 0 {
			yield(inventory.RawObject{}, problemf("kubectl get deploy,pod -o yaml | kstatus-tui compute -f -", "nothing to read: -f FILE is missing"))
			return
		}
		for _, name := range names {
			for in, err := range from.Inputs(ctx, name) {
				if err == nil && len(bytes.TrimSpace(in.Data)) == 0 {
					err = problemf("give it manifests, YAML or JSON", "%s is empty", in.Name)
				}
				if err != nil {
					if !yield(inventory.RawObject{}, err) {
						return
					}
					continue
				}
				for o, err := range inventory.Objects(in.Name, in.Data) {
					if !yield(o, err) {
						return
					}
				}
			}
		}
	}
}
