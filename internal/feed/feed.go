// Package feed defines what passes between an observer and the model: batches
// of objects, roots, events and states of sources in one direction, [Wants] in
// the other, and the interface of both, [Feed]. A cluster (internal/watch) and
// a recording (internal/recording) implement it.
package feed

import (
	"context"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Feed delivers facts and accepts wants: a cluster (internal/watch) or a
// recording (internal/recording). The model does not know which. A Feed is safe
// for concurrent use.
type Feed interface {
	// Next blocks until something has changed, and returns all changes since the
	// last call, the first everything known. since is the number of the last batch
	// that its one receiver took: a recording repeats the one after it. Batches
	// come at most once a frame, the first after an idle time at once. An error is final: the feed
	// has ended (context.Canceled, io.EOF for a recording that has ended).
	Next(ctx context.Context, since uint64) (Batch, error)
	// Want declares what the receiver wants beyond the roots. It replaces the
	// previous declaration and never blocks.
	Want(Wants)
	// Detail fetches one full object for display: YAML, status first, without
	// managedFields, Secrets masked.
	Detail(ctx context.Context, id object.ID) (Detail, error)
	// Logs returns the lines after the cursor since, and waits a moment for the
	// first one. The first call opens the stream; it is closed soon after Wants
	// no longer names it.
	Logs(ctx context.Context, key LogKey, since uint64) (LogChunk, error)
}

// Deck is a Feed whose time the user controls: a recording that is played on a
// screen. The result of a command comes with the next batch.
type Deck interface {
	Seek(t time.Time)
	Skip(by time.Duration)
	Step(by int)
	PlayOrPause()
	Faster(by int) // in steps; negative is slower
}

// Archive is a Feed that holds what was read for causes, whenever it was read: a recording.
// Who asks it for a moment gets the same answer on every way to that moment.
type Archive interface {
	// LinesBy returns the lines that a container had written by a moment. The error says
	// that nobody had read its log.
	LinesBy(t time.Time, key LogKey) ([]LogLine, error)
	// Revision returns a ReplicaSet or ControllerRevision, whose template does not change
	// with time.
	Revision(id object.ID) (Detail, error)
}

// Notebook is a Feed that records what it delivers: a recording in progress.
type Notebook interface {
	// Remember answers a batch with a Bookmark.
	Remember(m Memory)
	// Mark records a moment to find again.
	Mark(m Mark)
}
