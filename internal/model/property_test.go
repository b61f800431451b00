package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A cluster in which anything happens: objects come in any order, change,
// vanish and come back under the same name.
type chaos struct {
	r    *rand.Rand
	live map[object.ID]*object.Object
	uid  int
}

func (c *chaos) fresh(o *object.Object) *object.Object {
	c.uid++
	o.UID = fmt.Sprintf("uid-%d", c.uid)
	return o
}

func (c *chaos) any(kind string) *object.Object {
	var list []*object.Object
	for _, o := range c.live {
		if o.Kind == kind {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b *object.Object) int { return a.ID.Compare(b.ID) })
	return list[c.r.IntN(len(list))]
}

func (c *chaos) step(b *feed.Batch) {
	put := func(o *object.Object) {
		c.live[o.ID] = o
		b.Objects = append(b.Objects, o)
	}
	switch c.r.IntN(10) {
	case 0, 1:
		d := deployment(fmt.Sprintf("d%d", c.r.IntN(5)), int64(c.r.IntN(3)))
		if c.live[d.ID] == nil {
			put(c.fresh(d))
		}
		if c.r.IntN(2) == 0 {
			b.Roots = append(b.Roots, feed.Root{ID: d.ID, Optional: c.r.IntN(4) == 0, Removed: c.r.IntN(6) == 0})
		}
	case 2, 3:
		if d := c.any("Deployment"); d != nil {
			rs := replicaSet(d, fmt.Sprintf("h%d", c.r.IntN(2)), int64(c.r.IntN(3)))
			if other := c.any("ReplicaSet"); other != nil && c.r.IntN(6) == 0 { // two of them may own each other
				rs.Owners = owner(other)
				if old := c.live[rs.ID]; old != nil {
					rs.UID = old.UID
					put(rs)
				}
			}
			if c.live[rs.ID] == nil {
				put(c.fresh(rs))
			}
		}
	case 4, 5, 6:
		if rs := c.any("ReplicaSet"); rs != nil {
			p := pod(rs, fmt.Sprintf("p%d", c.r.IntN(4)), []string{"", "ImagePullBackOff", "CrashLoopBackOff"}[c.r.IntN(3)])
			if old := c.live[p.ID]; old != nil {
				p.UID = old.UID
				p.Owners = old.Owners
			} else {
				c.fresh(p)
			}
			put(p)
		}
	case 7:
		kind := []string{"Deployment", "ReplicaSet", "Pod", "EndpointSlice"}[c.r.IntN(4)]
		if o := c.any(kind); o != nil {
			delete(c.live, o.ID)
			b.Gone = append(b.Gone, feed.Gone{ID: o.ID, UID: o.UID})
		}
	case 8:
		// A slice that points at some pods, under a Service or without one.
		s := &object.Object{ID: id("discovery.k8s.io", "EndpointSlice", fmt.Sprintf("s%d", c.r.IntN(2))), Endpoints: &object.Endpoints{Service: "svc"}}
		if old := c.live[s.ID]; old != nil {
			s.UID = old.UID
		} else {
			c.fresh(s)
		}
		for range c.r.IntN(3) {
			if p := c.any("Pod"); p != nil {
				s.Endpoints.Endpoints = append(s.Endpoints.Endpoints, object.Endpoint{Target: p.ID, TargetUID: p.UID})
			}
		}
		if p := c.any("Pod"); p != nil && c.r.IntN(4) == 0 { // a ring, if it points at that Pod, too
			s.Owners = owner(p)
		}
		put(s)
		if c.r.IntN(3) == 0 {
			b.Roots = append(b.Roots, feed.Root{ID: s.ID})
		}
	case 9:
		b.Absent = append(b.Absent, id("", "Secret", "nope"))
		b.Roots = append(b.Roots, feed.Root{ID: id("", "Secret", "nope")})
	}
	// A batch holds one thing about an object at a time.
	b.Objects = slices.DeleteFunc(b.Objects, func(o *object.Object) bool { return c.live[o.ID] != o })
}

