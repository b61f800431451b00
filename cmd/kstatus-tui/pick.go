package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

// place is a choice of the picker: something to follow, or where to look for it.
type place struct {
	cells  []string
	choose func()
}

// pick lets the user choose what to follow: an inventory, with the status that
// its root reports, or, if there is none, everything in the namespace or another
// place to look. False means that nothing was chosen.
func (o *followOptions) pick(ctx context.Context, theme func(dark, few bool) *views.Theme) (bool, error) {
	for !o.All && o.chosen == nil {
		title := "Which inventory? (statuses are the roots' own words)"
		places, err := leavable(ctx, func() (out []place, err error) {
			found, _, err := o.findInventories(ctx)
			for _, x := range found {
				row := rowOf(x)
				out = append(out, place{row.cells(o.now()), func() { o.chosen = []inventory.Target{x.Target} }})
			}
			if err != nil || len(out) > 0 {
				return out, err
			}
			title = "No inventory here. What to follow, or where to look?"
			return o.places(ctx)
		})
		if err != nil {
			return false, err
		}
		choices := make([][]string, len(places))
		for i, p := range places {
			choices[i] = p.cells
		}
		i, ok, err := views.Pick(ctx, title, choices, o.In, o.Out, theme)
		if err != nil || !ok {
			return false, err
		}
		places[i].choose()
	}
	return true, nil
}

// places are everything in the namespace, all namespaces, each other namespace
// that may be listed, and each other context of the kubeconfig.
func (o *followOptions) places(ctx context.Context) (out []place, err error) {
	err = o.withFinder(ctx, func(ctx context.Context, finder *find.Finder, c connection) error {
		here := "in all namespaces"
		if !o.AllNamespaces {
			here = "in namespace " + c.namespace
		}
		all := *o // what --all follows, if that can be counted soon
		all.All, all.children, all.record, all.timeout, all.ErrOut = true, "none", "", 2*time.Second, io.Discard
		if _, m, err := all.once(ctx); err == nil && m.Facts.Synced() {
			here += fmt.Sprintf(" (%d)", len(m.Facts.Roots()))
		}
		add := func(what, where, note string, choose func()) {
			out = append(out, place{[]string{what, where, note}, choose})
		}
		add("everything", here, "what nothing else owns, as with --all", func() { o.All = true })
		if !o.AllNamespaces {
			add("look", "in all namespaces", "", func() { o.AllNamespaces = true })
		}
		found, _ := finder.Names(ctx, "namespaces", "") // without permission to list them, none are offered
		for _, ns := range found {
			if ns.Name != c.namespace {
				add("look", "in namespace "+ns.Name, ageOf(ns.Created, o.now())+" old", func() {
					o.AllNamespaces, o.connection = false, inContext(o.connection, *o.connection.Context, ns.Name)
				})
			}
		}
		raw, err := o.connection.ToRawKubeConfigLoader().RawConfig()
		for _, name := range slices.Sorted(maps.Keys(raw.Contexts)) {
			if name != c.context {
				add("look", "in context "+name, "", func() { o.connection = inContext(o.connection, name, "") })
			}
		}
		return err
	})
	return out, err
}
