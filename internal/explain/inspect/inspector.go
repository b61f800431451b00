package inspect

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/nodefit"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Inspector is the inspection of one object: detectors read facts and write findings
// through it. The snapshot answers with what is known; Get and List also ask for
// what is not.
type Inspector struct {
	Snapshot   *Snapshot
	Object     *object.Object
	Assessment status.Assessment // zero if it is not judged
	Roots      map[object.ID]bool
	Found      []*Finding
	Needs      []Need
	Uses       []object.ID // the objects it asked for, known or not
	RecheckAt  time.Time
	Faults     []Fault // detectors that panicked

	forCause  bool        // see ForCause
	CauseUses []object.ID // the objects that it asked for meanwhile

	controllers map[controllersOf]foundControllers // shared by all objects of a pass

	nodeChecks *nodefit.Checks // shared by all objects of a pass; nil until a Pod needs it
}

// Reset makes an Inspector ready for another object. It keeps its buffers, and what all objects of
// a pass share.
func (in *Inspector) Reset(s *Snapshot) {
	*in = Inspector{
		Snapshot: s, Needs: in.Needs[:0], Uses: in.Uses[:0], CauseUses: in.CauseUses[:0],
		nodeChecks: in.nodeChecks, controllers: in.controllers,
	}
}

// ForCause calls ask, which asks for things that are only needed if a finding on the inspected object
// becomes a cause of its own: until then nothing is requested for it, or kept up to date.
func (in *Inspector) ForCause(ask func()) {
	in.forCause = true
	defer func() { in.forCause = false }()
	ask()
}

// SpecChanges is the last observed change of the field at path of an object's spec: one change, or
// none.
func (in *Inspector) SpecChanges(id object.ID, path string) []revision.Change {
	return slices.DeleteFunc(slices.Clone(in.Snapshot.SpecChanges(id)), func(c revision.Change) bool {
		return c.Path != path
	})
}

// Workload is the workload that a Pod's cause belongs to: the top of its chain
// of controllers among the kinds that make Pods. Of a Pod that is only looked up
// its own controller is known, and no more.
func (in *Inspector) Workload(id object.ID) object.ID {
	for range 4 {
		var up object.ID
		if p := in.Snapshot.Parents(id); len(p) > 0 {
			up = p[0]
		} else if o := in.Snapshot.Object(id); o != nil && o.Pod != nil {
			by, _ := o.Controller()
			up = object.ID{Group: by.Group, Kind: by.Kind, Namespace: id.Namespace, Name: by.Name}
		}
		switch up.GroupKind() {
		case "apps/ReplicaSet", "apps/Deployment", "apps/StatefulSet", "apps/DaemonSet", "batch/Job",
			"batch/CronJob", "ReplicationController":
			id = up
		default:
			return id
		}
	}
	return id
}

// Ancestors are the objects above the inspected one in the tree, the nearest first.
func (in *Inspector) Ancestors() []object.ID {
	up := append(make([]object.ID, 0, 4), in.Snapshot.Parents(in.Object.ID)...)
	for i := 0; i < len(up); i++ {
		for _, a := range in.Snapshot.Parents(up[i]) {
			if len(up) < 64 && !slices.Contains(up, a) {
				up = append(up, a)
			}
		}
	}
	return up
}

// Followed reports whether the inspected object is a root or below one. Otherwise it is only looked
// up, and nobody knows its children.
func (in *Inspector) Followed() bool {
	return in.Roots[in.Object.ID] || slices.ContainsFunc(in.Ancestors(), func(a object.ID) bool { return in.Roots[a] })
}

// Inspect runs a detector on another object, and returns its findings. Its needs
// become those of this object.
func (in *Inspector) Inspect(o *object.Object, detector func(*Inspector)) []*Finding {
	other := &Inspector{Snapshot: in.Snapshot, Object: o}
	detector(other)
	for _, n := range other.Needs {
		in.Need(n)
	}
	return Settle(other.Found)
}

// Nodes are the checks of nodes, shared by all objects of an explanation.
func (in *Inspector) Nodes() *nodefit.Checks {
	if in.nodeChecks == nil {
		pods, all := in.Snapshot.List("", "Pod", "")
		in.nodeChecks = nodefit.NewChecks(pods, func(node string) bool { return all || in.Snapshot.AllOnNode(node) })
	}
	return in.nodeChecks
}

// AskForPodsOn asks for the Pods on a node, of all namespaces, unless they may not be read (RBAC).
// All Pods of a cluster would be too much.
func (in *Inspector) AskForPodsOn(node string) {
	id := object.OnNode(node)
	in.use(id)
	if !in.Snapshot.AllOnNode(node) && in.Snapshot.Hidden(id.Group, id.Kind, "") == "" {
		in.Need(Need{ID: id})
	}
}

func (in *Inspector) Now() time.Time { return in.Snapshot.Now }

