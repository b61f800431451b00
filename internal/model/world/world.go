// Package world is what is known about the cluster: the objects as a tree, what
// each amounts to, the verdict over all, its history, and the causes. Facts come in
// by batches and ticks; it has no screen, no clock, and does no I/O.
package world

import (
	"iter"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Options is what a world is told once.
type Options struct {
	Now        time.Time // when following began
	Namespace  string    // of the arguments
	Recording  string    // label of the recording that is played, or ""
	StallAfter time.Duration
	NoChildren bool // none is followed
	Screen     bool // somebody looks
	Rules      status.UserRules
	// Judge replaces status.Assess; nil means status.Assess.
	Judge func(o *object.Object, w status.World, now time.Time) status.Assessment
	// Explain replaces internal/explain; nil means internal/explain.
	Explain func() []explain.Cause
}

// World is everything that is known about the cluster: the objects, how they
// hang together, and what each of them amounts to. It is updated in place, and
// only while a message is being taken in: whoever reads it may keep nothing of it
// that is not an object's. What a change costs depends on the depth and breadth of
// the tree at that place, not on its size.
type World struct {
	opt   Options
	Now   time.Time // of the last batch or tick
	first time.Time // when the first batch arrived

	// Counters, for those who ask whether something is new.
	Epoch     uint64 // grows with every batch and tick
	Structure uint64 // grows with every change of the tree's shape or order
	Judged    uint64 // grows with every judgement

	graph
	roots
	tallies
	verdict
	judging
	link
	records
	readings
	news
	recalling
}

// graph is the objects and how they belong together.
type graph struct {
	Nodes    map[object.ID]*Node
	uids     map[string]*Node      // those with an object, by its UID
	missing  map[object.ID]bool    // known not to exist, and not asked for
	owners   map[string]*Node      // by what else they offer as a key
	waiting  map[string][]*Node    // by the keys they refer to, while nobody offers them
	turnedIn []*Node               // see turned
	pointed  map[string]*Node      // EndpointSlices, by the UIDs of the pods they point at
	pointing map[string][]*Node    // other slices that point at them too
	rootless map[object.ID][]*Node // members of inventories whose root is not known, by that root

	kinds  map[kindIn]map[*Node]struct{}  // the nodes with an object, by kind (no namespace)
	sorted map[kindIn][]*Node             // the same as sorted lists, made when asked for
	ghosts map[object.ID][]*object.Object // deleted Pods of Jobs, by the Job: a Job that has failed deletes them
}

// roots is what was asked for.
type roots struct {
	Roots    []*Node // in the order of asking
	rootSeq  int32
	left     bool    // something that was asked for is not any more, and lives on
	unrooted []*Node // while a batch is taken in: roots that are none any more

	Top         []*Node // roots with a row at the top level, in display order
	TopReorder  bool    // Top has to be brought into order
	Tops        []*Node // the same as they were asked for
	TopsChanged bool

	namespaces []string // of the roots
	nsRoots    int      // what they were found out for
	nsSeq      int32
}

// tallies are kept up with every judgement.
type tallies struct {
	Counts, required, Generated Tally
	Assumed                     int32              // how many of Counts are Current by the confidence assumed
	open                        map[*Node]struct{} // in the tree and not Current
	openRoots                   []*Node            // of these, what was asked for
	opened                      int                // the most that open has held
	worst                       []*Node            // see WorstOpen
	worstAt                     time.Time
	slow                        []Slow // see Slowest; nil while it has to be found out
	slowOf                      int    // what was asked for then
}

// verdict is the word over everything that was asked for, and its past.
type verdict struct {
	Verdict      status.Status
	VerdictSince time.Time
	Began        time.Time // when the verdict last ceased to be Current; zero where it never was
	Moving       bool      // the verdict has been another than Current when everything was known

	// What Movement found out.
	moved      time.Time
	expected   bool
	movedAt    uint64 // in this epoch
	movedKnown bool   // moved is true of all open roots
}

// judging is the work of judging what has changed, and what it rests on.
type judging struct {
	levels  [][]*Node // queued for judging, by depth
	recheck recheckHeap
	scratch []status.Child
	prior   status.Assessment // of what is being judged
	subject *Node             // what is being judged

	// Dependents are the nodes whose judgement looked something up, by what that
	// was. It need not be followed, or even exist.
	Dependents map[object.ID]map[*Node]struct{}

	said     map[saying]*status.Assessment // what is said about many
	lastKey  saying                        // of what was said last
	lastSaid *status.Assessment
	answers  status.World // what every judgement is told alike: see assess
}

// link is what the sources say of themselves.
type link struct {
	Sources  map[string]feed.SourceState
	plurals  map[[2]string]string          // of the resource, by group and kind
	serves   map[[2]string]bool            // kinds with a status subresource, by group and kind
	trouble  map[kindIn][]feed.SourceState // those of the sources that are not live, by key
	live     map[kindIn][]feed.SourceState // in a replay: those that are
	Synced   bool                          // everything that was asked for has been answered
	Answered uint64                        // the newest wants whose children have come
	ToldGen  uint64                        // the newest wants whose events have come, too
	skew     time.Duration
	heard    bool // a batch has arrived
}

// records is what happened.
type records struct {
	events  map[object.ID][]feed.Event
	respecs map[object.ID]respec // what was changed of specs, where that may be a reason
	remarks []*Node              // those that have a remark
	History Ring[Transition]
	pasts   Ring[*object.Object] // the objects as they were at the latest of them
	Notices Ring[feed.Notice]
}

// readings are what was read on behalf of causes.
type readings struct {
	words     map[wordKey]*word
	templates map[object.ID]*templateOf
	readers   int // of words and templates, on their way
}

// news is what has changed since the last time somebody asked.
type news struct {
	WantsChanged bool
	Candidates   []*Node // whose children may be wanted
	Awaited      []*Node // whose children have been asked for and not answered
	Unexplained  bool    // something has changed that an explanation may rest on
}

// recalling is under way while a recording's memory is restored.
type recalling struct {
	Restoring                bool // what is judged now has been judged before
	recalled                 []recalled
	unmetRoots, unmetObjects int // of before, not spoken of so far
}

const (
	// RefsWanted is how many objects that nobody follows are asked for, and how many
	// one judgement may look up.
	RefsWanted    = 200
	historyLength = 4096 // hours of a large set that is at rest, minutes of one that is not
	pastsLength   = 1024 // an object is some 2 KB, a Transition a tenth of that
	noticeLength  = 500
	eventsHeld    = 64 // per object
)

// roomy is how many entries make a map so large that going through it, or
// clearing it, costs more than making another: what a map has grown to hold in
// the first batch it holds room for ever after.
const roomy = 1024

// New is a world of which nothing is known yet.
func New(opt Options) *World {
	return &World{
		opt: opt, Now: opt.Now,
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
		judging: judging{
			Dependents: map[object.ID]map[*Node]struct{}{},
			said:       map[saying]*status.Assessment{},
		},
		link: link{
			Sources: map[string]feed.SourceState{},
			plurals: map[[2]string]string{},
			serves:  map[[2]string]bool{},
			trouble: map[kindIn][]feed.SourceState{},
		},
		records: records{
			events:  map[object.ID][]feed.Event{},
			History: Ring[Transition]{Limit: historyLength},
			pasts:   Ring[*object.Object]{Limit: pastsLength},
			Notices: Ring[feed.Notice]{Limit: noticeLength},
		},
		readings: readings{words: map[wordKey]*word{}, templates: map[object.ID]*templateOf{}},
	}
}

// node returns the node of an ID, made where there is none. The ID is not to be
// written to afterwards.
func (w *World) node(id *object.ID) *Node {
	n := w.Nodes[*id]
	if n == nil {
		n = newNode(id)
		w.Nodes[*n.ID] = n
	}
	return n
}

// kindIn is a kind in a namespace, or in all of them.
type kindIn struct{ group, kind, namespace string }

// Troubles are the sources that are not live, in no order.
func (w *World) Troubles() iter.Seq[*feed.SourceState] {
	return func(yield func(*feed.SourceState) bool) {
		for _, list := range w.trouble {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// InTrouble reports whether a source of that kind and namespace is not live.
func (w *World) InTrouble(group, kind, namespace string) bool {
	return len(w.trouble[kindIn{group, kind, namespace}]) > 0
}

// troubled returns the sources that are not live and would tell about objects
// of a kind in a namespace.
func (w *World) troubled(group, kind, namespace string) iter.Seq[*feed.SourceState] {
	return func(yield func(*feed.SourceState) bool) {
		if len(w.trouble) == 0 {
			return
		}
		list := w.trouble[kindIn{group, kind, namespace}]
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
		if namespace == "" {
			return
		}
		list = w.trouble[kindIn{group, kind, ""}]
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}
