package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// newConnectionFlags are kubectl's connection flags. The kubeconfig is read
// again on every use, because credentials in it may have been renewed.
func newConnectionFlags() *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(false)
	flags.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.UserAgent = "kstatus-tui/" + programVersion()
		return config
	}
	return flags
}

// addConnectionFlags adds them to root and, as persistent flags, to all its
// subcommands.
func addConnectionFlags(root *cobra.Command, c *genericclioptions.ConfigFlags) {
	grouped(root.PersistentFlags(), connectionGroup, func(flags *pflag.FlagSet) {
		c.AddFlags(flags)
		flags.VarP(new(verbosity), "v", "v", "how much client-go says in the log pane, or to --log: 0 to 7, as kubectl's -v")
	})
	// --cache-dir is accepted, so that kubectl's arguments can be passed on,
	// but nothing is cached on disk.
	_ = root.PersistentFlags().MarkHidden("cache-dir")
}

// inContext returns a copy of the flags with another context and namespace.
func inContext(f *genericclioptions.ConfigFlags, context, namespace string) *genericclioptions.ConfigFlags {
	return &genericclioptions.ConfigFlags{
		Context: &context, Namespace: &namespace,
		CacheDir: f.CacheDir, KubeConfig: f.KubeConfig, ClusterName: f.ClusterName, AuthInfoName: f.AuthInfoName,
		APIServer: f.APIServer, TLSServerName: f.TLSServerName, Insecure: f.Insecure, CertFile: f.CertFile, KeyFile: f.KeyFile, CAFile: f.CAFile,
		BearerToken: f.BearerToken, Impersonate: f.Impersonate, ImpersonateUID: f.ImpersonateUID, ImpersonateGroup: f.ImpersonateGroup,
		ImpersonateUserExtra: f.ImpersonateUserExtra, Timeout: f.Timeout, DisableCompression: f.DisableCompression, ProxyURL: f.ProxyURL,
		WrapConfigFn: f.WrapConfigFn,
	}
}

// configError explains why no cluster could be selected.
func configError(err error, raw clientcmd.ClientConfig, contextFlag, file string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return problemf("check --kubeconfig and KUBECONFIG", "cannot read the kubeconfig %s: %w", pe.Path, pe.Err)
	}
	switch {
	case clientcmd.IsContextNotFound(err) || strings.Contains(err.Error(), "does not exist"):
		hint := "kubectl config get-contexts lists them"
		if cfg, e := raw.RawConfig(); e == nil && len(cfg.Contexts) > 0 {
			var names []string
			for name := range cfg.Contexts {
				names = append(names, name)
			}
			slices.Sort(names)
			const shown = 6
			if len(names) > shown {
				names = append(names[:shown], fmt.Sprintf("and %d more", len(names)-shown))
			}
			hint = "there are: " + strings.Join(names, ", ")
		}
		if contextFlag != "" {
			return problemf(hint, "no context %q in the kubeconfig", contextFlag)
		}
		return problemf(hint, "the kubeconfig's current context cannot be used: %w", err)
	case clientcmd.IsEmptyConfig(err):
		where := "KUBECONFIG and ~/.kube/config name none"
		switch named := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); {
		case file != "":
			where = file + " names none"
		case named != "":
			where = "KUBECONFIG=" + named + " names none, or is no file"
		}
		return problemf("set KUBECONFIG or pass --kubeconfig FILE; without any cluster, try: kstatus-tui demo",
			"no cluster to talk to: %s", where)
	}
	return problemf("kubectl config view shows what is configured", "cannot use the kubeconfig: %w", err)
}
