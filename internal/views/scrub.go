package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// moment formats a position in a recording: "0:07", "1:02:03".
func moment(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	if h := s / 3600; h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", min(h, 99), s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// tempo says whether a recording is playing, and its speed.
func tempo(p *feed.Playback, now time.Time, g *Glyphs) line {
	switch {
	case !now.Before(p.End):
		return styled("at its end", Dim)
	case p.Paused:
		return line{{g.Pause, Stuck}, {" paused", Dim}}
	}
	return line{{g.Play, OK}, {" playing " + speedText(p.Speed, g), Dim}}
}

func speedText(v float64, g *Glyphs) string {
	return strings.ReplaceAll(model.SpeedText(v), "×", g.Times)
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
	p := d.s.Playback()
	if p == nil || r.empty() {
		return track{}, false
	}
	total := moment(p.End.Sub(p.Start))
	left := 2 + 6 + 1 + len(total) + 1
	right := 1 + len(total)
	if r.W < 40 {
		left = 2 + len(total) + 1
	}
	t := track{x: r.X + 1 + left, w: r.W - 2 - left - right, start: p.Start, end: p.End}
	return t, t.w >= 4
}

// scrub draws a recording's time line: a bar in the verdicts' colours, with a
// sign at the beginning of each cause, and the current position.
func (d *drawing) scrub(r Rect) {
	t, ok := d.trackIn(r)
	if !ok {
		return
	}
	s, g, c := d.s, d.g, d.c
	p := s.Playback()
	now := s.Now()
	sign := span{g.Play, OK}
	if p.Paused || !now.Before(p.End) {
		sign = span{g.Pause, Stuck}
	}
	x := c.line(r.X+1, r.Y, r.W, line{sign, {" ", Text}}, g)
	if r.W >= 40 {
		c.Put(x, r.Y, 6, speedText(p.Speed, g), Dim)
		x += 7
	}
	total := moment(p.End.Sub(p.Start))
	pos := moment(now.Sub(p.Start))
	c.Put(x+len(total)-len(pos), r.Y, len(total), pos, Text)
	c.Put(t.x+t.w+1, r.Y, len(total), total, Dim)

	// A cell shows the worst verdict of its time.
	verdicts := make([]status.Status, t.w)
	begins := make([]bool, t.w)
	from, verdict := 0, status.Status("")
	fill := func(to int) {
		for i := from; i <= min(to, t.w-1); i++ {
			if worse(verdict, verdicts[i]) {
				verdicts[i] = verdict
			}
		}
	}
	for _, m := range p.Marks {
		at := t.cell(m.At)
		if m.Cause != "" {
			begins[at] = true
			continue
		}
		fill(at)
		from, verdict = at, m.Verdict
		// a verdict that ends within a cell only counts if it is worse
		if worse(verdict, verdicts[at]) || verdicts[at] == "" {
			verdicts[at] = verdict
		}
	}
	fill(t.w - 1)
	here := t.cell(now)
	for i := range t.w {
		which := lineOf(verdicts[i])
		glyph, tok := g.Future[which], Faint
		if verdicts[i] != "" {
			tok = statusToken(verdicts[i])
		}
		if i <= here {
			glyph = g.Past[which]
		}
		if begins[i] {
			glyph = g.Begins
		}
		if i == here {
			glyph, tok = g.Here, Strong
		}
		c.Put(t.x+i, r.Y, 1, glyph, tok)
	}
}

// lineOf is the bar's glyph for a verdict, for users who cannot tell colours
// apart.
func lineOf(s status.Status) int {
	switch s {
	case status.Current:
		return 0
	case status.Failed:
		return 1
	case "":
		return 3
	}
	return 2
}

// worse orders verdicts by how much attention they need.
func worse(a, b status.Status) bool {
	rank := func(s status.Status) int {
		switch s {
		case status.Failed:
			return 3
		case status.InProgress, status.Terminating, status.NotFound:
			return 2
		case status.Unknown:
			return 1
		}
		return 0
	}
	return rank(a) > rank(b) || b == "" && a != ""
}
