package inventory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const labelInventoryID = "cli-utils.sigs.k8s.io/inventory-id"

var inventoryScheme = &Scheme{form: "inventory/[NAMESPACE/]NAME", least: 1, most: 2}

var cliutilsSources = []Source{
	{
		Name: "ResourceGroup", Short: "inventory", Scheme: inventoryScheme,
		Group: "kpt.dev", Kind: "ResourceGroup", decode: resourceGroup,
		Candidates: func(t Target) []Candidate {
			id := labelInventoryID + "=" + t.Name
			out := []Candidate{
				{ID: t.at("", "ConfigMap", t.Name), Selector: labelInventoryID},
				{ID: t.at("kpt.dev", "ResourceGroup", t.Name)},
			}
			if selectorWord(id) {
				out = append(out, Candidate{ID: t.at("", "ConfigMap", ""), Selector: id},
					Candidate{ID: t.at("kpt.dev", "ResourceGroup", ""), Selector: id})
			}
			return out
		},
		InventoriesOf: func(o *object.Object) []Target {
			id := annotation(o, "config.k8s.io/owning-inventory")
			return []Target{{Source: "inventory/" + id, Scheme: "inventory", Name: id}}
		},
	},
	{Name: "Config Sync RootSync", Group: "configsync.gke.io", Kind: "RootSync", decode: configSync},
	{Name: "Config Sync RepoSync", Group: "configsync.gke.io", Kind: "RepoSync", decode: configSync},
	{
		Name: "cli-utils inventory", Short: "inventory", Scheme: inventoryScheme,
		Kind: "ConfigMap", Selector: labelInventoryID, Match: labelled(labelInventoryID), decode: inventoryConfigMap,
	},
}

func resourceGroup(s *Set, o *object.Object) {
	claims := map[object.ID]any{}
	_, stale := behind(o)
	for _, r := range o.List("status", "resourceStatuses") {
		claims[reference(r).ID] = r
	}
	s.references(o.List("spec", "resources"), "", func(e any, m *Member) {
		r := claims[m.ID]
		if r == nil || stale {
			return
		}
		// kpt writes "Unknown" for everything, observed or not.
		if word := object.Clean(text(r, "status")); word != "" && word != "Unknown" {
			m.Reported = feed.ReportedStatus{By: "the ResourceGroup", Word: word, Status: status.Status(word)}
		}
		s.did(m, r)
	})
	for _, g := range o.List("spec", "subgroups") {
		s.object(object.ID{
			Group: "kpt.dev", Kind: "ResourceGroup",
			Namespace: cmp.Or(text(g, "namespace"), o.Namespace), Name: text(g, "name"),
		})
	}
	s.Revision = rootAnnotation(o, "configsync.gke.io/source-hash")
}

func configSync(s *Set, o *object.Object) {
	s.object(object.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: o.Namespace, Name: o.Name})
	s.Revision = cmp.Or(o.Str("status", "sync", "commit"), o.Str("status", "lastSyncedCommit"))
	if last := o.Str("status", "source", "commit"); last != "" && last != s.Revision {
		s.Pending = fmt.Sprintf("%s is being synced", ShortRevision(last))
	}
}

// inventoryConfigMap reads the keys of the data, which are id strings. Since 2023
// the values say what was last done with each object.
func inventoryConfigMap(s *Set, o *object.Object) {
	data := o.Map("data")
	for _, id := range slices.Sorted(maps.Keys(data)) {
		var did any
		_ = json.Unmarshal([]byte(text(data, id)), &did)
		s.did(s.addID(id, ""), did)
	}
}

// did reads what was last done with a member.
func (s *Set) did(m *Member, did any) {
	switch {
	case text(did, "strategy") == "Delete":
		m.Note = "to be pruned"
	case text(did, "actuation") == "Failed":
		m.Note = "could not be applied"
	}
	if text(did, "actuation") == "Pending" {
		s.Pending = "it is being applied"
	}
}
