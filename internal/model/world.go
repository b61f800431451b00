package model

import (
	"iter"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// world is everything that is known about the cluster: the objects, how they
// hang together, and what each of them amounts to. It is updated in place, and
// only while a message is being taken in. What a change costs depends on the
// depth and breadth of the tree at that place, not on its size.
type world struct {
	opt *Options
	now time.Time

	nodes    map[object.ID]*node
	uids     map[string]*node      // those with an object, by its UID
	missing  map[object.ID]bool    // known not to exist, and not asked for
	remarks  []*node               // those that have a remark
	respecs  map[object.ID]respec  // what was changed of specs, where that may be a reason
	owners   map[string]*node      // by what else they offer as a key
	waiting  map[string][]*node    // by the keys they refer to, while nobody offers them
	turnedIn []*node               // see turned
	pointed  map[string]*node      // EndpointSlices, by the UIDs of the pods they point at
	pointing map[string][]*node    // other slices that point at them too
	rootless map[object.ID][]*node // members of inventories whose root is not known, by that root
	roots    []*node               // in the order of asking
	rootSeq  int32

	top         []*node // roots with a row at the top level, in display order
	topReorder  bool
	tops        []*node // the same as they were asked for
	topsChanged bool
	epoch       uint64 // grows with every batch and tick
	structure   uint64 // grows with every change of the tree's shape or order
	judged      uint64 // grows with every judgement

	counts, required, generated tally
	assumed                     int32              // how many of counts are Current by the confidence assumed
	open                        map[*node]struct{} // in the tree and not Current
	openRoots                   []*node            // of these, what was asked for
	opened                      int                // the most that open has held
	worst                       []*node            // see worstOpen
	slow                        []Slow             // see Slowest; nil while it has to be found out
	slowOf                      int                // what was asked for then
	worstAt                     time.Time

	levels  [][]*node // queued for judging, by depth
	recheck recheckHeap
	scratch []status.Child
	prior   status.Assessment // of what is being judged

	sources  map[string]feed.SourceState
	plurals  map[[2]string]string          // of the resource, by group and kind
	serves   map[[2]string]bool            // kinds with a status subresource, by group and kind
	trouble  map[kindIn][]feed.SourceState // those of the sources that are not live, by key
	live     map[kindIn][]feed.SourceState // in a replay: those that are
	synced   bool
	answered uint64
	toldGen  uint64 // the newest wants whose events have come, too
	skew     time.Duration
	heard    bool // a batch has arrived

	kinds    map[kindIn]map[*node]struct{} // the nodes with an object, by kind (no namespace)
	sorted   map[kindIn][]*node            // the same as sorted lists, made when asked for
	ghosts   map[object.ID][]*object.Object
	left     bool    // something that was asked for is not any more, and lives on
	unrooted []*node // while a batch is taken in: roots that are none any more

	events  map[object.ID][]feed.Event
	history ring[Transition]
	pasts   ring[*object.Object] // the objects as they were at the latest of them
	notices ring[feed.Notice]

	verdict      status.Status
	verdictSince time.Time
	moved        time.Time // of what movement found out
	expected     bool
	movedAt      uint64    // in this epoch
	movedKnown   bool      // moved is true of all open roots
	began        time.Time // when the verdict last ceased to be Current; zero where it never was
	moving       bool      // the verdict has been another than Current when everything was known

	namespaces []string // of the roots
	nsRoots    int      // what they were found out for
	nsSeq      int32

	// Since the last time somebody asked.
	wantsChanged bool
	candidates   []*node // whose children may be wanted
	awaited      []*node // whose children have been asked for and not answered
	unexplained  bool    // something has changed that an explanation may rest on

	words     map[wordKey]*word
	templates map[object.ID]*templateOf
	readers   int // of words and templates, on their way

	// dependents are the nodes whose judgement looked something up, by what that
	// was. It need not be followed, or even exist; judging is whose it is now.
	dependents map[object.ID]map[*node]struct{}
	judging    *node

	said     map[saying]*status.Assessment // what is said about many
	lastKey  saying                        // of what was said last
	lastSaid *status.Assessment
	answers  status.World // what every judgement is told alike: see assess

	first     time.Time // when the first batch arrived
	restoring bool      // what is judged now has been judged before

	// While it is being restored.
	recalled                 []recalled
	unmetRoots, unmetObjects int // of before, not spoken of so far
}

const (
	historyLength = 8192
	pastsLength   = 1024 // an object is some 2 KB, a Transition a tenth of that
	noticeLength  = 500
	eventsHeld    = 64 // per object
)

// roomy is how many entries make a map so large that going through it, or
// clearing it, costs more than making another: what a map has grown to hold in
// the first batch it holds room for ever after.
const roomy = 1024

func newWorld(opt *Options) *world {
	return &world{
		opt: opt, now: opt.Now,
		nodes:      map[object.ID]*node{},
		uids:       map[string]*node{},
		missing:    map[object.ID]bool{},
		owners:     map[string]*node{},
		waiting:    map[string][]*node{},
		pointed:    map[string]*node{},
		pointing:   map[string][]*node{},
		rootless:   map[object.ID][]*node{},
		open:       map[*node]struct{}{},
		sources:    map[string]feed.SourceState{},
		plurals:    map[[2]string]string{},
		serves:     map[[2]string]bool{},
		trouble:    map[kindIn][]feed.SourceState{},
		events:     map[object.ID][]feed.Event{},
		history:    ring[Transition]{limit: historyLength},
		pasts:      ring[*object.Object]{limit: pastsLength},
		notices:    ring[feed.Notice]{limit: noticeLength},
		words:      map[wordKey]*word{},
		templates:  map[object.ID]*templateOf{},
		kinds:      map[kindIn]map[*node]struct{}{},
		sorted:     map[kindIn][]*node{},
		ghosts:     map[object.ID][]*object.Object{},
		dependents: map[object.ID]map[*node]struct{}{},
		said:       map[saying]*status.Assessment{},
	}
}

// node returns the node of an ID, made where there is none. The ID is not to be
// written to afterwards.
func (w *world) node(id *object.ID) *node {
	n := w.nodes[*id]
	if n == nil {
		n = newNode(id)
		w.nodes[*n.id] = n
	}
	return n
}

// kindIn is a kind in a namespace, or in all of them.
type kindIn struct{ group, kind, namespace string }

// troubled returns the sources that are not live and would tell about objects
// of a kind in a namespace.
func (w *world) troubled(group, kind, namespace string) iter.Seq[*feed.SourceState] {
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

// ring holds the last so many of what was pushed.
type ring[T any] struct {
	limit int
	items []T
	start int
	lost  int // how many were pushed out
}

func (r *ring[T]) push(v T) {
	if n := len(r.items); n < r.limit {
		if n == cap(r.items) && n >= roomy {
			r.items = slices.Grow(r.items, min(3*n, r.limit-n)) // append makes room a quarter at a time
		}
		r.items = append(r.items, v)
		return
	}
	r.items[r.start] = v
	r.start = (r.start + 1) % r.limit
	r.lost++
}

func (r *ring[T]) len() int { return len(r.items) }

func (r *ring[T]) at(i int) T { return r.items[(r.start+i)%len(r.items)] }

func (r *ring[T]) set(i int, v T) { r.items[(r.start+i)%len(r.items)] = v }
