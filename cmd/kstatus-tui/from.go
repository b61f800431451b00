package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/dump"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// savedCluster is the dump of --from, read once.
type savedCluster struct {
	*dump.Saved
	name string // for people
}

func (o *followOptions) addFrom(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.from, "from", nil,
		"read a saved cluster instead of a live one: a file, directory or archive of kubectl, must-gather or "+
			"a support bundle; - is standard input (repeatable)")
}

// readSaved reads the dump of --from, once; nil without that flag. What is left out of
// it is printed.
func (o *followOptions) readSaved(ctx context.Context) (*savedCluster, error) {
	if len(o.from) == 0 || o.saved != nil {
		return o.saved, nil
	}
	if slices.Contains(o.from, "-") && slices.Contains(o.Files, "-") {
		return nil, problem.New("write one of them to a file", "-f - and --from - cannot both read standard input")
	}
	saved, err := o.readDump(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(o.from))
	for i, path := range o.from {
		if names[i] = filepath.Base(path); path == "-" {
			names[i] = "standard input"
		}
	}
	for _, line := range saved.LeftOut {
		fmt.Fprintf(o.ErrOut, "kstatus-tui: left out: %s\n", report.Inert(problem.OneLine(line)))
	}
	o.saved = &savedCluster{saved, strings.Join(names, ", ")}
	return o.saved, nil
}

// readDump reads the dump of --from. It may be large, or a pipe that never ends: a
// signal ends it all the same, and before the dashboard's first frame so do its keys.
func (o *followOptions) readDump(ctx context.Context) (*dump.Saved, error) {
	paceCollector(roomSaved)
	ends, newline := "ctrl+c ends", "\n"
	if o.keys {
		keyboard, release, err := readKeys(ctx, o.In)
		if err == nil {
			ctx, ends, newline = keyboard, "q quits", "\r\n"
			defer release()
		}
	}
	defer o.afterSilence(
		fmt.Sprintf("kstatus-tui: reading %s (%s)%s", report.Inert(strings.Join(o.from, " ")), ends, newline))()
	return leavable(ctx, func() (*dump.Saved, error) { return dump.Read(ctx, o.from, piped(o.In), time.Now()) })
}

// now is the time of what is read: of a dump, when it was saved.
func (o *followOptions) now() time.Time {
	if o.saved != nil {
		return o.saved.At
	}
	return time.Now()
}

// age says when the dump was saved, and how long ago.
func (s *savedCluster) age() string {
	ago := max(time.Since(s.At), 0)
	text := ""
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(ago / unit.of); n > 0 && text == "" {
			text = fmt.Sprintf(", %d %ss ago", n, unit.name)
			if n == 1 {
				text = fmt.Sprintf(", 1 %s ago", unit.name)
			}
		}
	}
	return "saved " + s.At.Local().Format("2006-01-02 15:04") + text
}

// connection is that to a dump.
func (s *savedCluster) connection(namespace string) connection {
	config := &rest.Config{Host: dump.Host, Transport: s.Saved, QPS: -1}
	return connection{config: config, context: s.name, namespace: namespace, saved: s}
}

// part is what an engine has to know of a dump; nil of a live cluster.
func (c connection) part() *watch.Part {
	if c.saved == nil {
		return nil
	}
	return &watch.Part{Complete: c.saved.Complete, Has: c.saved.Has, Unknown: c.saved.Unknown}
}

// never is how often a dump is read again: never.
const never = 10 * 365 * 24 * time.Hour

// pace is how often to poll, 0 for watching.
func (c connection) pace(poll time.Duration) time.Duration {
	if c.saved != nil {
		return never
	}
	return poll
}

// connect returns the connection to the cluster, or to the dump of --from.
func (o *followOptions) connect(ctx context.Context) (connection, error) {
	saved, err := o.readSaved(ctx)
	if err != nil {
		return connection{}, err
	}
	if saved == nil {
		return connect(o.connection)
	}
	return saved.connection(o.namespaceIn(saved)), nil
}

