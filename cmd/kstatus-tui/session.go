package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// session is an open feed, with the model's options for it.
type session struct {
	headless
	opt     model.Options
	player  *recording.Player                // nil if a cluster is followed
	config  *rest.Config                     // nil for a recording
	targets []inventory.Target               // nil for a recording
	listed  func(root object.ID) []object.ID // the members of an inventory; nil for a recording
	close   func() error                     // ends the feed; the error is the recording's
}

// atMost returns the first n texts, and how many there are more.
func atMost(n int, texts []string) []string {
	if len(texts) <= n {
		return texts
	}
	return append(slices.Clone(texts[:n]), fmt.Sprintf("and %d more", len(texts)-n))
}

func openRecording(name string) (*recording.Player, error) {
	p, err := recording.Open(name)
	if err != nil {
		next := "record one with: kstatus-tui SOURCE --record FILE"
		if errors.Is(err, fs.ErrNotExist) {
			next = "check the path; " + next
		}
		return nil, problem.New(next, "cannot play: %w", err)
	}
	return p, nil
}

// playIn makes a session play the recording of --replay.
func (o *followOptions) playIn(ses *session) (err error) {
	var p *recording.Player
	if o.embedded != nil {
		p, err = recording.NewPlayer(bytes.NewReader(o.embedded))
	} else {
		p, err = openRecording(o.replay)
	}
	if err != nil {
		return err
	}
	p.Speed, p.Hold = o.speed, o.hold
	if o.at != "" {
		at, err := p.Moment(o.at)
		switch {
		case err != nil:
			_ = p.Close()
			return problem.New("as in "+cmp.Or(o.atFlag, "--at ")+"90s", "%s%s: %w",
				cmp.Or(o.atFlag, "--at "), o.at, err)
		case o.hold:
			p.Seek(at)
			p.PlayOrPause() // it would play
		case o.beginsAt: // what came before is loaded at once, not played
			p.Seek(at)
			ses.opt.From = at
		default:
			p.Until = at
		}
	}
	h := p.Header()
	ses.headless = headless{feed: p, now: p.Now, played: o.speed == 0, optional: o.isOptional}
	ses.player = p
	ses.close = p.Close
	ses.opt = model.Options{
		Now: p.Start(), From: ses.opt.From, Sources: h.Sources, Title: h.Title,
		Context: h.Context, Namespace: h.Namespace,
		Recording:  fmt.Sprintf("%s, %s", o.replay, p.Start().UTC().Format("2006-01-02 15:04 MST")),
		StallAfter: o.stallAfter, Children: model.Children(cmp.Or(h.Children, "auto")),
	}
	return nil
}

// silence is how long to wait before a message says what for.
const silence = 2 * time.Second

// afterSilence prints a text unless it is stopped soon. Once stop returns, nothing is being printed
// any more.
func (o *followOptions) afterSilence(text string) (stop func()) {
	printed := make(chan struct{})
	timer := time.AfterFunc(silence, func() {
		defer close(printed)
		fmt.Fprint(o.ErrOut, text)
	})
	return sync.OnceFunc(func() {
		if !timer.Stop() {
			<-printed
		}
	})
}

// waitingFor is the line about what has not answered for a while.
func waitingFor(what, does string) string {
	return fmt.Sprintf("kstatus-tui: waiting for %s, which %s (ctrl+c ends)\n", report.Inert(what), does)
}

// once follows until every source has been answered, or until the recording has
// ended, and closes the session. A recording that cannot be written does not
// keep the answer back.
func (o *followOptions) once(ctx context.Context) (*session, *model.Model, error) {
	ses, err := o.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err := ses.close(); err != nil {
			printError(o.ErrOut, err)
		}
	}()
	if ses.player != nil {
		ses.player.Seek(cmp.Or(ses.player.Until, ses.player.End())) // what came before is loaded at once, not played
		m, err := ses.run(ctx, ses.opt, func(*model.Model) (bool, time.Time) { return false, time.Time{} })
		if errors.Is(err, errEnded) {
			err = nil
		}
		return ses, m, err
	}
	var deadline time.Time
	if o.timeout > 0 {
		deadline = ses.opt.Now.Add(o.timeout)
	}
	answered := o.afterSilence(waitingFor(ses.config.Host, "has not answered yet"))
	if ses.opt.Still { // nobody has to answer
		answered()
	}
	defer answered()
	m, err := ses.run(ctx, ses.opt, func(m *model.Model) (bool, time.Time) {
		if m.Facts.Synced() || anyAnswer(m.Facts) {
			answered()
		}
		late := !deadline.IsZero() && !m.Facts.Now().Before(deadline)
		perRequest := ses.config.Timeout // 0 leaves it to the engine
		unanswered := perRequest > 0 && m.Facts.Now().Sub(ses.opt.Now) >= perRequest &&
			m.Facts.Connection().Link == world.LinkStale
		return m.Intake.Quiesced() || late || unanswered, deadline
	})
	return ses, m, err
}

// tellDamage warns in one line if a recording is incomplete.
func tellDamage(m *known.Facts, w io.Writer, name string) {
	if d := m.Damage; d != nil {
		known := "it shows nothing"
		if !d.At.IsZero() {
			known = "nothing is known of what came after " + d.At.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "kstatus-tui: %s%s; %s\n", report.Inert(name), report.Inert(d.Text), known)
	}
}

