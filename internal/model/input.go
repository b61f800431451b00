package model

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// bind is the table of keys with the user's keys put in.
func bind(user map[Action][]string) []Binding {
	keys := slices.Clone(Bindings)
	for i := range keys {
		if k, ok := user[keys[i].Action]; ok {
			keys[i].Keys = k
		}
	}
	return keys
}

func index(keys []Binding) map[string][]int {
	m := map[string][]int{}
	for i := range keys {
		for _, k := range keys[i].Keys {
			m[k] = append(m[k], i)
		}
	}
	return m
}

// contexts are those in which keys are looked up now, the most specific first.
func (m Model) contexts() []Context {
	switch m.mode {
	case Filtering, Searching:
		return []Context{InText}
	case Helping:
		return []Context{InHelp, Global}
	}
	if m.focus == FocusTree {
		// What the pane beside the tree can do is within reach, where no other
		// key is in its way.
		return append([]Context{InTree, Global}, m.paneContext()...)
	}
	return append(m.paneContext(), InPane, Global)
}

// paneContext is the context that the open pane alone has.
func (m Model) paneContext() []Context {
	if !m.paneOpen() {
		return nil
	}
	switch m.pane {
	case PaneLogs:
		return []Context{InLogs}
	case PaneEvents:
		return []Context{InEvents}
	}
	return nil
}

func (m Model) action(key string) Action {
	for _, c := range m.contexts() {
		for _, i := range m.bound[key] {
			if m.keys[i].Context == c {
				return m.keys[i].Action
			}
		}
	}
	return ""
}

func (m Model) keyPressed(k KeyPressed) (Model, []Cmd) {
	m.t.lastKey = m.w.now
	m.flash = ""
	if m.mode == Helping {
		if next, ok := m.helpTyped(k); ok {
			return next, nil
		}
	}
	a := m.action(k.Key)
	if a == "" {
		if m.mode == Filtering || m.mode == Searching {
			return m.edited(k), nil
		}
		return m, nil
	}
	if m.following && a != Follow {
		m.following = false
	}
	return m.act(a)
}

// act does what a key or a palette's command asks for.
func (m Model) act(a Action) (Model, []Cmd) {
	switch a {
	case MoveUp:
		m = m.move(-1)
	case MoveDown:
		m = m.move(1)
	case PageUp:
		m = m.move(-m.page())
	case PageDown:
		m = m.move(m.page())
	case HalfUp:
		m = m.move(-max(m.page()/2, 1))
	case HalfDown:
		m = m.move(max(m.page()/2, 1))
	case GoTop:
		m = m.move(-1 << 30)
	case GoBottom:
		m = m.move(1 << 30)
	case Collapse:
		m = m.collapse()
	case Expand:
		m = m.expand()
	case Toggle:
		m = m.toggle()
	case Open:
		m = m.open()
	case Back:
		m = m.back()
	case NextProblem:
		m = m.next(1)
	case PrevProblem:
		m = m.next(-1)
	case ShowWhy:
		m = m.showPane(PaneWhy)
	case ShowConds:
		m = m.showPane(PaneConditions)
	case ShowEvents:
		m = m.showPane(PaneEvents)
	case ShowLogs:
		m = m.showPane(PaneLogs)
	case ShowYAML:
		m = m.showPane(PaneYAML)
	case ShowTimeline:
		m = m.showPane(PaneTimeline)
	case NextPane:
		m = m.showPane((m.pane + 1) % paneCount)
	case PrevPane:
		m = m.showPane((m.pane + paneCount - 1) % paneCount)
	case NextFocus, PrevFocus:
		m = m.switchFocus()
	case Filter:
		m = m.startTyping()
	case Accept:
		m.mode = Browsing
	case Cancel:
		m = m.cancelTyping()
	case FoldCurrent:
		m = m.foldAll(foldCurrent)
	case UnfoldAll:
		m = m.foldAll(foldNothing)
	case Scope:
		m = m.nextScope()
	case Follow:
		m.following = !m.following
		m.t.touched = m.t.touched || m.following
	case Pause:
		m = m.pause()
	case CopyName:
		return m.copyName()
	case CopyNext:
		return m.copyNext()
	case Report:
		return m, []Cmd{tell(ReportAsked{})}
	case Notify:
		m.notifying = !m.notifying
		if m.notifying {
			m = m.say("will notify you when it is done or failed")
		} else {
			m = m.say("will not notify you")
		}
	case JumpOwner:
		m = m.toParent()
	case Bigger:
		m.paneSize = min(m.paneSize+1, PaneFull)
		if m.paneSize == PaneFull {
			m.focus = FocusPane
		}
	case Smaller:
		m.paneSize = max(m.paneSize, 1) - 1
	case Wrap:
		m.wrap = !m.wrap
	case Warnings:
		m.warnings = !m.warnings
	case Previous:
		m = m.togglePrevious()
	case NextCont:
		m = m.nextContainer()
	case Suspend:
		return m, []Cmd{tell(SuspendAsked{})}
	case Redraw:
		return m, []Cmd{tell(RedrawAsked{})}
	case Help:
		m = m.toggleHelp()
	case Quit:
		if m.mode == Helping {
			return m.toggleHelp(), nil
		}
		m.quitting = true
		return m, []Cmd{tell(QuitAsked{})}
	case Group, Sort, Reverse:
		m = m.say("not there yet")
	}
	return m, nil
}

