package message

import (
	"strings"
	"testing"
)

// podTroubles are messages about a Pod as its components write them. NAME stands for any name
// in them, IMAGE for an image, PORT for a port or another number.
var podTroubles = []struct {
	parse func(string) Trouble
	text  string
	want  Step
	name  string // Trouble.Name
}{
	{Mount, `Multi-Attach error for volume "NAME" Volume is already exclusively attached to one node and can't be attached to another`, AttachedElsewhere, ""},
	{Mount, `Multi-Attach error for volume "NAME" Volume is already used by pod(s) NAME`, AttachedElsewhere, "NAME"},
	{Mount, `MountVolume.SetUp failed for volume "NAME" : references non-existent config key: PORT`, KeyMissing, "PORT"},
	{Mount, `MountVolume.SetUp failed for volume "NAME" : references non-existent secret key: PORT`, KeyMissing, "PORT"},
	{Mount, `MountVolume.SetUp failed for volume "v" : configmap "NAME" not found`, ObjectMissing, ""},
	{Mount, `MountVolume.SetUp failed for volume "NAME" : secret "s" not found`, ObjectMissing, ""},
	{Mount, `Unable to attach or mount volumes: unmounted volumes=[NAME], unattached volumes=[NAME kube-api-access-x]: timed out waiting for the condition`, StillMounting, "NAME"},
	{Mount, `MountVolume.MountDevice failed for volume "NAME" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name NAME not found in the list of registered CSI drivers`, DriverMissing, "NAME"},
	{Mount, `MountVolume.SetUp failed for volume "NAME" : hostPath type check failed: /var/NAME is not a directory`, PathUnfit, ""},
	{Mount, `MountVolume.SetUp failed for volume "NAME" : mount failed: exit status 32: access denied by server NAME:PORT`, OtherStep, ""},
	{Mount, `AttachVolume.Attach failed for volume "NAME" : rpc error: code = Internal desc = disk NAME is in another zone`, OtherStep, ""},

	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "NAME": plugin type="calico" failed (add): connection refused`, NetworkFailed, "calico"},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to set up sandbox container "NAME" network for pod "NAME": add cmd: failed to assign an IP address to container`, NetworkFailed, ""},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create pod network sandbox k8s_NAME_a_e7d1(PORT): Multus: x`, NetworkFailed, ""},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "NAME": name "NAME" is reserved for "PORT"`, NameReserved, ""},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create sandbox container k8s_NAME_PORT: device busy`, OtherStep, ""},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox image "IMAGE": failed to pull image`, OtherStep, ""},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "NAME" is configured`, RuntimeMissing, "NAME"},
	{Sandbox, `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to find runtime handler NAME from runtime list map[runc:0xc0003]`, RuntimeMissing, "NAME"},
	{Sandbox, `Failed to create pod sandbox: runc create failed: unable to start container process: container init was OOM-killed (memory limit too low?)`, TooLittleLimit, ""},

	{Config, `container has runAsNonRoot and image will run as root (pod: "NAME_a(PORT)", container: NAME)`, RunsAsRoot, ""},
	{Config, `container has runAsNonRoot and image has non-numeric user (NAME), cannot verify user is non-root (pod: "NAME", container: NAME)`, UserNotNumber, ""},
	{Config, `couldn't find key PORT in ConfigMap a/NAME`, KeyMissing, "PORT"},
	{Config, `secret "NAME" not found`, ObjectMissing, ""},
	{Config, `failed to sync configmap cache: NAME`, OtherStep, ""},

	{Start, `failed to create containerd task: runc create failed: exec: "NAME": executable file not found in $PATH: unknown`, CommandMissing, "NAME"},
	{Start, `failed to create containerd task: runc create failed: exec: "NAME": permission denied: unknown`, CommandForbidden, "NAME"},
	{Start, `failed to create containerd task: exec: "NAME": exec format error`, CommandWrongBuild, "NAME"},
	{Start, `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error mounting "/var/lib/kubelet/pods/7/volumes/kubernetes.io~configmap/conf" to rootfs at "NAME": mount /var/lib/kubelet/pods/7/volumes/kubernetes.io~configmap/conf:/etc/app (via /proc/self/fd/6), flags: 0x5001: not a directory: unknown`, MountRefused, "NAME"},
	{Start, `oci runtime error: container_linux.go:247: starting container process caused "process_linux.go:364: container init caused \"rootfs_linux.go:54: mounting \\\"/var/lib/kubelet/pods/7/volumes/kubernetes.io~configmap/conf\\\" to rootfs \\\"/var/lib/docker/overlay2/b/merged\\\" at \\\"NAME\\\" caused \\\"not a directory\\\"\""`, MountRefused, "NAME"},
	{Start, `failed to create task for container NAME of IMAGE: context deadline exceeded`, OtherStep, ""},
}

