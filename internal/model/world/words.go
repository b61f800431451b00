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
func (r *readings) life(key wordKey) (of instance, previous, ok bool) {
	n := r.Nodes[key.pod]
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
			c.Restarts > 0 && c.Last().Kind == "terminated" && (c.Kind != object.InitContainer || r.Now.Sub(c.State.Started) < time.Minute):
			of.at, previous = c.Last().Finished, true
		default:
			of.at, of.runs = c.State.Started, true
		}
		return of, previous, true
	}
	return of, false, false
}

// fresh reports whether a word is up to date.
func (r *readings) fresh(x *word, of instance) bool {
	if x.failed && r.replayed {
		return x.of.uid == of.uid && !r.Now.After(x.asked) // a recording may hold it a moment later
	}
	if x.failed || of.runs {
		return x.of.uid == of.uid && r.Now.Sub(x.at) < wordsAge
	}
	return x.of == of
}

// logLine is explain.Snapshot's LogLine.
func (r *readings) logLine(pod object.ID, container string) (line, unseen string, fresh bool) {
	key := wordKey{pod, container}
	x := r.words[key]
	if x == nil {
		return "", "", false
	}
	of, _, ok := r.life(key)
	if !ok || of.uid != x.of.uid {
		return "", "", !ok
	}
	return x.line, x.unseen, r.fresh(x, of)
}

// template is explain.Snapshot's Template.
func (r *readings) template(id object.ID) (explain.Template, bool) {
	t := r.templates[id]
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
func (r *readings) Read(needs []explain.Need) (todo []Reading) {
	for _, n := range needs {
		if r.readers >= readsAtOnce {
			break
		}
		switch {
		case n.Template:
			if t := r.templates[n.ID]; t != nil && (t.known || t.reading || !r.Now.After(t.asked)) || t == nil && len(r.templates) >= wordsKept {
				continue
			}
			r.templates[n.ID] = &templateOf{reading: true, asked: r.Now}
			r.readers++
			todo = append(todo, Reading{ID: n.ID})
		case n.Log != "":
			key := wordKey{n.ID, n.Log}
			of, previous, ok := r.life(key)
			x := r.words[key]
			if !ok || x != nil && (x.reading || r.fresh(x, of)) {
				continue
			}
			if x == nil {
				r.forgetWords()
				x = &word{}
				r.words[key] = x
			}
			x.reading, x.asked = true, r.Now
			r.readers++
			todo = append(todo, Reading{n.ID, n.Log, previous, of})
		}
	}
	return todo
}

// Reads reports whether a request is under way.
func (r *readings) Reads() bool { return r.readers > 0 }

// forgetWords makes room by dropping the logs of deleted Pods.
func (r *readings) forgetWords() {
	if len(r.words) < wordsKept {
		return
	}
	for key, x := range r.words {
		if n := r.Nodes[key.pod]; (n == nil || n.Object == nil) && !x.reading {
			delete(r.words, key)
		}
	}
}

// WordsRead stores the log line that says why a container ended, or why it
// cannot be read.
func (r *readings) WordsRead(what Reading, line string, err error) {
	r.readers--
	x := r.words[wordKey{what.ID, what.Container}]
	if x == nil {
		return
	}
	x.reading, x.of, x.at, x.failed, x.unseen = false, what.of, r.Now, err != nil, ""
	switch {
	case err == nil:
		x.line = line
	case feed.IsRefusal(err.Error()):
		x.unseen = feed.Refusal(err.Error())
	}
	r.Unexplained = true
}

// TemplateRead stores a Pod template.
func (r *readings) TemplateRead(id object.ID, fields explain.Template, err error) {
	r.readers--
	t := r.templates[id]
	if t == nil {
		return
	}
	t.reading, t.fields = false, fields
	if err != nil && r.replayed {
		return // a recording may hold it a moment later
	}
	t.known = true
	r.Unexplained = true
}
