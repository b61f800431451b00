package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// newConfigCommand prints the settings in effect and the origin of each value.
func newConfigCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Print the effective configuration, and where each value comes from", Args: takes(0),
		Long: "Print which cluster would be followed and with what settings: VALUE and its origin, which\nis a flag, the configuration file and its line, the environment, the kubeconfig or the\ndefault. Credentials are never printed.",
	}
	f := addFollow(cmd, c)
	var screen screenFlags
	screen.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
		row := func(name, value, origin string) {
			fmt.Fprintf(w, "%s\t%s\t%s\n", name, cmp.Or(oneLine(value), "-"), origin)
		}
		row("SETTING", "VALUE", "FROM")
		f.describeConnection(row)
		conf, err := readConfiguration()
		if err != nil {
			return err
		}
		row("configuration", conf.file, cmp.Or(conf.file, "no file"))
		for _, name := range []string{"children", "expand", "poll", "stall-after", "log", "theme", "ascii", "no-mouse", "no-motion", "plain", "exit-status", "health-rules"} {
			flag := cmd.Flags().Lookup(name)
			row(name, flag.Value.String(), originOf(flag, conf.origin(conf.flags[name])))
		}
		record := cmd.Flags().Lookup("record")
		row("record", cmp.Or(record.Value.String(), conf.record.value), originOf(record, conf.origin(conf.record)))
		row("group", cmp.Or(conf.group.value, string(model.GroupNone)), conf.origin(conf.group))
		row("sort", cmp.Or(conf.sort.value, string(model.SortProblems)), conf.origin(conf.sort))
		columns := joined(columnNames)
		if conf.columns.line > 0 {
			columns = cmp.Or(conf.columns.value, "-")
		}
		row("columns", columns, conf.origin(conf.columns))
		for _, b := range model.Bound(conf.keys) {
			row("keys."+string(b.Action), strings.Join(b.Keys(), " "), conf.origin(configured{line: conf.keysAt[b.Action]}))
		}
		return w.Flush()
	}
	return cmd
}

func originOf(flag *pflag.Flag, otherwise string) string {
	if flag != nil && flag.Changed {
		return "--" + flag.Name
	}
	return otherwise
}

// describeConnection prints the kubeconfig, context, cluster and namespace in
// use. An error is printed in the row that it concerns.
func (f *followFlags) describeConnection(row func(name, value, origin string)) {
	loader := f.connection.ToRawKubeConfigLoader()
	files, origin := strings.Join(clientcmd.NewDefaultClientConfigLoadingRules().Precedence, string(os.PathListSeparator)), "default"
	if os.Getenv("KUBECONFIG") != "" {
		origin = "KUBECONFIG"
	}
	if v := *f.connection.KubeConfig; v != "" {
		files, origin = v, "--kubeconfig"
	}
	row("kubeconfig", files, origin)

	raw, _ := loader.RawConfig() // connect reports errors of the kubeconfig
	name, origin := raw.CurrentContext, "kubeconfig"
	if v := *f.connection.Context; v != "" {
		name, origin = v, "--context"
	}
	row("context", name, origin)
	c, err := f.connect()
	if err != nil {
		row("server", "", err.Error())
		return
	}
	origin = "kubeconfig"
	if *f.connection.APIServer != "" {
		origin = "--server"
	}
	row("server", c.config.Host, origin)
	origin = "kubeconfig"
	switch chosen := raw.Contexts[name]; {
	case *f.connection.Namespace != "":
		origin = "--namespace"
	case chosen == nil || chosen.Namespace == "":
		origin = "default"
	}
	row("namespace", c.namespace, origin)
}
