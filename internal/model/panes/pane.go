// Package panes are the panes about the selected object. A pane is a type in a file of
// its own, and a line in [New]: from there come its tab, its keys in the help, the
// documentation and the configuration, its data, and its text. What it writes is marked
// text ([markup.Line]), which a screen draws and a test reads.
package panes

import (
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Pane is one of the panes about the selected object.
type Pane interface {
	// Title names its tab.
	Title() Title
	// Keys are its own keys, with the labels that help now.
	Keys() []Key
	// Load takes note of the selection, after each message, and requests what the
	// pane lacks if it is on the screen.
	Load(on Selection) tea.Cmd
	// Update handles an [Action] of one of its keys, the answers to its requests,
	// and [Forget]. It ignores other messages. The text is a short answer for the
	// user, or "".
	Update(msg tea.Msg) (answer string, cmd tea.Cmd)
	// Content is its text on a page. It is asked for once a frame.
	Content(p *Page) Content
}

// Title is the name of a pane's tab, a short one for narrow screens, and the keys that
// open it.
type Title struct {
	Name, Short string // Short is for narrow screens
	Does        string // in the help
	Show        Action // shows the pane
	Keys        []string
}

// Action is something that a key does.
type Action string

// Key is one of a pane's own keys.
type Key struct {
	Action Action
	Does   string // in the help
	Label  string // in the footer; "" if it is of no use now
	Keys   []string
	// FromTop says that the pane shows its beginning afterwards.
	FromTop bool
	// Unfolds says that it unfolds something, whose beginning must be in sight afterwards.
	Unfolds bool
}

// Forget says that the panes must forget what they know: the recording has jumped.
type Forget struct{}

// Selection is what the panes are about, and how to ask for more.
type Selection struct {
	World *world.World
	Node  *world.Node // nil if none is selected
	Open  bool        // the pane is on the screen
	Began time.Time   // when following began

	Answered bool // everything needed to judge has arrived
	Frozen   bool // the picture stays as it is
	Wrap     bool // long lines are wrapped

	First     func() int // the first entry in sight
	Searching bool       // the pane is searched
	Focused   bool       // the pane has the focus

	Ask Asker
}

// Asker knows the time, and makes commands. Their answers come back to [Pane.Update].
type Asker interface {
	// Clock is the present, which a frozen picture does not show.
	Clock() time.Time
	// Detail fetches one full object: [DetailLoaded].
	Detail(id object.ID, gen uint64) tea.Cmd
	// Logs reads the log lines after a cursor: [logs.Arrived].
	Logs(key feed.LogKey, since, gen uint64) tea.Cmd
	// Usage reads what Pods use: [UsageLoaded].
	Usage(of feed.UsageOf, gen uint64) tea.Cmd
	// Save writes text to a new file with a name like this.
	Save(name, text string) tea.Cmd
}

// New returns the panes in the order of their tabs.
func New() []Pane {
	return []Pane{
		&Why{},
		&Conditions{},
		&Events{},
		&Logs{},
		&YAML{},
		&Timeline{},
	}
}

// Titles are the titles of the panes. They must not be modified.
func Titles() []Title { return titles() }

var titles = sync.OnceValue(func() (titles []Title) {
	for _, p := range New() {
		titles = append(titles, p.Title())
	}
	return titles
})

// Index is the place of the pane with a name, or -1.
func Index(name string) int {
	return slices.IndexFunc(Titles(), func(t Title) bool { return strings.EqualFold(t.Name, name) })
}
