package feed

import (
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Root is something that was asked for: the verdict is taken over the roots.
type Root struct {
	ID      object.ID `json:"id"`
	Version string    `json:"version,omitempty"` // of the API, where it was named
	// Source is the argument that asked for it, as typed: "deploy/web",
	// "-f app.yaml".
	Source string `json:"source,omitempty"`
	// Order is the argument's or the manifest object's place among what was
	// asked for, from 1; objects that one selector found share it. 0 is unknown.
	Order int `json:"order,omitempty"`
	// Generation is the one that was applied, where it is known: an older
	// one is not yet what was asked for. Zero means any.
	Generation int64 `json:"generation,omitempty"`
	Optional   bool  `json:"optional,omitempty"` // may fail without failing the wait
	Removed    bool  `json:"removed,omitempty"`  // no longer asked for (a selector stopped matching, a member was pruned)

	// Inventory names the set that lists it ("Kustomization/apps"), and In is that
	// set's own root object, which it stands under. Both are empty for what no
	// inventory lists. Named says that the user named it all the same.
	Inventory string    `json:"inventory,omitempty"`
	In        object.ID `json:"in,omitzero"`
	Named     bool      `json:"named,omitempty"`
	// Kept says that the set listed it once and no longer does, and that it is
	// nevertheless there, or was until now. It does not count.
	Kept bool   `json:"kept,omitempty"`
	Note string `json:"note,omitempty"` // a few words beside its row
	// Revision is what the set is at, for the root of an inventory. Pending says
	// why its list is not complete: until it is empty, the root is not Current.
	Revision string `json:"revision,omitempty"`
	Pending  string `json:"pending,omitempty"`
	// Told is a status that is known from elsewhere: of a member in another
	// cluster, which is not looked up here, or of a root that has none of its own.
	Told Told `json:"told,omitzero"`
	// Said is what an inventory's writer says of it. It decides nothing; where it
	// differs from what is computed, that is worth a word.
	Said Said `json:"said,omitzero"`
}

// Asked reports whether the user named it, or selected it, rather than an
// inventory that lists it.
func (r *Root) Asked() bool { return r.In.IsZero() || r.Named }

// Told is a status that was read, not computed.
type Told struct {
	Status  status.Status `json:"status,omitempty"`
	Reason  string        `json:"reason,omitempty"`
	Message string        `json:"message,omitempty"`
}

// Said is somebody else's word about an object.
type Said struct {
	By     string        `json:"by,omitempty"`     // who says so: "Argo CD"
	Word   string        `json:"word,omitempty"`   // in their language: "Degraded"
	Status status.Status `json:"status,omitempty"` // in ours, where there is one
}
