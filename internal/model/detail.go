package model

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
)

// yamlPane is the state of the YAML pane.
type yamlPane struct {
	intake *Intake

	DetailView

	gen     uint64
	version string // resourceVersion of the object when it was requested
	text    string
	lines   outline.Outline
	clip    bool // copy it to the clipboard when it arrives
}

// forget forgets the object, and an answer that is still to come.
func (y *yamlPane) forget() {
	y.DetailView, y.version, y.clip = DetailView{}, "", false
	y.gen++
	y.lines.Clear()
}

// load requests the selected object if the pane lacks it. Without one it
// forgets the last: nothing may show below another's name.
func (y *yamlPane) load(n *world.Node) tea.Cmd {
	if n == nil || n.Object == nil {
		y.forget()
		return nil
	}
	since := y.intake.clock().Sub(y.DetailView.At)
	read := y.version == n.Object.ResourceVersion && (y.DetailView.Err == nil || since < 10*time.Second)
	if y.DetailView.ID == *n.ID && (y.DetailView.Loading || read || since < time.Second) {
		return nil
	}
	return y.request(n)
}

func (y *yamlPane) request(n *world.Node) tea.Cmd {
	if y.DetailView.ID != *n.ID {
		y.forget()
	}
	y.gen++
	y.DetailView.ID, y.version, y.DetailView.Loading = *n.ID, n.Object.ResourceVersion, true
	return y.intake.ask.loadDetail(*n.ID, y.gen)
}

// copy requests the selected object for the clipboard, unless it is here.
func (y *yamlPane) copy(n *world.Node) (text string, load tea.Cmd) {
	if y.DetailView.ID != *n.ID || y.lines.Empty() || y.DetailView.Err != nil || y.version != n.Object.ResourceVersion {
		load = y.request(n)
		y.clip = true
	}
	return y.text, load
}

// loaded takes in the object. It reports whether it is for the clipboard.
func (y *yamlPane) loaded(msg DetailLoaded) (clip bool) {
	if msg.Gen != y.gen {
		return false
	}
	clip = y.clip
	y.DetailView.Loading, y.DetailView.Err, y.DetailView.At, y.clip = false, msg.Err, y.intake.clock(), false
	if msg.Err == nil {
		y.text, y.DetailView.At = msg.Detail.YAML, cmp.Or(msg.Detail.At, y.DetailView.At)
		y.lines.Read(y.text)
	}
	return clip
}

// view is the state of the pane. A search must see folded lines.
func (y *yamlPane) view(searching, focused bool) DetailView {
	d := y.DetailView
	var cursor int
	if d.Shown, cursor = y.lines.Shown(searching); focused && !y.lines.Empty() {
		d.Cursor = 1 + cursor
	}
	return d
}
