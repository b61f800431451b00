package general

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Beside adds a reason that stands elsewhere in the status to a finding that only says what is
// going on. Example: the condition says "Nodes upgrade in progress", and "Cannot restart node
// because of failed predicate" stands in the status of one node. If there are several, the one
// that says most is taken; of equal ones, the one nearest to the field that decided the status.
func Beside(in *inspect.Inspector) {
	f := mainFinding(in)
	if f == nil {
		if len(in.Found) == 0 || in.Found[0].Code != codes.Progressing {
			return
		}
		f = in.Found[0]
	}
	switch {
	case f.Code == codes.FinalizerBlocks:
		if f.Detail != "" {
			return // a condition or an event says why
		}
	case f.Code.Family != "custom" && f.Code.Family != "general":
		return
	}
	titleWeight := message.Weight(f.Title())
	if f.Code == codes.Progressing && titleWeight == message.SaysWhy {
		titleWeight = message.SaysWhat // "one or more requirements couldn't be found": which?
	}
	titleSaysWhy := titleWeight >= message.SaysWhy && !isPath(f.Title()) && !message.Bare(f.Title())
	if in.Object.Tree == nil || f.Code == codes.Suspended || titleSaysWhy {
		return
	}
	decidingPath := ""
	if len(in.Assessment.Paths) > 0 {
		decidingPath = in.Assessment.Paths[0]
	}
	neededWeight := message.SaysWhy
	if f.Code.Family == "custom" && restates(f.Title()) {
		neededWeight = message.SaysWhat
	}
	best := text{}
	for _, t := range slices.Concat(texts(in.Object.Map("status"), "status", "", "", 0), inConditions(in)) {
		saysEnough := t.weight >= neededWeight || isPath(f.Title()) && sameParent(t.path, decidingPath)
		if saysEnough && !strings.Contains(f.Title(), t.value) && better(t, best, decidingPath) {
			best = t
		}
	}
	if best.path != "" && f.Code == codes.FinalizerBlocks {
		f.Why("%s", message.Short(best.value, 110))
		f.Detail, f.Class = message.Fold(best.value), codes.Action
		f.Key += " " + wording.Normal(best.value)
		f.Prove(best.path, best.value)
		return
	}
	if best.path == "" {
		if isPath(f.Title()) {
			f.Say("%s%s", strings.TrimPrefix(strings.TrimPrefix(f.Title(), "."), "status."), counted(in, f))
		}
		return
	}
	if !isPath(f.Title()) && strings.Contains(f.Title(), message.Short(best.value, 160)) {
		return // the title quotes the part of it that says why
	}
	text := strings.TrimPrefix(best.name+": "+message.Short(best.value, 160), ": ")
	begins, clipped := strings.CutSuffix(f.Title(), "…")
	if isPath(f.Title()) || clipped && strings.Contains(message.Line(best.value), begins) {
		f.Say("%s", text)
	} else {
		f.Why("%s", text)
	}
	if f.Code == codes.Progressing && (best.weight >= message.SaysWhyOfWhat || best.name != "") {
		f.Code, f.Class = codes.NotReady, codes.Retries
		if in.Older(began(in, f), repeatedFor) {
			f.Class = codes.Action
		}
	}
	f.Key += " " + wording.Normal(best.value)
	f.Prove(best.path, best.value)
}

// restates reports whether a title is a reason and the same in words: "ClusterIsNotReady: Cluster
// Is Not Ready".
func restates(title string) bool {
	reason, words, ok := strings.Cut(title, ": ")
	return ok && strings.EqualFold(reason, strings.ReplaceAll(strings.TrimSuffix(words, "."), " ", ""))
}

// counted adds how many errors a status counts that does not say which.
func counted(in *inspect.Inspector, f *inspect.Finding) (text string) {
	for _, key := range [...]string{"errors", "failures", "failed", "warnings"} {
		if n := in.Object.Int("status", key); n.Set && n.V > 0 {
			text += fmt.Sprintf(", %s %d", key, n.V)
			f.Prove("status."+key, n.V)
		}
	}
	return text
}

