package fold

import (
	"cmp"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
)

// TrueLast ranks what is false before what is true.
func TrueLast(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// The order of causes and of findings.

func rankOf(c inspect.Certainty) int {
	return slices.Index([]inspect.Certainty{inspect.Proven, inspect.Likely, inspect.Possible}, c)
}

// ranked is a cause with its importance.
type ranked struct {
	*Cause
	importance [7]int
	exemplar   *foldedEntry
	first      *foldedEntry // the exemplar, or what becomes it with its log
	outdated   bool         // see group
}

// classes are ordered by how much attention they deserve.
var classes = []codes.Class{codes.Terminal, codes.Action, codes.Retries, codes.Waits}

// importance is the rank of a cause: the first number that differs decides, and the lower one comes
// first. So these come first, in this order of weight: causes that block something, before remarks;
// those that do not just wait; those that make an object Failed; those that are more than possible,
// and explain something (that something cannot be read does not); the class; the certainty; and
// causes that are not only a failing connection to something else, which may be another cause.
func importance(c *Cause, fails bool) [7]int {
	return [...]int{
		TrueLast(len(c.Blocks) == 0), TrueLast(c.Class == codes.Waits),
		TrueLast(!fails), TrueLast(c.Certainty == inspect.Possible || c.Code == codes.NotVisible.Name),
		slices.Index(classes, c.Class), rankOf(c.Certainty),
		TrueLast(awaitsAnother(c)),
	}
}

// compareCauses puts what only superseded revisions have after what keeps the newest from
// being Current, and orders by importance, then those that block more first; those
// that more objects show; the earliest.
func compareCauses(a, b ranked) int {
	return cmp.Or(
		cmp.Compare(a.importance[0], b.importance[0]),
		TrueLast(a.outdated)-TrueLast(b.outdated),
		slices.Compare(a.importance[:], b.importance[:]),
		cmp.Compare(len(b.Blocks), len(a.Blocks)),
		cmp.Compare(b.Count, a.Count),
		compareTimes(a.Since, b.Since),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.ID, b.ID),
	)
}

// awaitsAnother reports whether a container's cause is that a connection to something else fails.
// What the kubelet gets from the container itself is no such connection.
func awaitsAnother(c *Cause) bool {
	return c.Subject.Container != "" && c.Code != codes.RegistryUnreachable.Name &&
		message.FailureOf(askedItself().ReplaceAllString(c.Title, "")) == message.Unreachable
}

// askedItself matches a probe that the kubelet sends to the container's own port, with what it got:
// "GET :8080/ready: 503", "tcp :5432: connection refused".
var askedItself = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:GET|https|tcp|grpc) :\S*: [^;]*`)
})

// compareFindings puts the exemplar first: the oldest.
func compareFindings(a, b *foldedFinding) int {
	if c := compareTimes(a.Since, b.Since); c != 0 {
		return c
	}
	if c := a.Object.Compare(b.Object); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.fingerprint, b.fingerprint),
		cmp.Compare(a.About.Container, b.About.Container),
		cmp.Compare(a.Title(), b.Title()),
	)
}

// compareTimes puts earlier times first and unknown ones last.
func compareTimes(a, b time.Time) int {
	return cmp.Or(TrueLast(a.IsZero())-TrueLast(b.IsZero()), a.Compare(b))
}
