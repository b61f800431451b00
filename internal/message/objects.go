// Package message reads what controllers write for people: the objects that a message names, and
// the part of it that says what is wrong with which subject.
//
// It is pure, and knows no cluster: whether an object exists that a message seems to name is for
// the caller to find out.
package message

import (
	"slices"
	"strings"
)

// Object is an object that a message names. What the message leaves out is empty.
type Object struct {
	// Kind is the kind; or Resource is the plural, where only that is known ("widgets" of lab.io).
	Kind, Resource string
	// Group is the API group. AnyGroup says that the message does not tell it: the kind or resource
	// is none of those that messages name without a group.
	Group    string
	AnyGroup bool

	Namespace, Name string
	// Missing says that, according to the message, the object does not exist.
	Missing bool
}

// Objects returns the objects that a message names, in order, each once, at most ten. The forms:
//
//	Kind/name, Kind/namespace/name    Deployment/shop/web: Flux's health checks
//	                                  (kustomize-controller v1.6, fluxcd/pkg/ssa ObjMetadata)
//	group/Kind/name                   batch/Job/db-migrate: Argo CD's hooks (gitops-engine, syncTask.String)
//	kind.group/name                   deployment.apps/web: kubectl and cli-utils
//	resource "name"                   secrets "x" not found: every API error
//	                                  (apimachinery v0.36, api/errors NewNotFound)
//	resource.group "name"             widgets.lab.io "x" not found: the same, with a group
//	Kind "name", Kind "ns/name"       Secret "x" does not exist: most operators
//	kind namespace/name               statefulset shop/db not found: prometheus-operator, cert-manager;
//	                                  targeted catalogsource olm/community unhealthy: OLM, of its own group
//	Kind name is in …                 BackupStorageLocation default is in Unavailable status: Velero
//	kind name in namespace ns         Pods resource events-0 in namespace shop: Strimzi
//	Kind: [name name], Kind: [a, b]   CephBlockPool: [replicapool]: Rook's dependents
//	name.kind.group                   web.deployment.apps: kro, cli-runtime's resource names
//	name: name, kind: Kind            name: web, kind: Deployment, status: InProgress: Helm's wait
//	                                  (helm v4.0, pkg/kube/statuswait.go)
//	no Kind with name name was found  the admission plugin Priority
func Objects(text string) []Object {
	var p parser
	p.words = split(text)
	for i := 0; i < len(p.words) && len(p.found) < 10; i++ {
		p.at(i)
	}
	return p.found
}

// SaysMissing reports whether a message says that an object of a kind does not exist.
func SaysMissing(text, kind, name string) bool {
	return slices.ContainsFunc(Objects(text), func(o Object) bool {
		return o.Missing && o.Kind == kind && o.Name == name
	})
}

// firstMissing is the first object that, according to a message, does not exist.
func firstMissing(text string) (o Object, ok bool) {
	found := Objects(text)
	if i := slices.IndexFunc(found, func(o Object) bool { return o.Missing }); i >= 0 {
		return found[i], true
	}
	return o, false
}

// word is a word of a message, without the punctuation around it.
type word struct {
	text           string
	quoted         bool
	before, after  string // the punctuation around it
	opens, closes  bool   // it begins or ends a list in brackets
	endsBeforeNext bool   // a comma, semicolon or full stop follows
}

// split divides a message into words.
func split(text string) []word {
	const around = "\"'`()[]{},;:.<>“”‘’"
	fields := strings.Fields(strings.ReplaceAll(text, "⏎", " "))
	out := make([]word, 0, min(len(fields), 512))
	for _, f := range fields {
		if len(out) == cap(out) {
			break // a message of that length is a dump
		}
		w := word{text: strings.TrimLeft(f, around)}
		w.before = f[:len(f)-len(w.text)]
		body := w.text
		w.text = strings.TrimRight(body, around)
		w.after = body[len(w.text):]
		w.quoted = strings.ContainsAny(w.before, "\"'`“‘") && strings.ContainsAny(w.after, "\"'`”’")
		w.opens, w.closes = strings.Contains(w.before, "["), strings.Contains(w.after, "]")
		w.endsBeforeNext = strings.ContainsAny(w.after, ",;.")
		if w.text != "" {
			out = append(out, w)
		}
	}
	return out
}

