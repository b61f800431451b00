package views

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// tiny draws what is beside a row's words on a tiny screen: without lines and
// columns, but with the age of what is not Current. It returns where the words
// are.
func (p *rowDrawing) tiny() (x, end int) {
	x, end = p.at.X+1+min(p.Depth, 4), p.at.X+p.at.W
	if p.Status != "" {
		x = p.c.line(x, p.at.Y, 1, line{lookOf(p.Status).mark()}) + 1
	}
	if kind, name, ok := strings.Cut(p.Name, "/"); ok {
		p.Name = briefKind(kind) + "/" + name
	}
	if p.Key.Kind != rows.Object || p.Status == status.Current || p.Since.IsZero() {
		return x, end
	}
	age, tok := duration.ShortHumanDuration(max(p.s.Now().Sub(p.Since), 0)), Dim
	if p.Stalled {
		age, tok = stalled+age, Stuck
	}
	p.c.Right(p.at.X+p.at.W, p.at.Y, age, tok)
	return x, end - width(age) - 1
}

// briefKind is a kind in about six letters.
func briefKind(kind string) string {
	return cmp.Or(world.ShortKind(kind), truncate(kind, 7))
}
