package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// ChangeLog prints a model's changes line by line.
type ChangeLog struct {
	seen    map[object.ID]spoken
	verdict string
	link    world.Link
	outage  model.Outage
	notices int
	ascii   bool // the locale only has ASCII
}

type spoken struct {
	status  status.Status
	reason  string
	stalled bool
}

// NewChangeLog returns a ChangeLog that has printed nothing. The locale is read
// from env.
func NewChangeLog(env []string) *ChangeLog {
	return &ChangeLog{seen: map[object.ID]spoken{}, ascii: !SpeaksUTF8(env)}
}

// Lines are the changes since the last call in words, without signs that a
// screen reader would spell out.
func (l *ChangeLog) Lines(s State, zone *time.Location) []string {
	look := Look{Zone: zone}
	stamp := look.clock(s.Now()) + " "
	var out []string
	say := func(format string, args ...any) {
		line := Clean(stamp + fmt.Sprintf(format, args...))
		if l.ascii {
			line = object.ASCII(spelled.Replace(line))
		}
		out = append(out, line)
	}

	c := s.Connection()
	if c.Link != l.link {
		switch c.Link {
		case world.LinkLive:
			say("connected, following %s", title(s))
		case world.LinkEnded:
			say("the recording has ended")
		}
		l.link = c.Link
	}
	if news := l.outage.News(c); news != "" && c.Link != world.LinkLive {
		say("%s", OneLine(news))
	}
	for _, row := range s.Rows(0, s.RowCount()) {
		if row.Key.Kind != model.RowObject {
			continue
		}
		now := spoken{row.Status, row.Reason, row.Stalled}
		before, ok := l.seen[row.Key.ID]
		if ok && before == now {
			continue
		}
		l.seen[row.Key.ID] = now
		if row.Reason == world.ReasonWaiting || row.Status == status.Current && (!ok || before.reason == world.ReasonWaiting) {
			continue // unknown, or Current from the start: counted by the verdict
		}
		var b strings.Builder
		b.WriteString(row.Name + " " + string(row.Status))
		if row.Reason != "" {
			b.WriteString(", " + row.Reason)
		}
		if row.Carried > 1 {
			fmt.Fprintf(&b, " in %d below", row.Carried)
		}
		if row.Message != "" && row.Status != status.Current {
			b.WriteString(": " + OneLine(row.Message))
		}
		if row.Stalled {
			b.WriteString(", stalled")
		}
		say("%s", b.String())
	}
	counts := s.Counts()
	_, word, _ := verdictWord(s, &asciiGlyphs)
	v := fmt.Sprintf("%s, %d of %d Current", strings.ToLower(word), counts[status.Current], counts.Total())
	if n := s.Assumed(); n > 0 {
		v += fmt.Sprintf(", %d of them assumed", n)
	}
	if v != l.verdict && (s.Synced() || s.Verdict().Lost) { // no verdict before the first sync
		l.verdict = v
		say("verdict: %s", v)
	}
	notices := s.Notices()
	for _, n := range notices[min(l.notices, len(notices)):] {
		say("%s: %s", n.Level, OneLine(n.Text))
	}
	l.notices = len(notices)
	return out
}

// Farewell is printed to the shell after the screen has gone: the verdict, its
// causes and what took longest; color enables colours.
func Farewell(s State, th *Theme, color bool) string {
	g := th.g
	var lines []line
	d := &drawing{s: s, look: Look{Theme: th}, th: th, g: g, l: layout{form: formSide}}
	glyph, word, tok := verdictWord(s, g)
	head := line{{glyph + " " + word, badgeText(tok)}, {"  ", Text}}
	counts := s.Counts()
	if done, _ := s.Done(); done {
		head = append(head, (&headline{d}).verdictText(0)...)
	} else {
		head = append(head, tally(s, g, true)...)
		head = append(head, span{"  after " + age(s.Elapsed()), Dim})
	}
	if n := s.GeneratedCounts().Total(); n > 0 && counts.Total() > 0 {
		head = append(head, span{fmt.Sprintf("  (%d objects with children)", n+counts.Total()), Dim})
	}
	lines = append(lines, head)
	const most = 5
	causes, of := s.Told()
	for i, c := range causes {
		if i == most {
			lines = append(lines, styled(fmt.Sprintf("  and %d more", of-most), Dim))
			break
		}
		l := line{{"  " + g.Dot + " ", Faint}, {OneLine(c.Title), Text}}
		if c.Count > 1 {
			l = append(l, span{fmt.Sprintf(" %s%d", g.Times, c.Count), Text})
		}
		if to, ok := blocked(s, c); ok {
			name := to.String()
			if n := len(c.Blocks); n > 1 {
				name += " +" + strconv.Itoa(n-1)
			}
			l = append(l, span{" " + g.Right + " " + name, Dim})
		}
		lines = append(lines, l)
		if len(c.Next) > 0 {
			lines = append(lines, line{{"    " + OneLine(c.Next[0]), Accent}})
		}
	}
	if slow := s.Slowest(3); len(slow) > 0 && len(causes) == 0 && counts.Total() > 1 {
		l := line{{"  slowest: ", Dim}}
		for i, o := range slow {
			if i > 0 {
				l = append(l, span{", ", Dim})
			}
			l = append(l, span{o.ID.String() + " " + age(o.Took), Dim})
		}
		lines = append(lines, l)
	}
	var b strings.Builder
	for _, l := range lines {
		for _, sp := range l {
			text := Clean(sp.text)
			if th.ASCII {
				text = spelled.Replace(text)
			}
			if th.ASCIILocale {
				text = object.ASCII(text)
			}
			if color && strings.TrimSpace(text) != "" {
				text = th.styles[sp.token].Render(text)
			}
			b.WriteString(text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
