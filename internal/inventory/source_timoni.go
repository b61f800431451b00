package inventory

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

var timoniSources = []Source{{
	Name: "Timoni instance", Short: "timoni",
	Scheme: &Scheme{form: "timoni/[NAMESPACE/]INSTANCE", least: 1, most: 2, read: func(w []string, t *Target) error {
		t.ID = object.ID{Kind: "Secret", Name: timoniPrefix + w[0]}
		return nil
	}},
	NameInSource: func(root object.ID) string { return strings.TrimPrefix(root.Name, timoniPrefix) },
	Kind:         "Secret", Selector: "app.kubernetes.io/created-by=timoni", Match: timoniSecret, decode: timoniInstance,
	InventoriesOf: func(o *object.Object) []Target {
		name := label(o, "instance.timoni.sh/name")
		ns := cmp.Or(label(o, "instance.timoni.sh/namespace"), o.Namespace)
		return []Target{
			{
				Source: "timoni/" + name, Scheme: "timoni", Name: name,
				ID: object.ID{Kind: "Secret", Namespace: ns, Name: timoniPrefix + name},
			},
		}
	},
}}

// timoniPrefix begins the names of instances' Secrets.
const timoniPrefix = "timoni."

func timoniSecret(o *object.Object) bool {
	by := cmp.Or(label(o, "app.kubernetes.io/created-by"), label(o, "app.kubernetes.io/managed-by"))
	return strings.HasPrefix(o.Name, timoniPrefix) && (by == "" || strings.HasPrefix(by, "timoni"))
}

func timoniInstance(s *Set, o *object.Object) {
	data := o.Map("data")
	payload, _ := data["instance"].(string)
	if pending, ok := data["pending"].(string); ok && pending != "" {
		payload, s.Pending = pending, "it is being applied"
	}
	if payload == "" {
		s.none = true
		return
	}
	raw, err := base64.StdEncoding.DecodeString(payload)
	var instance struct { // values and configuration are not decoded
		Module    struct{ Version string }
		Inventory struct{ Entries []any }
	}
	if err != nil || json.Unmarshal(raw, &instance) != nil {
		s.add(unreadable("instance", errors.New("the instance is not the JSON that Timoni writes")))
		return
	}
	s.idEntries(instance.Inventory.Entries)
	s.Revision = instance.Module.Version
	if rootAnnotation(o, "status.timoni.sh/deleting") != "" {
		s.Pending = "it is being deleted"
	}
}
