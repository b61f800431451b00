package world

import (
	"maps"
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
	readsKept   = 400
	// rereadAfter is when the log of a running container, or what could not be
	// read, is read again.
	rereadAfter = 30 * time.Second
)

// readTarget is what is read: the log of a container, or the Pod template of an
// object if no container is named.
type readTarget struct {
	ID        object.ID
	Container string
}

// instance is one run of a container. A template has none.
type instance struct {
	uid     string // of its Pod
	began   time.Time
	dated   time.Time // when it ended; while it is running, when it began
	running bool
}

// Reading is a request for a cause.
type Reading struct {
	readTarget
	Previous bool // the previous instance, because the present one has no output
	of       instance
	asked    time.Time
}

// truncated is by how much later than its status says an instance may have ended: the times in a
// Pod's status are whole seconds.
const truncated = time.Second

// Has reports whether a line may be of the instance that is wanted: a container may have
// been started again before its log is read.
func (r *Reading) Has(at time.Time) bool {
	return at.IsZero() || !at.Before(r.of.began) && (!r.Ended() || !at.After(r.of.dated.Add(truncated)))
}

// Asked is the moment at which it was asked for.
func (r *Reading) Asked() time.Time { return r.asked }

// Ended reports whether the instance that is wanted had ended.
func (r *Reading) Ended() bool { return !r.of.running && !r.of.dated.IsZero() }

// answer is what has been read.
type answer struct {
	of       instance
	line     string
	unseen   string // why it cannot be read
	template explain.Template
	known    bool // it has been read, or cannot be
	failed   bool
	reading  bool
	asked    time.Time
	at       time.Time
}

// instanceToRead returns the instance whose log is wanted, and whether that is the
// previous one.
func (r *Readings) instanceToRead(what readTarget) (of instance, previous, ok bool) {
	if what.Container == "" {
		return of, false, true
	}
	n := r.tree.Nodes[what.ID]
	if n == nil || n.Object == nil || n.Object.Pod == nil {
		return of, false, false
	}
	of.uid = n.Object.UID
	for i := range n.Object.Pod.Containers {
		c := &n.Object.Pod.Containers[i]
		if c.Name != what.Container {
			continue
		}
		switch {
		case c.State.Kind == "terminated":
			of.began, of.dated = c.State.Started, c.State.Finished
		case c.State.Kind == "waiting",
			c.Restarts > 0 && c.Last().Kind == "terminated" &&
				(c.Kind != object.InitContainer || r.tree.Now.Sub(c.State.Started) < time.Minute):
			of.began, of.dated, previous = c.Last().Started, c.Last().Finished, true
		default:
			of.began, of.dated, of.running = c.State.Started, c.State.Started, true
		}
		return of, previous, true
	}
	return of, false, false
}

// fresh reports whether an answer is up to date.
func (r *Readings) fresh(x answer, of instance) bool {
	if x.failed && !r.tree.knownBy.keeps() {
		return x.of.uid == of.uid && !r.tree.Now.After(x.asked) // the feed may hold it a moment later
	}
	if x.failed || of.running {
		return x.of.uid == of.uid && r.tree.Now.Sub(x.at) < rereadAfter
	}
	return x.of == of
}

// logLine is explain.Snapshot's LogLine.
func (r *Readings) logLine(pod object.ID, container string) (line, unseen string, fresh bool) {
	x, asked := r.answered[readTarget{pod, container}]
	if !asked {
		return "", "", false
	}
	of, _, ok := r.instanceToRead(readTarget{pod, container})
	if !ok || of.uid != x.of.uid {
		return "", "", !ok
	}
	return x.line, x.unseen, r.fresh(x, of)
}

// template is explain.Snapshot's Template.
func (r *Readings) template(id object.ID) (explain.Template, bool) {
	x := r.answered[readTarget{ID: id}]
	return x.template, x.known
}

// Read returns the requests for what the causes' exemplars lack.
func (r *Readings) Read(needs []explain.Need) (todo []Reading) {
	for _, n := range needs {
		what := readTarget{n.ID, n.Log}
		of, previous, ok := r.instanceToRead(what)
		x, asked := r.answered[what]
		switch {
		case r.readers >= readsAtOnce:
			return todo
		case !n.Template && n.Log == "", !ok, asked && (x.reading || r.fresh(x, of)), !asked && !r.room():
			continue
		}
		x.reading, x.asked = true, r.tree.Now
		r.answered[what] = x
		r.readers++
		todo = append(todo, Reading{what, previous, of, r.tree.Now})
	}
	return todo
}

// Reads reports whether a request is under way.
func (r *Readings) Reads() bool { return r.readers > 0 }

// room reports whether another answer may be kept. What deleted objects said
// makes room.
func (r *Readings) room() bool {
	if len(r.answered) >= readsKept {
		maps.DeleteFunc(r.answered, func(what readTarget, x answer) bool {
			n := r.tree.Nodes[what.ID]
			return (n == nil || n.Object == nil) && !x.reading
		})
	}
	return len(r.answered) < readsKept
}

// Answer stores the log line that says why a container ended or the template,
// or why it cannot be read. After a jump, the answer to an earlier request is
// dropped.
func (r *Readings) Answer(what Reading, line string, template explain.Template, err error) {
	x := r.answered[what.readTarget]
	if !x.reading || !x.asked.Equal(what.asked) {
		return
	}
	r.readers--
	x.reading, x.of, x.at, x.failed, x.unseen, x.template = false, what.of, r.tree.Now, err != nil, "", template
	x.known = err == nil || r.tree.knownBy.keeps()
	switch {
	case err == nil:
		x.line = line
	case feed.IsRefusal(err.Error()):
		x.unseen = feed.Refusal(err.Error())
	}
	r.answered[what.readTarget] = x
	r.tree.Unexplained = r.tree.Unexplained || x.known || what.Container != ""
}
