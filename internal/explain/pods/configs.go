package pods

import (
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a container's configuration needs.

// configError finds ConfigMissing, ConfigKeyMissing, ContainerConfigInvalid and
// ImageRunsAsRoot: the container's configuration cannot be created.
func configError(in *inspect.Inspector, c *object.Container) {
	msg := message.Line(c.State.Message)
	var f *inspect.Finding
	t := message.Config(msg)
	kind, name := t.Object.Kind, t.Object.Name
	switch t.Step {
	case message.RunsAsRoot:
		f = onContainer(in, codes.ImageRunsAsRoot, c, "image of %s runs as root, but runAsNonRoot is set", c.Name)
	case message.UserNotNumber:
		f = onContainer(in, codes.ImageRunsAsRoot, c,
			"image of %s has a user without a number, which runAsNonRoot cannot verify", c.Name)
	case message.KeyMissing:
		f = onContainer(in, codes.ConfigKeyMissing, c, "%s %s has no key %s", kind, name, t.Name)
		f.Key, f.Shared = strings.Join([]string{in.Object.Namespace, kind, name, t.Name}, " "), true
	case message.ObjectMissing:
		f = onContainer(in, codes.ConfigMissing, c, "%s %s does not exist; container %s needs it", kind, name, c.Name)
		f.Key, f.Shared = strings.Join([]string{in.Object.Namespace, kind, name}, " "), true
	default:
		f = onContainer(in, codes.ContainerConfigInvalid, c, "%s cannot be configured: %s", c.Name, msg)
	}
	f.Detail = msg
	f.Since = problemBegan(in, c)
	proveState(in, f, c, "state.waiting")
	if name != "" {
		inspect.LacksConfig(in, f, kind, name)
	}
}
