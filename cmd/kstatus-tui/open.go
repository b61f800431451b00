package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// open begins to follow. It prints nothing. After an error nothing is left
// running, except a blocked call that the context's end could not stop.
func (o *followOptions) open(ctx context.Context) (*session, error) {
	return leavable(ctx, func() (*session, error) {
		ses := &session{log: o.logger}
		err := o.begin(ctx, ses)
		if err != nil {
			_ = ses.close()
			return nil, err
		}
		return ses, nil
	})
}

func (o *followOptions) begin(ctx context.Context, ses *session) error {
	if err := ses.openLog(o.logFile); err != nil {
		return err
	}
	own, err := o.health.load()
	if err != nil {
		return err
	}
	if o.replay != "" {
		p, err := openRecording(ctx, o.replay)
		if err != nil {
			return err
		}
		o.playIn(ses, p, o.replay)
		ses.opt.Rules = own.judge
		return nil
	}

	// Arguments are read before connecting: with two mistakes, the one on the
	// command line is reported, not the unreachable cluster.
	targets, owned, check, err := o.targets(ctx)
	if err = cmp.Or(err, o.accepts(targets)); err != nil {
		return err
	}
	connection, err := connect(o.connection)
	if err != nil {
		return cmp.Or(check(), unknownWord(targets), err)
	}
	if owned != nil {
		finder, err := newFinder(connection, ses.log)
		if err != nil {
			return err
		}
		owner, err := finder.Owner(ctx, *owned)
		finder.Close()
		if err = cmp.Or(err, o.accepts([]inventory.Target{owner})); err != nil {
			return err
		}
		targets = append([]inventory.Target{owner}, targets...)
	}
	wants := own.wants
	if o.whole {
		wants = func(string) bool { return true }
	}
	engine, err := watch.New(watch.Options{
		Config: connection.config, Reread: connection.reread, Origin: connection.origin, Targets: targets, Children: o.children, Poll: o.poll,
		Namespace: connection.namespace, Log: ses.log, Whole: wants, Expand: o.expand, Secrets: o.secrets,
	})
	if err != nil {
		return noUse(err)
	}
	watch.Quiet(engine.Tell)
	ses.feed, ses.now, ses.listed, ses.requestTimeout = engine, time.Now, engine.Listed, connection.config.Timeout
	ses.opt = model.Options{
		Now: time.Now(), Sources: inventory.Sources(targets), Title: titleOf(inventory.Sources(targets)),
		Context: connection.context, Namespace: connection.namespace,
		StallAfter: o.stallAfter, Children: model.Children(o.children), Rules: own.judge,
	}
	ses.waiting = func() {
		fmt.Fprintf(o.ErrOut, "kstatus-tui: waiting for %s, which has not answered yet (ctrl+c ends)\n", connection.config.Host)
	}
	w, err := o.recorder(engine.Tell, recording.Header{
		Program: "kstatus-tui " + programVersion(), Started: ses.opt.Now, Sources: ses.opt.Sources, Title: ses.opt.Title,
		Context: connection.context, Namespace: connection.namespace, Children: o.children, Redacted: o.redact, Secrets: o.secrets,
	})
	if err != nil {
		return err
	}
	if w != nil {
		ses.feed = w.Tap(engine)
		ses.atEnd(func() error {
			if err := w.Close(time.Now()); err != nil {
				return problem.New("what there is of it can be replayed; check the disk", "the recording is not complete: %w", err)
			}
			return nil
		})
	}
	engine.Start(ctx)
	ses.atEnd(func() error { engine.Close(); return nil })
	checked := make(chan error, 1)
	go func() { checked <- check() }() // runs beside the first requests
	err = o.preflight(ctx, engine, connection.config)
	return cmp.Or(<-checked, err)
}

// targets returns what the command line asks for, and the object whose
// inventory --owner asks for. Neither needs a cluster. check parses the
// manifests in full.
func (o *followOptions) targets(ctx context.Context) (targets []inventory.Target, owned *inventory.Target, check func() error, err error) {
	check = func() error { return nil }
	if o.chosen != nil {
		return o.chosen, nil, check, nil
	}
	r := o.request()
	if o.owner != "" {
		if !isTypeName(o.owner) {
			return nil, nil, nil, problem.New("as in --owner deploy/web", "--owner %q is not TYPE/NAME", o.owner)
		}
		of, err := inventory.Parse(ctx, inventory.Request{Args: []string{o.owner}, Namespace: r.Namespace})
		if err != nil {
			return nil, nil, nil, err
		}
		owned = &of[0]
		if len(o.args) == 0 && len(o.files) == 0 && o.kustomize == "" && !o.all {
			return nil, owned, check, nil
		}
	}
	targets, check, err = inventory.Read(ctx, r)
	return targets, owned, check, err
}

func isTypeName(s string) bool {
	typ, name, ok := strings.Cut(s, "/")
	return ok && typ != "" && name != "" && !strings.Contains(name, "/")
}

// accepts returns an error for a Helm release if the command needs objects: Helm
// stores none for the release itself.
func (o *followOptions) accepts(targets []inventory.Target) error {
	for _, t := range targets {
		if o.ofObjects && t.Scheme == "helm" {
			return problem.New("wait for it without --for, or for an object of it, as kstatus-tui members "+t.Source+" lists them",
				"%s: a Helm release is no object: it has no conditions or fields", t.Source)
		}
	}
	return nil
}

// unknownWord reports a TYPE that is no built-in type when there is no cluster
// to ask: a typing error is reported before the missing cluster.
func unknownWord(targets []inventory.Target) error {
	for _, t := range targets {
		if t.Type == "" || strings.Contains(t.Type, ".") || kube.KnownType(t.Type) {
			continue
		}
		schemes := inventory.Schemes()
		hint := didYouMean(t.Type, "", schemes) + "schemes are " + joined(schemes) + "; a custom TYPE needs a cluster: set KUBECONFIG or pass --kubeconfig FILE"
		if near := kube.NearTypes(t.Type); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return problem.New(hint, "%q is neither a scheme nor a type that every cluster has, and there is no cluster to ask", t.Type)
	}
	return nil
}

// patience is how long a credential plugin may run before a message says so.
const patience = 5 * time.Second

// preflight waits for the first answer. A credential plugin may take as long as
// the command's timeout allows, because it may prompt the user, but not without
// a message.
func (o *followOptions) preflight(ctx context.Context, engine *watch.Engine, config *rest.Config) error {
	if config.ExecProvider != nil {
		word := time.AfterFunc(patience, func() {
			fmt.Fprintf(o.ErrOut, "kstatus-tui: waiting for %q, which fetches the credentials (ctrl+c ends)\n", filepath.Base(config.ExecProvider.Command))
		})
		defer word.Stop()
	}
	bounded, cancel := ctx, func() {}
	if o.login > 0 {
		bounded, cancel = context.WithTimeout(ctx, o.login)
	}
	defer cancel()
	err := engine.Preflight(bounded)
	if err == nil || bounded.Err() == nil || ctx.Err() != nil {
		return err
	}
	if config.ExecProvider == nil {
		return nil // a slow server is left to the command
	}
	return problem.New("run the program of your kubeconfig's user.exec by hand",
		"%q, which fetches the credentials, has not answered in %s", filepath.Base(config.ExecProvider.Command), o.login)
}
