package views

import (
	"fmt"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
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

// trackIn is the bar within the time line.
func (d *drawing) trackIn(r layout.Rect) (panes.Track, bool) {
	p := d.s.Intake.Playback()
	if p == nil || r.Empty() {
		return panes.Track{}, false
	}
	total := markup.Elapsed(p.End.Sub(p.Start))
	t := panes.Track{X: r.X + 8 + 2*len(total), W: r.W - 9 - 2*len(total), Start: p.Start, End: p.End}
	return t, t.W >= 4
}

// scrub draws a recording's time line: the current position, in words too, and a bar in
// the verdicts' colours, with a sign at the beginning of each cause.
func (d *drawing) scrub(r layout.Rect) {
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
	c.line(r.X+1, r.Y, r.W,
		markup.Line{
			sign, markup.Text.Of(fmt.Sprintf(" %*s", len(total), markup.Elapsed(now.Sub(p.Start)))),
			markup.Dim.Of(" of " + total),
		})

	// A cell shows the worst verdict of its time.
	verdicts, causes := make([]status.Status, t.W), make([]bool, t.W)
	for _, m := range p.Marks {
		at := t.Cell(m.At)
		if m.Cause != "" {
			causes[at] = true
			continue
		}
		for i := at; i < t.W; i++ {
			if i > at || verdicts[at] == "" || world.RankOf(m.Verdict) < world.RankOf(verdicts[at]) {
				verdicts[i] = m.Verdict
			}
		}
	}
	here := t.Cell(now)
	for i := range t.W {
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
		c.Put(t.X+i, r.Y, 1, glyph, tok)
	}
}

// strokeOf is the bar's stroke for a verdict, past and future, for users who
// cannot tell colours apart; others are dashed.
var strokeOf = map[status.Status][2]string{
	status.Current: {"━", "─"}, status.Failed: {"▒", "▒"},
	"": {markup.Dot, markup.Dot},
}
