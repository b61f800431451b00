package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

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

func newAugmentCommand(s genericiooptions.IOStreams) *cobra.Command {
	o := &augmentOptions{offlineOptions{IOStreams: s}}
	cmd := &cobra.Command{
		Use: "augment -f FILE|-", Short: "Amend kstatus's standard conditions offline", Long: augmentLong, Args: takes(0),
		Example: "  kubectl get deploy web -o yaml | kstatus-tui augment -f -",
		RunE:    runs(o),
	}
	o.addFlags(cmd.Flags(), "yaml", "json")
	return cmd
}

func (o *augmentOptions) Run(ctx context.Context) error {
	var done []map[string]any
	told := o.each(ctx, func(raw inventory.RawObject) error {
		obj, err := augmentOne(raw, o.now)
		if err == nil {
			done = append(done, obj)
		}
		return err
	})
	return cmp.Or(printObjects(o.Out, done, o.output), told)
}

func augmentOne(raw inventory.RawObject, now time.Time) (map[string]any, error) {
	var obj map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw.JSON))
	dec.UseNumber() // keep numbers as they are written
	if err := dec.Decode(&obj); err != nil {
		return nil, problem.New(rightObject, "%s: %w", raw.Where, err)
	}
	if raw.Kind != "" && obj["kind"] == nil {
		obj["kind"], obj["apiVersion"] = raw.Kind, raw.APIVersion
	}
	if _, err := status.Augment(obj, verbatim, now); err != nil {
		name := ""
		if meta, ok := obj["metadata"].(map[string]any); ok {
			name, _ = meta["name"].(string)
		}
		return nil, problem.New(rightObject, "%s: %v/%s: %w", raw.Where, obj["kind"], name, err)
	}
	return obj, nil
}

// printObjects prints a stream of YAML documents; as JSON, several objects
// become a List, as with kubectl.
func printObjects(w io.Writer, objects []map[string]any, output string) error {
	if len(objects) == 0 {
		return nil
	}
	if output == "json" {
		var out any = objects[0]
		if len(objects) > 1 {
			out = map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	for i, o := range objects {
		asJSON, err := json.Marshal(o)
		if err != nil {
			return err
		}
		text, err := yaml.JSONToYAML(asJSON)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// verbatim converts an object for Augment, which needs every text unchanged.
func verbatim(obj map[string]any) (*object.Object, error) {
	return convert.Map(obj, convert.Options{Verbatim: true})
}
