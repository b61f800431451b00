package kinds

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// BackendHealth is what a load balancer finds of the backends of an Ingress.
type BackendHealth struct {
	// Unhealthy are the backends of which no endpoint passes the health check. The load balancer
	// answers requests for them with 502.
	Unhealthy []string
	// Unknown are those of which it has no result: it has no endpoints of them, or none has been
	// checked yet.
	Unknown []string
	// Known is how many it has a result of.
	Known int
}

// BackendHealthOf reads the annotation in which the controller of Google's load balancers reports
// the health of an Ingress's backends: HEALTHY where one endpoint is (ingress-gce v1.33,
// pkg/backends/backends.go, Health). The backend for requests that no rule matches counts only
// where there is no other.
func BackendHealthOf(ingress *object.Object) (h BackendHealth) {
	text, ok := ingress.Annotation(object.BackendHealth)
	if !ok {
		return h
	}
	var states map[string]string
	if json.Unmarshal([]byte(text), &states) != nil {
		return h
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if strings.Contains(name, "-default-http-backend-") && len(states) > 1 {
			continue
		}
		switch strings.ToUpper(states[name]) {
		case "UNHEALTHY":
			h.Unhealthy = append(h.Unhealthy, name)
			h.Known++
		case "UNKNOWN":
			h.Unknown = append(h.Unknown, name)
		default:
			h.Known++
		}
	}
	return h
}

// BackendNamed is the backend of an Ingress that Google's load balancer calls by a name
// (k8s1-CLUSTER-NAMESPACE-SERVICE-PORT-HASH), or nil. Parts of long names are cut off, and the name
// of a group of nodes has a node port instead.
func BackendNamed(ingress *object.Object, name string) *Backend {
	list := IngressBackends(ingress)
	for i := range list {
		part := "-" + ingress.Namespace + "-" + list[i].Service + "-"
		if _, err := strconv.Atoi(list[i].Port); err == nil {
			part += list[i].Port + "-"
		}
		if strings.Contains(name, part) {
			return &list[i]
		}
	}
	return nil
}
