package recording

import (
	_ "embed"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// words are those that may stand in a redacted message: what Kubernetes and
// its controllers say, and what our own rules look for. None is anybody's name.
//
//go:embed words.txt
var wordList string

var words = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(wordList) {
		m[w] = true
	}
	return m
})

// redactor replaces names by others, equal ones by the same, numbered in order
// of appearance, so that nothing of a name is left. Parts of a name are
// replaced separately: a Pod's name still shares its prefix with its
// ReplicaSet's. Reasons, conditions, numbers, times, kinds and groups stay,
// except for the user's own kinds and groups, which no rule knows. It is safe
// for concurrent use.
type redactor struct {
	mu    sync.Mutex
	names map[string]string
	uids  map[string]string
	addrs map[string]string
	kinds map[string]bool // kinds and resources that are not the user's own
}

func newRedactor() *redactor {
	return &redactor{
		names: map[string]string{}, uids: map[string]string{},
		addrs: map[string]string{}, kinds: map[string]bool{},
	}
}

func (r *redactor) header(h Header) Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	sources := make([]string, len(h.Sources))
	for i, s := range h.Sources {
		sources[i] = r.source(s)
	}
	h.Sources, h.Title = sources, r.source(h.Title)
	h.Context, h.Namespace = r.name(h.Context), r.name(h.Namespace)
	return h
}

// types are the well-known types of Kubernetes and common projects, which may
// stay in arguments.
var types = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for t := range strings.FieldsSeq(`flux helm argo kapp kpt inventory applyset timoni kro ks hr rset app rg
		deploy deployment deployments sts statefulset statefulsets ds daemonset daemonsets rs replicaset replicasets
		po pod pods svc service services cm configmap configmaps secret secrets pvc persistentvolumeclaim persistentvolumeclaims
		pv persistentvolume persistentvolumes ns namespace namespaces no node nodes job jobs cj cronjob cronjobs
		ing ingress ingresses hpa horizontalpodautoscaler pdb poddisruptionbudget crd customresourcedefinition
		sa serviceaccount serviceaccounts kustomization kustomizations helmrelease helmreleases application applications`) {
		m[t] = true
	}
	return m
})

// source redacts an argument: flags and types stay.
func (r *redactor) source(s string) string {
	fields := strings.Fields(s)
	for i, f := range fields {
		typ, name, ok := strings.Cut(f, "/")
		flag, value, set := strings.Cut(f, "=")
		plain, group, _ := strings.Cut(strings.ToLower(typ), ".")
		switch {
		case strings.HasPrefix(f, "-") && set:
			fields[i] = flag + "=" + r.name(value)
		case strings.HasPrefix(f, "-") || f == "and" || f == "more" || !ok && (isNumber(f) || types()[f]):
		case ok && types()[plain] && registry.Familiar(group):
			fields[i] = typ + "/" + r.name(name)
		default:
			fields[i] = r.name(f)
		}
	}
	return strings.Join(fields, " ")
}

func (r *redactor) mark(m feed.Mark) feed.Mark { return redacted(r, m) }

func (r *redactor) batch(b feed.Batch) feed.Batch { return redacted(r, b) }

func (r *redactor) memory(m feed.Memory) feed.Memory { return redacted(r, m) }

// clean is a batch without what this recording must not contain.
func (w *Writer) clean(b feed.Batch) feed.Batch {
	b = batchInUTC(b)
	if !w.secrets {
		b.Objects = withoutSecrets(b.Objects)
	}
	if w.redact != nil {
		b = w.redact.batch(b)
	}
	return b
}

// cleanMemory is clean for a memory.
func (w *Writer) cleanMemory(m feed.Memory) feed.Memory {
	m.At, m.Since, m.State = m.At.UTC(), m.Since.UTC(), batchInUTC(m.State)
	m.History = slices.Clone(m.History)
	for i := range m.History {
		m.History[i].At = m.History[i].At.UTC()
	}
	if !w.secrets {
		m.State.Objects = withoutSecrets(m.State.Objects)
		m.Deleted = slices.Clone(m.Deleted)
		for i := range m.Deleted {
			m.Deleted[i].Object = withoutSecrets([]*object.Object{m.Deleted[i].Object})[0]
		}
	}
	if w.redact != nil {
		m = w.redact.memory(m)
	}
	return m
}

