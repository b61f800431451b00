// Package inventory answers: which objects do we follow? It reads the SOURCE
// arguments, manifests and kubectl's outputs into targets, and the records that
// an apply left in the cluster (inventories: Flux's, Argo CD's, Helm's …) into
// sets of members, all without a cluster: [Parse] reads what was asked for,
// [Recognise] tells whether an object is the root of an inventory, and the
// [Source] that it finds decodes it. internal/watch looks targets and members up
// and follows them.
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
	// Source is the argument as typed, for messages and for the JSON output:
	// "deploy/web", "-f app.yaml".
	Source string
	// Type is a resource as kubectl takes it: "deploy", "deployments.apps",
	// "deployment.v1.apps", "Certificate.cert-manager.io".
	Type string
	// ID and Version name a manifest's object. ID.Namespace is already the one
	// it will be applied to, should the kind turn out to be namespaced.
	ID      object.ID
	Version string
	// Namespace is where Type is looked up, should it be namespaced.
	// AllNamespaces goes before it.
	Namespace     string
	AllNamespaces bool
	// Guessed says that the namespace is the usual one, where nothing names it.
	Guessed bool
	// Unplaced is what kubectl's text says became of an object whose namespace it
	// does not say: Namespace is where it is looked for first. Zero: it exists.
	Unplaced Outcome
	Name     string
	Selector string // a label selector as kubectl takes it
	// FieldSelector is a field selector of Type, as kubectl takes it.
	FieldSelector string
	All           bool
	// Generation is the generation to wait for, from kubectl apply's own
	// output; 0 means any.
	Generation int64
	Optional   bool // may fail without failing the wait

	// Scheme is the reserved word by which an inventory was named: "helm",
	// "flux/ks", "inventory". Its root is then ID or Type; or Name alone, where
	// the root has to be searched for (see [Target.Candidates]) or is no object at
	// all (a Helm release).
	Scheme string
	// HelmVersion is the revision in helm/RELEASE@REVISION; 0 means the newest.
	HelmVersion int

	// The rest is filled for members of an inventory. In is the root of the one
	// that lists it, Inventory that root in words.
	In        object.ID
	Inventory string
	Filter    Filter // of what a selection finds, these are members
	Note      string
	Told      feed.Told // set for what must not be looked up here
	Said      feed.Said
	// Gone says that it is no longer listed; Kept that it exists all the same,
	// without being deleted.
	Gone, Kept bool
	// Other is the name that is meant if ID.Name is not found: see Member.
	Other string
	// Aside asks for an object, or a selection, that is no member: nobody sees it
	// but the follower of the inventory In.
	Aside bool
	// File, Document and Line say where a manifest's object stands, for
	// messages. Line is 1-based; 0 means unknown.
	File           string
	Document, Line int
}

// Outcome is what a line of kubectl's text says became of an object.
type Outcome uint8

// Of an object that was Applied there is one, of one that was Deleted at most one
// that is terminating, and of one that a dry run Planned none.
const (
	Applied Outcome = iota + 1
	Deleted
	Planned
)
