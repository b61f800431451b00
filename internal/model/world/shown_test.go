package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Which causes are shown, in which order and since when is what going through all
// of them says.
func TestShownCausesEqualANaiveScanOfAllCauses(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := New(Options{Now: began, Screen: true})
		var ids []object.ID
		for i := range 12 {
			id := object.ID{Kind: "Pod", Name: fmt.Sprint("p", i)}
			w.Tree.Nodes[id] = &Node{ID: &id, Object: &object.Object{ID: id}, past: noPast, Assess: &status.Assessment{Status: status.InProgress}}
			ids = append(ids, id)
		}
		whole := newShown()
		whole.settled = true
		naive := naiveShown{found: map[string]time.Time{}, since: map[string]time.Time{}, held: map[string]time.Time{}}
		for step := range 40 {
			w.Tree.Now = w.Tree.Now.Add(time.Duration(r.IntN(1500)) * time.Millisecond)
			for _, id := range ids {
				if r.IntN(5) == 0 {
					w.Tree.Nodes[id].Assess = &status.Assessment{Status: [2]status.Status{status.Current, status.InProgress}[r.IntN(2)]}
				}
			}
			for _, id := range ids[:9] {
				switch r.IntN(8) {
				case 0:
					w.Tree.Nodes[id].Object = nil
				case 1:
					w.Tree.Nodes[id].Object = &object.Object{ID: id, Deleted: w.Tree.Now}
				case 2:
					w.Tree.Nodes[id].Object = &object.Object{ID: id}
				}
			}
			make := func(r *rand.Rand) (fresh []explain.Cause) {
				for _, i := range r.Perm(9)[:r.IntN(10)] {
					class := explain.Action
					if i > 6 {
						class = explain.Waits
					}
					c := explain.Cause{ID: fmt.Sprint("c", i), Code: "C", Title: fmt.Sprint("t", i/2), Class: class, Blocks: []object.ID{ids[i]}, Objects: []object.ID{ids[i]}}
					if r.IntN(3) > 0 {
						c.Since = began.Add(time.Duration(r.IntN(60)) * time.Second)
					}
					if r.IntN(6) == 0 {
						c.Symptoms = []explain.Symptom{{Code: "C", Ref: ids[r.IntN(9)]}}
					}
					fresh = append(fresh, c)
				}
				if r.IntN(2) == 0 { // usually the order is unchanged
					slices.SortFunc(fresh, func(a, b explain.Cause) int { return strings.Compare(a.ID, b.ID) })
				}
				return fresh
			}
			draw := rand.NewPCG(seed, uint64(step)+2)
			saved, _ := draw.MarshalBinary()
			again := &rand.PCG{}
			if err := again.UnmarshalBinary(saved); err != nil {
				t.Fatal(err)
			}
			whole.show(w, make(rand.New(draw)))
			want := naive.show(w, make(rand.New(again)))
			if diff := cmp.Diff(want, whole.Causes); diff != "" {
				t.Fatalf("seed %d, step %d (-naive +shown):\n%s", seed, step, diff)
			}
			held := map[string]time.Time{}
			for id, s := range whole.known {
				if !s.gone.IsZero() {
					held[id] = s.gone
				}
			}
			if diff := cmp.Diff(naive.held, held); diff != "" {
				t.Fatalf("seed %d, step %d: held:\n%s", seed, step, diff)
			}
		}
	}
}

// naiveShown computes the shown causes with plain lists.
type naiveShown struct {
	causes             []explain.Cause
	found, since, held map[string]time.Time
	unsettled          time.Time
}

func (x *naiveShown) show(w *World, fresh []explain.Cause) []explain.Cause {
	in := func(list []explain.Cause, id string) bool {
		return slices.ContainsFunc(list, func(c explain.Cause) bool { return c.ID == id })
	}
	for _, c := range fresh {
		delete(x.held, c.ID)
		if _, ok := x.found[c.ID]; !ok {
			x.found[c.ID] = w.Tree.Now
		}
	}
	all := slices.Clone(fresh)
	var out []explain.Cause
	for i, c := range x.causes {
		if in(fresh, c.ID) {
			continue
		}
		since, was := x.held[c.ID]
		if !was {
			since = w.Tree.Now
		}
		echoed := slices.ContainsFunc(fresh, func(f explain.Cause) bool {
			return slices.ContainsFunc(f.Symptoms, func(s explain.Symptom) bool { return s.Code == c.Code && slices.Contains(c.Objects, s.Ref) })
		})
		left := false
		for _, id := range c.Objects {
			o := w.Tree.Nodes[id].Object
			left = left || o != nil && o.Deleted.IsZero()
		}
		if c.Class != explain.Waits && left && since.Sub(x.found[c.ID]) >= keptShown && !echoed && w.Tree.Now.Sub(since) < keptShown && slices.ContainsFunc(c.Blocks, w.Tree.unwell) {
			x.held[c.ID] = since
			for len(out) < i && len(all) > 0 {
				out, all = append(out, all[0]), all[1:]
			}
			out = append(out, c)
			continue
		}
		delete(x.held, c.ID)
		delete(x.found, c.ID)
		delete(x.since, c.ID)
	}
	out = append(out, all...)
	if len(x.causes) > 0 {
		var kept []explain.Cause
		for _, waits := range [2]bool{false, true} {
			for _, list := range [2][]explain.Cause{x.causes, out} {
				for _, c := range list {
					at := slices.IndexFunc(out, func(o explain.Cause) bool { return o.ID == c.ID })
					if at >= 0 && !in(kept, c.ID) && (out[at].Class == explain.Waits) == waits {
						kept = append(kept, out[at])
					}
				}
			}
		}
		same := slices.EqualFunc(kept, out, func(a, b explain.Cause) bool { return a.ID == b.ID })
		switch {
		case same:
			x.unsettled = time.Time{}
		case x.unsettled.IsZero():
			x.unsettled = w.Tree.Now
			out = kept
		case w.Tree.Now.Sub(x.unsettled) >= keptShown:
			x.unsettled = time.Time{}
		default:
			out = kept
		}
	} else {
		x.unsettled = time.Time{}
	}
	for i := range out {
		c := &out[i]
		if s := x.since[c.ID]; s.IsZero() || !c.Since.IsZero() && c.Since.Before(s) {
			x.since[c.ID] = c.Since
		}
		c.Since = x.since[c.ID]
	}
	x.causes = out
	return slices.Clone(out)
}
