package views

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// tinyRow draws a row on a tiny screen: one line, no columns. Every object has
// its kind in a few letters, whatever else fits: two objects may have one name.
func (d *drawing) tinyRow(r Rect, row *model.Row) {
	d.mark(r, row)
	c, g := d.c, d.g
	x := r.X + 1 + min(row.Depth, 4)
	if row.Status != "" {
		x = c.Put(x, r.Y, 1, g.Of(row.Status), statusToken(row.Status)) + 1
	}
	end := r.X + r.W
	if row.Key.Kind == model.RowObject && row.Status != status.Current {
		right, tok := rough(row.Since, d.s.Now()), Dim
		if row.Stalled {
			right, tok = g.Stalled+right, Stuck
		}
		if right != "" {
			c.Right(r.X, r.Y, r.W, right, tok)
			end -= width(right) + 1
		}
	}
	end = d.restarts(r.Y, end, row)
	reason, tok := "", Text
	if row.Status != status.Current {
		reason, tok = d.reason(row, r.W)
	}
	name := row.Name
	if row.Key.Kind == model.RowObject || row.Key.Kind == model.RowReference {
		if kind, rest, ok := strings.Cut(name, "/"); ok {
			x = c.Put(x, r.Y, end-x, briefKind(kind, g.Ellipsis)+"/", Dim)
			name = rest
		}
	}
	room := end - x
	if reason != "" {
		room = max(room-1-min(width(reason), leastReason), min(room, 6))
	}
	if row.Generated {
		name = shorten(name, room, g.Ellipsis)
	} else {
		name = truncateMiddle(name, room, g.Ellipsis)
	}
	x = c.Put(x, r.Y, end-x, name, d.nameToken(row))
	if reason != "" && end-x > 3 {
		reason, _ = d.reason(row, end-x-1)
		c.Put(x+1, r.Y, end-x-1, reason, tok)
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
