package model

import (
	"context"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// feedStub takes wants and answers nothing.
type feedStub struct {
	p     *play
	asked bool
}

func (f *feedStub) Next(context.Context, uint64) (status.Batch, error) {
	f.asked = true
	return status.Batch{}, context.Canceled
}

func (f *feedStub) Want(w status.Wants) { f.p.wants = w }

func (f *feedStub) Detail(_ context.Context, id object.ID) (status.Detail, error) {
	return status.Detail{ID: id, YAML: "kind: " + id.Kind + "\n"}, nil
}

func (f *feedStub) Logs(_ context.Context, key status.LogKey, since uint64) (status.LogChunk, error) {
	return status.LogChunk{Lines: []status.LogLine{{Text: key.Container}}, Cursor: since + 1, Ended: true}, nil
}
