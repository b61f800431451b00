package feed

import (
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Root is a followed object: the verdict is over the roots.
type Root struct {
	ID      object.ID `json:"id"`
	Version string    `json:"version,omitempty"` // API version, if it was given
	// Source is the argument that named it, as typed: "deploy/web", "-f
	// app.yaml".
	Source string `json:"source,omitempty"`
	// Order is the position of the argument or the manifest's object, from 1;
	// objects found by one selector share it. 0 is unknown.
	Order int `json:"order,omitempty"`
	// Generation is the applied generation, if known: an older one is not the
	// applied object yet. Zero means any.
	Generation int64 `json:"generation,omitempty"`
	Optional   bool  `json:"optional,omitempty"` // may fail without failing the wait
	// no longer followed (a selector stopped matching, a member was pruned)
	Removed bool `json:"removed,omitempty"`

	// Inventory names the inventory that lists it ("Kustomization/apps"), and
	// In is that inventory's root, its parent in the tree. Both are empty if
	// none does. Named says that the user named it as well.
	Inventory string    `json:"inventory,omitempty"`
	In        object.ID `json:"in,omitzero"`
	Named     bool      `json:"named,omitempty"`
	// Kept says that the inventory listed it and no longer does, while it still
	// exists, or did until now. It does not count.
	Kept bool   `json:"kept,omitempty"`
	Note string `json:"note,omitempty"` // a remark for its row
	// Of an inventory's root: the applied revision, and the one that is attempted
	// instead; why its list is incomplete (it is not Current until this is empty),
	// whether that is because it is being applied, and whether the writer has not
	// even taken up what it was asked to apply.
	Revision string `json:"revision,omitempty"`
	Target   string `json:"target,omitempty"`
	Pending  string `json:"pending,omitempty"`
	Applying bool   `json:"applying,omitempty"`
	Outdated bool   `json:"outdated,omitempty"`
	// Given is a status that is not computed here: of a member in another cluster, or of
	// a root that is no object, or has no status.
	Given GivenStatus `json:"told,omitzero"`
	// Reported is the status that an inventory's writer reports. It decides
	// nothing; a difference is noted.
	Reported ReportedStatus `json:"said,omitzero"`
}

// ByUser reports whether the user named or selected it, as opposed to a member
// of an inventory.
func (r *Root) ByUser() bool { return r.In.IsZero() || r.Named }

// GivenStatus is a status that was read, not computed.
type GivenStatus struct {
	Status  status.Status `json:"status,omitempty"`
	Reason  string        `json:"reason,omitempty"`
	Message string        `json:"message,omitempty"`
}

// ReportedStatus is another program's status of an object.
type ReportedStatus struct {
	By     string        `json:"by,omitempty"`     // the program: "Argo CD"
	Word   string        `json:"word,omitempty"`   // its own word: "Degraded"
	Status status.Status `json:"status,omitempty"` // the corresponding status, if any
}
