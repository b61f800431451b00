package explain

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Snapshot is everything that an explanation may know, at one moment. Its
// functions are called many times and should be lookups, not searches; none is
// called after the call that got the snapshot has returned. What they return is not
// written to meanwhile. A nil function
// knows nothing: the explanation degrades and says so, it never fails.
type Snapshot struct {
	Now time.Time

	// Object returns a known object, or nil. It is asked for roots and their
	// descendants, and for what they refer to: nodes, claims, classes, config
	// maps, Secrets (by their metadata), owners, …
	Object func(object.ID) *object.Object
	// Absent reports that an object is known not to exist: a completed list or
	// a GET said so. Unknown is not absent.
	Absent func(object.ID) bool
	// Children returns what the tree shows beneath an object: all known
	// revisions, in stable order. Nil when there are none.
	Children func(object.ID) []*object.Object
	// Parents returns what the tree shows an object under, its canonical parent
	// first.
	Parents func(object.ID) []object.ID
	// Assessment returns the judgement of a known object.
	Assessment func(object.ID) (status.Assessment, bool)
	// Events returns the events about an object, its present UID only, in any
	// order.
	Events func(object.ID) []feed.Event
	// List returns the known objects of a kind in a namespace ("" for all
	// namespaces and for cluster-scoped kinds), in stable order. Complete says
	// that there are no others. It is asked for Nodes, Pods, StorageClasses,
	// ResourceQuotas, IngressClasses, CustomResourceDefinitions, APIServices,
	// webhook configurations and the like; answering nothing is fine.
	List func(group, kind, namespace string) (objects []*object.Object, complete bool)
	// Hidden says why a kind cannot be seen ("user dev cannot list nodes at the
	// cluster scope (RBAC)", "not-served"), or "".
	Hidden func(group, kind, namespace string) string
	// FirstSeen is when this program first observed the object.
	FirstSeen func(object.ID) time.Time
	// ReadyLost counts how often the object went from ready to not ready while
	// this program watched, within the last minutes, and since when it counts.
	ReadyLost func(object.ID) (times int, since time.Time)
	// Manifest returns how kubectl takes the file that a root was read from ("-f",
	// "app.yaml", "-n", "shop"), or nil.
	Manifest func(object.ID) []string
	// Gone is when this program saw the object being deleted; zero when it did
	// not.
	Gone func(object.ID) time.Time
	// Rewritten counts how often the object's spec was changed while this program
	// watched, within the last minutes, and since when it counts.
	Rewritten func(object.ID) (times int, since time.Time)
	// Respecced lists the fields of the object's spec that were changed while this
	// program watched, of those that may be a reason: spec.replicas of a workload,
	// spec.selector and spec.ports of a Service. Of each the last change.
	Respecced func(object.ID) []Change
	// Trouble is the error of the source that a kind comes from, or "".
	Trouble func(group, kind, namespace string) string
	// Deleted returns Pods of a Job that are gone, as they were last seen: the newest
	// first.
	Deleted func(parent object.ID) []*object.Object
	// LogLine returns the decisive line of a container's log: of its previous
	// instance if it was restarted. Unseen says why it cannot be read
	// ("forbidden"). Fresh says that it is of the container's present state;
	// otherwise whoever asks would like it read (again).
	LogLine func(pod object.ID, container string) (line, unseen string, fresh bool)
	// Template returns the pod template of a ReplicaSet or ControllerRevision.
	// One that is known not to be had is empty.
	Template func(object.ID) (Template, bool)
}

// object is a known object, or nil.
func (s *Snapshot) object(id object.ID) *object.Object {
	if s.Object == nil {
		return nil
	}
	return s.Object(id)
}

// Need is something that a detector asked for and that nobody knows yet. A
// Need without a name asks for all objects of the kind in the namespace.
type Need struct {
	object.ID
	// Events asks for the events about the object, not for the object.
	Events bool
	// Log asks for the decisive line of this container's log.
	Log string
	// Template asks for the pod template in the object.
	Template bool
}
