package model

const frozenSays = "the picture is frozen: . goes on"

// setFold opens or closes a row for the user.
func (t *tree) setFold(r *rowRef, open bool) (said string) {
	if t.frozen != nil {
		return frozenSays
	}
	t.folds[r.key()] = open
	t.stale, t.touched = true, true
	t.arrangeRows(false)
	t.wants.dirty = true
	return ""
}

func (t *tree) toggle() (said string) {
	if r := t.selectedRow(); r != nil && r.fold != Leaf {
		return t.setFold(r, r.fold == Closed)
	}
	return ""
}

func (t *tree) collapse() (said string) {
	if r := t.selectedRow(); r != nil && r.fold == Opened {
		return t.setFold(r, false)
	}
	t.toParent()
	return ""
}

// toParent selects the parent's row.
func (t *tree) toParent() {
	r := t.selectedRow()
	if r == nil {
		return
	}
	for i := t.selIndex - 1; i >= 0; i-- {
		if t.rows[i].depth < r.depth {
			t.choose(i)
			break
		}
	}
}

func (t *tree) expand() (said string) {
	r := t.selectedRow()
	switch {
	case r == nil:
	case r.fold == Closed:
		return t.setFold(r, true)
	case r.fold == Opened:
		t.choose(t.selIndex + 1)
	}
	return ""
}

func (t *tree) foldAll(f folding) (said string) {
	if t.frozen != nil {
		return frozenSays
	}
	if t.folding == f {
		f = foldAuto
	}
	t.folding = f
	clear(t.folds)
	t.rearrange()
	return ""
}

func (t *tree) nextScope() (said string) {
	t.scope = (t.scope + 1) % 3
	t.stale = true
	switch t.scope {
	case WithReferences:
		return "showing generated objects and references"
	case AppliedOnly:
		return "showing only what was asked for"
	}
	return "showing generated objects"
}

// selectedFold says whether the selected row is folded.
func (t *tree) selectedFold() Fold {
	if r := t.selectedRow(); r != nil {
		return r.fold
	}
	return Leaf
}
