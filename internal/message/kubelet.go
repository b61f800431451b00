package message

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// Step is a kind of failure at a step of a Pod's life on its node, as the attach-detach
// controller, the kubelet and container runtimes report it.
type Step int

// The kinds.
const (
	OtherStep Step = iota

	StillMounting     // it only takes long: Trouble.Name are the volumes
	AttachedElsewhere // the volume is attached to another node; Trouble.Name are the Pods that use it
	ObjectMissing     // Trouble.Object, a ConfigMap or Secret, does not exist
	KeyMissing        // Trouble.Object has no key Trouble.Name
	DriverMissing     // the CSI driver Trouble.Name is not registered on the node
	PathUnfit         // a hostPath or subPath is not what it must be

	NameReserved // the runtime has not ended an earlier attempt to make the same

	NetworkFailed  // the network plugin Trouble.Name, if the message names it
	TooLittleLimit // the memory limit is too small to set the container up
	RuntimeMissing // the node has no runtime handler Trouble.Name

	RunsAsRoot    // runAsNonRoot forbids it
	UserNotNumber // runAsNonRoot cannot verify it

	CommandMissing    // the command Trouble.Name is not in the image
	CommandForbidden  // it may not be executed
	CommandWrongBuild // it is built for another platform
	ImageDamaged      // a part of the image is missing on the node
	MountRefused      // Trouble.Volume cannot be mounted at the path Trouble.Name in the container
)

// Trouble is what a message says that a Pod lacks.
type Trouble struct {
	Step   Step
	Volume string
	Object Object // its kind and name, or its kind alone
	Name   string
	Reason string // the innermost clause, for a sentence that names the subject itself
}

// Mount reads what the attach-detach controller or the kubelet says of a Pod's volumes
// (kubernetes v1.36, pkg/controller/volume/attachdetach, pkg/kubelet/volumemanager, pkg/volume).
func Mount(text string) Trouble {
	text = Line(text)
	t := Trouble{Volume: Between(text, `for volume "`, `"`), Reason: Reason(text)}
	if _, why, ok := strings.Cut(text, `" : `); ok && t.Volume != "" { // who reports it names the volume
		t.Reason = Reason(why)
	}
	t.Reason, _, _ = strings.Cut(t.Reason, " dmesg(1) may have more information") // of every failed mount
	plain := quotedNames().ReplaceAllString(text, "…")
	t.Object = missingConfig(text)
	switch {
	case containsAny(plain, []string{"Multi-Attach error", "already exclusively attached", "already used by pod"}):
		t.Step, t.Name = AttachedElsewhere, strings.TrimSpace(Between(text, "already used by pod(s) ", ""))
	case containsAny(plain, []string{"non-existent config key", "non-existent secret key"}):
		t.Step, t.Name, t.Object = KeyMissing, Between(text, " key: ", ""), Object{Kind: "ConfigMap"}
		if strings.Contains(plain, "secret key") {
			t.Object.Kind = "Secret"
		}
	case t.Object.Name != "":
		t.Step = ObjectMissing
	case containsAny(plain, []string{"timed out waiting for the condition", "unmounted volumes="}):
		t.Step, t.Name = StillMounting, Between(text, "unmounted volumes=[", "]")
	case strings.Contains(plain, "not found in the list of registered CSI drivers"):
		t.Step, t.Name = DriverMissing, Between(text, "driver name ", " not found")
	case containsAny(plain, []string{"hostPath type check failed", "failed to prepare subPath"}):
		t.Step = PathUnfit
	}
	return t
}

// missingConfig reads `secret "x" not found` and `configmap "x" not found`.
func missingConfig(text string) Object {
	m := configNotFound().FindStringSubmatch(text)
	if m == nil {
		return Object{}
	}
	if strings.EqualFold(m[1], "secret") {
		return Object{Kind: "Secret", Name: m[2]}
	}
	return Object{Kind: "ConfigMap", Name: m[2]}
}

var configNotFound = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(secret|configmap)s? "([^"]+)".{0,40}?\bnot found`)
})

// Sandbox reads why a Pod's sandbox cannot be made: containerd, CRI-O and cri-dockerd.
func Sandbox(text string) Trouble {
	text = unquoted(Line(text))
	t := Trouble{Reason: Reason(text)}
	plain := quotedNames().ReplaceAllString(text, "…")
	plugin := cmp.Or(Between(text, `plugin type="`, `"`), Between(text, `plugin "`, `"`))
	switch {
	case strings.Contains(plain, tooLittleMemory):
		t.Step = TooLittleLimit
	case nameReserved(plain):
		t.Step = NameReserved
	case containsAny(plain, []string{"no runtime for …", "failed to find runtime handler", "RuntimeHandler …"}):
		t.Step = RuntimeMissing
		t.Name = cmp.Or(Between(text, `no runtime for "`, `"`), Between(text, "failed to find runtime handler ", " "),
			Between(text, `RuntimeHandler "`, `"`))
	case plugin != "" || networkWords().MatchString(plain):
		t.Step, t.Name = NetworkFailed, plugin
	}
	return t
}

