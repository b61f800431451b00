package dump

import "k8s.io/apimachinery/pkg/runtime/schema"

// series are the lists of one file in their order. kubectl cluster-info dump, where it
// writes to standard output, begins with the Nodes; then come seven lists for each
// namespace, events first, and Pods last. An empty list does not say whose it is: its
// neighbours do.
type series struct {
	kinds      []schema.GroupKind // of the present namespace; first the Nodes
	namespaces map[string]bool
	is         bool // what cluster-info dump writes
	broken     bool
}

var (
	nodeKind  = schema.GroupKind{Kind: "Node"}
	eventKind = schema.GroupKind{Kind: "Event"}
	podKind   = schema.GroupKind{Kind: "Pod"}
)

func (s *series) add(l *listing) {
	kind := l.kind.GroupKind()
	switch {
	case s.broken:
		return
	case len(s.kinds) == 0 && !s.is:
		s.broken = kind != nodeKind
		s.kinds = append(s.kinds, kind)
		return
	case !s.is:
		if s.is, s.broken = kind == eventKind, kind != eventKind; s.broken {
			return
		}
		l.complete(kindIn{GroupKind: nodeKind})
	}
	if kind == eventKind {
		s.kinds, s.namespaces = nil, map[string]bool{}
	}
	s.kinds = append(s.kinds, kind)
	for ns := range l.namespaces {
		s.namespaces[ns] = true
	}
	if kind != podKind || len(s.namespaces) != 1 {
		return
	}
	for ns := range s.namespaces {
		for _, k := range s.kinds {
			l.complete(kindIn{k, ns})
		}
	}
}
