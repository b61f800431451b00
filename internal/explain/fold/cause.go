package fold

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Symptom is a finding that a cause explains.
type Symptom struct {
	Ref   object.ID `json:"ref"`
	Code  string    `json:"code"`
	Title string    `json:"title"`
}

// Cause is one reason why something is not Current, as in the JSON output. A
// receiver may keep it, and must not modify its slices.
type Cause struct {
	ID        string            `json:"id"`   // constant while the cause lasts
	Code      string            `json:"code"` // from the published list
	Title     string            `json:"title"`
	Detail    string            `json:"detail,omitempty"`
	Class     codes.Class       `json:"class"`
	Certainty inspect.Certainty `json:"certainty"`
	Since     time.Time         `json:"since,omitzero"`
	Count     int               `json:"count"` // how many objects show it; Objects may list fewer
	Subject   inspect.Subject   `json:"subject"`
	// the objects that show it, oldest first, at most MaxObjects
	Objects  []object.ID        `json:"objects,omitempty"`
	Blocks   []object.ID        `json:"blocks,omitempty"` // the followed objects that it keeps from being Current
	Evidence []inspect.Evidence `json:"evidence,omitempty"`
	Next     []string           `json:"next,omitempty"` // commands to copy; the first only reads
	// Until is when it is expected to change by itself, UntilWhat how ("evicted
	// from the node", "next try").
	Until     time.Time `json:"until,omitzero"`
	UntilWhat string    `json:"untilWhat,omitempty"`

	// Changes are those of Next that change the cluster.
	Changes []inspect.Step `json:"-"`

	// Chain leads from a root to the subject's exemplar, both included. It is
	// empty if the subject has no root.
	Chain    []object.ID       `json:"chain,omitempty"`
	Symptoms []Symptom         `json:"symptoms,omitempty"` // the findings that it explains, at most MaxObjects
	Changed  []revision.Change `json:"changed,omitempty"`
	Missing  []string          `json:"missing,omitempty"` // what could not be read and might explain more

	// Healed is since when it has no longer been found; zero while it lasts. A
	// screen then shows it struck through for a while.
	Healed time.Time `json:"-"`
}

// Steps are the commands of Next, reading ones first.
func (c *Cause) Steps() []inspect.Step { return c.StepsFor(object.ID{}) }

// StepsFor are the commands of Next for one of the objects that show the cause. Next names
// the object that was chosen to stand for all of them. If about is another one, it takes
// that one's place. If about is none of them, the commands say that there are more.
func (c *Cause) StepsFor(about object.ID) []inspect.Step {
	out := make([]inspect.Step, 0, len(c.Next))
	for _, n := range c.Next {
		step := inspect.Step{Command: n}
		if i := slices.IndexFunc(c.Changes, func(s inspect.Step) bool { return s.Command == n }); i >= 0 {
			step = c.Changes[i]
		}
		words := strings.Split(n, " ")
		i := slices.IndexFunc(c.Objects, func(id object.ID) bool { return wordNaming(words, id.Name) >= 0 })
		switch {
		case c.Count < 2 || i < 0:
		case slices.Contains(c.Objects, about) &&
			c.Objects[i].Kind == about.Kind && c.Objects[i].Namespace == about.Namespace:
			at := wordNaming(words, c.Objects[i].Name)
			words[at] = strings.TrimSuffix(words[at], c.Objects[i].Name) + about.Name
			step.Command = strings.Join(words, " ")
		default:
			step.Among = fmt.Sprintf("one of %d %s", c.Count, c.objectsWord())
		}
		out = append(out, step)
	}
	return out
}

// wordNaming is the first word of a command that is a name or TYPE/NAME; -1 without one.
func wordNaming(words []string, name string) int {
	return slices.IndexFunc(words, func(word string) bool { return word == name || strings.HasSuffix(word, "/"+name) })
}

// objectsWord is what the objects are that show the cause: "Pods", or "objects" if their
// kinds differ.
func (c *Cause) objectsWord() string {
	kind := c.Objects[0].Kind
	if slices.ContainsFunc(c.Objects, func(id object.ID) bool { return id.Kind != kind }) {
		return "objects"
	}
	return wording.Kinds(kind)
}

// Echoes are the symptoms that say more than "not ready": one per title, at
// most n.
func (c *Cause) Echoes(n int) (out []Symptom) {
	for _, s := range c.Symptoms {
		switch s.Code {
		case codes.Progressing.Name, codes.NotReady.Name, codes.ProgressDeadlineExceeded.Name, codes.Reconciling.Name:
			continue
		}
		if len(out) < n && s.Title != c.Title &&
			!slices.ContainsFunc(out, func(t Symptom) bool { return t.Title == s.Title }) {
			out = append(out, s)
		}
	}
	return out
}
