package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
)

// Intake is how what is known comes in: the feed and what is asked of it, the clock, and
// the batches that wait while the picture is frozen.
type Intake struct {
	facts *known.Facts

	opt    *Options
	ask    *asker
	wants  wanting
	played *feed.Playback // nil unless a recording is played on a screen

	frozen bool         // batches wait: the picture stays as it is
	missed []feed.Batch // the batches that wait
	ticks  time.Time    // the last tick

	rev    uint64 // grows whenever the screen may have changed
	ticked bool   // the message that Update is handling is a tick
	landed bool   // it ends a jump
}

// mostMissed bounds the batches that wait. From then on the feed is not asked,
// and keeps the newest of each object.
const mostMissed = 1000

// clock is the present time, which a frozen picture does not show.
func (f *Intake) clock() time.Time {
	if f.ticks.After(f.facts.World.Tree.Now) {
		return f.ticks
	}
	return f.facts.World.Tree.Now
}

// Quiesced reports whether all requests have been answered: the roots are
// synced, and the wanted children and events have arrived. A one-shot command
// may print then.
func (f *Intake) Quiesced() bool {
	return f.facts.Ended ||
		f.facts.World.Sources.Whole && f.Answered() && f.facts.World.Sources.EventsAnswered >= f.wants.sent.Gen &&
			!f.facts.World.Readings.Reads() && !f.facts.Found.Busy() && !f.facts.Found.Pending(f.facts.World)
}

// Answered reports whether the roots and everything needed to judge them has
// arrived: until then a Current may rest on partial data. Events belong to it where something is
// Current only for want of them.
func (f *Intake) Answered() bool {
	w := f.facts.World
	return w.Sources.Synced && w.Sources.Answered >= f.wants.sent.Gen && !f.wants.dirty &&
		(w.Sources.EventsAnswered >= f.wants.sent.Gen || !w.AnyEventful())
}

// Paused reports whether the picture is frozen, and how many updates it has
// missed.
func (f *Intake) Paused() (bool, int) { return f.frozen, len(f.missed) }

// stands reports whether a recording is played whose clock stands: it is paused, or at its end.
func (f *Intake) stands() bool {
	return f.played != nil && (f.played.Paused || !f.facts.World.Tree.Now.Before(f.played.End))
}

// Playback is the state of the recording that is played; nil if none is, or the user
// cannot control it.
func (f *Intake) Playback() *feed.Playback { return f.played }
