package model

import (
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What has happened since the explanation was last told is noted on the nodes
// themselves: the first batch brings news of all there are.

// newsKind is what there is to tell of a node: see explain.News.
type newsKind uint8

const (
	newsChanged newsKind = 1 << iota
	newsMoved
	newsBeneath
)

// tell has something about n told to the explanation, and to whom it matters that
// something hangs beneath it.
func (w *world) tell(n *node, what newsKind) {
	if w.restoring { // who explains begins anew then
		return
	}
	if p := n.parent; p != nil {
		w.note(p, newsBeneath)
	}
	w.note(n, what)
	if what != newsMoved || n.obj == nil || n.obj.Pod == nil {
		return
	}
	// The slices that point at it are waiting for it, too.
	if s := w.pointed[n.obj.UID]; s != nil {
		w.note(s, newsBeneath)
		for _, s := range w.pointing[n.obj.UID] {
			w.note(s, newsBeneath)
		}
	}
}

func (w *world) note(n *node, what newsKind) {
	if n.news == 0 {
		w.news = append(w.news, n)
	}
	n.news |= what
}

// tellOf is tell about what may not be known.
func (w *world) tellOf(id object.ID) {
	if n := w.nodes[id]; n != nil {
		w.tell(n, newsChanged)
	} else {
		w.newsOf = append(w.newsOf, id)
	}
}

func (w *world) hasNews() bool { return len(w.news)+len(w.newsOf) > 0 }

// tidings is what is to be told. Who hears of anything for the first time has a
// look at everything beneath the roots; to him it is what else is known.
func (w *world) tidings(first bool) []explain.News {
	if first {
		var out []explain.News
		for _, n := range w.nodes {
			if !n.inTree && n.obj != nil && !n.calm() {
				out = append(out, explain.News{ID: n.id, Changed: true, Moved: true})
			}
		}
		return out
	}
	out := make([]explain.News, 0, len(w.news)+len(w.newsOf))
	for _, n := range w.news {
		out = append(out, explain.News{
			ID: n.id, Changed: n.news&newsChanged != 0, Moved: n.news&newsMoved != 0, Beneath: n.news&newsBeneath != 0,
			Quiet: n.calm(), Leaf: len(n.kids) == 0,
		})
	}
	for i := range w.newsOf {
		out = append(out, explain.News{ID: &w.newsOf[i], Changed: true})
	}
	return out
}

// untell forgets what was to be told.
func (w *world) untell() {
	for _, n := range w.news {
		n.news = 0
	}
	if len(w.news) > roomy {
		w.news = nil
	} else {
		clear(w.news)
		w.news = w.news[:0]
	}
	w.newsOf = nil // it is still told of
}
