package views

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// fulfil does what only the owner of the terminal can.
func (p *program) fulfil(msg model.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case model.QuitAsked:
		return p.quit()
	case model.SuspendAsked:
		return p.suspend()
	case model.RedrawAsked:
		p.stale, p.wipe = true, true
	case model.CopyAsked:
		what := msg.What
		p.screen.send(ansi.SetSystemClipboard(msg.Text))
		return func() tea.Msg { return told{model.Copied{What: what}} }
	case model.NotifyAsked:
		// A bell, and the two ways in which terminals know notifications.
		title, text := asciiOnly(msg.Title), asciiOnly(msg.Text)
		p.screen.send("\a\x1b]777;notify;" + strings.ReplaceAll(title, ";", ",") + ";" + text + "\x1b\\" +
			"\x1b]9;" + title + ": " + text + "\x1b\\")
	case model.ThemeAsked:
		p.names = msg.Name
		p.retheme()
	case model.ReportAsked:
		return p.report(msg.Format)
	case model.SaveAsked:
		return p.save(msg)
	}
	return nil
}

func (p *program) report(format string) tea.Cmd {
	if p.opts.Report == nil {
		return notice("warning", "there are no reports here")
	}
	return saving(p.opts.Report(p.m, format, p.look()))
}

func (p *program) save(msg model.SaveAsked) tea.Cmd {
	if p.opts.Save == nil {
		return notice("warning", "nothing can be saved here")
	}
	return saving(func() (string, error) { return p.opts.Save(msg.Name, msg.Text) })
}

// saving writes a file, and says where it is.
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

// quit ends the program once the terminal has nothing more to answer.
func (p *program) quit() tea.Cmd {
	if p.quitting {
		return tea.Quit // asked for twice: now
	}
	p.quitting = true
	if p.answered >= p.asked && time.Since(p.started) > time.Second {
		return tea.Quit
	}
	p.asked++
	p.screen.send(askFence)
	return tea.Tick(fence, func(time.Time) tea.Msg { return fenced{} })
}

// suspend gives the terminal to the shell until the user comes back.
func (p *program) suspend() tea.Cmd {
	if !p.guard.canSuspend() || !p.screen.stop(patience) {
		return nil
	}
	p.guard.suspend()
	p.screen.start()
	p.screen.send(startTheme)
	p.stale, p.wipe = true, true
	return tea.Batch(p.size, p.send(model.ClockTicked{Now: p.opts.Now()}))
}

func (p *program) background(dark bool) tea.Cmd {
	if dark != p.dark {
		p.dark = dark
		p.retheme()
	}
	return p.send(model.BackgroundKnown{Dark: dark})
}

// colours are what the terminal has. no-color.org: any value that is not empty
// counts; Bubble Tea's own reading takes "yes" for unset.
func (p *program) colours(profile colorprofile.Profile) {
	if lookup(p.opts.Env, "NO_COLOR") != "" {
		profile = colorprofile.ASCII
	}
	p.profile = profile
	p.retheme()
}

// retheme builds the theme anew. Its name has been checked before. Without
// colours, what they say is said by bold and reversed text.
func (p *program) retheme() {
	name := p.names
	if p.profile != colorprofile.Unknown && p.profile <= colorprofile.ASCII && name != "ascii" {
		name = "mono"
	}
	th, err := NewTheme(name, p.dark, p.opts.ASCII)
	if err != nil {
		th, _ = NewTheme("auto", p.dark, p.opts.ASCII)
	}
	th.limit(p.profile)
	p.th = th
	p.stale = true
}

func (p *program) look() Look {
	return Look{Theme: p.th, Zone: p.opts.Zone, Hidden: p.opts.Hidden, Memo: &p.memo}
}