func TestTheTreeEqualsANaiveRebuildAfterRandomBatches(t *testing.T) {
	keys := []string{
		"s", "S", ":", "tab", "up", "down", "j", "k", "left", "right", "space", "enter", "esc", "n", "N", "g", "G", "z", "Z", "a", ".", "f",
		"1", "2", "3", "4", "5", "6", "tab", "/", "w", "e", "b", "p", "backspace", "ctrl+d", "ctrl+u", "pgdown", "+", "_", "?", "c", "C", "m", "J", "[", "]", "q", "v", "W",
	}
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			c := &chaos{r: r, live: map[object.ID]*object.Object{}}
			p := screen(t)
			p.send(rowsOn(120, 8))
			now := time.Duration(0)
			told := listener{seen: map[object.ID]fact{}}
			for range 150 {
				now += time.Duration(r.IntN(1500)) * time.Millisecond
				switch r.IntN(4) {
				case 0, 1:
					before, at := p.m.Tree.Selected()
					touched, following := p.m.Tree.touched, p.m.Tree.following
					var b feed.Batch
					for range 1 + r.IntN(4) {
						c.step(&b)
					}
					b.Synced = r.IntN(2) == 0
					b.Answered = p.wants.Gen
					p.batch(now, b)
					after, _ := p.m.Tree.Selected()
					n := p.m.Facts.World.Tree.Nodes[before.ID]
					shown := n != nil && n.InTree && before.Kind == rows.Object
					if at >= 0 && touched && !following && shown && after != before && !p.m.Tree.settings.Filter.Active() && !p.m.Intake.frozen && p.m.Tree.settings.Scope != rows.AppliedOnly {
						// It may have been folded away by its parents' folds alone.
						if !slices.ContainsFunc(p.m.Facts.Path(before.ID), func(id object.ID) bool { return id == after.ID }) {
							t.Fatalf("the selection left %v for %v", before, after)
						}
					}
				case 2:
					p.keys(keys[r.IntN(len(keys))])
				case 3:
					p.send(ClockTicked{at(now)})
				}
				check(t, p.m)
				if now%3 > 0 {
					told.check(t, p.m)
				}
			}
		})
	}
}

// listener asks what has changed now and then, and remembers all that was delivered.
type listener struct {
	stamp uint64
	seen  map[object.ID]fact
}

type fact struct {
	status          status.Status
	reason, message string
	uid             string
}

// check goes through the whole tree for changes that ChangedSince kept silent.
func (l *listener) check(t *testing.T, m *Model) {
	t.Helper()
	var ids []object.ID
	ids, l.stamp = m.Facts.ChangedSince(l.stamp, 32)
	for _, n := range m.Facts.World.Tree.Nodes {
		id := *n.ID
		now := fact{n.Assess.Status, n.Assess.Reason, n.Assess.Message, ""}
		if n.Object != nil {
			now.uid = n.Object.UID
		}
		if n.InTree && l.seen[id] != now && !slices.Contains(ids, id) {
			t.Fatalf("%v was %+v, is %+v, and nobody was told", id, l.seen[id], now)
		}
	}
	for _, id := range ids {
		n := m.Facts.World.Tree.Nodes[id]
		if n == nil || !n.InTree {
			t.Fatalf("%v is not in the tree, and is told to have changed", id)
		}
		l.seen[id] = fact{n.Assess.Status, n.Assess.Reason, n.Assess.Message, ""}
		if n.Object != nil {
			l.seen[id] = fact{n.Assess.Status, n.Assess.Reason, n.Assess.Message, n.Object.UID}
		}
	}
	if again, _ := m.Facts.ChangedSince(l.stamp, 32); len(again) > 0 {
		t.Fatalf("nothing has happened, and these have changed: %v", again)
	}
}

// check compares the state, most of which is computed for what a batch has
// touched alone, with one computed from scratch.
func check(t *testing.T, m *Model) {
	checkLists(t, m.Facts.World)
	t.Helper()
	checkCounts(t, m.Facts.World)
	for id, n := range m.Facts.World.Tree.Nodes {
		checkNode(t, m.Facts.World, id, n)
		if n.Object == nil {
			continue
		}
		if want := naiveParent(m.Facts.World, n); want != n.Parent {
			t.Fatalf("%v stands under %v, should be under %v", id, name(n.Parent), name(want))
		}
	}
	checkRows(t, m)
}

