package inventory

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Set is the decoded list of one inventory. Nothing of it has been checked
// against a cluster.
type Set struct {
	// Members are listed by name, in the inventory's order.
	Members []Member
	// Labels select further members.
	Labels []Labels
	// Release is the Helm release that holds the list, if Members is empty or
	// the newest revision is pending.
	Release Release
	// Revision is the applied revision: a commit, a release number. Empty if
	// the source has none.
	Revision string
	// Target is the revision that the writer attempts to apply, which may fail.
	// Empty if it is Revision.
	Target string
	// Pending says in a few words why the list may be incomplete. Empty if the
	// writer has finished.
	Pending string
	// Applying says that Pending is about Target (or Revision) itself, which is
	// being applied: otherwise the writer may go on to another one.
	Applying bool
	// Outdated says that the writer has not taken up what it was asked to apply:
	// what the cluster shows is still about an earlier revision.
	Outdated bool
	// Unlisted says that the root has no list, as opposed to an empty one. An
	// older controller may never write one; then only the root's status counts,
	// unless the user named it as an inventory.
	Unlisted bool
	Hidden   bool // it may not be read whether there is a list: only the root's status counts
	// Source is the object that Revision comes from (a GitRepository, a
	// HelmChart). Zero if there is none.
	Source object.ID
	// Taken is the revision of Source that the writer took up last: it is compared
	// with that of Source. Empty if they cannot be compared.
	Taken string
	// Cluster names another cluster that all members are in. Empty means this
	// one.
	Cluster string
	// Given is the inventory's statement about the whole if its root has no
	// status: a ConfigMap whose last change failed.
	Given feed.GivenStatus
	// Notes are remarks for the root's row.
	Notes []string

	none bool // the root holds no inventory
}

// Member is one entry of a list.
type Member struct {
	// ID as recorded. The namespace of a namespaced object may be empty: it is
	// then the inventory's (see Decode).
	ID object.ID
	// Other is the name that the entry means if ID.Name does not exist. Empty
	// if there is only one.
	Other string
	// Version is a hint only: recorded versions may be out of date.
	Version string
	// Unreadable is the error of an entry that cannot be parsed. ID.Name is
	// then the printable entry itself.
	Unreadable string
	// Cluster names the other cluster that the object is in; it is not looked
	// up here.
	Cluster string
	// Reported is the writer's statement about the object.
	Reported feed.ReportedStatus
	// Optional members may be missing or fail: hooks, objects about to be
	// pruned.
	Optional bool
	Note     string // a short remark: "hook", "to be pruned"
}

// Labels selects members by a label, in some kinds and namespaces.
type Labels struct {
	Selector string
	// Kinds are IDs with group and kind alone. If there are none, every listable
	// kind is meant.
	Kinds      []object.ID
	Namespaces []string // of namespaced kinds
	Filter     Filter
}

// Release names a Helm release and the namespace of its storage.
type Release struct{ Namespace, Name string }

// maxMembers bounds how many entries of one list are followed.
const maxMembers = 20_000

// add appends a member, within the bound, with its words fit to print.
func (s *Set) add(m Member) {
	m.Note, m.Cluster, m.Reported.Word = object.Clean(m.Note), object.Clean(m.Cluster), object.Clean(m.Reported.Word)
	if len(s.Members) > maxMembers {
		return
	}
	if len(s.Members) == maxMembers {
		m = unreadable("…", fmt.Errorf("more than %d entries: the rest is not followed", maxMembers))
	}
	s.Members = append(s.Members, m)
}

// object appends an object that is named alone.
func (s *Set) object(id object.ID) { s.add(checked(Member{ID: id}, id.Name)) }

// note appends a remark.
func (s *Set) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// unreadable is the row of an invalid entry.
func unreadable(entry string, err error) Member {
	entry = cmp.Or(object.Clean(entry), "(empty)")
	if r := []rune(entry); len(r) > 120 {
		entry = string(r[:120]) + "…"
	}
	return Member{ID: object.ID{Kind: "Entry", Name: entry}, Unreadable: object.Clean(err.Error())}
}

