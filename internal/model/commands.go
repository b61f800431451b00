package model

import (
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// asker makes the model's commands. They hold values alone and cannot reach the
// model; they may run concurrently and end in any order.
type asker struct {
	ctx  context.Context
	feed feed.Feed
	// forCause is how long what a cause needs may take to be read.
	forCause time.Duration
}

// Answer is the message of a command. It reaches only the model that asked: a
// dashboard may follow another feed by then.
type Answer struct {
	Msg tea.Msg

	to *asker
}

// panicked is the answer of a command that panicked: Update panics instead, in
// the caller's sight.
type panicked struct {
	value any
	stack []byte
}

// command is work as a command. A nil message is no answer.
func (a *asker) command(work func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = Answer{panicked{r, debug.Stack()}, a}
			}
		}()
		if answer := work(); answer != nil {
			return Answer{answer, a}
		}
		return nil
	}
}

// nextBatch waits for the changes after the batch numbered since.
func (a *asker) nextBatch(since uint64) tea.Cmd {
	return a.command(func() tea.Msg {
		b, err := a.feed.Next(a.ctx, since)
		if err != nil {
			return FeedEnded{Err: err}
		}
		return BatchArrived{Batch: b}
	})
}

// loadDetail fetches one full object.
func (a *asker) loadDetail(id object.ID, gen uint64) tea.Cmd {
	return a.command(func() tea.Msg {
		d, err := a.feed.Detail(a.ctx, id)
		return panes.DetailLoaded{Gen: gen, Detail: d, Err: err}
	})
}

// readUsage reads what Pods use. What a recording's used then is not known.
func (a *asker) readUsage(of feed.UsageOf, gen uint64) tea.Cmd {
	return a.command(func() tea.Msg {
		m, ok := a.feed.(feed.Meter)
		if !ok {
			return panes.UsageLoaded{Gen: gen, Err: feed.ErrMetricsHidden}
		}
		pods, err := m.Usage(a.ctx, of)
		return panes.UsageLoaded{Gen: gen, Pods: pods, Err: err}
	})
}

// view fetches one full object for the user's pager.
func (a *asker) view(id object.ID) tea.Cmd {
	return a.command(func() tea.Msg {
		d, err := a.feed.Detail(a.ctx, id)
		if err != nil {
			return problem(err)
		}
		return viewed{Leave{Name: strings.ToLower(id.Kind) + "-" + id.Name + ".yaml", Text: d.YAML}}
	})
}

// readLogs reads the log lines after a cursor.
func (a *asker) readLogs(key feed.LogKey, since, gen uint64) tea.Cmd {
	return a.command(func() tea.Msg {
		c, err := a.feed.Logs(a.ctx, key, since)
		return logs.Arrived{Gen: gen, Key: key, Chunk: c, Err: err}
	})
}

// explain finds the causes in a copy of the world.
func (a *asker) explain(still *world.World, gen uint64) tea.Cmd {
	return a.command(func() tea.Msg {
		began, found := time.Now(), still.Explanation()
		return CausesFound{Gen: gen, Found: found, Took: time.Since(began)}
	})
}

// Bounds of what is read for a cause.
const (
	wordLines = 60 // of a log: a stack trace often has forty
	// A controller writes some lines for each of its objects, and tries again after up to 17 minutes
	// (client-go's default back-off).
	complaintLines = 1000
	wordPatience   = 5 * time.Second
	// A saved cluster answers itself, and nobody waits for an incident to pass: what is slow is
	// this machine alone, and an answer without its log would be another one.
	savedPatience = time.Minute
)

