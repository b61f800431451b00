package model

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What is read on behalf of a cause beyond objects and events: the line of a log
// that says why a container ended, and the templates of two revisions that may
// say what changed. Only the exemplar of a cause is read about, a few at a time.

const (
	readsAtOnce = 4
	wordsKept   = 200 // logs, and as many templates
	// wordsAge is how soon a log is read again that goes on, or that could not
	// be read.
	wordsAge = 30 * time.Second
)

type wordKey struct {
	pod       object.ID
	container string
}

// instance is one life of a container: its pod, when it ended or, while it runs,
// when it began.
type instance struct {
	uid  string
	at   time.Time
	runs bool
}

type word struct {
	of      instance
	line    string
	unseen  string // why it cannot be read
	asked   time.Time
	at      time.Time
	failed  bool
	reading bool
}

type templateOf struct {
	fields  explain.Template
	known   bool // it has been read, or cannot be
	reading bool
	asked   time.Time
}

// life says which life of a container its log is to tell of, and whether that
// is its previous one.
func (w *world) life(key wordKey) (of instance, previous, ok bool) {
	n := w.nodes[key.pod]
	if n == nil || n.obj == nil || n.obj.Pod == nil {
		return of, false, false
	}
	of.uid = n.obj.UID
	for i := range n.obj.Pod.Containers {
		c := &n.obj.Pod.Containers[i]
		if c.Name != key.container {
			continue
		}
		switch {
		case c.State.Kind == "terminated":
			of.at = c.State.Finished
		case c.State.Kind == "waiting",
			c.Restarts > 0 && c.Last().Kind == "terminated" && (c.Kind != object.InitContainer || w.now.Sub(c.State.Started) < time.Minute):
			of.at, previous = c.Last().Finished, true
		default:
			of.at, of.runs = c.State.Started, true
		}
		return of, previous, true
	}
	return of, false, false
}

// fresh reports whether a word needs not be read again.
func (w *world) fresh(x *word, of instance) bool {
	if x.failed && w.replayed() {
		return x.of.uid == of.uid && !w.now.After(x.asked) // it may have been recorded a moment later
	}
	if x.failed || of.runs {
		return x.of.uid == of.uid && w.now.Sub(x.at) < wordsAge
	}
	return x.of == of
}

// logLine is explain.Snapshot's LogLine.
func (w *world) logLine(pod object.ID, container string) (line, unseen string, fresh bool) {
	key := wordKey{pod, container}
	x := w.words[key]
	if x == nil {
		return "", "", false
	}
	of, _, ok := w.life(key)
	if !ok || of.uid != x.of.uid {
		return "", "", !ok
	}
	return x.line, x.unseen, w.fresh(x, of)
}

// template is explain.Snapshot's Template.
func (w *world) template(id object.ID) (explain.Template, bool) {
	t := w.templates[id]
	if t == nil || !t.known {
		return nil, false
	}
	return t.fields, true
}

// read asks for what the causes' exemplars lack.
func (w *world) read(needs []explain.Need) (cmds []Cmd) {
	for _, n := range needs {
		if w.readers >= readsAtOnce {
			break
		}
		switch {
		case n.Template:
			if t := w.templates[n.ID]; t != nil && (t.known || t.reading || !w.now.After(t.asked)) || t == nil && len(w.templates) >= wordsKept {
				continue
			}
			w.templates[n.ID] = &templateOf{reading: true, asked: w.now}
			w.readers++
			cmds = append(cmds, readTemplate(n.ID))
		case n.Log != "":
			key := wordKey{n.ID, n.Log}
			of, previous, ok := w.life(key)
			x := w.words[key]
			if !ok || x != nil && (x.reading || w.fresh(x, of)) {
				continue
			}
			if x == nil {
				w.forgetWords()
				x = &word{}
				w.words[key] = x
			}
			x.reading, x.asked = true, w.now
			w.readers++
			cmds = append(cmds, readWords(key, previous, of))
		}
	}
	return cmds
}

// reads reports whether something is being read.
func (w *world) reads() bool { return w.readers > 0 }

// forgetWords makes room by letting go of pods that are gone.
func (w *world) forgetWords() {
	if len(w.words) < wordsKept {
		return
	}
	for key, x := range w.words {
		if n := w.nodes[key.pod]; (n == nil || n.obj == nil) && !x.reading {
			delete(w.words, key)
		}
	}
}

func (w *world) wordsRead(msg WordsRead) {
	w.readers--
	x := w.words[wordKey{msg.Pod, msg.Container}]
	if x == nil {
		return
	}
	x.reading, x.of, x.at, x.failed, x.unseen = false, msg.of, w.now, msg.Err != nil, ""
	switch {
	case msg.Err == nil:
		x.line = msg.Line
	case feed.IsRefusal(msg.Err.Error()):
		x.unseen = feed.Refusal(msg.Err.Error())
	}
	w.unexplained = true
}

func (w *world) templateRead(msg TemplateRead) {
	w.readers--
	t := w.templates[msg.ID]
	if t == nil {
		return
	}
	t.reading, t.fields = false, msg.Template
	if msg.Err != nil && w.replayed() {
		return // it may have been recorded a moment later
	}
	t.known = true
	w.unexplained = true
}
