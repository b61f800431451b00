package inventory

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

const labelKappApp = "kapp.k14s.io/is-app"

var carvelSources = []Source{
	{
		Name: "kapp app", Short: "kapp", Scheme: &Scheme{form: "kapp/[NAMESPACE/]APP", least: 1, most: 2},
		NameInSource: func(root object.ID) string { return strings.TrimSuffix(root.Name, kappSuffix) },
		Kind:         "ConfigMap", Selector: labelKappApp, Match: labelled(labelKappApp), decode: kappConfigMap,
		Candidates: func(t Target) []Candidate {
			if t.Scheme == "kapp" {
				return []Candidate{
					{ID: t.at("", "ConfigMap", t.Name), Selector: labelKappApp},
					{ID: t.at("", "ConfigMap", t.Name+kappSuffix), Selector: labelKappApp},
				}
			}
			// kapp-label: the value that members have in their label
			return []Candidate{
				{ID: t.at("", "ConfigMap", ""), Selector: labelKappApp, Check: func(o *object.Object) bool {
					var set Set
					kappConfigMap(&set, o)
					return len(set.Labels) > 0 && strings.HasSuffix(set.Labels[0].Selector, "="+t.Name)
				}},
			}
		},
		InventoriesOf: func(o *object.Object) []Target {
			app := label(o, "kapp.k14s.io/app")
			return []Target{{Source: "kapp app " + app, Scheme: "kapp-label", Name: app}}
		},
		Ignored: kappIgnored,
	},
	{Name: "kapp-controller App", Group: "kappctrl.k14s.io", Kind: "App", decode: kappController, Ignored: kappIgnored},
	{
		Name: "Carvel PackageInstall", Group: "packaging.carvel.dev", Kind: "PackageInstall",
		decode: func(s *Set, o *object.Object) {
			s.object(object.ID{Group: "kappctrl.k14s.io", Kind: "App", Namespace: o.Namespace, Name: o.Name})
		},
	},
}

// kappSuffix ends the names of newer apps' ConfigMaps.
const kappSuffix = ".apps.k14s.io"

// kappIgnored: any value counts, usually an empty one. Members of other
// inventories in ConfigMaps lack kapp's label.
func kappIgnored(member *object.Object) string {
	_, wait := member.Annotation("kapp.k14s.io/disable-wait")
	_, app := member.Label("kapp.k14s.io/app")
	if wait && app {
		return "not waited for (disable-wait)"
	}
	return ""
}

func kappConfigMap(s *Set, o *object.Object) {
	var spec map[string]any
	_ = json.Unmarshal([]byte(o.Str("data", "spec")), &spec) // what is no JSON names no label, either
	if change, _ := spec["lastChange"].(map[string]any); change != nil {
		if successful, over := change["successful"].(bool); !over {
			s.Pending = "a change is being applied"
		} else if !successful {
			s.Given = feed.GivenStatus{
				Status: status.Failed, Reason: "LastChangeFailed",
				Message: "kapp: the last change failed: " + text(change, "description"),
			}
		}
	}
	s.Revision = text(spec, "lastChangeName")
	selector := cmp.Or(text(spec, "labelKey"), "kapp.k14s.io/app") + "=" + text(spec, "labelValue")
	if text(spec, "labelValue") == "" || !selectorWord(selector) {
		s.add(unreadable("spec", errors.New("it is not the JSON that kapp writes: it names no label")))
		return
	}
	kinds, known := spec["usedGKs"].([]any)
	s.kappLabel(selector,
		append([]any{o.Namespace}, items(spec, "lastChange", "namespaces")...), kinds, "Group", "Kind")
	if !known {
		s.note("the app does not say which kinds it uses: all are looked through")
	}
}

// kappLabel selects what has kapp's label, in namespaces and of kinds in lists; nil
// means all kinds.
func (s *Set) kappLabel(selector string, namespaces, kinds []any, group, kind string) {
	l := Labels{Selector: selector, Filter: Identified}
	for _, ns := range namespaces { // kapp-controller writes "(cluster)", too
		if ns, _ := ns.(string); isNamespace(ns) && !slices.Contains(l.Namespaces, ns) {
			l.Namespaces = append(l.Namespaces, ns)
		}
	}
	for _, gk := range kinds {
		l.Kinds = append(l.Kinds, s.groupKinds(text(gk, kind)+"."+text(gk, group))...)
	}
	if kinds == nil || len(l.Kinds) > 0 {
		s.Labels = []Labels{l}
	}
}

func kappController(s *Set, o *object.Object) {
	r := object.At(o.Tree, "status", "deploy", "kapp", "associatedResources")
	label := text(r, "label")
	if label == "" {
		// The app's own record; kapp-controller has used this name since 0.30.
		s.object(object.ID{Kind: "ConfigMap", Namespace: o.Namespace, Name: o.Name + ".app.apps.k14s.io"})
	} else if kinds := items(r, "groupKinds"); selectorWord(label) && kinds != nil {
		s.kappLabel(label, items(r, "namespaces"), kinds, "group", "kind")
	}
	if is, _, message := condition(o, "Reconciling"); is == "True" {
		s.Pending = cmp.Or(message, "it is being reconciled")
	}
}
