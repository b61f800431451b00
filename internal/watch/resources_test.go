package watch

import "github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"

var deployments = resolve.Builtin("apps", "Deployment")
