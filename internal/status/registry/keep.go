package registry

// Keep returns the paths outside of status that the row for a kind reads, for
// pruning objects: dotted, from the top, as in "spec.replicas". Lists are
// passed through, "*" is any field, and everything below the end is included.
func Keep(group, kind string) []string {
	r := For(group, kind)
	if r == nil {
		return nil
	}
	var paths []string
	for i := range r.Clauses {
		for j := range r.Clauses[i].tests {
			for _, path := range r.Clauses[i].tests[j].fields() {
				if len(path) < 2 || path[0] == "status" {
					continue
				}
				// An element of a list is reached by the list's name, a field
				// of an object by "*".
				through, star := path[0], path[0]
				for _, field := range path[1:] {
					if field == "[]" {
						star += ".*"
						continue
					}
					through, star = through+"."+field, star+"."+field
				}
				paths = append(paths, through)
				if star != through {
					paths = append(paths, star)
				}
			}
		}
	}
	return paths
}
