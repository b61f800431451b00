package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
)

// facts is what is known of what is followed, and what is asked for. All parts
// of the model read it.
type facts struct {
	*known.Facts

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
func (f *facts) clock() time.Time {
	if f.ticks.After(f.World.Now) {
		return f.ticks
	}
	return f.World.Now
}

// Options returns the model's settings, with defaults filled in.
func (f *facts) Options() Options { return *f.opt }

// Quiesced reports whether all requests have been answered: the roots are
// synced, and the wanted children and events have arrived. A one-shot command
// may print then.
func (f *facts) Quiesced() bool {
	return f.Ended || f.World.Whole && f.Answered() && f.World.ToldGen >= f.wants.sent.Gen && !f.World.Reads() && !f.Found.Busy() && !f.Found.Pending(f.World)
}

// Answered reports whether the roots and everything needed to judge them has
// arrived: until then a Current may rest on partial data.
func (f *facts) Answered() bool {
	return f.World.Synced && f.World.Answered >= f.wants.sent.Gen && !f.wants.dirty
}

// Paused reports whether the picture is frozen, and how many updates it has
// missed.
func (f *facts) Paused() (bool, int) { return f.frozen, len(f.missed) }
