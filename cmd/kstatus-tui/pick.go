package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// pick lets the user choose what to follow: an inventory or, if there is none,
// everything in the namespace or another place to look. False means that
// nothing was chosen.
func (o *followOptions) pick(ctx context.Context, screen screenOptions) (bool, error) {
	for {
		found, err := atKeyboard(ctx, o.IOStreams, screen, func(ctx context.Context) ([]find.Found, error) {
			return leavable(ctx, func() ([]find.Found, error) { return o.findInventories(ctx) })
		})
		if err != nil {
			return false, err
		}
		if len(found) > 0 {
			return o.pickInventory(ctx, found)
		}
		places, err := atKeyboard(ctx, o.IOStreams, screen, func(ctx context.Context) ([]place, error) {
			return leavable(ctx, func() ([]place, error) { return o.places(ctx) })
		})
		if err != nil {
			return false, err
		}
		choices := make([]views.Choice, len(places))
		for i, p := range places {
			choices[i].Cells = []string{p.what, p.name, p.note}
		}
		i, ok, err := views.Pick(ctx, "No inventory here. What to follow, or where to look?", choices, o.In, o.Out)
		if err != nil || !ok {
			return false, err
		}
		if places[i].choose(); o.all {
			return true, nil
		}
	}
}

// pickInventory offers inventories with the status that their roots report:
// that takes a list or two per kind instead of reading every member.
func (o *followOptions) pickInventory(ctx context.Context, found []find.Found) (bool, error) {
	choices := make([]views.Choice, len(found))
	now := time.Now()
	for i, x := range found {
		n, word := "?", " members"
		if x.Members >= 0 {
			n = strconv.Itoa(x.Members)
		}
		if x.Members == 1 {
			word = " member"
		}
		choices[i].Cells = []string{
			x.ID.Namespace, x.Target.Source, cmp.Or(inventory.ShortRevision(x.Revision), "-"), n + word,
			cmp.Or(string(x.Own.Status), "-"), ageOf(x.Created, now), x.Note,
		}
	}
	i, ok, err := views.Pick(ctx, "Which inventory? (statuses are the roots' own words)", choices, o.In, o.Out)
	if ok {
		o.chosen = []inventory.Target{found[i].Target}
	}
	return ok, err
}

// place is a choice that is not an inventory: a set to follow, or a namespace
// or context to look in.
type place struct {
	what, name, note string
	choose           func()
}

// places are everything in the namespace, all namespaces, each other namespace
// that may be listed, and each other context of the kubeconfig.
func (o *followOptions) places(ctx context.Context) ([]place, error) {
	c, err := connect(o.connection)
	if err != nil {
		return nil, err
	}
	here := "in namespace " + c.namespace
	if o.allNamespaces {
		here = "in all namespaces"
	}
	out := []place{{"everything", here, "what nothing else owns, as with --all", func() { o.all = true }}}
	if !o.allNamespaces {
		out = append(out, place{"look", "in all namespaces", "", func() { o.allNamespaces = true }})
	}
	// Without permission to list namespaces, none are offered.
	_ = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, _ string) error {
		names, err := finder.Names(ctx, "namespaces", "")
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if name == c.namespace && !o.allNamespaces {
				continue
			}
			out = append(out, place{"look", "in namespace " + name, ageOf(names[name], time.Now()) + " old", func() {
				o.allNamespaces, o.connection = false, inContext(o.connection, *o.connection.Context, name)
			}})
		}
		return err
	})
	raw, err := o.connection.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Contexts)) {
		if name != c.context {
			out = append(out, place{"look", "in context " + name, "", func() { o.connection = inContext(o.connection, name, "") }})
		}
	}
	return out, nil
}