// redacted is a deep copy of v with all names replaced.
func redacted[T any](r *redactor, v T) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	src := reflect.ValueOf(v)
	dst := reflect.New(src.Type()).Elem()
	r.copy(dst, src, "")
	return dst.Interface().(T)
}

// verbatim are the fields, by name, whose values Kubernetes defines, not the
// user.
var verbatim = map[string]bool{}

func init() {
	for _, f := range []string{
		"Group", "Version", "Kind", "Resource", "Verb", "Mode", "Phase", "Level", "Type",
		"Status", "Reason", "Severity",
		"ResourceVersion", "QOS", "RestartPolicy", "Operator", "Effect", "Strategy", "MaxUnavailable",
		"MaxSurge", "PodManagement",
		"Memory", "Revision", "Protocol", "From", "To", "Verdict", "Path", "Signal", "What", "Field",
		"ConcurrencyPolicy", "Schedule",
		"Affinity", "Policy", "AccessModes", "VolumeMode", "ReadinessGates",
	} {
		verbatim[f] = true
	}
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	labelType = reflect.TypeFor[object.Label]()
	treeType  = reflect.TypeFor[map[string]any]()
)

func (r *redactor) copy(dst, src reflect.Value, field string) {
	switch src.Type() {
	case timeType:
		dst.Set(src)
		return
	case labelType:
		key := src.Field(0).String()
		dst.Field(0).SetString(r.key(key))
		dst.Field(1).SetString(r.label(key, src.Field(1).String()))
		return
	case treeType:
		if !src.IsNil() {
			dst.Set(reflect.ValueOf(r.tree(src.Interface(), "")))
		}
		return
	}
	switch src.Kind() {
	case reflect.String:
		dst.SetString(r.text(src.String(), field))
	case reflect.Pointer:
		if !src.IsNil() {
			v := reflect.New(src.Type().Elem())
			r.copy(v.Elem(), src.Elem(), field)
			dst.Set(v)
		}
	case reflect.Slice:
		if src.IsNil() {
			return
		}
		list := reflect.MakeSlice(src.Type(), src.Len(), src.Len())
		for i := range src.Len() {
			r.copy(list.Index(i), src.Index(i), field)
		}
		if labels, ok := list.Interface().([]object.Label); ok {
			slices.SortFunc(labels, func(a, b object.Label) int { return strings.Compare(a.Key, b.Key) })
		}
		dst.Set(list)
	case reflect.Struct:
		own := false // the kind is the user's own
		if i := groupField(src.Type()); i >= 0 {
			own = !registry.Familiar(src.Field(i).String())
		}
		for i := range src.NumField() {
			f := src.Type().Field(i)
			switch {
			case !f.IsExported():
			case own && (f.Name == "Group" || f.Name == "Kind" || f.Name == "Resource"):
				dst.Field(i).SetString(r.kind(src.Field(i).String()))
			default:
				r.copy(dst.Field(i), src.Field(i), f.Name)
			}
		}
	default:
		dst.Set(src)
	}
}

var groupFields sync.Map // reflect.Type → int

// groupField is the index of the field that holds a struct's API group, or -1.
func groupField(t reflect.Type) int {
	if i, ok := groupFields.Load(t); ok {
		return i.(int)
	}
	i := -1
	if f, ok := t.FieldByName("Group"); ok && len(f.Index) == 1 && f.Type.Kind() == reflect.String {
		i = f.Index[0]
	}
	groupFields.Store(t, i)
	return i
}

// kind redacts a kind, resource or group of the user's own.
func (r *redactor) kind(s string) string {
	if !strings.Contains(s, ".") {
		r.kinds[s] = true
	}
	return r.name(s)
}

// finalizer keeps well-known finalizers.
func (r *redactor) finalizer(s string) string {
	if domain, _, _ := strings.Cut(s, "/"); !registry.Familiar(domain) {
		return r.name(s)
	}
	return s
}

