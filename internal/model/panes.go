package model

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Panes are the panes about the selected row: which is open, how large, and what is
// seen of it.
type Panes struct {
	facts  *known.Facts
	intake *Intake
	tree   *Tree

	all  []panes.Pane
	logs *panes.Logs // one of them: it is followed, and its logs are wanted
	yaml *panes.YAML // one of them: it has a cursor, and is copied

	timeline *panes.Timeline

	width, height int
	focus         Focus
	pane          Pane
	paneSize      layout.Size
	tops          map[place]int // scroll positions
	search        panes.Search
	wrap          bool

	// What the screen shows: laid out once a frame.
	layout  layout.Layout
	content panes.Content // of the open pane
	match   panes.Match   // of the search in it
	top     int           // the first line of it in sight
	rows    int           // how many are
	target  int           // the index of the content's chosen target; -1 is none

	// What is to come into sight when the pane is written next.
	card     stopped // the cause of a row; zero is none
	unfolded bool    // what a key has unfolded
}

// newPanes returns the panes before anything is known of the screen: they have 20 rows.
func newPanes(facts *known.Facts, in *Intake, t *Tree) *Panes {
	p := &Panes{
		facts: facts, intake: in, tree: t, all: panes.New(), wrap: true,
		tops: map[place]int{}, rows: 20, target: -1,
	}
	for _, pane := range p.all {
		switch pane := pane.(type) {
		case *panes.Logs:
			p.logs = pane
		case *panes.YAML:
			p.yaml = pane
		case *panes.Timeline:
			p.timeline = pane
		}
	}
	return p
}

// update hands a message to all panes. The text is a short answer for the user.
func (p *Panes) update(msg tea.Msg) (answer string, cmds tea.Cmd) {
	for _, pane := range p.all {
		text, cmd := pane.Update(msg)
		if text != "" {
			answer = text
		}
		cmds = tea.Batch(cmds, cmd)
	}
	return answer, cmds
}

// load tells the panes the selection, and requests what the open one lacks.
func (p *Panes) load(ask panes.Asker) (cmds tea.Cmd) {
	on := panes.Selection{
		World: p.facts.World, Node: p.tree.selectedNode(), Began: p.intake.opt.Now,
		Answered: p.intake.Answered(), Frozen: p.intake.frozen, Wrap: p.wrap,
		First: func() int { return p.content.Entry(p.top) }, Searching: p.search.Text != "", Ask: ask,
	}
	for i, pane := range p.all {
		on.Open, on.Focused = p.shows(Pane(i)), p.reads(Pane(i))
		cmds = tea.Batch(cmds, pane.Load(on))
	}
	return cmds
}

// asking is what panes ask with.
type asking struct {
	in      *Intake
	display *Display
}

func (a asking) Clock() time.Time                        { return a.in.clock() }
func (a asking) Detail(id object.ID, gen uint64) tea.Cmd { return a.in.ask.loadDetail(id, gen) }
func (a asking) Save(name, text string) tea.Cmd          { return a.display.save(name, text) }
func (a asking) Usage(of feed.UsageOf, gen uint64) tea.Cmd {
	return a.in.ask.readUsage(of, gen)
}

func (a asking) Logs(k feed.LogKey, since, gen uint64) tea.Cmd {
	return a.in.ask.readLogs(k, since, gen)
}

// lay lays the screen out. It reports whether the tree's height has changed.
func (p *Panes) lay(mode Mode) bool {
	p.layout = layout.Place(layout.Screen{
		W: p.width, H: p.height, Pane: p.paneSize, Replay: p.intake.played != nil,
		Typing:  mode == Filtering || mode == Searching,
		Columns: p.intake.opt.Columns, LongestSpace: p.facts.LongestNamespace(), Restarted: p.facts.Restarted(),
	})
	before := p.tree.window
	p.tree.window = p.layout.Tree.H
	return before != p.tree.window
}

