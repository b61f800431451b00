package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// survey is the content of a chapter (chapters.go) without its batches: their times,
// details and log lines.
type survey struct {
	times   []time.Time // of its batches
	marks   []feed.Mark
	details []feed.Detail
	logs    []logs
	end     time.Time // time of the last line
	kept    int       // bytes of details and logs
}

// surveyOf reads a chapter without keeping objects, up to its first damage. It
// keeps up to room bytes of details and log lines.
func surveyOf(f *file, chapter, room int) survey {
	var s survey
	lines, err := f.lines(chapter)
	if err != nil {
		return s
	}
	s.end = f.header.Started
	if chapter > 0 {
		s.end = f.places[chapter].At
	}
	for {
		text, err := lines.next()
		if err != nil {
			return s
		}
		if isState(text) {
			continue
		}
		var l struct {
			Batch *struct {
				At   time.Time `json:"at"`
				More bool      `json:"more"`
			} `json:"batch"`
			Mark    *feed.Mark      `json:"mark"`
			Detail  json.RawMessage `json:"detail"`
			Logs    json.RawMessage `json:"logs"`
			Chapter *struct{}       `json:"chapter"`
			End     *end            `json:"end"`
		}
		if err := decode(text, &l); err != nil {
			return s
		}
		switch {
		case l.Chapter != nil && lines.number > 1:
			return s
		case l.Batch != nil:
			s.end = after(l.Batch.At, s.end)
			if !l.Batch.More && len(s.times) < maxTimes {
				s.times = append(s.times, s.end)
			}
		case l.Mark != nil && len(s.marks) < maxMarks:
			s.marks = append(s.marks, *l.Mark)
		case l.End != nil:
			s.end = after(l.End.At, s.end)
		case l.Detail != nil || l.Logs != nil:
			if s.kept+len(text)+200 > room {
				continue
			}
			s.kept += len(text) + 200
			var entry line
			if decode(text, &entry) != nil {
				continue
			}
			if entry.Detail != nil {
				s.details = append(s.details, *entry.Detail)
			}
			if entry.Logs != nil {
				entry.Logs.Key.Tail = 0
				s.logs = append(s.logs, *entry.Logs)
			}
		}
	}
}

// eachSurvey calls f with the survey of each chapter up to now, oldest first, and
// reads the chapters that have not been read yet.
func (p *Player) eachSurvey(now time.Time, f func(*survey)) {
	for i := range p.chapterAt(now) + 1 {
		// The next chapter's marker says whether this one is worth reading.
		if i+1 < len(p.file.places) && !p.file.places[i+1].Details {
			continue
		}
		p.mu.Lock()
		s := p.surveys[i]
		room := maxDetails
		for _, other := range p.surveys {
			room -= other.kept
		}
		p.mu.Unlock()
		if s == nil {
			read := surveyOf(p.file, i, room)
			s = &survey{details: read.details, logs: read.logs, kept: read.kept}
			p.mu.Lock()
			p.surveys[i] = s
			p.mu.Unlock()
		}
		f(s)
	}
}

// Detail returns the last recorded YAML of an object before the present moment.
func (p *Player) Detail(_ context.Context, id object.ID) (feed.Detail, error) {
	now := p.Now()
	var d *feed.Detail
	p.eachSurvey(now, func(s *survey) {
		for i := range s.details {
			if s.details[i].ID == id && !s.details[i].At.After(now) {
				d = &s.details[i]
			}
		}
	})
	if d == nil {
		return feed.Detail{}, &NotRecorded{
			What: p.unless("the YAML of "+id.String(), now, func(s *survey) (at []time.Time) {
				for i := range s.details {
					if s.details[i].ID == id {
						at = append(at, s.details[i].At)
					}
				}
				return at
			}),
		}
	}
	return *d, nil
}