// checkLists compares what is known of each kind with all that is known.
func checkLists(t *testing.T, w *world.World) {
	t.Helper()
	naive := map[string]int{}
	for id, n := range w.Tree.Nodes {
		if n.Object != nil {
			naive[id.Kind]++
		}
	}
	for _, kind := range [][2]string{{"apps", "Deployment"}, {"apps", "ReplicaSet"}, {"", "Pod"}, {"", "Service"}, {"discovery.k8s.io", "EndpointSlice"}} {
		list := w.List(kind[0], kind[1], "")
		for _, o := range list {
			if n := w.Tree.Nodes[o.ID]; n == nil || n.Object != o {
				t.Fatalf("%v is not known as that any more", o.ID)
			}
		}
		if len(list) != naive[kind[1]] {
			t.Fatalf("%d %ss, want %d", len(list), kind[1], naive[kind[1]])
		}
	}
}

func checkCounts(t *testing.T, w *world.World) {
	t.Helper()
	var counts, generated world.Tally
	assumed, expected, must := 0, false, map[status.Status]int{}
	var moved time.Time
	for _, n := range w.Tree.Nodes {
		switch {
		case n.Root != nil:
			if w.Awaits(n) {
				counts[world.RankOf(status.Unknown)]++
			} else {
				counts[n.Rank()]++
				if world.Assumed(n.Assess) {
					assumed++
				}
			}
			if !n.Root.Optional {
				must[n.Assess.Status]++
			}
			if n.Assess.Status != status.Current {
				expected = expected || !n.Assess.Terminal && !n.Assess.Paused
				if n.Moved.After(moved) {
					moved = n.Moved
				}
			}
		case n.InTree:
			generated[n.Rank()]++
		}
	}
	if w.Counts != counts || w.Generated != generated || w.Assumed != assumed {
		t.Fatalf("counts %v, %v, %d, should be %v, %v, %d", w.Counts, w.Generated, w.Assumed, counts, generated, assumed)
	}
	if !w.Moved.Equal(moved) || w.Expected != expected {
		t.Fatalf("moved at %v (%v), should be %v (%v)", w.Moved, w.Expected, moved, expected)
	}
	verdict := status.InProgress
	switch optional := len(must) == 0; {
	case must[status.Failed] > 0:
		verdict = status.Failed
	case must[status.Unknown] > 0, optional && (counts.Total() == 0 || counts.Problems() > 0):
		verdict = status.Unknown
	case optional, len(must) == 1 && must[status.Current] > 0:
		verdict = status.Current
	}
	if w.Verdict != verdict && w.Tree.Epoch > 0 {
		t.Fatalf("the verdict is %s, should be %s", w.Verdict, verdict)
	}
}

func checkNode(t *testing.T, w *world.World, id object.ID, n *world.Node) {
	t.Helper()
	if *n.ID != id || w.Tree.Nodes[*n.ID] != n || n.Object != nil && n.ID != &n.Object.ID {
		t.Fatalf("%v is known by another ID", id)
	}
	in := false
	for p, hops := n, 0; p != nil; p, hops = p.Parent, hops+1 {
		in = in || p.Root != nil
		if hops > 100 {
			t.Fatalf("%v is below itself", id)
		}
	}
	if in != n.InTree {
		t.Fatalf("%v: in the tree %v, should be %v", id, n.InTree, in)
	}
	var sub world.Tally
	sub[n.Rank()]++
	for _, k := range n.Kids {
		if k.Parent != n || w.Tree.Nodes[*k.ID] != k {
			t.Fatalf("%v is a child of %v, but thinks otherwise", k.ID, id)
		}
		sub.Add(&k.Sub)
	}
	if sub != n.Sub {
		t.Fatalf("%v: tally %v, should be %v", id, n.Sub, sub)
	}
	if !slices.IsSortedFunc(n.Kids, world.ByID) {
		t.Fatalf("%v: children out of order", id)
	}
	if to := leads(n); to != n.Lead.Node {
		t.Fatalf("%v leads to %v, should lead to %v", id, name(n.Lead.Node), name(to))
	}
}

