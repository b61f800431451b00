package watch

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// kubectl's text ("deployment.apps/web created") does not name the namespace.
// The objects are looked up in the current namespace, otherwise in the only one
// that has all of them. If several remain the user must choose: an object of
// the same name elsewhere would be a wrong answer.

// unplaced is a namespaced object named in kubectl's text.
type unplaced struct {
	*target
	res    kube.Resource
	places sets.Set[string] // the namespaces that contain it
	hidden error            // why not all namespaces could be searched
}

// place finds the namespace of the objects in kubectl's text and sets the
// targets. If it is left open, the feed ends.
func (e *Engine) place(ctx context.Context) error {
	e.mu.Lock()
	targets := slices.Clone(e.groups[byUser].targets)
	e.mu.Unlock()
	var list []*unplaced
	for _, t := range targets {
		if t.Unplaced == 0 {
			continue
		}
		res, err := e.resolver.Type(ctx, t.Type)
		if err != nil {
			return err
		}
		if res.Namespaced {
			list = append(list, &unplaced{target: t, res: res, places: sets.Set[string]{}})
		}
	}
	here := list[0].Namespace
	namespace, err := e.placeAll(ctx, list, here)
	if err != nil {
		return err
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

// placeAll returns the one namespace that contains the whole list, or ends the feed.
func (e *Engine) placeAll(ctx context.Context, all []*unplaced, here string) (string, error) {
	list := slices.DeleteFunc(slices.Clone(all), func(u *unplaced) bool { return u.Unplaced == inventory.Planned })
	err := kube.Each(len(list), func(i int) error {
		return e.lookIn(ctx, list[i], here) // a user who applies there may usually get there
	})
	if err != nil || !slices.ContainsFunc(list, func(u *unplaced) bool { return len(u.places) == 0 }) {
		return here, err
	}
	if err := e.findPlaces(ctx, list); err != nil {
		return "", err
	}
	open := func(format string, args ...any) (string, error) {
		e.hub.EndFeed(problem.New(
			"kubectl apply -o yaml names it: kubectl apply -f app.yaml -o yaml | kstatus-tui -f -; or pass -n NAMESPACE",
			"kubectl's text names no namespace"+format, args...))
		return here, nil
	}
	var common sets.Set[string] // the namespaces that contain all that exist
	var where []string
	nowhere := false
	for _, u := range list {
		switch {
		case len(u.places) == 0 && u.hidden != nil:
			return open(": %s/%s is not found in %s, and may not be looked for elsewhere: %s",
				u.Type, u.Name, here, kube.ErrorText(u.hidden))
		case len(u.places) == 0:
		case common == nil:
			common = u.places
		default:
			common = common.Intersection(u.places)
		}
		if u.Unplaced == inventory.Applied {
			nowhere = nowhere || len(u.places) == 0
			where = append(where, u.Type+"/"+u.Name+" "+cmp.Or(find.Some(sets.List(u.places)), "nowhere"))
		}
	}
	switch {
	case common == nil || common.Has(here):
		return here, nil // a missing object is awaited in the current namespace
	case len(common) == 0 || nowhere:
		return open(", and none has all that it names (%s)", cmp.Or(find.Some(where), "nowhere"))
	case len(common) > 1:
		return open(", and several have all that it names: %s", find.Some(sets.List(common)))
	}
	return common.UnsortedList()[0], nil
}

// findPlaces searches the cluster for each object or, if that is denied, each namespace.
func (e *Engine) findPlaces(ctx context.Context, list []*unplaced) error {
	namespaces := sync.OnceValues(func() (kube.Page, error) {
		return e.client.List(ctx, resolve.Builtin("", "Namespace"), "", nil, false)
	})
	return kube.Each(len(list), func(i int) error {
		u := list[i]
		found, err := e.client.List(ctx, u.res, "",
			url.Values{"fieldSelector": {fields.OneTermEqualSelector("metadata.name", u.Name).String()}}, false)
		if kube.Code(err) != http.StatusForbidden {
			for _, o := range found.Items {
				if u.Unplaced != inventory.Deleted || !o.Deleted.IsZero() {
					u.places.Insert(o.Namespace)
				}
			}
			return err
		}
		u.hidden = err
		all, err := namespaces()
		if kube.Code(err) == http.StatusForbidden {
			return nil
		}
		for i := 0; err == nil && i < len(all.Items); i++ {
			err = e.lookIn(ctx, u, all.Items[i].Name)
		}
		return err
	})
}

// lookIn notes whether the object exists in a namespace, as far as one may see.
func (e *Engine) lookIn(ctx context.Context, u *unplaced, namespace string) error {
	body, err := e.client.Body(ctx, u.res, u.res.ID(namespace, u.Name), true)
	switch code := kube.Code(err); {
	case code == http.StatusNotFound || code == http.StatusForbidden:
		return nil
	case err == nil && (u.Unplaced != inventory.Deleted || object.At(body, "metadata", "deletionTimestamp") != nil):
		u.places.Insert(namespace)
	}
	return err
}
