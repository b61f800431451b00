package dump

import "k8s.io/apimachinery/pkg/runtime/schema"

// clusterInfoLists recognises the output of kubectl cluster-info dump in one file by the order of
// its lists, and finds which kinds it has completely. The command writes the list of Nodes. Then it
// writes seven lists for each namespace: Events first, Pods last. A list names its namespace only
// by its items. So an empty list belongs to the namespace of the lists around it.
type clusterInfoLists struct {
	kinds      []schema.GroupKind // of the lists of the current namespace; Node before the first namespace
	namespaces map[string]bool    // that the items of these lists are in; more than one is another file
	recognised bool               // the first list was of Nodes, the second of Events
	other      bool               // the file is not that output
}

var (
	nodeKind  = schema.GroupKind{Kind: "Node"}
	eventKind = schema.GroupKind{Kind: "Event"}
	podKind   = schema.GroupKind{Kind: "Pod"}
)

// add takes the next list. After a namespace's last list, Pods, it marks the kinds of that namespace
// as complete.
func (s *clusterInfoLists) add(l *listing) {
	kind := l.kind.GroupKind()
	switch {
	case s.other:
		return
	case len(s.kinds) == 0 && !s.recognised:
		s.other = kind != nodeKind
		s.kinds = append(s.kinds, kind)
		return
	case !s.recognised:
		if s.recognised, s.other = kind == eventKind, kind != eventKind; s.other {
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