// tellRefusals warns in one line about resources that may not be read, so that
// a partial answer is not taken for a whole one.
func tellRefusals(m *known.Facts, w io.Writer) {
	if refused := m.Refusals(); len(refused) > 0 {
		fmt.Fprintf(w, "kstatus-tui: %s; the result may be incomplete\n",
			report.Inert(strings.Join(atMost(4, together(refused)), "; ")))
	}
}

// tellLate warns in one line about what causes needed and the cluster has not returned in
// time.
func tellLate(m *known.Facts, w io.Writer) {
	if late := m.Late(); len(late) > 0 {
		fmt.Fprintf(w, "kstatus-tui: the cluster has not returned %s in time; causes that need it are missing\n",
			report.Inert(strings.Join(atMost(4, late), ", ")))
	}
}

// refusedResource matches a missing permission: who may not do what, to which resource, where.
var refusedResource = regexp.MustCompile(`^(.*\bcannot [a-z]+ )(\S+)( (?:in|at) .*)$`)

// together joins missing permissions that differ in the resource alone: "user dev cannot list
// events, pods in shop (RBAC)".
func together(refused []string) (out []string) {
	resources := map[string][]string{}
	var order []string // of what they have in common
	for _, r := range refused {
		m := refusedResource.FindStringSubmatch(r)
		if m == nil {
			m = []string{r, r, "", ""}
		}
		common := m[1] + "\x00" + m[3]
		if resources[common] == nil {
			order = append(order, common)
		}
		resources[common] = append(resources[common], m[2])
	}
	for _, common := range order {
		before, after, _ := strings.Cut(common, "\x00")
		out = append(out, before+strings.Join(atMost(4, resources[common]), ", ")+after)
	}
	return out
}

// somethingFound returns an error for an empty answer, and warns of a partial
// one.
func somethingFound(m *model.Model, w io.Writer) error {
	c := m.Facts.Connection()
	tellDamage(m.Facts, w, "")
	if len(m.Facts.Roots()) > 0 && (m.Facts.Synced() || anyAnswer(m.Facts)) {
		if !m.Facts.Whole() {
			fmt.Fprintln(w, "kstatus-tui: not everything has answered in time; what is missing is Unknown")
		}
		tellRefusals(m.Facts, w)
		tellLate(m.Facts, w)
		return nil
	}
	if m.Options().Recording != "" {
		return problem.New("look at a later moment (--at), or at another recording", "%s by then",
			strings.TrimSuffix("the recording shows nothing of "+m.Options().Title, " of "))
	}
	if !m.Facts.Synced() {
		return problem.New(cmp.Or(c.Hint, "check the connection; --timeout waits longer"), "%s",
			strings.TrimSuffix("the cluster did not answer in time: "+c.Error, ": "))
	}
	for _, src := range m.Facts.Sources() {
		if src.Phase == feed.Forbidden && src.Objects == 0 {
			return problem.New(askFor(src.Error), "nothing to show for %s: %s", m.Options().Title, src.Error)
		}
	}
	tellRefusals(m.Facts, w)
	return nothingFound(m)
}

// nothingFound is the error of an empty answer, in kubectl's words. The next step names no
// flag that has been used, but for those to check.
func nothingFound(m *model.Model) error {
	typed := func(flag string) bool {
		return slices.ContainsFunc(m.Options().Sources, func(s string) bool {
			return slices.Contains(strings.Fields(s), flag)
		})
	}
	inNamespace := slices.ContainsFunc(m.Facts.Sources(), func(s feed.SourceState) bool { return s.Namespace != "" })
	where, next := "in the cluster", []string{}
	switch {
	case typed("-A"):
		where = "in any namespace"
	case inNamespace:
		where = fmt.Sprintf("in namespace %q", m.Options().Namespace)
		next = []string{"-n NAMESPACE looks in another one, -A in all"}
	}
	for _, flag := range []string{"--field-selector", "-l"} {
		if typed(flag) {
			next = append([]string{"check " + flag}, next...)
		}
	}
	if len(next) == 0 {
		next = []string{"--context NAME looks in another cluster"}
	}
	return problem.New(strings.Join(next, "; "), "no resources found %s: %s", where, m.Options().Title)
}

// anyAnswer reports whether the cluster has answered anything about the
// sources.
func anyAnswer(m *known.Facts) bool {
	return slices.ContainsFunc(m.Roots(), func(id object.ID) bool {
		r, ok := m.Resource(id)
		return ok && (r.Object != nil || r.Assessment.Status != status.Unknown)
	})
}

// Anything before the first frame may block: a hanging credential plugin, a
// FIFO without a writer, an endless recording, a lost disk. A signal ends it
// all the same.

// leavesWithin is how long a cancelled call is waited for.
const leavesWithin = 100 * time.Millisecond

// leavable returns f's result, or the context's error if f does not return soon
// after the context ends. A blocked f then runs until the process exits. A panic
// in f is an error.
func leavable[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return leavableWithin(ctx, leavesWithin, f)
}

func leavableWithin[T any](ctx context.Context, limit time.Duration, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		value, err := guarded(f)
		answered <- answer{value, err}
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-answered:
		return a.value, a.err
	case <-time.After(limit):
		var none T
		return none, context.Cause(ctx)
	}
}
