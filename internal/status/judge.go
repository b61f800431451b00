package status

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// The vocabulary of rules. A rule names itself and the fields that it reads
// with by or holds, and returns an assessment made by current, progress, fault
// …; finish completes it.

// by names the current rule, and the fields that it reads. A single word is a
// rule of the object's kind: "replicas" is apps/Deployment.replicas.
func (j *judge) by(rule, paths string) *judge {
	j.rule, j.paths = rule, paths
	return j
}

// holds reports whether a rule applies, and makes it the current one; otherwise
// the trace notes what the rule asked for.
func (j *judge) holds(yes bool, rule, asks, paths string) bool {
	if yes {
		j.by(rule, paths)
	} else if j.trace != nil {
		j.trace.not(j.id(rule), asks, fields(paths)...)
	}
	return yes
}

// id is the full name of a rule.
func (j *judge) id(rule string) string {
	switch {
	case !j.builtin || strings.Contains(rule, "."):
		return rule
	case j.o.Group == "":
		return j.o.Kind + "." + rule
	}
	return j.o.Group + "/" + j.o.Kind + "." + rule
}

// fields splits the paths that a rule names.
func fields(paths string) []string {
	if paths == "" {
		return nil
	}
	return strings.Split(paths, " ")
}

func (j *judge) is(s Status, reason, message string) Assessment {
	return Assessment{Status: s, Reason: reason, Message: message, Rule: j.id(j.rule), Paths: fields(j.paths)}
}

func (j *judge) current(message string, args ...any) Assessment {
	return j.is(Current, "", sprintf(message, args))
}

func (j *judge) progress(reason, message string, args ...any) Assessment {
	return j.is(InProgress, reason, sprintf(message, args))
}

func (j *judge) unknown(reason, message string) Assessment { return j.is(Unknown, reason, message) }

// fault may heal: InProgress for the grace period, then Failed.
func (j *judge) fault(reason, message string) Assessment {
	a := j.is(Failed, reason, message)
	a.heals = true
	return a
}

// terminal is a fault that cannot heal by itself.
func (j *judge) terminal(reason, message string) Assessment {
	a := j.is(Failed, reason, message)
	a.Terminal = true
	return a
}

// silent is for an object whose controller has reported nothing.
func (j *judge) silent(message string) Assessment {
	a := j.is("", "", message)
	a.silent = true
	return a
}

// since dates an assessment.
func (a Assessment) since(t time.Time) Assessment {
	a.Since = t
	return a
}

// noted adds a note.
func (a Assessment) noted(note string, args ...any) Assessment {
	a.Note = sprintf(note, args)
	return a
}

// decided sets the deciding condition; -1 is none.
func (a Assessment) decided(i int) Assessment {
	a.condition = i + 1
	return a
}

// from takes reason, message and date from a condition, if it has them.
func (a Assessment) from(o *object.Object, i int) Assessment {
	c := &o.Conditions[i]
	a.Reason, a.Message = cmp.Or(c.Reason, a.Reason), cmp.Or(c.Message, a.Message, describe(c))
	return a.since(c.LastTransitionTime).decided(i)
}

// sprintf leaves a text without arguments unchanged: it may be a controller's,
// with percent signs.
func sprintf(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// index is the index of the condition of a type, or -1; of several the newest.
func (j *judge) index(typ string) int { return conditionIndex(j.o, typ) }

func conditionIndex(o *object.Object, typ string) int {
	for i := range o.Conditions {
		if o.Conditions[i].Type == typ && !o.Superseded(i) {
			return i
		}
	}
	return -1
}

// at is the assessment of condition i.
func (j *judge) at(i int, rule, message string) Assessment {
	c, p := &j.o.Conditions[i], conditionPath(i)
	return Assessment{
		Rule: rule, Reason: c.Reason, Message: message, Since: c.LastTransitionTime, condition: i + 1,
		Paths: []string{p + ".status", p + ".reason"},
	}
}

func conditionPath(i int) string { return "status.conditions[" + strconv.Itoa(i) + "]" }

// NamedPath is a path for people: with a condition's type instead of its index
// ("status.conditions[0].status").
func NamedPath(o *object.Object, path string) string {
	const list = "status.conditions["
	rest, ok := strings.CutPrefix(path, list)
	if !ok || o == nil {
		return path
	}
	n, tail, _ := strings.Cut(rest, "]")
	if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(o.Conditions) && o.Conditions[i].Type != "" {
		return list + o.Conditions[i].Type + "]" + tail
	}
	return path
}

// newest is the later of two times.
func newest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// of formats "2 of 3 replicas are ready".
func of(n, total int64, what string) string {
	return strconv.FormatInt(n, 10) + " of " + strconv.FormatInt(total, 10) + what
}

// count formats "3 pods" or "1 pod".
func count[T int | int64](n T, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(int64(n), 10) + " " + one + "s"
}
