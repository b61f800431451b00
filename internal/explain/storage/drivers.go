package storage

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/fields"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// driverMissing finds VolumeMountFailed: the volume's CSI driver is not registered
// on the Pod's node. Nobody retries that into being: the Pod of the DaemonSet that
// should bring it is missing there, or does not run.
func driverMissing(in *inspect.Inspector, vol, driver string) *inspect.Finding {
	node := in.Object.Pod.Node
	f := in.Find(codes.VolumeMountFailed, "volume %s cannot be mounted: CSI driver %s is not registered on node %s",
		vol, driver, node)
	f.Key, f.Shared = driver+" "+node, true
	f.Class = codes.Action
	f.Next = []string{
		wording.Command("", "get", "csinode", node, "-o", "yaml"),
		wording.Command("", "get", "pods", "-A", "-o", "wide", "--field-selector", "spec.nodeName="+node),
	}
	id := inspect.ClusterID("storage.k8s.io", "CSINode", node)
	n := in.Get(id)
	switch {
	case n == nil && in.Absent(id):
		f.ProveAbsent(id)
	case n != nil:
		var have []string
		for _, d := range fields.Each(n.List("spec", "drivers")) {
			have = append(have, d.Str("name"))
		}
		if len(have) == 0 {
			f.ProveUnset(id, "spec.drivers")
			break
		}
		f.ProveOn(id, "spec.drivers[*].name", have[0])
		if !strings.Contains(strings.Join(have, " "), driver) {
			f.Note("it has %s", wording.Names(have, 3))
		}
	}
	bringer(in, f, driver)
	return f
}

// bringer looks for the DaemonSet that brings a driver to nodes, and for its Pod on the
// Pod's node. What is wrong with that one is the cause.
func bringer(in *inspect.Inspector, f *inspect.Finding, driver string) {
	sets := in.List("apps", "DaemonSet", "")
	i := slices.IndexFunc(sets.Items, func(d *object.Object) bool {
		return d.Workload != nil && slices.Contains(d.Workload.CSIDrivers, driver)
	})
	if i < 0 {
		return // it may be brought by other means
	}
	set := sets.Items[i]
	f.Blame(set.ID)
	f.Next = append([]string{wording.Command(set.Namespace, "describe", "daemonset", set.Name)}, f.Next...)
	pods := in.List("", "Pod", set.Namespace)
	for _, p := range pods.Items {
		if by, ok := p.Controller(); ok && by.UID == set.UID && p.Pod != nil && p.Pod.Node == in.Object.Pod.Node {
			f.AddBecause(p.ID)
			f.Also("pod %s of DaemonSet %s should bring it", p.Name, set.Name)
			f.ProveOn(p.ID, "spec.nodeName", p.Pod.Node)
			return
		}
	}
	f.Also("DaemonSet %s brings it and has no pod there", set.Name)
	f.ProveOn(set.ID, "status.desiredNumberScheduled", set.Workload.Desired.Or(0))
	f.NoneOf(pods)
}

// driverVolumes are the kinds in which CSI drivers keep what they know of a volume,
// in the namespace where they are installed: the object's name is the volume's
// handle.
var driverVolumes = map[string]object.ID{
	"driver.longhorn.io":   {Group: "longhorn.io", Kind: "Volume", Namespace: "longhorn-system"},
	"zfs.csi.openebs.io":   {Group: "zfs.openebs.io", Kind: "ZFSVolume", Namespace: "openebs"},
	"local.csi.openebs.io": {Group: "local.openebs.io", Kind: "LVMVolume", Namespace: "openebs"},
	"topolvm.io":           {Group: "topolvm.io", Kind: "LogicalVolume"},
}

// driverVolume asks the driver's own object of a volume that cannot be attached.
func driverVolume(in *inspect.Inspector, f *inspect.Finding, volume string) {
	pv := in.Get(inspect.ClusterID("", "PersistentVolume", volume))
	if pv == nil {
		return
	}
	id := driverVolumes[pv.Str("spec", "csi", "driver")]
	if id.Kind == "" {
		return
	}
	id.Name = pv.Str("spec", "csi", "volumeHandle")
	if id.Name == "" {
		id.Name = volume
	}
	// It may be installed elsewhere.
	all := in.Known(id.Group, id.Kind, "").Items
	for _, o := range all {
		if o.Name == id.Name {
			id = o.ID
		}
	}
	if id.Namespace != "" && in.Absent(id) {
		in.Get(object.ID{Group: id.Group, Kind: id.Kind, Name: id.Name}) // in whatever namespace it is
	}
	f.Next = append([]string{wording.Command(id.Namespace, "describe", wording.Resource(id), id.Name)}, f.Next...)
	if o := in.Get(id); o != nil {
		f.Symptom = true
		f.AddBecause(id)
	}
}

// driverNodes are the kinds in which CSI drivers keep what they know of a node, by the
// node's name, and the conditions that decide whether a volume can be mounted there
// (longhorn v1.9, k8s/pkg/apis/longhorn/v1beta2/node.go; piraeus-operator v2.9,
// api/v1/linstorsatellite_types.go).
var driverNodes = map[string]struct {
	object.ID
	conditions []string
}{
	"driver.longhorn.io": {
		object.ID{Group: "longhorn.io", Kind: "Node", Namespace: "longhorn-system"},
		[]string{"Ready", "MountPropagation", "RequiredPackages", "KernelModulesLoaded", "Multipathd"},
	},
	"linstor.csi.linbit.com": {
		object.ID{Group: "piraeus.io", Kind: "LinstorSatellite"},
		[]string{"Available", "Configured"},
	},
}

// driverNode adds what the driver says of the node on which a volume cannot be mounted.
func driverNode(in *inspect.Inspector, f *inspect.Finding, volume string) {
	pv := in.Get(inspect.ClusterID("", "PersistentVolume", volume))
	if pv == nil {
		return
	}
	kind := driverNodes[pv.Str("spec", "csi", "driver")]
	if kind.Kind == "" {
		return
	}
	id := kind.ID
	id.Name = in.Object.Pod.Node
	for _, o := range in.Known(id.Group, id.Kind, "").Items { // it may be installed elsewhere
		if o.Name == id.Name {
			id = o.ID
		}
	}
	o := in.Get(id)
	if o == nil {
		return
	}
	for _, typ := range kind.conditions {
		x := o.ConditionIs(typ, "False")
		if x == nil || x.Message == "" {
			continue
		}
		says, _, _ := strings.Cut(x.Message, ". ")
		f.Also("%s %s: %s", wording.Resource(id), id.Name, message.Short(says, 110))
		f.ProveCondition(o.ID, x)
		f.Next = append(f.Next, wording.Command(id.Namespace, "describe", wording.Resource(id), id.Name))
		return
	}
}
