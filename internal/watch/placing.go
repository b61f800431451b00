package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
	res     kube.Resource
	typ     string
	name    string
	outcome inventory.Outcome
	places  []string // the namespaces that contain it
	hidden  error    // why not all namespaces could be searched
}

// isIt reports whether an object can be the one that the text means.
func (u *unplaced) isIt(m *metav1.PartialObjectMetadata) bool {
	return u.outcome != inventory.Deleted || m.DeletionTimestamp != nil
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
	var namespaced []*target
	for _, t := range targets {
		res, err := e.resolver.Type(ctx, t.Type)
		if err != nil {
			return err
		}
		if res.Namespaced {
			namespaced = append(namespaced, t)
			list = append(list, &unplaced{res: res, typ: t.Type, name: t.Name, outcome: t.Unplaced})
		}
	}
	namespace, problem, err := e.placeAll(ctx, list, here)
	if err != nil {
		return err
	}
	if problem != nil {
		e.hub.End(problem)
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range namespaced {
		t.Namespace, t.Unplaced = namespace, 0
		if namespace != here {
			t.Note = "found in namespace " + namespace
		}
	}
	return nil
}

// placeAll returns the namespace that contains the whole list, or an error for
// the user.
func (e *Engine) placeAll(ctx context.Context, list []*unplaced, here string) (string, *kube.Problem, error) {
	err := kube.Each(len(list), func(i int) error {
		u := list[i]
		if u.outcome == inventory.Planned {
			return nil
		}
		found, err := e.isIn(ctx, u, here)
		if found {
			u.places = []string{here}
		}
		if kube.Code(err) == http.StatusForbidden {
			return nil // a user who applies there may usually get there
		}
		return err
	})
	elsewhere := func(u *unplaced) bool { return u.places == nil && u.outcome != inventory.Planned }
	if err != nil || !slices.ContainsFunc(list, elsewhere) {
		return here, nil, err
	}
	if err := e.findPlaces(ctx, list); err != nil {
		return "", nil, err
	}
	var common []string // the namespaces that contain all that exist
	exists, nowhere := false, false
	for _, u := range list {
		slices.Sort(u.places)
		u.places = slices.Compact(u.places)
		switch {
		case len(u.places) > 0 && !exists:
			common, exists = u.places, true
		case len(u.places) > 0:
			common = slices.DeleteFunc(slices.Clone(common), func(ns string) bool { return !slices.Contains(u.places, ns) })
		case u.hidden != nil:
			return "", &kube.Problem{
				Text: fmt.Sprintf("kubectl's text names no namespace: %s/%s is not found in %s, and may not be looked for elsewhere: %s", u.typ, u.name, here, object.Clean(kube.ErrorText(u.hidden))),
				Next: withNamespace, Err: u.hidden,
			}, nil
		case u.outcome == inventory.Applied:
			nowhere = true
		}
	}
	switch {
	case !exists || slices.Contains(common, here):
		return here, nil, nil // a missing object is awaited in the current namespace
	case len(common) == 1 && !nowhere:
		return common[0], nil, nil
	case len(common) > 1 && !nowhere:
		return "", &kube.Problem{Text: "kubectl's text names no namespace, and several have all that it names: " + someOf(common), Next: withNamespace}, nil
	}
	var where []string
	for _, u := range list {
		if u.outcome == inventory.Applied {
			where = append(where, u.typ+"/"+u.name+" "+someOf(u.places))
		}
	}
	return "", &kube.Problem{Text: fmt.Sprintf("kubectl's text names no namespace, and none has all that it names (%s)", someOf(where)), Next: withNamespace}, nil
}

// findPlaces searches the whole cluster for each object or, if that is not
// permitted, each namespace.
func (e *Engine) findPlaces(ctx context.Context, list []*unplaced) error {
	err := kube.Each(len(list), func(i int) error {
		u := list[i]
		if u.outcome == inventory.Planned {
			return nil
		}
		found, err := e.client.ListMetadata(ctx, u.res, "", url.Values{"fieldSelector": {"metadata.name=" + u.name}})
		if kube.Code(err) == http.StatusForbidden {
			u.hidden = err
			return nil
		}
		for _, m := range found {
			if u.isIt(&m) {
				u.places = append(u.places, object.Clean(m.Namespace))
			}
		}
		return err
	})
	if err != nil || !slices.ContainsFunc(list, func(u *unplaced) bool { return u.hidden != nil }) {
		return err
	}
	all, err := e.client.ListMetadata(ctx, kube.Builtin("", "Namespace"), "", nil)
	if err != nil && kube.Code(err) != http.StatusForbidden {
		return err
	}
	for _, u := range list {
		if u.hidden == nil {
			continue
		}
		found := make([]bool, len(all))
		err := kube.Each(len(all), func(i int) (err error) {
			found[i], err = e.isIn(ctx, u, all[i].Name)
			if kube.Code(err) == http.StatusForbidden {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		for i, m := range all {
			if found[i] {
				u.places = append(u.places, object.Clean(m.Name))
			}
		}
	}
	return nil
}

// isIn reports whether the object exists in a namespace.
func (e *Engine) isIn(ctx context.Context, u *unplaced, namespace string) (bool, error) {
	data, err := e.client.Read(ctx, u.res.Path(namespace)+"/"+u.name, nil, kube.AcceptMetadata)
	if kube.Code(err) == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var o metav1.PartialObjectMetadata
	if err := json.Unmarshal(data, &o); err != nil {
		return false, err
	}
	return u.isIt(&o), nil
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
