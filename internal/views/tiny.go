package views

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// tiny draws the row on a tiny screen: one line, no columns. Every object has
// its kind in a few letters, whatever else fits: two objects may have one name.
func (p *rowDrawing) tiny() {
	p.mark()
	c, g := p.c, p.g
	x := p.at.X + 1 + min(p.Depth, 4)
	if p.Status != "" {
		x = c.Put(x, p.at.Y, 1, g.Of(p.Status), statusToken(p.Status)) + 1
	}
	end := p.at.X + p.at.W
	if p.Key.Kind == model.RowObject && p.Status != status.Current {
		right, tok := rough(p.Since, p.s.Now()), Dim
		if p.Stalled {
			right, tok = g.Stalled+right, Stuck
		}
		if right != "" {
			c.Right(p.at.X, p.at.Y, p.at.W, right, tok)
			end -= width(right) + 1
		}
	}
	end = p.restarts(end)
	reason, tok := "", Text
	if p.Status != status.Current {
		reason, tok = p.reason(p.at.W)
	}
	name := p.Name
	if p.Key.Kind == model.RowObject || p.Key.Kind == model.RowReference {
		if kind, rest, ok := strings.Cut(name, "/"); ok {
			x = c.Put(x, p.at.Y, end-x, briefKind(kind, g.Ellipsis)+"/", Dim)
			name = rest
		}
	}
	room := end - x
	if reason != "" {
		room = max(room-1-min(width(reason), leastReason), min(room, 6))
	}
	if p.Generated {
		name = shorten(name, room, g.Ellipsis)
	} else {
		name = truncateMiddle(name, room, g.Ellipsis)
	}
	x = c.Put(x, p.at.Y, end-x, name, p.nameToken())
	if reason != "" && end-x > 3 {
		reason, _ = p.reason(end - x - 1)
		c.Put(x+1, p.at.Y, end-x-1, reason, tok)
	}
}

// leastReason is the width of a reason before the name is shortened.
const leastReason = 9

// rough is an age in its largest unit.
func rough(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return duration.ShortHumanDuration(max(now.Sub(at), 0))
}

// briefKind is a kind in about six letters.
func briefKind(kind, ellipsis string) string {
	if short := world.ShortKind(kind); short != "" {
		return short
	}
	if width(kind) <= 7 {
		return kind
	}
	return truncate(kind, 6, ellipsis)
}
