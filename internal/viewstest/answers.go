package viewstest

import (
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// Answer runs a command and returns its message, or the commands of a batch.
func Answer(cmd tea.Cmd) (tea.Msg, []tea.Cmd) {
	if cmd == nil {
		return nil, nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		return nil, msg
	case model.Answer:
		return msg.Msg, nil
	default:
		return msg, nil
	}
}

// Answers runs a command, and each of a batch, one after the other.
func Answers(cmd tea.Cmd) (all []tea.Msg) {
	msg, batch := Answer(cmd)
	if msg != nil {
		all = append(all, msg)
	}
	for _, c := range batch {
		all = append(all, Answers(c)...)
	}
	return all
}
