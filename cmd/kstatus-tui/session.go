package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// lookFlags are the flags of every command that reads a cluster or a recording.
type lookFlags struct {
	stallAfter time.Duration
	at         string
	logFile    string
	report     string
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
	listed func(root object.ID) []object.ID
	// close ends everything, in order, and returns what went wrong with the
	// recording. leave ends everything but the debug log, which another session
	// goes on writing.
	close, leave func() error
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
		return nil, problemf("record one with: kstatus-tui SOURCE --record FILE", "cannot play %w", plainPath(err))
	}
	return p, nil
}

// replaySession plays a recording, at its recorded speed unless the caller
// changes it.
func (f *lookFlags) replaySession(p *recording.Player, name string, logger *slog.Logger) *session {
	h := p.Header()
	return &session{
		feed: p, now: p.Now, player: p, log: logger, close: p.Close,
		opt: model.Options{
			Now: p.Start(), Sources: h.Sources, Title: h.Title, Context: h.Context, Namespace: h.Namespace,
			Recording:  fmt.Sprintf("%s, %s", name, p.Start().UTC().Format("2006-01-02 15:04 MST")),
			StallAfter: cmp.Or(f.stallAfter, time.Minute), Children: model.Children(cmp.Or(h.Children, "auto")),
		},
	}
}

// moment limits a recording to --at, or to its end, and returns that time.
func (f *lookFlags) moment(ses *session) (time.Time, error) {
	if ses.player == nil {
		return time.Time{}, nil
	}
	ses.player.Speed = 0
	if f.at == "" {
		return ses.player.End(), nil
	}
	at, err := ses.player.Moment(f.at)
	if err != nil {
		return at, problemf("", "--at: %w", err)
	}
	ses.player.Until = at
	return at, nil
}

// cue pauses a recording on the screen at the moment of --at until the user
// lets it play.
func (f *lookFlags) cue(ses *session, screen screenFlags) error {
	p := ses.player
	if p == nil {
		return nil
	}
	plain := screen.plain || os.Getenv("TERM") == "dumb" // without a screen nobody can seek
	p.Hold = !plain
	if f.at == "" {
		return nil
	}
	at, err := p.Moment(f.at)
	if err != nil {
		return problemf("", "--at: %w", err)
	}
	if plain {
		p.Until = at
		return nil
	}
	p.Seek(at)
	p.SetPaused(true)
	return nil
}

// mostVerbose is the highest -v. Above it klog logs response bodies, and a Helm
// release is stored in a Secret.
const mostVerbose = 7

// openLog sends the libraries' logs to a file, or nowhere: they must not reach
// the screen. While an engine follows, [watch.Quiet] turns them into notices.
func openLog(name string) (*slog.Logger, func() error, error) {
	logger, closer := slog.New(slog.DiscardHandler), func() error { return nil }
	if name != "" {
		file, err := spool.Create(name, 0o600)
		if err != nil {
			return nil, nil, problemf("choose another file for --log", "cannot write the log: %w", err)
		}
		logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: min(slog.LevelDebug, -mostVerbose)}))
		stop := logUsage(logger)
		closer = func() error { stop(); return file.Close() }
	}
	log.SetOutput(io.Discard)
	if name != "" {
		log.SetOutput(slog.NewLogLogger(logger.Handler(), slog.LevelWarn).Writer())
	}
	quietLibraries(logger)
	return logger, closer, nil
}

// isTerminal reports whether a stream is a terminal. A stream that is not a
// file (in tests) is none.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// sized is a terminal whose width can be asked for.
type sized struct{ *os.File }

func (f sized) size() (width, height int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 80, 24
	}
	return w, h
}

// Width implements [report.Screen].
func (f sized) Width() int {
	w, _ := f.size()
	return w
}

// screenOf returns the output as a [report.Screen] if it is a terminal.
func screenOf(w io.Writer) io.Writer {
	if isTerminal(w) {
		return sized{w.(*os.File)}
	}
	return w
}

// silence is how long to wait before a message says what for.
const silence = 2 * time.Second

// look runs a session until every source has been answered, or until the
// recording has ended.
func (f *lookFlags) look(ctx context.Context, ses *session, timeout time.Duration) (model.Model, error) {
	at, err := f.moment(ses)
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
		return problemf("look at a later moment (--at), or at another recording", "the recording shows nothing of %s by then", titleOf(m.Options().Sources))
	}
	if !m.Synced() {
		if c.Error != "" {
			return problemf(cmp.Or(c.Hint, "check the connection; --timeout waits longer"), "the cluster did not answer in time: %s", c.Error)
		}
		return problemf("check the connection; --timeout waits longer", "the cluster did not answer in time")
	}
	for _, src := range m.Sources() {
		if src.Phase == feed.Forbidden && src.Objects == 0 {
			return problemf("kstatus-tui rbac with the same arguments prints the Role that this needs; --check lists what you lack",
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
