//go:build !nocluster

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// connectionFlags are kubectl's flags about which cluster is meant, and as whom
// to come. They are not taken from k8s.io/cli-runtime, which brings a client
// for every kind that Kubernetes ever had: 20 MB of program in memory before
// the first object is there. Flags for basic authentication are left out: no API
// server takes it any more, and with them client-go asks for a user name on
// standard output.
type connectionFlags struct {
	kubeconfig string
	extra      []string // of the impersonated user
	over       clientcmd.ConfigOverrides
}

func (f *connectionFlags) add(flags *pflag.FlagSet) {
	o := &f.over
	o.ClusterDefaults = clientcmd.ClusterDefaults
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "the kubeconfig file")
	flags.StringVar(&o.CurrentContext, "context", "", "the context of the kubeconfig")
	flags.StringVar(&o.Context.Cluster, "cluster", "", "the cluster of the kubeconfig")
	flags.StringVar(&o.Context.AuthInfo, "user", "", "the user of the kubeconfig")
	flags.StringVarP(&o.Context.Namespace, "namespace", "n", "", "the namespace of what names none")
	flags.StringVarP(&o.ClusterInfo.Server, "server", "s", "", "address and port of the API server")
	flags.StringVar(&o.ClusterInfo.TLSServerName, "tls-server-name", "", "the name in the server's certificate, where it is not that of the address")
	flags.StringVar(&o.ClusterInfo.CertificateAuthority, "certificate-authority", "", "a file with the certificate of the authority that signed the server's")
	flags.BoolVar(&o.ClusterInfo.InsecureSkipTLSVerify, "insecure-skip-tls-verify", false, "do not check the server's certificate: anybody may be the server then")
	flags.BoolVar(&o.ClusterInfo.DisableCompression, "disable-compression", false, "ask for answers that are not compressed")
	flags.StringVar(&o.ClusterInfo.ProxyURL, "proxy-url", "", "a proxy before the API server")
	flags.StringVar(&o.AuthInfo.ClientCertificate, "client-certificate", "", "a file with a client certificate")
	flags.StringVar(&o.AuthInfo.ClientKey, "client-key", "", "a file with the client certificate's key")
	flags.StringVar(&o.AuthInfo.Token, "token", "", "a bearer token")
	flags.StringVar(&o.AuthInfo.Impersonate, "as", "", "a user to impersonate")
	flags.StringVar(&o.AuthInfo.ImpersonateUID, "as-uid", "", "the UID of the user to impersonate")
	flags.StringArrayVar(&o.AuthInfo.ImpersonateGroups, "as-group", nil, "a group to impersonate (repeatable)")
	flags.StringArrayVar(&f.extra, "as-user-extra", nil, "KEY=VALUE of the user to impersonate (repeatable)")
	flags.StringVar(&o.Timeout, "request-timeout", "0", "how long to wait for one answer before giving up, as in 3s; watches never end by it")
	// Accepted, so that kubectl's arguments can be passed on: nothing is kept
	// on disk.
	flags.String("cache-dir", "", "")
	_ = flags.MarkHidden("cache-dir")
}

// load begins to read the kubeconfig; errors come with what is asked of it.
func (f *connectionFlags) load() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	// What tells that nothing is configured, and in a Pod that its own account
	// is meant.
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig
	o := f.over
	for _, extra := range f.extra {
		if key, value, ok := strings.Cut(extra, "="); ok {
			if o.AuthInfo.ImpersonateUserExtra == nil {
				o.AuthInfo.ImpersonateUserExtra = map[string][]string{}
			}
			o.AuthInfo.ImpersonateUserExtra[key] = append(o.AuthInfo.ImpersonateUserExtra[key], value)
		}
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o)
}

// configError explains why no cluster could be chosen.
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
