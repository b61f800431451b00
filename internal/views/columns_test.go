package views

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// placesOf are the places of the tree's columns, as text.
func placesOf(d *drawing) (text string) {
	for _, c := range d.l.Columns {
		text += fmt.Sprintf("%s %d+%d ", c.Name, c.X, c.W)
	}
	return text
}

// textOfScreen is a screen's text, without what drawn checks of every screen: tests of
// every width draw many.
func textOfScreen(t *testing.T, s any) string {
	t.Helper()
	c := NewCanvas(0, 0, nil)
	Draw(c, of(s), Look{Theme: theme(t, "dark")})
	return c.Plain()
}

func TestColumnsFillEveryWidthAndNeverOverlap(t *testing.T) {
	choices := [][]string{layout.DefaultColumns, {"status"}, {"reason"}, {}, layout.ColumnNames(), {"node", "image"}, {"ready", "age", "namespace", "reason"}}
	for w := 20; w <= 300; w++ {
		for _, chosen := range choices {
			end := 1
			for _, c := range layout.FitColumns(w, chosen, 0) {
				switch {
				case c.W == 0:
					continue
				case c.X < end:
					t.Errorf("%d cells, %v: %s begins at %d, within the column before it", w, chosen, c.Name, c.X)
				case c.Name != "name" && c.W < c.Least:
					t.Errorf("%d cells, %v: %s has %d cells, is of no use below %d", w, chosen, c.Name, c.W, c.Least)
				}
				end = c.X + c.W + 1
			}
			if end > w+1 {
				t.Errorf("%d cells, %v: the columns take %d", w, chosen, end-1)
			}
		}
	}
}

func TestAReasonIsTheLastColumnToGo(t *testing.T) {
	for w := 20; w <= 300; w++ {
		cols := layout.FitColumns(w, layout.ColumnNames(), 0)
		for _, c := range cols[1:] {
			if c.W > 0 && !layout.Shows(cols, "reason") {
				t.Errorf("%d cells: there is room for %s, and none for the reason", w, c.Name)
			}
		}
	}
}

// wholeCause is the cause of badImage on a row that carries it, carriedFor the same with its
// count and its time, which has a short head where there is little room, and cutFor the same
// with less than the whole cause.
var (
	wholeCause = regexp.MustCompile(`» image \S*2\.4\.1 not found`)
	timeHead   = regexp.MustCompile(`REASON +(SINCE|FOR) `)
	carriedFor = regexp.MustCompile(`» image \S*2\.4\.1 not found ×2 +(2m|2m40s) `)
	cutFor     = regexp.MustCompile(`» image \S*2\.4\.1.*×2 +(2m|2m40s) `)
)

// The most common terminals are 80 to 160 columns wide.
func TestAReasonCanBeReadFrom76ColumnsOn(t *testing.T) {
	for w := 76; w <= 300; w++ {
		for _, size := range []layout.Size{layout.Normal, layout.Half} {
			s := badImage(w, 36)
			s.size = size
			s.selected = 0
			for i := range s.rows {
				s.rows[i].Carried = min(s.rows[i].Carried, 1)
			}
			got := textOfScreen(t, s)
			if n := len(wholeCause.FindAllString(got, -1)); n != 2 {
				t.Errorf("%d columns, size %d: the cause is on %d of two rows:\n%s", w, size, n, got)
			}
		}
	}
}