// checked returns m, or a row with the reason why m is invalid.
func checked(m Member, entry string) Member {
	if err := m.check(); err != nil {
		return unreadable(entry, err)
	}
	return m
}

// isWord reports whether s may be a kind, or a resource as kubectl takes it:
// deploy, deployments.v1.apps, Certificate.cert-manager.io.
func isWord(s string) bool {
	lower := strings.ToLower(s)
	return len(lower) == len(s) && len(content.IsDNS1123Subdomain(lower)) == 0 // ToLower turns U+212A into k
}

// isGroup reports whether s may be an API group.
func isGroup(s string) bool { return len(content.IsDNS1123Subdomain(s)) == 0 }

// isGroupVersion reports whether s may be an apiVersion: v1 or apps/v1.
func isGroupVersion(s string) bool {
	group, version, grouped := strings.Cut(s, "/")
	if !grouped {
		group, version = "", s
	}
	return (group == "" && !grouped || isGroup(group)) && len(content.IsDNS1123Label(strings.ToLower(version))) == 0
}

// notAName returns why no object can have the name, or "". A name is a segment of a
// URL's path; more is not asked of all kinds. It is safe to print.
func notAName(name string) string {
	switch bad := content.IsPathSegmentName(name); {
	case len(bad) > 0:
		return bad[0]
	case len(name) > 253:
		return "is longer than 253 characters"
	case name != object.Clean(name):
		return "has characters that are not printable"
	}
	return ""
}

func isNamespace(s string) bool { return len(content.IsDNS1123Label(s)) == 0 }

// check returns why a member cannot be an object's name. A valid one is safe to
// print and to use in a URL path.
func (m Member) check() error {
	switch id := m.ID; {
	case !isWord(id.Kind):
		return fmt.Errorf("%q cannot be a kind", id.Kind)
	case id.Group != "" && !isGroup(id.Group):
		return fmt.Errorf("%q cannot be an API group", id.Group)
	case id.Namespace != "" && !isNamespace(id.Namespace):
		return fmt.Errorf("%q cannot be a namespace", id.Namespace)
	case id.Name == "" || notAName(id.Name) != "":
		return fmt.Errorf("%q cannot be a name", id.Name)
	}
	return nil
}

// rootLabel and rootAnnotation read a root's tree of fields: there may be nothing
// else of it.
func rootLabel(o *object.Object, key string) string { return o.Str("metadata", "labels", key) }

func rootAnnotation(o *object.Object, key string) string {
	return o.Str("metadata", "annotations", key)
}

// text is the string at a path, or "".
func text(v any, path ...string) string {
	s, _ := object.At(v, path...).(string)
	return s
}

// items is the list at a path.
func items(v any, path ...string) []any {
	list, _ := object.At(v, path...).([]any)
	return list
}

// condition returns the status, reason and message of a root's condition.
func condition(o *object.Object, typ string) (is, reason, message string) {
	for _, c := range o.List("status", "conditions") {
		if text(c, "type") == typ {
			return text(c, "status"), text(c, "reason"), text(c, "message")
		}
	}
	return "", "", ""
}

// behind reports a status that is about an older generation. A condition of the
// present one shows that the writer has seen it: Flux moves
// status.observedGeneration with success alone.
func behind(o *object.Object) (string, bool) {
	generation, ok := object.Integer(object.At(o.Tree, "metadata", "generation"))
	observed, seen := object.Integer(object.At(o.Tree, "status", "observedGeneration"))
	if ok && seen && observed < generation {
		for _, c := range o.List("status", "conditions") {
			if at, ok := object.Integer(object.At(c, "observedGeneration")); ok && at >= generation {
				return "", false
			}
		}
		return fmt.Sprintf("generation %d has not been worked on yet (observed: %d)", generation, observed), true
	}
	return "", false
}
