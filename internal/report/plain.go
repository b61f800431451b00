package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Plain prints whatever changes, a line each: for screen readers, and for
// terminals that cannot move the cursor.
type Plain struct {
	w       io.Writer
	zone    *time.Location
	ascii   bool // the locale only has ASCII
	changes *changes
	printed map[object.ID]bool // objects with a line
	refused []string
	outage  known.Outage
	link    world.Link
	verdict string
	notices int
}

// NewPlain has printed nothing. Times of day are those of the zone.
func NewPlain(w io.Writer, zone *time.Location, ascii bool) *Plain {
	return &Plain{w: w, zone: zone, ascii: ascii, changes: newChanges(), printed: map[object.ID]bool{}}
}

// spelled are signs in sentences where the locale only has ASCII.
var spelled = strings.NewReplacer("→", "->", "×", "x", "…", "...", "·", "-", "–", "-", "“", `"`, "”", `"`, "’", "'")

// Show prints the changes since the last call. What is Current from the start
// is counted by the verdict alone.
func (p *Plain) Show(m *known.Facts) (err error) {
	say := func(text string) {
		if text = oneLine(text); p.ascii {
			text = object.ASCII(spelled.Replace(text))
		}
		if _, e := fmt.Fprintf(p.w, "%s %s\n", m.Now().In(p.zone).Format(time.TimeOnly), text); e != nil {
			err = e
		}
	}
	c := m.Connection()
	if news := p.outage.News(c); news != "" {
		say(news)
	}
	if c.Link == world.LinkLive && p.link != c.Link && p.verdict == "" {
		say("connected, following " + strings.Join(m.Options().Sources, ", "))
	}
	for _, id := range p.changes.since(m) {
		r, _ := m.Resource(id)
		a := r.Assessment
		if a.Reason == world.ReasonWaiting || a.Status == status.Current && !p.printed[id] {
			continue
		}
		p.printed[id] = true
		say(stateLine(m, r))
	}
	refused := m.Refusals()
	for _, r := range refused {
		if !slices.Contains(p.refused, r) {
			say(r)
		}
	}
	p.refused = refused
	verdict := string(m.Verdict().Status)
	switch v := m.Verdict(); {
	case v.Lost:
		verdict = "lost contact"
	case v.Gone: // the status is that of what is absent
		verdict = "gone"
	}
	if m.Verdict().Stalled {
		verdict += ", stalled"
	}
	counts := m.Counts()
	verdict += fmt.Sprintf(", %d of %d Current", counts[status.Current], counts.Total())
	if n := m.Assumed(); n > 0 {
		verdict += ofThemAssumed(n)
	}
	if verdict != p.verdict && (m.Synced() || m.Verdict().Lost) { // no verdict before the first sync
		p.verdict = verdict
		say("verdict: " + verdict)
	}
	notices := m.Notices()
	for _, n := range notices[min(p.notices, len(notices)):] {
		say(n.Level + ": " + n.Text)
	}
	p.notices = len(notices)
	if c.Link != p.link && c.Link == world.LinkEnded {
		say("the recording has ended")
	}
	p.link = c.Link
	return err
}
