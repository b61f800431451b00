package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const augmentLong = `Write kstatus's verdict into objects, as the standard conditions Reconciling and Stalled,
without a cluster, so that kubectl wait and other tools can read it.

Unlike kstatus's Augment, conditions added by an earlier run are removed when they no longer
apply, and augmenting twice changes nothing.`

type augmentOptions struct {
	offlineOptions
	output string
}

func newAugmentCommand(f followOptions) *cobra.Command {
	o := &augmentOptions{offlineOptions: offlineOptions{followOptions: f}}
	cmd := &cobra.Command{
		Use: "augment -f FILE|-", Short: "Write kstatus's verdict into objects as conditions, offline",
		Long: augmentLong, Args: takes(0),
		Example: "  kubectl get deploy web -o yaml | kstatus-tui augment -f -",
		RunE:    runs(o),
	}
	o.addFlags(cmd.Flags())
	choose(cmd.Flags(), &o.output, "output", "o", "yaml", "yaml or json", []cobra.Completion{"yaml", "json"})
	return cmd
}

func (o *augmentOptions) Run(ctx context.Context) error {
	_, err := leavable(ctx, func() (struct{}, error) { return struct{}{}, o.augment(ctx) })
	return err
}

func (o *augmentOptions) augment(ctx context.Context) error {
	out := objectPrinter{w: o.Out, json: o.output == "json"}
	for raw := range o.objects(ctx) {
		u, err := o.augmented(raw)
		if err != nil {
			o.tell(err)
			continue
		}
		if err := out.print(u); err != nil {
			return err
		}
	}
	return cmp.Or(out.end(), o.failure)
}

func (o *augmentOptions) augmented(raw inventory.RawObject) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	dec := json.NewDecoder(bytes.NewReader(raw.JSON))
	dec.UseNumber() // keep numbers as they are written
	if err := dec.Decode(&u.Object); err != nil {
		return nil, problem.New(rightObject, "%s: %w", raw.Where, err)
	}
	if raw.Kind != "" && u.Object["kind"] == nil {
		u.SetKind(raw.Kind)
		u.SetAPIVersion(raw.APIVersion)
	}
	// Augment needs every text unchanged.
	verbatim := func(obj map[string]any) (*object.Object, error) {
		return convert.Map(obj, convert.Options{Verbatim: true})
	}
	if _, err := status.Augment(u.Object, verbatim, o.now); err != nil {
		return nil, problem.New(rightObject, "%s: %s/%s: %w", raw.Where, u.GetKind(), u.GetName(), err)
	}
	return u, nil
}

// objectPrinter prints objects one by one as kubectl does: a stream of YAML
// documents, or JSON, with a List of several objects.
type objectPrinter struct {
	w     io.Writer
	json  bool
	count int
	first *unstructured.Unstructured // of JSON, while it may be the only one
}

func (p *objectPrinter) print(u *unstructured.Unstructured) error {
	if !p.json {
		if p.count++; p.count > 1 {
			fmt.Fprintln(p.w, "---")
		}
		return report.WriteYAML(p.w, u.Object)
	}
	switch p.count++; p.count {
	case 1:
		p.first = u
		return nil
	case 2:
		if err := p.item("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", p.first); err != nil {
			return err
		}
		p.first = nil
	}
	return p.item(",\n", u)
}

// item prints an item of the List, and what stands before it.
func (p *objectPrinter) item(before string, u *unstructured.Unstructured) error {
	const indent = "    "
	text, err := json.MarshalIndent(u, indent+indent, indent)
	if err == nil {
		_, err = fmt.Fprintf(p.w, "%s%s%s", before, indent+indent, report.InertJSON(text))
	}
	return err
}

// end prints what is left when there are no more objects.
func (p *objectPrinter) end() error {
	switch {
	case p.first != nil:
		text, err := json.MarshalIndent(p.first, "", "    ")
		if err == nil {
			_, err = fmt.Fprintf(p.w, "%s\n", report.InertJSON(text))
		}
		return err
	case p.json && p.count > 1:
		_, err := io.WriteString(p.w, "\n    ],\n    \"kind\": \"List\"\n}\n")
		return err
	}
	return nil
}
