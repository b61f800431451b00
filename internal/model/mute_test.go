package model

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// A broken add-on must not keep a shop red for ever: a key takes it out of the verdict,
// and out of the headline, until the same key counts it again.
func TestAMutedRowDoesNotCount(t *testing.T) {
	broken := id("apps", "Deployment", "addon")
	cause := explain.Cause{ID: "c", Code: "c", Title: "it is broken", Class: explain.Action, Count: 1, Subject: explain.Subject{ID: broken}, Objects: []object.ID{broken}, Blocks: []object.ID{broken}}
	p := newPlay(t, Options{Screen: true, Explain: func() []explain.Cause { return []explain.Cause{cause} }})
	p.send(rowsOn(120, 20))
	addon, shop := deployment("addon", 0), deployment("shop", 2)
	rs := replicaSet(addon, "1", 0)
	one := pod(rs, "a", "ImagePullBackOff")
	p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(addon), root(shop)}, Objects: []*object.Object{addon, shop, rs, one}})
	p.batch(time.Second, feed.Batch{})
	failed := func() bool { return p.m.Facts.Verdict().Status == status.Failed }
	headline := func() int { _, n := p.m.Tree.Headline(); return n }
	if !failed() || headline() != 1 {
		t.Fatalf("this test needs a failure: %v", p.rows())
	}
	p.m.Tree.click(rows.Key{ID: one.ID}) // on what was generated the key means its root
	p.keys("u")
	if v := p.m.Facts.Verdict(); v.Status != status.Current || headline() != 0 || p.m.Facts.Muted() != 1 {
		t.Errorf("muted: %s with %d causes, %d muted", v.Status, headline(), p.m.Facts.Muted())
	}
	if f := p.m.Display.Flash(); !strings.Contains(f, "Deployment/addon does not count any more") {
		t.Errorf("the answer is %q", f)
	}
	all := p.m.Tree.Rows(0, 9)
	if !all[0].Muted || !strings.Contains(all[0].Note, "does not count") || all[0].Status != status.Failed {
		t.Errorf("its row: %+v", all[0])
	}
	// The source says its part again, as when a manifest is applied anew.
	p.batch(2*time.Second, feed.Batch{Roots: []feed.Root{root(addon)}})
	if failed() {
		t.Error("counted again by a batch")
	}
	p.keys("u")
	p.batch(3*time.Second, feed.Batch{})
	if !failed() || headline() != 1 || p.m.Facts.Muted() != 0 {
		t.Errorf("unmuted: %s", p.m.Facts.Verdict().Status)
	}
}

// What a key was pressed for stays selected: the same key once more would otherwise mute the next
// object, and a log that is read would become another one's.
func TestTheRowOfAKeyStaysSelected(t *testing.T) {
	for _, key := range []string{"u", "4", "c", "y", "v", "e", "o"} {
		one, two := deployment("one", 0), deployment("two", 0)
		var causes []explain.Cause
		blocks := func(of *object.Object) {
			causes = append([]explain.Cause{{
				ID: of.Name, Code: "c", Title: of.Name, Class: explain.Action, Count: 1,
				Subject: explain.Subject{ID: of.ID}, Objects: []object.ID{of.ID}, Blocks: []object.ID{of.ID},
			}}, causes...)
		}
		p := newPlay(t, Options{Screen: true, Context: "prod", Explain: func() []explain.Cause { return causes }})
		p.send(rowsOn(120, 20))
		blocks(two)
		broken := func(of *object.Object) []*object.Object {
			rs := replicaSet(of, "1", 0)
			return []*object.Object{of, rs, pod(rs, "a", "ImagePullBackOff")}
		}
		p.batch(0, feed.Batch{Synced: true, Roots: []feed.Root{root(two)}, Objects: broken(two)})
		p.batch(time.Second, feed.Batch{})
		before, _ := p.m.Tree.Selected()
		p.keys(key)
		blocks(one)
		p.batch(2*time.Second, feed.Batch{Roots: []feed.Root{root(one)}, Objects: broken(one)})
		p.batch(30*time.Second, feed.Batch{})
		if after, _ := p.m.Tree.Selected(); after != before || before.ID.Name == "" {
			t.Errorf("%s was pressed on %v, and %v is selected", key, before, after)
		}
	}
}
