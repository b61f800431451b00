package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `kstatus-tui follows the given resources live, as a tree with everything generated
from them, and says whether they are done, moving or stuck, and on what.

SOURCE names what to follow, any number of them, mixed:

  deploy/web              TYPE/NAME, as for kubectl
  deploy web api          TYPE NAME…
  deploy,sts -l app=web   TYPE with a selector, or with --all
  -f app.yaml             manifests: a file, a folder, a URL, or - for a pipe
  -k overlays/prod        a kustomization
  --all                   everything in the namespace that nothing else owns
  flux/ks/apps            an inventory, with its members as they come and go; also
                          flux/hr, flux/rset, helm/RELEASE[@REVISION], argo/APP, kapp/APP,
                          inventory/NAME, applyset/NAME, timoni/NAME, kro/TYPE/NAME, kpt/DIR
  --owner deploy/web      the inventory that an object belongs to

kubectl's own output can be piped in: kubectl apply -f app.yaml | kstatus-tui -f -

Exit codes: 0 reached, 1 error or nothing found, 2 something Failed, 3 not there yet,
4 deleted, recreated or applied again while waiting, 130 interrupted.`

// newRootCommand puts the program together. invoked is the name it was called
// by: kubectl finds its plugins by theirs.
func newRootCommand(invoked string, s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "kstatus-tui [SOURCE…]",
		Short:         "Follow Kubernetes resources live: done, moving or stuck, and on what",
		Long:          rootLong,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	if strings.HasPrefix(invoked, "kubectl-") {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl kstatus-tui"}
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return problemf(fmt.Sprintf("%s --help lists the flags", cmd.CommandPath()), "%w", err)
	})
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Lookup("children") == nil && cmd.Flags().Lookup("theme") == nil {
			return nil // it follows nothing
		}
		c, err := readConfiguration()
		if err != nil {
			return err
		}
		return c.apply(cmd.Flags())
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SuggestionsMinimumDistance = 2
	addDashboard(root, s)
	root.AddCommand(
		newStatusCommand(s), newWaitCommand(s), newWhyCommand(s),
		newInventoriesCommand(s), newMembersCommand(s),
		newComputeCommand(s), newAugmentCommand(s),
		newReplayCommand(s), newDiffCommand(s), newDemoCommand(s), newConfigCommand(s), newVersionCommand(s),
	)
	return root
}
