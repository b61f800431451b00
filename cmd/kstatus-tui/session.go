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

// lookFlags are the flags of every command that looks at something, be it in a
// cluster or in a recording.
type lookFlags struct {
	stallAfter time.Duration
	at         string
	logFile    string
	report     string
}

// session is what is being followed: a feed, and what the model is told about
// it.
type session struct {
	feed feed.Feed
	opt  model.Options
	// now is the feed's clock: the real one, or a recording's.
	now func() time.Time
	// player is the recording that is played, or nil.
	player *recording.Player
	log    *slog.Logger
	// requestTimeout is how long one answer may take; 0 is as long as the engine says.
	requestTimeout time.Duration
	// waiting says that nothing has been answered yet; nil for a recording.
	waiting func()
	// listed are the members of an inventory; nil for a recording.
	listed func(root object.ID) []object.ID
	// close ends everything, in order, and says what went wrong with the
	// recording that was written. leave ends everything but the debug log, for
	// another session goes on writing it.
	close, leave func() error
}

// titleOf is what is followed, in a few words.
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

// replaySession follows a recording; it is played as it was recorded unless
// the caller changes that.
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

// moment sets up a recording to be judged as far as --at, or to its end, and
// says when that is.
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

// cue sets up a recording to be played on a screen, from the moment of --at on:
// there it stands until the user lets it go on.
func (f *lookFlags) cue(ses *session, screen screenFlags) error {
	p := ses.player
	if p == nil {
		return nil
	}
	plain := screen.plain || os.Getenv("TERM") == "dumb" // there nobody can go back
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

// mostVerbose is the most of klog's -v. Beyond are the bodies of answers, and what
// stores a Helm release is a Secret.
const mostVerbose = 7

// openLog sends what libraries log to a file, or nowhere: nothing of it may
// reach the screen. Once an engine follows, [watch.Quiet] makes notices of it.
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

// isTerminal says whether a stream is one that a person sits at. A stream that
// is no file at all (in tests) is not.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// sized is a terminal, which knows its size.
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

// screen is where the answer goes, as a [report.Screen] if it is one.
func screenOf(w io.Writer) io.Writer {
	if isTerminal(w) {
		return sized{w.(*os.File)}
	}
	return w
}

// silence is after how long a person is told what is waited for.
const silence = 2 * time.Second

// look runs a session until everything has been answered, or until a recording
// has ended.
func (f *lookFlags) look(ctx context.Context, ses *session, timeout time.Duration) (model.Model, error) {
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
	waiting := ses.waiting
	h := headless{feed: ses.feed, now: ses.now, played: ses.player != nil}
	m, err := h.run(ctx, ses.opt, func(m model.Model) (bool, time.Time) {
		if ses.player != nil {
			return false, time.Time{} // a recording is looked at when it has ended
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

// tellDamage says in one line that a recording is not whole.
func tellDamage(m model.Model, s genericiooptions.IOStreams, name string) {
	if d := m.Damage(); d != nil {
		fmt.Fprintf(s.ErrOut, "kstatus-tui: %s%s; nothing is known of what came after %s\n", report.Inert(name), report.Inert(d.Text), d.At.UTC().Format(time.RFC3339))
	}
}

// tellRefusals says in one line what could not be looked at, so that nobody
// takes an answer without it for the whole one.
func tellRefusals(m model.Model, s genericiooptions.IOStreams) {
	if what := refusals(m); what != "" {
		fmt.Fprintf(s.ErrOut, "kstatus-tui: %s; what is shown was judged without\n", report.Inert(what))
	}
}

// refusals says who may not do what, or nothing.
func refusals(m model.Model) string {
	const shown = 4
	refused := m.Refusals()
	if n := len(refused); n > shown {
		refused = append(refused[:shown:shown], fmt.Sprintf("and %d more", n-shown))
	}
	return strings.Join(refused, "; ")
}

// somethingFound turns an empty answer into an error, and says where an answer
// is not whole.
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
			return problemf("kstatus-tui rbac with the same arguments prints the Role that this needs, with --check what you lack of it",
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
