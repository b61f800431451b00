package status

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// registryKeep returns the paths outside of status that rules read from an
// object without a typed view, for the decoder to keep: dotted, starting at
// the top, as in "spec.replicas". A path that ends at a map or a list keeps
// all that is below it. They are derived from the rows of the registry.
func registryKeep(group, kind string) []string {
	paths := treeReaderKeeps[object.ID{Group: group, Kind: kind}.GroupKind()]
	r := rowFor(group, kind)
	if r == nil {
		return paths
	}
	for i := range r.clauses {
		for j := range r.clauses[i].atoms {
			a := &r.clauses[i].atoms[j]
			for _, path := range [...][]string{a.path, a.numberPath} {
				if len(path) < 2 || path[0] == "status" {
					continue
				}
				// An element of a list is reached by the list's own name, a
				// field of an object by "*".
				through, star := path[0], path[0]
				for _, field := range path[1:] {
					if field == "[]" {
						star += ".*"
						continue
					}
					through, star = through+"."+field, star+"."+field
				}
				paths = append(paths[:len(paths):len(paths)], through)
				if star != through {
					paths = append(paths, star)
				}
			}
		}
	}
	return paths
}

// treeReaderKeeps are the fields that the readers of built-in kinds without a
// view need beyond what is kept of every kind.
var treeReaderKeeps = map[string][]string{}
