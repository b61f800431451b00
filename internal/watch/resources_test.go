package watch

import "github.com/kstatus-tui/kstatus-tui/internal/watch/kube"

var deployments = kube.Builtin("apps", "Deployment")