func (m Model) page() int {
	if m.focus == FocusPane {
		return max(m.paneRows-1, 1)
	}
	return max(m.treeRows-1, 1)
}

// move moves the selection, or the text that has the focus.
func (m Model) move(by int) Model {
	switch {
	case m.mode == Helping:
		m.helpTop = max(m.helpTop+by, 0)
	case m.focus == FocusPane:
		m = m.scrollPane(by)
	default:
		m.t.choose(clampAdd(max(m.t.selIndex, 0), by, len(m.t.rows)), m.treeRows)
	}
	return m
}

func clampAdd(a, by, n int) int { return min(max(a+by, 0), max(n-1, 0)) }

func (m Model) scrollPane(by int) Model {
	m.search.Left = m.search.Left || by != 0
	last := max(m.paneLines-m.paneRows, 0)
	top := m.scroll[m.pane]
	if m.pane == PaneLogs && m.logs.follow {
		top = last
	}
	top = min(max(top+by, 0), last)
	m.scroll[m.pane] = top
	if m.pane == PaneLogs && by != 0 {
		m.logs.follow = top == last
	}
	return m
}

func (m Model) scrolled(s Scrolled) Model {
	m.t.lastKey = m.w.now
	if m.mode == Helping {
		m.helpTop = max(m.helpTop+s.Lines, 0)
		return m
	}
	if s.Over == FocusPane {
		return m.scrollPane(s.Lines)
	}
	m.t.choose(clampAdd(max(m.t.selIndex, 0), s.Lines, len(m.t.rows)), m.treeRows)
	return m
}

func (m Model) rowClicked(k RowKey) Model {
	m.t.lastKey = m.w.now
	m.following = false
	for i := range m.t.rows {
		if m.t.rows[i].is(k) {
			m.t.choose(i, m.treeRows)
			m.focus = FocusTree
			break
		}
	}
	return m
}

func (m Model) selectedRow() *rowRef {
	if m.t.selIndex < 0 || m.t.selIndex >= len(m.t.rows) {
		return nil
	}
	return &m.t.rows[m.t.selIndex]
}

// setFold opens or closes the row by the user's hand.
func (m Model) setFold(r *rowRef, open bool) Model {
	if m.frozen != nil {
		return m.say("the picture is frozen: . goes on")
	}
	m.t.folds[r.key()] = open
	m.t.stale = true
	m.t.touched = true
	m.t.arrangeRows(m.w, false)
	m.wants.dirty = true
	return m
}

func (m Model) toggle() Model {
	r := m.selectedRow()
	switch {
	case r == nil:
	case r.fold == Opened:
		return m.setFold(r, false)
	case r.fold == Closed:
		return m.setFold(r, true)
	}
	return m
}

