// Package world is the state of the cluster as far as it is known: the objects
// as a tree, their assessments, the verdict, its history, and the causes. Facts
// arrive in batches and ticks; it has no screen, no clock, and does no I/O.
//
// A batch is taken in (apply.go), has those judged that it touches, children
// before parents (settle.go, judge.go), and then the whole (verdict.go).
package world

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options are a world's settings.
type Options struct {
	Now        time.Time // when following began
	From       time.Time // what the elapsed time counts from, if not Now: a moment of a recording
	Sources    []string  // the sources, as typed
	Context    string    // kubeconfig context
	Namespace  string    // the default namespace
	Recording  string    // label of the recording, or ""
	StallAfter time.Duration
	NoChildren bool // no children are followed
	Screen     bool // it is shown on a screen
	Still      bool // it is of one moment: time passes only by batches
	Rules      status.UserRules
	// Judge decides an object's status; nil means status.Assess.
	Judge func(o *object.Object, w status.World, now time.Time) status.Assessment
	// Explain replaces internal/explain; nil means internal/explain.
	Explain func() []explain.Cause
}

// World is the known state of the cluster: the objects, their relations and
// their assessments. It is updated in place, and only while a message is being
// handled: readers may keep objects, and nothing else of it. The cost of a
// change depends on the depth and breadth of the tree around it, not on its
// size.
type World struct {
	opt    Options
	first  time.Time // when the first batch arrived
	Judged uint64    // grows with every judgement
	Due    time.Time // when a judgement may change with time alone, at the earliest; zero is never

	tallies
	verdict

	Tree     *Tree
	judging  judging
	Sources  Sources
	Records  Records
	Readings Readings

	Restoring bool // the judgements to come were made before: see Restore
}

// Tree is what is followed with everything below it.
type Tree struct {
	Now   time.Time // time of the last batch or tick
	began time.Time // when following began

	firstArrived bool // all that is there from the beginning has arrived
	still        bool // Options.Still

	knownBy knowledge // whose children and events are known

	// Counters by which readers detect changes.
	Epoch     uint64 // grows with every batch and tick
	Structure uint64 // grows with every change of its shape or order

	// The objects and their relations.
	Nodes       map[object.ID]*Node
	missing     map[object.ID]bool             // known not to exist: a completed list says so
	owners      map[string]*Node               // nodes with an object, by their UIDs and the other keys that they offer
	waiting     map[string][]*Node             // by keys that no node offers yet
	joining     map[object.ID][]*Node          // members, by inventories whose root is not known yet
	turnedIn    []*Node                        // they have entered or left the tree: see resettle
	pointed     map[string][]*Node             // EndpointSlices, by the UIDs of their Pods
	deletedPods map[object.ID][]*object.Object // deleted Pods of Jobs, by Job: a failed Job deletes them
	touched     []*Node                        // to be judged

	// Dependents are the nodes whose judgement looked an object up, by that
	// object's ID. It need not be followed, or even exist.
	Dependents map[object.ID]map[*Node]struct{}
	// selecting are the nodes whose judgement counted the Pods that they select.
	selecting edges.Choosers[*Node]
	subject   *Node // the node being judged

	// The followed objects.
	Roots        []*Node  // in the order of the command line
	Spaces       []string // their namespaces, sorted
	rootsChanged bool     // Spaces are out of date
	// LongestForeign is the length of the longest namespace of an object that is below one of
	// another namespace.
	LongestForeign int
	Restarted      bool // a container of a Pod has restarted
	// muted are the roots that the user has taken out of the verdict, and whether they
	// were optional before.
	muted            map[object.ID]bool
	rooted           bool    // there has been a root
	unfollowedExists bool    // an object that was a root is one no longer, and still exists
	unrooted         []*Node // within a batch: nodes that are no longer roots
	Remains          Remains
	kinds            byKind // nil in a copy

	news
}

// tallies are computed whenever something was judged.
type tallies struct {
	Counts, required, Generated Tally
	Assumed                     int       // how many of Counts are Current with the confidence assumed
	Withheld                    bool      // one that is required is Unknown for now: see Awaits
	Moved                       time.Time // when a followed object that is not Current last changed
	Expected                    bool      // one of those is still expected to change
	Looping                     bool      // one that is required is in a crash loop, and was Failed before it ran again
}

// verdict is the verdict over the followed objects, and its history.
type verdict struct {
	Verdict      status.Status
	VerdictSince time.Time
	Began        time.Time // when the verdict last ceased to be Current; zero if never
	Moving       bool      // the verdict was not Current at some time after the first sync
}

// judging is what judgements wait for, and their caches.
type judging struct {
	scratch []status.Child
	members []status.Child
	prior   status.Assessment // previous assessment of the node being judged

	readEvents      bool                 // the present judgement has read events
	eventful        map[*Node]struct{}   // Current, and their judgement has read events
	eventsAwaited   map[*Node]struct{}   // their judgement has read events that were incomplete
	eventsRequested map[object.ID]uint64 // whose events are wanted, and since which generation of Wants

	assessmentCache map[assessmentKey]*status.Assessment // assessments shared by many nodes
	answers         status.World                         // what every judgement is given
}