// page is an empty page of the open pane.
func (p *Panes) page(ascii bool) *panes.Page {
	key, _ := p.tree.Selected()
	return &panes.Page{
		W: p.layout.Pane.W, Tight: p.layout.Pane.H < 9, Facts: p.facts, Selected: key.ID, Began: p.intake.opt.Now,
		Zone: p.intake.opt.Zone, Focused: p.focus == FocusPane, Wrap: p.wrap, Replay: p.intake.played != nil,
		ShortKinds: p.layout.ShortKinds, ASCII: ascii, Stands: p.intake.stands(),
	}
}

// write has the open pane write its text, and finds the part that is in sight. mode says
// whether the help is above it, and whether the search is still typed.
func (p *Panes) write(ascii bool, mode Mode) {
	r := p.layout.Pane
	if r.Empty() {
		p.content, p.match, p.top, p.rows = panes.Content{}, panes.Match{}, 0, 0
		return
	}
	p.content = p.all[p.pane].Content(p.page(ascii)).Fit(r.H)
	p.rows = r.H - len(p.content.Head)
	p.match = panes.Match{}
	if p.search.Text != "" {
		p.match = p.content.Match(p.search)
	}
	if p.search.Text != "" && mode != Searching {
		p.search = p.content.Held(p.search, p.match)
	}
	p.bring()
	p.mark()
	at := p.Scroll().Top
	p.top = p.content.Top(at, p.rows, p.search, p.match)
	switch {
	case mode == Helping:
	case p.search.Text != "" && !p.search.Left && p.top != at: // scrolling continues from the match
		p.setTop(p.top)
		if p.pane == PaneLogs {
			p.logs.Pane.Follow = false
		}
	case p.reads(PaneYAML) && !p.yaml.ScrolledAway(): // the window follows the cursor
		p.setTop(p.top)
	}
	p.scrollPane(0)
}

// bring scrolls to what a key has asked for.
func (p *Panes) bring() {
	if line, has := p.content.Cards[p.card.cause]; has && p.card.row == p.tree.sel {
		p.setTop(max(min(line, p.content.N-p.rows), 0))
		p.card = stopped{}
	}
	top := p.Scroll().Top
	if i := slices.IndexFunc(p.content.Unfolded, func(part [2]int) bool { return part[1] > top }); p.unfolded && i >= 0 {
		part := p.content.Unfolded[i]
		p.setTop(max(top, min(part[0], part[1]-p.rows)))
	}
	p.unfolded = false
}

// mark puts the cursor of a focused pane on the target that Enter leads to: the one that
// was chosen, or the nearest in sight.
func (p *Panes) mark() {
	all := p.content.Targets
	if p.focus != FocusPane || len(all) == 0 {
		p.target = -1
		return
	}
	top := min(p.Scroll().Top, max(p.content.N-p.rows, 0))
	seen := func(i int) bool { return i >= 0 && i < len(all) && all[i].Line >= top && all[i].Line < top+p.rows }
	if p.target = min(p.target, len(all)-1); !seen(p.target) {
		first := slices.IndexFunc(all, func(t panes.Target) bool { return t.Line >= top })
		if p.target = -1; seen(first) {
			p.target = first
		}
	}
	if p.target >= 0 {
		p.content.Cursor = [2]int{all[p.target].Line, all[p.target].Line + 1}
	}
}

// nextTarget goes to the next target, if it is in sight. Otherwise the text scrolls.
func (p *Panes) nextTarget(by int) bool {
	all, next := p.content.Targets, p.target+by
	if p.target < 0 || by*by != 1 || next < 0 || next >= len(all) ||
		all[next].Line < p.top || all[next].Line >= p.top+p.rows {
		return false
	}
	p.target = next
	return true
}

// Content is the open pane's text, and its first line in sight.
func (p *Panes) Content() (c panes.Content, top int) { return p.content, p.top }

// Match is the place of the search's match.
func (p *Panes) Match() panes.Match { return p.match }

// Layout is where the parts of the screen are.
func (p *Panes) Layout() layout.Layout { return p.layout }

// place is a pane about an object. Each has a scroll position of its own:
// another object's text never shows from its middle.
type place struct {
	pane Pane
	row  rows.Key
}

// mostPlaces bounds the scroll positions that are kept.
const mostPlaces = 500

