package main

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const rootLong = `kstatus-tui follows the given resources live, as a tree with everything generated
from them, and says whether they are done, moving or stuck, and why.

SOURCE names what to follow, any number of them, mixed:

  deploy/web              TYPE/NAME, as for kubectl
  deploy web api          TYPE NAME…
  pods                    TYPE: all of it, as with kubectl get
  deploy,sts -l app=web   TYPE with a selector
  -f app.yaml             manifests: a file, a directory, a URL, or - for a pipe
  -k overlays/prod        a kustomization
  --all                   everything in the namespace that nothing else owns
  flux/ks/apps            an inventory, with its members as they come and go
  --owner deploy/web      the inventory that an object belongs to

The inventories are flux/ks/NAME, flux/hr/NAME, flux/rset/NAME, helm/RELEASE[@REVISION], argo/APP,
kapp/APP, applyset/NAME, inventory/NAME, timoni/NAME, kro/TYPE/NAME and kpt/DIR.

kubectl's own output can be piped in:

  kubectl apply -f app.yaml -o yaml | kstatus-tui -f -   # follows this very apply
  kubectl apply -f app.yaml | kstatus-tui -f -

Without -o yaml, kubectl prints no namespaces: the current one is tried first, then any that has
all of the objects.

Exit codes of status, why and wait: 0 everything is Current (wait: the goal is reached),
1 error or nothing found, 2 something Failed, 3 not there yet, 4 deleted, recreated or
applied again while waiting, 130 interrupted.

The dashboard ends with 0 when you quit, whatever it shows. With --exit-status it ends with the
code of the verdict. If its output is not a terminal, it does what status does.`

const rootExamples = `  kstatus-tui deploy/web
  kstatus-tui -n shop --all
  kubectl apply -f app.yaml -o yaml | kstatus-tui -f -`

// newRootCommand assembles the commands. invoked is the name that the program
// was called by.
func newRootCommand(invoked string, s genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:           "kstatus-tui [SOURCE…]",
		Short:         "Follow Kubernetes resources live: done, moving or stuck, and why",
		Long:          rootLong,
		Example:       rootExamples,
		Args:          cobra.ArbitraryArgs,
		Version:       programVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	if isPlugin(invoked) {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: asPlugin}
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.ErrOut)
	root.SetFlagErrorFunc(flagProblem)
	root.SetHelpTemplate(helpTemplate)
	root.SetVersionTemplate(thisBuild().String() + "\n")     // what the command version prints
	root.Flags().Bool("version", false, "print the version") // defined here, because cobra's would also take -v
	c := newConnectionFlags()
	addConnectionFlags(root, c)
	f := newFollowOptions(s, c)
	addDashboard(root, f)
	root.AddCommand(
		newStatusCommand(f), newWaitCommand(f), newWhyCommand(f),
		newInventoriesCommand(f), newMembersCommand(f),
		newComputeCommand(f), newAugmentCommand(f),
		newReplayCommand(f), newDemoCommand(f), newDiffCommand(f),
		newConfigCommand(f), newRBACCommand(f), newOptionsCommand(), newManCommand(), newVersionCommand(s),
	)
	root.InitDefaultHelpFlag() // or cobra takes the command of "--help wait" for the flag's value
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = helpTopic
	complete(root, f)
	addKubectlCompletion(root, s)
	if isPlugin(invoked) {
		helpAsTyped(root)
	}
	return root
}
