package inspect

import (
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Snapshot is everything that an explanation may know, at one moment. Its
// functions are called many times and should be lookups, not searches; none is
// called after Explain has returned, and their results are not modified
// meanwhile. None may be nil.
type Snapshot struct {
	Now time.Time

	// Object returns a known object, or nil. It is called for roots and their
	// descendants, and for what they refer to: nodes, claims, classes,
	// ConfigMaps, Secrets (metadata only), owners, …
	Object func(object.ID) *object.Object
	// Absent reports that an object is known not to exist: a completed list or
	// a GET said so. Unknown is not absent.
	Absent func(object.ID) bool
	// Children returns an object's children in the tree: all known revisions,
	// in stable order.
	Children func(object.ID) []*object.Object
	// Walk visits a known object and the known ones below it in the tree, parents first, with
	// the status of each and whether it has children. Below one for which visit returns false
	// it does not go on. It is called for every root, and the most frequent of all questions:
	// it should follow pointers.
	Walk func(root object.ID, visit func(o *object.Object, is status.Status, parent bool) bool)
	// Parents returns an object's parents, the canonical one first.
	Parents func(object.ID) []object.ID
	// Assessment returns the judgement of a known object.
	Assessment func(object.ID) (status.Assessment, bool)
	// Events returns the events of an object's present UID, in any order.
	Events func(object.ID) []object.Event
	// List returns the known objects of a kind in a namespace ("" for all
	// namespaces and for cluster-scoped kinds), in stable order. Complete says
	// that there are no others. It is called for Nodes, Pods, StorageClasses,
	// ResourceQuotas, IngressClasses, CustomResourceDefinitions, APIServices,
	// webhook configurations and the like; an empty answer is fine.
	List func(group, kind, namespace string) (objects []*object.Object, complete bool)
	// AllOnNode reports whether all Pods on a node are known. They are among those that List
	// returns.
	AllOnNode func(node string) bool
	// Hidden says why a kind may not be read ("user dev cannot list nodes at
	// the cluster scope (RBAC)", "not-served"), or "".
	Hidden func(group, kind, namespace string) string
	// FirstSeen is when this program first observed the object.
	FirstSeen func(object.ID) time.Time
	// ReadyLost counts how often the object was observed to lose readiness
	// within the last minutes, and since when it counts.
	ReadyLost func(object.ID) (times int, since time.Time)
	// Manifest returns kubectl's arguments for the file that a root was read
	// from ("-f", "app.yaml", "-n", "shop"), or nil.
	Manifest func(object.ID) []string
	// Gone is when the object was observed to be deleted; zero if it was not.
	Gone func(object.ID) time.Time
	// Rewritten counts observed changes of the object's spec within the last
	// minutes, and since when it counts.
	Rewritten func(object.ID) (times int, since time.Time)
	// SpecChanges lists the observed changes of spec fields that may be a reason:
	// spec.replicas of a workload, spec.selector and spec.ports of a Service.
	// Of each the last change.
	SpecChanges func(object.ID) []revision.Change
	// Trouble is the error of the source that delivers a kind, or "".
	Trouble func(group, kind, namespace string) string
	// Deleted returns a Job's deleted Pods as last seen, newest first.
	Deleted func(parent object.ID) []*object.Object
	// LogLine returns the decisive line of a container's log: of its previous
	// instance if it was restarted. Unseen says why it cannot be read
	// ("forbidden"). Fresh says that it is of the container's present state;
	// otherwise the log should be read (again).
	LogLine func(pod object.ID, container string) (line, unseen string, fresh bool)
	// Complaints are the errors and warnings in the end of a container's log, oldest first: of its
	// present instance, or else of its previous one. Unseen and fresh are as of LogLine.
	Complaints func(pod object.ID, container string) (list []logline.Complaint, unseen string, fresh bool)
	// Template returns the Pod template of a ReplicaSet or ControllerRevision.
	// One that cannot be read is empty.
	Template func(object.ID) (revision.Template, bool)
}

// Need is something that a detector asked for and that is not known yet.
// Without a name it means all objects of the kind in the namespace. See also
// object.OnNode.
type Need struct {
	object.ID
	// Events asks for the object's events, not for the object.
	Events bool
	// Log asks for the decisive line of this container's log.
	Log string
	// Complaints asks for all errors and warnings in the end of that log instead.
	Complaints bool
	// ForCause says that it is only worth asking for if what the object has shows as a cause.
	ForCause bool
	// Template asks for the pod template in the object.
	Template bool
}