func TestAKindIsSpelledInOneWay(t *testing.T) {
	for w := 50; w <= 240; w++ {
		s := badImage(w, 36)
		s.rows[0].Updated, s.rows[0].Ready, s.rows[3].Restarts = "2/4 updated", "3/4", 12
		long := row("Deployment/a-deployment-with-a-very-long-name-that-nobody-shortens", status.Failed, "ImagePullBackOff", time.Minute, s.now)
		s.rows = append(s.rows, long)
		d := newDrawing(of(s), Look{Theme: theme(t, "dark")})
		var tree strings.Builder
		for i, l := range strings.Split(textOfScreen(t, s), "\n") {
			if i >= d.l.Tree.Y && i < d.l.Tree.Y+d.l.Tree.H {
				l, _, _ = strings.Cut(strings.TrimPrefix(l, markup.Side), markup.Side+" ")
				tree.WriteString(l + "\n")
			}
		}
		for _, spellings := range [][]string{{" Deployment/", " deploy/"}, {"Pod/", "po/"}, {"ReplicaSet/", "rs/"}} {
			found := 0
			for _, s := range spellings {
				if strings.Contains(tree.String(), s) {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%d columns: %d spellings of %v:\n%s", w, found, spellings, tree.String())
			}
		}
		if !strings.Contains(tree.String(), "9qdlm") || !strings.Contains(tree.String(), "lm4tp") {
			t.Errorf("%d columns: two Pods cannot be told apart:\n%s", w, tree.String())
		}
	}
}

func TestReplicaSetsOfARolloutHaveDifferentNamesAtEveryWidth(t *testing.T) {
	for w := 50; w <= 240; w++ {
		s := badImage(w, 36)
		got := textOfScreen(t, s)
		if strings.Count(got, " new ") < 1 || strings.Count(got, " old ") < 1 {
			t.Errorf("%d columns: which of them is new?\n%s", w, got)
		}
	}
}

func TestARowOfAnotherNamespaceNamesIt(t *testing.T) {
	for w := 60; w <= 240; w++ {
		s := badImage(w, 36)
		s.rows[0].Namespace, s.spaces = "shop-eu", []string{"shop", "shop-eu"}
		if got := textOfScreen(t, s); !strings.Contains(got, " shop-eu") {
			t.Errorf("%d columns: whose Deployment is it?\n%s", w, got)
		}
	}
}

// The header of a group has the row to itself.
func TestAGroupsNameIsNotCutBesideFreeSpace(t *testing.T) {
	s := grouped(120, 36)
	s.rows[0].Name = "tag 2.O does not exist in localhost:5000/shop"
	if got := textOfScreen(t, s); !strings.Contains(got, s.rows[0].Name+"  "+s.rows[0].Note) {
		t.Errorf("cut:\n%s", got)
	}
}

func TestColumnsThatAreChosenHaveTheirCells(t *testing.T) {
	s := badImage(200, 36)
	s.rows[0].Object = &object.Object{Workload: &object.Workload{Images: []object.Image{{Container: "web", Image: "registry.local/web:2.4.0"}}}}
	s.rows[3].Object = &object.Object{Created: s.now.Add(-200 * time.Minute), Pod: &object.Pod{Node: "node-7", Containers: []object.Container{
		{ContainerSpec: &object.ContainerSpec{Name: "init", Image: "busybox:1", Kind: object.InitContainer}},
		{ContainerSpec: &object.ContainerSpec{Name: "web", Image: "registry.local/web:2.4.1", Kind: object.MainContainer}},
	}}}
	c := NewCanvas(0, 0, nil)
	s.opt.Columns = []string{"node", "image", "age", "namespace", "status"}
	Draw(c, of(s), Look{Theme: theme(t, "dark")})
	got := c.Plain()
	for _, want := range []string{"NODE", "node-7", "IMAGE", "registry.local/web:2.4.0", "registry.local/web:2.4.1", "AGE", "3h20m", "NAMESPACE", " shop "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q:\n%s", want, got)
		}
	}
	for _, other := range []string{"REASON", "SINCE", "READY", "busybox"} {
		if strings.Contains(got, other) {
			t.Errorf("%q was not chosen:\n%s", other, got)
		}
	}
}

// Ten thousand restarts are too many for their column.
func TestAnyNumberOfRestartsFits(t *testing.T) {
	for n, want := range map[int64]string{1: "↻1", 999: "↻999", 1234: "↻1k", 123456: "↻1…"} {
		s := badImage(146, 36)
		s.rows[3].Restarts = n
		if got := textOfScreen(t, s); !strings.Contains(got, want) && n < 100000 {
			t.Errorf("%d restarts: no %q:\n%s", n, want, got)
		}
	}
}

func TestASelectedRowKindHasNoCells(t *testing.T) {
	s := badImage(120, 36)
	s.rows = []rows.Row{{Key: rows.Key{Kind: rows.Gap, Gap: "x"}, Name: "cannot list replicasets: forbidden - children hidden", Matched: true}}
	if got := textOfScreen(t, s); !strings.Contains(got, "cannot list replicasets: forbidden - children hidden") {
		t.Errorf("cut:\n%s", got)
	}
}

