package main

import (
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// newRootCommand assembles the commands. invoked is the name that the program
// was called by: kubectl finds plugins by name.
func newRootCommand(invoked string, s genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:           "kstatus-tui [SOURCE…]",
		Short:         "Follow Kubernetes resources live: done, moving or stuck, and on what",
		Args:          cobra.ArbitraryArgs,
		Version:       programVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	if strings.HasPrefix(invoked, "kubectl-") {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl kstatus-tui"}
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.ErrOut)
	root.SetFlagErrorFunc(flagProblem)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Lookup("children") == nil && cmd.Flags().Lookup("theme") == nil {
			return nil // the command does not follow anything
		}
		c, err := readConfiguration()
		if err != nil {
			return err
		}
		return c.apply(cmd.Flags())
	}
	root.SetHelpFunc(help)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.Flags().Bool("version", false, "print the version") // defined here, because cobra's would also take -v
	root.AddCommand(newReplayCommand(s), newDemoCommand(s), newVersionCommand(s))
	addClusterCommands(root, s)
	return root
}
