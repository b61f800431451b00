// Package follow follows inventories: whenever the root of one has changed, or an object
// by which its list is decided, it decides what the root lists now, and has the
// members followed ([Engine.Follow]). Inventories among the members are roots in
// turn. What watches the cluster is an [Engine], what asks it a [Reader]: tests
// have their own.
//
// Package find, below it, looks inventories up once.
package follow

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/util/workqueue"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Engine watches the cluster. It calls [Follower.Changed] when a root, an object
// by which its list is decided, or the source of either has changed.
type Engine interface {
	// Root returns a followed root; false if it is none (any more). The change
	// that it shows is set in either case.
	Root(id object.ID) (Root, bool)
	// Object returns a followed object. answered says that a source has found
	// whether it exists, or that it may not be read.
	Object(id object.ID) (o *object.Object, answered bool)
	// Supporting returns what the supporting selections of a root have found.
	Supporting(root object.ID) Supporting
	// Follow replaces what is followed for a root, and its facts.
	Follow(root object.ID, d Decision)
}

// Reader asks the cluster once. [find.Finder] is one.
type Reader interface {
	// Read returns the whole object of a root.
	Read(ctx context.Context, id object.ID) (map[string]any, error)
	// Revision reads a stored revision of a Helm release.
	Revision(ctx context.Context, id object.ID) (inventory.HelmRevision, error)
	// Scoped corrects the namespace of an object whose kind is known.
	Scoped(id object.ID) object.ID
	// Elsewhere says in which other namespaces one of these exists, if any.
	Elsewhere(ctx context.Context, places ...inventory.Candidate) string
}

// Root is the root of an inventory.
type Root struct {
	feed.Root
	Object *object.Object // nil if it does not exist, or is not known yet
	// Schemed says that the user named it as an inventory: flux/ks/apps.
	NamedAsInventory bool
	// Change is the number of its last change.
	Change uint64
}

// Supporting is what selections have found that are no members of an inventory, but by
// which its list is decided: the Secrets in which Helm stores a release.
type Supporting struct {
	Objects   []*object.Object
	Answered  bool // by all of their sources
	Forbidden bool // to one of them
}

// Decision is what an inventory lists, as of a change of its root.
type Decision struct {
	Facts
	// Targets are the members, and what the follower itself needs (Supporting). They must
	// not be modified afterwards.
	Targets []inventory.Target
	Change  uint64
	// Hold says that the root's new state is not to be shown yet.
	Hold bool
	// Fixed says that no source delivers the root's object, a Helm release, but
	// that it is Object; nil if it does not exist.
	Fixed  bool
	Object *object.Object
}

// Facts is what the follower knows of a root.
type Facts struct {
	Revision, Target, Pending, Note string
	Given                           feed.GivenStatus
	NeedsMembers                    bool // the user named it: an empty inventory is not what was meant
	Applying                        bool // Target, or Revision, is being applied
	Outdated                        bool // the writer has not taken up what it was asked to apply
}

const (
	setWorkers = 6 // roots that are decided, or fetched for that, at a time
	setRetry   = 2 * time.Second
)

// Follower decides what inventories list. Each root is decided by one goroutine
// at a time, so what belongs to a root needs no lock.
type Follower struct {
	Engine Engine
	Reader Reader
	// Spawn starts a goroutine.
	Spawn func(func())

	changed workqueue.TypedDelayingInterface[object.ID] // from Start on
	sets    sync.Map                                    // object.ID → *set
}

// set is one followed inventory.
type set struct {
	root object.ID
	now  Decision // the last one

	existed bool
	listed  bool           // its list was read once
	unread  bool           // the last time
	body    map[string]any // the root's object, at bodyRV
	bodyRV  string
	former  []*formerMember // removed members
	helm    storage
	sought  bool
	where   string // another namespace that has one
}

// Changed has an inventory decided again. It does not block. Nothing changes
// before Start.
func (f *Follower) Changed(root object.ID) { f.changed.Add(root) }

// Start begins with the roots that are not objects, Helm releases, and goes on
// until the context ends.
func (f *Follower) Start(ctx context.Context, targets []inventory.Target) {
	f.changed = workqueue.NewTypedDelayingQueue[object.ID]()
	for _, t := range targets {
		if t.Scheme == "helm" {
			s := f.set(inventory.HelmReleaseID(t.Namespace, t.Name))
			s.helm.pinned = t.HelmVersion
			s.helm.release = inventory.Release{Namespace: t.Namespace, Name: t.Name}
			s.now.Targets = s.stored(t.Source)
			f.Engine.Follow(s.root, s.now)
		}
	}
	context.AfterFunc(ctx, f.changed.ShutDown)
	for range setWorkers {
		f.Spawn(func() {
			for {
				root, end := f.changed.Get()
				if end {
					return
				}
				f.decide(ctx, root)
				f.changed.Done(root)
			}
		})
	}
}