// began is when something began. If nothing says that, it is the time beside the field that shows
// it, or else when the object began.
func began(in *inspect.Inspector, f *inspect.Finding) time.Time {
	if !f.Since.IsZero() {
		return f.Since
	}
	for _, e := range f.Evidence {
		i := strings.LastIndexByte(e.Path, '.')
		if e.Type != inspect.FieldEvidence || e.Ref != in.Object.ID || i < 0 {
			continue
		}
		_, fields, _ := valueAt(in.Object.Tree, e.Path[:i])
		if at := object.DateAmong(fields); !at.IsZero() {
			return at
		}
	}
	return in.Object.Created
}

// isPath reports whether a title is a mere path of a field.
func isPath(title string) bool {
	return strings.HasPrefix(title, ".") || strings.HasPrefix(title, "status.") && !strings.Contains(title, ": ")
}

// text is a text in a status that may be a reason.
type text struct {
	path, name, value string
	weight            int
}

func better(a, b text, near string) bool {
	if a.weight != b.weight {
		return a.weight > b.weight
	}
	if x, y := shared(a.path, near), shared(b.path, near); x != y {
		return x > y
	}
	return b.path == "" || strings.Count(a.path, ".") < strings.Count(b.path, ".")
}

// sameParent reports whether a text stands below the field that holds what decided:
// status.ceph.details.TOO_FEW_OSDS.message beside status.ceph.health. Below status stands
// everything.
func sameParent(path, near string) bool {
	above := strings.Count(plainPath(near), ".")
	return above > 1 && shared(path, near) >= above
}

