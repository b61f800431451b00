package views

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestEveryTinyRowHasTheKindOfItsObject(t *testing.T) {
	for name, make := range situations {
		for _, w := range []int{24, 33, 49} {
			s := make(w, 20)
			if s.mode != model.Browsing {
				continue
			}
			lines := strings.Split(drawn(t, s, theme(t, "dark")).Plain(), "\n")
			for i, row := range s.rows {
				kind, _, ok := strings.Cut(row.Name, "/")
				if row.Key.Kind != rows.Object || !ok {
					continue
				}
				if want := " " + briefKind(kind) + "/"; !strings.Contains(lines[1+i], want) {
					t.Errorf("%s, %d columns: no %q in %q", name, w, want, lines[1+i])
				}
			}
		}
	}
}

func TestATinyRowKeepsTheBeginningOfItsReason(t *testing.T) {
	s := badImage(33, 8)
	s.rows = s.rows[:1]
	s.rows[0].Name, s.rows[0].Key.ID.Name = "Deployment/payment-gateway-canary", "payment-gateway-canary"
	line := strings.Split(drawn(t, s, theme(t, "dark")).Plain(), "\n")[1]
	if !strings.Contains(line, "deploy/pay") || !strings.Contains(line, "» Ima") || !strings.HasSuffix(strings.TrimRight(line, " "), "2m") {
		t.Errorf("name, reason and age share the line: %q", line)
	}
}

func TestANameKeepsItsKindBeforeItGetsAReason(t *testing.T) {
	s := badImage(120, 36)
	s.rows = s.rows[:1]
	s.rows[0].Name, s.rows[0].Note, s.rows[0].Reason = "CustomResourceDefinition/campaigns.shop.example.com", "", "Deleted"
	if text := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(text, " crd/camp") {
		t.Errorf("the kind is cut:\n%s", text)
	}
}

func TestHintsAreLeftOutWhole(t *testing.T) {
	for w := 20; w <= 70; w++ {
		s := badImage(w, 12)
		s.mode = model.Commanding
		s.palette = model.Palette{Suggestions: []model.Suggestion{{Text: "group ", Hint: "put the rows together"}}}
		commands := drawn(t, s, theme(t, "dark")).Plain()
		s.mode = model.Helping
		help := strings.Split(drawn(t, s, theme(t, "dark")).Plain(), "\n")
		for what, text := range map[string]string{"commands": commands, "keys": help[len(help)-2] + help[len(help)-1]} {
			for _, half := range []string{"tab…", "tab c…", "enter…", "does…", "esc…", "type…", "clo…"} {
				if strings.Contains(text, half) {
					t.Errorf("%s, %d columns: half a hint, %q:\n%s", what, w, half, text)
				}
			}
		}
	}
}

func TestTheClusterIsNamedHoweverLongTheQuestionWas(t *testing.T) {
	s := badImage(80, 24)
	s.opt.Title, s.opt.Sources = "", []string{"deploy --all svc --all sts --all and 2 more"}
	head := strings.Split(drawn(t, s, theme(t, "dark")).Plain(), "\n")[0]
	if !strings.Contains(head, "prod-eu1/shop +2") || !strings.Contains(head, "deploy --all") {
		t.Errorf("where is it? %q", head)
	}
}

func TestTheVerdictCountsAssumedResources(t *testing.T) {
	s := &scene{done: true, doneIn: time.Minute, counts: world.Counts{status.Current: 9}, assumed: 2, verdict: known.Verdict{Status: status.Current}}

	if text := verdictText(of(s), false, 60).String(); !strings.HasPrefix(text, "9/9 Current in 60s, 2 of them assumed") {
		t.Errorf("verdict: %q", text)
	}
	if text := inWords(s).String(); text != "9/9 Current, 2 of them assumed" {
		t.Errorf("bar: %q", text)
	}
	s.doneIn = 0
	if text := verdictText(of(s), false, 60).String(); !strings.HasPrefix(text, "9/9 Current already, 2 of them assumed") {
		t.Errorf("verdict: %q", text)
	}
	if text := markup.Join(" ", brief(s)...).String(); !strings.HasSuffix(text, "9/9 2 assumed") {
		t.Errorf("a narrow screen: %q", text)
	}
}

