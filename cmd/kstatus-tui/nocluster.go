//go:build nocluster

package main

import (
	"log/slog"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// The build tag nocluster leaves out everything that talks to a cluster; replay
// and demo remain, from the same files. "make demo" uses it, because it builds
// in a third of the time: Kubernetes' libraries and CEL are most of what the
// whole program compiles.

func addClusterCommands(root *cobra.Command, _ genericiooptions.IOStreams) {
	root.Use = "kstatus-tui"
	root.Long = "This build plays recordings alone; \"make build\" makes the whole program."
	root.RunE = func(*cobra.Command, []string) error {
		return problemf("make build builds the whole program", "this build has only replay and demo")
	}
}

func quietLibraries(*slog.Logger) {}
