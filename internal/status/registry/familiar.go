package registry

import (
	"slices"
	"strings"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Familiar reports whether an API group is Kubernetes' own, or of a project in
// the registry: its name reveals nothing about the cluster's owner.
func Familiar(group string) bool {
	if !strings.Contains(group, ".") {
		return true // "", apps, batch
	}
	f := familiar()
	return f[group] || f[domainOf(group)]
}

// rented are domains in which every user can have a group.
var rented = []string{"github.com", "github.io", "gitlab.io", "google.com", "azure.com"}

var familiar = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{"k8s.io": true, "kubernetes.io": true, "helm.sh": true}
	for _, r := range registry().rows {
		group := strings.TrimPrefix(r.Group, "*.")
		out[group] = true
		if d := domainOf(group); !slices.Contains(rented, d) {
			out[d] = true
		}
	}
	return out
})

// domainOf is the last two labels of a group.
func domainOf(group string) string {
	if i := strings.LastIndexByte(group, '.'); i > 0 {
		return group[strings.LastIndexByte(group[:i], '.')+1:]
	}
	return group
}

// KindsNamed lists the kinds that the registry knows by a name in any case: their groups and their
// spelling, without a name or namespace. A row for all groups of a domain names none.
func KindsNamed(kind string) []object.ID { return kindsByName()[strings.ToLower(kind)] }

var kindsByName = sync.OnceValue(func() map[string][]object.ID {
	out := map[string][]object.ID{}
	for _, r := range registry().rows {
		if strings.HasPrefix(r.Group, "*.") {
			continue
		}
		for _, kind := range r.Kinds {
			id, low := object.ID{Group: r.Group, Kind: kind}, strings.ToLower(kind)
			if kind != "*" && !slices.Contains(out[low], id) {
				out[low] = append(out[low], id)
			}
		}
	}
	return out
})
