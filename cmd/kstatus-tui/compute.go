package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const computeLong = `Judge objects without a cluster: manifests, or what kubectl get -o yaml printed.

With --rules kstatus the verdicts are kstatus's, to the letter. The default also knows
conventions, custom kinds and time, and says by which rule it judged and how sure it is;
parents are judged with those of their children that are in the input.`

type computeOptions struct {
	offlineOptions
	rules   string
	bare    bool // no table headers
	explain bool
	lint    bool
	health  healthRules
	user    status.UserRules
	whole   map[*object.Object]*object.Object // the objects with all fields, for the quotes of --explain
}

// asKstatus is the value of --rules for the upstream rules alone, to the letter.
const asKstatus = "kstatus"

func newComputeCommand(s genericiooptions.IOStreams) *cobra.Command {
	o := &computeOptions{offlineOptions: offlineOptions{IOStreams: s}}
	cmd := &cobra.Command{
		Use: "compute -f FILE|-", Short: "Judge objects offline, without a cluster", Long: computeLong, Args: takes(0),
		Example: "  kubectl get deploy,pod -o yaml | kstatus-tui compute -f -\n  kstatus-tui compute -f app.yaml --explain",
		RunE:    runs(o),
	}
	f := cmd.Flags()
	o.addFlags(f, "table", "jsonl")
	choose(f, &o.rules, "rules", "", "full", "full, or kstatus for its verdicts to the letter", []cobra.Completion{"full\tall that is known", asKstatus + "\tkstatus to the letter"})
	addNoHeaders(f, &o.bare)
	o.health.addFlag(f)
	f.BoolVar(&o.explain, "explain", false, "print the whole deduction, rule by rule")
	f.BoolVar(&o.lint, "lint", false, "say what of the API conventions is broken")
	return cmd
}

func (o *computeOptions) Complete(cmd *cobra.Command, args []string) error {
	if o.rules != asKstatus {
		c, err := readConfiguration(cmd.Flags())
		if err != nil {
			return err
		}
		o.health.complete(c, cmd.Flags())
	}
	return o.offlineOptions.Complete(cmd, args)
}

func (o *computeOptions) Validate() error {
	switch {
	case o.rules == asKstatus && o.explain:
		return problemf("leave --rules kstatus out", "--explain shows the deduction of the full rules")
	case o.rules == asKstatus && o.health.file != "":
		return problemf("leave --rules kstatus out", "--health-rules adds to the full rules")
	}
	return o.offlineOptions.Validate()
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

func (o *computeOptions) Run(ctx context.Context) error {
	own, err := o.health.load()
	if err != nil {
		return err
	}
	o.user = own.judge
	var objects []*object.Object
	o.whole = map[*object.Object]*object.Object{}
	told := o.each(ctx, func(raw inventory.RawObject) error {
		obj, err := decodeRaw(raw, convert.Options{Whole: o.user != nil, Verbatim: o.rules == asKstatus})
		if err != nil {
			return err
		}
		if whole, err := decodeRaw(raw, convert.Options{Whole: true}); err == nil && o.explain {
			o.whole[obj] = whole
		}
		objects = append(objects, obj)
		return nil
	})
	all := world.NewOffline(objects, o.user, o.now)
	var lines []computed
	for _, obj := range objects {
		l := o.judge(obj, all)
		if o.output == "table" { // the table's columns depend on all rows
			lines = append(lines, l)
			continue
		}
		if err := jsonLine(o.Out, l); err != nil {
			return err
		}
	}
	return cmp.Or(o.table(lines), told)
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
func (o *computeOptions) judge(obj *object.Object, all *world.Offline) computed {
	l := computed{
		Group: obj.Group, Version: obj.Version, Kind: obj.Kind, Namespace: obj.Namespace, Name: obj.Name,
		Conditions: []standard{},
	}
	if o.lint {
		for _, f := range status.Lint(obj) {
			l.Lint = append(l.Lint, linted(f))
		}
	}
	if o.rules == asKstatus {
		r, err := status.Compute(obj, o.now)
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
	a := all.Assess(obj)
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
	if o.explain {
		for _, step := range status.Explain(obj, all.World(obj), o.now) {
			l.Explain = append(l.Explain, deduced{step, o.read(obj, step)})
		}
	}
	return l
}

// table prints a header and a line per object; the output of --explain and
// --lint follows each line, indented.
func (o *computeOptions) table(lines []computed) error {
	if len(lines) == 0 {
		return nil
	}
	rows := [][]string{{"STATUS", "OBJECT", "REASON", "RULE", "CONFIDENCE", "MESSAGE"}}
	if o.bare {
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
	if o.rules == asKstatus {
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
	w := bufio.NewWriter(o.Out)
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
		return nil, problemf(rightObject, "%s: %w", raw.Where, err)
	}
	return o, nil
}
