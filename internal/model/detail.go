package model

import (
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// detailState is what the YAML pane knows.
type detailState struct {
	gen     uint64
	id      status.ID
	version string // resourceVersion of the object when it was asked for
	lines   []string
	at      time.Time
	loading bool
	err     error
}

func (m Model) detailLoaded(msg DetailLoaded) Model {
	if msg.Gen != m.detail.gen {
		return m
	}
	m.detail.loading, m.detail.err, m.detail.at = false, msg.Err, m.w.now
	if msg.Err == nil {
		m.detail.lines = strings.Split(strings.TrimRight(msg.Detail.YAML, "\n"), "\n")
		if !msg.Detail.At.IsZero() {
			m.detail.at = msg.Detail.At
		}
	}
	return m
}

// Detail is the state of the YAML pane.
func (m Model) Detail() DetailView {
	d := DetailView{ID: m.detail.id, Lines: m.detail.lines, At: m.detail.at, Loading: m.detail.loading, Err: m.detail.err}
	if o := m.seen().lookup(m.detail.id); o != nil && o.ResourceVersion != m.detail.version {
		d.Stale = true
	}
	return d
}
