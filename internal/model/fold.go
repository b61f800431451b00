package model

const frozenSays = "the picture is frozen: . goes on"

// setFold opens or closes a row for the user.
func (m Model) setFold(r *rowRef, open bool) Model {
	if m.frozen != nil {
		return m.say(frozenSays)
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

// toParent selects the parent's row.
func (m Model) toParent() Model {
	r := m.selectedRow()
	if r == nil {
		return m
	}
	for i := m.t.selIndex - 1; i >= 0; i-- {
		if m.t.rows[i].depth < r.depth {
			m.t.choose(i, m.fit.TreeRows)
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
		m.t.choose(m.t.selIndex+1, m.fit.TreeRows)
	}
	return m
}

func (m Model) foldAll(f folding) Model {
	if m.frozen != nil {
		return m.say(frozenSays)
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
