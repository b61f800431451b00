package tui

import (
	"cmp"
	"context"
	"runtime/debug"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// fulfil carries out a request that needs the owner of the terminal.
func (p *program) fulfil(msg model.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case model.QuitAsked:
		return p.quit()
	case model.SuspendAsked:
		return p.suspend()
	case model.RedrawAsked:
		p.stale = true
		return tea.ClearScreen
	case model.CopyAsked:
		return p.copy(msg.What, msg.Text)
	case model.NotifyAsked:
		// A bell, and the two ways in which terminals know notifications. Both are
		// commands whose first words end with a semicolon (9;4; is a progress bar).
		title, text := strings.ReplaceAll(views.ASCIIOnly(msg.Title), ";", ","), views.ASCIIOnly(msg.Text)
		return tea.Raw("\a\x1b]777;notify;" + title + ";" + text + "\x1b\\" +
			"\x1b]9;" + title + ": " + text + "\x1b\\")
	case model.ThemeAsked:
		p.names = msg.Name
		p.retheme()
	case model.ReportAsked:
		return p.report(msg)
	case model.ReopenAsked:
		return p.reopen(msg)
	case model.SourcesAsked:
		return p.sources()
	case model.SaveAsked:
		return p.save(msg)
	}
	return nil
}

func (p *program) copy(what, text string) tea.Cmd {
	return tea.Sequence(tea.SetClipboard(text), func() tea.Msg { return told{model.Copied{What: what}, anySession} })
}

// report renders a report now, and writes it in the background.
func (p *program) report(msg model.ReportAsked) tea.Cmd {
	if p.opts.Report == nil {
		return notice("warning", "there are no reports here")
	}
	format := cmp.Or(msg.Format, "md")
	text, err := p.opts.Report(p.m, format, p.look())
	switch {
	case err != nil:
		return notice("error", err.Error())
	case msg.Copy:
		return p.copy("the report", string(text))
	}
	return p.save(model.SaveAsked{
		Name: "kstatus-tui-" + p.m.Now().In(p.opts.Zone).Format("20060102-150405") + "." + format, Text: string(text),
	})
}

// reopen begins another session while the current one goes on.
func (p *program) reopen(what model.ReopenAsked) tea.Cmd {
	switch {
	case p.opts.Reopen == nil:
		return notice("warning", "nothing else can be followed here")
	case p.reopening:
		return notice("warning", "another one is being looked for")
	}
	p.reopening = true
	return p.beside(func() tea.Msg {
		s, err := p.opts.Reopen(p.ctx, what)
		return reopened{s, err}
	})
}

// swap shows the new session, and ends the previous one.
func (p *program) swap(msg reopened) tea.Cmd {
	p.reopening = false
	if msg.err != nil {
		return notice("error", views.OneLine(msg.err.Error()))
	}
	p.leave()
	p.no++
	p.following, p.leave = context.WithCancel(p.ctx)
	p.feed, p.opts.Now = msg.session.Feed, msg.session.Now
	var size tea.WindowSizeMsg
	size.Width, size.Height = p.m.Size()
	m, cmds := msg.session.Begin(p.m)
	p.m, p.memo, p.measured, p.stale = m, views.Memo{}, model.Measured{}, true
	left := p.beside(func() tea.Msg {
		if err := msg.session.Left(); err != nil {
			return notice("error", views.OneLine(err.Error()))()
		}
		return nil
	})
	return tea.Batch(p.send(size), p.send(model.BackgroundKnown{Dark: p.dark}), p.batch(cmds), left)
}

// sources looks up the palette's proposals.
func (p *program) sources() tea.Cmd {
	if p.opts.Sources == nil {
		return nil
	}
	return p.beside(func() tea.Msg {
		names, err := p.opts.Sources(p.ctx)
		if err != nil && len(names) == 0 {
			return nil // only proposals: an error is dropped
		}
		return told{model.SourcesKnown{Names: names}, anySession}
	})
}

// beside runs slow work of the program itself in the background.
func (p *program) beside(work func() tea.Msg) tea.Cmd {
	p.running.Add(1)
	return func() (msg tea.Msg) {
		defer p.running.Done()
		defer func() {
			if r := recover(); r != nil {
				msg = crashed{r, debug.Stack()}
			}
		}()
		return work()
	}
}

func (p *program) save(msg model.SaveAsked) tea.Cmd {
	if p.opts.Save == nil {
		return notice("warning", "nothing can be saved here")
	}
	return saving(func() (string, error) { return p.opts.Save(msg.Name, msg.Text) })
}

// saving writes a file and reports its path.
func saving(write func() (string, error)) tea.Cmd {
	return func() tea.Msg {
		where, err := write()
		if err != nil {
			return notice("error", err.Error())()
		}
		return notice("info", "saved "+where)()
	}
}

func notice(level, text string) tea.Cmd {
	return func() tea.Msg { return noticedMsg{At: time.Now(), Level: level, From: "report", Text: text} }
}

// quit ends the program once the terminal has answered everything.
func (p *program) quit() tea.Cmd {
	if p.quitting {
		return tea.Quit // the second request quits at once
	}
	p.quitting = true
	if p.answered >= p.asked && time.Since(p.started) > time.Second {
		return tea.Quit
	}
	p.asked++
	return tea.Batch(
		// Not before the first frame, which sends requests, too.
		tea.Tick(2*frame, func(time.Time) tea.Msg { return tea.Raw(askFence)() }),
		tea.Tick(fence, func(time.Time) tea.Msg { return fenced{} }))
}

// suspend gives the terminal to the shell until the user comes back.
func (p *program) suspend() tea.Cmd {
	if len(stopSignals) == 0 {
		return nil
	}
	return tea.Exec(&stopJob{}, func(error) tea.Msg { return tea.ResumeMsg{} })
}

func (p *program) background(dark bool) tea.Cmd {
	if dark != p.dark {
		p.dark = dark
		p.retheme()
	}
	return p.send(model.BackgroundKnown{Dark: dark})
}

// colours notes the terminal's colour profile.
func (p *program) colours(profile colorprofile.Profile) {
	p.profile = profile
	p.retheme()
}

// retheme rebuilds the theme, whose name has been validated. Without colours,
// bold and reversed text take their place.
func (p *program) retheme() {
	name := p.names
	if p.profile != colorprofile.Unknown && p.profile <= colorprofile.ASCII && name != "ascii" {
		name = "mono"
	}
	th, err := views.NewTheme(name, p.dark, p.opts.ASCII)
	if err != nil {
		th, _ = views.NewTheme("auto", p.dark, p.opts.ASCII)
	}
	th.ASCIILocale = !views.SpeaksUTF8(p.opts.Env)
	p.th, p.canvas, p.stale = th, views.NewCanvas(0, 0, th), true
}

func (p *program) look() views.Look {
	look := views.Look{Theme: p.th, Zone: p.opts.Zone, Hidden: p.opts.Hidden, Memo: &p.memo}
	if p.turning {
		look.Waiting = p.spinner.View()
	}
	return look
}
