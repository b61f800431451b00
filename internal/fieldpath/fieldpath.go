// Package fieldpath reads the paths of jsonpath and custom-columns, as kubectl
// accepts them.
package fieldpath

import (
	"fmt"
	"regexp"

	"k8s.io/client-go/util/jsonpath"
)

// pathForm matches the forms of a path; it is kubectl's jsonRegexp (pkg/cmd/get/customcolumn.go).
var pathForm = regexp.MustCompile(`^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$`)

// Parse reads a path in any form that kubectl accepts: {.a.b}, {a.b}, .a.b and a.b.
// A field that does not exist is no error when the path is evaluated.
func Parse(text string) (*jsonpath.JSONPath, error) {
	m := pathForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is no path like {.status.phase}", text)
	}
	parser, err := jsonpath.Parse("path", "{."+m[1]+m[2]+"}")
	if err != nil {
		return nil, err
	}
	if err := check(parser.Root); err != nil {
		return nil, err
	}
	path := jsonpath.New("path").AllowMissingKeys(true)
	return path, path.Parse("{." + m[1] + m[2] + "}")
}

// A path visits each field once, but for two things: ".." visits a field once for
// each of its ancestors, so that several of them multiply by the depth of the
// object, and the members of a union may repeat. client-go's evaluation holds all
// results of each step. wait --for evaluates a path after every change.
const (
	maxDescents = 2   // ".." in a path
	maxUnion    = 100 // the product of the members of its unions
)

// check refuses a path that takes too many steps.
func check(path jsonpath.Node) error {
	descents, union := 0, 1
	var visit func(n jsonpath.Node)
	visit = func(n jsonpath.Node) {
		switch n := n.(type) {
		case *jsonpath.ListNode:
			for _, x := range n.Nodes {
				visit(x)
			}
		case *jsonpath.FilterNode:
			visit(n.Left)
			visit(n.Right)
		case *jsonpath.UnionNode:
			union = min(union*max(len(n.Nodes), 1), maxUnion+1)
			for _, x := range n.Nodes {
				visit(x)
			}
		case *jsonpath.RecursiveNode:
			descents++
		}
	}
	visit(path)
	switch {
	case descents > maxDescents:
		return fmt.Errorf("it has more than %d \"..\"", maxDescents)
	case union > maxUnion:
		return fmt.Errorf("its unions have more than %d combinations", maxUnion)
	}
	return nil
}