// Size is the size of the screen.
func (p *Panes) Size() (w, h int) { return p.width, p.height }

// Focus is the focused part.
func (p *Panes) Focus() Focus { return p.focus }

// Pane is the chosen pane.
func (p *Panes) Pane() Pane { return p.pane }

// PaneSize is the size of the pane.
func (p *Panes) PaneSize() layout.Size { return p.paneSize }

// SearchText is the search in the pane, complete or being typed.
func (p *Panes) SearchText() panes.Search { return p.search }

// paneOpen reports whether the pane is on the screen.
func (p *Panes) paneOpen() bool { return p.width >= layout.SideBySide || p.paneSize != layout.Normal }

// shows reports whether a pane is open.
func (p *Panes) shows(which Pane) bool { return p.paneOpen() && p.pane == which }

// reads reports whether a pane has the focus.
func (p *Panes) reads(which Pane) bool { return p.focus == FocusPane && p.pane == which }

// enter gives the pane the focus, and the whole screen if it does not fit beside
// the tree.
func (p *Panes) enter() {
	p.focus = FocusPane
	if p.width < layout.SideBySide {
		p.paneSize = layout.Full
	}
}

func (p *Panes) switchFocus() {
	if p.focus != FocusPane {
		p.enter()
		return
	}
	p.focus = FocusTree
	if p.paneSize == layout.Full {
		p.paneSize = layout.Normal
	}
}

func (p *Panes) showPane(which Pane) {
	if which < 0 || int(which) >= len(p.all) {
		return
	}
	p.pane, p.search, p.target = which, panes.Search{}, 0
	if p.width > 0 && p.width < layout.SideBySide {
		p.enter()
	}
}

func (p *Panes) nextPane(by int) { p.showPane((p.pane + Pane(by)) % Pane(len(p.all))) }

// searches reports whether the focused pane is searched.
func (p *Panes) searches() bool { return p.focus == FocusPane && p.search.Text != "" }

// resizeBy makes the pane larger or smaller.
func (p *Panes) resizeBy(by int) (answer string) {
	switch size := int(p.paneSize) + by; {
	case size < int(layout.Normal) && p.paneOpen():
		return "the pane has its least size"
	case size < int(layout.Normal):
		return "the pane is closed"
	case size > int(layout.Full):
		return "the pane has the whole screen"
	default:
		p.paneSize = layout.Size(size)
	}
	if p.paneSize == layout.Full {
		p.focus = FocusPane
	}
	return ""
}

// turnWrap wraps long lines, or cuts them. Often no line in sight is long.
func (p *Panes) turnWrap() (answer string) {
	if p.wrap = !p.wrap; p.wrap {
		return "long lines are wrapped"
	}
	return "long lines are cut"
}

func (p *Panes) scrollPane(by int) {
	p.search.Left = p.search.Left || by != 0
	last := max(p.content.N-p.rows, 0)
	top := min(max(p.Scroll().Top+by, 0), last)
	p.setTop(top)
	if p.pane == PaneLogs && by != 0 {
		p.logs.Pane.Follow = top == last
	}
}

// Scroll is the scroll position of the chosen pane. A followed log is at its
// end.
func (p *Panes) Scroll() Scroll {
	s := Scroll{Top: p.tops[p.place()]}
	if p.pane == PaneLogs && p.logs.Pane.Follow {
		s.Top = max(p.content.N-p.rows, 0)
	}
	return s
}

// place is the open pane about the selected row.
func (p *Panes) place() place { return place{p.pane, p.tree.sel} }

func (p *Panes) setTop(top int) {
	if len(p.tops) >= mostPlaces {
		clear(p.tops)
	}
	p.tops[p.place()] = top
}

// Detail is what the YAML pane shows.
func (p *Panes) Detail() panes.DetailView { return p.yaml.View() }

// Timeline is what the timeline pane shows.
func (p *Panes) Timeline() timeline.View {
	return p.timeline.View()
}

// Logs is what the logs pane shows.
func (p *Panes) Logs() logs.View { return p.logs.Pane.Shown() }
