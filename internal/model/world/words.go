package world

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What is read for a cause beyond objects and events: the log line that says
// why a container ended, and the templates of two revisions. Only a cause's
// exemplar is read, a few at a time.

const (
	readsAtOnce = 4
	wordsKept   = 200 // bound on logs, and on templates
	// wordsAge is when the log of a running container, or one that could not be
	// read, is read again.
	wordsAge = 30 * time.Second
)

type wordKey struct {
	pod       object.ID
	container string
}

// instance is one run of a container: its Pod, and when it ended or, while it
// runs, began.
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

// life returns the instance whose log is wanted, and whether that is the
// previous one.
func (w *World) life(key wordKey) (of instance, previous, ok bool) {
	n := w.Nodes[key.pod]
	if n == nil || n.Object == nil || n.Object.Pod == nil {
		return of, false, false
	}
	of.uid = n.Object.UID
	for i := range n.Object.Pod.Containers {
		c := &n.Object.Pod.Containers[i]
		if c.Name != key.container {
			continue
		}
		switch {
		case c.State.Kind == "terminated":
			of.at = c.State.Finished
		case c.State.Kind == "waiting",
			c.Restarts > 0 && c.Last().Kind == "terminated" && (c.Kind != object.InitContainer || w.Now.Sub(c.State.Started) < time.Minute):
			of.at, previous = c.Last().Finished, true
		default:
			of.at, of.runs = c.State.Started, true
		}
		return of, previous, true
	}
	return of, false, false
}

// fresh reports whether a word is up to date.
func (w *World) fresh(x *word, of instance) bool {
	if x.failed && w.Replayed() {
		return x.of.uid == of.uid && !w.Now.After(x.asked) // a recording may hold it a moment later
	}
	if x.failed || of.runs {
		return x.of.uid == of.uid && w.Now.Sub(x.at) < wordsAge
	}
	return x.of == of
}

// logLine is explain.Snapshot's LogLine.
func (w *World) logLine(pod object.ID, container string) (line, unseen string, fresh bool) {
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
func (w *World) template(id object.ID) (explain.Template, bool) {
	t := w.templates[id]
	if t == nil || !t.known {
		return nil, false
	}
	return t.fields, true
}

// Reading is a request for a cause: the log of a container, or the Pod template
// of an object if no container is named.
type Reading struct {
	ID        object.ID
	Container string
	Previous  bool // the previous instance, because the present one has no output
	of        instance
}

// Read returns the requests for what the causes' exemplars lack.
func (w *World) Read(needs []explain.Need) (todo []Reading) {
	for _, n := range needs {
		if w.readers >= readsAtOnce {
			break
		}
		switch {
		case n.Template:
			if t := w.templates[n.ID]; t != nil && (t.known || t.reading || !w.Now.After(t.asked)) || t == nil && len(w.templates) >= wordsKept {
				continue
			}
			w.templates[n.ID] = &templateOf{reading: true, asked: w.Now}
			w.readers++
			todo = append(todo, Reading{ID: n.ID})
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
			x.reading, x.asked = true, w.Now
			w.readers++
			todo = append(todo, Reading{n.ID, n.Log, previous, of})
		}
	}
	return todo
}

// Reads reports whether a request is under way.
func (w *World) Reads() bool { return w.readers > 0 }

// forgetWords makes room by dropping the logs of deleted Pods.
func (w *World) forgetWords() {
	if len(w.words) < wordsKept {
		return
	}
	for key, x := range w.words {
		if n := w.Nodes[key.pod]; (n == nil || n.Object == nil) && !x.reading {
			delete(w.words, key)
		}
	}
}

// WordsRead stores the log line that says why a container ended, or why it
// cannot be read.
func (w *World) WordsRead(what Reading, line string, err error) {
	w.readers--
	x := w.words[wordKey{what.ID, what.Container}]
	if x == nil {
		return
	}
	x.reading, x.of, x.at, x.failed, x.unseen = false, what.of, w.Now, err != nil, ""
	switch {
	case err == nil:
		x.line = line
	case feed.IsRefusal(err.Error()):
		x.unseen = feed.Refusal(err.Error())
	}
	w.Unexplained = true
}

// TemplateRead stores a Pod template.
func (w *World) TemplateRead(id object.ID, fields explain.Template, err error) {
	w.readers--
	t := w.templates[id]
	if t == nil {
		return
	}
	t.reading, t.fields = false, fields
	if err != nil && w.Replayed() {
		return // a recording may hold it a moment later
	}
	t.known = true
	w.Unexplained = true
}
