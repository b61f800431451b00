package network

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The ports of a Service against those of its Pods.

// namedPorts finds PortNameMissing: endpoints are ready, but none has a port of
// the name that the Service targets.
func namedPorts(in *inspect.Inspector, s *object.Service, slices_ []*object.Object) {
	if p := kinds.UnservedPort(s, slices_); p != nil && status.NeedsChildren(in.Object) {
		f := in.Find(codes.PortNameMissing, "targetPort %q is no port name of its pods", p.Target)
		f.Key = p.Target
		f.Since = slices_[0].Changed
		f.Changed = in.SpecChanges(in.Object.ID, "spec.ports")
		f.Prove("spec.ports["+cmp.Or(p.Name, strconv.Itoa(int(p.Number)))+"].targetPort", p.Target)
		f.ProveUnset(slices_[0].ID, "ports["+p.Name+"]")
		if pod := somePod(in, slices_); pod != nil {
			var have []string
			for _, c := range pod.Pod.Containers {
				for _, q := range c.Ports {
					if q.Name != "" && !slices.Contains(have, q.Name) {
						have = append(have, q.Name)
						f.ProveOn(pod.ID, "spec.containers[*].ports[*].name", q.Name)
					}
				}
			}
			if len(have) > 0 {
				f.Note("they have %s", wording.Names(have, 4))
			} else {
				f.Note("they name none")
			}
		}
		f.Next = []string{
			in.Kubectl("get", "endpointslices", "-l", "kubernetes.io/service-name="+in.Object.Name, "-o", "yaml"),
		}
	}
}

// numberedPorts finds PortNotDeclared: a number that no container declares. A
// declaration opens nothing, so this is only a hint, and only if the Pods
// declare other ports and no probe uses that one.
func numberedPorts(in *inspect.Inspector, s *object.Service, slices_ []*object.Object) {
	named := func(p object.Port) bool { _, err := strconv.Atoi(p.Target); return p.Target != "" && err != nil }
	if !slices.ContainsFunc(s.Ports, func(p object.Port) bool { return !named(p) }) {
		return
	}
	pod := somePod(in, slices_)
	if pod == nil {
		return
	}
	var declared []string
	probed := map[string]bool{}
	for i := range pod.Pod.Containers {
		c := &pod.Pod.Containers[i]
		if c.Kind != object.MainContainer && c.Kind != object.SidecarContainer {
			continue
		}
		for _, q := range c.Ports {
			declared = append(declared, strconv.Itoa(int(q.Number)))
		}
		for _, p := range [...]*object.Probe{c.Probes.Startup, c.Probes.Readiness, c.Probes.Liveness} {
			if p != nil {
				_, port, _ := strings.Cut(p.What, ":")
				port, _, _ = strings.Cut(port, "/")
				probed[port] = true
			}
		}
	}
	if len(declared) == 0 {
		return
	}
	for _, p := range s.Ports {
		want := p.Target
		if want == "" {
			want = strconv.Itoa(int(p.Number))
		}
		if named(p) || slices.Contains(declared, want) || probed[want] {
			continue
		}
		f := in.Find(codes.PortNotDeclared,
			"no container of its pods declares targetPort %s (they declare %s): a hint, they may listen all the same",
			want, wording.Names(slices.Compact(declared), 4))
		f.Certainty, f.Remark = inspect.Possible, true
		f.Key = want
		f.Since = slices_[0].Changed
		f.Changed = in.SpecChanges(in.Object.ID, "spec.ports")
		f.Prove("spec.ports["+cmp.Or(p.Name, strconv.Itoa(int(p.Number)))+"].targetPort", want)
		for _, port := range slices.Compact(declared) {
			f.ProveOn(pod.ID, "spec.containers[*].ports[*].containerPort", port)
		}
		f.Next = []string{in.Kubectl("port-forward", "pod/"+pod.Name, want)}
		return
	}
}

// somePod is one of the Pods behind a Service, if one is known.
func somePod(in *inspect.Inspector, list []*object.Object) *object.Object {
	for _, x := range list {
		for i := range x.Endpoints.Endpoints {
			if pod := in.Snapshot.Object(x.Endpoints.Endpoints[i].Target); pod != nil && pod.Pod != nil {
				return pod
			}
		}
	}
	return nil
}