// Get returns a known object. One that is neither known nor known to be
// absent becomes a need. A reference does not say whether its kind is
// cluster-scoped: the object may be known without the namespace.
func (in *Inspector) Get(id object.ID) *object.Object {
	in.use(id)
	if o := in.Snapshot.Object(id); o != nil {
		return o
	}
	if id.Namespace != "" && !BuiltinGroup(id.Group) {
		if o := in.Snapshot.Object(ClusterID(id.Group, id.Kind, id.Name)); o != nil {
			return o
		}
	}
	if !in.Absent(id) {
		in.Need(Need{ID: id})
	}
	return nil
}

// Children are the known children of an object. Nobody follows those of one that is only looked up:
// they are asked for if its kind is built in.
func (in *Inspector) Children(id object.ID) []*object.Object {
	o := in.Snapshot.Object(id)
	if o == nil || !o.LookedUp || !BuiltinGroup(id.Group) {
		return in.Snapshot.Children(id)
	}
	var out []*object.Object
	for _, need := range edges.Needs(o) {
		for _, c := range in.List(need.Group, need.Kind, need.Namespace).Items {
			if edges.IsChild(o, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Keep has what ForCause asked for kept up to date, whether or not the finding becomes a cause: it
// rests on it, so that it would be asked for in turns.
func (in *Inspector) Keep() {
	for _, id := range in.CauseUses {
		in.use(id)
	}
}

// use notes a dependency: it must be kept up to date as long as the finding
// lasts.
func (in *Inspector) use(id object.ID) {
	if in.forCause {
		if len(in.CauseUses) < MaxObjects && !slices.Contains(in.CauseUses, id) {
			in.CauseUses = append(in.CauseUses, id)
		}
		return
	}
	if len(in.Uses) < MaxObjects && !slices.Contains(in.Uses, id) {
		in.Uses = append(in.Uses, id)
	}
}

// Absent reports whether an object is known not to exist: by itself, or because
// all of its kind are known.
func (in *Inspector) Absent(id object.ID) bool {
	if !in.Snapshot.Absent(id) {
		list, complete := in.Snapshot.List(id.Group, id.Kind, id.Namespace)
		if !complete || slices.ContainsFunc(list, func(o *object.Object) bool { return o.ID == id }) {
			return false
		}
	}
	in.use(id)
	return true
}

// ProveMissing adds to a finding about an object that a controller did not find what is
// known of that object now. If it does not exist, that is proof. If it exists, whenever it
// was created, the finding says in its title that it was missing and exists now, followed
// by again ("; the kubelet is about to try again"), and has class retries. If its kind may
// not be read, the finding is likely, and says what could not be read.
func (in *Inspector) ProveMissing(f *Finding, id object.ID, again string) {
	if in.Absent(id) {
		f.ProveAbsent(id)
		return
	}
	if o := in.Get(id); o != nil && !o.Created.IsZero() {
		f.ProveOn(id, "metadata.creationTimestamp", o.Created)
		f.Class = codes.Retries
		f.Say("%s %s was missing and exists now%s", id.Kind, id.Name, again)
	} else if in.CouldNotRead(f, wording.PluralOf(id.Kind), id); o == nil && len(f.Unread) > 0 {
		f.Certainty = Likely
	}
}

func (in *Inspector) Need(n Need) {
	n.ForCause = n.ForCause || in.forCause
	if len(in.Needs) < MaxObjects && !slices.Contains(in.Needs, n) {
		in.Needs = append(in.Needs, n)
	}
}

// Events returns an object's events with one of the reasons, newest first.
func (in *Inspector) Events(id object.ID, reasons ...string) (out []object.Event) {
	for _, e := range in.Snapshot.Events(id) {
		if slices.Contains(reasons, e.Reason) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b object.Event) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.UID, b.UID))
	})
	return out
}

// Event returns the newest event about an object that has one of the reasons.
func (in *Inspector) Event(id object.ID, reasons ...string) (e object.Event, ok bool) {
	if list := in.Events(id, reasons...); len(list) > 0 {
		return list[0], true
	}
	return e, false
}

// Obstacles returns the events with one of the reasons that say what the inspected object
// cannot get, newest first, without those whose obstacle has ended since.
func (in *Inspector) Obstacles(reasons ...string) []object.Event {
	return slices.DeleteFunc(in.Events(in.Object.ID, reasons...), func(e object.Event) bool {
		return in.Ended(in.Object.ID, e)
	})
}

// Ended reports whether an object has got since what an event says that it cannot get.
func (in *Inspector) Ended(id object.ID, e object.Event) bool {
	o := in.Snapshot.Object(id)
	return o != nil && kinds.Over(o, e, in.Snapshot.Events(id), in.newestPod(id))
}

// Began is when the series of events of one reason began that an event belongs to, or when what
// they report last ended.
func (in *Inspector) Began(id object.ID, e object.Event) time.Time {
	o := in.Snapshot.Object(id)
	if o == nil {
		return e.First
	}
	return kinds.Began(o, e, in.Snapshot.Events(id), in.newestPod(id))
}