// vladimirvivien/ktop#38: long names of nodes looked the same when they were cut, be it
// at the end or at the beginning.
func TestShortenedNodeNamesStayDifferent(t *testing.T) {
	for _, form := range []string{"foo-01337-foobarinclongname-prd-controlplane%d.k8s.isp.tld", "foo-0133%d-foobarinclongname-prd-controlplane.k8s.isp.tld"} {
		for w := 90; w <= 240; w++ {
			s := badImage(w, 36)
			s.spaces = nil
			if w >= 110 {
				s.size = layout.Normal
			}
			for i := range 3 {
				s.rows[3+i].Object = &object.Object{Pod: &object.Pod{Node: fmt.Sprintf(form, i)}}
			}
			c := NewCanvas(0, 0, nil)
			s.opt.Columns = []string{"status", "reason", "node"}
			look := Look{Theme: theme(t, "dark")}
			Draw(c, of(s), look)
			d := newDrawing(of(s), look)
			cols := d.l.Columns
			if !layout.Shows(cols, "node") {
				continue
			}
			at := cols[slices.IndexFunc(cols, func(c layout.Column) bool { return c.Name == "node" })]
			seen := map[string]bool{}
			for i := range 3 {
				line := []rune(strings.Split(c.Plain(), "\n")[d.l.Tree.Y+3+i] + strings.Repeat(" ", w))
				seen[string(line[d.l.Tree.X+at.X:d.l.Tree.X+at.X+at.W])] = true
			}
			if len(seen) != 3 {
				t.Errorf("%d columns: three nodes look like %v", w, seen)
			}
		}
	}
}

// A counter that the reason has does not stand behind the name, or behind the reason, too.
func TestACounterStandsOnce(t *testing.T) {
	for _, w := range []int{60, 80, 100, 120, 132, 146, 180, 200} {
		for line := range strings.SplitSeq(textOfScreen(t, inProgress(w, 40)), "\n") {
			if strings.Contains(line, "2 of 3 replicas updated") && strings.Contains(line, "2/3") {
				t.Errorf("%d columns: %s", w, line)
			}
		}
	}
}

// Where there is room for a column that is not always there, no other goes for it.
func TestANamespaceTakesNoOtherColumnsPlace(t *testing.T) {
	for w := 120; w <= 200; w++ {
		got := textOfScreen(t, badImage(w, 40))
		if !strings.Contains(got, " NS ") && !strings.Contains(got, "NAMESPACE") || !timeHead.MatchString(got) || strings.Count(got, " shop ") < 5 {
			t.Errorf("%d columns:\n%s", w, got)
		}
	}
}

// What a cause is, how often it is there and for how long is read on the rows that carry
// it, also beside a column of namespaces.
func TestACarriedReasonAndItsTimeAreWholeFrom110ColumnsOn(t *testing.T) {
	for w := 110; w <= 200; w++ {
		for _, space := range []string{"shop", "payments-production"} {
			s := badImage(w, 40)
			for i := range s.rows {
				if s.rows[i].Namespace != "" {
					s.rows[i].Namespace = space
				}
			}
			s.spaces = []string{space, "shop", "x"}
			whole := carriedFor
			if len(space) > 9 && w < 120 { // the column of namespaces has half of the name's width
				whole = cutFor
			}
			got := textOfScreen(t, s)
			if !timeHead.MatchString(got) || !whole.MatchString(got) {
				t.Errorf("%d columns, %s:\n%s", w, space, got)
			}
		}
	}
}

// A row that leaves the column of namespaces empty, as children do, has it for its name: what
// tells Pods apart, their counters, and the number in a row of several.
func TestAChildsNameHasTheEmptyCellsOfTheNamespaces(t *testing.T) {
	for w := 110; w <= 200; w++ {
		s := badImage(w, 40)
		s.rows[0].Namespace, s.spaces = "payments-production", []string{"payments-production", "shop"}
		s.rows[3].Restarts, s.rows[3].Ready = 7, "0/1"
		s.rows[4] = rows.Row{
			Key: rows.Key{Kind: rows.More, ID: s.rows[4].Key.ID}, Depth: 2, Name: "10 Pods", Ready: "0/10", Restarts: 12340,
			Status: status.Failed, Reason: "CrashLoopBackOff", Matched: true, Fold: rows.Closed,
		}
		got := textOfScreen(t, s)
		for _, want := range []string{"2xkqz ", " 0/1 ", "↻7 ", "10 Pods ", " 0/10 ", "↻12", "payme"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d columns: no %q:\n%s", w, want, got)
			}
		}
	}
}

