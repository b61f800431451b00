package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // OIDC, and errors that explain the removed providers
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// followFlags are the flags of every command that follows resources.
type followFlags struct {
	lookFlags
	connection *genericclioptions.ConfigFlags

	files         []string
	kustomize     string
	recursive     bool
	selector      string
	fields        string
	all           bool
	allNamespaces bool

	owner     string
	children  string
	expand    string
	poll      time.Duration
	record    string
	recordSet func() bool // whether --record was given, even if empty to disable recording
	redact    bool
	secrets   bool
	replay    string
	health    string
	// login bounds the wait for credentials; 0 means no bound.
	login time.Duration
	// whole keeps every field of every object, for --for=jsonpath.
	whole bool
	// ofObjects refuses sources that are no objects, for goals about conditions
	// and fields.
	ofObjects bool
	// chosen replaces the sources of the command line.
	chosen []inventory.Target
	// logger replaces a log of its own.
	logger *slog.Logger
}

func (f *followFlags) add(flags *pflag.FlagSet) {
	grouped(flags, sourceGroup, f.addSource)
	flags.StringVar(&f.children, "children", "auto", "generated children to follow: auto (of what is not Current, is opened, or needs them to be judged), all, none")
	flags.DurationVar(&f.poll, "poll", 0, "ask every so often instead of watching")
	flags.DurationVar(&f.stallAfter, "stall-after", time.Minute, "say that nothing moves after so long")
	flags.StringVar(&f.health, "health-rules", "", "a file of your own rules, in CEL")
	f.addLog(flags)
	grouped(flags, recordingGroup, f.addRecording)
}

func (f *followFlags) addSource(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "a manifest: FILE, DIR, URL, or - for standard input (repeatable)")
	flags.StringVarP(&f.kustomize, "kustomize", "k", "", "a folder with a kustomization")
	addRecursive(flags, &f.recursive)
	flags.StringVarP(&f.selector, "selector", "l", "", "a label selector, for TYPE or for what -f holds")
	flags.StringVar(&f.fields, "field-selector", "", "a field selector, for TYPE: status.phase=Running")
	flags.BoolVar(&f.all, "all", false, "all of a TYPE; without a TYPE, everything in the namespace that nothing else owns")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "look in all namespaces")
	flags.StringVar(&f.owner, "owner", "", "the inventory that TYPE/NAME belongs to, by its labels and annotations")
	flags.StringVar(&f.expand, "expand", "auto", "follow what holds an inventory (a Kustomization, an Application …) with its members: auto, none")
}

func (f *followFlags) addLog(flags *pflag.FlagSet) {
	flags.StringVar(&f.logFile, "log", "", "write a debug log to a file")
}

func (f *followFlags) addRecording(flags *pflag.FlagSet) {
	flags.StringVar(&f.record, "record", "", "write what is observed to a file, or to one of its own in a folder, for replay")
	f.recordSet = func() bool { return flags.Changed("record") }
	flags.BoolVar(&f.redact, "redact", false, "record other names, and messages without what they name; no logs and no YAML")
	flags.BoolVar(&f.secrets, "record-secrets", false, "record, and show, the values under keys that look like secrets (password, token, …); else they are ***")
	flags.StringVar(&f.replay, "replay", "", "play a recording instead of following a cluster")
	flags.StringVar(&f.at, "at", "", "a moment of the recording: how long after its beginning (90s), or a time")
	flags.StringVar(&f.report, "report", "", "write the finding to a file at the end: Markdown, or what its name ends in: .json, .svg (a picture)")
}

// check refuses invalid combinations before anything is opened.
func (f *followFlags) check(args []string) error {
	switch f.children {
	case "auto", "all", "none":
	default:
		return problemf("one of auto, all, none", "--children=%s is not known", f.children)
	}
	switch f.expand {
	case "auto", "none", "": // commands without the flag leave it empty
	default:
		return problemf("one of auto, none", "--expand=%s is not known", f.expand)
	}
	switch {
	case f.poll < 0:
		return problemf("as in --poll 10s", "--poll %s is not an interval", f.poll)
	case f.stallAfter < 0:
		return problemf("as in --stall-after 60s", "--stall-after %s is not a duration", f.stallAfter)
	case f.at != "" && f.replay == "":
		return problemf("add --replay FILE", "--at is a moment of a recording")
	case f.replay != "" && (len(args) > 0 || len(f.files) > 0 || f.kustomize != "" || f.all || f.selector != "" || f.fields != "" || f.owner != ""):
		return problemf("leave out either", "a recording knows what was followed: --replay and a SOURCE exclude each other")
	case f.redact && f.record == "" && !f.recordsAnyway():
		return problemf("add --record FILE", "--redact needs a recording")
	case f.secrets && f.record == "" && !f.recordsAnyway():
		return problemf("add --record FILE", "--record-secrets needs a recording")
	case f.secrets && f.redact:
		return problemf("leave out either", "--redact and --record-secrets exclude each other")
	case f.replay != "" && f.record != "":
		return problemf("kstatus-tui replay FILE --record OTHER --redact writes one without its names", "--replay and --record exclude each other")
	}
	return nil
}

