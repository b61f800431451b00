package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const augmentLong = `Amend the standard conditions (Reconciling, Stalled) of objects, without a cluster, so
that kubectl wait and other tools can read kstatus's verdict.

Unlike kstatus's own function of that name, what augment wrote itself on Kubernetes' own
kinds is removed when it no longer holds, and augmenting twice changes nothing.`

func newAugmentCommand(s genericiooptions.IOStreams) *cobra.Command {
	var files []string
	var from inventory.Reader
	var output string
	cmd := &cobra.Command{
		Use: "augment -f FILE|-", Short: "Amend kstatus's standard conditions offline", Long: augmentLong, Args: takes(0),
		Example: "  kubectl get deploy web -o yaml | kstatus-tui augment -f -",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("-o", output, "yaml", "json"); err != nil {
				return err
			}
			from.Stdin = piped(s.In)
			return augment(cmd.Context(), s, files, from, output, time.Now())
		},
	}
	cmd.Flags().StringArrayVarP(&files, "filename", "f", nil, "a file, a folder, a URL, or - for standard input (repeatable)")
	addRecursive(cmd.Flags(), &from.Recursive)
	cmd.Flags().StringVarP(&output, "output", "o", "yaml", "yaml or json")
	return cmd
}

func augment(ctx context.Context, s genericiooptions.IOStreams, files []string, from inventory.Reader, output string, now time.Time) error {
	var done []map[string]any
	broken := 0
	for raw, err := range readObjects(ctx, files, from) {
		var obj map[string]any
		if err == nil {
			obj, err = augmentOne(raw, now)
		}
		if err != nil {
			printError(s.ErrOut, err)
			broken++
			continue
		}
		done = append(done, obj)
	}
	if err := printObjects(s, done, output); err != nil {
		return err
	}
	if broken > 0 {
		return exitWith(exitError)
	}
	return nil
}

func augmentOne(raw inventory.RawObject, now time.Time) (map[string]any, error) {
	var obj map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw.JSON))
	dec.UseNumber() // keep numbers as they are written
	if err := dec.Decode(&obj); err != nil {
		return nil, problemf("", "%s: %w", raw.Where, err)
	}
	if raw.Kind != "" && obj["kind"] == nil {
		obj["kind"], obj["apiVersion"] = raw.Kind, raw.APIVersion
	}
	if _, err := status.Augment(obj, verbatim, now); err != nil {
		name := ""
		if meta, ok := obj["metadata"].(map[string]any); ok {
			name, _ = meta["name"].(string)
		}
		return nil, problemf("", "%s: %v/%s: %w", raw.Where, obj["kind"], name, err)
	}
	return obj, nil
}

// printObjects prints a stream of YAML documents; as JSON, several objects
// become a List, as with kubectl.
func printObjects(s genericiooptions.IOStreams, objects []map[string]any, output string) error {
	if len(objects) == 0 {
		return nil
	}
	if output == "json" {
		var out any = objects[0]
		if len(objects) > 1 {
			out = map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}
		}
		enc := json.NewEncoder(s.Out)
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
			fmt.Fprintln(s.Out, "---")
		}
		if _, err := s.Out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// verbatim converts an object for Augment, which needs every text unchanged.
func verbatim(obj map[string]any) (*object.Object, error) {
	return convert.Map(obj, convert.Options{Verbatim: true})
}
