package recording

import (
	"fmt"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Now is the recording's clock; ages are measured by it.
func (p *Player) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock()
}

// clock is Now with p.mu held.
func (p *Player) clock() time.Time {
	if !p.running || p.paused || p.speed == 0 {
		return p.base
	}
	t := p.base.Add(time.Duration(float64(time.Since(p.origin)) * p.speed))
	if t.After(p.end) && !p.end.Before(p.base) {
		return p.end
	}
	return t
}

// set sets the clock. p.mu is held.
func (p *Player) set(t time.Time) { p.base, p.origin = t, time.Now() }

// Moment parses a time within the recording: RFC 3339, or a duration since its
// beginning ("90s", "1m30s"). One before the beginning or after the end is an error.
func (p *Player) Moment(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		if t.Before(p.start) {
			return t, fmt.Errorf("the recording begins at %s", p.start.UTC().Format(time.RFC3339))
		}
		return t, p.within(t)
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		t := p.start.Add(d)
		return t, p.within(t)
	}
	return time.Time{}, fmt.Errorf("%q is neither a time (%s) nor a distance from the beginning (1m30s)",
		text, p.start.UTC().Format(time.RFC3339))
}

// within is an error for a moment after the end, of which a recording cannot tell: there
// may have been a fault by then.
func (p *Player) within(t time.Time) error {
	if t.Sub(p.end) <= time.Second { // what is shown is rounded
		return nil
	}
	return fmt.Errorf("the recording ends after %s, at %s",
		p.end.Sub(p.start).Round(time.Second), p.end.UTC().Format(time.RFC3339))
}

// PlayOrPause stops the clock, or lets it run: from the beginning if it stands
// at the end.
func (p *Player) PlayOrPause() {
	p.order(func(o *orders) {
		now := p.clock()
		p.set(now)
		p.paused, o.tempo = !p.paused, true
		if !p.paused && !now.Before(p.end) {
			start := p.start
			o.seek = &start
		}
	})
}

// speeds are the clock's speeds to choose from.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64}

// Faster takes another speed: so many further on, or back if negative.
func (p *Player) Faster(by int) {
	p.order(func(o *orders) {
		p.set(p.clock())
		i, _ := slices.BinarySearch(speeds, p.speed)
		p.speed, o.tempo = speeds[min(max(i+by, 0), len(speeds)-1)], true
	})
}

// Seek moves to a time, forwards or back. The next batch holds the state then.
func (p *Player) Seek(t time.Time) {
	p.order(func(o *orders) { o.seek, o.step = &t, 0 })
}

// Skip moves by a time from where it is, or is about to be.
func (p *Player) Skip(by time.Duration) {
	p.order(func(o *orders) {
		t := p.clock()
		if o.seek != nil {
			t = *o.seek
		}
		t = t.Add(by)
		o.seek, o.step = &t, 0
	})
}

// Step stops the clock and moves to the next batch, or the previous one.
func (p *Player) Step(by int) {
	p.order(func(o *orders) { o.step += by })
}

// Playback is the state of the playback.
func (p *Player) Playback() *feed.Playback {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	return p.playback()
}

// playback is Playback with p.mu held.
func (p *Player) playback() *feed.Playback {
	return &feed.Playback{Start: p.start, End: p.end, Speed: p.speed, Paused: p.paused, Marks: p.marks}
}

func (p *Player) order(give func(*orders)) {
	p.mu.Lock()
	p.begin()
	give(&p.orders)
	p.mu.Unlock()
	p.rouse()
}

// begin applies the settings made before the first Next. p.mu is held.
func (p *Player) begin() {
	if !p.running {
		p.running, p.speed = true, p.Speed
		p.set(p.base)
	}
}

func (p *Player) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
