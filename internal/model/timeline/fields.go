package timeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// differences are the fields in which two states of an object differ.
func differences(a, b *object.Object) (out []explain.Change) {
	if a == nil || b == nil || a == b {
		return nil
	}
	before, after := stateFields(a), stateFields(b)
	value := func(fields []explain.Change, path string) string {
		if i := slices.IndexFunc(fields, func(f explain.Change) bool { return f.Path == path }); i >= 0 {
			return fields[i].After
		}
		return "-"
	}
	for _, f := range slices.Concat(after, before) {
		c := explain.Change{Path: f.Path, Before: value(before, f.Path), After: value(after, f.Path)}
		if c.Before != c.After && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// stateFields are the fields of an object that describe its state, each as a change to it.
func stateFields(o *object.Object) []explain.Change {
	var out []explain.Change
	add := func(path, value string) {
		if value != "" {
			out = append(out, explain.Change{Path: path, After: value})
		}
	}
	number := func(path string, v object.Int) {
		if v.Set {
			add(path, strconv.FormatInt(v.V, 10))
		}
	}
	number("metadata.generation", o.Generation)
	number("status.observedGeneration", o.Observed)
	if !o.Deleted.IsZero() {
		add("metadata.deletionTimestamp", o.Deleted.UTC().Format(time.TimeOnly))
	}
	if w := o.Workload; w != nil {
		number("spec.replicas", w.Replicas)
		number("status.replicas", w.StatusReplicas)
		number("status.updatedReplicas", w.Updated)
		number("status.readyReplicas", w.Ready)
		number("status.availableReplicas", w.Available)
		add("revision", w.Revision)
	}
	if j := o.Job; j != nil {
		number("status.active", j.Active)
		number("status.failed", j.Failed)
		number("status.succeeded", j.Succeeded)
	}
	if p := o.Pod; p != nil {
		add("status.phase", p.Phase)
		add("spec.nodeName", p.Node)
		for i := range p.Containers {
			c := &p.Containers[i]
			add(c.Name+" image", c.Image)
			add(c.Name+" state", strings.TrimSpace(c.State.Kind+" "+c.State.Reason))
			if c.Restarts > 0 {
				add(c.Name+" restarts", strconv.FormatInt(c.Restarts, 10))
			}
		}
	}
	for _, c := range o.Conditions {
		add(c.Type, strings.TrimSpace(c.Status+" "+c.Reason))
	}
	return out
}
