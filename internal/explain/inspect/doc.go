// Package inspect is what detectors see and write. A detector is a function
//
//	func init() { inspect.Detect(inspect.Detector{Kinds: []string{"ConfigMap"}, Find: unlabelled}) }
//
//	// unlabelled finds LabelMissing.
//	func unlabelled(in *inspect.Inspector) {
//		if _, ok := in.Object.Label("team"); ok {
//			return
//		}
//		f := in.Find(codes.LabelMissing, "ConfigMap %s has no label team", in.Object.Name)
//		f.Also("namespace %s wants one", in.Object.Namespace)
//		f.ProveUnset(in.Object.ID, "metadata.labels[team]")
//		f.Next = []string{in.Kubectl("get", "configmap", in.Object.Name, "--show-labels")}
//	}
//
// The [Inspector] answers with what is known of other objects, and notes what is
// not known as a [Need]: it is fetched, and the object is inspected again. Get, List,
// Children and AskForPodsOn do so; Known and the Snapshot only tell what is known by
// chance, which in a cluster that is followed is little. Every
// [Finding] proves what it says: [Finding.Prove], [Finding.ProveAbsent],
// [Finding.ProveEvent] and the like add [Evidence] that tests check against the
// objects. in.FindCondition and in.FindEvent start a finding with the proof and the
// date of a condition or event; in.FindMissing starts one about an object that does
// not exist, with what is known of that object now. Commands in Next only read;
// [Finding.Offer] adds one that changes the cluster, with its effect. A title is made
// of parts: what is wrong with what (Find, [Finding.Say]), why, a note, and what else
// is known.
//
// That, and a descriptor in package codes, is all that a cause takes.
//
// What hides what is not decided by detectors: each reports what it finds, and
// the descriptors of package codes say which findings make others superfluous
// ([Settle]). Whether a finding is the consequence of one on another object is:
// [Finding.Blame], Because and Absorbs.
package inspect