// schedules are reasons of the scheduler.
var schedules = []struct {
	text string
	want Filter
}{
	{`0/3 nodes are available: 3 Insufficient NAME.`, TooLittle},
	{`0/3 nodes are available: 3 node(s) had untolerated taint {NAME: PORT}.`, Taint},
	{`0/3 nodes are available: 3 node(s) had untolerated taint(s).`, Taint},
	{`0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.`, NodeLabels},
	{`0/3 nodes are available: persistentvolumeclaim "NAME" not found.`, ClaimMissing},
	{`0/3 nodes are available: persistentvolumeclaim "NAME" is being deleted.`, ClaimDeleting},
	{`0/3 nodes are available: persistentvolumeclaim "NAME" bound to non-existent persistentvolume "NAME".`, ClaimTrouble},
	{`0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints.`, Spread},
	{`0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints (missing required label).`, SpreadUnlabelled},
	{`0/3 nodes are available: 3 node(s) didn't match pod affinity rules.`, Affinity},
	{`0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.`, AntiAffinity},
	{`0/3 nodes are available: 3 node(s) didn't match pod affinity/anti-affinity rules.`, AntiAffinity},
	{`0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.`, OthersAntiAffinity},
	{`0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.`, ClaimsUnbound},
	{`0/3 nodes are available: 3 node(s) had volume node affinity conflict.`, VolumeElsewhere},
	{`0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports.`, PortsTaken},
	{`0/3 nodes are available: 3 Too many pods.`, PodCount},
	{`0/3 nodes are available: resourceclaim "NAME" not found.`, DeviceTaken},
}

func TestMissingObjectsOfAPodAreParsedFromMessages(t *testing.T) {
	for _, c := range podTroubles {
		if got := c.parse(c.text); got.Step != c.want || c.name != "" && got.Name != c.name {
			t.Errorf("%s\n is %d of %q, want %d of %q", c.text, got.Step, got.Name, c.want, c.name)
		}
	}
	for _, c := range schedules {
		if got := ParseSchedule(c.text); len(got) != 1 || got[0].Filter != c.want {
			t.Errorf("%s\n is %+v, want %d", c.text, got, c.want)
		}
	}
}

// No name, image or number that is put into a message makes it another kind.
func FuzzNoNameChangesWhatAPodLacks(f *testing.F) {
	words := []string{
		"network", "cni", "multus", "plugin", "not-found", "secret", "configmap", "runtimeclass.node.k8s.io", "oom-killed", "insufficient", "taint", "root",
		"run-as-root", "multi-attach", "404", "exec", "permission-denied", "unmounted", "map", "network-attachment-definition",
	}
	for i, w := range words {
		f.Add(w, words[(i+7)%len(words)], uint16(40404+i))
	}
	f.Add(strings.Repeat("m", 253), "v1", uint16(443)) // the longest name
	f.Fuzz(func(t *testing.T, name, tag string, port uint16) {
		name, tag = asName(name), asName(tag)
		if name == "" || tag == "" {
			return
		}
		fill := strings.NewReplacer("NAME", name, "IMAGE", "registry.corp.io:5000/"+name+":"+tag, "PORT", tag)
		for _, c := range podTroubles {
			text := fill.Replace(c.text)
			if got := c.parse(text); got.Step != c.want || c.name != "" && got.Name != fill.Replace(c.name) {
				t.Fatalf("%s\n is %d of %q, want %d", text, got.Step, got.Name, c.want)
			}
		}
		for _, c := range refused {
			if got := Refused(fill.Replace(c.text)); got.Refusal != c.want.Refusal {
				t.Fatalf("%s\n is %+v, want %d", fill.Replace(c.text), got, c.want.Refusal)
			}
		}
		for _, c := range schedules {
			text := fill.Replace(c.text)
			if got := ParseSchedule(text); len(got) != 1 || got[0].Filter != c.want {
				t.Fatalf("%s\n is %+v, want %d", text, got, c.want)
			}
		}
	})
}

// asName makes a name as objects have it: a DNS subdomain of at most 253 characters.
func asName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, s)
	var labels []string
	for label := range strings.SplitSeq(s, ".") {
		if label = strings.Trim(label, "-"); label != "" {
			labels = append(labels, label)
		}
	}
	name := strings.Join(labels, ".")
	return strings.TrimRight(name[:min(len(name), 253)], "-.")
}
