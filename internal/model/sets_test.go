package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// exists is an object whose only status is that it is there.
func exists(kind, name string) *object.Object {
	return &object.Object{
		ID: id("", kind, name), Version: "v1", UID: "uid-" + kind + name, ResourceVersion: "1", Created: t0, MetadataOnly: true,
	}
}

// listed is a root because set lists it.
func listed(o *object.Object, set *object.Object) feed.Root {
	return feed.Root{ID: o.ID, Source: "flux/ks/apps", In: set.ID, Inventory: set.ID.String()}
}

func (p *play) verdict() status.Status { return p.m.Facts.Verdict().Status }

func (p *play) children(of object.ID) []string {
	r, _ := p.m.Facts.Resource(of)
	var out []string
	for _, c := range r.Children {
		out = append(out, c.Name)
	}
	return out
}

func TestMembersStandUnderTheRootOfTheirInventoryWhicheverComesFirst(t *testing.T) {
	set, a, b := exists("ConfigMap", "set"), exists("ConfigMap", "a"), exists("ConfigMap", "b")
	p := newPlay(t, Options{})
	// The members come before the root is known.
	p.batch(0, feed.Batch{Roots: []feed.Root{listed(a, set), listed(b, set)}, Objects: []*object.Object{a}, Absent: []object.ID{b.ID}})
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{{ID: set.ID, Source: "flux/ks/apps"}}, Objects: []*object.Object{set}, Synced: true})
	if diff := cmp.Diff([]string{"a", "b"}, p.children(set.ID)); diff != "" {
		t.Error(diff)
	}
	if v := p.verdict(); v != status.InProgress {
		t.Errorf("the verdict is %s while a member does not exist", v)
	}
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{b}})
	if v := p.verdict(); v != status.Current {
		t.Errorf("the verdict is %s, want Current", v)
	}
	if n := p.m.Facts.Counts().Total(); n != 3 {
		t.Errorf("%d count, want the root and its two members", n)
	}
	// The root goes and comes again; the members keep their place.
	p.batch(3*time.Second, feed.Batch{Gone: []feed.Gone{{ID: set.ID, UID: set.UID}}, Absent: []object.ID{set.ID}})
	if diff := cmp.Diff([]string{"a", "b"}, p.children(set.ID)); diff != "" {
		t.Error(diff)
	}
	// b is pruned: it leaves the tree.
	gone := listed(b, set)
	gone.Removed = true
	p.batch(4*time.Second, feed.Batch{Roots: []feed.Root{gone}, Gone: []feed.Gone{{ID: b.ID, UID: b.UID}}})
	if diff := cmp.Diff([]string{"a"}, p.children(set.ID)); diff != "" {
		t.Error(diff)
	}
}

func TestASetThatIsBeingWrittenOrEmptyIsNeverCurrent(t *testing.T) {
	set := exists("ConfigMap", "set")
	p := newPlay(t, Options{})
	root := feed.Root{ID: set.ID, Source: "inventory/set", Pending: "its inventory is empty"}
	p.batch(0, feed.Batch{Roots: []feed.Root{root}, Objects: []*object.Object{set}, Synced: true})
	r, _ := p.m.Facts.Resource(set.ID)
	if p.verdict() != status.InProgress || r.Assessment.Reason != world.ReasonProvisional || r.Assessment.Message != "its inventory is empty" {
		t.Errorf("verdict %s, %+v", p.verdict(), r.Assessment)
	}
	root.Pending = ""
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{root}})
	if p.verdict() != status.Current {
		t.Errorf("verdict %s once it is written", p.verdict())
	}
	root.Given = feed.GivenStatus{Status: status.Failed, Reason: "LastChangeFailed", Message: "kapp: no"}
	p.batch(2*time.Second, feed.Batch{Roots: []feed.Root{root}})
	if r, _ := p.m.Facts.Resource(set.ID); p.verdict() != status.Failed || r.Assessment.Reason != "LastChangeFailed" {
		t.Errorf("verdict %s, %+v", p.verdict(), r.Assessment)
	}
}

