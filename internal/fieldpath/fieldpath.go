// Package fieldpath reads the paths of jsonpath and custom-columns, as kubectl
// accepts them.
package fieldpath

import (
	"fmt"
	"regexp"

	"k8s.io/client-go/util/jsonpath"
)

// relaxed is kubectl's jsonRegexp (pkg/cmd/get/customcolumn.go).
var relaxed = regexp.MustCompile(`^(?:\{\.?([^{}]+)\}|\.?([^{}]+))$`)

// Parse reads a path in any form that kubectl accepts: {.a.b}, {a.b}, .a.b and a.b.
// A field that does not exist is no error when the path is evaluated.
func Parse(text string) (*jsonpath.JSONPath, error) {
	m := relaxed.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is no path like {.status.phase}", text)
	}
	path := jsonpath.New("path").AllowMissingKeys(true)
	return path, path.Parse("{." + m[1] + m[2] + "}")
}
