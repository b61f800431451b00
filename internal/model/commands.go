package model

import (
	"context"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Cmd is work that may block. It is made from values alone, so it cannot reach
// the model; what it learns comes back as a message. A nil message says
// nothing. Commands may run at the same time and end in any order.
type Cmd func(ctx context.Context, feed Feed) Msg

// nextBatch waits for what changed after the batch numbered since.
func nextBatch(since uint64) Cmd {
	return func(ctx context.Context, feed Feed) Msg {
		b, err := feed.Next(ctx, since)
		if err != nil {
			return FeedEnded{Err: err}
		}
		return BatchArrived{Batch: b}
	}
}

// sendWants declares what is wanted beyond the roots.
func sendWants(w status.Wants) Cmd {
	return func(_ context.Context, feed Feed) Msg {
		feed.Want(w)
		return WantsSent{Gen: w.Gen}
	}
}

// loadDetail fetches one full object.
func loadDetail(id status.ID, gen uint64) Cmd {
	return func(ctx context.Context, feed Feed) Msg {
		d, err := feed.Detail(ctx, id)
		return DetailLoaded{Gen: gen, Detail: d, Err: err}
	}
}

// readLogs asks for the log lines after a cursor.
func readLogs(key status.LogKey, since, gen uint64) Cmd {
	return func(ctx context.Context, feed Feed) Msg {
		c, err := feed.Logs(ctx, key, since)
		return LogsArrived{Gen: gen, Key: key, Chunk: c, Err: err}
	}
}

// tell is the command that brings a wish to whoever runs commands.
func tell[M Msg](m M) Cmd {
	return func(context.Context, Feed) Msg { return m }
}
