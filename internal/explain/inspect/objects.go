package inspect

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Objects are the known objects of a kind. They know whether there may be
// others, so that "none of them" cannot be called proven where some are unseen:
// see [Finding.NoneOf].
type Objects struct {
	Items    []*object.Object
	Complete bool // there are no others

	kind   string
	hidden string // why the kind may not be read, or ""
}

// List returns the known objects of a kind. If they are not complete, all are
// asked for, unless they may not be read (RBAC).
func (in *Inspector) List(group, kind, namespace string) Objects {
	list := in.Known(group, kind, namespace)
	id := object.ID{Group: group, Kind: kind, Namespace: namespace}
	in.use(id)
	if !list.Complete && list.hidden == "" {
		in.Need(Need{ID: id})
	}
	return list
}

// Known returns the known objects of a kind, and asks for no others.
func (in *Inspector) Known(group, kind, namespace string) Objects {
	items, complete := in.Snapshot.List(group, kind, namespace)
	list := Objects{Items: items, Complete: complete, kind: kind}
	if !complete {
		list.hidden = in.Snapshot.Hidden(group, kind, namespace)
	}
	return list
}

// NoneOf says that the finding claims something of all objects of a kind: that
// none does, or that these are all. Where some may be unseen the finding is
// likely at best, and says why.
func (f *Finding) NoneOf(list Objects) {
	if list.Complete {
		return
	}
	if f.Certainty == Proven {
		f.Certainty = Likely
	}
	if list.hidden != "" {
		f.Unread = append(f.Unread, wording.PluralOf(list.kind)+": "+list.hidden)
	}
}

// scoped are the kinds that exist for a namespace and, with "Cluster" before their name, for the
// cluster (cert-manager, external-secrets, KEDA). A reference to the wrong one of the two is a
// frequent mistake: the kind defaults to the first.
var scoped = []string{"Issuer", "SecretStore", "TriggerAuthentication"}

// OtherScope adds that an object which does not exist has a namesake of the other scope.
func OtherScope(in *Inspector, f *Finding, id object.ID) {
	kind, clustered := strings.CutPrefix(id.Kind, "Cluster")
	if !slices.Contains(scoped, kind) {
		return
	}
	other := ClusterID(id.Group, "Cluster"+kind, id.Name)
	if clustered {
		other = in.ID(id.Group, kind, id.Name)
	}
	if o := in.Get(other); o != nil {
		f.Also("%s %s exists", o.Kind, o.Name)
		f.ProveOn(o.ID, "metadata.name", o.Name)
	}
}