func (m Model) collapse() Model {
	if r := m.selectedRow(); r != nil && r.fold == Opened {
		return m.setFold(r, false)
	}
	return m.toParent()
}

// toParent selects the row one level up.
func (m Model) toParent() Model {
	r := m.selectedRow()
	if r == nil {
		return m
	}
	for i := m.t.selIndex - 1; i >= 0; i-- {
		if m.t.rows[i].depth < r.depth {
			m.t.choose(i, m.treeRows)
			break
		}
	}
	return m
}

func (m Model) expand() Model {
	r := m.selectedRow()
	switch {
	case r == nil:
	case r.fold == Closed:
		return m.setFold(r, true)
	case r.fold == Opened:
		m.t.choose(m.t.selIndex+1, m.treeRows)
	}
	return m
}

func (m Model) foldAll(f folding) Model {
	if m.frozen != nil {
		return m.say("the picture is frozen: . goes on")
	}
	if m.t.folding == f {
		f = foldAuto
	}
	m.t.folding = f
	clear(m.t.folds)
	m.t.stale = true
	m.t.arrangeRows(m.w, true)
	m.wants.dirty = true
	return m
}

func (m Model) nextScope() Model {
	m.t.scope = (m.t.scope + 1) % 3
	m.t.stale = true
	switch m.t.scope {
	case WithGenerated:
		m = m.say("showing generated objects")
	case WithReferences:
		m = m.say("showing generated objects and references")
	case AppliedOnly:
		m = m.say("showing only what was asked for")
	}
	return m
}

// open gives the pane the focus, and the screen where it has no room beside
// the tree.
func (m Model) open() Model {
	if r := m.selectedRow(); r != nil && r.kind == RowMore {
		return m.toggle()
	}
	m.focus = FocusPane
	if m.width < sideBySide {
		m.paneSize = PaneFull
	}
	return m
}

// sideBySide is the width from which the pane stands beside the tree.
const sideBySide = 110

func (m Model) switchFocus() Model {
	if m.focus == FocusPane {
		m.focus = FocusTree
		if m.paneSize == PaneFull {
			m.paneSize = PaneNormal
		}
		return m
	}
	return m.open()
}

func (m Model) back() Model {
	switch {
	case m.mode == Helping:
		m.mode = Browsing
	case m.focus == FocusPane && m.search.Value != "":
		m.search = Search{}
	case m.paneSize == PaneFull:
		m.paneSize, m.focus = PaneNormal, FocusTree
	case m.focus == FocusPane:
		m.focus = FocusTree
	case m.t.filter.active() || m.filterText.Value != "":
		m = m.setFilter("")
	case m.frozen != nil:
		m = m.pause()
	}
	return m
}

func (m Model) showPane(p Pane) Model {
	if p >= paneCount {
		return m
	}
	m.pane = p
	m.search = Search{}
	if m.width < sideBySide && m.width > 0 {
		m.paneSize, m.focus = PaneFull, FocusPane
	}
	return m
}

// helpTyped takes in what is typed while the help is open: it is looked for
// among the keys. The key that opened the help closes it, as long as nothing
// has been typed.
func (m Model) helpTyped(k KeyPressed) (Model, bool) {
	switch {
	case k.Key == "esc" && m.helpText != "":
		m.helpText = ""
	case k.Key == "backspace" && m.helpText != "":
		_, n := utf8.DecodeLastRuneInString(m.helpText)
		m.helpText = m.helpText[:len(m.helpText)-n]
	case k.Text != "" && !(m.helpText == "" && m.action(k.Key) == Help):
		m.helpText += k.Text
	default:
		return m, false
	}
	m.helpTop = 0
	return m, true
}

func (m Model) toggleHelp() Model {
	if m.mode == Helping {
		m.mode = Browsing
	} else {
		m.mode, m.helpTop, m.helpText = Helping, 0, ""
	}
	return m
}

// startTyping begins a filter, or a search in the pane that has the focus.
func (m Model) startTyping() Model {
	if m.focus == FocusPane {
		m.mode = Searching
		m.search.Cursor = utf8.RuneCountInString(m.search.Value)
		return m
	}
	m.mode = Filtering
	m.filterBefore = m.filterText.Value
	m.filterText.Cursor = utf8.RuneCountInString(m.filterText.Value)
	return m
}

