package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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

func newMembersCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	var output string
	var bare bool
	cmd := &cobra.Command{
		Use: "members SOURCE", Short: "Decode an inventory: what it lists, without looking at any of it",
		Example: "  kstatus-tui members flux/ks/apps\n  kstatus-tui members helm/shop@3 -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return problemf("kstatus-tui inventories lists those there are", "which inventory? members takes one: kstatus-tui members flux/ks/apps")
			}
			return nil
		},
	}
	f := &followFlags{connection: c}
	f.addLog(cmd.Flags())
	connects(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	addNoHeaders(cmd.Flags(), &bare)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("-o", output, "table", "json"); err != nil {
			return err
		}
		return f.listMembers(cmd.Context(), s, args, output, bare)
	}
	return cmd
}

func (f *followFlags) listMembers(ctx context.Context, s genericiooptions.IOStreams, args []string, output string, bare bool) error {
	logger, closeLog, err := openLog(f.logFile)
	if err != nil {
		return err
	}
	defer func() { _ = closeLog() }()
	targets, err := inventory.Parse(ctx, inventory.Request{Args: args, Namespace: f.namespace()})
	if err != nil {
		return err
	}
	if len(targets) != 1 {
		return problemf("one at a time", "members takes one inventory, not %d", len(targets))
	}
	c, err := f.connect()
	if err != nil {
		return err
	}
	finder, err := newFinder(c, logger)
	if err != nil {
		return err
	}
	defer finder.Close()
	ctx, cancel := context.WithTimeout(ctx, onceTimeout)
	defer cancel()
	l, err := finder.Members(ctx, targets[0])
	if err != nil {
		return err
	}
	if len(l.Set.Members) == 0 {
		defer fmt.Fprintln(s.ErrOut, "kstatus-tui: the inventory is empty")
	}
	if output == "json" {
		return printMembersJSON(s, l)
	}
	t := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	if !bare {
		membersHead(s.Out, l)
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

func printMembersJSON(s genericiooptions.IOStreams, l find.Listing) error {
	enc := json.NewEncoder(s.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
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
