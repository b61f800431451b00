package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const augmentLong = `Amend the standard conditions (Reconciling, Stalled) of objects, without a cluster, so
that kubectl wait and other tools can read kstatus's verdict.

Unlike kstatus's own function of that name, what augment wrote itself on Kubernetes' own
kinds is removed when it no longer holds, and augmenting twice changes nothing.`

type augmentOptions struct{ offlineOptions }

func newAugmentCommand(f followOptions) *cobra.Command {
	o := &augmentOptions{offlineOptions{followOptions: f}}
	cmd := &cobra.Command{
		Use: "augment -f FILE|-", Short: "Amend kstatus's standard conditions offline", Long: augmentLong, Args: takes(0),
		Example: "  kubectl get deploy web -o yaml | kstatus-tui augment -f -",
		RunE:    runs(o),
	}
	o.addFlags(cmd.Flags(), "yaml", "json")
	return cmd
}

func (o *augmentOptions) Run(ctx context.Context) error {
	_, err := leavable(ctx, func() (struct{}, error) { return struct{}{}, o.augment(ctx) })
	return err
}

func (o *augmentOptions) augment(ctx context.Context) error {
	var done []unstructured.Unstructured
	told := o.each(ctx, func(raw inventory.RawObject) error {
		var u unstructured.Unstructured
		dec := json.NewDecoder(bytes.NewReader(raw.JSON))
		dec.UseNumber() // keep numbers as they are written
		if err := dec.Decode(&u.Object); err != nil {
			return problem.New(rightObject, "%s: %w", raw.Where, err)
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
			return problem.New(rightObject, "%s: %s/%s: %w", raw.Where, u.GetKind(), u.GetName(), err)
		}
		done = append(done, u)
		return nil
	})
	return cmp.Or(printObjects(o.Out, done, o.output), told)
}

// printObjects prints as kubectl does: a stream of YAML documents, or JSON, with
// a List of several objects.
func printObjects(w io.Writer, objects []unstructured.Unstructured, output string) error {
	var printer printers.ResourcePrinter = &printers.YAMLPrinter{}
	if output == "json" {
		printer = &printers.JSONPrinter{}
		if len(objects) > 1 {
			return printer.PrintObj(&unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}, Items: objects}, w)
		}
	}
	for i := range objects {
		if err := printer.PrintObj(&objects[i], w); err != nil {
			return err
		}
	}
	return nil
}
