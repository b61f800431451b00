package kinds

import (
	"strconv"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Backend is a Service that an Ingress sends requests to, and its port as written.
type Backend struct {
	Service, Port string
	Path          string // the field of both
	NamedBy       string // the field with the Service's name
	PortBy        string // the field with the port
}

// IngressBackends are the Services that an Ingress names, in the order of its fields. A
// port named use-annotation is none: the AWS Load Balancer Controller takes the action
// from an annotation, and no Service has the name.
//
// Those of v1beta1, which a saved cluster may have, are written in two fields instead of a
// structure.
func IngressBackends(ingress *object.Object) (out []Backend) {
	add := func(path string, v any) {
		if old, _ := object.At(v, "serviceName").(string); old != "" {
			port, _ := object.At(v, "servicePort").(string)
			if n, ok := object.Integer(object.At(v, "servicePort")); ok && n > 0 {
				port = strconv.FormatInt(n, 10)
			}
			if port != "use-annotation" {
				out = append(out, Backend{old, port, path, path + ".serviceName", path + ".servicePort"})
			}
			return
		}
		name, _ := object.At(v, "service", "name").(string)
		port, _ := object.At(v, "service", "port", "name").(string)
		by := "name"
		if n, ok := object.Integer(object.At(v, "service", "port", "number")); ok && n > 0 {
			port, by = strconv.FormatInt(n, 10), "number"
		}
		if name != "" && port != "use-annotation" {
			path += ".service"
			out = append(out, Backend{name, port, path, path + ".name", path + ".port." + by})
		}
	}
	add("spec.defaultBackend", object.At(ingress.Map("spec"), "defaultBackend"))
	add("spec.backend", object.At(ingress.Map("spec"), "backend")) // v1beta1
	for i, rule := range ingress.List("spec", "rules") {
		paths, _ := object.At(rule, "http", "paths").([]any)
		for k, path := range paths {
			add("spec.rules["+strconv.Itoa(i)+"].http.paths["+strconv.Itoa(k)+"].backend", object.At(path, "backend"))
		}
	}
	return out
}

// HasPort reports whether a Service has a port of that name or number; "" means any.
func HasPort(s *object.Service, port string) bool {
	for i := range s.Ports {
		if port == s.Ports[i].Name || port == strconv.Itoa(int(s.Ports[i].Number)) {
			return true
		}
	}
	return port == ""
}
