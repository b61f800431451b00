package report

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The types of events.
const (
	StatusEvent     = "status"
	CauseEvent      = "cause"
	ConnectionEvent = "connection"
	InventoryEvent  = "inventory"
	ResultEvent     = "result"
)

// envelope holds the fields that every event begins with.
type envelope struct {
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"`
}

// statusEvent is the state of one object. It is a superset of cli-utils' status
// event.
type statusEvent struct {
	envelope
	// Always present, even if empty, as in cli-utils' status events.
	InventoryName string `json:"inventory-name"`
	Resource
	Parent *object.ID `json:"parent,omitempty"`
}

type causeEvent struct {
	envelope
	Change string `json:"change"` // appeared, changed or gone
	Cause
}

// inventoryEvent reports a change of an inventory's members or revision.
type inventoryEvent struct {
	envelope
	InventoryName string      `json:"inventory-name"`
	Root          object.ID   `json:"root"` // the object that holds the list
	Revision      string      `json:"revision,omitempty"`
	Members       int         `json:"members"`
	Added         []object.ID `json:"added,omitempty"`
	Removed       []object.ID `json:"removed,omitempty"`
}

type connectionEvent struct {
	envelope
	State world.Link `json:"state"` // live, reconnecting or stale
	Error string     `json:"error,omitempty"`
	Hint  string     `json:"hint,omitempty"` // the next step
}

// resultEvent is the last line.
type resultEvent struct {
	envelope
	Schema   string        `json:"schema"`
	Verdict  status.Status `json:"verdict"`
	ExitCode int           `json:"exitCode"`
	Outcome  string        `json:"outcome,omitempty"` // in a few words
	Counts   Counts        `json:"counts"`
	Causes   []Cause       `json:"causes"`
	// Recording is set if the recording is incomplete.
	Recording *Recording `json:"recording,omitempty"`
	// As in [Document].
	JudgedBy     string   `json:"judgedBy,omitempty"`
	NotPermitted []string `json:"notPermitted,omitempty"`
}

// changes remembers which state of a model has been reported.
type changes struct {
	status map[object.ID]statusKey
	stamp  uint64 // the model's stamp at the previous call
	causes map[string]Cause
	link   world.Link
	outage known.Outage
	sets   map[object.ID]set // by their roots
}

// set is what was reported of an inventory.
type set struct {
	name, revision string
	members        map[object.ID]bool
}

type statusKey struct {
	status          status.Status
	reason, message string
	uid             string
	generation      int64
	terminal        bool
	paused          bool
}

// newChanges has reported nothing yet.
func newChanges() *changes {
	return &changes{status: map[object.ID]statusKey{}, causes: map[string]Cause{}}
}

// since returns the objects that have changed since the previous call: the
// followed ones in the order of the command line, each followed by its
// children.
func (c *changes) since(m *known.Facts) []object.ID {
	var out []object.ID
	ids, stamp := m.ChangedSince(c.stamp, maxDepth)
	c.stamp = stamp
	for _, id := range ids {
		r, ok := m.Resource(id)
		if !ok {
			continue
		}
		now := statusKey{
			status: r.Assessment.Status, reason: r.Assessment.Reason, message: r.Assessment.Message,
			terminal: r.Assessment.Terminal, paused: r.Assessment.Paused,
		}
		if r.Object != nil {
			now.uid, now.generation = r.Object.UID, r.Object.Generation.V
		}
		if before, ok := c.status[id]; now.status != "" && (!ok || before != now) {
			c.status[id] = now
			out = append(out, id)
		}
	}
	return out
}

