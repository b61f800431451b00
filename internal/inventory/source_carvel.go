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
		Name: "kapp app", Short: "kapp", Scheme: &Scheme{"kapp/[NAMESPACE/]APP", 1, 2, searched("kapp")},
		Written: func(root object.ID) string { return strings.TrimSuffix(root.Name, kappSuffix) },
		Kind:    "ConfigMap", Plural: "configmaps", Selector: labelKappApp, Match: labelled(labelKappApp), Read: kappConfigMap,
		Candidates: func(t Target) []Candidate {
			if t.Scheme == "kapp" {
				return []Candidate{
					{ID: t.at("", "ConfigMap", t.Name), Selector: labelKappApp},
					{ID: t.at("", "ConfigMap", t.Name+kappSuffix), Selector: labelKappApp},
				}
			}
			// kapp-label: the value that members have in their label
			return []Candidate{{ID: t.at("", "ConfigMap", ""), Selector: labelKappApp, Check: func(o Object) bool {
				set, _ := kappConfigMap(o)
				return len(set.Labels) > 0 && strings.HasSuffix(set.Labels[0].Selector, "="+t.Name)
			}}}
		},
		Owners: func(o *object.Object) []Target {
			app := label(o, "kapp.k14s.io/app")
			return []Target{{Source: "kapp app " + app, Scheme: "kapp-label", Namespace: o.Namespace, Name: app, AllNamespaces: true}}
		},
		Ignored: kappIgnored,
	},
	{Name: "kapp-controller App", Group: "kappctrl.k14s.io", Kind: "App", Plural: "apps", Read: kappController, Ignored: kappIgnored},
	{
		Name: "Carvel PackageInstall", Group: "packaging.carvel.dev", Kind: "PackageInstall", Plural: "packageinstalls",
		Read: refersTo(func(o Object) Member {
			return Member{ID: object.ID{Group: "kappctrl.k14s.io", Kind: "App", Namespace: o.Namespace, Name: o.Name}}
		}),
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

func kappConfigMap(o Object) (Set, bool) {
	var s Set
	var spec struct {
		LabelKey       string `json:"labelKey"`
		LabelValue     string `json:"labelValue"`
		LastChangeName string `json:"lastChangeName"`
		LastChange     *struct {
			Successful  *bool    `json:"successful"`
			Description string   `json:"description"`
			Namespaces  []string `json:"namespaces"`
		} `json:"lastChange"`
		UsedGKs *[]struct{ Group, Kind string } `json:"usedGKs"`
	}
	if err := json.Unmarshal([]byte(o.text("data", "spec")), &spec); err != nil {
		s.add(unreadable("spec", errors.New("its spec is not the JSON that kapp writes")))
		return s, true
	}
	namespaces := []string{o.Namespace}
	if c := spec.LastChange; c != nil {
		for _, ns := range c.Namespaces {
			if isNamespace(ns) && !slices.Contains(namespaces, ns) {
				namespaces = append(namespaces, ns)
			}
		}
		switch {
		case c.Successful == nil:
			s.Pending = "a change is being applied"
		case !*c.Successful:
			s.Told = feed.Told{Status: status.Failed, Reason: "LastChangeFailed", Message: "kapp: the last change failed: " + object.Clean(c.Description)}
		}
	}
	s.Revision = object.Clean(spec.LastChangeName)
	l := Labels{Namespaces: namespaces, Filter: Identified}
	l.Selector = cmp.Or(spec.LabelKey, "kapp.k14s.io/app") + "=" + spec.LabelValue
	if spec.LabelValue == "" || !selectorWord(l.Selector) {
		s.add(unreadable("spec", errors.New("it names no label")))
		return s, true
	}
	if spec.UsedGKs == nil {
		s.note("the app does not say which kinds it uses: all are looked through")
	} else {
		for _, gk := range *spec.UsedGKs {
			m := Member{ID: object.ID{Group: gk.Group, Kind: gk.Kind, Name: "any"}}
			if err := m.check(); err != nil {
				s.add(unreadable(gk.Kind+"."+gk.Group, err))
				continue
			}
			l.Kinds = append(l.Kinds, object.ID{Group: gk.Group, Kind: gk.Kind})
		}
		if len(l.Kinds) == 0 {
			return s, true
		}
	}
	s.Labels = []Labels{l}
	return s, true
}

func kappController(o Object) (Set, bool) {
	var s Set
	r := o.at("status", "deploy", "kapp", "associatedResources")
	label := text(r, "label")
	if label == "" {
		// The app's own record; kapp-controller has used this name since 0.30.
		s.add(checked(Member{ID: object.ID{Kind: "ConfigMap", Namespace: o.Namespace, Name: o.Name + ".app.apps.k14s.io"}}, o.Name))
	} else if selectorWord(label) {
		l := Labels{Selector: label, Filter: Identified}
		namespaces, _ := dig(r, "namespaces").([]any)
		for _, ns := range namespaces {
			if ns, _ := ns.(string); ns == "(cluster)" || isNamespace(ns) {
				l.Namespaces = append(l.Namespaces, strings.TrimPrefix(ns, "(cluster)"))
			}
		}
		l.Namespaces = slices.DeleteFunc(l.Namespaces, func(ns string) bool { return ns == "" })
		gks, _ := dig(r, "groupKinds").([]any)
		for _, gk := range gks {
			l.Kinds = append(l.Kinds, s.groupKinds(strings.TrimSuffix(text(gk, "kind")+"."+text(gk, "group"), "."))...)
		}
		if len(l.Kinds) > 0 {
			s.Labels = []Labels{l}
		}
	}
	if is, _, message := o.condition("Reconciling"); is == "True" {
		s.Pending = cmp.Or(message, "it is being reconciled")
	}
	if paused, _ := o.at("spec", "paused").(bool); paused {
		s.note("paused")
	}
	s.unobserved(o)
	return s, true
}
