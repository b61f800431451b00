//go:build nocluster

package main

import (
	"log/slog"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// With the tag nocluster this is the program without everything that talks to
// a cluster: replay and demo, from the same files. "make demo" builds it, in a
// third of the time, because Kubernetes' libraries and CEL are most of what the
// whole has to compile.

func addClusterCommands(root *cobra.Command, _ genericiooptions.IOStreams) {
	root.Use = "kstatus-tui"
	root.Long = "This build plays recordings alone; \"make build\" makes the whole program."
	root.RunE = func(*cobra.Command, []string) error {
		return problemf("make build makes the whole program", "this build has replay and demo alone")
	}
}

func quietLibraries(*slog.Logger) {}
