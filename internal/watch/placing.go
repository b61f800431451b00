package watch

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// kubectl's text ("deployment.apps/web created") does not name the namespace.
// The objects are looked up in the current namespace, otherwise in the only one
// that has all of them. If several remain the user must choose: an object of
// the same name elsewhere would be a wrong answer.

// withNamespace is the hint of every error about an unknown namespace.
const withNamespace = "kubectl apply -o yaml names it: kubectl apply -f app.yaml -o yaml | kstatus-tui -f -; or pass -n NAMESPACE"

// unplaced is a namespaced object named in kubectl's text.
type unplaced struct {
	*target
	res    kube.Resource
	places []string // the namespaces that contain it
	hidden error    // why not all namespaces could be searched
}

// isIt reports whether an object can be the one that the text means.
func (u *unplaced) isIt(m *metav1.PartialObjectMetadata) bool {
	return u.Unplaced != inventory.Deleted || m.DeletionTimestamp != nil
}

// place finds the namespaces of the objects in kubectl's text and sets the
// targets.
func (e *Engine) place(ctx context.Context) error {
	e.mu.Lock()
	var targets []*target
	for _, g := range e.order {
		for _, t := range e.groups[g] {
			if t.Unplaced != 0 {
				targets = append(targets, t)
			}
		}
	}
	e.mu.Unlock()
	here := targets[0].Namespace
	var list []*unplaced
	for _, t := range targets {
		res, err := e.resolver.Type(ctx, t.Type)
		if err != nil {
			return err
		}
		if res.Namespaced {
			list = append(list, &unplaced{target: t, res: res})
		}
	}
	namespace, undecided, err := e.placeAll(ctx, list, here)
	if err != nil {
		return err
	}
	if undecided != nil {
		e.hub.End(undecided)
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range list {
		u.Namespace, u.Unplaced = namespace, 0
		if namespace != here {
			u.Note = "found in namespace " + namespace
		}
	}
	return nil
}

// placeAll returns the namespace that contains the whole list, or an error for
// the user.
func (e *Engine) placeAll(ctx context.Context, all []*unplaced, here string) (string, *problem.Error, error) {
	list := slices.DeleteFunc(slices.Clone(all), func(u *unplaced) bool { return u.Unplaced == inventory.Planned })
	err := kube.Each(len(list), func(i int) error {
		found, err := e.isIn(ctx, list[i], here)
		if found {
			list[i].places = []string{here}
		}
		return err // a user who applies there may usually get there
	})
	if err != nil || !slices.ContainsFunc(list, func(u *unplaced) bool { return u.places == nil }) {
		return here, nil, err
	}
	if err := e.findPlaces(ctx, list); err != nil {
		return "", nil, err
	}
	having := map[string]int{} // how many objects a namespace has
	exist, nowhere := 0, false
	var where []string
	for _, u := range list {
		slices.Sort(u.places)
		u.places = slices.Compact(u.places)
		switch {
		case len(u.places) > 0:
			exist++
		case u.hidden != nil:
			return "", problem.New(withNamespace, "kubectl's text names no namespace: %s/%s is not found in %s, and may not be looked for elsewhere: %s", u.Type, u.Name, here, kube.ErrorText(u.hidden)), nil
		}
		for _, ns := range u.places {
			having[ns]++
		}
		if u.Unplaced == inventory.Applied {
			nowhere = nowhere || u.places == nil
			where = append(where, u.Type+"/"+u.Name+" "+someOf(u.places))
		}
	}
	maps.DeleteFunc(having, func(_ string, n int) bool { return n < exist })
	common := slices.Sorted(maps.Keys(having)) // they contain all that exist
	switch {
	case exist == 0 || having[here] > 0:
		return here, nil, nil // a missing object is awaited in the current namespace
	case len(common) == 1 && !nowhere:
		return common[0], nil, nil
	case len(common) > 1 && !nowhere:
		return "", problem.New(withNamespace, "kubectl's text names no namespace, and several have all that it names: %s", someOf(common)), nil
	}
	return "", problem.New(withNamespace, "kubectl's text names no namespace, and none has all that it names (%s)", someOf(where)), nil
}

// findPlaces searches the whole cluster for each object or, if that is not
// permitted, each namespace.
func (e *Engine) findPlaces(ctx context.Context, list []*unplaced) error {
	namespaces := sync.OnceValues(func() ([]metav1.PartialObjectMetadata, error) {
		return e.client.ListMetadata(ctx, kube.Builtin("", "Namespace"), "", nil)
	})
	return kube.Each(len(list), func(i int) error {
		u := list[i]
		found, err := e.client.ListMetadata(ctx, u.res, "", url.Values{"fieldSelector": {"metadata.name=" + u.Name}})
		if kube.Code(err) != http.StatusForbidden {
			for _, m := range found {
				if u.isIt(&m) {
					u.places = append(u.places, object.Clean(m.Namespace))
				}
			}
			return err
		}
		u.hidden = err
		all, err := namespaces()
		if err != nil && kube.Code(err) != http.StatusForbidden {
			return err
		}
		for _, ns := range all {
			found, err := e.isIn(ctx, u, ns.Name)
			if err != nil {
				return err
			}
			if found {
				u.places = append(u.places, object.Clean(ns.Name))
			}
		}
		return nil
	})
}

// isIn reports whether the object exists in a namespace, as far as one may see.
func (e *Engine) isIn(ctx context.Context, u *unplaced, namespace string) (bool, error) {
	var o metav1.PartialObjectMetadata
	err := e.client.ReadJSON(ctx, u.res.Path(namespace)+"/"+u.Name, nil, kube.AcceptMetadata, &o, kube.PartialMetadata, u.res.ObjectKind())
	switch kube.Code(err) {
	case http.StatusNotFound, http.StatusForbidden:
		return false, nil
	}
	return err == nil && u.isIt(&o), err
}

// someOf prints the first elements of a list.
func someOf(list []string) string {
	const named = 3
	switch {
	case len(list) == 0:
		return "nowhere"
	case len(list) > named:
		return strings.Join(list[:named], ", ") + " …"
	}
	return strings.Join(list, ", ")
}
