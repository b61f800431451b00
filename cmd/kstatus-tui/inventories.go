package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const inventoriesLong = `List every inventory that one may see: what an apply, a sync or a release created.

The verdict is over the root and all its members, looked at once. Where there are too many
for that, it is what the roots say of themselves, and a line on standard error says so.`

// The most inventories and members that are followed for verdicts.
const (
	judgedSets    = 100
	judgedMembers = 3000
)

// setRow is a line of the list.
type setRow struct {
	Source    string        `json:"source"` // "Flux Kustomization"
	Name      string        `json:"name"`   // as it is named on the command line
	Group     string        `json:"group"`
	Kind      string        `json:"kind"`
	Namespace string        `json:"namespace,omitempty"`
	Object    string        `json:"object"` // the root's identity
	Revision  string        `json:"revision,omitempty"`
	Members   *int          `json:"members,omitempty"` // absent if members are only known by labels
	Verdict   status.Status `json:"verdict,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	Note      string        `json:"note,omitempty"` // suspended, in another cluster …
	// Own marks a verdict that the root itself reports.
	Own     bool      `json:"own,omitempty"`
	Created time.Time `json:"created,omitzero"`
}

// listOptions say how a list is printed.
type listOptions struct {
	output string
	bare   bool // no table headers
}

func (o *listOptions) addFlags(flags *pflag.FlagSet) {
	choose(flags, &o.output, "output", "o", "table", "table or json", tableOrJSON)
	addNoHeaders(flags, &o.bare)
}

type inventoriesOptions struct {
	followOptions
	listOptions
}

func newInventoriesCommand(s genericiooptions.IOStreams, c *genericclioptions.ConfigFlags) *cobra.Command {
	o := &inventoriesOptions{followOptions: newFollowOptions(s, c)}
	cmd := &cobra.Command{
		Use: "inventories", Aliases: []string{"ls"}, Short: "List the inventories: source, revision, members, verdict, age", Long: inventoriesLong,
		Example: "  kstatus-tui inventories\n  kstatus-tui ls -A -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return problem.New("kstatus-tui members "+args[0]+" lists what one holds; -n and -A say where to look", "inventories takes no names")
			}
			return nil
		},
		RunE: runs(o),
	}
	connects(cmd)
	o.addLog(cmd.Flags())
	o.addAllNamespaces(cmd.Flags())
	o.listOptions.addFlags(cmd.Flags())
	return cmd
}

func (o *inventoriesOptions) Run(ctx context.Context) error {
	found, err := o.findInventories(ctx)
	if err != nil {
		return err
	}
	rows := []setRow{}
	if len(found) > 0 {
		if rows, err = o.judge(ctx, found); err != nil {
			return err
		}
	}
	if o.output == "json" {
		err = printJSON(o.Out, struct {
			Schema      string   `json:"schema"`
			Inventories []setRow `json:"inventories"`
		}{"kstatus-tui/v1", rows})
	}
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		const single = "single objects are named as TYPE/NAME"
		if o.allNamespaces {
			return problem.New(single, "no inventory was found in any namespace")
		}
		return problem.New("-A looks in all namespaces; "+single, "no inventory was found in this namespace")
	case o.output == "json":
		return nil
	}
	return printSets(o.Out, rows, o.allNamespaces, o.bare, time.Now())
}

// findInventories lists the inventories in the cluster.
func (o *followOptions) findInventories(ctx context.Context) (found []find.Found, err error) {
	err = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, namespace string) error {
		list, refused, err := finder.List(ctx, namespace)
		found = list
		if err != nil && len(found) == 0 {
			return problem.New(problem.Hint(err, "check the connection"), "cannot look for inventories: %w", err)
		}
		if len(refused) > 0 {
			fmt.Fprintf(o.ErrOut, "kstatus-tui: could not list %s\n", report.Inert(problem.OneLine(strings.Join(refused, "; "))))
			if slices.ContainsFunc(refused, feed.IsRefusal) {
				fmt.Fprintln(o.ErrOut, "hint: kstatus-tui rbac SOURCE prints the Role that following a source needs; --check lists what you lack")
			}
		}
		return nil
	})
	return found, err
}

// withFinder runs a lookup in the requested namespace.
func (o *followOptions) withFinder(ctx context.Context, look func(ctx context.Context, finder *find.Finder, namespace string) error) error {
	ses := &session{log: o.logger}
	if err := ses.openLog(o.logFile); err != nil {
		return err
	}
	defer func() { _ = ses.close() }()
	c, err := connect(o.connection)
	if err != nil {
		return err
	}
	finder, err := newFinder(c, ses.log)
	if err != nil {
		return err
	}
	defer finder.Close()
	ctx, cancel := context.WithTimeout(ctx, onceTimeout)
	defer cancel()
	if o.allNamespaces {
		c.namespace = ""
	}
	return look(ctx, finder, c.namespace)
}

func newFinder(c connection, logger *slog.Logger) (*find.Finder, error) {
	finder, err := find.New(c.config, c.origin, c.namespace, logger)
	if err != nil {
		return nil, noUse(err)
	}
	return finder, nil
}

// judge adds verdicts over root and members, unless there are too many.
func (o *inventoriesOptions) judge(ctx context.Context, found []find.Found) ([]setRow, error) {
	rows := make([]setRow, len(found))
	members := 0
	for i, x := range found {
		rows[i] = setRow{
			Source: x.Name, Name: x.Target.Source, Group: x.ID.Group, Kind: x.ID.Kind, Namespace: x.ID.Namespace, Object: x.ID.Name,
			Revision: x.Revision, Verdict: x.Own.Status, Reason: x.Own.Reason, Note: x.Note, Own: true, Created: x.Created,
		}
		if x.Members >= 0 {
			rows[i].Members = &x.Members
		}
		members += max(x.Members, 0)
	}
	if len(found) > judgedSets || members > judgedMembers {
		fmt.Fprintln(o.ErrOut, "kstatus-tui: there are too many to look at every member: the verdicts are what the roots say of themselves")
		return rows, nil
	}
	o.chosen = nil
	for _, x := range found {
		o.chosen = append(o.chosen, x.Target)
	}
	ses, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	m, err := o.look(ctx, ses, onceTimeout)
	for i, x := range found {
		if r, ok := m.Resource(x.ID); err == nil && ok && r.Root != nil {
			rows[i].amend(m, r, ses.listed(x.ID))
		}
	}
	if e := ses.close(); err == nil {
		err = e
	}
	return rows, err
}

// amend fills a row from a model that follows the inventory.
func (row *setRow) amend(m model.Model, r model.Resource, listed []object.ID) {
	verdict, worst, n := m.VerdictOver(r.ID, listed)
	row.Verdict, row.Own, row.Members, row.Reason = verdict, false, &n, ""
	if worst.Assessment.Status != status.Current {
		row.Reason = cmp.Or(worst.LeadReason, worst.Assessment.Reason)
		if row.Reason == world.ReasonProvisional { // the reason alone says little
			row.Reason += ": " + worst.Assessment.Message
		}
		if worst.ID != r.ID {
			row.Reason = worst.ID.String() + ": " + row.Reason
		}
	}
	row.Revision = cmp.Or(r.Root.Revision, row.Revision)
}

func printSets(w io.Writer, rows []setRow, namespaces, bare bool, now time.Time) error {
	t := tabbed(w)
	line := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	head := []string{"SOURCE", "NAME", "REVISION", "MEMBERS", "VERDICT", "REASON", "AGE"}
	if namespaces {
		head = slices.Insert(head, 0, "NAMESPACE")
	}
	if !bare {
		line(head...)
	}
	for _, r := range rows {
		n := "?"
		if r.Members != nil {
			n = strconv.Itoa(*r.Members)
		}
		cells := []string{
			r.Source, r.Name, cmp.Or(inventory.ShortRevision(r.Revision), "-"), n,
			cmp.Or(string(r.Verdict), "-"), cmp.Or(r.Reason, "-"), ageOf(r.Created, now),
		}
		if r.Verdict == status.Current {
			cells[5] = cmp.Or(r.Note, "-")
		}
		if namespaces {
			cells = slices.Insert(cells, 0, cmp.Or(r.Namespace, "-"))
		}
		line(cells...)
	}
	return t.Flush()
}

// ageOf is how long ago something was, in one or two units.
func ageOf(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
