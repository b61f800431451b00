package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// lookOptions are the options of every command that reads a cluster or a
// recording.
type lookOptions struct {
	stallAfter time.Duration
	at         string
	logFile    string
	report     string
}

func (o *lookOptions) addLog(flags *pflag.FlagSet) {
	flags.StringVar(&o.logFile, "log", "", "write a debug log to a file")
}

// session is an open feed, with the model's options for it.
type session struct {
	feed feed.Feed
	opt  model.Options
	// now is the feed's clock: real time, or the recording's.
	now func() time.Time
	// player is the recording, or nil.
	player *recording.Player
	log    *slog.Logger
	// requestTimeout bounds one request; 0 leaves it to the engine.
	requestTimeout time.Duration
	// waiting reports that nothing has been answered yet; nil for a recording.
	waiting func()
	// listed returns the members of an inventory; nil for a recording.
	listed   func(root object.ID) []object.ID
	closeLog func() error
	closers  []func() error
}

// openLog opens the debug log, unless the session writes another one's.
func (ses *session) openLog(name string) (err error) {
	if ses.log == nil {
		ses.log, ses.closeLog, err = openLog(name)
	}
	return err
}

// atEnd adds something to close.
func (ses *session) atEnd(f func() error) { ses.closers = append(ses.closers, f) }

// leave ends everything but the debug log, which another session goes on
// writing, the last opened first. It returns what went wrong with the recording.
func (ses *session) leave() (err error) {
	for _, f := range slices.Backward(ses.closers) {
		err = cmp.Or(err, f())
	}
	ses.closers = nil
	return err
}

func (ses *session) close() error {
	err := ses.leave()
	if ses.closeLog != nil {
		err = cmp.Or(err, ses.closeLog())
	}
	return err
}

// titleOf shortens the sources to a title.
func titleOf(sources []string) string {
	const shown = 3
	if len(sources) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(sources[:shown], " "), len(sources)-shown)
	}
	return strings.Join(sources, " ")
}

func openRecording(ctx context.Context, name string) (*recording.Player, error) {
	p, err := leavable(ctx, func() (*recording.Player, error) { return recording.Open(name) })
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, problem.New("record one with: kstatus-tui SOURCE --record FILE", "cannot play %w", plainPath(err))
	}
	return p, nil
}

// playIn makes a session play a recording, at its recorded speed unless the
// caller changes it.
func (o *lookOptions) playIn(ses *session, p *recording.Player, name string) {
	h := p.Header()
	ses.feed, ses.now, ses.player = p, p.Now, p
	ses.atEnd(p.Close)
	ses.opt = model.Options{
		Now: p.Start(), Sources: h.Sources, Title: h.Title, Context: h.Context, Namespace: h.Namespace,
		Recording:  fmt.Sprintf("%s, %s", name, p.Start().UTC().Format("2006-01-02 15:04 MST")),
		StallAfter: cmp.Or(o.stallAfter, time.Minute), Children: model.Children(cmp.Or(h.Children, "auto")),
	}
}

// moment limits a recording to --at, or to its end, and returns that time.
func (o *lookOptions) moment(ses *session) (time.Time, error) {
	if ses.player == nil {
		return time.Time{}, nil
	}
	ses.player.Speed = 0
	if o.at == "" {
		return ses.player.End(), nil
	}
	at, err := ses.player.Moment(o.at)
	if err != nil {
		return at, problem.New("as in --at 90s", "--at: %w", err)
	}
	ses.player.Until = at
	return at, nil
}

// cue pauses a recording on the screen at the moment of --at until the user
// lets it play.
func (o *lookOptions) cue(ses *session, screen screenOptions) error {
	p := ses.player
	if p == nil {
		return nil
	}
	plain := screen.plain || os.Getenv("TERM") == "dumb" // without a screen nobody can seek
	p.Hold = !plain
	if o.at == "" {
		return nil
	}
	at, err := p.Moment(o.at)
	if err != nil {
		return problem.New("as in --at 90s", "--at: %w", err)
	}
	if plain {
		p.Until = at
		return nil
	}
	p.Seek(at)
	p.SetPaused(true)
	return nil
}

// silence is how long to wait before a message says what for.
const silence = 2 * time.Second