// open validates flags and arguments and begins to follow. It prints nothing.
// After an error nothing is left running, except a blocked call that the
// context's end could not stop.
func (f *followFlags) open(ctx context.Context, s genericiooptions.IOStreams, args []string) (*session, error) {
	return leavable(ctx, func() (*session, error) { return f.begin(ctx, s, args) })
}

func (f *followFlags) begin(ctx context.Context, s genericiooptions.IOStreams, args []string) (_ *session, err error) {
	if err := f.check(args); err != nil {
		return nil, err
	}
	var closers []func() error
	closeDown := func(to int) error {
		var first error
		for i := len(closers) - 1; i >= to; i-- {
			if err := closers[i](); first == nil {
				first = err
			}
		}
		closers = closers[:min(to, len(closers))]
		return first
	}
	closeAll := func() error { return closeDown(0) }
	defer func() {
		if err != nil {
			_ = closeAll()
		}
	}()
	logger, closeLog := f.logger, func() error { return nil }
	if logger == nil {
		if logger, closeLog, err = openLog(f.logFile); err != nil {
			return nil, err
		}
	}
	closers = append(closers, closeLog)
	own, err := loadRules(f.health)
	if err != nil {
		return nil, err
	}
	if f.replay != "" {
		p, err := openRecording(ctx, f.replay)
		if err != nil {
			return nil, err
		}
		closers = append(closers, p.Close)
		ses := f.replaySession(p, f.replay, logger)
		ses.opt.Rules = own.judge
		ses.close = closeAll
		return ses, nil
	}

	// Arguments are read before connecting: with two mistakes, the one on the
	// command line is reported, not the unreachable cluster.
	targets, owned, check, err := f.targets(ctx, s, args)
	if err = cmp.Or(err, f.accepts(targets)); err != nil {
		return nil, err
	}
	connection, err := f.connect()
	if err != nil {
		return nil, cmp.Or(check(), unknownWord(targets), err)
	}
	if owned != nil {
		owner, err := findOwner(ctx, connection, *owned, logger)
		if err = cmp.Or(err, f.accepts([]inventory.Target{owner})); err != nil {
			return nil, err
		}
		targets = append([]inventory.Target{owner}, targets...)
	}
	engine, err := watch.New(watch.Options{
		Config: connection.config, Reread: connection.reread, Origin: connection.origin, Targets: targets, Children: f.children, Poll: f.poll,
		Namespace: connection.namespace, Log: logger, Whole: f.wants(own), Expand: f.expand, Secrets: f.secrets,
	})
	if err != nil {
		return nil, problemf("kubectl config view shows what is configured", "cannot use the kubeconfig: %w", err)
	}
	watch.Quiet(engine.Tell)
	now := time.Now()
	ses := &session{
		feed: engine, now: time.Now, log: logger, listed: engine.Listed, requestTimeout: connection.config.Timeout,
		opt: model.Options{
			Now: now, Sources: inventory.Sources(targets), Title: titleOf(inventory.Sources(targets)),
			Context: connection.context, Namespace: connection.namespace,
			StallAfter: f.stallAfter, Children: model.Children(f.children), Rules: own.judge,
		},
		waiting: func() {
			fmt.Fprintf(s.ErrOut, "kstatus-tui: waiting for %s, which has not answered yet (ctrl+c ends)\n", connection.config.Host)
		},
	}
	w, err := f.recorder(s.ErrOut, engine.Tell, recording.Header{
		Program: "kstatus-tui " + programVersion(), Started: now, Sources: ses.opt.Sources, Title: ses.opt.Title,
		Context: connection.context, Namespace: connection.namespace, Children: f.children, Redacted: f.redact, Secrets: f.secrets,
	})
	if err != nil {
		return nil, err
	}
	if w != nil {
		ses.feed = w.Tap(engine)
		closers = append(closers, func() error {
			if err := w.Close(time.Now()); err != nil {
				return problemf("", "the recording is not complete: %w", err)
			}
			return nil
		})
	}
	engine.Start(ctx)
	closers = append(closers, func() error { engine.Close(); return nil })
	checked := make(chan error, 1)
	go func() { checked <- check() }() // runs beside the first requests
	err = f.preflight(ctx, engine, connection.config, s.ErrOut)
	if err := cmp.Or(<-checked, err); err != nil {
		return nil, err
	}
	ses.close, ses.leave = closeAll, func() error { return closeDown(1) }
	return ses, nil
}

