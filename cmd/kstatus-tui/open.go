package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// open begins to follow. It prints nothing. After an error nothing is left
// running, except a blocked call that the context's end could not stop.
func (o *followOptions) open(ctx context.Context) (*session, error) {
	return leavable(ctx, func() (*session, error) {
		ses := &session{close: func() error { return nil }}
		err := o.begin(ctx, ses)
		if err != nil {
			_ = ses.close()
		}
		return ses, err
	})
}

// begin makes a session of what the command line asks for: of a recording, or of a cluster.
func (o *followOptions) begin(ctx context.Context, ses *session) error {
	own, wants, err := loadRules(o.health)
	if err != nil {
		return err
	}
	if o.replay != "" {
		err := o.playIn(ses)
		ses.opt.Rules = own
		return err
	}

	paceCollector(roomLive) // a manifest may be large, too
	if _, err := o.readSaved(ctx); o.isRecording(err) {
		return o.playIn(ses)
	} else if err != nil {
		return err
	}
	// Arguments are read before connecting: with two mistakes, the one on the
	// command line is reported, not the unreachable cluster.
	targets, check, err := o.targets(ctx)
	if err = cmp.Or(err, o.accepts(targets)); err != nil {
		return err
	}
	connection, err := o.connect(ctx)
	if err != nil {
		return cmp.Or(check(), unknownWord(targets), err)
	}
	if o.whole {
		wants = func(string) bool { return true }
	}
	engine, err := watch.New(watch.Options{
		Config: connection.config, Reread: connection.reread, Origin: connection.origin,
		Targets: targets, Children: o.children, Poll: connection.pace(o.poll),
		Namespace: connection.namespace, Log: slog.Default(), Whole: wants, Expand: o.expand,
		Optional: o.isOptional, Secrets: o.secrets, Part: connection.part(),
	})
	if err != nil {
		return noUse(err)
	}
	watch.Quiet(engine.Tell)
	ses.follow(o, engine, connection, targets)
	ses.opt.Rules = own
	if err := ses.recordAndClose(o, engine, connection); err != nil {
		return err
	}
	engine.Start(ctx)

	checked := make(chan error, 1)
	go func() { // runs beside the first requests
		_, err := guarded(func() (struct{}, error) { return struct{}{}, check() })
		checked <- err
	}()
	err = o.preflight(ctx, engine, connection.config.ExecProvider)
	return cmp.Or(<-checked, err)
}

// follow makes the session follow an engine's cluster, live or saved.
func (ses *session) follow(o *followOptions, engine *watch.Engine, c connection, targets []inventory.Target) {
	ses.headless = headless{feed: engine, now: time.Now}
	ses.listed = engine.Listed
	ses.config = c.config
	ses.targets = targets
	sources := inventory.Sources(targets)
	ses.opt = model.Options{
		Now: ses.now(), Sources: sources, Title: strings.Join(atMost(3, sources), " "),
		Context: c.context, Namespace: c.namespace,
		StallAfter: o.stallAfter, Children: model.Children(o.children),
	}
	if c.saved == nil {
		return
	}
	opened := time.Now()
	ses.feed, ses.now = c.saved.Feed(engine), func() time.Time { return c.saved.At.Add(time.Since(opened)) }
	ses.opt.Now, ses.opt.Still, ses.opt.Moment = c.saved.At, true, c.saved.age()
	if !o.keys { // the dashboard's header says it
		fmt.Fprintf(o.ErrOut, "kstatus-tui: %s\n", c.saved.age())
	}
}

// recordAndClose makes the session record what it follows, if --record asks for it, and close
// that and the engine at its end.
func (ses *session) recordAndClose(o *followOptions, engine *watch.Engine, c connection) error {
	now := ses.now
	if c.saved != nil {
		now = func() time.Time { return c.saved.At } // however long the command takes
	}
	w, err := o.recorder(engine.Tell, recording.Header{
		Program: "kstatus-tui " + programVersion(), Started: ses.opt.Now,
		Sources: ses.opt.Sources, Title: ses.opt.Title,
		Context: c.context, Namespace: c.namespace,
		Children: o.children, Redacted: o.redact, Secrets: o.secrets,
	})
	if err != nil {
		return err
	}
	if w == nil {
		ses.close = func() error {
			engine.Close()
			return nil
		}
		return nil
	}
	w.Now = now
	ses.feed = w.Tap(ses.feed)
	ses.close = func() error {
		engine.Close()
		if err := w.Close(now()); err != nil {
			return problem.New("what there is of it can be replayed; check the disk",
				"the recording is not complete: %w", err)
		}
		return nil
	}
	return nil
}