// networkWords are words of a message about a network: none of them within a name, but for the
// resource of Multus' networks.
var networkWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)(?:^|[\s:(\[])(?:pod|container)? ?(?:network|cni|networkplugin|multus|clusternetwork)(?:[\s:;,)\]]|$)|\bnetwork-attachment-definition`)
})

// tooLittleMemory is runc's message (v1.1 and later) when the process that sets a container up is
// killed at the container's limit.
const tooLittleMemory = "OOM-killed (memory limit too low"

// nameReserved reports whether a runtime refuses to make what it still makes: an earlier request
// ran out of time, and the runtime still works on it (containerd v2.1, internal/registrar; CRI-O
// v1.33, server "name is reserved").
func nameReserved(plain string) bool {
	return containsAny(plain, []string{"is reserved for", "name is reserved"})
}

// Config reads why a container's configuration cannot be made (kubernetes v1.36,
// pkg/kubelet/kuberuntime, pkg/kubelet/kubelet_pods.go).
func Config(text string) Trouble {
	text = Line(text)
	t := Trouble{Reason: Reason(text)}
	plain := quotedNames().ReplaceAllString(text, "…")
	switch {
	case containsAny(plain, []string{"container has runAsNonRoot and", "run as root"}):
		t.Step = RunsAsRoot
		if strings.Contains(plain, "non-numeric user") {
			t.Step = UserNotNumber
		}
	case strings.Contains(plain, "couldn't find key "):
		kind, name, _ := strings.Cut(Between(text, " in ", ""), " ")
		t.Step, t.Name = KeyMissing, Between(text, "couldn't find key ", " in ")
		t.Object = Object{Kind: kind, Name: name[strings.LastIndex(name, "/")+1:]}
	default:
		if t.Object = missingConfig(text); t.Object.Name != "" {
			t.Step = ObjectMissing
		}
	}
	return t
}

// Start reads why a runtime cannot start a container or a command in it (opencontainers/runc v1.3,
// containers/crun v1.22). Older ones quote what they report, CRI-O quotes that again:
//
//	exec: "NAME": executable file not found in $PATH
//	caused "exec: \"NAME\": executable file not found in $PATH"
//
// What has failed stands behind the command, which may be a whole line of a shell.
func Start(text string) Trouble {
	text = Line(text)
	t := Trouble{Reason: Reason(text)}
	after := ""
	if at := execs().FindStringSubmatchIndex(text); at != nil {
		quote := text[at[2]:at[3]]
		if t.Name, after, _ = strings.Cut(text[at[3]:], quote+":"); after == "" {
			t.Name, after, _ = strings.Cut(text[at[3]:], quote)
		}
	}
	if at := mountings().FindStringSubmatch(text); at != nil {
		t.Step, t.Name = MountRefused, at[2]
		if dir := volumeDirs().FindStringSubmatch(at[1]); dir != nil {
			t.Volume = dir[1]
		}
		why := strings.TrimSuffix(strings.TrimRight(text, `\"'⏎ `), ": unknown")
		if _, last, ok := strings.Cut(why[strings.LastIndex(why, ": ")+1:], `caused \`); ok {
			why = last
		}
		t.Reason = strings.Trim(why[strings.LastIndex(why, ": ")+1:], `\"' `)
		return t
	}
	plain := quotedNames().ReplaceAllString(text, "…")
	switch {
	case strings.Contains(plain, tooLittleMemory):
		t.Step = TooLittleLimit
	case nameReserved(plain):
		t.Step = NameReserved
	case strings.Contains(text, "error unpacking image: "): // containerd v2.1, internal/cri/server
		t.Step = ImageDamaged
	case t.Name == "":
	case containsAny(after, []string{"executable file not found", "no such file"}):
		t.Step = CommandMissing
	case strings.Contains(after, "permission denied"):
		t.Step = CommandForbidden
	case WrongBuild(after):
		t.Step = CommandWrongBuild
	}
	return t
}

// mountings is where a runtime names the path in the container at which it cannot mount (runc v1.3
// and v1.0, libcontainer/rootfs_linux.go). The older one quotes what it reports:
//
//	error mounting "/var/lib/kubelet/pods/UID/volumes/…" to rootfs at "/etc/app.conf": mount …: not a directory
//	mounting \"/var/lib/kubelet/pods/UID/volumes/…\" to rootfs \"/var/lib/docker/…\" at \"/etc/app.conf\" caused \"not a directory\"
var mountings = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`mounting \\*"([^"\\]+)\\*" to rootfs (?:\\*"[^"\\]+\\*" )?at \\*"([^"\\]+)`)
})

// volumeDirs is where the kubelet keeps the volumes of a Pod, and the parts of them that a subPath
// names.
var volumeDirs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/(?:volumes/kubernetes\.io~[^/]+|volume-subpaths)/([^/]+)`)
})

// execs is where a runtime names the command: with the quote that begins its name.
var execs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|: |")exec: (\\*")`) })

// WrongBuild reports whether a text is of a command that is built for another platform: the error
// of the kernel, as runtimes and shells print it behind the command.
func WrongBuild(text string) bool { return wrongBuild().MatchString(text) }

var wrongBuild = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^ ?|: |\bcaused:? "?)exec format error\b`)
})
