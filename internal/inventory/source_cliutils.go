package inventory

import (
	"cmp"
	"fmt"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const labelInventoryID = "cli-utils.sigs.k8s.io/inventory-id"

var inventoryScheme = &Scheme{"inventory/[NAMESPACE/]NAME", 1, 2, searched("inventory")}

var cliutilsSources = []Source{
	{
		Name: "ResourceGroup", Short: "inventory", Scheme: inventoryScheme,
		Group: "kpt.dev", Kind: "ResourceGroup", Plural: "resourcegroups", Read: resourceGroup,
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
		Owners: func(o *object.Object) []Target {
			id := annotation(o, "config.k8s.io/owning-inventory")
			return []Target{{Source: "inventory/" + id, Scheme: "inventory", Namespace: o.Namespace, Name: id, AllNamespaces: true}}
		},
	},
	{Name: "Config Sync RootSync", Group: "configsync.gke.io", Kind: "RootSync", Plural: "rootsyncs", Read: configSync},
	{Name: "Config Sync RepoSync", Group: "configsync.gke.io", Kind: "RepoSync", Plural: "reposyncs", Read: configSync},
	{
		Name: "cli-utils inventory", Short: "inventory", Scheme: inventoryScheme,
		Kind: "ConfigMap", Plural: "configmaps", Selector: labelInventoryID, Match: labelled(labelInventoryID), Read: inventoryConfigMap,
	},
}

func resourceGroup(o Object) (Set, bool) {
	var s Set
	type key struct{ group, kind, namespace, name string }
	claims := map[key]any{}
	behind, stale := o.behind()
	for _, r := range o.list("status", "resourceStatuses") {
		claims[key{text(r, "group"), text(r, "kind"), text(r, "namespace"), text(r, "name")}] = r
	}
	s.references(o.list("spec", "resources"), "", func(e any, m *Member) {
		r := claims[key{text(e, "group"), text(e, "kind"), text(e, "namespace"), text(e, "name")}]
		if r == nil || stale {
			return
		}
		// kpt writes "Unknown" for everything, observed or not.
		if word := object.Clean(text(r, "status")); word != "" && word != "Unknown" {
			m.Said = feed.Said{By: "the ResourceGroup", Word: word, Status: status.Status(word)}
		}
		switch {
		case text(r, "actuation") == "Pending":
			s.Pending = "it is being applied"
		case text(r, "actuation") == "Failed":
			m.Note = "could not be applied"
		case text(r, "strategy") == "Delete":
			m.Note = "to be pruned"
		}
	})
	for _, g := range o.list("spec", "subgroups") {
		s.add(checked(Member{ID: object.ID{
			Group: "kpt.dev", Kind: "ResourceGroup", Namespace: cmp.Or(text(g, "namespace"), o.Namespace), Name: text(g, "name"),
		}}, compact(g)))
	}
	if stale {
		s.Pending = behind
	}
	s.Revision = object.Clean(o.annotation("configsync.gke.io/source-hash"))
	return s, true
}

func configSync(o Object) (Set, bool) {
	s := Set{Members: []Member{checked(Member{ID: object.ID{Group: "kpt.dev", Kind: "ResourceGroup", Namespace: o.Namespace, Name: o.Name}}, o.Name)}}
	s.Revision = object.Clean(cmp.Or(o.text("status", "sync", "commit"), o.text("status", "lastSyncedCommit")))
	if last := o.text("status", "source", "commit"); last != "" && last != s.Revision {
		s.Pending = fmt.Sprintf("%s is being synced", revision(last))
	}
	s.unobserved(o)
	return s, true
}

func inventoryConfigMap(o Object) (Set, bool) {
	var s Set
	data, _ := o.at("data").(map[string]any)
	s.idKeys(data)
	return s, true
}
