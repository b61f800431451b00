package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// configOptions print the settings in effect and the origin of each value.
type configOptions struct{ dashboardOptions }

func newConfigCommand(f followOptions) *cobra.Command {
	o := &configOptions{dashboardOptions{followOptions: f}}
	cmd := &cobra.Command{
		Use: "config", Short: "Print the effective configuration, and where each value comes from",
		Args: noKubectlConfig,
		Long: "Print which cluster would be followed, and with what settings. FROM is where a value\n" +
			"comes from: a flag, the configuration file and its line, the environment, the kubeconfig\n" +
			"or the default. From children on, SETTING is the key of the configuration file. Credentials\n" +
			"are never printed.",
		Example: "  kstatus-tui config\n  kstatus-tui config --context prod --theme light",
		RunE:    runs(o),
	}
	o.addReading(cmd.Flags())
	o.addStallAfter(cmd.Flags())
	o.addScreen(cmd.Flags())
	return cmd
}

// noKubectlConfig refuses arguments, those of kubectl config with its command.
func noKubectlConfig(cmd *cobra.Command, args []string) error {
	err := takes(0)(cmd, args)
	if err != nil && slices.Contains(kubectlConfigCommands, args[0]) {
		return problem.New("use kubectl config "+strings.Join(args, " "), "%w", err)
	}
	return err
}

var kubectlConfigCommands = []string{
	"view", "get-contexts", "current-context", "use-context",
	"get-clusters", "set-context", "use",
}

func (o *configOptions) Validate() error { return nil }

func (o *configOptions) Run(context.Context) error {
	table := [][]string{{"SETTING", "VALUE", "FROM"}}
	row := func(name, value, origin string) {
		table = append(table, []string{name, problem.OneLine(value), origin})
	}
	o.describeConnection(row)
	row("configuration", o.conf.file, cmp.Or(o.conf.file, strings.TrimSpace("no file "+o.conf.looked)))
	log := o.cmd.Flag("log")
	row("log", log.Value.String(), originOf(log, "default"))
	settings().VisitAll(func(f *pflag.Flag) {
		name, key := flagName(f.Name), f.Name
		flag := cmp.Or(o.cmd.Flag(name), f)
		value := flag.Value.String()
		if v, ok := o.conf.values[key]; ok && !flag.Changed && (flag == f || key == "recordTo") {
			value = v.value // no flag has it
		}
		row(key, value, originOf(flag, o.conf.origin(key)))
	})
	printed := map[model.Action]bool{} // some actions are listed in two groups of the help
	for _, b := range model.Bound(o.conf.keys) {
		if printed[b.Action] {
			continue
		}
		printed[b.Action] = true
		row("keys."+string(b.Action), strings.Join(b.Keys(), " "), o.conf.origin("keys."+string(b.Action)))
	}
	return printRows(o.Out, table)
}

func originOf(flag *pflag.Flag, otherwise string) string {
	if flag != nil && flag.Changed {
		return "--" + flag.Name
	}
	return otherwise
}

// describeConnection prints the kubeconfig, context, cluster and namespace in
// use. An error is printed in the row that it concerns.
func (o *configOptions) describeConnection(row func(name, value, origin string)) {
	c, from := o.connection, func(flag, otherwise string) string { return originOf(o.cmd.Flag(flag), otherwise) }
	files := strings.Join(clientcmd.NewDefaultClientConfigLoadingRules().Precedence, string(os.PathListSeparator))
	origin := "default"
	if os.Getenv("KUBECONFIG") != "" {
		origin = "KUBECONFIG"
	}
	row("kubeconfig", cmp.Or(*c.KubeConfig, files), from("kubeconfig", origin))
	raw, _ := c.ToRawKubeConfigLoader().RawConfig() // connect reports errors of the kubeconfig
	name := cmp.Or(*c.Context, raw.CurrentContext)
	row("context", name, from("context", "kubeconfig"))
	to, err := connect(c)
	if err != nil {
		row("server", "", err.Error())
		return
	}
	row("server", mask.URL(to.config.Host), from("server", "kubeconfig"))
	origin = "default"
	if chosen := raw.Contexts[name]; chosen != nil && chosen.Namespace != "" {
		origin = "kubeconfig"
	}
	row("namespace", to.namespace, from("namespace", origin))
}
