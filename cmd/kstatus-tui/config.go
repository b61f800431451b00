package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// configOptions print the settings in effect and the origin of each value.
type configOptions struct {
	followOptions
	screen screenOptions
	flags  *pflag.FlagSet
	conf   *configuration
}

func newConfigCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	o := &configOptions{followOptions: newFollowOptions(s, c)}
	cmd := &cobra.Command{
		Use: "config", Short: "Print the effective configuration, and where each value comes from", Args: takes(0),
		Long:    "Print which cluster would be followed and with what settings: VALUE and its origin, which\nis a flag, the configuration file and its line, the environment, the kubeconfig or the\ndefault. Credentials are never printed.",
		Example: "  kstatus-tui config\n  kstatus-tui config --context prod --theme light",
		RunE:    runs(o),
	}
	o.addFlags(cmd)
	o.screen.addFlags(cmd.Flags())
	return cmd
}

func (o *configOptions) Complete(cmd *cobra.Command, _ []string) (err error) {
	o.flags = cmd.Flags()
	o.conf, err = readConfiguration(o.flags)
	return err
}

func (o *configOptions) Validate() error { return nil }

func (o *configOptions) Run(context.Context) error {
	w := tabbed(o.Out)
	row := func(name, value, origin string) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, cmp.Or(problem.OneLine(value), "-"), origin)
	}
	row("SETTING", "VALUE", "FROM")
	describeConnection(o.connection, row)
	row("configuration", o.conf.file, cmp.Or(o.conf.file, "no file"))
	for _, name := range []string{"children", "expand", "poll", "stall-after", "log", "theme", "ascii", "no-mouse", "no-motion", "plain", "exit-status", "health-rules"} {
		flag := o.flags.Lookup(name)
		row(name, flag.Value.String(), originOf(flag, o.conf.origin(o.conf.flags[name])))
	}
	record := o.flags.Lookup("record")
	row("record", cmp.Or(record.Value.String(), o.conf.record.value), originOf(record, o.conf.origin(o.conf.record)))
	row("group", cmp.Or(o.conf.group.value, string(model.GroupNone)), o.conf.origin(o.conf.group))
	row("sort", cmp.Or(o.conf.sort.value, string(model.SortProblems)), o.conf.origin(o.conf.sort))
	columns := joined(columnNames)
	if o.conf.columns.line > 0 {
		columns = cmp.Or(o.conf.columns.value, "-")
	}
	row("columns", columns, o.conf.origin(o.conf.columns))
	for _, b := range model.Bound(o.conf.keys) {
		row("keys."+string(b.Action), strings.Join(b.Keys(), " "), o.conf.origin(configured{line: o.conf.keysAt[b.Action]}))
	}
	return w.Flush()
}

func originOf(flag *pflag.Flag, otherwise string) string {
	if flag != nil && flag.Changed {
		return "--" + flag.Name
	}
	return otherwise
}

// describeConnection prints the kubeconfig, context, cluster and namespace in
// use. An error is printed in the row that it concerns.
func describeConnection(c *genericclioptions.ConfigFlags, row func(name, value, origin string)) {
	loader := c.ToRawKubeConfigLoader()
	files, origin := strings.Join(clientcmd.NewDefaultClientConfigLoadingRules().Precedence, string(os.PathListSeparator)), "default"
	if os.Getenv("KUBECONFIG") != "" {
		origin = "KUBECONFIG"
	}
	if v := *c.KubeConfig; v != "" {
		files, origin = v, "--kubeconfig"
	}
	row("kubeconfig", files, origin)

	raw, _ := loader.RawConfig() // connect reports errors of the kubeconfig
	name, origin := raw.CurrentContext, "kubeconfig"
	if v := *c.Context; v != "" {
		name, origin = v, "--context"
	}
	row("context", name, origin)
	to, err := connect(c)
	if err != nil {
		row("server", "", err.Error())
		return
	}
	origin = "kubeconfig"
	if *c.APIServer != "" {
		origin = "--server"
	}
	row("server", to.config.Host, origin)
	origin = "kubeconfig"
	switch chosen := raw.Contexts[name]; {
	case *c.Namespace != "":
		origin = "--namespace"
	case chosen == nil || chosen.Namespace == "":
		origin = "default"
	}
	row("namespace", to.namespace, origin)
}
