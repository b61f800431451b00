package main

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // OIDC, and errors that explain the removed providers
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

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
		flags.VarP(new(verbosity), "v", "v",
			"log level of client-go, 0 to 7, as kubectl's -v; its messages are in the timeline, and in the file of --log")
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
		APIServer: f.APIServer, TLSServerName: f.TLSServerName, Insecure: f.Insecure,
		CertFile: f.CertFile, KeyFile: f.KeyFile, CAFile: f.CAFile,
		BearerToken: f.BearerToken, Impersonate: f.Impersonate,
		ImpersonateUID: f.ImpersonateUID, ImpersonateGroup: f.ImpersonateGroup,
		ImpersonateUserExtra: f.ImpersonateUserExtra, Timeout: f.Timeout,
		DisableCompression: f.DisableCompression, ProxyURL: f.ProxyURL,
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
	saved  *savedCluster // nil of a live cluster
}

// namespaceOf is the default namespace. connect reports errors of the
// kubeconfig.
func namespaceOf(flags *genericclioptions.ConfigFlags) string {
	namespace, _, _ := flags.ToRawKubeConfigLoader().Namespace()
	return cmp.Or(namespace, *flags.Namespace, "default")
}

func connect(flags *genericclioptions.ConfigFlags) (connection, error) {
	config, err := flags.ToRESTConfig()
	raw, e := flags.ToRawKubeConfigLoader().RawConfig()
	// Without a configuration client-go connects to localhost:8080, as kubectl
	// does. That is only done if --server asks for it.
	nothing := err == nil && len(raw.Clusters) == 0 && *flags.APIServer == "" &&
		os.Getenv("KUBERNETES_MASTER") == "" && config.Host == clientcmd.ClusterDefaults.Server
	if nothing || clientcmd.IsEmptyConfig(err) {
		where, by := kubeconfigOf(flags)
		if by != "" && missingFiles(where) != "" {
			return connection{}, noKubeconfig(where, by)
		}
		current := cmp.Or(*flags.Context, raw.CurrentContext)
		if in := raw.Contexts[current]; in != nil && in.Cluster != "" {
			return connection{},
				problem.New("add it, or choose another --context; kubectl config get-contexts lists them",
					"context %q refers to cluster %q, which is not in %s", current, in.Cluster, where)
		}
		return connection{},
			problem.New(
				"set KUBECONFIG or pass --kubeconfig FILE; --from PATH reads a saved cluster; "+
					"without any, try: kstatus-tui demo",
				"no cluster to talk to: %s names none", where)
	}
	if err = cmp.Or(err, e); err != nil {
		return connection{}, unusable(err, flags)
	}
	if server, err := url.Parse(config.Host); err == nil &&
		server.Host != "" && server.Scheme != "http" && server.Scheme != "https" {
		return connection{}, problem.New("correct the server in the kubeconfig, or --server",
			"%s is no server of a cluster: its URL begins with https:// or http://", config.Host)
	}
	c := connection{config: config, namespace: namespaceOf(flags), context: cmp.Or(*flags.Context, raw.CurrentContext)}
	if len(content.IsDNS1123Label(c.namespace)) > 0 {
		return c, problem.New("it is of lower case letters, digits and dashes, as in -n shop",
			"%q cannot be a namespace", c.namespace)
	}
	in := cmp.Or(raw.Contexts[c.context], &clientcmdapi.Context{})
	c.origin.Cluster = cmp.Or(raw.Clusters[cmp.Or(*flags.ClusterName, in.Cluster)],
		&clientcmdapi.Cluster{}).LocationOfOrigin
	c.origin.User = cmp.Or(raw.AuthInfos[cmp.Or(*flags.AuthInfoName, in.AuthInfo)],
		&clientcmdapi.AuthInfo{}).LocationOfOrigin
	if *flags.APIServer != "" {
		c.origin.Server = "--server"
	}
	if *flags.BearerToken != "" {
		c.origin.Token = "--token"
	}
	c.reread = inContext(flags, c.context, *flags.Namespace).ToRESTConfig
	return c, nil
}

// kubeconfigOf is the kubeconfig, and what names it: "" for the default.
func kubeconfigOf(flags *genericclioptions.ConfigFlags) (file, by string) {
	if *flags.KubeConfig != "" {
		return *flags.KubeConfig, "--kubeconfig"
	}
	const variable = clientcmd.RecommendedConfigPathEnvVar
	if file := os.Getenv(variable); file != "" {
		return file, variable
	}
	return "~/.kube/config", ""
}

func noKubeconfig(file, by string) error {
	return problem.New("correct "+by+"; --from PATH reads a saved cluster; without any, try: kstatus-tui demo",
		"the kubeconfig %s does not exist", file)
}

// otherKind matches client-go's error about a file that holds an object, but no kubeconfig.
var otherKind = regexp.MustCompile(`error loading config file "([^"]+)": no kind "([^"]+)" is registered`)

// unusable is the error of a connection that a kubeconfig and the flags do not make.
func unusable(err error, flags *genericclioptions.ConfigFlags) error {
	file, by := kubeconfigOf(flags)
	text := strings.TrimPrefix(err.Error(), "invalid configuration: ")
	name, absent := strings.CutSuffix(text, " does not exist")
	gone, dangling := strings.CutPrefix(text, "context was not found for specified context: ")
	switch {
	case errors.Is(err, fs.ErrNotExist) && by != "" && missingFiles(file) != "":
		return noKubeconfig(file, by)
	case dangling:
		return problem.New("kubectl config get-contexts lists them; kubectl config use-context NAME chooses one",
			"the current context %q does not exist in %s", gone, file)
	case absent && strings.HasPrefix(name, "context "):
		return problem.New("kubectl config get-contexts lists them", "%s does not exist in the kubeconfig", name)
	case absent && strings.HasPrefix(name, "cluster "):
		return problem.New("kubectl config get-clusters lists them", "%s does not exist in %s", name, file)
	case absent && strings.HasPrefix(name, "auth info "):
		return problem.New("kubectl config get-users lists them",
			"user %s does not exist in %s", strings.TrimPrefix(name, "auth info "), file)
	case strings.HasPrefix(text, "Invalid timeout value"):
		return problem.New("as in --request-timeout=10s",
			"invalid value %q for --request-timeout: not a duration", *flags.Timeout)
	}
	if other := otherKind.FindStringSubmatch(text); other != nil {
		return problem.New("manifests are given with -f "+other[1],
			"%s is no kubeconfig: its kind is %s", other[1], other[2])
	}
	return problem.New("check "+file+" and the connection flags; kubectl config view shows the configuration",
		"invalid connection: %s", text)
}

// missingFiles are the files of a list like KUBECONFIG if none of them exists, or "".
func missingFiles(list string) string {
	for _, name := range filepath.SplitList(list) {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
	}
	return list
}

// noUse is the error of a configuration that no client can be made of.
func noUse(err error) error {
	return problem.New("check KUBECONFIG and the connection flags; kubectl config view shows the configuration",
		"invalid connection: %w", err)
}
