package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
)

// moment is a batch and when it comes after the one before.
type moment struct {
	after time.Duration
	batch feed.Batch
}

// timed is a feed that hands over batches at their moments and then ends with
// an error, or not at all.
type timed struct {
	moments []moment
	end     error
}

func (f *timed) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	if since == uint64(len(f.moments)) {
		if f.end != nil {
			return feed.Batch{}, f.end
		}
		<-ctx.Done()
		return feed.Batch{}, ctx.Err()
	}
	m := f.moments[since]
	select {
	case <-time.After(m.after):
	case <-ctx.Done():
		return feed.Batch{}, ctx.Err()
	}
	b := m.batch
	b.Seq, b.At = since+1, time.Now()
	return b, nil
}

func (*timed) Want(feed.Wants) {}
func (*timed) Detail(context.Context, object.ID) (feed.Detail, error) {
	return feed.Detail{}, errors.New("none")
}

func (*timed) Logs(context.Context, feed.LogKey, uint64) (feed.LogChunk, error) {
	return feed.LogChunk{}, errors.New("none")
}

func configMap() feed.Batch {
	id := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	return feed.Batch{
		Roots:   []feed.Root{{ID: id, Version: "v1", Source: "cm/a"}},
		Objects: []*object.Object{{ID: id, Version: "v1", UID: "u", MetadataOnly: true}}, Synced: true,
	}
}

// drive runs a model until everything is Current, or until a limit.
func drive(ctx context.Context, source feed.Feed, limit time.Duration) (time.Duration, *report.End, error) {
	begin := time.Now()
	g := newWaiter(wait.Current)
	g.Deadline = begin.Add(limit)
	var end *report.End
	h := headless{feed: source, now: time.Now}
	_, err := h.run(ctx, model.Options{Now: begin}, func(m *model.Model) (bool, time.Time) {
		o, wake := look(g, seenOf(m))
		end = o
		return o != nil, wake
	})
	return time.Since(begin), end, err
}

func TestAWaitEndsAtTheChangeThatReachesItsGoal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took, o, err := drive(t.Context(), &timed{moments: []moment{
			{0, feed.Batch{Synced: true}}, {90*time.Second + 250*time.Millisecond, configMap()},
		}}, 5*time.Minute)
		if err != nil || o == nil || o.Code != exitOK || took != 90*time.Second+250*time.Millisecond {
			t.Errorf("after %v: %+v, %v", took, o, err)
		}
	})
}

func TestADeadlineIsKeptToTheMomentThoughNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := 5*time.Minute + 123*time.Millisecond
		took, o, err := drive(t.Context(), &timed{moments: []moment{{0, feed.Batch{Synced: true}}}}, limit)
		if err != nil || o == nil || o.Code != exitError || took != limit {
			t.Errorf("after %v: %+v, %v", took, o, err)
		}
	})
}

func TestADeadlineIsKeptWhereNothingAnswersAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took, o, err := drive(t.Context(), &timed{}, 100*time.Millisecond)
		if err != nil || o == nil || o.Code != exitError || took != 100*time.Millisecond {
			t.Errorf("after %v: %+v, %v", took, o, err)
		}
	})
}

func TestAFeedThatEndsEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		if _, _, err := drive(t.Context(), &timed{end: broken}, time.Minute); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if _, _, err := drive(t.Context(), &timed{end: io.EOF}, time.Minute); !errors.Is(err, errEnded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAnInterruptionLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		took, _, err := drive(ctx, &timed{}, time.Hour)
		if !errors.Is(err, context.Canceled) || took != 3*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		// The bubble fails when a goroutine is left.
	})
}
