package inventory

import (
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
	// Pending says in a few words why the list may be incomplete. Empty if the
	// writer has finished.
	Pending string
	// Unlisted says that the root has no list, as opposed to an empty one. An
	// older controller may never write one; then only the root's status counts,
	// unless the user named it as an inventory.
	Unlisted bool
	// Source is the object that Revision comes from (a GitRepository); its own
	// revision is compared with Revision. Zero if there is none.
	Source object.ID
	// Cluster names another cluster that all members are in. Empty means this
	// one.
	Cluster string
	// Told is the inventory's statement about the whole if its root has no
	// status: a ConfigMap whose last change failed.
	Told feed.Told
	// Notes are remarks for the root's row.
	Notes []string
}

// Member is one entry of a list.
type Member struct {
	// ID as recorded. The namespace of a namespaced object may be empty: it is
	// then the inventory's (see Decode).
	ID object.ID
	// Version is a hint only: recorded versions may be out of date.
	Version string
	// Other is an alternative name if the entry's encoding is ambiguous.
	Other string
	// Unreadable is the error of an entry that cannot be parsed. ID.Name is
	// then the printable entry itself.
	Unreadable string
	// Cluster names the other cluster that the object is in; it is not looked
	// up here.
	Cluster string
	// Said is the writer's statement about the object.
	Said feed.Said
	// Optional members may be missing or fail: hooks, objects about to be
	// pruned.
	Optional bool
	Note     string // a short remark: "hook", "to be pruned"
}

// Labels selects members by a label, in some kinds and namespaces.
type Labels struct {
	Selector string
	// Kinds are IDs with group and kind alone. Types are resources as kubectl
	// takes them. If both are empty, every listable kind is meant.
	Kinds []object.ID
	Types []string
	// Namespaces of namespaced kinds. Everywhere means all.
	Namespaces []string
	Everywhere bool
	Filter     Filter
}

// Release names a Helm release and the namespace of its storage.
type Release struct{ Namespace, Name string }

// maxMembers bounds how many entries of one list are followed.
const maxMembers = 20_000

// add appends a member, within the bound.
func (s *Set) add(m Member) {
	if len(s.Members) > maxMembers {
		return
	}
	if len(s.Members) == maxMembers {
		m = unreadable("…", fmt.Errorf("more than %d entries: the rest is not followed", maxMembers))
	}
	s.Members = append(s.Members, m)
}

// note appends a remark.
func (s *Set) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// unreadable is the row of an invalid entry.
func unreadable(entry string, err error) Member {
	const shown = 120
	entry = object.Clean(entry)
	if r := []rune(entry); len(r) > shown {
		entry = string(r[:shown]) + "…"
	}
	if entry == "" {
		entry = "(empty)"
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

func isNamespace(s string) bool { return len(content.IsDNS1123Label(s)) == 0 }

// check returns why a member cannot be an object's name. A valid one is safe to
// print and to use in a URL path.
func (m Member) check() error {
	switch id := m.ID; {
	case id.Kind == "":
		return fmt.Errorf("it has no kind")
	case !isWord(id.Kind):
		return fmt.Errorf("%q cannot be a kind", id.Kind)
	case id.Group != "" && !isGroup(id.Group):
		return fmt.Errorf("%q cannot be an API group", id.Group)
	case id.Namespace != "" && !isNamespace(id.Namespace):
		return fmt.Errorf("%q cannot be a namespace", id.Namespace)
	case id.Name == "":
		return fmt.Errorf("it has no name")
	case len(id.Name) > 253 || id.Name == "." || id.Name == ".." || strings.ContainsAny(id.Name, "/%") || id.Name != object.Clean(id.Name):
		return fmt.Errorf("%q cannot be a name", id.Name)
	}
	return nil
}

// Object is an inventory's root object as JSON, with the types of Unstructured:
// map[string]any, []any, string, bool, nil and Go's numbers.
type Object struct {
	object.ID
	Body map[string]any
}

// at is the value at a path of keys, or nil.
func (o Object) at(path ...string) any { return dig(o.Body, path...) }

func dig(v any, path ...string) any {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// text is the string at a path, or "".
func (o Object) text(path ...string) string { return text(o.Body, path...) }

func text(v any, path ...string) string {
	s, _ := dig(v, path...).(string)
	return s
}

// list is the list at a path, or nil.
func (o Object) list(path ...string) []any {
	l, _ := o.at(path...).([]any)
	return l
}

// number is the integer at a path; false if there is none.
func (o Object) number(path ...string) (int64, bool) {
	switch n := o.at(path...).(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), n == float64(int64(n))
	case int:
		return int64(n), true
	}
	return 0, false
}

func (o Object) label(key string) string      { return o.text("metadata", "labels", key) }
func (o Object) annotation(key string) string { return o.text("metadata", "annotations", key) }

// condition returns the status, reason and message of a condition.
func (o Object) condition(typ string) (is, reason, message string) {
	for _, c := range o.list("status", "conditions") {
		if text(c, "type") == typ {
			return text(c, "status"), object.Clean(text(c, "reason")), object.Clean(text(c, "message"))
		}
	}
	return "", "", ""
}

// behind reports a status that is about an older generation.
func (o Object) behind() (string, bool) {
	generation, ok := o.number("metadata", "generation")
	observed, seen := o.number("status", "observedGeneration")
	if ok && seen && observed < generation {
		return fmt.Sprintf("generation %d has not been worked on yet (observed: %d)", generation, observed), true
	}
	return "", false
}
