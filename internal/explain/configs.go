package explain

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a container's configuration needs.

// configError finds ConfigMissing, ConfigKeyMissing, ContainerConfigInvalid and
// ImageRunsAsRoot: the container's configuration cannot be created.
func (l *look) configError(c *object.Container) {
	msg := headline(c.State.Message)
	var f *Finding
	kind, name := "", ""
	switch {
	case strings.Contains(msg, "runAsNonRoot") || strings.Contains(msg, "run as root"):
		f = l.on("ImageRunsAsRoot", c, "image of %s runs as root, but runAsNonRoot is set", c.Name)
		if strings.Contains(msg, "non-numeric user") {
			f.Title = fmt.Sprintf("image of %s has a user without a number, which runAsNonRoot cannot verify", c.Name)
		}
	case strings.Contains(msg, "couldn't find key "):
		key := between(msg, "couldn't find key ", " in ")
		kind, name, _ = strings.Cut(between(msg, " in ", ""), " ")
		name = name[strings.LastIndex(name, "/")+1:]
		f = l.on("ConfigKeyMissing", c, "%s %s has no key %s", kind, name, key)
		f.Key, f.Shared = strings.Join([]string{l.o.Namespace, kind, name, key}, " "), true
	case strings.Contains(msg, "not found"):
		kind, name = quoted(msg)
		if name == "" {
			break
		}
		f = l.on("ConfigMissing", c, "%s %s does not exist; container %s needs it", kind, name, c.Name)
		f.Key, f.Shared = strings.Join([]string{l.o.Namespace, kind, name}, " "), true
	}
	if f == nil {
		f = l.on("ContainerConfigInvalid", c, "%s cannot be configured: %s", c.Name, msg)
	}
	f.Detail = msg
	f.Since = l.begun(c)
	l.state(f, c, "state.waiting")
	if name != "" {
		l.lacksConfig(f, kind, name)
	}
}

// lacksConfig adds what is known about a ConfigMap or Secret that a Pod lacks:
// that it, or a key of it, does not exist, and what should create it.
func (l *look) lacksConfig(f *Finding, kind, name string) {
	if id := l.id("", kind, name); f.Code == "ConfigKeyMissing" || f.Code == "VolumeKeyMissing" {
		l.object(id)
		f.Next = append(f.Next, l.kubectl("describe", strings.ToLower(kind), name)) // describe shows its keys; of a Secret no values
	} else {
		l.missing(f, id, "; the kubelet is about to try again")
		f.Next = append(f.Next, l.kubectl("get", strings.ToLower(kind)+"s")) // it may have another name
	}
	if kind == "Secret" {
		f.Because = append(f.Because, l.makers(name)...)
		f.Symptom = len(f.Because) > 0
	}
}

// makers lists the objects that should create a Secret: their specs name it as
// target.
func (l *look) makers(name string) []object.ID {
	var out []object.ID
	for _, m := range secretMakers {
		objects, _ := l.s.List(m.group, m.kind, l.o.Namespace)
		for _, o := range objects {
			target := o.Str(m.path...)
			if target == "" && m.ownName {
				target = o.Name
			}
			if target == name {
				out = append(out, o.ID)
			}
		}
	}
	return out
}

// quoted parses `secret "x" not found` and `configmap "x" not found`.
func quoted(msg string) (kind, name string) {
	low := strings.ToLower(msg)
	for _, k := range [...]struct{ word, kind string }{{`secret "`, "Secret"}, {`secrets "`, "Secret"}, {`configmap "`, "ConfigMap"}, {`configmaps "`, "ConfigMap"}} {
		if i := strings.Index(low, k.word); i >= 0 {
			if n, _, ok := strings.Cut(msg[i+len(k.word):], `"`); ok {
				return k.kind, n
			}
		}
	}
	return "", ""
}
