package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
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
	rules   string
	bare    bool // no table headers
	explain bool
	lint    bool
	health  healthRules
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
		return problem.New("leave --rules kstatus out", "--explain shows the deduction of the full rules")
	case o.rules == asKstatus && o.health.file != "":
		return problem.New("leave --rules kstatus out", "--health-rules adds to the full rules")
	}
	return o.offlineOptions.Validate()
}

func (o *computeOptions) Run(ctx context.Context) error {
	own, err := o.health.load()
	if err != nil {
		return err
	}
	var objects []*object.Object
	told := o.each(ctx, func(raw inventory.RawObject) error {
		obj, err := convert.JSON(raw.JSON, convert.Options{
			Kind:  schema.FromAPIVersionAndKind(raw.APIVersion, raw.Kind),
			Whole: own.judge != nil || o.explain, Verbatim: o.rules == asKstatus,
		})
		if err != nil {
			return problem.New(rightObject, "%s: %w", raw.Where, err)
		}
		objects = append(objects, obj)
		return nil
	})
	all := world.NewOffline(objects, own.judge, o.now)
	var lines []report.Judged
	for _, obj := range objects {
		l := o.judge(obj, all)
		if o.output == "table" { // the table's columns depend on all rows
			lines = append(lines, l)
			continue
		}
		if err := report.JSONLine(o.Out, l); err != nil {
			return err
		}
	}
	return cmp.Or(report.Verdicts(o.Out, lines, o.rules != asKstatus, o.bare), told)
}

// judge computes the line of one object.
func (o *computeOptions) judge(obj *object.Object, all *world.Offline) report.Judged {
	l := report.Judged{
		Group: obj.Group, Version: obj.Version, Kind: obj.Kind, Namespace: obj.Namespace, Name: obj.Name,
		Conditions: []report.Standard{},
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
			l.Conditions = append(l.Conditions, report.Standard{Type: s.Type, Status: s.Status, Reason: s.Reason, Message: s.Message})
		}
		return l
	}
	a := all.Assess(obj)
	l.Status, l.Reason, l.Message = a.Status, a.Reason, a.Message
	l.Rule, l.Confidence, l.Terminal, l.Paused, l.Note = a.Rule, a.Confidence, a.Terminal, a.Paused, a.Note
	switch a.Status {
	case status.InProgress:
		l.Conditions = append(l.Conditions, report.Standard{Type: status.Reconciling, Status: "True", Reason: a.Reason, Message: a.Message})
	case status.Failed:
		l.Conditions = append(l.Conditions, report.Standard{Type: status.Stalled, Status: "True", Reason: a.Reason, Message: a.Message})
	case status.Unknown:
		l.Error = a.Message
	}
	if o.explain {
		for _, step := range status.Explain(obj, all.World(obj), o.now) {
			l.Explain = append(l.Explain, report.Deduced{Step: step, Read: read(obj, step)})
		}
	}
	return l
}

// read looks up the fields of a step. Fields with more than one value are
// omitted, because they would not fit a line.
func read(o *object.Object, s status.Step) (list []report.FieldValue) {
	for _, path := range s.Paths {
		if value, ok := quote(o, path); ok {
			list = append(list, report.FieldValue{Path: path, Value: value})
		}
	}
	return list
}

// quote returns the value at a path such as status.replicas,
// status.conditions[0].reason or status.conditions[Ready]; ok is false if it is
// not a scalar.
func quote(o *object.Object, path string) (value string, ok bool) {
	field, rest, _ := strings.Cut(path, "[")
	if field == "status.conditions" && rest != "" {
		name, after, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(name)
		if err != nil {
			return condition(o, name), true
		}
		if i >= len(o.Conditions) {
			return "", false
		}
		x := &o.Conditions[i]
		switch after {
		case ".status":
			return x.Type + " is " + x.Status, true
		case ".reason":
			return x.Reason, x.Reason != ""
		}
		return "", false
	}
	if field == "metadata.annotations" {
		return o.Annotation(strings.TrimSuffix(rest, "]"))
	}
	if rest != "" {
		return "", false
	}
	v, found := o.Get(strings.Split(path, ".")...)
	switch v := v.(type) {
	case string:
		return v, utf8.RuneCountInString(v) <= 100
	case bool, int64, float64:
		return fmt.Sprint(v), true
	case nil:
		if !found {
			return "absent", true
		}
		return "null", true
	}
	return "", false
}

func condition(o *object.Object, typ string) string {
	x := o.Condition(typ)
	switch {
	case x == nil:
		return "absent"
	case x.Reason == "":
		return x.Status
	}
	return x.Status + ", " + x.Reason
}