// newestPod is when the newest Pod of an object was made.
func (in *Inspector) newestPod(id object.ID) (at time.Time) {
	for _, c := range in.Children(id) {
		if c.Pod != nil && c.Created.After(at) {
			at = c.Created
		}
	}
	return at
}

// Older reports whether t is at least d ago. If it is not yet, the object is
// inspected again when it is. An unknown time is not old.
func (in *Inspector) Older(t time.Time, d time.Duration) bool {
	if t.IsZero() {
		return false
	}
	if at := t.Add(d); at.After(in.Now()) {
		in.Recheck(at)
		return false
	}
	return true
}

// Patience makes a finding wait as long as t is less than d ago.
func (in *Inspector) Patience(f *Finding, t time.Time, d time.Duration) {
	if !in.Older(t, d) {
		f.Class = codes.Waits
	}
}

// Recheck requests another inspection at a later time.
func (in *Inspector) Recheck(at time.Time) {
	if at.After(in.Now()) && (in.RecheckAt.IsZero() || at.Before(in.RecheckAt)) {
		in.RecheckAt = at
	}
}

// Find starts a finding of a code, with a title as
// for fmt.Sprintf. The caller fills in the rest through the pointer.
func (in *Inspector) Find(code *codes.Code, title string, args ...any) *Finding {
	f := &Finding{
		Code: code, Class: code.Class, Certainty: Proven, Object: in.Object.ID, About: Subject{ID: in.Object.ID},
		Evidence: make([]Evidence, 0, 4),
	}
	f.Say(title, args...)
	in.Found = append(in.Found, f)
	return f
}

// FindMissing starts a finding of a cause that has a kind in code.Lacks: no object of that
// kind has the name. Whether somebody says so is for the caller to find out
// (message.SaysMissing). It sets title, key, proof of the absence (ProveMissing, which has
// again) and the next command; the event and its message are the caller's to add.
func (in *Inspector) FindMissing(code *codes.Code, name, again string) *Finding {
	kind := code.Lacks
	id := ClusterID(kind.Group, kind.Kind, name)
	if kind.Namespaced {
		id.Namespace = in.Object.Namespace
	}
	f := in.Find(code, "%s %s does not exist", id.Kind, id.Name)
	f.Key, f.Shared = strings.TrimSpace(id.Namespace+" "+id.Name), true
	in.ProveMissing(f, id, again)
	f.Next = []string{wording.Command(id.Namespace, "get", wording.PluralOf(id.Kind))}
	return f
}

// FindCondition starts a finding from a condition of the object, which proves and dates it.
func (in *Inspector) FindCondition(code *codes.Code, x *object.Condition, title string, args ...any) *Finding {
	f := in.Find(code, title, args...)
	f.Key = x.Reason
	f.ProveCondition(in.Object.ID, x)
	return f
}

// FindEvent starts a finding from an event, which proves and dates it.
func (in *Inspector) FindEvent(code *codes.Code, e object.Event, title string, args ...any) *Finding {
	f := in.Find(code, title, args...)
	f.ProveEvent(e)
	return f
}

// MostEvidence bounds the proof of a finding.
const MostEvidence = 12

// CouldNotRead adds to a finding that objects of a kind may not be read, and why, if that
// is so. what names them for people: "nodes", "leases in kube-system". The finding stays
// as certain as it is.
func (in *Inspector) CouldNotRead(f *Finding, what string, id object.ID) {
	why := in.Snapshot.Hidden(id.Group, id.Kind, id.Namespace)
	if line := what + ": " + why; why != "" && !slices.Contains(f.Unread, line) {
		f.Unread = append(f.Unread, line)
	}
}

// ID names an object in the inspected object's namespace.
func (in *Inspector) ID(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Namespace: in.Object.Namespace, Name: name}
}

// ClusterID names a cluster-scoped object.
func ClusterID(group, kind, name string) object.ID {
	return object.ID{Group: group, Kind: kind, Name: name}
}

// Kubectl returns a command to copy, with the object's namespace.
func (in *Inspector) Kubectl(args ...string) string {
	if in.Object.GroupKind() == "helm.sh/Release" { // a Helm release is no object that kubectl could show
		return strings.Replace(wording.Command(in.Object.Namespace, "history", in.Object.Name), "kubectl", "helm", 1)
	}
	return wording.Command(in.Object.Namespace, args...)
}

// ProveTaint adds a node's taint as evidence, in kubectl's format.
func (f *Finding) ProveTaint(node object.ID, taint string) {
	i := strings.LastIndexByte(taint, ':')
	key, _, _ := strings.Cut(taint[:max(i, 0)], "=")
	f.ProveOn(node, "spec.taints["+key+"].effect", taint[i+1:])
}

// NewestReplicaSet is the ReplicaSet that a Deployment is rolling out, or nil.
func (in *Inspector) NewestReplicaSet(deployment object.ID) *object.Object {
	return kinds.NewestReplicaSet(slices.Values(in.Children(deployment)))
}
