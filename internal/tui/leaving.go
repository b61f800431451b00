package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// hold keeps back two of Bubble Tea's messages, which it would act on before
// Update sees them.
func (p *program) hold(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case tea.QuitMsg:
		if !p.leaving {
			return quits{}
		}
	case tea.SuspendMsg:
		return suspended{}
	}
	return msg
}

// quit ends the program once the terminal has answered everything.
func (p *program) quit() tea.Cmd {
	if p.quitting {
		return p.end() // the second request quits at once
	}
	p.quitting = true
	if p.answered >= p.asked && time.Since(p.started) > time.Second {
		return p.end()
	}
	p.asked++
	return tea.Batch(
		// Not before the first frame, which sends requests, too.
		tea.Tick(2*frame, func(time.Time) tea.Msg { return tea.Raw(askFence)() }),
		tea.Tick(fence, func(time.Time) tea.Msg { return fenced{} }))
}

// end quits without waiting.
func (p *program) end() tea.Cmd {
	p.leaving = true
	return tea.Quit
}

// suspend gives the terminal to the shell until the user comes back.
func (p *program) suspend() tea.Cmd {
	if len(stopSignals) == 0 {
		return nil
	}
	return tea.Exec(&stopJob{}, func(error) tea.Msg { return tea.ResumeMsg{} })
}
