package convert

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// A Tree holds the fields that are declared (keep.txt, the rows of the registry) and, beyond them:
//
//   - the status, the selector, and short scalars of the spec and of the top level
//   - fields named …Ref or …Refs, and what selects a key of an object by its name; of a project's
//     kinds they are kept at any depth of the spec
//   - of a project's kinds also the names in fields of the spec that are called as a kind is

// Bounds of a Tree. The rest is left out, with a flaw.
const (
	maxTreeDepth = 24
	maxTreeList  = 4096
	maxTreeNodes = 60_000
	// shortString is the longest string that is kept without a declaration.
	shortString = 254
)

// keepNode is a node in the tree of paths to keep.
type keepNode struct {
	all         bool
	shortFields bool // keep short scalars and references, too
	references  bool // keep references at any depth, and nothing else of what they are in
	next        map[string]*keepNode
}

var keepAll = &keepNode{all: true}

func (n *keepNode) add(path []string) {
	for _, field := range path {
		if n.next == nil {
			n.next = map[string]*keepNode{}
		}
		if field == "[]" { // lists are passed through; of an object it is any field
			n.next["*"] = n
			continue
		}
		sub := n.next[field]
		if sub == nil {
			sub = &keepNode{}
			n.next[field] = sub
		}
		n = sub
	}
	n.all = true
}

// child is the node for a field, or nil.
func (n *keepNode) child(key string, v any) *keepNode {
	switch {
	case n.all:
		return n
	case n.next[key] != nil:
		return n.next[key]
	case n.next["*"] != nil:
		return n.next["*"]
	case (n.shortFields || n.references) && isReference(key, v), n.shortFields && isScalar(v):
		return keepAll
	case n.references && namesByKind(key, v):
		return onlyName
	case n.references && !isScalar(v):
		return onlyReferences
	}
	return nil
}

// onlyReferences keeps references at any depth.
var onlyReferences = &keepNode{references: true}

// onlyName keeps what names an object, and the references below it: "cluster: {name: main,
// secretRef: {…}}".
var onlyName = &keepNode{
	references: true,
	next:       map[string]*keepNode{"name": keepAll, "namespace": keepAll, "kind": keepAll, "apiVersion": keepAll},
}

// namesByKind reports whether a field of an object is called as a kind that the registry knows, and
// names something (package edges reads them, NamedByKind): "dataVolume: {name: fedora}".
func namesByKind(key string, v any) bool {
	m, _ := v.(map[string]any)
	_, named := m["name"].(string)
	return named && registry.KindsNamed(key) != nil
}

// isScalar reports whether a value is a short scalar.
func isScalar(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= shortString
	case map[string]any, []any:
		return false
	}
	return true
}

// isReference reports whether a field is kept without a declaration, by its name.
func isReference(key string, v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= shortString && (slices.Contains(namesObject, key) || isAddress(v))
	case map[string]any:
		return isReferenceField(key) || object.SelectsSecretKey(key, v) || object.NamesItsKind(v)
	case []any:
		return isReferenceField(key)
	}
	return false
}

func isReferenceField(key string) bool {
	return key == "selector" || strings.HasSuffix(key, "Ref") || strings.HasSuffix(key, "Refs") ||
		strings.HasSuffix(key, "Reference")
}

// isAddress reports whether a text is a web address, and nothing but a host: a path or a query may hold what
// lets one in.
func isAddress(text string) bool { return onlyHost().MatchString(text) }

var onlyHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[^/?#@\s]+/?$`) })

// namesObject are the fields of plain text that name an object in every project (package edges
// reads them, Mentions).
var namesObject = []string{
	"secretName", "existingSecret", "configMapName", "serviceAccountName", "serviceAccount",
	"storageClassName", "storageClass",
	"claimName", "existingClaim", "persistentVolumeClaimName", "sourcePVC", "volumeSnapshot", "volumeSnapshotName",
	"ingressClassName", "priorityClassName", "runtimeClassName",
}

var keepNodes sync.Map // GroupKind → *keepNode

// keepFor returns the paths to keep for a kind.
func keepFor(group, kind string) *keepNode {
	gk := object.ID{Group: group, Kind: kind}.GroupKind()
	if n, ok := keepNodes.Load(gk); ok {
		return n.(*keepNode)
	}
	n := &keepNode{
		shortFields: true,
		next:        map[string]*keepNode{"spec": {shortFields: true, references: object.ProjectGroup(group)}},
	}
	for _, path := range registry.FieldsRead(group, kind) {
		n.add(path)
	}
	for line := range strings.Lines(keepLists) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == cmp.Or(group, "-") && (f[1] == kind || f[1] == "*") {
			for _, path := range f[2:] {
				n.add(strings.Split(path, "."))
			}
		}
	}
	keepNodes.Store(gk, n)
	return n
}

// keepLists declares the fields that rules, edges and detectors read of kinds without
// a typed view, beyond what the registry's rows read.
//
//go:embed keep.txt
var keepLists string

// isPayload reports whether a top-level field never enters a tree.
func isPayload(key string) bool { return key == "data" || key == "stringData" || key == "binaryData" }

