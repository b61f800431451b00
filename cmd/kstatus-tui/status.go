package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const statusLong = `Fetch once, judge, print, exit. Exit codes: 0 everything is Current, 2 something Failed,
3 neither yet, 1 error or nothing found.`

func newStatusCommand(s streams) *cobra.Command {
	var output string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "status [SOURCE…]", Short: "Fetch once, judge and print", Long: statusLong,
		Example: "  kstatus-tui status deploy/web\n  kstatus-tui status -n shop --all -o json",
	}
	f := addFollow(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table, tree, json, jsonl, yaml or markdown")
	cmd.Flags().DurationVar(&timeout, "timeout", onceTimeout, "how long to wait for the cluster's answers; 0 for ever")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := oneOf("-o", output, report.StatusFormats...); err != nil {
			return err
		}
		m, err := once(cmd.Context(), f, s, args, timeout)
		if err != nil {
			return err
		}
		code := verdictCode(m.Verdict())
		if err := report.Status(s.Out, m, output, code); err != nil {
			return err
		}
		if err := f.writeReport(m); err != nil {
			return err
		}
		return exitWith(code)
	}
	return cmd
}

// onceTimeout bounds a single look. A cluster that has not answered by then is
// reported as far as it did.
const onceTimeout = 30 * time.Second

// once follows until everything that was asked for has been answered, and
// returns what is known then: a recording's last state, or its state at a
// moment. Nothing found is an error.
func once(ctx context.Context, f *followFlags, s streams, args []string, timeout time.Duration) (_ model.Model, err error) {
	f.login = timeout
	ses, err := f.open(ctx, s, args)
	if err != nil {
		return model.Model{}, err
	}
	defer func() {
		if e := ses.close(); err == nil {
			err = e
		}
	}()
	m, err := f.look(ctx, ses, timeout)
	if err != nil {
		return m, err
	}
	return m, somethingFound(m, s)
}

// look runs a session until everything has been answered, or until a recording
// has ended.
func (f *followFlags) look(ctx context.Context, ses *session, timeout time.Duration) (model.Model, error) {
	at, err := f.moment(ses)
	if err != nil {
		return model.Model{}, err
	}
	if ses.player != nil {
		ses.player.Seek(at) // what went before is remembered, not played
	}
	var deadline time.Time
	if timeout > 0 && ses.player == nil {
		deadline = ses.opt.Now.Add(timeout)
	}
	h := headless{feed: ses.feed, now: ses.now, played: ses.player != nil}
	m, err := h.run(ctx, ses.opt, func(m model.Model) (bool, time.Time) {
		if ses.player != nil {
			return false, time.Time{} // a recording is looked at when it has ended
		}
		late := !deadline.IsZero() && !m.Now().Before(deadline)
		return m.Quiesced() || late, deadline
	})
	if errors.Is(err, errEnded) {
		err = nil
	}
	return m, err
}

// tellRefusals says in one line what could not be looked at, so that nobody
// takes an answer without it for the whole one.
func tellRefusals(m model.Model, s streams) {
	if what := refusals(m); what != "" {
		fmt.Fprintf(s.Err, "kstatus-tui: %s; what is shown was judged without\n", what)
	}
}

// refusals names the kinds that one's rights do not show, or nothing.
func refusals(m model.Model) string {
	const shown = 4
	var kinds []string
	for _, src := range m.Sources() {
		// A single object that was asked for says so in its own row.
		if src.Phase != status.Forbidden || src.Name != "" && !src.Children {
			continue
		}
		kind := src.Resource
		if src.Group != "" {
			kind += "." + src.Group
		}
		if src.Namespace != "" {
			kind += " in " + src.Namespace
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	switch n := len(kinds); {
	case n == 0:
		return ""
	case n > shown:
		return fmt.Sprintf("not allowed to look at %s and %d more kinds", strings.Join(kinds[:shown], ", "), n-shown)
	}
	return "not allowed to look at " + strings.Join(kinds, ", ")
}

// somethingFound turns an empty answer into an error, and says where an answer
// is not whole.
func somethingFound(m model.Model, s streams) error {
	c := m.Connection()
	if len(m.Roots()) > 0 && (m.Synced() || anyAnswer(m)) {
		if !m.Synced() {
			fmt.Fprintln(s.Err, "kstatus-tui: not everything has answered in time; what is missing is Unknown")
		}
		tellRefusals(m, s)
		return nil
	}
	if !m.Synced() {
		if c.Error != "" {
			return problemf("check the connection; --timeout waits longer", "the cluster did not answer in time: %s", c.Error)
		}
		return problemf("check the connection; --timeout waits longer", "the cluster did not answer in time")
	}
	for _, src := range m.Sources() {
		if src.Phase == status.Forbidden && src.Objects == 0 {
			return problemf("kubectl auth can-i --list shows your rights; try --as, or a role that may get, list and watch",
				"nothing may be seen of %s: %s", titleOf(m.Options().Sources), src.Error)
		}
	}
	where := fmt.Sprintf("in namespace %q", m.Options().Namespace)
	if slices.ContainsFunc(m.Options().Sources, func(s string) bool { return slices.Contains(strings.Fields(s), "-A") }) {
		where = "in any namespace"
	}
	return problemf("check the namespace (-n), the labels (-l) and the type; -A looks everywhere",
		"nothing found %s: %s", where, titleOf(m.Options().Sources))
}

// anyAnswer says whether the cluster has said anything about what was asked
// for.
func anyAnswer(m model.Model) bool {
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && (r.Object != nil || r.Assessment.Status != status.Unknown) {
			return true
		}
	}
	return false
}
