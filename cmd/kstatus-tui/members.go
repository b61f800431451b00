package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// memberRow is a line of the list.
type memberRow struct {
	object.ID
	Version string `json:"version,omitempty"`
	// Error says why an entry cannot be read; Name is then the raw entry.
	Error   string `json:"error,omitempty"`
	Cluster string `json:"cluster,omitempty"` // the other cluster that it is in
	Note    string `json:"note,omitempty"`
}

type membersOptions struct {
	followOptions
	listOptions
}

func newMembersCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	o := &membersOptions{followOptions: newFollowOptions(s, c)}
	cmd := &cobra.Command{
		Use: "members SOURCE", Short: "Decode an inventory: what it lists, without looking at any of it",
		Example: "  kstatus-tui members flux/ks/apps\n  kstatus-tui members helm/shop@3 -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return problem.New("kstatus-tui inventories lists those there are", "which inventory? members takes one: kstatus-tui members flux/ks/apps")
			}
			return nil
		},
		RunE: runs(o),
	}
	connects(cmd)
	o.addLog(cmd.Flags())
	o.listOptions.addFlags(cmd.Flags())
	return cmd
}

func (o *membersOptions) Run(ctx context.Context) error {
	targets, err := inventory.Parse(ctx, inventory.Request{Args: o.args, Namespace: namespaceOf(o.connection)})
	if err != nil {
		return err
	}
	if len(targets) != 1 {
		return problem.New("one at a time", "members takes one inventory, not %d", len(targets))
	}
	return o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, _ string) error {
		l, err := finder.Members(ctx, targets[0])
		if err != nil {
			return err
		}
		return o.print(l)
	})
}

func (o *membersOptions) print(l find.Listing) error {
	if len(l.Set.Members) == 0 {
		defer fmt.Fprintln(o.ErrOut, "kstatus-tui: the inventory is empty")
	}
	if o.output == "json" {
		return printMembersJSON(o.Out, l)
	}
	t := tabbed(o.Out)
	if !o.bare {
		membersHead(o.Out, l)
		fmt.Fprintln(t, "NAMESPACE\tGROUP\tKIND\tNAME\tVERSION\tNOTE")
	}
	for _, m := range memberRows(l) {
		note := m.Note
		if m.Cluster != "" {
			note = strings.TrimPrefix(note+"; in "+m.Cluster, "; ")
		}
		if m.Error != "" {
			note = "cannot be read: " + m.Error
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", cmp.Or(m.Namespace, "-"), cmp.Or(m.Group, "-"), m.Kind, m.Name, cmp.Or(m.Version, "-"), cmp.Or(note, "-"))
	}
	return t.Flush()
}

// membersHead prints the inventory's name and remarks.
func membersHead(w io.Writer, l find.Listing) {
	head := l.Name + " " + l.Root.Name
	if l.Set.Revision != "" {
		head += ", revision " + l.Set.Revision
	}
	if l.Set.Pending != "" {
		head += " (not complete: " + l.Set.Pending + ")"
	}
	fmt.Fprintln(w, head)
	for _, n := range l.Set.Notes {
		fmt.Fprintln(w, "  "+n)
	}
}

func memberRows(l find.Listing) []memberRow {
	rows := []memberRow{}
	for _, m := range l.Set.Members {
		rows = append(rows, memberRow{ID: m.ID, Version: m.Version, Error: m.Unreadable, Cluster: cmp.Or(m.Cluster, l.Set.Cluster), Note: m.Note})
	}
	return rows
}

func printMembersJSON(w io.Writer, l find.Listing) error {
	return printJSON(w, struct {
		Schema   string      `json:"schema"`
		Time     time.Time   `json:"time"`
		Source   string      `json:"source"`
		Root     object.ID   `json:"root"`
		Revision string      `json:"revision,omitempty"`
		Pending  string      `json:"pending,omitempty"`
		Notes    []string    `json:"notes,omitempty"`
		Members  []memberRow `json:"members"`
	}{"kstatus-tui/v1", time.Now().UTC().Truncate(time.Millisecond), l.Name, l.Root, l.Set.Revision, l.Set.Pending, l.Set.Notes, memberRows(l)})
}
