package kube

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// DecodeTable decodes the table of one Secret, or its metadata if it is no
// table.
func DecodeTable(data []byte, res Resource) (*object.Object, error) {
	var t metav1.Table
	if err := CheckKind(data, Table, res.ObjectKind(), PartialMetadata); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, err
	}
	if t.Kind != "Table" || len(t.Rows) != 1 {
		return DecodeJSON(data, res, convert.Options{})
	}
	o, err := DecodeJSON(t.Rows[0].Object.Raw, res, convert.Options{})
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	for i, c := range t.ColumnDefinitions {
		if i == len(t.Rows[0].Cells) {
			break
		}
		switch v := t.Rows[0].Cells[i].(type) {
		case string:
			if c.Name == "Type" {
				tree["type"] = object.Clean(v)
			}
		case float64:
			if c.Name == "Data" {
				tree["keys"] = int64(v)
			}
		}
	}
	if len(tree) > 0 {
		o.Tree = tree
	}
	return o, nil
}
