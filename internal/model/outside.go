package model

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Outside is what a dashboard does beyond its feed. What is nil is refused.
type Outside struct {
	// Report renders the model as md, json or svg. Update calls it: the model
	// may be read meanwhile.
	Report func(m Model, format string) ([]byte, error)
	// Save writes text to a new file whose name resembles name, and returns its
	// path.
	Save func(name, text string) (where string, err error)
	// Reopen begins to follow something else. It may take long: the present
	// session goes on until it has succeeded.
	Reopen func(ctx context.Context, other Other) (*Session, error)
	// Inventories lists names of what can be followed.
	Inventories func(ctx context.Context) ([]string, error)
}

// Other is something else to follow: the same in another context of the
// kubeconfig, or another SOURCE with its flags as typed. "" keeps the present
// one.
type Other struct{ Context, Source string }

// Session is what Reopen has begun.
type Session struct {
	// Begin returns the model that replaces the previous one.
	Begin func(before Model) (Model, tea.Cmd)
	// Left ends the previous session. It may take long.
	Left func() error
}

// Answers of the outside.
type (
	reopened struct {
		session *Session
		err     error
	}
	inventoriesKnown struct{ names []string }
)

// copyText puts text into the terminal's clipboard.
func (m Model) copyText(what, text string) (Model, tea.Cmd) {
	return m.say("copied " + what), tea.SetClipboard(text)
}

// saveReport writes a report of the present state to a file.
func (m Model) saveReport(format string) (Model, tea.Cmd) {
	text, m, ok := m.report(format)
	if !ok {
		return m, nil
	}
	return m.save("kstatus-tui-"+m.w.Now.Local().Format("20060102-150405")+"."+format, text)
}

// copyReport puts it into the clipboard.
func (m Model) copyReport() (Model, tea.Cmd) {
	text, m, ok := m.report("md")
	if !ok {
		return m, nil
	}
	return m.copyText("the report", text)
}

func (m Model) report(format string) (text string, _ Model, ok bool) {
	if m.opt.Report == nil {
		return "", m.notice("warning", "there are no reports here"), false
	}
	out, err := m.opt.Report(m, format)
	if err != nil {
		return "", m.notice("error", err.Error()), false
	}
	return string(out), m, true
}

// save writes a file in the background, and reports its path.
func (m Model) save(name, text string) (Model, tea.Cmd) {
	write := m.opt.Save
	if write == nil {
		return m.notice("warning", "nothing can be saved here"), nil
	}
	return m, m.ask.command(func() tea.Msg {
		where, err := write(name, text)
		if err != nil {
			return problem(err)
		}
		return NoticeArrived{feed.Notice{Level: "info", From: "report", Text: "saved " + where}}
	})
}

// reopen begins to follow something else.
func (m Model) reopen(other Other) (Model, tea.Cmd) {
	reopen := m.opt.Reopen
	switch {
	case m.opt.Fixed != "":
		return m.say(m.opt.Fixed), nil
	case reopen == nil:
		return m.notice("warning", "nothing else can be followed here"), nil
	case m.reopening:
		return m.notice("warning", "another one is being looked for"), nil
	}
	m.reopening = true
	ctx := m.ask.ctx
	return m.say("looking for " + cmp.Or(other.Source, other.Context)), m.ask.command(func() tea.Msg {
		s, err := reopen(ctx, other)
		return reopened{s, err}
	})
}

// reopened replaces the model, and ends the session before it.
func (m Model) reopened(msg reopened) (Model, tea.Cmd) {
	m.reopening = false
	if msg.err != nil {
		return m.notice("error", msg.err.Error()), nil
	}
	next, begin := msg.session.Begin(m)
	next.opt.Fit, next.rev, next.session = m.opt.Fit, m.rev, m.session+1
	next.size, next.light, next.unfocused, next.theme = m.size, m.light, m.unfocused, m.theme
	return next, tea.Batch(begin, next.ask.command(func() tea.Msg {
		if err := msg.session.Left(); err != nil {
			return problem(err)
		}
		return nil
	}))
}

// seek asks once for the inventories that the palette proposes.
func (m Model) seek() (Model, tea.Cmd) {
	if v, _ := verbOf(m.input.Value()); m.mode != Commanding || m.sought || m.opt.Fixed != "" || v == nil || v.name != "source" {
		return m, nil
	}
	m.sought = true
	list, ctx := m.opt.Inventories, m.ask.ctx
	if list == nil {
		return m, nil
	}
	return m, m.ask.command(func() tea.Msg {
		names, err := list(ctx)
		if err != nil && len(names) == 0 {
			return nil // they are only proposals
		}
		return inventoriesKnown{names}
	})
}

// notify rings the bell and shows a notification, in the two ways that terminals
// know. Both are commands whose first words end with a semicolon (9;4; is a
// progress bar).
func notify(title, text string) tea.Cmd {
	title, text = strings.ReplaceAll(object.ASCII(title), ";", ","), object.ASCII(text)
	return tea.Raw("\a\x1b]777;notify;" + title + ";" + text + "\x1b\\" +
		"\x1b]9;" + title + ": " + text + "\x1b\\")
}

func problem(err error) NoticeArrived {
	return NoticeArrived{feed.Notice{Level: "error", From: "report", Text: strings.Join(strings.Fields(err.Error()), " ")}}
}

// notice adds a message of the dashboard's own.
func (m Model) notice(level, text string) Model {
	return m.noticed(feed.Notice{Level: level, From: "report", Text: text})
}

// noticed adds a message, which replaces an older one.
func (m Model) noticed(n feed.Notice) Model {
	if n.At.IsZero() {
		n.At = m.w.Now
	}
	m.w.Notices.Push(n)
	m.flash = ""
	return m
}
