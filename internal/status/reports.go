package status

import "github.com/kstatus-tui/kstatus-tui/internal/object"

// ReportsStatus reads from a CustomResourceDefinition whether objects of its
// kind can have a status. Fields that a structural schema lacks are pruned: a
// kind whose schema has no status, or one without fields, never reports any,
// and an object without one is not waiting for its controller. known is false
// if the schema leaves that open, or there is none.
func ReportsStatus(definition *object.Object) (reports, known bool) {
	if definition == nil {
		return false, false
	}
	for _, v := range definition.List("spec", "versions") {
		schema := asMap(object.At(v, "schema", "openAPIV3Schema"))
		if schema == nil {
			return false, false
		}
		_, subresource := asMap(object.At(v, "subresources"))["status"]
		switch {
		case statusHasFields(asMap(object.At(schema, "properties", "status"))):
			return true, true
		case schema[preserve] == true && subresource:
			return true, true
		case schema[preserve] == true:
			return false, false
		}
		known = true
	}
	return false, known
}

const preserve = "x-kubernetes-preserve-unknown-fields"

// statusHasFields reports whether a status schema permits any field.
func statusHasFields(schema map[string]any) bool {
	return schema[preserve] == true || len(asMap(schema["properties"])) > 0 || schema["additionalProperties"] != nil
}
