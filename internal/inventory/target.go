// Package inventory answers: which objects do we follow? It reads the SOURCE
// arguments, manifests and kubectl's outputs into targets, without a cluster;
// internal/watch looks the targets up and follows them.
package inventory

import "github.com/kstatus-tui/kstatus-tui/internal/status"

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
	ID      status.ID
	Version string
	// Namespace is where Type is looked up, should it be namespaced.
	// AllNamespaces goes before it.
	Namespace     string
	AllNamespaces bool
	Name          string
	Selector      string // a label selector as kubectl takes it
	All           bool
	// Generation is the generation to wait for, from kubectl apply's own
	// output; 0 means any.
	Generation int64
	Optional   bool // may fail without failing the wait
	// File, Document and Line say where a manifest's object stands, for
	// messages. Line is 1-based; 0 means unknown.
	File           string
	Document, Line int
}
