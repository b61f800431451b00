package dump

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Feed makes what an engine delivers of a saved cluster a feed of the time when it
// was saved, with the logs in the dump.
func (s *Saved) Feed(engine feed.Feed) feed.Feed { return &savedFeed{engine, s} }

type savedFeed struct {
	feed.Feed
	saved *Saved
}

// Next implements feed.Feed.
func (f *savedFeed) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	b, err := f.Feed.Next(ctx, since)
	b.At, b.Skew = f.saved.At, 0
	for i := range b.Sources {
		st := &b.Sources[i]
		st.Mode, st.Since, st.Retry = feed.ModeSaved, f.saved.At, time.Time{}
		if !st.LastData.IsZero() {
			st.LastData = f.saved.At
		}
	}
	for i := range b.Notices {
		b.Notices[i].At = f.saved.At
	}
	return b, err
}

// Detail implements feed.Feed.
func (f *savedFeed) Detail(ctx context.Context, id object.ID) (feed.Detail, error) {
	d, err := f.Feed.Detail(ctx, id)
	d.At = f.saved.At
	return d, err
}

// tailLines is how much history a log without a Tail has.
const tailLines = 5000

// Logs implements feed.Feed.
func (f *savedFeed) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	text, err := f.saved.log(key)
	if err != nil {
		return feed.LogChunk{Ended: true}, err
	}
	if err := ctx.Err(); err != nil {
		return feed.LogChunk{}, err
	}
	var lines []feed.LogLine
	for line := range bytes.Lines(text) {
		lines = append(lines, logLine(string(line)))
	}
	most := tailLines
	if key.Tail > 0 {
		most = key.Tail
	}
	lines = lines[max(0, len(lines)-most):]
	c := feed.LogChunk{Cursor: uint64(len(lines)), Ended: true}
	c.Lines = lines[min(since, c.Cursor):]
	return c, nil
}

// log is the end of a container's log.
func (s *Saved) log(key feed.LogKey) ([]byte, error) {
	at := logKey{key.Pod.Namespace, key.Pod.Name, key.Container, key.Previous}
	l, ok := s.logs[at]
	if !ok {
		which := "the log of container "
		if key.Previous {
			which = "the previous log of container "
		}
		return nil, errors.New(which + key.Container + ": " + feed.NotSaved)
	}
	if l.open == nil {
		return l.text, nil
	}
	r, err := l.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readTail(r)
}

// logLine splits the time from a line, if it has one.
func logLine(text string) feed.LogLine {
	text = strings.TrimRight(text, "\r\n")
	stamp, rest, _ := strings.Cut(text, " ")
	if at, err := time.Parse(time.RFC3339Nano, stamp); err == nil {
		return feed.LogLine{At: at, Text: object.Clean(rest)}
	}
	return feed.LogLine{Text: object.Clean(text)}
}