// namespaceIn is the default namespace in a dump: that of -n, or the only one, or the
// only one in which there is what the command line names.
func (o *followOptions) namespaceIn(saved *savedCluster) string {
	if *o.connection.Namespace != "" {
		return *o.connection.Namespace
	}
	all := saved.Namespaces()
	if len(all) == 1 {
		return all[0]
	}
	for _, arg := range append(o.Args, o.owner) {
		if in := saved.Find(arg); len(in) == 1 && in[0] != "" {
			return in[0]
		}
	}
	return "default"
}

// inSaved completes a request about a dump: without a SOURCE it means everything in
// it, and a TYPE alone all of its namespaces, unless -n names one.
func (o *followOptions) inSaved(r inventory.Request, saved *savedCluster) (inventory.Request, error) {
	r.Namespace = o.namespaceIn(saved)
	if slices.Contains(o.from, "-") {
		r.Stdin = nil
	}
	namespaces := saved.Namespaces()
	if r.NamespaceGiven && !slices.Contains(namespaces, r.Namespace) && len(namespaces) > 0 {
		unsaved := fmt.Sprintf("nothing in namespace %s was saved; saved: %s",
			r.Namespace, strings.Join(atMost(4, namespaces), ", "))
		if !o.namesSource() {
			return r, problem.New("as in -n "+namespaces[0]+"; without -n, all of it is shown", "%s", unsaved)
		}
		fmt.Fprintf(o.ErrOut, "kstatus-tui: %s\n", report.Inert(unsaved))
	}
	anywhere := !r.NamespaceGiven && len(namespaces) != 1
	switch {
	case !o.namesSource():
		r.All, r.AllNamespaces = true, !r.NamespaceGiven
	case anywhere && !slices.ContainsFunc(r.Args, func(arg string) bool { return strings.Contains(arg, "/") }) &&
		len(r.Args) == 1:
		r.AllNamespaces = true
	}
	for _, arg := range r.Args {
		if in := saved.Find(arg); anywhere && len(in) > 1 {
			return r, problem.New("name the namespace with -n "+in[0],
				"%s is in several namespaces of the dump: %s", arg, strings.Join(atMost(4, in), ", "))
		}
	}
	nameSaved(o.ErrOut, r, saved)
	return r, nil
}

// nameSaved says which names of a TYPE were saved, where one that is asked for was not.
func nameSaved(errs io.Writer, r inventory.Request, saved *savedCluster) {
	requested := r.Args
	if len(requested) > 1 && !strings.Contains(requested[0], "/") { // TYPE NAME…
		requested = nil
		for _, name := range r.Args[1:] {
			requested = append(requested, r.Args[0]+"/"+name)
		}
	}
	for _, arg := range requested {
		typ, name, named := strings.Cut(arg, "/")
		if cannotBeNamed(idOf(inventory.Target{Type: typ, Name: name})) {
			continue // that is the error
		}
		names := saved.Names(typ, r.Namespace)
		if !named || len(names) == 0 || slices.Contains(names, name) {
			continue
		}
		slices.SortStableFunc(names, func(a, b string) int {
			return problem.Distance(name, a) - problem.Distance(name, b)
		})
		text := fmt.Sprintf("%s was not saved; saved: %s", arg, strings.Join(atMost(4, names), ", "))
		fmt.Fprintf(errs, "kstatus-tui: %s\n", report.Inert(text))
	}
}

// ignoredWith are the flags given that mean nothing for a saved cluster.
func ignoredWith(from []string, flags *pflag.FlagSet) (names []string) {
	if len(from) == 0 {
		return nil
	}
	flags.Visit(func(f *pflag.Flag) {
		connection := slices.Contains(f.Annotations[groupAnnotation], connectionGroup) &&
			f.Name != "namespace" && f.Name != "v"
		if connection || f.Name == "poll" {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// isRecording reports whether --from names a recording, which is then replayed.
func (o *followOptions) isRecording(err error) bool {
	if !errors.Is(err, dump.ErrRecording) || len(o.from) != 1 {
		return false
	}
	o.replay = cmp.Or(o.replay, o.from[0])
	return true
}
