package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // OIDC, and errors that explain the removed providers
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
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

// connection is how to reach a cluster.
type connection struct {
	config             *rest.Config
	context, namespace string
	// reread loads config again for the same context, even if the current
	// context has changed.
	reread func() (*rest.Config, error)
	origin kube.Origin
}

// namespaceOf is the default namespace. connect reports errors of the
// kubeconfig.
func namespaceOf(flags *genericclioptions.ConfigFlags) string {
	namespace, _, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		namespace = *flags.Namespace
	}
	return cmp.Or(namespace, "default")
}

func connect(flags *genericclioptions.ConfigFlags) (connection, error) {
	loader := flags.ToRawKubeConfigLoader()
	fail := func(err error) (connection, error) {
		return connection{}, configError(err, loader, *flags.Context, *flags.KubeConfig)
	}
	config, err := flags.ToRESTConfig()
	if err != nil {
		return fail(err)
	}
	// Without a configuration client-go connects to localhost:8080, as kubectl
	// does. That is only done if --server asks for it.
	raw, rawErr := loader.RawConfig()
	if rawErr == nil && len(raw.Clusters) == 0 && *flags.APIServer == "" && os.Getenv("KUBERNETES_MASTER") == "" &&
		config.Host == clientcmd.ClusterDefaults.Server {
		return fail(clientcmd.NewEmptyConfigError(""))
	}
	c := connection{config: config, namespace: namespaceOf(flags), context: *flags.Context}
	if rawErr == nil && c.context == "" {
		c.context = raw.CurrentContext
	}
	if in := raw.Contexts[c.context]; rawErr == nil && in != nil {
		if cluster := raw.Clusters[cmp.Or(*flags.ClusterName, in.Cluster)]; cluster != nil {
			c.origin.Cluster = cluster.LocationOfOrigin
		}
		if user := raw.AuthInfos[cmp.Or(*flags.AuthInfoName, in.AuthInfo)]; user != nil {
			c.origin.User = user.LocationOfOrigin
		}
	}
	if *flags.BearerToken != "" {
		c.origin.Token = "--token"
	}
	c.reread = inContext(flags, c.context, *flags.Namespace).ToRESTConfig
	return c, nil
}

// noUse is the error of a configuration that no client can be made of.
func noUse(err error) error {
	return problem.New("kubectl config view shows what is configured", "cannot use the kubeconfig: %w", err)
}

// configError explains why no cluster could be selected.
func configError(err error, raw clientcmd.ClientConfig, contextFlag, file string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return problem.New("check --kubeconfig and KUBECONFIG", "cannot read the kubeconfig %s: %w", pe.Path, pe.Err)
	}
	switch {
	case clientcmd.IsContextNotFound(err) || strings.Contains(err.Error(), "does not exist"):
		hint := "kubectl config get-contexts lists them"
		if cfg, e := raw.RawConfig(); e == nil && len(cfg.Contexts) > 0 {
			names := slices.Sorted(maps.Keys(cfg.Contexts))
			const shown = 6
			if len(names) > shown {
				names = append(names[:shown], fmt.Sprintf("and %d more", len(names)-shown))
			}
			hint = "there are: " + joined(names)
		}
		if contextFlag != "" {
			return problem.New(hint, "no context %q in the kubeconfig", contextFlag)
		}
		return problem.New(hint, "the kubeconfig's current context cannot be used: %w", err)
	case strings.Contains(err.Error(), "Invalid timeout value"):
		return problem.New("as in --request-timeout 30s", "--request-timeout is no duration")
	case clientcmd.IsEmptyConfig(err):
		where := "KUBECONFIG and ~/.kube/config name none"
		switch named := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); {
		case file != "":
			where = file + " names none"
		case named != "":
			where = "KUBECONFIG=" + named + " names none, or is no file"
		}
		return problem.New("set KUBECONFIG or pass --kubeconfig FILE; without any cluster, try: kstatus-tui demo",
			"no cluster to talk to: %s", where)
	}
	return noUse(err)
}
