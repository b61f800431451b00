package main

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// offlineOptions are the options of the commands that read objects and need no
// cluster.
type offlineOptions struct {
	followOptions
	now     time.Time
	name    string // of the command
	failure error  // the exit code, after something could not be read or judged
}

// rightObject is the hint of an object that cannot be judged.
const rightObject = "correct the object; kubectl apply --dry-run=server -f FILE checks it too"

func (o *offlineOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&o.Files, "filename", "f", nil,
		"a file, a directory, a URL, or - for standard input (repeatable)")
	addRecursive(flags, &o.Recursive)
}

func (o *offlineOptions) Complete(cmd *cobra.Command, _ []string) error {
	o.name, o.now = cmd.Name(), time.Now()
	return nil
}

func (o *offlineOptions) Validate() error {
	if len(o.Files) == 0 {
		return problem.New("kubectl get deploy,pod -o yaml | kstatus-tui "+o.name+" -f -",
			"nothing to read: -f FILE is missing")
	}
	return nil
}

// tell prints what cannot be read or judged. The other objects follow; then the
// exit code is 1.
func (o *offlineOptions) tell(err error) {
	if err != nil {
		printError(o.ErrOut, err)
		o.failure = exitWith(exitError)
	}
}

// objects yields every object of the input, in order. It holds one document at a
// time.
func (o *offlineOptions) objects(ctx context.Context) iter.Seq[inventory.RawObject] {
	return func(yield func(inventory.RawObject) bool) {
		o.Stdin = piped(o.In)
		found := false
		for in, err := range o.Inputs(ctx) {
			if err == nil && len(bytes.TrimSpace(in.Data)) == 0 {
				next := "give it manifests, YAML or JSON"
				if in.Name == "standard input" {
					next = "did the command before the pipe fail?"
				}
				err = problem.New(next, "%s is empty", in.Name)
			}
			o.tell(err)
			if err != nil { // what was read of a file that is too large is not judged
				continue
			}
			for raw, err := range inventory.Objects(in.Name, in.Data) {
				found = true
				o.tell(err)
				if ctx.Err() != nil || err == nil && !yield(raw) {
					return
				}
			}
		}
		if !found && o.failure == nil {
			o.tell(problem.New(inventory.NoObject(o.Files, o.name),
				"no object in -f %s", strings.Join(o.Files, " -f ")))
		}
	}
}