func (m Model) cancelTyping() Model {
	if m.mode == Filtering {
		m = m.setFilter(m.filterBefore)
	} else {
		m.search = Search{}
	}
	m.mode = Browsing
	return m
}

func (m Model) setFilter(text string) Model {
	f, err := parseFilter(text)
	m.filterText.Value, m.filterText.Error = text, ""
	m.filterText.Cursor = min(m.filterText.Cursor, utf8.RuneCountInString(text))
	if err != nil {
		m.filterText.Error = err.Error()
	}
	if m.t.touched && m.t.home == (RowKey{}) {
		m.t.home = m.t.sel
	}
	m.t.filter = f
	m.t.stale = true
	m.t.touched = m.t.touched || text != ""
	return m
}

// typed puts text in at the cursor of what is being typed.
func (m Model) typed(text string) Model {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	switch m.mode {
	case Filtering:
		v, c := m.filterText.with(text)
		m.filterText.Cursor = c
		m = m.setFilter(v)
		m.filterText.Cursor = c
	case Searching:
		m.search.Value, m.search.Cursor = m.search.with(text)
		m.search.Left = false
	}
	return m
}

func (t Text) with(text string) (string, int) {
	r := []rune(t.Value)
	c := min(max(t.Cursor, 0), len(r))
	in := []rune(text)
	return string(slices.Concat(r[:c], in, r[c:])), c + len(in)
}

// edited takes in a key that is not bound while text is typed.
func (m Model) edited(k KeyPressed) Model {
	t := &m.filterText
	if m.mode == Searching {
		t = &m.search.Text
	}
	r := []rune(t.Value)
	c := min(max(t.Cursor, 0), len(r))
	switch k.Key {
	case "left":
		t.Cursor = max(c-1, 0)
		return m
	case "right":
		t.Cursor = min(c+1, len(r))
		return m
	case "home", "ctrl+a":
		t.Cursor = 0
		return m
	case "end", "ctrl+e":
		t.Cursor = len(r)
		return m
	case "up", "down":
		if m.mode == Filtering {
			by := 1
			if k.Key == "up" {
				by = -1
			}
			return m.move(by)
		}
		return m
	case "backspace", "ctrl+h":
		if c == 0 {
			return m
		}
		r = slices.Delete(r, c-1, c)
		c--
	case "delete":
		if c == len(r) {
			return m
		}
		r = slices.Delete(r, c, c+1)
	case "ctrl+u":
		r, c = r[c:], 0
	case "ctrl+w":
		i := c
		for i > 0 && r[i-1] == ' ' {
			i--
		}
		for i > 0 && r[i-1] != ' ' {
			i--
		}
		r = slices.Delete(r, i, c)
		c = i
	default:
		text := k.Text
		if text == "" && utf8.RuneCountInString(k.Key) == 1 {
			text = k.Key
		}
		if text == "" && k.Key == "space" {
			text = " "
		}
		return m.typed(text)
	}
	value := string(r)
	if m.mode == Filtering {
		m = m.setFilter(value)
		m.filterText.Cursor = c
		return m
	}
	m.search.Value, m.search.Cursor, m.search.Left = value, c, false
	return m
}

// next goes to the next problem, or in a pane with a search to the next match.
func (m Model) next(by int) Model {
	if m.focus == FocusPane && m.search.Value != "" {
		m.search.Step += by
		m.search.Left = false
		return m
	}
	problems := m.problems()
	if len(problems) == 0 {
		return m.say("no problem")
	}
	at := -1
	if r := m.selectedRow(); r != nil && r.node != nil && r.kind == RowObject {
		at = slices.Index(problems, r.node)
	}
	switch {
	case at >= 0:
		at = (at + by + len(problems)) % len(problems)
	case by < 0:
		at = len(problems) - 1
	default:
		at = 0
	}
	m = m.reveal(problems[at])
	return m.say("problem " + strconv.Itoa(at+1) + " of " + strconv.Itoa(len(problems)))
}

