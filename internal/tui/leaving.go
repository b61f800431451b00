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

// quit ends the program once the terminal has had its time to answer, or at the
// second request.
func (p *program) quit() tea.Cmd {
	wait := time.Until(p.started.Add(answerTime))
	if p.quitting || wait <= 0 {
		p.quitting = true
		return p.end()
	}
	p.quitting = true
	return tea.Tick(wait, func(time.Time) tea.Msg { return settled{} })
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
