package recording

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Times of a server are in UTC; those of this machine are converted.

// batchInUTC is a batch with its times in UTC.
func batchInUTC(b feed.Batch) feed.Batch {
	b.At = b.At.UTC()
	b.Sources, b.Notices, b.Events = slices.Clone(b.Sources), slices.Clone(b.Notices), slices.Clone(b.Events)
	for i := range b.Sources {
		s := &b.Sources[i]
		s.Since, s.LastData, s.Retry = s.Since.UTC(), s.LastData.UTC(), s.Retry.UTC()
	}
	for i := range b.Notices {
		b.Notices[i].At = b.Notices[i].At.UTC()
	}
	for i := range b.Events {
		e := &b.Events[i]
		e.First, e.Last = e.First.UTC(), e.Last.UTC()
	}
	return b
}

// inUTC is a mark, a detail or a piece of a log with its times in UTC.
func inUTC(l line) line {
	switch {
	case l.Mark != nil:
		l.Mark.At = l.Mark.At.UTC()
	case l.Detail != nil:
		l.Detail.At = l.Detail.At.UTC()
	case l.Logs != nil:
		l.Logs.At = l.Logs.At.UTC()
		l.Logs.Chunk.Lines = slices.Clone(l.Logs.Chunk.Lines)
		for i := range l.Logs.Chunk.Lines {
			l.Logs.Chunk.Lines[i].At = l.Logs.Chunk.Lines[i].At.UTC()
		}
	}
	return l
}
