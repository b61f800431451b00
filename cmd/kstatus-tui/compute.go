package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const computeLong = `Judge objects without a cluster: manifests, or what kubectl get -o yaml printed.

With --rules kstatus the verdicts are kstatus's, to the letter. The default also knows
conventions, custom kinds and time, and says by which rule it judged and how sure it is;
parents are judged with those of their children that are in the input.`

type computeOptions struct {
	offlineOptions
	printer
	rules   string
	explain bool
	lint    bool
}

// asKstatus is the value of --rules for the upstream rules alone, to the letter.
const asKstatus = "kstatus"

func newComputeCommand(f followOptions) *cobra.Command {
	o := &computeOptions{offlineOptions: offlineOptions{followOptions: f}}
	cmd := &cobra.Command{
		Use: "compute -f FILE|-", Short: "Judge objects offline, without a cluster", Long: computeLong, Args: takes(0),
		Example: "  kubectl get deploy,pod -o yaml | kstatus-tui compute -f -\n  kstatus-tui compute -f app.yaml --explain",
		RunE:    runs(o),
	}
	flags := cmd.Flags()
	o.offlineOptions.addFlags(flags)
	o.printer.addFlags(cmd, "table", "jsonl")
	choose(flags, &o.rules, "rules", "", "full", "full, or kstatus for its verdicts to the letter",
		[]cobra.Completion{"full\tall that is known", asKstatus + "\tkstatus to the letter"})
	addHealthRules(flags, &o.health)
	flags.BoolVar(&o.explain, "explain", false, "print the whole deduction, rule by rule")
	flags.BoolVar(&o.lint, "lint", false, "report violations of the Kubernetes API conventions")
	return cmd
}

func (o *computeOptions) Complete(cmd *cobra.Command, args []string) error {
	if o.rules != asKstatus {
		if _, err := readConfiguration(cmd.Flags()); err != nil {
			return err
		}
	}
	return o.offlineOptions.Complete(cmd, args)
}

func (o *computeOptions) Validate() error {
	switch {
	case o.rules == asKstatus && o.explain:
		return problem.New("leave --rules kstatus out", "--explain shows the deduction of the full rules")
	case o.rules == asKstatus && o.health != "":
		return problem.New("leave --rules kstatus out", "--health-rules adds to the full rules")
	}
	if err := o.offlineOptions.Validate(); err != nil {
		return err
	}
	return o.printer.Validate()
}

func (o *computeOptions) Run(ctx context.Context) error {
	_, err := leavable(ctx, func() (struct{}, error) { return struct{}{}, o.compute(ctx) })
	return err
}

func (o *computeOptions) compute(ctx context.Context) error {
	own, _, err := loadRules(o.health)
	if err != nil {
		return err
	}
	// The verdicts of kstatus depend on nothing but the object itself.
	alone := o.rules == asKstatus && o.output == "jsonl"
	var objects []*object.Object
	for raw := range o.objects(ctx) {
		obj, err := convert.JSON(raw.JSON, convert.Options{
			Kind:  schema.FromAPIVersionAndKind(raw.APIVersion, raw.Kind),
			Whole: own != nil || o.explain, Verbatim: o.rules == asKstatus,
		})
		if err != nil {
			o.tell(problem.New(rightObject, "%s: %w", raw.Where, err))
			continue
		}
		if alone {
			if err := report.JSONLine(o.Out, o.judge(obj, nil)); err != nil {
				return err
			}
			continue
		}
		if len(objects) == maxTogether {
			o.tell(problem.New("judge a part of it; --rules kstatus -o jsonl judges any number",
				"more than %d objects cannot be judged together", maxTogether))
			break
		}
		objects = append(objects, obj)
	}
	all := world.NewOffline(objects, own, o.now)
	var lines []report.Judged
	for _, obj := range objects {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lines = append(lines, o.judge(obj, all))
	}
	if len(lines) == 0 { // no document says that there are none
		return o.failure
	}
	return cmp.Or(o.printLines(lines), o.failure)
}

