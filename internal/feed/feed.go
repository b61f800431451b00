// Package feed holds the words that cross from whoever observes to the model:
// batches of objects, roots, events and sources' states in one direction, [Wants]
// in the other, and the interface of both, [Feed]. A cluster (internal/watch) and
// a recording (internal/recording) speak them alike.
package feed

import (
	"context"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Feed is where facts come from and wishes go: a cluster (internal/watch) or a
// recording (internal/recording). The model cannot tell which. A Feed is safe for
// concurrent use.
type Feed interface {
	// Next blocks until something changed after the batch with sequence number
	// since, and returns the union of all changes since then. The first call
	// passes 0 and gets everything known. Batches come at most once a frame,
	// the first one after an idle time at once. An error is final: the feed has
	// ended (context.Canceled, io.EOF for a recording that has played).
	Next(ctx context.Context, since uint64) (Batch, error)
	// Want declares everything the receiver of batches wants beyond the roots.
	// It replaces the previous declaration, never blocks, and is kept until the
	// next one.
	Want(Wants)
	// Detail fetches one full object for a person to read: YAML, status first,
	// managedFields left out, Secrets masked.
	Detail(ctx context.Context, id object.ID) (Detail, error)
	// Logs returns the lines after the cursor since, waiting for the first one
	// at most a moment. The stream behind it is opened by the first call and
	// closed soon after Wants no longer names it.
	Logs(ctx context.Context, key LogKey, since uint64) (LogChunk, error)
}

// Deck is a Feed whose time is the user's: a recording that is played for
// somebody. What an order brings comes with the next batch.
type Deck interface {
	Seek(t time.Time)
	Step(by int)
	SetPaused(paused bool)
	SetSpeed(speed float64)
}

// Notebook is a Feed that writes down what it hands over, and what is made of
// it: a recording that is being made.
type Notebook interface {
	// Remember answers a batch with a Bookmark.
	Remember(m Memory)
	// Mark notes a moment worth finding again.
	Mark(m Mark)
}
