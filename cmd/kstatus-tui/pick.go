package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// pick lets the user choose what to follow: an inventory or, if there is none,
// everything in the namespace or another place to look. False means that
// nothing was chosen.
func (f *followFlags) pick(ctx context.Context, s genericiooptions.IOStreams, screen screenFlags) (bool, error) {
	for {
		found, err := atKeyboard(ctx, s, screen, func(ctx context.Context) ([]find.Found, error) {
			return leavable(ctx, func() ([]find.Found, error) { return f.findInventories(ctx, s) })
		})
		if err != nil {
			return false, err
		}
		if len(found) > 0 {
			return f.pickInventory(ctx, s, found)
		}
		places, err := atKeyboard(ctx, s, screen, func(ctx context.Context) ([]place, error) {
			return leavable(ctx, func() ([]place, error) { return f.places(ctx) })
		})
		if err != nil {
			return false, err
		}
		choices := make([]views.Choice, len(places))
		for i, p := range places {
			choices[i].Cells = []string{p.what, p.name, p.note}
		}
		i, ok, err := views.Pick(ctx, "No inventory here. What to follow, or where to look?", choices, s.In, s.Out)
		if err != nil || !ok {
			return false, err
		}
		if places[i].choose(); f.all {
			return true, nil
		}
	}
}

// pickInventory offers inventories with the status that their roots report:
// that takes a list or two per kind instead of reading every member.
func (f *followFlags) pickInventory(ctx context.Context, s genericiooptions.IOStreams, found []find.Found) (bool, error) {
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
	i, ok, err := views.Pick(ctx, "Which inventory? (statuses are the roots' own words)", choices, s.In, s.Out)
	if ok {
		f.chosen = []inventory.Target{found[i].Target}
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
func (f *followFlags) places(ctx context.Context) ([]place, error) {
	c, err := f.connect()
	if err != nil {
		return nil, err
	}
	here := "in namespace " + c.namespace
	if f.allNamespaces {
		here = "in all namespaces"
	}
	out := []place{{"everything", here, "what nothing else owns, as with --all", func() { f.all = true }}}
	if !f.allNamespaces {
		out = append(out, place{"look", "in all namespaces", "", func() { f.allNamespaces = true }})
	}
	// Without permission to list namespaces, none are offered.
	_ = f.withFinder(ctx, func(ctx context.Context, finder *find.Finder, _ string) error {
		names, err := finder.Names(ctx, "namespaces", "")
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if name == c.namespace && !f.allNamespaces {
				continue
			}
			out = append(out, place{"look", "in namespace " + name, ageOf(names[name], time.Now()) + " old", func() {
				f.allNamespaces, f.connection = false, inContext(f.connection, *f.connection.Context, name)
			}})
		}
		return err
	})
	raw, err := f.connection.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Contexts)) {
		if name != c.context {
			out = append(out, place{"look", "in context " + name, "", func() { f.connection = inContext(f.connection, name, "") }})
		}
	}
	return out, nil
}