// shared is how many steps of two paths are the same, from their beginning.
func shared(a, b string) (n int) {
	x, y := strings.Split(plainPath(a), "."), strings.Split(plainPath(b), ".")
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// plainPath is a path without the indexes of lists.
func plainPath(p string) string {
	var out strings.Builder
	depth := 0
	for _, c := range p {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// inConditions are the texts that an object's own bad conditions hold below themselves: the
// errors of a Contour HTTPProxy's Valid.
func inConditions(in *inspect.Inspector) (out []text) {
	list, _ := in.Object.Map("status")["conditions"].([]any)
	if len(list) == 0 {
		return nil
	}
	bad := map[string]bool{}
	for _, s := range statements.Bad(in.Object) {
		bad[s.Condition.Type] = true
	}
	for i, x := range list {
		m, _ := x.(map[string]any)
		if c := object.ConditionOf(m); !bad[c.Type] {
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			errors, _ := m[k].([]any)
			for j, e := range errors {
				e, _ := e.(map[string]any)
				if s, _ := e["message"].(string); s != "" && holdsMessage(k) {
					out = append(out,
						text{fmt.Sprintf("status.conditions[%d].%s[%d].message", i, k, j), "", s, message.Weight(s)})
				}
			}
		}
	}
	return out
}

// texts are the texts under fields that hold messages, at any depth, and under those that hold a
// state, if they say what has failed. The object's own conditions and what is over are left out.
func texts(v any, path, key, name string, depth int) (out []text) {
	if depth > 12 {
		return nil
	}
	switch v := v.(type) {
	case string:
		weight := message.Weight(v)
		isReason := holdsState(key) && weight >= message.SaysWhyOfWhat && message.ReportsFailure(v)
		if v != "" && (holdsMessage(key) || isReason) {
			return []text{{path, name, v, weight}}
		}
	case map[string]any:
		if v["type"] != nil && v["status"] != nil && v["status"] != "False" {
			return nil // a condition that may be good: failingPart knows
		}
		if own := ownName(v); own != "" && depth > 0 {
			name = own
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			low := strings.ToLower(k)
			if depth == 0 && k == "conditions" ||
				wording.HasAny(low, "history", "previous", "lastsuccess", "lastapplied", "lasthandled") {
				continue
			}
			out = append(out, texts(v[k], path+"."+k, k, name, depth+1)...)
		}
	case []any:
		for i, x := range v {
			if i < 100 {
				out = append(out, texts(x, path+"["+strconv.Itoa(i)+"]", key, name, depth+1)...)
			}
		}
	}
	return out
}

// holdsMessage reports whether a field holds a text for people, by the end of its
// name: message, errorMessage, validationErrors, phaseReason.
func holdsMessage(key string) bool {
	low := strings.ToLower(key)
	for _, end := range [...]string{
		"message", "messages", "error", "errors", "reason", "reasons", "description",
		"details", "detail", "cause", "failure", "failures", "warnings", "warning", "trace",
	} {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	return false
}

// holdsState reports whether a field holds a state, in whose place some controllers write why there
// is none: status.value of a KeycloakRealm (epam/edp-keycloak-operator#40).
func holdsState(key string) bool {
	switch strings.ToLower(key) {
	case "state", "status", "phase", "value", "result", "info", "output":
		return true
	}
	return false
}

// ownName is what an entry of a status calls itself: with its kind where it is about an object.
func ownName(m map[string]any) string {
	if kind, name := textOf(m["kind"]), textOf(m["name"]); kind != "" && name != "" && len(kind)+len(name) < 80 {
		return kind + " " + name
	}
	for _, k := range [...]string{"name", "component", "id", "pod", "node", "resource"} {
		if s, _ := m[k].(string); s != "" && len(s) <= 80 {
			return s
		}
	}
	return ""
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// ProvePath adds a field that decided as evidence, with its value, or that it is
// not set. A path through lists ("status.byPod[].errors") is that of the first
// entry that has it.
func ProvePath(in *inspect.Inspector, f *inspect.Finding, path string) {
	switch path {
	case "metadata.generation":
		f.Prove(path, in.Object.Generation.Or(0))
		return
	case "metadata.deletionTimestamp":
		f.Prove(path, in.Object.Deleted)
		return
	case "metadata.finalizers":
		f.Prove(path, strings.Join(in.Object.Finalizers, ","))
		return
	}
	if in.Object.Tree == nil { // a typed view: its rule has read it
		a := in.Assessment
		f.ProveObserved(in.Object.ID, "assessment", strings.TrimSuffix(string(a.Status)+": "+a.Message, ": "))
		return
	}
	at, value, ok := valueAt(in.Object.Tree, path)
	if fields, whole := value.(map[string]any); whole {
		at, value = oneOf(fields, at)
	}
	switch {
	case ok && value != nil && value != "":
		f.Prove(at, value)
	case strings.HasPrefix(path, "status") && !strings.Contains(path, "conditions"):
		f.ProveUnset(in.Object.ID, path)
	}
}

// oneOf is the field that says most among several: a text, a phase, or any other.
func oneOf(m map[string]any, path string) (string, any) {
	for _, t := range texts(m, path, "", "", 1) {
		return t.path, t.value
	}
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int {
		return strings.Count(b, "phase") + strings.Count(b, "state") - strings.Count(a,
			"phase") - strings.Count(a, "state")
	})
	for _, k := range keys {
		switch m[k].(type) {
		case nil, map[string]any, []any:
		default:
			return path + "." + k, m[k]
		}
	}
	return path, nil
}

// valueAt is the value at a path, a scalar or a map of fields, and the path of the
// very field.
func valueAt(v any, path string) (at string, value any, ok bool) {
	step, rest, more := strings.Cut(path, ".")
	field, index, _ := strings.Cut(step, "[")
	index = strings.TrimSuffix(index, "]")
	m, _ := v.(map[string]any)
	x, ok := m[field]
	if !ok {
		return "", nil, false
	}
	entries, list := x.([]any)
	if !list {
		if !more {
			return field, x, true
		}
		deeper, value, ok := valueAt(x, rest)
		return field + "." + deeper, value, ok
	}
	for i, e := range entries {
		if index != "" && index != "*" && index != strconv.Itoa(i) {
			continue
		}
		at := fmt.Sprintf("%s[%d]", field, i)
		if !more {
			return at, e, true
		}
		if deeper, value, ok := valueAt(e, rest); ok {
			return at + "." + deeper, value, true
		}
	}
	return "", nil, false
}
