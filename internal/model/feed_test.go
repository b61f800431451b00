package model

import (
	"context"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// feedStub takes wants and answers nothing.
type feedStub struct {
	p *play
}

func (f *feedStub) Next(context.Context, uint64) (feed.Batch, error) {
	return feed.Batch{}, context.Canceled
}

func (f *feedStub) Want(w feed.Wants) { f.p.wants = w }

func (f *feedStub) Detail(_ context.Context, id object.ID) (feed.Detail, error) {
	return feed.Detail{ID: id, YAML: "kind: " + id.Kind + "\n"}, nil
}

func (f *feedStub) Logs(_ context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	return feed.LogChunk{Lines: []feed.LogLine{{Text: key.Container}}, Cursor: since + 1, Ended: true}, nil
}
