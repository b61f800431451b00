package world

import (
	"maps"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
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
	// complaintsAfter is the same for the errors of a controller that runs: many lines are read for
	// them.
	complaintsAfter = 2 * time.Minute
)

// readTarget is what is read: the log of a container, once for each use, or the Pod template of an
// object if no container is named.
type readTarget struct {
	ID         object.ID
	Container  string
	Complaints bool // of the log all errors and warnings, not the decisive line
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
	list     []logline.Complaint
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
		case what.Complaints && c.State.Kind == "running":
			of.began, of.dated, of.running = c.State.Started, c.State.Started, true
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
func (r *Readings) fresh(what readTarget, x answer, of instance) bool {
	if x.failed && !r.tree.knownBy.keeps() {
		return x.of.uid == of.uid && !r.tree.Now.After(x.asked) // the feed may hold it a moment later
	}
	if x.failed || of.running {
		after, same := rereadAfter, x.of.uid == of.uid
		if what.Complaints {
			after, same = complaintsAfter, same && x.of.began.Equal(of.began)
		}
		return same && r.tree.Now.Sub(x.at) < after
	}
	return x.of == of
}

// logLine is explain.Snapshot's LogLine.
func (r *Readings) logLine(pod object.ID, container string) (line, unseen string, fresh bool) {
	x, fresh := r.answer(readTarget{ID: pod, Container: container})
	return x.line, x.unseen, fresh
}

// complaints is explain.Snapshot's Complaints.
func (r *Readings) complaints(pod object.ID, container string) (list []logline.Complaint, unseen string, fresh bool) {
	x, fresh := r.answer(readTarget{ID: pod, Container: container, Complaints: true})
	return x.list, x.unseen, fresh
}

// answer is what has been read of a log, and whether that is up to date.
func (r *Readings) answer(what readTarget) (x answer, fresh bool) {
	x, asked := r.answered[what]
	if !asked {
		return answer{}, false
	}
	of, _, ok := r.instanceToRead(what)
	if !ok || of.uid != x.of.uid {
		return answer{}, !ok
	}
	return x, r.fresh(what, x, of)
}

// template is explain.Snapshot's Template.
func (r *Readings) template(id object.ID) (explain.Template, bool) {
	x := r.answered[readTarget{ID: id}]
	return x.template, x.known
}

// Read returns the requests for what the causes' exemplars lack.
func (r *Readings) Read(needs []explain.Need) (todo []Reading) {
	for _, n := range needs {
		what := readTarget{n.ID, n.Log, n.Complaints}
		of, previous, ok := r.instanceToRead(what)
		x, asked := r.answered[what]
		switch {
		case r.readers >= readsAtOnce:
			return todo
		case !n.Template && n.Log == "", !ok, asked && (x.reading || r.fresh(what, x, of)), !asked && !r.room():
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

// Text is what has been read: one of them.
type Text struct {
	Line       string              // that says why a container ended
	Complaints []logline.Complaint // of a log
	Template   explain.Template
}

// Answer stores what has been read, or why it cannot be. After a jump, the answer to an earlier request
// is dropped.
func (r *Readings) Answer(what Reading, text Text, err error) {
	x := r.answered[what.readTarget]
	if !x.reading || !x.asked.Equal(what.asked) {
		return
	}
	r.readers--
	x.reading, x.of, x.at, x.failed, x.unseen, x.template = false, what.of, r.tree.Now, err != nil, "", text.Template
	x.known = err == nil || r.tree.knownBy.keeps()
	switch {
	case err == nil:
		x.line, x.list = text.Line, text.Complaints
	case feed.IsRefusal(err.Error()):
		x.unseen = feed.Refusal(err.Error())
	}
	r.answered[what.readTarget] = x
	r.tree.Unexplained = r.tree.Unexplained || x.known || what.Container != ""
}
