package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// A dashboard can switch to other sources, with the palette's context and
// source commands. The current session goes on until the next one has begun.

// sessions are the sessions of one dashboard, one after the other.
type sessions struct {
	f      followFlags
	s      genericiooptions.IOStreams
	args   []string
	on     *stage
	mu     sync.Mutex // guards what follows
	first  *session
	shown  *session
	coming *session // begun, but not shown yet
}

// stage returns the sessions as the dashboard sees them.
func (x *sessions) stage() *stage {
	x.on = &stage{
		first: x.first, reopen: x.reopen, inventories: x.inventories, close: x.close,
		others: func() ([]string, string) { return x.contexts(), x.fixed() },
	}
	return x.on
}

// fixed says why the sources cannot be changed, or "".
func (x *sessions) fixed() string {
	switch {
	case x.first.player != nil:
		return ofOneSet
	case x.f.record != "":
		return "what is recorded is of one set: nothing else can be followed"
	}
	return ""
}

// contexts returns the contexts of the kubeconfig.
func (x *sessions) contexts() []string {
	if x.fixed() != "" {
		return nil
	}
	raw, err := x.f.connection.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil // it could be read at start: a later error is ignored here
	}
	return slices.Sorted(maps.Keys(raw.Contexts))
}

// reopen begins a session with other sources.
func (x *sessions) reopen(ctx context.Context, other model.Other) (*model.Session, error) {
	x.mu.Lock()
	f, args := x.f, x.args
	x.mu.Unlock()
	if other.Context != "" {
		f.connection = inContext(f.connection, other.Context, *f.connection.Namespace)
	}
	if other.Source != "" {
		var err error
		if f, args, err = otherSource(f, other.Source); err != nil {
			return nil, err
		}
	}
	f.logger = x.first.log
	s := x.s
	s.In = strings.NewReader("") // the dashboard reads the keyboard
	next, err := f.open(ctx, s, args)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	before := x.shown
	x.coming = next
	return &model.Session{
		Begin: func(was model.Model) (model.Model, tea.Cmd) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.f, x.args, x.shown, x.coming = f, args, next, nil
			opt := x.on.dress(next)
			opt.Ctx = was.Options().Ctx
			opt.Group = was.Grouping()
			opt.Sort, _ = was.Sorting()
			return model.New(opt)
		},
		Left: func() error { return before.leave() },
	}, nil
}

// otherSource parses the arguments of the palette's source command as a command
// line.
func otherSource(f followFlags, line string) (followFlags, []string, error) {
	f.chosen, f.files, f.kustomize, f.recursive, f.selector, f.fields, f.all, f.allNamespaces, f.owner = nil, nil, "", false, "", "", false, false, ""
	flags := pflag.NewFlagSet("source", pflag.ContinueOnError)
	flags.StringArrayVarP(&f.files, "filename", "f", nil, "")
	flags.StringVarP(&f.kustomize, "kustomize", "k", "", "")
	flags.BoolVarP(&f.recursive, "recursive", "R", false, "")
	flags.StringVarP(&f.selector, "selector", "l", "", "")
	flags.StringVar(&f.fields, "field-selector", "", "")
	flags.BoolVar(&f.all, "all", false, "")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "")
	flags.StringVar(&f.owner, "owner", "", "")
	f.connection = inContext(f.connection, *f.connection.Context, *f.connection.Namespace)
	flags.StringVarP(f.connection.Namespace, "namespace", "n", *f.connection.Namespace, "")
	flags.StringVar(f.connection.Context, "context", *f.connection.Context, "")
	if err := flags.Parse(strings.Fields(line)); err != nil {
		return f, nil, err
	}
	if slices.Contains(f.files, "-") {
		return f, nil, problemf("name a file", "standard input is the keyboard here")
	}
	if f.namesNothing(flags.Args()) {
		return f, nil, problemf("as in deploy/web, or TYPE -l app=web", "%q names nothing to follow", line)
	}
	return f, flags.Args(), nil
}

// inventories lists them by the names that the source command accepts.
func (x *sessions) inventories(ctx context.Context) ([]string, error) {
	x.mu.Lock()
	f := x.f
	x.mu.Unlock()
	c, err := f.connect()
	if err != nil {
		return nil, err
	}
	finder, err := newFinder(c, x.first.log)
	if err != nil {
		return nil, err
	}
	defer finder.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	found, _, err := finder.List(ctx, c.namespace)
	var out []string
	for _, x := range found {
		out = append(out, x.Target.Source)
	}
	return out, err
}

// close ends the session that is still open.
func (x *sessions) close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.coming != nil {
		_ = x.coming.close()
	}
	err := x.shown.close()
	if x.shown != x.first {
		_ = x.first.close() // the first session owns the debug log
	}
	return err
}