// targets returns what the command line asks for, and the object whose
// inventory --owner asks for. Neither needs a cluster. check parses the
// manifests in full.
func (f *followFlags) targets(ctx context.Context, s genericiooptions.IOStreams, args []string) (targets []inventory.Target, owned *inventory.Target, check func() error, err error) {
	check = func() error { return nil }
	if f.chosen != nil {
		return f.chosen, nil, check, nil
	}
	r := f.request(s, args)
	if f.owner != "" {
		if !isTypeName(f.owner) {
			return nil, nil, nil, problemf("as in --owner deploy/web", "--owner %q is not TYPE/NAME", f.owner)
		}
		of, err := inventory.Parse(ctx, inventory.Request{Args: []string{f.owner}, Namespace: r.Namespace})
		if err != nil {
			return nil, nil, nil, err
		}
		owned = &of[0]
		if len(args) == 0 && len(f.files) == 0 && f.kustomize == "" && !f.all {
			return nil, owned, check, nil
		}
	}
	targets, check, err = inventory.Read(ctx, r)
	return targets, owned, check, err
}

// accepts returns an error for a Helm release if the command needs objects: Helm
// stores none for the release itself.
func (f *followFlags) accepts(targets []inventory.Target) error {
	for _, t := range targets {
		if f.ofObjects && t.Scheme == "helm" {
			return problemf("wait for it without --for, or for an object of it, as kstatus-tui members "+t.Source+" lists them",
				"%s: a Helm release is no object: it has no conditions or fields", t.Source)
		}
	}
	return nil
}

// wants returns which kinds must be kept with every field.
func (f *followFlags) wants(own ownRules) func(groupKind string) bool {
	if f.whole {
		return func(string) bool { return true }
	}
	return own.wants
}

// unknownWord reports a TYPE that is no built-in type when there is no cluster
// to ask: a typing error is reported before the missing cluster.
func unknownWord(targets []inventory.Target) error {
	for _, t := range targets {
		if t.Type == "" || strings.Contains(t.Type, ".") || kube.KnownType(t.Type) {
			continue
		}
		hint := didYouMean(t.Type, "", inventory.Schemes()) + "schemes are " + strings.Join(inventory.Schemes(), ", ") + "; a custom TYPE needs a cluster: set KUBECONFIG or pass --kubeconfig FILE"
		if near := kube.NearTypes(t.Type); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return problemf(hint, "%q is neither a scheme nor a type that every cluster has, and there is no cluster to ask", t.Type)
	}
	return nil
}

func findOwner(ctx context.Context, c connection, of inventory.Target, logger *slog.Logger) (inventory.Target, error) {
	finder, err := newFinder(c, logger)
	if err != nil {
		return inventory.Target{}, err
	}
	defer finder.Close()
	return finder.Owner(ctx, of)
}

func newFinder(c connection, logger *slog.Logger) (*find.Finder, error) {
	finder, err := find.New(c.config, c.origin, c.namespace, logger)
	if err != nil {
		return nil, problemf("kubectl config view shows what is configured", "cannot use the kubeconfig: %w", err)
	}
	return finder, nil
}

// patience is how long a credential plugin may run before a message says so.
const patience = 5 * time.Second