// text redacts the string in a field of that name.
func (r *redactor) text(s, field string) string {
	switch {
	case s == "":
		return s
	case strings.HasSuffix(field, "UID") || field == "Cause":
		return r.uid(s)
	case field == "Key" && !strings.ContainsAny(s, " "): // the key of a source, a requirement, a file in a ConfigMap
		return r.key(s)
	case field == "TopologyKey":
		return r.key(s)
	case field == "Finalizers":
		return r.finalizer(s)
	case field == "Field": // a field path such as "spec.containers{web}"
		return braced().ReplaceAllStringFunc(s, r.name)
	case field == "Selector":
		return r.selector(s)
	case field == "Source":
		return r.source(s)
	case field == "Message" || field == "Text" || field == "Error" ||
		field == "Title" || field == "Problem" || field == "LastError":
		return r.message(s)
	case verbatim[field] && strings.IndexFunc(s, func(c rune) bool { return c == ' ' || c > 0x7e }) < 0:
		return s
	}
	return r.name(s)
}

func (r *redactor) uid(s string) string {
	v, ok := r.uids[s]
	if !ok {
		v = "u" + strconv.Itoa(len(r.uids)+1)
		r.uids[s] = v
	}
	return v
}

// key redacts a label's key: those of Kubernetes stay.
func (r *redactor) key(s string) string {
	domain, _, ok := strings.Cut(s, "/")
	if ok && (domain == "kubernetes.io" || domain == "k8s.io" ||
		strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io")) {
		return s
	}
	if s == "pod-template-hash" || s == "controller-revision-hash" || s == "app" {
		return s
	}
	return r.name(s)
}

func (r *redactor) label(key, value string) string {
	if isNumber(value) || value == "true" || value == "false" {
		return value
	}
	return r.name(value)
}

var braced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^}]*\}`) })

var selectorToken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9_./-]+`) })

// selector redacts a label selector.
func (r *redactor) selector(s string) string {
	return replaceTokens(s, func(token, before, after string) string {
		switch {
		case token == "in" || token == "notin":
			return token
		case strings.HasPrefix(after, "=") || strings.HasPrefix(after, "!=") ||
			strings.HasPrefix(after, " in ") || strings.HasPrefix(after, " notin ") || strings.HasSuffix(before, "!"):
			return r.key(token)
		case strings.HasSuffix(before, "=") || strings.Contains(before, "("):
			return r.label("", token)
		}
		return r.key(token)
	})
}

func replaceTokens(s string, f func(token, before, after string) string) string {
	var b strings.Builder
	last := 0
	for _, at := range selectorToken().FindAllStringIndex(s, -1) {
		b.WriteString(s[last:at[0]])
		b.WriteString(f(s[at[0]:at[1]], s[:at[0]], s[at[1]:]))
		last = at[1]
	}
	return b.String() + s[last:]
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.-+%/") == "" && !isAddress(s)
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// fixed are parts of names that every cluster has.
var fixed = map[string]bool{"default": true, "kube": true, "system": true, "root": true, "ca": true, "crt": true}

// name redacts a name, an image or a host: all but its punctuation.
func (r *redactor) name(s string) string {
	if s == "" || s == "None" {
		return s
	}
	if isAddress(s) {
		v, ok := r.addrs[s]
		if !ok {
			// Addresses of the block that is kept for documentation (RFC 5737).
			v = "198.51.100." + strconv.Itoa(len(r.addrs)%254+1)
			r.addrs[s] = v
		}
		return v
	}
	numbers := 0
	for _, part := range strings.FieldsFunc(s, notAlnum) {
		if isDigits(part) {
			numbers++
		}
	}
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, notAlnum)
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			b.WriteString(r.part(s[:n], numbers > 3))
			s = s[n:]
			continue
		}
		b.WriteByte(s[0]) // all punctuation is ASCII
		s = s[1:]
	}
	return b.String()
}

func notAlnum(c rune) bool {
	return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// part redacts one word of a name. Ordinals and ports stay, unless there are so
// many that they may be an address.
func (r *redactor) part(s string, address bool) string {
	if fixed[s] || isDigits(s) && len(s) <= 5 && !address {
		return s
	}
	v, ok := r.names[s]
	if !ok {
		v = "n" + strconv.Itoa(len(r.names)+1)
		r.names[s] = v
	}
	return v
}

// humps matches reasons and kinds, which are in CamelCase, as names are not.
var humps = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][a-z0-9]+([A-Z]+[a-z0-9]*)+$`) })

// amount matches a number with a unit: "5m0s", "128Mi", "0/3", "98%", "(404)".
var amount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]+([./:][0-9]+)?(ns|us|ms|s|m|h|d|[KMGTP]i?|%)?([0-9]+(ms|s|m))*$`)
})

