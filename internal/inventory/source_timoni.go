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
	Scheme: &Scheme{"timoni/[NAMESPACE/]INSTANCE", 1, 2, func(w []string, t *Target) error {
		t.Scheme, t.ID = "timoni", object.ID{Kind: "Secret", Name: timoniPrefix + w[0]}
		return nil
	}},
	Written: func(root object.ID) string { return strings.TrimPrefix(root.Name, timoniPrefix) },
	Kind:    "Secret", Plural: "secrets", Selector: "app.kubernetes.io/created-by=timoni", Match: timoniSecret, Read: timoniInstance,
	Owners: func(o *object.Object) []Target {
		name := label(o, "instance.timoni.sh/name")
		ns := cmp.Or(label(o, "instance.timoni.sh/namespace"), o.Namespace)
		return []Target{{Source: "timoni/" + name, Scheme: "timoni", Name: name, ID: object.ID{Kind: "Secret", Namespace: ns, Name: timoniPrefix + name}}}
	},
}}

// timoniPrefix begins the names of instances' Secrets.
const timoniPrefix = "timoni."

func timoniSecret(o *object.Object) bool {
	by, _ := o.Label("app.kubernetes.io/created-by")
	if by == "" {
		by, _ = o.Label("app.kubernetes.io/managed-by")
	}
	return strings.HasPrefix(o.Name, "timoni.") && (by == "" || strings.HasPrefix(by, "timoni"))
}

func timoniInstance(o Object) (Set, bool) {
	var s Set
	data, _ := o.at("data").(map[string]any)
	payload, _ := data["instance"].(string)
	if pending, ok := data["pending"].(string); ok && pending != "" {
		payload, s.Pending = pending, "it is being applied"
	}
	if payload == "" {
		return s, false
	}
	raw, err := base64.StdEncoding.DecodeString(payload)
	var instance struct { // values and configuration are not decoded
		LastTransitionTime string `json:"lastTransitionTime"`
		Module             struct {
			Version string `json:"version"`
		} `json:"module"`
		Inventory struct {
			Entries []any `json:"entries"`
		} `json:"inventory"`
	}
	if err != nil || json.Unmarshal(raw, &instance) != nil {
		s.add(unreadable("instance", errors.New("the instance is not the JSON that Timoni writes")))
		return s, true
	}
	s.idEntries(instance.Inventory.Entries)
	s.Revision = object.Clean(instance.Module.Version)
	if o.annotation("status.timoni.sh/deleting") != "" {
		s.Pending = "it is being deleted"
	}
	return s, true
}
