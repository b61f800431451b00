package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
)

// hinted is an error that knows the next step. Other rooms have types of their
// own with the same method.
type hinted interface{ Hint() string }

// problem is an error of the command line: one line and the next step.
type problem struct {
	text, hint string
	err        error
}

func (p *problem) Error() string { return p.text }
func (p *problem) Unwrap() error { return p.err }
func (p *problem) Hint() string  { return p.hint }

func problemf(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &problem{text: oneLine(err.Error()), hint: hint, err: err}
}

// printError prints an error as two lines: what is wrong, and what to do next.
func printError(w io.Writer, err error) {
	text := strings.TrimPrefix(oneLine(err.Error()), "error: ")
	fmt.Fprintf(w, "kstatus-tui: %s\n", text)
	if h, ok := errors.AsType[interface {
		error
		hinted
	}](err); ok && h.Hint() != "" {
		fmt.Fprintf(w, "hint: %s\n", oneLine(h.Hint()))
	}
}

// oneLine keeps an error on its line, and control characters away from the
// terminal: part of the text may come from a server.
func oneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(clean), " ")
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
