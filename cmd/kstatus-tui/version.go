package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/report"
)

// build says which program this is.
type build struct {
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

func thisBuild() build {
	return build{programVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}

func (b build) String() string {
	return fmt.Sprintf("kstatus-tui %s (%s, %s)", b.Version, b.GoVersion, b.Platform)
}

func newVersionCommand(s genericiooptions.IOStreams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: takes(0),
		Example: "  kstatus-tui version\n  kstatus-tui version -o json",
		RunE: func(*cobra.Command, []string) error {
			switch output {
			case "json":
				return report.WriteJSON(s.Out, thisBuild())
			case "yaml":
				return report.WriteYAML(s.Out, thisBuild())
			}
			_, err := fmt.Fprintln(s.Out, thisBuild())
			return err
		},
	}
	choose(cmd.Flags(), &output, "output", "o", "text", "text, json or yaml", []string{"text", "json", "yaml"})
	return cmd
}

// programVersion is the linked version, or the module's version after "go
// install".
func programVersion() string {
	module := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		module = info.Main.Version
	}
	return cmp.Or(version, module, "dev")
}
