package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
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
	listOutput
}

func newMembersCommand(f followOptions) *cobra.Command {
	o := &membersOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "members SOURCE", Short: "List the objects that an inventory records, without reading them",
		Example: "  kstatus-tui members flux/ks/apps\n  kstatus-tui members helm/shop@3 -o json",
		RunE:    runs(o),
	}
	addLog(cmd.Flags())
	o.addFrom(cmd.Flags())
	addTimeout(cmd.Flags(), &o.timeout)
	o.listOutput.addFlags(cmd, "table")
	return cmd
}

func (o *membersOptions) Validate() error {
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.listOutput.Validate()
}

func (o *membersOptions) Run(ctx context.Context) error {
	saved, err := o.readSaved(ctx)
	if err != nil {
		return err
	}
	namespace := namespaceOf(o.connection)
	if saved != nil {
		namespace = o.namespaceIn(saved)
	}
	targets, err := inventory.Parse(ctx, inventory.Request{Args: o.Args, Namespace: namespace})
	if err != nil && len(o.Args) > 0 {
		return err
	}
	if len(targets) != 1 {
		return problem.New("kstatus-tui inventories lists those there are",
			"members takes one inventory, not %d", len(targets))
	}
	if t := targets[0]; t.Type != "" && t.Name == "" { // a TYPE alone
		return problem.New("kstatus-tui inventories lists those there are", "%s names no single inventory", o.Args[0])
	}
	return o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, _ connection) error {
		l, err := finder.Members(ctx, targets[0])
		if err != nil {
			return err
		}
		return o.printMembers(l)
	})
}

func (o *membersOptions) printMembers(l find.Listing) error {
	if len(l.Set.Members) == 0 {
		empty := "the inventory is empty"
		if len(l.Set.Notes) > 0 {
			empty = "no member was found: " + strings.Join(l.Set.Notes, "; ")
		}
		defer fmt.Fprintln(o.ErrOut, "kstatus-tui: "+report.Inert(problem.OneLine(empty)))
	}
	members := []memberRow{}
	table := [][]string{{"NAMESPACE", "GROUP", "KIND", "NAME", "VERSION", "NOTE"}}
	for _, m := range l.Set.Members {
		row := memberRow{
			ID: m.ID, Version: m.Version, Error: m.Unreadable,
			Cluster: cmp.Or(m.Cluster, l.Set.Cluster), Note: m.Note,
		}
		members = append(members, row)
		note := m.Note
		if row.Cluster != "" {
			note = strings.TrimPrefix(note+"; in "+row.Cluster, "; ")
		}
		if m.Unreadable != "" {
			note = "cannot be read: " + m.Unreadable
		}
		table = append(table, []string{m.ID.Namespace, m.ID.Group, m.ID.Kind, m.ID.Name, m.Version, note})
	}
	if o.output == "table" && !o.noHeaders {
		head := l.Name + " " + l.Root.Name
		if l.Set.Revision != "" {
			head += ", revision " + l.Set.Revision
		}
		if l.Set.Pending != "" {
			head += " (not complete: " + l.Set.Pending + ")"
		}
		fmt.Fprintln(o.Out, report.Inert(strings.Join(append([]string{head}, l.Set.Notes...), "\n  ")))
	}
	var ids []object.ID
	for _, m := range members {
		if m.Error == "" {
			ids = append(ids, m.ID)
		}
	}
	return o.printList(o.Out, o.ErrOut, table, printable{items: "members", ids: ids, value: struct {
		Schema   string      `json:"schema"`
		Time     time.Time   `json:"time"`
		Source   string      `json:"source"`
		Root     object.ID   `json:"root"`
		Revision string      `json:"revision,omitempty"`
		Pending  string      `json:"pending,omitempty"`
		Notes    []string    `json:"notes,omitempty"`
		Members  []memberRow `json:"members"`
	}{
		"kstatus-tui/v1", o.now().UTC().Truncate(time.Millisecond), l.Name, l.Root, l.Set.Revision,
		l.Set.Pending, l.Set.Notes, members,
	}})
}