// events returns the changes since the previous call as lines of JSON.
func (c *changes) events(m *known.Facts) [][]byte {
	at := utc(m.Now())
	var out [][]byte
	emit := func(v any) {
		event, err := line(v)
		if err == nil { // these types always marshal
			out = append(out, event)
		}
	}
	link := m.Connection()
	news := c.outage.News(link) != ""
	lost := link.Link == world.LinkReconnecting || link.Link == world.LinkStale
	if (lost || link.Link == world.LinkLive) && link.Link != c.link || lost && news {
		c.link = link.Link
		e := connectionEvent{envelope: envelope{at, ConnectionEvent}, State: link.Link}
		if lost {
			e.Error, e.Hint = link.Error, link.Hint
		}
		emit(e)
	}
	changed := c.since(m)
	for _, e := range c.inventories(m, changed) {
		e.envelope = envelope{at, InventoryEvent}
		emit(e)
	}
	for _, id := range changed {
		emit(statusOf(m, id, false, at))
	}
	seen := map[string]bool{}
	for _, cause := range m.Causes() {
		now := NewCause(cause)
		seen[now.ID] = true
		before, ok := c.causes[now.ID]
		switch {
		case !ok:
			emit(causeEvent{envelope{at, CauseEvent}, "appeared", now})
		case !reflect.DeepEqual(timeless(before), timeless(now)):
			emit(causeEvent{envelope{at, CauseEvent}, "changed", now})
		}
		c.causes[now.ID] = now
	}
	for id, before := range c.causes {
		if !seen[id] {
			delete(c.causes, id)
			emit(causeEvent{envelope{at, CauseEvent}, "gone", before})
		}
	}
	return out
}

// timeLeft is the part of a title that changes with the clock.
var timeLeft = regexp.MustCompile(`\S+ left of its grace period`)

// timeless is a cause without the parts that change with the clock: a grace
// period that runs down is no event; Until says when it ends.
func timeless(c Cause) Cause {
	c.Title = timeLeft.ReplaceAllString(c.Title, "")
	c.Symptoms = slices.Clone(c.Symptoms)
	for i := range c.Symptoms {
		c.Symptoms[i].Title = timeLeft.ReplaceAllString(c.Symptoms[i].Title, "")
	}
	return c
}

// inventories compares the inventories with what was reported before.
func (c *changes) inventories(m *known.Facts, changed []object.ID) []inventoryEvent {
	member := func(id object.ID) (*feed.Root, bool) {
		r, ok := m.Resource(id)
		return r.Root, ok && r.Root != nil && !r.Root.In.IsZero() && !r.Root.Kept
	}
	if len(c.sets) == 0 && !slices.ContainsFunc(changed, func(id object.ID) bool { _, ok := member(id); return ok }) {
		return nil
	}
	now := map[object.ID]set{}
	for _, id := range m.Roots() {
		root, ok := member(id)
		if !ok {
			continue
		}
		s, ok := now[root.In]
		if !ok {
			s = set{name: root.Inventory, members: map[object.ID]bool{}}
			if r, _ := m.Resource(root.In); r.Root != nil {
				s.revision = r.Root.Revision
			}
			now[root.In] = s
		}
		s.members[id] = true
	}
	for id, s := range c.sets {
		if _, ok := now[id]; !ok {
			now[id] = set{name: s.name, revision: s.revision}
		}
	}
	var out []inventoryEvent
	for _, id := range slices.SortedFunc(maps.Keys(now), object.ID.Compare) {
		before, s := c.sets[id], now[id]
		e := inventoryEvent{InventoryName: s.name, Root: id, Revision: s.revision, Members: len(s.members)}
		e.Added, e.Removed = without(s.members, before.members), without(before.members, s.members)
		if len(e.Added)+len(e.Removed) > 0 || before.revision != s.revision {
			out = append(out, e)
		}
	}
	c.sets = now
	return out
}

// without are the members of a set that another does not have.
func without(set, other map[object.ID]bool) (out []object.ID) {
	for x := range set {
		if !other[x] {
			out = append(out, x)
		}
	}
	slices.SortFunc(out, object.ID.Compare)
	return out
}

func statusOf(m *known.Facts, id object.ID, children bool, at time.Time) statusEvent {
	e := statusEvent{envelope: envelope{at, StatusEvent}, Resource: NewResource(m, id, children)}
	e.InventoryName = e.Inventory
	if r, _ := m.Resource(id); e.Generated && !r.Parent.IsZero() {
		e.Parent = &r.Parent
	}
	return e
}

// result is the last line of a stream of events.
func result(m *known.Facts, exitCode int, outcome string) []byte {
	d := New(m)
	last, _ := line(resultEvent{
		envelope: envelope{utc(m.Now()), ResultEvent}, Schema: Schema, Verdict: d.Verdict,
		ExitCode: exitCode, Outcome: outcome, Counts: d.Counts,
		Causes: d.Causes, Recording: d.Recording, JudgedBy: d.JudgedBy,
		NotPermitted: d.NotPermitted,
	})
	return last
}