// Sources is the state of the sources.
type Sources struct {
	States  map[string]feed.SourceState
	Trouble []*feed.SourceState // sources that are not live, those of one namespace first
	// see [status.World]: everything of a namespace is followed, or was saved, so that to search
	// costs no request
	Searched       bool
	Synced         bool   // every followed object has been answered, once
	Whole          bool   // so it is as of the last batch: nothing new is being looked for
	Answered       uint64 // newest generation of Wants whose children have arrived
	EventsAnswered uint64 // newest generation whose events have arrived, too
	awaiting       bool   // an object awaits children, if sources say so, as of
	awaited        uint64 // this Epoch
	skew           time.Duration
	begun          bool // a batch has arrived
}

// Records is the history.
type Records struct {
	tree    *Tree
	events  map[object.ID][]object.Event
	gone    []gonePod            // Pods that are gone, with events that are kept: the oldest first
	respecs map[object.ID]respec // changes of specs that may be reasons
	History Recent[Transition]
	pasts   Recent[*object.Object] // the objects at the newest transitions
	Notices Recent[feed.Notice]
}

// Readings holds what was read for causes.
type Readings struct {
	tree     *Tree
	answered map[readTarget]answer
	readers  int // requests that are under way
}

// news is what has changed since it was last read.
type news struct {
	wantsChanged bool
	Growing      bool   // there may be new parents: see MayWant
	newestWants  uint64 // generation of the newest Wants with new parents
	Unexplained  bool   // something that explanations depend on has changed
}

const (
	// RefsWanted bounds the unfollowed objects that are requested, and those
	// that one judgement may look up.
	RefsWanted    = 200
	historyLength = 4096 // hours of a large set at rest, minutes of a busy one
	pastsLength   = 1024 // an object takes some 2 KB, a Transition a tenth of that
	noticeLength  = 500
	eventsHeld    = 64 // per object
	// Of this many Pods that are gone, so many of the newest events are kept for so long, as an
	// API server keeps them.
	gonePodsHeld   = 100
	goneEventsHeld = 8
	goneEventsLast = time.Hour
)

// New returns an empty world.
func New(opt Options) *World {
	if opt.Judge == nil {
		opt.Judge = status.Assess
	}
	t := &Tree{
		Now: opt.Now, began: opt.Now, still: opt.Still,
		Nodes: map[object.ID]*Node{}, missing: map[object.ID]bool{}, owners: map[string]*Node{},
		waiting: map[string][]*Node{}, joining: map[object.ID][]*Node{}, pointed: map[string][]*Node{},
		deletedPods: map[object.ID][]*object.Object{},
		Dependents:  map[object.ID]map[*Node]struct{}{}, knownBy: byAnswers{}, Remains: Remains{}, kinds: byKind{},
	}
	w := &World{
		opt: opt, Tree: t,
		judging: judging{
			assessmentCache: map[assessmentKey]*status.Assessment{}, eventful: map[*Node]struct{}{},
			eventsAwaited: map[*Node]struct{}{},
		},
		Sources:  Sources{States: map[string]feed.SourceState{}},
		Records:  Records{tree: t, events: map[object.ID][]object.Event{}},
		Readings: Readings{tree: t, answered: map[readTarget]answer{}},
	}
	w.judging.answers = status.World{
		User: opt.Rules, Lookup: w.Tree.Lookup, Judged: w.Tree.judgement, Selected: w.selectedPods, Events: w.eventsOf,
		Absent: w.absent, Reports: w.reports, Serves: w.Sources.servesStatus,
	}
	return w
}

// Anew is an empty world in its place, whose counters go on: readers see a change.
func (w *World) Anew() *World {
	n := New(w.opt)
	n.Tree.Epoch, n.Judged, n.Tree.muted, n.Tree.knownBy = w.Tree.Epoch+1, w.Judged, w.Tree.muted, w.Tree.knownBy
	return n
}

// node returns the node of an ID, and creates it if necessary. The ID must not
// be modified afterwards.
func (t *Tree) node(id *object.ID) *Node {
	n := t.Nodes[*id]
	if n == nil {
		n = newNode(id)
		t.Nodes[*n.ID] = n
	}
	return n
}

// EverFollowed reports whether there has been a root.
func (t *Tree) EverFollowed() bool { return t.rooted }

// TakeWantsChanged reports whether what is wanted may have changed since the last
// call.
func (t *Tree) TakeWantsChanged() bool {
	changed := t.wantsChanged
	t.wantsChanged = false
	return changed
}

// Options are the settings.
func (w *World) Options() Options { return w.opt }