// tree keeps what rules read of a kind without a typed view: its status without
// the conditions, which are separate, and the declared fields.
func (c *converter) tree(m map[string]any) {
	declared := keepFor(c.o.Group, c.o.Kind)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		var kept any
		switch key {
		case "apiVersion", "kind", "metadata":
			continue
		case "status":
			if status, ok := m[key].(map[string]any); ok {
				kept = c.statusTree(status)
			}
		default:
			if sub := declared.child(key, m[key]); sub != nil && (!isPayload(key) || declared.next[key] != nil) {
				kept = c.kept(sub, m[key], key, 1)
			}
		}
		if kept == nil {
			continue
		}
		if c.o.Tree == nil {
			c.o.Tree = make(map[string]any, 4)
		}
		c.o.Tree[key] = kept
	}
	if spec, ok := m["spec"].(map[string]any); ok && spec["replicas"] != nil {
		scaled := maps.Clone(spec)
		delete(scaled, "replicas")
		c.o.SpecSum = specSum(json.Marshal(scaled))
	}
}

// holdLists reports whether a condition holds more than an object.Condition does: a list
// of the errors that it sums up (projectcontour/contour v1.31, apis/projectcontour/v1
// DetailedCondition).
func holdLists(conditions any) bool {
	list, _ := conditions.([]any)
	return slices.ContainsFunc(list, func(v any) bool {
		m, _ := v.(map[string]any)
		for _, field := range m {
			if below, ok := field.([]any); ok && len(below) > 0 {
				return true
			}
		}
		return false
	})
}

// statusTree is the status; an empty one differs from none.
func (c *converter) statusTree(status map[string]any) map[string]any {
	out := make(map[string]any, len(status))
	for _, key := range slices.Sorted(maps.Keys(status)) {
		switch v := status[key]; key {
		case "conditions":
			if holdLists(v) {
				out[key] = c.kept(keepAll, v, "status."+key, 1)
			}
		case "images":
			if c.o.GroupKind() != "Node" { // four fifths of a Node, and nobody reads it
				out[key] = c.kept(keepAll, v, "status."+key, 1)
			}
		case "observedGeneration":
			if _, ok := v.(int64); ok {
				out[key] = v
			}
		default:
			out[c.word(key)] = c.kept(keepAll, v, "status."+key, 1)
		}
	}
	return out
}

// kept copies the part of a value that the node keeps; nil is nothing.
func (c *converter) kept(n *keepNode, v any, at string, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		if c.tooMuch(at, depth) {
			return nil
		}
		out := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if sub := n.child(key, v[key]); sub != nil {
				if x := c.kept(sub, v[key], at+"."+key, depth+1); x != nil || v[key] == nil {
					out[c.word(key)] = x
				}
			}
		}
		if n.references && !n.shortFields && len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if c.tooMuch(at, depth) {
			return nil
		}
		if len(v) > maxTreeList {
			c.flaw(at, "has more entries than are kept")
			v = v[:maxTreeList]
		}
		out := make([]any, 0, len(v))
		for i, x := range v {
			out = append(out, c.kept(n, x, at+"["+strconv.Itoa(i)+"]", depth+1))
		}
		if n == onlyReferences && !slices.ContainsFunc(out, func(x any) bool { return x != nil }) {
			return nil
		}
		return out
	}
	// a scalar where the declaration expects fields
	if n == onlyReferences || !n.all && !n.shortFields && n.next != nil {
		return nil
	}
	s, ok := v.(string)
	switch {
	case !ok:
		return v
	case len(s) > object.MaxText && !c.opts.Verbatim: // what is cut off may differ
		return object.Clean(s[:object.MaxText-50]) + fmt.Sprintf(" … (%d bytes, %08x)", len(s),
			crc32.ChecksumIEEE([]byte(s)))
	}
	return c.word(s)
}

// tooMuch reports whether the tree has reached a bound.
func (c *converter) tooMuch(at string, depth int) bool {
	c.size++
	switch {
	case depth > maxTreeDepth:
		c.flaw(at, "is nested too deeply")
	case c.size == maxTreeNodes:
		c.flaw(at, "is too large to be kept whole")
	case c.size < maxTreeNodes:
		return false
	}
	return true
}

// whole keeps everything, for the user's rules.
func (c *converter) whole(m map[string]any) {
	all := maps.Clone(m)
	if MetadataKind(c.o.Group, c.o.Kind) {
		maps.DeleteFunc(all, func(key string, _ any) bool { return isPayload(key) })
	}
	if meta, ok := m["metadata"].(map[string]any); ok {
		meta = runtime.DeepCopyJSON(meta)
		unstructured.RemoveNestedField(meta, "managedFields")
		unstructured.RemoveNestedField(meta, "annotations", lastApplied)
		all["metadata"] = meta
	}
	c.size = 0
	tree := make(map[string]any, len(all))
	for key, v := range all {
		tree[c.word(key)] = c.kept(keepAll, v, key, 1)
	}
	if tree["kind"] == nil {
		tree["kind"] = c.o.Kind
	}
	if tree["apiVersion"] == nil {
		tree["apiVersion"] = strings.TrimPrefix(c.o.Group+"/"+c.o.Version, "/")
	}
	c.o.Tree = tree
}
