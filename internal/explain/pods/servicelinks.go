package pods

import (
	"regexp"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
)

// linkAddress is the value that Kubernetes gives to the variable NAME_PORT for
// every Service of a namespace (kubernetes v1.36, pkg/kubelet/envvars).
var linkAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`tcp://([0-9a-f.:\[\]]+):(\d+)`) })

// serviceLink adds where an address comes from that a container cannot read: a
// program that reads REDIS_PORT as a number gets tcp://10.96.0.7:6379 where a
// Service is called redis.
func serviceLink(in *inspect.Inspector, f *inspect.Finding, line string) {
	m := linkAddress().FindStringSubmatch(line)
	if m == nil {
		return
	}
	services := in.List("", "Service", in.Object.Namespace).Items
	for _, s := range services {
		if s.Service == nil || s.Service.ClusterIP == "" || s.Service.ClusterIP != strings.Trim(m[1], "[]") {
			continue
		}
		name := strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_")) + "_PORT"
		f.Also("%s=%s comes from Service %s (enableServiceLinks)", name, m[0], s.Name)
		f.Certainty = inspect.Likely
		f.ProveOn(s.ID, "spec.clusterIP", s.Service.ClusterIP)
		f.Next = append(f.Next, in.Kubectl("get", "service", s.Name))
		return
	}
}
