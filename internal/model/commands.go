package model

import (
	"context"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Cmd is work that may block. It is made from values alone and cannot reach the
// model; its result is a message, or nil. Commands may run concurrently and end
// in any order.
type Cmd func(ctx context.Context, source feed.Feed) Msg

// nextBatch waits for the changes after the batch numbered since.
func nextBatch(since uint64) Cmd {
	return func(ctx context.Context, source feed.Feed) Msg {
		b, err := source.Next(ctx, since)
		if err != nil {
			return FeedEnded{Err: err}
		}
		return BatchArrived{Batch: b}
	}
}

// sendWants declares what is wanted beyond the roots.
func sendWants(w feed.Wants) Cmd {
	return func(_ context.Context, source feed.Feed) Msg {
		source.Want(w)
		return WantsSent{Gen: w.Gen}
	}
}

// loadDetail fetches one full object.
func loadDetail(id object.ID, gen uint64) Cmd {
	return func(ctx context.Context, source feed.Feed) Msg {
		d, err := source.Detail(ctx, id)
		return DetailLoaded{Gen: gen, Detail: d, Err: err}
	}
}

// readLogs reads the log lines after a cursor.
func readLogs(key feed.LogKey, since, gen uint64) Cmd {
	return func(ctx context.Context, source feed.Feed) Msg {
		c, err := source.Logs(ctx, key, since)
		return LogsArrived{Gen: gen, Key: key, Chunk: c, Err: err}
	}
}

// Bounds of what is read for a cause.
const (
	wordLines    = 20 // of a log
	wordPatience = 5 * time.Second
)

// readWords reads the tail of a container's log: of its previous instance, or
// else of the present one; from a recording, what it holds.
func readWords(what world.Reading) Cmd {
	return func(ctx context.Context, source feed.Feed) Msg {
		ctx, cancel := context.WithTimeout(ctx, wordPatience)
		defer cancel()
		log := feed.LogKey{Pod: what.ID, Container: what.Container, Previous: what.Previous, Tail: wordLines}
		lines, err := tail(ctx, source, log)
		if what.Previous && len(lines) == 0 {
			log.Previous = false
			if more, err2 := tail(ctx, source, log); err2 == nil {
				lines, err = more, nil
			}
		}
		text := make([]string, len(lines))
		for i, l := range lines {
			text[i] = l.Text
		}
		return WordsRead{what: what, Line: explain.Decisive(text), Err: err}
	}
}

// tail reads a log until it ends or pauses.
func tail(ctx context.Context, source feed.Feed, key feed.LogKey) (lines []feed.LogLine, err error) {
	for since := uint64(0); ; {
		c, err := source.Logs(ctx, key, since)
		if err != nil {
			return lines, err
		}
		for _, l := range c.Lines {
			if !l.Aside {
				lines = append(lines, l)
			}
		}
		if c.Ended || len(c.Lines) == 0 && len(lines) > 0 || len(lines) > 10*wordLines || c.Cursor == since {
			return lines[max(0, len(lines)-wordLines):], nil
		}
		since = c.Cursor
	}
}

// readTemplate reads the Pod template of a ReplicaSet or ControllerRevision.
// The object is dropped at once: it may hold environment values.
func readTemplate(id object.ID) Cmd {
	return func(ctx context.Context, source feed.Feed) Msg {
		ctx, cancel := context.WithTimeout(ctx, wordPatience)
		defer cancel()
		d, err := source.Detail(ctx, id)
		if err != nil {
			return TemplateRead{ID: id, Err: err}
		}
		var o struct {
			Spec, Data struct {
				Template map[string]any
				Spec     struct{ Template map[string]any }
			}
		}
		if err := yaml.Unmarshal([]byte(d.YAML), &o); err != nil {
			return TemplateRead{ID: id, Err: err}
		}
		pod := o.Spec.Template
		if pod == nil {
			pod = o.Data.Spec.Template
		}
		return TemplateRead{ID: id, Template: explain.NewTemplate(pod)}
	}
}

// tell is a command that delivers a message to the program.
func tell[M Msg](m M) Cmd {
	return func(context.Context, feed.Feed) Msg { return m }
}

// seekTo moves the recording to a time.
func seekTo(t time.Time) Cmd { return onDeck(func(d feed.Deck) { d.Seek(t) }) }

// stepBy moves the recording to its next batch, or the previous one.
func stepBy(n int) Cmd { return onDeck(func(d feed.Deck) { d.Step(n) }) }

// setPaused stops or starts the recording's clock.
func setPaused(paused bool) Cmd { return onDeck(func(d feed.Deck) { d.SetPaused(paused) }) }

// setSpeed sets the speed of that clock.
func setSpeed(v float64) Cmd { return onDeck(func(d feed.Deck) { d.SetSpeed(v) }) }

func onDeck(f func(feed.Deck)) Cmd {
	return func(_ context.Context, source feed.Feed) Msg {
		if d, ok := source.(feed.Deck); ok {
			f(d)
		}
		return nil
	}
}

// remember passes the model's state to a recorder.
func remember(mem feed.Memory) Cmd {
	return func(_ context.Context, source feed.Feed) Msg {
		if n, ok := source.(feed.Notebook); ok {
			n.Remember(mem)
		}
		return nil
	}
}

// noteMarks passes marks to a recorder.
func noteMarks(marks []feed.Mark) Cmd {
	return func(_ context.Context, source feed.Feed) Msg {
		if n, ok := source.(feed.Notebook); ok {
			for _, m := range marks {
				n.Mark(m)
			}
		}
		return nil
	}
}