func TestMembersThatAreKeptOrInAnotherClusterDoNotCount(t *testing.T) {
	set, kept := exists("ConfigMap", "set"), deployment("kept", 0)
	away := feed.Root{
		ID: object.ID{Group: "apps@prod", Kind: "Deployment", Namespace: "shop", Name: "away"}, In: set.ID, Optional: true,
		Given: feed.GivenStatus{Status: status.Failed, Reason: "OtherCluster", Message: "it is in prod"},
	}
	keptRoot := listed(kept, set)
	keptRoot.Kept = true
	p := newPlay(t, Options{Judge: bluntly})
	p.batch(0, feed.Batch{
		Roots:   []feed.Root{{ID: set.ID}, keptRoot, away},
		Objects: []*object.Object{set, kept}, Synced: true,
	})
	if p.verdict() != status.Current {
		t.Errorf("the verdict is %s", p.verdict())
	}
	if r, _ := p.m.Facts.Resource(away.ID); r.Assessment.Status != status.Failed || r.Assessment.Message != "it is in prod" {
		t.Errorf("%+v", r.Assessment)
	}
	if c := p.m.Facts.Counts(); c.Total() != 2 {
		t.Errorf("%v count, want the root and the optional one", c)
	}
	// It is being deleted after all: then it counts until it has gone.
	keptRoot.Kept = false
	p.batch(time.Second, feed.Batch{Roots: []feed.Root{keptRoot}})
	if p.verdict() == status.Current {
		t.Error("the verdict is Current while a pruned member is there")
	}
}

func TestARootShowsThatItsReportedStatusDiffersFromItsMembers(t *testing.T) {
	set, web := exists("ConfigMap", "set"), deployment("web", 0)
	root := listed(web, set)
	root.Reported = feed.ReportedStatus{By: "Argo CD", Word: "Healthy", Status: status.Current}
	p := newPlay(t, Options{Judge: bluntly})
	p.batch(0, feed.Batch{
		Roots:   []feed.Root{{ID: set.ID, Note: "revision 3"}, root},
		Objects: []*object.Object{set, web}, Synced: true,
	})
	if r, _ := p.m.Facts.Resource(set.ID); r.Note != "revision 3; 1 of 1 members not Current" {
		t.Errorf("the root's note: %q", r.Note)
	}
	if r, _ := p.m.Facts.Resource(web.ID); r.Note != "0/2; Argo CD says Healthy" {
		t.Errorf("the member's note: %q", r.Note)
	}
}

func TestInventoriesThatHoldEachOtherHaveAnEnd(t *testing.T) {
	a, b := exists("ConfigMap", "a"), exists("ConfigMap", "b")
	p := screen(t)
	p.batch(0, feed.Batch{Roots: []feed.Root{listed(a, b), listed(b, a)}, Objects: []*object.Object{a, b}, Synced: true})
	p.batch(time.Second, feed.Batch{Gone: []feed.Gone{{ID: a.ID, UID: a.UID}}, Absent: []object.ID{a.ID}})
	p.batch(2*time.Second, feed.Batch{Objects: []*object.Object{exists("ConfigMap", "a")}})
	for _, r := range []feed.Root{listed(a, b), listed(b, a)} {
		r.Removed = true
		p.batch(3*time.Second, feed.Batch{Roots: []feed.Root{r}})
	}
	if roots := p.m.Facts.Roots(); !slices.Equal(roots, nil) && len(roots) != 0 {
		t.Errorf("roots: %v", roots)
	}
}