type parser struct {
	words []word
	found []Object
	none  bool // "no" stands before the kind: "no PriorityClass with name high was found"
}

func (p *parser) add(o Object, after int) {
	if o.Name == "" || len(p.found) == 10 {
		return
	}
	o.Missing = p.missing(after)
	i := slices.IndexFunc(p.found, func(f Object) bool {
		f.Missing = o.Missing
		return f == o
	})
	if i < 0 {
		p.found = append(p.found, o)
		return
	}
	p.found[i].Missing = p.found[i].Missing || o.Missing
}

// at looks for an object that begins with a word.
func (p *parser) at(i int) {
	w := p.words[i]
	p.none = i > 0 && strings.EqualFold(p.words[i-1].text, "no")
	if strings.Contains(w.text, "/") {
		p.path(i)
		return
	}
	if w.text == "name" && w.after == ":" && i+3 < len(p.words) &&
		p.words[i+2].text == "kind" && p.words[i+2].after == ":" {
		// name: web, kind: Deployment
		if kind, ok := kindOf(p.words[i+3].text); ok && startsUpper(p.words[i+3].text) && IsName(p.words[i+1].text) {
			kind.Name = p.words[i+1].text
			p.add(kind, i+4)
		}
		return
	}
	if o, ok := dotted(w.text); ok { // web.deployment.apps
		p.add(o, i+1)
		return
	}
	kind, ok := kindOf(w.text)
	if kind.Kind == "Namespace" && i > 0 &&
		(p.words[i-1].text == "in" || p.words[i-1].text == "the" && i > 1 && p.words[i-2].text == "in") {
		return // where something else is
	}
	if !ok {
		kind, ok = p.lowerKind(i)
	}
	if !ok || w.quoted || strings.ContainsAny(w.after, ",;.)") {
		return
	}
	next := i + 1
	for next < len(p.words) && slices.Contains([]string{"resource", "named", "called", "object", "with", "name", "the"}, p.words[next].text) &&
		p.words[next].before == "" && !p.words[next].quoted {
		next++
	}
	if next >= len(p.words) {
		return
	}
	if after := p.helm(next); after > 0 {
		next = after
	}
	n := p.words[next]
	if strings.Contains(n.before, "(") {
		return // a remark: "FailedNotVisible (api.example.com)"
	}
	if n.opens && strings.Contains(w.after, ":") {
		p.list(kind, next)
		return
	}
	namespace, name, both := strings.Cut(n.text, "/")
	if !both {
		namespace, name = "", n.text
	}
	if strings.Contains(name, "/") || !IsName(name) ||
		both && (!isLabel(namespace) || isNumber(namespace) && isNumber(name)) {
		return // "NotEnoughResources: 0/3 tasks" counts
	}
	if ns, end := p.inNamespace(next); ns != "" && !both {
		kind.Namespace, kind.Name = ns, name
		p.add(kind, end)
		return
	}
	// A word without quotes has to look like a name, or it is a sentence: "Pod is not ready".
	if !n.quoted && !both && (strings.Contains(w.after, ":") ||
		!looksNamed(name) && !p.missing(next+1) && !(kind.AnyGroup && p.isIn(next+1))) {
		return
	}
	if !n.quoted && !both && (slices.Contains(partWords, name) || slices.Contains(verbs, name)) {
		return
	}
	kind.Namespace, kind.Name = namespace, name
	p.add(kind, next+1)
}

