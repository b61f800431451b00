package inventory

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

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