// Folded among the Current ones it would pass for a member that is still listed.
func TestAKeptMemberIsNotFoldedAmongCurrentOnes(t *testing.T) {
	set := exists("ConfigMap", "set")
	b := feed.Batch{Roots: []feed.Root{{ID: set.ID, Source: "flux/ks/apps"}}, Objects: []*object.Object{set}, Synced: true}
	for _, name := range []string{"a", "b", "c", "kept"} {
		o := exists("ConfigMap", name)
		b.Roots, b.Objects = append(b.Roots, listed(o, set)), append(b.Objects, o)
	}
	missing := listed(exists("ConfigMap", "missing"), set)
	b.Roots, b.Absent = append(b.Roots, missing), []object.ID{missing.ID}
	p := screen(t)
	p.send(rowsOn(120, 3)) // not all rows fit
	p.batch(0, b)
	rows := func() (out []string) {
		for _, r := range p.m.Tree.Rows(0, p.m.Tree.RowCount()) {
			row := strings.TrimSpace(r.Name + " " + r.Note)
			if r.Key.Kind == rows.More {
				row = strings.TrimSuffix(r.Name, " Current")
			}
			if r.Noted {
				row += ": " + r.Message
			}
			out = append(out, row)
		}
		return out
	}
	wants := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, rows()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	wants("ConfigMap/set 1 of 5 members not Current", "ConfigMap/missing", "4 more")

	// It leaves the set, and stays.
	root := listed(exists("ConfigMap", "kept"), set)
	root.Kept, root.Note = true, "no longer in the set, but kept"
	p.batch(10*time.Second, feed.Batch{Roots: []feed.Root{root}})
	wants("ConfigMap/set 1 of 4 members not Current: 1 kept although no longer listed", "ConfigMap/missing",
		"ConfigMap/kept no longer in the set, but kept: no longer in the set, but kept", "3 more")

	// It is listed again.
	root.Kept, root.Note = false, ""
	p.batch(20*time.Second, feed.Batch{Roots: []feed.Root{root}})
	wants("ConfigMap/set 1 of 5 members not Current", "ConfigMap/missing", "4 more")
}

// An object that represents an inventory is titled as that: a Secret with the
// label of an ApplySet, and a Helm release, which has no object.
func TestAnInventoryIsTitledByItsOwnNameAndNotByItsRecord(t *testing.T) {
	set, other := exists("Secret", "shopset"), exists("Secret", "key")
	set.Labels = []object.Label{{Key: "applyset.kubernetes.io/id", Value: "applyset-a-v1"}}
	release := exists("Release", "web")
	release.ID.Group = "helm.sh"
	p := newPlay(t, Options{Screen: true})
	p.send(rowsOn(120, 20))
	p.batch(0, feed.Batch{
		Roots:   []feed.Root{{ID: set.ID}, {ID: release.ID, Revision: "3"}, {ID: other.ID}},
		Objects: []*object.Object{set, release, other}, Synced: true,
	})
	p.keys("Z")
	want := []string{" ApplySet/shopset", " Helm release web v3", " Secret/key"}
	var got []string
	for _, r := range p.m.Tree.Rows(0, p.m.Tree.RowCount()) {
		got = append(got, " "+r.Name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if r, _ := p.m.Facts.Resource(release.ID); r.Title != "Helm release web v3" {
		t.Errorf("the pane calls it %q", r.Title)
	}
}

func TestARowShowsTheProgressOfARolloutForEveryKind(t *testing.T) {
	of := func(kind string, w object.Workload) *object.Object {
		return again(deployment(strings.ToLower(kind), 0), func(o *object.Object) { o.Kind, o.Workload = kind, &w })
	}
	p := newPlay(t, Options{Judge: bluntly})
	var b feed.Batch
	for want, o := range map[string]*object.Object{
		"3/4  2/4 updated": of("Deployment", object.Workload{Replicas: object.IntOf(4), Ready: object.IntOf(3), Updated: object.IntOf(2)}),
		"4/4  1/4 updated": of("StatefulSet", object.Workload{Replicas: object.IntOf(4), Ready: object.IntOf(4), Updated: object.IntOf(1)}),
		"4/5  2/5 updated": of("DaemonSet", object.Workload{Desired: object.IntOf(5), Available: object.IntOf(4), Updated: object.IntOf(2)}),
		"0/0":              of("DaemonSet", object.Workload{}),
	} {
		b.Roots, b.Objects, b.Synced = []feed.Root{root(o)}, []*object.Object{o}, true
		p.batch(0, b)
		if r, _ := p.m.Facts.Resource(o.ID); r.Note != want {
			t.Errorf("%s: %q, want %q", o.Kind, r.Note, want)
		}
	}
}
