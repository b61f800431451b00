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

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// A dashboard can switch to other sources, with the palette's context and
// source commands. The current session goes on until the next one has begun.

// sessions are the sessions of one dashboard, one after the other.
type sessions struct {
	o      followOptions
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
	case x.o.record != "" && x.o.recordedBy == "":
		return "what is recorded is of one set: nothing else can be followed"
	}
	return ""
}

// contexts returns the contexts of the kubeconfig.
func (x *sessions) contexts() []string {
	if x.fixed() != "" {
		return nil
	}
	raw, err := x.o.connection.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil // it could be read at start: a later error is ignored here
	}
	return slices.Sorted(maps.Keys(raw.Contexts))
}

// reopen begins a session with other sources.
func (x *sessions) reopen(ctx context.Context, other model.Other) (*model.Session, error) {
	x.mu.Lock()
	o := x.o
	x.mu.Unlock()
	if other.Context != "" {
		o.connection = inContext(o.connection, other.Context, *o.connection.Namespace)
	}
	if other.Source != "" {
		var err error
		if o, err = o.withSource(other.Source); err != nil {
			return nil, err
		}
	}
	o.logger = x.first.log
	o.In = strings.NewReader("") // the dashboard reads the keyboard
	next, err := o.open(ctx)
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
			x.o, x.shown, x.coming = o, next, nil
			opt := x.on.dress(next)
			opt.Ctx = was.Options().Ctx
			opt.Group = was.Grouping()
			opt.Sort, _ = was.Sorting()
			return model.New(opt)
		},
		Left: func() error { return before.leave() },
	}, nil
}

// withSource returns the options with what the palette's source command names,
// which is parsed as a command line.
func (o followOptions) withSource(line string) (followOptions, error) {
	o.chosen = nil
	expand := o.expand
	o.connection = inContext(o.connection, *o.connection.Context, *o.connection.Namespace)
	flags := pflag.NewFlagSet("source", pflag.ContinueOnError)
	o.addSource(flags)
	flags.StringVarP(o.connection.Namespace, "namespace", "n", *o.connection.Namespace, "")
	flags.StringVar(o.connection.Context, "context", *o.connection.Context, "")
	if err := flags.Parse(strings.Fields(line)); err != nil {
		return o, err
	}
	if !flags.Changed("expand") {
		o.expand = expand
	}
	o.args = flags.Args()
	if slices.Contains(o.files, "-") {
		return o, problem.New("name a file", "standard input is the keyboard here")
	}
	if !o.namesSource() {
		return o, problem.New("as in deploy/web, or TYPE -l app=web", "%q names nothing to follow", line)
	}
	return o, nil
}

// inventories lists them by the names that the source command accepts.
func (x *sessions) inventories(ctx context.Context) (out []string, err error) {
	x.mu.Lock()
	o := x.o
	x.mu.Unlock()
	o.logger, o.allNamespaces = x.first.log, false
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, namespace string) error {
		found, _, err := finder.List(ctx, namespace)
		for _, x := range found {
			out = append(out, x.Target.Source)
		}
		return err
	})
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