func TestTheScreenOfAFinishedRolloutShowsTheNextKeys(t *testing.T) {
	s := healthy(120, 36)
	const hint = "q quits with code 0 · ctrl+s saves a report · 6 what happened"
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, hint) {
		t.Errorf("no hint:\n%s", got)
	}
	s.verdict.Lost = true
	if got := drawn(t, s, theme(t, "dark")).Plain(); strings.Contains(got, "code 0") {
		t.Errorf("what is lost is not done:\n%s", got)
	}
	s = inProgress(120, 36)
	if got := drawn(t, s, theme(t, "dark")).Plain(); strings.Contains(got, "code 0") {
		t.Errorf("this is not done:\n%s", got)
	}
}

func TestTheErrorOfAFilterIsShownUntilItIsChanged(t *testing.T) {
	s := badImage(120, 36)
	s.filter, s.filterErr = "stat=failed", errors.New(`"stat" is none of status`)
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, `filter stat=failed  "stat" is none of status`) {
		t.Errorf("the error is gone with the cursor:\n%s", got)
	}
}

func TestTheLinesOfAMessageAreLinesOfThePane(t *testing.T) {
	s := badImage(120, 36)
	s.causes[0].Detail, s.proofs = "starting up⏎panic: DATABASE_URL is not set", true
	got := drawn(t, s, theme(t, "dark")).Plain()
	if strings.Contains(got, "⏎") || !strings.Contains(got, "  starting up ") || !strings.Contains(got, "  panic: DATABASE_URL is not set ") {
		t.Errorf("two lines in one:\n%s", got)
	}
}

func TestTheReasonOfAConditionIsShownWholeWhereThereIsRoom(t *testing.T) {
	s := badImage(132, 36)
	s.pane = model.PaneConditions
	s.conds = s.conds[:1]
	s.conds[0].Reason = "ProgressDeadlineExceeded"
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "ProgressDeadlineExceeded") {
		t.Errorf("cut off beside blanks:\n%s", got)
	}
}

func TestTextKeepsAwayFromTheScrollBar(t *testing.T) {
	s := badImage(80, 24)
	s.size, s.focus = layout.Full, model.FocusPane
	for range 40 {
		s.causes = append(s.causes, s.causes[0])
	}
	bars := 0
	for l := range strings.Lines(drawn(t, s, theme(t, "dark")).Plain()) {
		if before, ok := strings.CutSuffix(strings.TrimRight(l, "\n"), markup.Thumb); ok {
			bars++
			if !strings.HasSuffix(before, " ") {
				t.Errorf("touches the bar: %q", l)
			}
		}
	}
	if bars == 0 {
		t.Error("there is no scroll bar to look at")
	}
}

func TestBlanksAroundKeysAndNamesAreNotMarked(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {33, 12}} {
		for _, mode := range []model.Mode{model.Browsing, model.Helping} {
			s := badImage(size[0], size[1])
			s.mode, s.size, s.focus = mode, layout.Full, model.FocusPane
			c := drawn(t, s, theme(t, "dark"))
			accented := func(x, y int) bool {
				tok, _ := c.tokenAt(x, y)
				return x < c.Width() && tok == markup.Accent
			}
			for y := range c.Height() {
				for x := range c.Width() {
					if accented(x, y) && c.CellAt(x, y).Content == " " && !accented(x+1, y) {
						t.Fatalf("%v, mode %d: a marked blank at %d,%d:\n%s", size, mode, x, y, c.Plain())
					}
				}
			}
		}
	}
}

func TestTheErrorOfALogIsShownOnTheSmallestScreen(t *testing.T) {
	s := badImage(33, 8)
	s.pane, s.size, s.focus = model.PaneLogs, layout.Full, model.FocusPane
	s.logs.Containers, s.logs.Lines = nil, nil
	s.logs.Streams[0].Err = errors.New("container web is waiting to start: image cannot be pulled")
	s.logs.Err = s.logs.Streams[0].Err
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "pulled") {
		t.Errorf("cut off above empty lines:\n%s", got)
	}
}

// A clock that goes on beside lost contact says nothing of how old the picture is.
func TestAScreenOfEightLinesShowsTheAgeOfStaleData(t *testing.T) {
	s := lost(32, 8)
	if head := strings.Split(drawn(t, s, theme(t, "dark")).Plain(), "\n")[0]; !strings.HasSuffix(strings.TrimRight(head, " "), "✓18/22 ▲14s") {
		t.Errorf("how old is it? %q", head)
	}
}

func TestATinyScreenShowsThatThereIsAFilter(t *testing.T) {
	for _, w := range []int{33, 49} {
		s := badImage(w, 12)
		s.filter = "status=failed,unknown kind=pod"
		lines := strings.Split(strings.TrimRight(drawn(t, s, theme(t, "dark")).Plain(), "\n"), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, "/ status=f") || !strings.Contains(last, "quit") {
			t.Errorf("%d columns: %q", w, last)
		}
	}
}

