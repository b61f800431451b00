package model

import (
	"cmp"
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
)

// Outside has what a dashboard does outside of its feed. An action that is nil is refused.
type Outside struct {
	// Report renders the model as md, json or svg. Update calls it: the model
	// may be read meanwhile.
	Report func(m *Model, format string) ([]byte, error)
	// Save writes text to a new file whose name resembles name, and returns its
	// path.
	Save func(name, text string) (where string, err error)
	// Reopen begins to follow something else. It may take long: the present
	// session goes on until it has succeeded.
	Reopen func(ctx context.Context, other Other) (*Session, error)
	// Inventories lists names of what can be followed.
	Inventories func(ctx context.Context) ([]string, error)
	// Namespaces lists the cluster's namespaces.
	Namespaces func(ctx context.Context) ([]string, error)
}

// Other is something else to follow: the same in another context of the
// kubeconfig, or another SOURCE with its flags as typed. "" keeps the present
// one.
type Other struct{ Context, Source string }

// Session is what Reopen has begun.
type Session struct {
	// Begin returns the model that replaces the previous one.
	Begin func(before *Model) (*Model, tea.Cmd)
	// Left ends the previous session. It may take long.
	Left func() error
}

// The messages by which these actions report their end.
type (
	reopened struct {
		session *Session
		err     error
	}
	inventoriesKnown struct{ names []string }
	namespacesKnown  struct{ names []string }
	viewed           struct{ file Leave }
)

// saveReport writes a report of the present state to a file.
func (m *Model) saveReport(format string) tea.Cmd {
	text, err := m.report(format)
	if err != nil {
		return m.Display.notice("error", err.Error())
	}
	return m.Display.save("kstatus-tui-"+m.Facts.World.Tree.Now.Local().Format("20060102-150405")+"."+format, text)
}

func (m *Model) report(format string) (string, error) {
	if m.Intake.opt.Report == nil {
		return "", errors.New("there are no reports here")
	}
	out, err := m.Intake.opt.Report(m, format)
	return string(out), err
}

// save writes a file in the background, and reports its path.
func (t *Display) save(name, text string) tea.Cmd {
	write := t.intake.opt.Save
	if write == nil {
		return t.notice("warning", "nothing can be saved here")
	}
	return t.intake.ask.command(func() tea.Msg {
		where, err := write(name, text)
		if err != nil {
			return problem(err)
		}
		return NoticeArrived{feed.Notice{Level: "info", From: "report", Text: "saved " + where}}
	})
}

// reopen begins to follow something else.
func (m *Model) reopen(other Other) tea.Cmd {
	reopen, ctx := m.Intake.opt.Reopen, m.Intake.ask.ctx
	switch {
	case m.Intake.opt.Fixed != "":
		return m.Display.answer(m.Intake.opt.Fixed)
	case reopen == nil:
		return m.Display.notice("warning", "nothing else can be followed here")
	case m.Keyboard.reopening:
		return m.Display.notice("warning", "another one is being looked for")
	}
	m.Keyboard.reopening = true
	m.Display.answer("looking for " + cmp.Or(other.Source, other.Context))
	return m.Intake.ask.command(func() tea.Msg {
		s, err := reopen(ctx, other)
		return reopened{s, err}
	})
}

// reopened replaces the model, and ends the session before it.
func (m *Model) reopened(msg reopened) (*Model, tea.Cmd) {
	m.Keyboard.reopening = false
	if msg.err != nil {
		return m, m.Display.notice("error", msg.err.Error())
	}
	next, begin := msg.session.Begin(m)
	next.Intake.opt.Columns = m.Intake.opt.Columns
	next.Intake.opt.Zone = m.Intake.opt.Zone
	next.Intake.opt.ASCII = m.Intake.opt.ASCII
	next.Intake.opt.NoMouse = m.Intake.opt.NoMouse
	next.Intake.rev, next.session = m.Intake.rev, m.session+1
	next.Panes.width = m.Panes.width
	next.Panes.height = m.Panes.height
	next.Display.light = m.Display.light
	next.Display.theme = m.Display.theme
	next.Panes.layout, next.Panes.rows, next.Tree.window = m.Panes.layout, m.Panes.rows, m.Tree.window
	return next, tea.Batch(begin, next.Intake.ask.command(func() tea.Msg {
		if err := msg.session.Left(); err != nil {
			return problem(err)
		}
		return nil
	}))
}

// seek asks once for what the palette proposes: inventories, and the cluster's
// namespaces. What cannot be listed is not proposed.
func (k *Keyboard) seek() tea.Cmd {
	if k.mode != Commanding || k.intake.opt.Fixed != "" {
		return nil
	}
	v, _ := verbOf(k.input.Value())
	switch {
	case v == nil:
		return nil
	case v.name == "source" && !k.sought:
		k.sought = true
		return k.list(k.intake.opt.Inventories, func(names []string) tea.Msg { return inventoriesKnown{names} })
	case v.name == "namespace" && !k.soughtSpaces:
		k.soughtSpaces = true
		return k.list(k.intake.opt.Namespaces, func(names []string) tea.Msg { return namespacesKnown{names} })
	}
	return nil
}

// list asks for names.
func (k *Keyboard) list(ask func(context.Context) ([]string, error), known func([]string) tea.Msg) tea.Cmd {
	if ask == nil {
		return nil
	}
	ctx := k.intake.ask.ctx
	return k.intake.ask.command(func() tea.Msg {
		names, err := ask(ctx)
		if err != nil && len(names) == 0 {
			return nil
		}
		return known(names)
	})
}

func problem(err error) NoticeArrived {
	return NoticeArrived{
		feed.Notice{Level: "error", From: "report", Text: strings.Join(strings.Fields(err.Error()), " ")},
	}
}
