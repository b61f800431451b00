package inventory

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Set is what one inventory lists, decoded. It is a proposal to look things up:
// nothing of it has been checked against a cluster.
type Set struct {
	// Members are listed by name, in the order of the inventory.
	Members []Member
	// Labels find members by a label; they are all followed.
	Labels []Labels
	// Release is the Helm release whose storage holds the set: all of it where
	// Members is empty, and for as long as its newest revision is pending.
	Release Release
	// Revision is what was applied last, or is being applied: a commit, a chart's
	// release number. Empty where the source has none.
	Revision string
	// Pending says why the list is not to be taken for complete, in a few words.
	// Empty means that the writer has finished.
	Pending string
	// Unlisted says that the root has no list at all: not an empty one, but none. It
	// may never have one (an older controller writes none), so nothing but its own
	// status counts, unless it was named as an inventory.
	Unlisted bool
	// Source is the object that Revision comes from (a GitRepository), whose own
	// revision Pending is to be compared with. Zero for none.
	Source object.ID
	// Cluster names the other cluster that all members are in. Empty means this one.
	Cluster string
	// Told is what the inventory says of the whole where its root has no status of
	// its own: a ConfigMap whose last change failed.
	Told feed.Told
	// Notes are remarks worth a word beside the root's row.
	Notes []string
}

// Member is one entry of a list.
type Member struct {
	// ID as recorded. The namespace may be empty for what is namespaced: it is the
	// inventory's then (see Decode).
	ID object.ID
	// Version is a hint: group and kind decide, recorded versions grow stale.
	Version string
	// Other is the name that the entry may mean as well, where its encoding is
	// ambiguous; empty mostly.
	Other string
	// Unreadable says what is wrong with an entry that cannot be read. ID.Name is
	// the entry itself then, made safe to print.
	Unreadable string
	// Cluster names another cluster that the object is in; it must not be looked
	// up here.
	Cluster string
	// Said is what the inventory's writer says of the object.
	Said feed.Said
	// Optional members may be missing or fail: hooks, what is about to be pruned.
	Optional bool
	Note     string // a few words: "hook", "to be pruned"
}

// Labels selects members by a label in some kinds and namespaces.
type Labels struct {
	Selector string
	// Kinds are group and kind each, the other fields empty. Types are resources as
	// kubectl takes them. With neither, every kind that can be listed is meant.
	Kinds []object.ID
	Types []string
	// Namespaces to look in, for kinds that have one. Everywhere means all.
	Namespaces []string
	Everywhere bool
	Filter     Filter
}

// Release names a Helm release and where its storage is.
type Release struct{ Namespace, Name string }

// maxMembers is how many entries of one list are followed.
const maxMembers = 20_000

// add appends a member, as long as there is room.
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

// unreadable is the row of an entry that nobody can follow.
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

// checked is m, or the row that says why m cannot be followed.
func checked(m Member, entry string) Member {
	if err := m.check(); err != nil {
		return unreadable(entry, err)
	}
	return m
}

// isWord says whether s may be a kind, or a resource as kubectl takes it: deploy,
// deployments.v1.apps, Certificate.cert-manager.io.
func isWord(s string) bool {
	lower := strings.ToLower(s)
	return len(lower) == len(s) && len(content.IsDNS1123Subdomain(lower)) == 0 // U+212A becomes a k
}

// isGroup says whether s may be an API group, or a resource as kubectl prints it.
func isGroup(s string) bool { return len(content.IsDNS1123Subdomain(s)) == 0 }

func isNamespace(s string) bool { return len(content.IsDNS1123Label(s)) == 0 }

// check says what keeps an entry from being an object's name. Everything that
// passes is safe to print and to put into a path.
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

// Object is an inventory's root object as JSON, in the shape of Unstructured:
// map[string]any, []any, string, bool, nil, and any of Go's numbers.
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

// number is the integer at a path; false when there is none.
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

// condition is the status, reason and message of a condition.
func (o Object) condition(typ string) (is, reason, message string) {
	for _, c := range o.list("status", "conditions") {
		if text(c, "type") == typ {
			return text(c, "status"), object.Clean(text(c, "reason")), object.Clean(text(c, "message"))
		}
	}
	return "", "", ""
}

// behind says that the root's status is about an older generation.
func (o Object) behind() (string, bool) {
	generation, ok := o.number("metadata", "generation")
	observed, seen := o.number("status", "observedGeneration")
	if ok && seen && observed < generation {
		return fmt.Sprintf("generation %d has not been worked on yet (observed: %d)", generation, observed), true
	}
	return "", false
}
