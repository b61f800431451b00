package model

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// yamlPane is the state of the YAML pane.
type yamlPane struct {
	*tree

	detail
	depth  int             // see foldYAML
	turned map[string]bool // blocks that deviate from depth
	line   int             // the cursor's line, counting folded ones
	loose  bool            // the window has been scrolled away from it
}

// detail is the object that the pane shows.
type detail struct {
	gen     uint64
	id      object.ID
	version string // resourceVersion of the object when it was requested
	lines   []string
	at      time.Time
	loading bool
	err     error
	clip    bool // copy it to the clipboard when it arrives
}

// load requests the selected object if the pane lacks it.
func (y *yamlPane) load(n *world.Node) tea.Cmd {
	version := n.Object.ResourceVersion
	if y.id == *n.ID && (y.loading || y.version == version || y.w.Now.Sub(y.at) < time.Second) {
		return nil
	}
	if y.id != *n.ID {
		y.detail = detail{gen: y.gen}
		y.line, y.loose = 0, false
	}
	y.gen++
	y.id, y.version, y.loading = *n.ID, version, true
	return y.ask.loadDetail(*n.ID, y.gen)
}

// copy requests the selected object for the clipboard, unless it is here.
func (y *yamlPane) copy(n *world.Node) (text string, load tea.Cmd) {
	if version := n.Object.ResourceVersion; y.id != *n.ID || len(y.lines) == 0 || y.version != version {
		y.detail = detail{gen: y.gen + 1, id: *n.ID, version: version, loading: true, clip: true}
		return "", y.ask.loadDetail(*n.ID, y.gen)
	}
	return y.text(), nil
}

// text is the whole object.
func (y *yamlPane) text() string { return strings.Join(y.lines, "\n") + "\n" }

// loaded takes in the object. It reports whether it is for the clipboard.
func (y *yamlPane) loaded(msg DetailLoaded) (clip bool) {
	if msg.Gen != y.gen {
		return false
	}
	clip = y.clip
	y.loading, y.err, y.at, y.clip = false, msg.Err, y.w.Now, false
	if msg.Err != nil {
		return clip
	}
	y.lines = strings.Split(strings.TrimRight(msg.Detail.YAML, "\n"), "\n")
	if !msg.Detail.At.IsZero() {
		y.at = msg.Detail.At
	}
	return clip
}

// view is the state of the pane. A search must see folded lines.
func (y *yamlPane) view(searching, focused bool) DetailView {
	d := DetailView{ID: y.id, At: y.at, Loading: y.loading, Err: y.err}
	if searching {
		d.Shown = foldYAML(y.lines, 0, nil)
	} else {
		d.Shown = foldYAML(y.lines, y.depth, y.turned)
	}
	if focused && len(y.lines) > 0 {
		d.Cursor, d.Loose = 1+lineAt(d.Shown, y.line), y.loose
	}
	if o := y.seen().Lookup(y.id); o != nil && o.ResourceVersion != y.version {
		d.Stale = true
	}
	return d
}