// One unit of a time has three cells.
func TestABriefAgeHasThreeCells(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 100 * time.Second: "1m", 59 * time.Minute: "59m", 23 * time.Hour: "23h",
		99 * 24 * time.Hour: "99d", 100 * 24 * time.Hour: "14w", 364 * 24 * time.Hour: "52w", 400 * 24 * time.Hour: "1y",
	} {
		if got := briefAge(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// A column without cells leaves its room to the reason, unless the user has asked for it.
func TestRestartsHaveAColumnFromTheFirstRestartOn(t *testing.T) {
	reason := func(s *scene) int {
		cols := newDrawing(of(s), Look{Theme: theme(t, "dark")}).l.Columns
		return cols[slices.IndexFunc(cols, func(c layout.Column) bool { return c.Name == "reason" })].W
	}
	head := func(s *scene) string {
		_, after, _ := strings.Cut(textOfScreen(t, s), "RESOURCE")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	for _, w := range []int{90, 120, 146} {
		without, with, chosen := badImage(w, 36), badImage(w, 36), badImage(w, 36)
		for _, s := range []*scene{without, with, chosen} {
			s.spaces = nil
		}
		with.rows[3].Restarts = 2
		chosen.opt.Columns = layout.DefaultColumns
		if strings.Contains(head(without), markup.Again) || !strings.Contains(head(with), markup.Again) || !strings.Contains(head(chosen), markup.Again) {
			t.Errorf("%d columns: the heads are\n%s\n%s\n%s", w, head(without), head(with), head(chosen))
		}
		if reason(without) <= reason(with) {
			t.Errorf("%d columns: the reason has %d cells, and %d beside restarts", w, reason(without), reason(with))
		}
	}
}

// A container is not named again where the row's name has it and there is no room.
func TestAReasonThatHasNoRoomLeavesOutItsContainer(t *testing.T) {
	s := badImage(120, 36)
	s.spaces = nil
	s.rows[0].Cause, s.rows[0].Message = "container web is being started for the second time", ""
	if got := textOfScreen(t, s); !strings.Contains(got, "» container is being") {
		t.Errorf("the reason:\n%s", got)
	}
	s.rows[0].Cause = "container web is on"
	if got := textOfScreen(t, s); !strings.Contains(got, "container web is on") {
		t.Errorf("there is room:\n%s", got)
	}
	s.rows[0].Name, s.rows[0].Key = "10 Pods", rows.Key{Kind: rows.More, ID: object.ID{Group: "apps", Kind: "ReplicaSet", Name: "web-7c88bd5f4"}}
	s.rows[0].Cause = "web exits 1: panic: DATABASE_URL must be set"
	if got := textOfScreen(t, s); !strings.Contains(got, "» exits 1: panic: DATA") {
		t.Errorf("the row of a workload's Pods:\n%s", got)
	}
	s.rows[0].Cause = `container app: secret "database-credentials" not found`
	if got := textOfScreen(t, s); !strings.Contains(got, `» secret "database-cred`) {
		t.Errorf("what the container lacks:\n%s", got)
	}
}

// A kind without a short name left of "web-tls" only "web-…".
func TestAKindGivesWayBeforeAName(t *testing.T) {
	for w := 55; w <= 200; w++ {
		if text := textOfScreen(t, grouped(w, 36)); !strings.Contains(text, "/web-tls ") {
			t.Errorf("%d columns:\n%s", w, text)
		}
	}
}

// A Pod's name is found by its end, also where its 1/1 would take the room.
func TestPodsAreToldApartAtEveryWidth(t *testing.T) {
	for w := 50; w <= 200; w++ {
		text := textOfScreen(t, healthy(w, 36))
		for _, end := range []string{"2xkqz ", "9qdlm ", "lm4tp "} {
			if !strings.Contains(text, end) {
				t.Errorf("%d columns: no %s:\n%s", w, end, text)
			}
		}
	}
}

// A note that the reason has already, in whatever case, does not follow it: "has completed  Completed".
func TestANoteDoesNotRepeatTheReason(t *testing.T) {
	for w := 80; w <= 200; w += 10 {
		s := healthy(w, 36)
		s.rows[3].Message, s.rows[3].Reason, s.rows[3].Note = "has completed", "Completed", "Completed"
		if got := textOfScreen(t, s); !strings.Contains(got, "has completed") || strings.Contains(got, "has completed  Completed") {
			t.Errorf("%d columns:\n%s", w, got)
		}
	}
}