func (o *computeOptions) printLines(lines []report.Judged) error {
	var ids []object.ID
	for _, l := range lines {
		ids = append(ids, object.ID{Group: l.Group, Kind: l.Kind, Namespace: l.Namespace, Name: l.Name})
	}
	value := struct {
		Schema  string          `json:"schema"`
		Objects []report.Judged `json:"objects"`
	}{report.Schema, lines}
	return o.print(o.Out, o.ErrOut,
		printable{value: value, items: "objects", ids: ids, own: map[string]func(io.Writer) error{
			"table": func(w io.Writer) error { return report.Verdicts(w, lines, o.rules != asKstatus, o.noHeaders) },
			"jsonl": func(w io.Writer) error {
				for _, l := range lines {
					if err := report.JSONLine(w, l); err != nil {
						return err
					}
				}
				return nil
			},
		}})
}

// maxTogether bounds the objects that are held because parents are judged with
// their children. A variable for its test.
var maxTogether = 100_000

// standardOf are the standard conditions that a status sets.
var standardOf = map[status.Status]string{status.InProgress: status.Reconciling, status.Failed: status.Stalled}

// judge computes the line of one object.
func (o *computeOptions) judge(obj *object.Object, all *world.Offline) report.Judged {
	l := report.Judged{
		Group: obj.Group, Version: obj.Version, Kind: obj.Kind, Namespace: obj.Namespace, Name: obj.Name,
		Conditions: []object.Statement{},
	}
	if o.lint {
		for _, f := range status.Lint(obj) {
			l.Lint = append(l.Lint, report.Linted(f))
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
			l.Conditions = append(l.Conditions,
				object.Statement{Type: s.Type, Status: s.Status, Reason: s.Reason, Message: s.Message})
		}
		return l
	}
	a := all.Assess(obj)
	l.Status, l.Reason, l.Message = a.Status, a.Reason, a.Message
	l.Rule, l.Confidence, l.Terminal, l.Paused, l.Note = a.Rule, a.Confidence, a.Terminal, a.Paused, a.Note
	if condition := standardOf[a.Status]; condition != "" {
		l.Conditions = append(l.Conditions,
			object.Statement{Type: condition, Status: "True", Reason: a.Reason, Message: a.Message})
	}
	if a.Status == status.Unknown {
		l.Error = a.Message
	}
	if o.explain {
		for _, step := range status.Explain(obj, all.World(obj), o.now) {
			d := report.Deduced{Step: step}
			for _, path := range step.Paths {
				// A field with more than one value would not fit a line.
				if value, ok := quote(obj, path); ok {
					d.Read = append(d.Read, report.FieldValue{Path: path, Value: value})
				}
			}
			l.Explain = append(l.Explain, d)
		}
	}
	return l
}

// quote returns the value at a path such as status.replicas, or the condition of
// status.conditions[Ready] or status.conditions[0].reason; ok is false if it is
// not a scalar.
func quote(o *object.Object, path string) (value string, ok bool) {
	if field, rest, indexed := strings.Cut(path, "["); indexed {
		name, of, _ := strings.Cut(rest, "]")
		x := o.Condition(name)
		if i, err := strconv.Atoi(name); err == nil && i < len(o.Conditions) {
			x = &o.Conditions[i]
		}
		switch {
		case field != "status.conditions":
			return "", false
		case x == nil:
			return "absent", true
		case of == ".reason":
			return x.Reason, x.Reason != ""
		case of == ".status":
			return x.Type + " is " + x.Status, true
		}
		return strings.TrimSuffix(x.Type+" is "+x.Status+", "+x.Reason, ", "), true
	}
	v, found := o.Get(strings.Split(path, ".")...)
	switch v.(type) {
	case string, bool, int64, float64:
		return fmt.Sprint(v), true
	}
	return "absent", !found
}
