// Package world is the state of the cluster as far as it is known: the objects
// as a tree, their assessments, the verdict, its history, and the causes. Facts
// arrive in batches and ticks; it has no screen, no clock, and does no I/O.
package world

import (
	"iter"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options are a world's settings.
type Options struct {
	Now        time.Time // when following began
	Namespace  string    // the default namespace
	Recording  string    // label of the recording, or ""
	StallAfter time.Duration
	NoChildren bool // no children are followed
	Screen     bool // it is shown on a screen
	Rules      status.UserRules
	// Judge replaces status.Assess; nil means status.Assess.
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

	*tree
	lookups
	judging
	link
	records
	readings
	recalling
}

// tree is what is followed with everything below it, and what is counted of it.
type tree struct {
	Now   time.Time // time of the last batch or tick
	began time.Time // when following began

	// Counters by which readers detect changes.
	Epoch     uint64 // grows with every batch and tick
	Structure uint64 // grows with every change of its shape or order

	graph
	roots
	tallies
	verdict
	news
	levels [][]*Node // queued for judging, by depth
}

// graph is the objects and their relations.
type graph struct {
	Nodes    map[object.ID]*Node
	uids     map[string]*Node      // nodes with an object, by UID
	missing  map[object.ID]bool    // known not to exist, and not followed
	owners   map[string]*Node      // owners by the other keys that they offer
	waiting  map[string][]*Node    // by keys that no node offers yet
	turnedIn []*Node               // see turned
	pointed  map[string]*Node      // EndpointSlices, by the UIDs of their Pods
	pointing map[string][]*Node    // further slices with the same Pods
	rootless map[object.ID][]*Node // members of inventories with an unknown root, by that root

	kinds  map[kindIn]map[*Node]struct{}  // the nodes with an object, by kind (without namespace)
	sorted map[kindIn][]*Node             // the same as sorted lists, on demand
	ghosts map[object.ID][]*object.Object // deleted Pods of Jobs, by Job: a failed Job deletes them
}

// roots are the followed objects.
type roots struct {
	Roots    []*Node // in the order of the command line
	rootSeq  int32
	left     bool    // a root is none any more, and still exists
	unrooted []*Node // within a batch: nodes that are no longer roots

	topReorder  bool // the order of the top level may have changed
	topsChanged bool // what is at the top level may have changed

	namespaces []string // of the roots
	nsRoots    int      // the number of roots that they were computed for
	nsSeq      int32
}

// tallies are updated with every judgement.
type tallies struct {
	Counts, required, Generated Tally
	Assumed                     int32              // how many of Counts are Current with the confidence assumed
	open                        map[*Node]struct{} // nodes in the tree that are not Current
	openRoots                   []*Node            // the roots among them
	remarks                     []*Node            // nodes with a remark
	opened                      int                // the largest size of open
	worst                       []*Node            // see WorstOpen
	worstAt                     time.Time
	slow                        []Slow // see Slowest; nil if it must be computed
	slowOf                      int    // number of roots at that time
}

// verdict is the verdict over the followed objects, and its history.
type verdict struct {
	Verdict      status.Status
	VerdictSince time.Time
	Began        time.Time // when the verdict last ceased to be Current; zero if never
	Moving       bool      // the verdict was not Current at some time after the first sync

	// Results of Movement.
	moved      time.Time
	expected   bool
	movedAt    uint64 // the epoch they were computed in
	movedKnown bool   // moved covers all open roots
}

// lookups are the objects that judgements have looked up.
type lookups struct {
	*tree
	subject *Node // the node being judged

	// Dependents are the nodes whose judgement looked an object up, by that
	// object's ID. It need not be followed, or even exist.
	Dependents map[object.ID]map[*Node]struct{}
}

// judging is what judgements wait for, and their caches.
type judging struct {
	recheck recheckHeap
	scratch []status.Child
	prior   status.Assessment // previous assessment of the node being judged

	said     map[saying]*status.Assessment // assessments shared by many nodes
	lastKey  saying                        // of the last assessment
	lastSaid *status.Assessment
	answers  status.World // what every judgement is given: see assess
}

// link is the state of the sources.
type link struct {
	replayed bool // a recording is played
	Sources  map[string]feed.SourceState
	plurals  map[[2]string]string          // resource names, by group and kind
	serves   map[[2]string]bool            // kinds with a status subresource, by group and kind
	trouble  map[kindIn][]feed.SourceState // sources that are not live, by what they deliver
	live     map[kindIn][]feed.SourceState // in a replay: the live ones
	Synced   bool                          // every followed object has been answered
	Answered uint64                        // newest generation of Wants whose children have arrived
	ToldGen  uint64                        // newest generation whose events have arrived, too
	skew     time.Duration
	heard    bool // a batch has arrived
}

// records is the history.
type records struct {
	*tree
	events  map[object.ID][]feed.Event
	respecs map[object.ID]respec // changes of specs that may be reasons
	History Ring[Transition]
	pasts   Ring[*object.Object] // the objects at the newest transitions
	Notices Ring[feed.Notice]
}

// readings holds what was read for causes.
type readings struct {
	*tree
	replayed  bool
	words     map[wordKey]*word
	templates map[object.ID]*templateOf
	readers   int // requests for words and templates that are under way
}

// news is what has changed since it was last read.
type news struct {
	wantsChanged bool
	candidates   []*Node // nodes whose children may be wanted
	awaited      []*Node // nodes whose children are wanted and have not been answered
	Unexplained  bool    // something that explanations depend on has changed
}

// recalling is the state of restoring a recording's memory.
type recalling struct {
	Restoring                bool // the judgements to come were made before
	recalled                 []recalled
	unmetRoots, unmetObjects int // numbers of old roots and objects that no part has contained so far
}

const (
	// RefsWanted bounds the unfollowed objects that are requested, and those
	// that one judgement may look up.
	RefsWanted    = 200
	historyLength = 4096 // hours of a large set at rest, minutes of a busy one
	pastsLength   = 1024 // an object takes some 2 KB, a Transition a tenth of that
	noticeLength  = 500
	eventsHeld    = 64 // per object
)

// roomy is the size from which a map is replaced instead of cleared: a map
// never shrinks, and iterating over or clearing a large one costs more than a
// new one.
const roomy = 1024

// New returns an empty world.
func New(opt Options) *World {
	replayed := opt.Recording != ""
	t := &tree{
		Now: opt.Now, began: opt.Now,
		graph: graph{
			Nodes:    map[object.ID]*Node{},
			uids:     map[string]*Node{},
			missing:  map[object.ID]bool{},
			owners:   map[string]*Node{},
			waiting:  map[string][]*Node{},
			pointed:  map[string]*Node{},
			pointing: map[string][]*Node{},
			rootless: map[object.ID][]*Node{},
			kinds:    map[kindIn]map[*Node]struct{}{},
			sorted:   map[kindIn][]*Node{},
			ghosts:   map[object.ID][]*object.Object{},
		},
		tallies: tallies{open: map[*Node]struct{}{}},
	}
	return &World{
		opt: opt, tree: t,
		lookups: lookups{tree: t, Dependents: map[object.ID]map[*Node]struct{}{}},
		judging: judging{said: map[saying]*status.Assessment{}},
		link: link{
			replayed: replayed,
			Sources:  map[string]feed.SourceState{},
			plurals:  map[[2]string]string{},
			serves:   map[[2]string]bool{},
			trouble:  map[kindIn][]feed.SourceState{},
		},
		records: records{
			tree:    t,
			events:  map[object.ID][]feed.Event{},
			History: Ring[Transition]{Limit: historyLength},
			pasts:   Ring[*object.Object]{Limit: pastsLength},
			Notices: Ring[feed.Notice]{Limit: noticeLength},
		},
		readings: readings{tree: t, replayed: replayed, words: map[wordKey]*word{}, templates: map[object.ID]*templateOf{}},
	}
}

// node returns the node of an ID, and creates it if necessary. The ID must not
// be modified afterwards.
func (t *tree) node(id *object.ID) *Node {
	n := t.Nodes[*id]
	if n == nil {
		n = newNode(id)
		t.Nodes[*n.ID] = n
	}
	return n
}

// TakeWantsChanged reports whether what is wanted may have changed since the last
// call.
func (t *tree) TakeWantsChanged() bool {
	changed := t.wantsChanged
	t.wantsChanged = false
	return changed
}

// Awaiting reports whether children are wanted that have not been delivered yet.
func (t *tree) Awaiting() bool { return len(t.awaited) > 0 }

// TakeTops reports whether the order of the top level, and what is there, may
// have changed since the last call.
func (t *tree) TakeTops() (reorder, changed bool) {
	reorder, changed = t.topReorder, t.topsChanged
	t.topReorder, t.topsChanged = false, false
	return reorder, changed
}

// kindIn is a kind in a namespace, or in all.
type kindIn struct{ group, kind, namespace string }

// Troubles are the sources that are not live, unordered.
func (l *link) Troubles() iter.Seq[*feed.SourceState] {
	return func(yield func(*feed.SourceState) bool) {
		for _, list := range l.trouble {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// InTrouble reports whether a source of a kind and namespace is not live.
func (l *link) InTrouble(group, kind, namespace string) bool {
	return len(l.trouble[kindIn{group, kind, namespace}]) > 0
}

// troubled returns the sources that are not live and would deliver objects of a
// kind in a namespace.
func (l *link) troubled(group, kind, namespace string) iter.Seq[*feed.SourceState] {
	return func(yield func(*feed.SourceState) bool) {
		if len(l.trouble) == 0 {
			return
		}
		list := l.trouble[kindIn{group, kind, namespace}]
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
		if namespace == "" {
			return
		}
		list = l.trouble[kindIn{group, kind, ""}]
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