func (f *Follower) set(root object.ID) *set {
	s, _ := f.sets.LoadOrStore(root, &set{root: root})
	return s.(*set)
}

// decide has followed what a root lists now.
func (f *Follower) decide(ctx context.Context, root object.ID) {
	r, ok := f.Engine.Root(root)
	if !ok { // it is a root no longer
		f.sets.Delete(root)
		f.Engine.Follow(root, Decision{Change: r.Change})
		return
	}
	s := f.set(root)
	s.now.Hold = false
	switch {
	case root == inventory.HelmReleaseID(root.Namespace, root.Name):
		f.decideRelease(ctx, s, r)
	case r.Object == nil: // its members are still followed: they are being deleted
		s.now.Facts = Facts{Given: f.elsewhere(ctx, s, r)}
	default:
		f.decideObject(ctx, s, r)
	}
	if ctx.Err() == nil {
		s.now.Change = r.Change
		f.Engine.Follow(root, s.now)
	}
}

// decideObject decides what a root that exists lists.
func (f *Follower) decideObject(ctx context.Context, s *set, r Root) {
	s.existed, s.unread = true, false
	body, err := f.read(ctx, s, r.Object)
	if err != nil {
		f.unread(s, err)
		return
	}
	source, list := inventory.Decode(r.Object, body)
	if source == nil {
		s.listed = true
		return
	}
	supporting, err := f.addRelease(ctx, s, r, &list)
	if err != nil {
		f.unread(s, err)
		return
	}
	if !list.Source.IsZero() {
		// Its source is followed, too: it may be at another revision, or be asked for
		// one. Until that has been looked at the root is held back.
		supporting = append(supporting,
			inventory.Target{Source: r.Source, ID: list.Source, Supporting: true, In: s.root})
		o, answered := f.Engine.Object(list.Source)
		switch {
		case o == nil && !answered:
			list.Pending = cmp.Or(list.Pending, "its source is being looked at")
			s.now.Hold = true
		case o != nil && list.Behind(o) != "":
			list.Pending, list.Applying, list.Outdated = cmp.Or(list.Pending, list.Behind(o)), false, true
		}
	}
	s.listed = true
	f.follow(s, r, list, supporting)
}

// unread has a root read again whose list cannot be read now. Its members are still
// followed.
func (f *Follower) unread(s *set, err error) {
	s.unread = !s.listed || !kube.IsNotFound(err) // a root that was just deleted lists what it did
	s.now.Facts = Facts{Pending: "what it lists cannot be read: " + object.Clean(kube.ErrorText(err))}
	f.changed.AddAfter(s.root, setRetry)
}

// read returns the root's whole object: as it was watched if it is complete,
// otherwise by a request.
func (f *Follower) read(ctx context.Context, s *set, o *object.Object) (map[string]any, error) {
	if _, whole := o.Tree["metadata"]; whole {
		return o.Tree, nil
	}
	if s.body == nil || s.bodyRV != o.ResourceVersion {
		body, err := f.Reader.Read(ctx, o.ID)
		if err != nil {
			return nil, err
		}
		version, _ := object.At(body, "metadata", "resourceVersion").(string)
		if c, err := resourceversion.CompareResourceVersion(version, o.ResourceVersion); err == nil && c < 0 {
			return nil, errors.New("an older version than is known was read")
		}
		s.body, s.bodyRV = body, o.ResourceVersion
	}
	return s.body, nil
}

// elsewhere names the namespaces of a named inventory that was never found
// where it was looked for. It is looked up once.
func (f *Follower) elsewhere(ctx context.Context, s *set, r Root) feed.GivenStatus {
	if s.unread {
		return feed.GivenStatus{
			Status: status.Unknown, Reason: "UnreadInventory",
			Message: "it was deleted before what it lists could be read",
		}
	}
	if s.existed || !r.NamedAsInventory || !r.ByUser() {
		return feed.GivenStatus{}
	}
	if !s.sought {
		s.sought, s.where = true, f.Reader.Elsewhere(ctx, inventory.Candidate{ID: s.root})
	}
	if s.where == "" {
		return feed.GivenStatus{}
	}
	return feed.GivenStatus{Status: status.NotFound, Reason: "NotFound", Message: s.where}
}
