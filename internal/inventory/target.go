// Package inventory answers: which objects do we follow? It reads the SOURCE
// arguments, manifests and kubectl's outputs into targets, and the records that
// an apply left in the cluster (inventories: Flux's, Argo CD's, Helm's …) into
// sets of members, all without a cluster: [Parse] reads what was asked for,
// [Recognise] reports whether an object is the root of an inventory. All that is
// known of a tool's inventories is its [Source]. internal/watch looks targets up
// and follows them; internal/follow decides whenever an inventory changes.
//
// YAML is read by sigs.k8s.io/yaml: first the head of each document (head.go),
// which names the object, and the whole while the first requests run ([Read]).
package inventory

import (
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Target is one thing that was asked for, not yet looked up in a cluster.
// Exactly one of these shapes is filled:
//
//   - a manifest's object: ID and Version (Type is empty; the kind may be
//     unknown to the cluster, which is no error);
//   - TYPE/NAME: Type, Namespace and Name;
//   - TYPE with Selector or All: Type, Namespace, Selector;
//   - everything in a namespace that nothing else owns: All, and no Type.
type Target struct {
	Source string // the argument as typed, for messages and JSON: "deploy/web", "-f app.yaml"
	// Type is a resource as kubectl takes it: "deploy", "deployments.apps",
	// "deployment.v1.apps", "Certificate.cert-manager.io".
	Type string
	// ID and Version name a manifest's object. ID.Namespace is the namespace
	// that it will be applied to if the kind is namespaced.
	ID      object.ID
	Version string
	// Namespace is where Type is looked up if it is namespaced. AllNamespaces
	// takes precedence.
	Namespace     string
	AllNamespaces bool
	Guessed       bool // Namespace is the default, because the input names none
	// Unplaced is the outcome of an object in kubectl's text, which does not
	// name the namespace: Namespace is only tried first. Zero means that the
	// namespace is known.
	Unplaced      Outcome
	Name          string
	Selector      string // a label selector as kubectl takes it
	FieldSelector string // of Type, as kubectl takes it
	All           bool
	Generation    int64 // to wait for, from kubectl apply's own output; 0 means any
	Optional      bool  // may fail without failing the wait

	// Scheme is the reserved word by which an inventory was named: "helm",
	// "flux/ks", "inventory". Its root is ID or Type, or Name alone if the root
	// has to be searched (see [Target.Candidates]) or is not an object (a Helm
	// release).
	Scheme      string
	HelmVersion int // the revision of helm/RELEASE@REVISION; 0 means the newest

	// The remaining fields are for members of an inventory. In is the root that
	// lists it, Inventory its name for people.
	In        object.ID
	Inventory string
	Filter    Filter // selects the members among the objects found
	Note      string
	Given     feed.GivenStatus // set for members that must not be looked up here
	Reported  feed.ReportedStatus
	// Gone says that it is no longer listed; Kept that it still exists without
	// being deleted.
	Gone, Kept bool
	// Supporting marks an object or selection that is not a member: the follower of the
	// inventory In decides by it what In lists, and nobody else sees it.
	Supporting bool
}

// Outcome is what a line of kubectl's text reports about an object.
type Outcome uint8

// An Applied object exists, a Deleted one is at most terminating, and a Planned
// one (dry run) does not exist yet.
const (
	Applied Outcome = iota + 1
	Deleted
	Planned
)
