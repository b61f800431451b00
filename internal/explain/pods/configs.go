package pods

import (
	"fmt"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a container's configuration needs.

// configError finds ConfigMissing, ConfigKeyMissing, ContainerConfigInvalid and
// ImageRunsAsRoot: the container's configuration cannot be created.
func configError(in *inspect.Inspector, c *object.Container) {
	msg := message.Line(c.State.Message)
	var f *inspect.Finding
	kind, name := "", ""
	switch {
	case strings.Contains(msg, "runAsNonRoot") || strings.Contains(msg, "run as root"):
		f = onContainer(in, codes.ImageRunsAsRoot, c, "image of %s runs as root, but runAsNonRoot is set", c.Name)
		if strings.Contains(msg, "non-numeric user") {
			f.Title = fmt.Sprintf("image of %s has a user without a number, which runAsNonRoot cannot verify", c.Name)
		}
	case strings.Contains(msg, "couldn't find key "):
		key := wording.Between(msg, "couldn't find key ", " in ")
		kind, name, _ = strings.Cut(wording.Between(msg, " in ", ""), " ")
		name = name[strings.LastIndex(name, "/")+1:]
		f = onContainer(in, codes.ConfigKeyMissing, c, "%s %s has no key %s", kind, name, key)
		f.Key, f.Shared = strings.Join([]string{in.Object.Namespace, kind, name, key}, " "), true
	case strings.Contains(msg, "not found"):
		kind, name = inspect.QuotedConfig(msg)
		if name == "" {
			break
		}
		f = onContainer(in, codes.ConfigMissing, c, "%s %s does not exist; container %s needs it", kind, name, c.Name)
		f.Key, f.Shared = strings.Join([]string{in.Object.Namespace, kind, name}, " "), true
	}
	if f == nil {
		f = onContainer(in, codes.ContainerConfigInvalid, c, "%s cannot be configured: %s", c.Name, msg)
	}
	f.Detail = msg
	f.Since = begun(in, c)
	proveState(in, f, c, "state.waiting")
	if name != "" {
		inspect.LacksConfig(in, f, kind, name)
	}
}