// readLog reads the tail of a container's log, as far as it is of the instance that is
// wanted. That one may have become the previous one since, or its log may be gone.
func (a *asker) readLog(what world.Reading) tea.Cmd {
	return a.command(func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, a.forCause)
		defer cancel()
		most := wordLines
		if what.Complaints {
			most = complaintLines
		}
		read := func(previous bool) ([]feed.LogLine, error) {
			lines, err := a.tail(ctx, what.Asked(),
				feed.LogKey{Pod: what.ID, Container: what.Container, Previous: previous, Tail: most})
			return slices.DeleteFunc(lines, func(l feed.LogLine) bool { return !what.Has(l.At) }), err
		}
		lines, err := read(what.Previous)
		if what.Ended() && len(lines) == 0 {
			if more, err2 := read(!what.Previous); err2 == nil && len(more) > 0 {
				lines, err = more, nil
			}
		}
		if what.Complaints {
			return CauseRead{what: what, Text: world.Text{Complaints: complaints(lines, what.Asked())}, Err: err}
		}
		text := make([]string, len(lines))
		for i, l := range lines {
			text[i] = l.Text
		}
		return CauseRead{what: what, Text: world.Text{Line: object.Clean(logline.Decisive(text))}, Err: err}
	})
}

// complaints are the errors and warnings in some lines. What a line of JSON holds has not been cleaned.
func complaints(lines []feed.LogLine, now time.Time) []logline.Complaint {
	in := make([]logline.Line, len(lines))
	for i, l := range lines {
		in[i] = logline.Line{At: l.At, Text: l.Text}
	}
	list := logline.Complaints(in, now)
	for i := range list {
		list[i].Says = object.Clean(list[i].Says)
	}
	return list
}

// tail reads a log until it ends or pauses: of a recording what was written by a moment.
func (a *asker) tail(ctx context.Context, at time.Time, key feed.LogKey) (lines []feed.LogLine, err error) {
	if archive, ok := a.feed.(feed.Archive); ok {
		lines, err := archive.LinesBy(at, key)
		lines = slices.DeleteFunc(lines, func(l feed.LogLine) bool { return l.Remark })
		return lines[max(0, len(lines)-key.Tail):], err
	}
	for since := uint64(0); ; {
		c, err := a.feed.Logs(ctx, key, since)
		if err != nil {
			return lines, err
		}
		for _, l := range c.Lines {
			if !l.Remark {
				lines = append(lines, l)
			}
		}
		if c.Ended || len(c.Lines) == 0 && len(lines) > 0 || len(lines) > 10*key.Tail || c.Cursor == since {
			return lines[max(0, len(lines)-key.Tail):], nil
		}
		since = c.Cursor
	}
}

// readTemplate reads the Pod template of a ReplicaSet or ControllerRevision.
// The object is dropped at once: it may hold environment values.
func (a *asker) readTemplate(what world.Reading) tea.Cmd {
	return a.command(func() tea.Msg {
		ctx, cancel := context.WithTimeout(a.ctx, a.forCause)
		defer cancel()
		d, err := a.revision(ctx, what.ID)
		if err != nil {
			return CauseRead{what: what, Err: err}
		}
		var o struct {
			Spec, Data struct {
				Template map[string]any
				Spec     struct{ Template map[string]any }
			}
		}
		if err := yaml.Unmarshal([]byte(d.YAML), &o); err != nil {
			return CauseRead{what: what, Err: err}
		}
		pod := o.Spec.Template
		if pod == nil {
			pod = o.Data.Spec.Template
		}
		return CauseRead{what: what, Text: world.Text{Template: revision.New(pod)}}
	})
}

// revision reads a ReplicaSet or ControllerRevision.
func (a *asker) revision(ctx context.Context, id object.ID) (feed.Detail, error) {
	if archive, ok := a.feed.(feed.Archive); ok {
		return archive.Revision(id)
	}
	return a.feed.Detail(ctx, id)
}

// control does something with the feed, if it is a T: any is a feed.Feed, a
// recording that is played a feed.Deck, one that is written a feed.Notebook.
func control[T any](a *asker, do func(T)) tea.Cmd {
	return a.command(func() tea.Msg {
		if f, ok := a.feed.(T); ok {
			do(f)
		}
		return nil
	})
}