// look runs a session until every source has been answered, or until the
// recording has ended.
func (o *lookOptions) look(ctx context.Context, ses *session, timeout time.Duration) (model.Model, error) {
	at, err := o.moment(ses)
	if err != nil {
		return model.Model{}, err
	}
	if ses.player != nil {
		ses.player.Seek(at) // what came before is loaded at once, not played
	}
	var deadline time.Time
	if timeout > 0 && ses.player == nil {
		deadline = ses.opt.Now.Add(timeout)
	}
	waiting := ses.waiting
	h := headless{feed: ses.feed, now: ses.now, played: ses.player != nil}
	m, err := h.run(ctx, ses.opt, func(m model.Model) (bool, time.Time) {
		if ses.player != nil {
			return false, time.Time{} // a recording is read to its end
		}
		waited := m.Now().Sub(ses.opt.Now)
		if waiting != nil && waited >= silence && !m.Synced() && !anyAnswer(m) {
			waiting()
			waiting = nil
		}
		late := !deadline.IsZero() && !m.Now().Before(deadline)
		unanswered := ses.requestTimeout > 0 && waited >= ses.requestTimeout && m.Connection().Link == world.LinkStale
		return m.Quiesced() || late || unanswered, deadline
	})
	if errors.Is(err, errEnded) {
		err = nil
	}
	return m, err
}

// tellDamage warns in one line if a recording is incomplete.
func tellDamage(m model.Model, s genericiooptions.IOStreams, name string) {
	if d := m.Damage(); d != nil {
		fmt.Fprintf(s.ErrOut, "kstatus-tui: %s%s; nothing is known of what came after %s\n", report.Inert(name), report.Inert(d.Text), d.At.UTC().Format(time.RFC3339))
	}
}

// tellRefusals warns in one line about resources that may not be read, so that
// a partial answer is not taken for a whole one.
func tellRefusals(m model.Model, s genericiooptions.IOStreams) {
	if what := refusals(m); what != "" {
		fmt.Fprintf(s.ErrOut, "kstatus-tui: %s; what is shown was judged without\n", report.Inert(what))
	}
}

// refusals lists the missing permissions; it is empty if there are none.
func refusals(m model.Model) string {
	const shown = 4
	refused := m.Refusals()
	if n := len(refused); n > shown {
		refused = append(refused[:shown:shown], fmt.Sprintf("and %d more", n-shown))
	}
	return strings.Join(refused, "; ")
}

// somethingFound returns an error for an empty answer, and warns of a partial
// one.
func somethingFound(m model.Model, s genericiooptions.IOStreams) error {
	c := m.Connection()
	tellDamage(m, s, "")
	if len(m.Roots()) > 0 && (m.Synced() || anyAnswer(m)) {
		if !m.Synced() {
			fmt.Fprintln(s.ErrOut, "kstatus-tui: not everything has answered in time; what is missing is Unknown")
		}
		tellRefusals(m, s)
		return nil
	}
	if m.Options().Recording != "" {
		return problem.New("look at a later moment (--at), or at another recording", "the recording shows nothing of %s by then", titleOf(m.Options().Sources))
	}
	if !m.Synced() {
		if c.Error != "" {
			return problem.New(cmp.Or(c.Hint, "check the connection; --timeout waits longer"), "the cluster did not answer in time: %s", c.Error)
		}
		return problem.New("check the connection; --timeout waits longer", "the cluster did not answer in time")
	}
	for _, src := range m.Sources() {
		if src.Phase == feed.Forbidden && src.Objects == 0 {
			return problem.New("kstatus-tui rbac with the same arguments prints the Role that this needs; --check lists what you lack",
				"nothing may be seen of %s: %s", titleOf(m.Options().Sources), src.Error)
		}
	}
	where := fmt.Sprintf("in namespace %q", m.Options().Namespace)
	if slices.ContainsFunc(m.Options().Sources, func(s string) bool { return slices.Contains(strings.Fields(s), "-A") }) {
		where = "in any namespace"
	}
	return problem.New("check the namespace (-n), the labels (-l) and the type; -A looks everywhere",
		"nothing found %s: %s", where, titleOf(m.Options().Sources))
}

// anyAnswer reports whether the cluster has answered anything about the
// sources.
func anyAnswer(m model.Model) bool {
	for _, id := range m.Roots() {
		if r, ok := m.Resource(id); ok && (r.Object != nil || r.Assessment.Status != status.Unknown) {
			return true
		}
	}
	return false
}
