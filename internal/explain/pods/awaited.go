package pods

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// awaitedService blames the Service that an init container waits for, where its log line gives only
// the name. "Waiting for migrations" need not mean a Service: that none exists is only reported
// where DNS did not know the name.
func awaitedService(in *inspect.Inspector, f *inspect.Finding, line string) {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\"'`(),;=/", r) })
	for i := 1; i < len(words); i++ {
		before := strings.ToLower(words[i-1])
		unresolved := before == "lookup" || before == "resolve" || before == "enotfound"
		awaited := before == "for" && i > 1 && strings.HasPrefix(strings.ToLower(words[i-2]), "wait")
		id, ok := serviceOfHost(in, words[i])
		if !ok || !unresolved && !awaited {
			continue
		}
		service := in.Get(id)
		switch {
		case service != nil && service.Service != nil && !edges.Selects(service.Service.Selector, in.Object):
			f.Blame(id)
			noEndpointReady(in, f, id)
		case service == nil && unresolved && in.Absent(id):
			f.Also("Service %s does not exist in namespace %s", id.Name, id.Namespace)
			f.ProveAbsent(id)
			f.Class, f.Certainty = codes.Action, inspect.Likely
		}
		return
	}
}

// serviceOfHost is the Service that a host name of a cluster's DNS means: NAME, or NAME.NAMESPACE.svc
// with whatever follows.
func serviceOfHost(in *inspect.Inspector, host string) (id object.ID, ok bool) {
	host, _, _ = strings.Cut(strings.TrimRight(host, ".:"), ":")
	labels := strings.Split(host, ".")
	id = in.ID("", "Service", labels[0])
	if len(labels) > 2 && labels[2] == "svc" {
		id.Namespace = labels[1]
	}
	isName := message.IsName(host) && strings.ContainsAny(host[:1], "abcdefghijklmnopqrstuvwxyz")
	return id, isName && (len(labels) == 1 || len(labels) > 2 && labels[2] == "svc")
}

// noEndpointReady adds that a Service that is only looked up has no ready endpoint.
func noEndpointReady(in *inspect.Inspector, f *inspect.Finding, service object.ID) {
	list := in.List("discovery.k8s.io", "EndpointSlice", service.Namespace)
	own := slices.DeleteFunc(slices.Clone(list.Items), func(o *object.Object) bool {
		return o.Endpoints == nil || o.Endpoints.Service != service.Name
	})
	if list.Complete && len(kinds.EndpointsOf(slices.Values(own)).Ready) == 0 {
		f.Also("Service %s has no ready endpoint", service.Name)
	}
}