// helm returns the word behind what Helm says of a kind before it names the object, or 0: "Deployment is not
// ready: shop/web. 0 out of 1 expected pods are ready" (helm v3.18, pkg/kube/ready.go).
func (p *parser) helm(i int) int {
	for _, says := range [...]string{"is not ready", "is not bound", "does not have load balancer ingress IP address"} {
		end := i + strings.Count(says, " ") + 1
		if end >= len(p.words) || p.words[end-1].after != ":" || !strings.Contains(p.words[end].text, "/") {
			continue
		}
		var words []string
		for _, w := range p.words[i:end] {
			words = append(words, w.text)
		}
		if strings.Join(words, " ") == says {
			return end
		}
	}
	return 0
}

// lowerKind reads a word in lower case before a namespace and a name as a kind that only its
// group knows: "targeted catalogsource olm/community unhealthy". Whether there is such a kind
// is for the caller to find out.
func (p *parser) lowerKind(i int) (Object, bool) {
	w := p.words[i]
	if len(w.text) < 5 || strings.ToLower(w.text) != w.text || strings.Trim(w.text, letters) != "" ||
		w.before+w.after != "" || i+1 == len(p.words) {
		return Object{}, false
	}
	namespace, name, both := strings.Cut(p.words[i+1].text, "/")
	if !both || !isLabel(namespace) || !IsName(name) || slices.Contains(noKinds, w.text) {
		return Object{}, false
	}
	return Object{Resource: plural(w.text), AnyGroup: true}, true
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// noKinds are words before a path that is no namespace and name: an image, a file, a repository.
var noKinds = []string{
	"artifact", "branch", "bucket", "chart", "command", "container", "directory", "folder", "image", "module", "mount", "package", "plugin",
	"registry", "release", "repository", "target", "volume",
}

// partWords are what messages say is missing in an object, or beside it: "kustomization path not found: ./nope"
// (kustomize-controller v1.6), "secret key not found", "Pod template is missing".
var partWords = []string{
	"annotation", "class", "condition", "controller", "data", "directory", "field", "file", "key", "kind", "label", "name",
	"owner", "path", "port", "ref", "reference", "revision", "source", "spec", "status", "template", "type", "value", "version",
}

// verbs follow a kind without a name: "Issuing certificate as Secret does not exist" (cert-manager v1.18).
var verbs = []string{
	"can", "could", "did", "do", "does", "had", "has", "is", "may", "must", "should", "was", "were", "will", "would",
}

// path reads words with slashes.
func (p *parser) path(i int) {
	parts := strings.Split(p.words[i].text, "/")
	for _, part := range parts {
		if part == "" || len(part) > 253 {
			return // an address
		}
	}
	if len(parts) > 2 {
		// group/Kind[/namespace]/name
		if kind, ok := kindOf(parts[1]); ok && startsUpper(parts[1]) && isGroup(parts[0]) {
			kind.Group, kind.AnyGroup = parts[0], false
			p.pathTo(kind, parts[2:], i)
			return
		}
	}
	kind, ok := kindOf(parts[0])
	if !ok && startsUpper(parts[0]) && isWord(parts[0]) && strings.ToUpper(parts[0]) != parts[0] {
		kind, ok = Object{Kind: parts[0], AnyGroup: true}, true // Widget/w
	}
	if ok && (startsUpper(parts[0]) || strings.Contains(parts[0], ".") || known[parts[0]] != nil) {
		p.pathTo(kind, parts[1:], i)
	}
}

func (p *parser) pathTo(kind Object, rest []string, i int) {
	kind.Name = rest[len(rest)-1]
	if len(rest) == 2 {
		kind.Namespace = rest[0]
	}
	if len(rest) <= 2 && IsName(kind.Name) && (kind.Namespace == "" || isLabel(kind.Namespace)) {
		p.add(kind, i+1)
	}
}

// list reads the names in brackets.
func (p *parser) list(kind Object, i int) {
	first := i
	for ; i < len(p.words); i++ {
		w := p.words[i]
		kind.Namespace, kind.Name = "", w.text
		if ns, name, ok := strings.Cut(w.text, "/"); ok && isLabel(ns) {
			kind.Namespace, kind.Name = ns, name
		}
		if !IsName(kind.Name) || i > first && !p.words[first].closes && w.opens {
			return
		}
		p.add(kind, len(p.words))
		if w.closes {
			return
		}
	}
}

// inNamespace returns the namespace of "in namespace ns" after a word, and the word after it.
func (p *parser) inNamespace(i int) (string, int) {
	i++
	if i+2 >= len(p.words)+1 || i >= len(p.words) || p.words[i].text != "in" || p.words[i-1].endsBeforeNext {
		return "", 0
	}
	i++
	if i < len(p.words) && p.words[i].text == "the" {
		i++
	}
	if i+1 >= len(p.words) {
		return "", 0
	}
	switch {
	case p.words[i].text == "namespace" && isLabel(p.words[i+1].text):
		return p.words[i+1].text, i + 2
	case p.words[i+1].text == "namespace" && isLabel(p.words[i].text):
		return p.words[i].text, i + 2
	}
	return "", 0
}

// missing reports whether the words from i on say that what was named before does not exist.
func (p *parser) missing(i int) bool {
	if i > 0 && i <= len(p.words) && p.words[i-1].endsBeforeNext {
		return false
	}
	var next []string
	for _, w := range p.words[min(i, len(p.words)):min(i+6, len(p.words))] {
		next = append(next, strings.ToLower(w.text))
		if w.endsBeforeNext {
			break
		}
	}
	absent := absent
	if p.none {
		absent = absentAfterNo
	}
	text := strings.Join(next, " ")
	return slices.ContainsFunc(absent, func(say string) bool { return strings.HasPrefix(text, say) })
}

// What follows the name of an object that does not exist.
var (
	absent = []string{
		"not found", "is not found", "was not found", "could not be found", "cannot be found",
		"does not exist", "doesn't exist", "is missing", "not exist", "no longer exists",
	}
	absentAfterNo = []string{"was found", "found", "could be found", "exists"}
)

// isIn reports whether the words from i on say in which state a subject is: what stands between a
// word that can only be a kind and these is a name ("BackupStorageLocation default is in Unavailable
// status").
func (p *parser) isIn(i int) bool {
	return i+1 < len(p.words) && !p.words[i-1].endsBeforeNext && p.words[i].text == "is" && p.words[i+1].text == "in"
}

// kindOf reads a kind or a resource: one that messages name without a group, one with its group
// after a dot, or a word that can only be a kind (CephBlockPool).
func kindOf(text string) (Object, bool) {
	if k := known[text]; k != nil {
		return Object{Kind: k.kind, Group: k.group}, true
	}
	if k := known[strings.ToLower(text)]; k != nil && startsUpper(text) {
		return Object{Kind: k.kind, Group: k.group}, true
	}
	if head, group, ok := strings.Cut(text, "."); ok {
		if !isGroup(group) || !isWord(head) {
			return Object{}, false
		}
		if v, rest, ok := strings.Cut(group, "."); ok && isVersion(v) { // Kind.v1.group
			group = rest
		}
		if k := known[strings.ToLower(head)]; k != nil && k.group == group {
			return Object{Kind: k.kind, Group: group}, true
		}
		if startsUpper(head) {
			return Object{Kind: head, Group: group}, true
		}
		return Object{Resource: head, Group: group}, true
	}
	humps := 0
	for i, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			humps++
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' && i > 0:
		default:
			return Object{}, false
		}
	}
	return Object{Kind: text, AnyGroup: true}, startsUpper(text) && humps >= 2 && humps < len(text) && len(text) > 4
}

