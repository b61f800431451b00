package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apiduration "k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

const inventoriesLong = `List the inventories that you may read: what an apply, a sync or a release created. Give one's
NAME to any command to follow it with its members: kstatus-tui helm/shop.

The verdict covers the root and all members. With more than 100 inventories or 3,000 members,
only the roots' own status is used, and a line on standard error says so.`

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
	// of root and members, those that are Current with that confidence
	Assumed int       `json:"assumed,omitempty"`
	Own     bool      `json:"own,omitempty"` // the root itself reports the verdict
	Created time.Time `json:"created,omitzero"`
}

// listOutput is -o of the commands that print a list.
type listOutput struct{ printer }

// printList prints a document, or its table, whose first row has the heads.
func (p *listOutput) printList(w, errOut io.Writer, table [][]string, d printable) error {
	d.own = map[string]func(io.Writer) error{"table": func(w io.Writer) error {
		if p.noHeaders {
			table = table[1:]
		}
		return printRows(w, table)
	}}
	return p.print(w, errOut, d)
}

type inventoriesOptions struct {
	followOptions
	listOutput
}

func newInventoriesCommand(f followOptions) *cobra.Command {
	o := &inventoriesOptions{followOptions: f}
	cmd := &cobra.Command{
		Use: "inventories", Aliases: []string{"ls"},
		Short: "List the inventories: source, revision, members, verdict, age", Long: inventoriesLong,
		Example: "  kstatus-tui inventories\n  kstatus-tui ls -A -o json",
		Args:    takes(0),
		RunE:    runs(o),
	}
	addLog(cmd.Flags())
	o.addFrom(cmd.Flags())
	o.addAllNamespaces(cmd.Flags())
	addTimeout(cmd.Flags(), &o.timeout)
	o.listOutput.addFlags(cmd, "table")
	return cmd
}

func (o *inventoriesOptions) Validate() error {
	if err := o.followOptions.Validate(); err != nil {
		return err
	}
	return o.listOutput.Validate()
}

func (o *inventoriesOptions) Run(ctx context.Context) error {
	found, unseen, err := o.findInventories(ctx)
	if err != nil {
		return err
	}
	rows, err := o.judge(ctx, found)
	if err != nil {
		return err
	}
	table := [][]string{{"NAMESPACE", "SOURCE", "NAME", "REVISION", "MEMBERS", "VERDICT", "REASON", "AGE"}}
	for _, r := range rows {
		table = append(table, r.cells(o.now()))
	}
	if !o.AllNamespaces {
		for i := range table {
			table[i] = table[i][1:]
		}
	}
	if len(found) > 0 || o.output == "json" || o.output == "yaml" {
		var ids []object.ID
		for _, x := range found {
			ids = append(ids, x.ID)
		}
		err = o.printList(o.Out, o.ErrOut, table, printable{items: "inventories", ids: ids, value: struct {
			Schema      string   `json:"schema"`
			Inventories []setRow `json:"inventories"`
			Unseen      []string `json:"unseen,omitempty"` // what could not be listed, and why
		}{"kstatus-tui/v1", rows, unseen}})
	}
	if err != nil || len(found) > 0 {
		return err
	}
	next := "-A looks in all namespaces; kstatus-tui status --all shows what no inventory lists"
	if o.AllNamespaces {
		next = "kstatus-tui status --all -A shows what no inventory lists"
	}
	return problem.New(next, "no inventory was found")
}

// findInventories lists the inventories in the cluster. unseen says what could not
// be listed, and why.
func (o *followOptions) findInventories(ctx context.Context) (found []find.Found, unseen []string, err error) {
	err = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, c connection) error {
		found, unseen, err = finder.List(ctx, c.namespace)
		if err != nil && len(found) == 0 {
			return problem.New(problem.Hint(err, "check the connection"), "cannot look for inventories: %w", err)
		}
		if len(unseen) > 0 {
			printError(o.ErrOut, errors.New("could not list "+strings.Join(unseen, "; ")))
		}
		return nil
	})
	return found, unseen, err
}

// noAnswer is the error of a lookup for which the time is over.
var noAnswer = problem.New("check the connection; --timeout waits longer", "the cluster did not answer in time")

// withFinder runs a lookup in the requested namespace.
func (o *followOptions) withFinder(
	ctx context.Context, look func(ctx context.Context, finder *find.Finder, c connection) error,
) error {
	c, err := o.connect(ctx)
	if err != nil {
		return err
	}
	client, err := kube.NewClient(c.config, c.origin, nil, slog.Default())
	if err != nil {
		return noUse(err)
	}
	defer client.Close()
	finder := &find.Finder{Client: client, Resolver: resolve.New(client, func() {}), Namespace: c.namespace}
	limit, whole := onceTimeout, ctx
	if o.flags != nil && o.flags.Changed("timeout") {
		limit = o.timeout
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if o.AllNamespaces {
		c.namespace = ""
	}
	err = look(ctx, finder, c)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil && whole.Err() == nil {
		return noAnswer
	}
	return err
}

// judge adds verdicts over root and members, unless there are too many.
func (o *inventoriesOptions) judge(ctx context.Context, found []find.Found) ([]setRow, error) {
	rows, members := make([]setRow, len(found)), 0
	for i, x := range found {
		rows[i] = rowOf(x)
		members += max(x.Members, 0)
		o.chosen = append(o.chosen, x.Target)
	}
	switch {
	case len(found) == 0:
		return rows, nil
	case len(found) > judgedSets || members > judgedMembers:
		fmt.Fprintln(o.ErrOut,
			"kstatus-tui: there are too many to look at every member: the verdicts are what the roots say of themselves")
		return rows, nil
	}
	ses, m, err := o.once(ctx)
	if err != nil {
		return nil, err
	}
	for i, x := range found {
		if r, ok := m.Facts.Resource(x.ID); ok && r.Root != nil {
			rows[i].amend(m, r, ses.listed(x.ID))
		}
	}
	return rows, nil
}

// rowOf is the row of an inventory by what its root says of itself.
func rowOf(x find.Found) setRow {
	row := setRow{
		Source: x.Name, Name: x.Target.Source, Group: x.ID.Group,
		Kind: x.ID.Kind, Namespace: x.ID.Namespace, Object: x.ID.Name,
		Revision: x.Revision, Verdict: x.Own.Status, Reason: x.Own.Reason, Note: x.Note, Own: true, Created: x.Created,
	}
	if x.Members >= 0 {
		row.Members = &x.Members
	}
	return row
}

// amend fills a row from a model that follows the inventory.
func (row *setRow) amend(m *model.Model, r known.Resource, listed []object.ID) {
	verdict, worst, n, assumed := m.Facts.VerdictOver(r.ID, listed)
	row.Verdict, row.Own, row.Members, row.Reason, row.Assumed = verdict, false, &n, "", assumed
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

func (row *setRow) cells(now time.Time) []string {
	n, why := "?", row.Reason
	if row.Members != nil {
		n = strconv.Itoa(*row.Members)
	}
	if row.Verdict == status.Current {
		why = row.Note
	}
	if row.Assumed > 0 {
		why = strings.TrimPrefix(why+"; "+strconv.Itoa(row.Assumed)+" assumed", "; ")
	}
	return []string{
		row.Namespace, row.Source, row.Name, inventory.ShortRevision(row.Revision), n,
		string(row.Verdict), why, ageOf(row.Created, now),
	}
}

// ageOf is how long ago something was, as kubectl prints it.
func ageOf(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return apiduration.HumanDuration(max(now.Sub(t), 0))
}