// message redacts a sentence: the words of the word list stay.
func (r *redactor) message(s string) string {
	fields := strings.SplitAfter(s, " ")
	for i, f := range fields {
		const around = " \t\"'`(),.;:[]{}<>!?…»⏎"
		core := strings.Trim(f, around)
		if core == "" || !r.kinds[core] && (words()[strings.ToLower(core)] ||
			humps().MatchString(core) || amount().MatchString(core) && !isAddress(core)) {
			continue
		}
		begin := strings.Index(f, core)
		fields[i] = f[:begin] + r.phrase(core) + f[begin+len(core):]
	}
	return strings.Join(fields, "")
}

var address4 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b`) })

// phrase redacts a word that contains other characters than letters:
// "container=web", "can't", "non-zero", "Deployment/web".
func (r *redactor) phrase(s string) string {
	s = address4().ReplaceAllStringFunc(s, r.name)
	var b strings.Builder
	for len(s) > 0 {
		if at := address4().FindStringIndex(s); at != nil && at[0] == 0 {
			b.WriteString(s[:at[1]])
			s = s[at[1]:]
			continue
		}
		n := strings.IndexFunc(s, notAlnum)
		if n < 0 {
			n = len(s)
		}
		if n == 0 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		part := s[:n]
		if _, isName := r.names[part]; isName {
			b.WriteString(r.part(part, false))
		} else if words()[strings.ToLower(part)] || humps().MatchString(part) ||
			amount().MatchString(part) && len(part) <= 5 {
			b.WriteString(part)
		} else {
			b.WriteString(r.part(part, false))
		}
		s = s[n:]
	}
	return b.String()
}

// enumeration matches a value that a controller chooses from a fixed set.
var enumeration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Za-z]{1,40}$`) })

// tree redacts a custom resource's fields. group is the API group of the
// nearest enclosing reference.
func (r *redactor) tree(v any, group string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"apiVersion", "apiGroup", "group"} {
			if s, ok := v[key].(string); ok {
				group, _, _ = strings.Cut(s, "/")
			}
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			if strings.ContainsAny(k, "./-_ ") {
				k = r.key(k)
			}
			if s, ok := e.(string); ok {
				e = r.leaf(k, s, group)
			} else {
				e = r.tree(e, group)
			}
			out[k] = e
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.tree(e, group)
		}
		return out
	case string:
		return r.leaf("", v, group)
	}
	return v
}

// leaf redacts a string of a custom resource, by its key and the nearest API
// group.
func (r *redactor) leaf(key, s, group string) string {
	lower := strings.ToLower(key)
	own := !registry.Familiar(group)
	switch {
	case r.kinds[s]:
		return r.name(s)
	case lower == "apiversion" && own:
		group, version, _ := strings.Cut(s, "/")
		return r.name(group) + "/" + version
	case own && (lower == "kind" || lower == "listkind" || lower == "plural" || lower == "singular" ||
		lower == "group" || lower == "apigroup"):
		return r.kind(s)
	case s == "" || isNumber(s) || s == "true" || s == "false" || amount().MatchString(s) && !isAddress(s):
		return s
	case strings.HasSuffix(lower, "time") || strings.HasSuffix(lower, "timestamp") ||
		lower == "apiversion" || lower == "kind":
		return s
	case strings.HasSuffix(lower, "uid"):
		return r.uid(s)
	case lower == "type" && s == "Opaque":
		return s
	case lower == "type" && strings.Contains(s, "/"):
		return r.key(s) // well-known types of Secrets may stay
	case enumeration().MatchString(s) && (humps().MatchString(s) || words()[strings.ToLower(s)]):
		return s
	case words()[s]:
		return s
	case strings.Contains(s, " "):
		return r.message(s)
	}
	return r.name(s)
}