// unless adds to what is missing at a moment when it comes, or that it never does: nothing is in a
// recording that nobody had opened while it was made. It reads nothing for this: what later
// chapters have is known of those that have been read.
func (p *Player) unless(what string, now time.Time, times func(*survey) []time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.file.places {
		s := p.surveys[i]
		switch {
		case i+1 < len(p.file.places) && !p.file.places[i+1].Details:
			continue
		case s == nil:
			return what + ": nobody had opened it by then"
		}
		for _, at := range times(s) {
			if at.After(now) {
				from := at.Sub(p.start).Round(time.Second)
				return fmt.Sprintf("%s before %02d:%02d", what, from/time.Minute, from%time.Minute/time.Second)
			}
		}
	}
	return what + ": nobody opened it while it was recorded"
}

// Revision implements feed.Archive. The content of a revision may have been read after the
// present moment: it is the same.
func (p *Player) Revision(id object.ID) (feed.Detail, error) {
	var d *feed.Detail
	now := p.Now()
	p.eachSurvey(p.soonAfter(now), func(s *survey) {
		for i := range s.details {
			if s.details[i].ID == id && (d == nil || !s.details[i].At.After(now)) {
				d = &s.details[i]
			}
		}
	})
	if d == nil {
		return feed.Detail{}, &NotRecorded{What: "the YAML of " + id.String() + ": nobody had read it by then"}
	}
	return *d, nil
}

// LinesBy implements feed.Archive. Lines without a time count from when they were read.
func (p *Player) LinesBy(t time.Time, key feed.LogKey) ([]feed.LogLine, error) {
	key.Tail = 0
	known := false
	var lines []feed.LogLine
	p.eachSurvey(p.soonAfter(t), func(s *survey) {
		for i := range s.logs {
			l := &s.logs[i]
			if l.Key != key {
				continue
			}
			for _, line := range l.Chunk.Lines {
				written := line.At
				if written.IsZero() {
					written = l.At
				}
				if !written.After(t) {
					lines = append(lines, line)
				}
			}
			known = known || len(lines) > 0 || !l.At.After(t)
		}
	})
	if !known {
		return nil, &NotRecorded{What: logOf(key) + ": nobody had read it by then"}
	}
	return lines, nil
}

// soonAfter is the end of the chapter after a moment's: what is read because of a moment is
// recorded a little later.
func (p *Player) soonAfter(t time.Time) time.Time {
	if next := p.chapterAt(t) + 2; next < len(p.file.places) {
		return p.file.places[next].At.Add(-1)
	}
	return p.end
}

// logOf names a log.
func logOf(key feed.LogKey) string {
	container := "container " + key.Container + " of " + key.Pod.String()
	if key.Previous {
		return "the log of the previous instance of " + container
	}
	return "the log of " + container
}

// logPoll is how long Logs waits for further lines.
const logPoll = 250 * time.Millisecond

// Logs returns the recorded lines of a log up to the present moment.
func (p *Player) Logs(ctx context.Context, key feed.LogKey, since uint64) (feed.LogChunk, error) {
	c, ok := p.logLines(key, since)
	if !ok {
		bare := key
		bare.Tail = 0
		return c, &NotRecorded{
			What: p.unless(logOf(key), p.Now(), func(s *survey) (at []time.Time) {
				for i := range s.logs {
					if s.logs[i].Key == bare {
						at = append(at, s.logs[i].At)
					}
				}
				return at
			}),
		}
	}
	p.mu.Lock()
	p.begin()
	stands := p.speed == 0 || p.paused
	p.mu.Unlock()
	if len(c.Lines) > 0 || c.Ended || stands && p.Speed == 0 {
		return c, nil
	}
	timer := time.NewTimer(logPoll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return c, ctx.Err()
	case <-timer.C:
	}
	c, _ = p.logLines(key, since)
	return c, nil
}

func (p *Player) logLines(key feed.LogKey, since uint64) (feed.LogChunk, bool) {
	key.Tail = 0
	now := p.Now()
	out := feed.LogChunk{Cursor: since}
	known := false
	at := uint64(0)
	p.eachSurvey(now, func(s *survey) {
		for i := range s.logs {
			l := &s.logs[i]
			if l.Key != key || l.At.After(now) {
				continue
			}
			known = true
			for _, text := range l.Chunk.Lines {
				if at++; at > since {
					out.Lines = append(out.Lines, text)
				}
			}
			out.Ended = l.Chunk.Ended
		}
	})
	out.Cursor = max(since, at)
	return out, known
}