// leads is where the reason in n's row is found.
func leads(n *world.Node) *world.Node {
	stuck := func(n *world.Node) bool {
		return n.Assess.Status != status.Current && n.Assess.Status != status.Terminating
	}
	best, newest := n, world.NewestRevision(n)
	for _, k := range n.Kids {
		old := newest != nil && k.ID.Kind == "ReplicaSet" && k != newest
		if stuck(n) && stuck(k) && k.Object != nil && !old && (best == n || leads(k).Rank() < leads(best).Rank()) {
			best = k
		}
	}
	if best == n || leads(best).Assess.Reason == "" {
		return n
	}
	return leads(best)
}

func name(n *world.Node) string {
	if n == nil {
		return "nothing"
	}
	return n.ID.String()
}

// naiveParent looks at everything. What is below n cannot be its parent.
func naiveParent(w *world.World, n *world.Node) *world.Node {
	var owner, slice *world.Node
	if c, ok := n.Object.Controller(); ok {
		for _, p := range w.Tree.Nodes {
			if p.Object != nil && p.Object.UID == c.UID && !p.Below(n) {
				owner = p
			}
		}
	}
	if owner != nil && owner.InTree || n.Object.Pod == nil || n.Root != nil {
		return owner
	}
	for _, p := range w.Tree.Nodes {
		if p.Object == nil || p.Object.Endpoints == nil || !edges.IsChild(p.Object, n.Object) || p.Below(n) {
			continue
		}
		if slice == nil || p.InTree && !slice.InTree || p.InTree == slice.InTree && p == n.Parent { // any will do that is in the tree
			slice = p
		}
	}
	if slice == nil || owner != nil && !slice.InTree {
		return owner
	}
	return slice
}

func checkRows(t *testing.T, m *Model) {
	t.Helper()
	all := m.Tree.Rows(0, m.Tree.RowCount())
	seen := map[rows.Key]bool{}
	selected := 0
	for i, r := range all {
		if seen[r.Key] {
			t.Fatalf("%v stands there twice", r.Key)
		}
		seen[r.Key] = true
		if r.Selected {
			selected++
		}
		if i == 0 && r.Depth != 0 || i > 0 && r.Depth > all[i-1].Depth+1 {
			t.Fatalf("row %d (%v) hangs in the air", i, r.Key)
		}
		last := true
		for _, later := range all[i+1:] {
			if later.Depth <= r.Depth {
				last = later.Depth < r.Depth
				break
			}
		}
		if last != r.Last {
			t.Fatalf("row %d (%v): last %v, should be %v\n%+v", i, r.Key, r.Last, last, all)
		}
		for d := range r.Depth {
			runs := false
			for _, later := range all[i+1:] {
				if later.Depth <= d {
					runs = later.Depth == d
					break
				}
			}
			if runs != (r.Guides&(1<<d) != 0) {
				t.Fatalf("row %d (%v): a line in column %d: %v", i, r.Key, d, !runs)
			}
		}
	}
	if paused, _ := m.Intake.Paused(); paused {
		return
	}
	if want := min(len(all), 1); selected != want {
		t.Fatalf("%d all are selected of %d", selected, len(all))
	}
	if _, at := m.Tree.Selected(); len(all) > 0 && m.Tree.window > 0 {
		if top := m.Tree.Top(); top > at || at >= top+m.Tree.window || top < 0 || top > max(0, len(all)-m.Tree.window) {
			t.Fatalf("row %d of %d is selected, but the window begins at %d", at, len(all), top)
		}
		if !slices.ContainsFunc(slices.Collect(m.Tree.InSight(m.Tree.window)), func(r rows.Row) bool { return r.Selected }) {
			t.Fatalf("row %d is selected, and hidden by a header: %v", at, slices.Collect(m.Tree.InSight(m.Tree.window)))
		}
	}
	if m.Tree.settings.Folding == rows.FoldNothing && !m.Tree.settings.Filter.Active() && m.Tree.settings.Scope == rows.WithGenerated && len(m.Tree.settings.Folds) == 0 {
		objects := 0
		for _, r := range all {
			if r.Key.Kind == rows.Object {
				objects++
			}
		}
		if objects != m.Facts.Known() {
			var missing []object.ID
			for _, n := range m.Facts.World.Tree.Nodes {
				id := *n.ID
				if n.InTree && !seen[rows.Key{ID: id}] {
					missing = append(missing, id)
				}
			}
			t.Fatalf("%d all for %d objects: without one are %v", objects, m.Facts.Known(), missing)
		}
	}
}
