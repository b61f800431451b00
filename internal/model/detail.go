package model

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// detailState is the state of the YAML pane.
type detailState struct {
	gen     uint64
	id      object.ID
	version string // resourceVersion of the object when it was requested
	lines   []string
	at      time.Time
	loading bool
	err     error
	clip    bool // copy it to the clipboard when it arrives
}

func (m Model) detailLoaded(msg DetailLoaded) (Model, tea.Cmd) {
	if msg.Gen != m.detail.gen {
		return m, nil
	}
	clip := m.detail.clip
	m.detail.loading, m.detail.err, m.detail.at, m.detail.clip = false, msg.Err, m.w.Now, false
	if msg.Err != nil {
		if clip {
			m = m.say("cannot copy: " + msg.Err.Error())
		}
		return m, nil
	}
	m.detail.lines = strings.Split(strings.TrimRight(msg.Detail.YAML, "\n"), "\n")
	if !msg.Detail.At.IsZero() {
		m.detail.at = msg.Detail.At
	}
	if clip {
		return m.copyDetail()
	}
	return m, nil
}

// Detail is the state of the YAML pane.
func (m Model) Detail() DetailView {
	d := DetailView{ID: m.detail.id, At: m.detail.at, Loading: m.detail.loading, Err: m.detail.err}
	depth, turned := m.yamlDepth, m.yamlTurned
	if m.search.Text != "" {
		depth, turned = 0, nil // a search must see folded lines
	}
	d.Shown = foldYAML(m.detail.lines, depth, turned)
	if m.focus == FocusPane && m.pane == PaneYAML && len(m.detail.lines) > 0 {
		d.Cursor, d.Loose = 1+lineAt(d.Shown, m.yamlLine), m.yamlLoose
	}
	if o := m.seen().Lookup(m.detail.id); o != nil && o.ResourceVersion != m.detail.version {
		d.Stale = true
	}
	return d
}