// preflight waits for the first answer. A credential plugin may take as long as
// the command's timeout allows, because it may prompt the user, but not without
// a message.
func (f *followFlags) preflight(ctx context.Context, engine *watch.Engine, config *rest.Config, stderr io.Writer) error {
	if config.ExecProvider != nil {
		word := time.AfterFunc(patience, func() {
			fmt.Fprintf(stderr, "kstatus-tui: waiting for %q, which fetches the credentials (ctrl+c ends)\n", filepath.Base(config.ExecProvider.Command))
		})
		defer word.Stop()
	}
	bounded, cancel := ctx, func() {}
	if f.login > 0 {
		bounded, cancel = context.WithTimeout(ctx, f.login)
	}
	defer cancel()
	err := engine.Preflight(bounded)
	if err == nil || bounded.Err() == nil || ctx.Err() != nil {
		return err
	}
	if config.ExecProvider == nil {
		return nil // a slow server is left to the command
	}
	return problemf("run the program of your kubeconfig's user.exec by hand",
		"%q, which fetches the credentials, has not answered in %s", filepath.Base(config.ExecProvider.Command), f.login)
}

// request is the part of the command line that names what to follow.
func (f *followFlags) request(s genericiooptions.IOStreams, args []string) inventory.Request {
	r := inventory.Request{
		Args: args, Files: f.files, Kustomize: f.kustomize, Recursive: f.recursive,
		Selector: f.selector, FieldSelector: f.fields, All: f.all, AllNamespaces: f.allNamespaces,
		Namespace: f.namespace(), NamespaceGiven: *f.connection.Namespace != "",
	}
	r.Stdin = piped(s.In)
	return r
}

func addRecursive(flags *pflag.FlagSet, recursive *bool) {
	flags.BoolVarP(recursive, "recursive", "R", false, "read the folders of -f with everything below them")
}

// piped returns standard input if it is a pipe or a file, and nil if it is a
// terminal.
func piped(in io.Reader) io.Reader {
	if isTerminal(in) {
		return nil
	}
	return in
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

// namespace is the default namespace. connect reports errors of the kubeconfig.
func (f *followFlags) namespace() string {
	namespace, _, err := f.connection.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		namespace = *f.connection.Namespace
	}
	return cmp.Or(namespace, "default")
}

func (f *followFlags) connect() (connection, error) {
	flags, loader := f.connection, f.connection.ToRawKubeConfigLoader()
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
	c := connection{config: config, namespace: f.namespace(), context: *flags.Context}
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

// optionalFeed marks the roots named by --optional.
type optionalFeed struct {
	feed.Feed
	named []string
	met   *sync.Map // the values of --optional that matched a root
}

func (f optionalFeed) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	b, err := f.Feed.Next(ctx, since)
	for i := range b.Roots {
		for _, arg := range f.named {
			if kube.Named(arg, b.Roots[i].ID) {
				b.Roots[i].Optional = true
				f.met.Store(arg, true)
			}
		}
	}
	return b, err
}

// tellUnmet warns of values that matched no root: a typing error would leave
// the intended root in the verdict.
func (f optionalFeed) tellUnmet(w io.Writer) {
	for _, arg := range f.named {
		if _, ok := f.met.Load(arg); !ok {
			fmt.Fprintf(w, "kstatus-tui: --optional %s: nothing of that name was asked for\n", arg)
		}
	}
}

// Remember and Mark pass a recording's state on to the feed.
func (f optionalFeed) Remember(m feed.Memory) {
	if n, ok := f.Feed.(feed.Notebook); ok {
		n.Remember(m)
	}
}

func (f optionalFeed) Mark(m feed.Mark) {
	if n, ok := f.Feed.(feed.Notebook); ok {
		n.Mark(m)
	}
}

// addFollow adds the flags of following to a command.
func addFollow(cmd *cobra.Command, c *genericclioptions.ConfigFlags) *followFlags {
	f := &followFlags{connection: c}
	f.add(cmd.Flags())
	connects(cmd)
	return f
}

// quietLibraries keeps messages of client-go off the screen. While an engine
// follows, [watch.Quiet] turns them into notices.
func quietLibraries(logger *slog.Logger) {
	klog.SetSlogLogger(logger)
	rest.SetDefaultWarningHandler(rest.NoWarnings{}) // the engine shows warnings as notices
	// A panic in a library's goroutine is logged; it must not end the dashboard
	// while the terminal is in raw mode.
	runtime.ReallyCrash = false
}

// verbosity is klog's -v.
type verbosity int

func (v *verbosity) String() string { return strconv.Itoa(int(*v)) }
func (v *verbosity) Type() string   { return "int" }

func (v *verbosity) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostVerbose {
		return fmt.Errorf("it is a number from 0 to %d: beyond are the bodies of answers, which may hold secrets", mostVerbose)
	}
	*v = verbosity(n)
	return new(klog.Level).Set(text)
}