// dotted reads name.kind.group of a known kind.
func dotted(text string) (Object, bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || !IsName(parts[0]) {
		return Object{}, false
	}
	k := known[parts[1]]
	return Object{Kind: kindName(k), Group: parts[2], Name: parts[0]}, k != nil && k.group == parts[2]
}

func kindName(k *kind) string {
	if k == nil {
		return ""
	}
	return k.kind
}

type kind struct{ kind, group string }

// known are the kinds that messages name without a group, by kind in lower case, plural and short
// name.
var known = func() map[string]*kind {
	table := map[string]*kind{}
	for line := range strings.SplitSeq(strings.TrimSpace(knownKinds), "\n") {
		f := strings.Fields(line)
		group := f[1]
		if group == "-" {
			group = ""
		}
		k := &kind{f[0], group}
		low := strings.ToLower(f[0])
		for _, name := range append(f[2:], low, plural(low)) {
			table[name] = k
		}
	}
	return table
}()

// plural is the resource of a kind in lower case, as CustomResourceDefinitions name it.
func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"):
		return kind + "es"
	case strings.HasSuffix(kind, "y"):
		return strings.TrimSuffix(kind, "y") + "ies"
	}
	return kind + "s"
}

const knownKinds = `
Pod -
Service - svc
Secret -
ConfigMap -
Namespace -
Node -
ServiceAccount -
PersistentVolumeClaim - pvc pvcs
PersistentVolume - pv pvs
ReplicationController -
ResourceQuota -
LimitRange -
Deployment apps
StatefulSet apps
DaemonSet apps
ReplicaSet apps
ControllerRevision apps
Job batch
CronJob batch
Ingress networking.k8s.io
IngressClass networking.k8s.io
NetworkPolicy networking.k8s.io
StorageClass storage.k8s.io
VolumeAttachment storage.k8s.io
CSINode storage.k8s.io
CSIDriver storage.k8s.io
HorizontalPodAutoscaler autoscaling hpa hpas
PodDisruptionBudget policy pdb pdbs
PriorityClass scheduling.k8s.io
RuntimeClass node.k8s.io
CustomResourceDefinition apiextensions.k8s.io crd crds
APIService apiregistration.k8s.io
ValidatingWebhookConfiguration admissionregistration.k8s.io
MutatingWebhookConfiguration admissionregistration.k8s.io
Role rbac.authorization.k8s.io
ClusterRole rbac.authorization.k8s.io
RoleBinding rbac.authorization.k8s.io
ClusterRoleBinding rbac.authorization.k8s.io
Gateway gateway.networking.k8s.io
GatewayClass gateway.networking.k8s.io
HTTPRoute gateway.networking.k8s.io
HelmRelease helm.toolkit.fluxcd.io
HelmChart source.toolkit.fluxcd.io
HelmRepository source.toolkit.fluxcd.io
GitRepository source.toolkit.fluxcd.io
OCIRepository source.toolkit.fluxcd.io
Kustomization kustomize.toolkit.fluxcd.io
Certificate cert-manager.io
CertificateRequest cert-manager.io
Issuer cert-manager.io
ClusterIssuer cert-manager.io
Order acme.cert-manager.io
Challenge acme.cert-manager.io
ExternalSecret external-secrets.io
SecretStore external-secrets.io
ClusterSecretStore external-secrets.io
`

// IsName reports whether a text can be the name of an object: a DNS subdomain (RFC 1123).
func IsName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isLabelOf(label, 253) {
			return false
		}
	}
	return true
}

func isLabel(s string) bool { return isLabelOf(s, 63) }

func isLabelOf(s string, most int) bool {
	if s == "" || len(s) > most || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// isGroup reports whether a text can be an API group: one of Kubernetes' short ones, or a domain.
func isGroup(s string) bool {
	return IsName(s) && (strings.Contains(s, ".") ||
		slices.Contains([]string{"apps", "batch", "autoscaling", "policy", "extensions"}, s))
}

func isVersion(s string) bool {
	return len(s) >= 2 && len(s) <= 10 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9'
}

func isWord(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func startsUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// looksNamed reports whether a word is rather a name than English.
func looksNamed(s string) bool { return strings.ContainsAny(s, "-0123456789.") }

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
