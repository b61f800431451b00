package watch

import (
	"context"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

type eventKeeper struct{}

func newEventKeeper(*Engine) *eventKeeper { return &eventKeeper{} }
func (*eventKeeper) want([]status.ID)     {}

type logKeeper struct{}

func newLogKeeper(*Engine) *logKeeper   { return &logKeeper{} }
func (*logKeeper) want([]status.LogKey) {}

func (e *Engine) lookUpEverything(t *target) bool { return true }

func ofTheSystem(o *status.Object) bool { return false }

// Detail implements model.Feed.
func (e *Engine) Detail(ctx context.Context, id status.ID) (status.Detail, error) {
	return status.Detail{}, nil
}

// Logs implements model.Feed.
func (e *Engine) Logs(ctx context.Context, key status.LogKey, since uint64) (status.LogChunk, error) {
	return status.LogChunk{Ended: true}, nil
}
