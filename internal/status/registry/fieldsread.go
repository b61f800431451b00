package registry

// FieldsRead returns the fields outside of status that the rules of a kind read, as paths. Package
// convert drops the other fields of an object. "[]" is any element of a list or field of an object.
func FieldsRead(group, kind string) (paths [][]string) {
	r := For(group, kind)
	if r == nil {
		return nil
	}
	for i := range r.Clauses {
		for _, t := range r.Clauses[i].tests {
			for _, path := range t.fields {
				if len(path) > 1 && path[0] != "status" {
					paths = append(paths, path)
				}
			}
		}
	}
	return paths
}