func TestHowMuchStillServesIsOnTheRowOfEveryWorkloadAtEveryWidth(t *testing.T) {
	for w := 33; w <= 200; w++ {
		s := badImage(w, 24)
		s.spaces = s.spaces[:1]
		workload := func(name string, st status.Status, reason, ready string, carried int) rows.Row {
			r := row(name, st, reason, time.Minute, s.now)
			r.Ready, r.Carried, r.Fold = ready, carried, rows.Opened
			return r
		}
		s.rows = []rows.Row{
			workload("Deployment/checkout", status.Failed, "ErrImagePull", "3/4", 2),
			workload(".ReplicaSet/checkout-57488c46c9", status.Failed, "ErrImagePull", "0/2", 2),
			workload("..Pod/checkout-57488c46c9-fl59h", status.Failed, "ErrImagePull", "0/1", 0),
			workload("Shop/fruit", status.InProgress, "Progressing", "", 1),
			workload(".Deployment/fruit-backend", status.InProgress, "CrashLoopBackOff", "5/6", 1),
			workload("..ReplicaSet/fruit-backend-7f877bb9b6", status.Current, "", "3/3", 0),
			workload("StatefulSet/cache", status.InProgress, "RollingUpdate", "7/8", 0),
			workload("Deployment/payment-gateway-canary", status.InProgress, "ImagePullBackOff", "0/9", 1),
		}
		s.rows[0].Updated, s.rows[1].Rollout, s.rows[5].Rollout, s.rows[6].Note = "2/4 updated", "new rev 2", "old rev 1", "Argo CD says Degraded"
		for _, s.size = range []layout.Size{layout.Normal, layout.Half} {
			if w < 110 && s.size == layout.Half {
				continue // there it is below the tree, or in its place
			}
			got := textOfScreen(t, s)
			for _, serving := range []string{" 3/4 ", " 0/2 ", " 5/6 ", " 3/3", " 7/8", " 0/9 "} {
				if !strings.Contains(got, serving) {
					t.Errorf("%d columns: no %q:\n%s", w, serving, got)
				}
			}
			_, checkout, _ := strings.Cut(got, "/checkout")
			checkout, _, _ = strings.Cut(strings.Join(strings.Fields(checkout), " "), " 60s")
			if w >= 50 && s.size == layout.Normal && (!strings.Contains(checkout, "3/4 ") || !strings.Contains(checkout, "» ErrImagePull")) ||
				w >= 170 && s.size == layout.Normal && !strings.Contains(checkout, "2/4 upd") {
				t.Errorf("%d columns: how far is the rollout, and why no farther?\n%s", w, got)
			}
			if w < 50 && (!strings.Contains(got, "/checkout 3/4 » Err") || !strings.Contains(got, " ErrImagePull ")) {
				t.Errorf("%d columns: the name, or a Pod's reason, is cut:\n%s", w, got)
			}
		}
	}
}

// What is typed covers the last line where there is no other for it.
func TestTheSelectedRowIsSeenWhileAFilterIsTyped(t *testing.T) {
	for h := 3; h < 10; h++ {
		m := replay(t, 85*time.Second, 20, h, "down", "/")
		if text := drawn(t, m, theme(t, "dark")).Plain(); !strings.Contains(text, markup.Pointer) || !strings.Contains(text, "filter") {
			t.Errorf("%d lines:\n%s", h, text)
		}
	}
}

// A list that goes on below the screen shows it, and its text keeps away from the bar.
func TestALongListHasAScrollBar(t *testing.T) {
	for _, w := range []int{60, 80, 120, 160} {
		for _, h := range []int{14, 60} {
			s, bars := badImage(w, h), 0
			s.causes = nil // the pane has no bar of its own
			r := newDrawing(of(s), Look{Theme: theme(t, "dark")}).l.Tree
			for _, l := range strings.Split(drawn(t, s, theme(t, "dark")).Plain(), "\n")[r.Y : r.Y+r.H] {
				before, _, ok := strings.Cut(l, markup.Thumb)
				if ok {
					bars++
				}
				if ok && !strings.HasSuffix(before, " ") {
					t.Errorf("%dx%d: touches the bar: %q", w, h, l)
				}
			}
			if long := len(s.rows) > r.H; long != (bars > 0) {
				t.Errorf("%dx%d: %d rows in %d lines have a bar of %d", w, h, len(s.rows), r.H, bars)
			}
		}
	}
}