// reveal selects n, opening whatever hides it.
func (m Model) reveal(n *node) Model {
	if m.frozen == nil {
		for p := n.parent; p != nil; p = p.parent {
			if open, set := m.t.folds[RowKey{ID: p.id}]; set && !open {
				delete(m.t.folds, RowKey{ID: p.id})
			}
		}
		m.t.sel, m.t.touched, m.t.home = RowKey{ID: n.id}, true, RowKey{}
		m.t.stale = true
		m.t.arrangeRows(m.w, false)
	}
	for i := range m.t.rows {
		if m.t.rows[i].kind == RowObject && m.t.rows[i].node == n {
			was := m.t.selIndex
			m.t.selIndex = i
			m.t.sel, m.t.touched = m.t.rows[i].key(), true
			if was != i && (i < m.t.topRow(m.treeRows) || i >= m.t.topRow(m.treeRows)+m.treeRows) {
				m.t.anchor = m.treeRows / 2
			}
			break
		}
	}
	return m
}

// follow keeps the selection on the worst problem, while that is wished.
func (m Model) follow() Model {
	if !m.following {
		return m
	}
	p := m.problems()
	if len(p) == 0 {
		return m
	}
	newest := p[0]
	for _, n := range p {
		if n.rank() == newest.rank() && n.assess.Since.After(newest.assess.Since) {
			newest = n
		}
	}
	if m.t.sel != (RowKey{ID: newest.id}) {
		m = m.reveal(newest)
	}
	return m
}

// problems are what n and N jump between: the deepest rows that are not
// Current, in display order, one for each reason below one parent.
func (m Model) problems() []*node {
	var out []*node
	var walk func(list []*node, newest *node)
	walk = func(list []*node, newest *node) {
		said := map[string]bool{}
		for _, n := range list {
			if n.sub.problems() == 0 || (newest != nil && n.id.Kind == "ReplicaSet" && n != newest) {
				continue
			}
			if n.lead.node == n {
				if n.assess.Status != status.Current && (n.isTop() || !said[n.assess.Reason]) {
					said[n.assess.Reason] = true
					out = append(out, n)
				}
				if n.assess.Status != status.Current {
					continue
				}
			}
			kids := n.kids
			if len(n.shown) == len(n.kids) {
				kids = n.shown
			}
			walk(kids, newestRevision(n))
		}
	}
	top := m.w.top
	if !m.opt.Screen {
		top = nil
		for _, n := range m.w.roots {
			if n.isTop() {
				top = append(top, n)
			}
		}
	}
	walk(top, nil)
	return out
}

// pause freezes the picture, or lets it go on.
func (m Model) pause() Model {
	if m.frozen != nil {
		m.frozen = nil
		m.t.stale = true
		return m
	}
	m.t.arrangeRows(m.w, false)
	p := &picture{verdict: m.Verdict(), counts: m.Counts(), generated: m.GeneratedCounts(), connection: m.Connection(), causes: m.Causes()}
	p.rows = make([]Row, len(m.t.rows))
	for i := range p.rows {
		p.rows[i] = m.t.row(m.w, i)
	}
	m.frozen = p
	return m
}

func (m Model) copyName() (Model, []Cmd) {
	r := m.selectedRow()
	if r == nil || r.node == nil {
		return m, nil
	}
	return m, []Cmd{tell(CopyAsked{What: "the name", Text: r.node.id.Name})}
}

func (m Model) copyNext() (Model, []Cmd) {
	r := m.selectedRow()
	if r == nil || r.node == nil {
		return m, nil
	}
	for _, c := range m.CausesOf(r.node.id) {
		if len(c.Next) > 0 {
			return m, []Cmd{tell(CopyAsked{What: "the command", Text: c.Next[0]})}
		}
	}
	id := r.node.id
	text := "kubectl"
	if id.Namespace != "" {
		text += " -n " + id.Namespace
	}
	kind := strings.ToLower(id.Kind)
	if id.Group != "" {
		kind += "." + id.Group
	}
	return m, []Cmd{tell(CopyAsked{What: "the command", Text: text + " describe " + kind + "/" + id.Name})}
}
