package views

import (
	"fmt"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// tempo says whether a recording is playing, and its speed.
func tempo(p *feed.Playback, now time.Time) markup.Line {
	speed := model.SpeedText(p.Speed)
	switch {
	case !now.Before(p.End):
		return markup.Styled("at its end", markup.Dim)
	case p.Paused:
		return markup.Line{markup.Stuck.Of(markup.Pause), markup.Dim.Of(" paused, " + speed)}
	}
	return markup.Line{markup.OK.Of(markup.Play), markup.Dim.Of(" playing " + speed)}
}

// track is the position and length of the time line's bar.
type track struct {
	x, w       int
	start, end time.Time
}

func (t track) cell(at time.Time) int {
	total := t.end.Sub(t.start)
	if total <= 0 || t.w <= 1 {
		return 0
	}
	return min(max(int(float64(at.Sub(t.start))/float64(total)*float64(t.w-1)+0.5), 0), t.w-1)
}

// at is the time at the beginning of a cell.
func (t track) at(cell int) time.Time {
	if t.w <= 1 {
		return t.start
	}
	return t.start.Add(time.Duration(float64(t.end.Sub(t.start)) * float64(cell) / float64(t.w-1)))
}

// trackIn is the bar within the time line.
func (d *drawing) trackIn(r Rect) (track, bool) {
	p := d.s.Intake.Playback()
	if p == nil || r.empty() {
		return track{}, false
	}
	total := markup.Elapsed(p.End.Sub(p.Start))
	t := track{x: r.X + 4 + len(total), w: r.W - 6 - 2*len(total), start: p.Start, end: p.End}
	return t, t.w >= 4
}

// scrub draws a recording's time line: a bar in the verdicts' colours, with a
// sign at the beginning of each cause, and the current position.
func (d *drawing) scrub(r Rect) {
	t, ok := d.trackIn(r)
	if !ok {
		return
	}
	s, c := d.s, d.c
	p, now := s.Intake.Playback(), s.Facts.Now()
	sign := markup.OK.Of(markup.Play)
	if p.Paused || !now.Before(p.End) {
		sign = markup.Stuck.Of(markup.Pause)
	}
	total := markup.Elapsed(p.End.Sub(p.Start))
	c.line(r.X+1, r.Y, r.W, markup.Line{sign, markup.Text.Of(fmt.Sprintf(" %*s", len(total), markup.Elapsed(now.Sub(p.Start))))})
	c.Put(t.x+t.w+1, r.Y, len(total), total, markup.Dim)

	// A cell shows the worst verdict of its time.
	verdicts, causes := make([]status.Status, t.w), make([]bool, t.w)
	for _, m := range p.Marks {
		at := t.cell(m.At)
		if m.Cause != "" {
			causes[at] = true
			continue
		}
		for i := at; i < t.w; i++ {
			if i > at || verdicts[at] == "" || world.RankOf(m.Verdict) < world.RankOf(verdicts[at]) {
				verdicts[i] = m.Verdict
			}
		}
	}
	here := t.cell(now)
	for i := range t.w {
		stroke, ok := strokeOf[verdicts[i]]
		if !ok {
			stroke = [2]string{"┅", "┄"}
		}
		glyph, tok := stroke[1], markup.Faint
		if verdicts[i] != "" {
			tok = markup.LookOf(verdicts[i]).Token
		}
		switch {
		case i == here:
			glyph, tok = markup.Live, markup.Strong
		case causes[i]:
			glyph = "╋"
		case i < here:
			glyph = stroke[0]
		}
		c.Put(t.x+i, r.Y, 1, glyph, tok)
	}
}

// strokeOf is the bar's stroke for a verdict, past and future, for users who
// cannot tell colours apart; others are dashed.
var strokeOf = map[status.Status][2]string{status.Current: {"━", "─"}, status.Failed: {"▒", "▒"}, "": {markup.Dot, markup.Dot}}
