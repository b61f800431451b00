package views

import (
	"context"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// noFeed answers everything at once, with nothing.
type noFeed struct{}

var _ feed.Feed = noFeed{}

func (noFeed) Next(context.Context, uint64) (feed.Batch, error) { return feed.Batch{}, nil }
func (noFeed) Want(feed.Wants)                                  {}
func (noFeed) Detail(context.Context, object.ID) (feed.Detail, error) {
	return feed.Detail{}, nil
}

func (noFeed) Logs(context.Context, feed.LogKey, uint64) (feed.LogChunk, error) {
	return feed.LogChunk{}, nil
}