// targets returns what the command line asks for. Only --owner needs a cluster
// for that. check parses the manifests in full.
func (o *followOptions) targets(ctx context.Context) (targets []inventory.Target, check func() error, err error) {
	check = func() error { return nil }
	if o.chosen != nil {
		return o.chosen, check, nil
	}
	r := o.Request
	r.Namespace, r.NamespaceGiven, r.Stdin = namespaceOf(o.connection), *o.connection.Namespace != "", piped(o.In)
	if o.saved != nil {
		if r, err = o.inSaved(r, o.saved); err != nil {
			return nil, nil, err
		}
	}
	if o.owner == "" || len(o.Args) > 0 || len(o.Files) > 0 || o.Kustomize != "" || r.All {
		targets, check, err = inventory.Read(ctx, r)
	}
	if err != nil || o.owner == "" {
		return targets, check, err
	}
	if !isTypeName(o.owner) {
		return nil, nil, problem.New("as in --owner deploy/web", "--owner %q is not TYPE/NAME", o.owner)
	}
	owned, err := inventory.Parse(ctx, inventory.Request{Args: []string{o.owner}, Namespace: r.Namespace})
	if err != nil {
		return nil, nil, err
	}
	if owned[0].Type == "" {
		return nil, nil, problem.New("leave out --owner and follow it: "+o.owner,
			"--owner %s: it is an inventory itself", o.owner)
	}
	err = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, _ connection) error {
		owner, err := finder.Owner(ctx, owned[0])
		targets = append([]inventory.Target{owner}, targets...)
		return err
	})
	return targets, check, err
}

func isTypeName(s string) bool {
	typ, name, ok := strings.Cut(s, "/")
	return ok && typ != "" && name != "" && !strings.Contains(name, "/")
}

// accepts returns an error for a name that no object of its type can have, and for what has no
// conditions and fields to wait for, if the command waits for one: Helm stores no object for a
// release, and of some types only the metadata is read.
func (o *followOptions) accepts(targets []inventory.Target) error {
	for _, t := range targets {
		if id := idOf(t); cannotBeNamed(id) {
			next := "such names have lower-case letters, digits, - and ."
			wrong := id.Name
			if id.Name = strings.ToLower(id.Name); !cannotBeNamed(id) {
				next = "did you mean " + id.Name + "? " + next
			}
			return problem.New(next, "%s: %q cannot be the name of any %s", t.Source, wrong, id.Kind)
		}
		switch {
		case !o.ofObjects:
		case t.Scheme == "helm":
			return problem.New("wait for it without --for, or for an object of it, as kstatus-tui members "+
				t.Source+" lists them",
				"%s: a Helm release is no object: it has no conditions or fields", t.Source)
		case metadataOnly(t) && !o.isOptional(idOf(t)):
			return problem.New("--for exists waits until it exists; kubectl wait --for reads the fields, "+
				"of a Secret its data, too",
				"%s: only the metadata of a %s is read: it has no conditions or fields to wait for",
				t.Source, idOf(t).Kind)
		}
	}
	return nil
}

// freelyNamed are the built-in groups and kinds whose names need not be those of DNS: system:node,
// 2001:db8::1.
var freelyNamed = []string{"rbac.authorization.k8s.io", "certificates.k8s.io", "IPAddress"}

// cannotBeNamed reports whether the API server refuses the name for a built-in type, as it does for
// capital letters, spaces and underscores in most.
func cannotBeNamed(id object.ID) bool {
	return id.Name != "" && resolve.Builtin(id.Group, id.Kind).Plural != "" &&
		!slices.Contains(freelyNamed, id.Group) && !slices.Contains(freelyNamed, id.Kind) &&
		len(content.IsDNS1123Subdomain(id.Name)) > 0
}

// metadataOnly reports whether only the metadata of a target's type is read.
func metadataOnly(t inventory.Target) bool {
	id := idOf(t)
	return convert.MetadataKind(id.Group, id.Kind)
}

// idOf is the object that a target names, as far as that is known without a cluster.
func idOf(t inventory.Target) object.ID {
	r, ok := resolve.BuiltinType(t.Type)
	if t.Type == "" || !ok {
		return t.ID
	}
	return object.ID{Group: r.Group, Kind: r.Kind, Namespace: t.Namespace, Name: t.Name}
}

// errNoBuiltinType is what is wrong with a TYPE where there is no cluster to ask.
var errNoBuiltinType = errors.New("is no built-in resource type")

// unknownWord reports a TYPE that is no built-in type when there is no cluster
// to ask: a typing error is reported before the missing cluster.
func unknownWord(targets []inventory.Target) error {
	for _, t := range targets {
		if t.Type == "" || strings.Contains(t.Type, ".") || resolve.KnownType(t.Type) {
			continue
		}
		schemes := inventory.Schemes()
		hint := didYouMean(t.Type, "", schemes) +
			"a custom type needs a cluster: set KUBECONFIG or pass --kubeconfig FILE; an inventory begins with one of " +
			joined(schemes)
		if near := resolve.Near(strings.ToLower(t.Type), resolve.Builtins); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return problem.New(hint, "%q %w, and there is no cluster to ask for others", t.Type, errNoBuiltinType)
	}
	return nil
}

// preflight waits for the first answer. A credential plugin may take as long as
// the command's timeout allows, because it may prompt the user, but not without
// a message.
func (o *followOptions) preflight(ctx context.Context, engine *watch.Engine, plugin *clientcmdapi.ExecConfig) error {
	if plugin == nil {
		return engine.Preflight(ctx)
	}
	defer o.afterSilence(waitingFor(strconv.Quote(filepath.Base(plugin.Command)), "fetches the credentials"))()
	bounded, cancel := ctx, func() {}
	if o.timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, o.timeout)
	}
	defer cancel()
	err := engine.Preflight(bounded)
	if err == nil || bounded.Err() == nil || ctx.Err() != nil {
		return err
	}
	return problem.New("run the program of your kubeconfig's user.exec by hand",
		"%q, which fetches the credentials, has not answered in %s", filepath.Base(plugin.Command), o.timeout)
}
