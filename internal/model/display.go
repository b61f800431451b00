package model

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Display is the theme, and the messages for the user.
type Display struct {
	facts  *known.Facts
	intake *Intake

	notifying bool          // notify the user when the verdict is final
	marked    status.Status // the last verdict that a recording has a mark of
	announced status.Status // the last that was shown without reserve
	theme     string
	preview   string // the theme that is chosen in the palette; "" if none is
	light     bool
	flash     string
}

// Dark reports whether the terminal's background is dark; true until known.
func (t *Display) Dark() bool { return !t.light }

// Theme is the name of the theme; "" is auto.
func (t *Display) Theme() string { return cmp.Or(t.preview, t.theme) }

// Flash is the short message that answers the last key, or "".
func (t *Display) Flash() string { return t.flash }

// Notifying reports whether the user is notified when the verdict is final.
func (t *Display) Notifying() bool { return t.notifying }

func (t *Display) notifyWhenFinal() (answer string) {
	if t.notifying = !t.notifying; t.notifying {
		return "will notify you when it is done or failed"
	}
	return "will not notify you"
}

// turnMouse leaves the mouse to the terminal, or takes it back.
func turnMouse(m *Model) (answer string) {
	opt := m.Intake.opt
	if opt.NoMouse = !opt.NoMouse; opt.NoMouse {
		return "the mouse selects text; :mouse takes it back"
	}
	return "the mouse chooses rows"
}

// answer answers a key with a short message, if there is one.
func (t *Display) answer(text string) tea.Cmd {
	if text != "" {
		t.flash = text
	}
	return nil
}

// notice adds a message of the dashboard's own.
func (t *Display) notice(level, text string) tea.Cmd {
	t.noticed(feed.Notice{Level: level, From: "report", Text: text})
	return nil
}

// noticed adds a message, which replaces an older one.
func (t *Display) noticed(n feed.Notice) {
	if n.At.IsZero() {
		n.At = t.facts.World.Tree.Now
	}
	t.facts.World.Records.Noticed(n)
	t.flash = ""
}

// conclude marks a new verdict, and notifies the user of a final one: of a green
// that awaits children, or rests on stale data, not yet.
func (m *Model) announce() tea.Cmd {
	v, before, shown := m.Facts.World.Verdict, m.Display.announced, m.Facts.Verdict()
	final := v
	if shown.Failing {
		final = status.Failed // also while a crash loop runs again
	}
	var mark tea.Cmd
	if v != m.Display.marked {
		m.Display.marked = v
		mark = m.Playback.mark(feed.Mark{At: m.Facts.World.Tree.Now, Verdict: v})
	}
	if final == before || v == status.Current && (shown.Status != v || shown.Lost) {
		return mark
	}
	m.Display.announced = final
	switch {
	case !m.Display.notifying || m.Intake.landed || before == "":
	case v == status.Current:
		return tea.Batch(mark, notify(m.Intake.opt.Title+": done", "everything is Current"))
	case final == status.Failed:
		why := ""
		if c := m.Facts.Causes(); len(c) > 0 {
			why = c[0].Title
		}
		return tea.Batch(mark, notify(m.Intake.opt.Title+": failed", why))
	}
	return mark
}

// notify rings the bell and shows a notification, in the two ways that terminals
// know. Both are commands whose first words end with a semicolon (9;4; is a
// progress bar).
func notify(title, text string) tea.Cmd {
	title, text = strings.ReplaceAll(object.ASCII(title), ";", ","), object.ASCII(text)
	return tea.Raw("\a\x1b]777;notify;" + title + ";" + text + "\x1b\\" +
		"\x1b]9;" + title + ": " + text + "\x1b\\")
}
