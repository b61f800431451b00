package views

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// paneOf are the lines of the pane beside the tree.
func paneOf(t *testing.T, s any) (lines []string) {
	t.Helper()
	text := textOfScreen(t, s)
	l := newDrawing(of(s), Look{Theme: theme(t, "dark")}).l.Pane
	for i, line := range strings.Split(text, "\n") {
		if i >= l.Y && i < l.Y+l.H {
			r := []rune(line + strings.Repeat(" ", l.X+l.W))
			lines = append(lines, strings.TrimSpace(string(r[l.X:l.X+l.W])))
		}
	}
	return lines
}

// What to type is on the screen before what proves it, on the smallest usual
// terminal.
func TestTheNextCommandIsOnAScreenOf80x24ForEveryCauseOfTheDemo(t *testing.T) {
	seen := map[string]bool{}
	for _, at := range []time.Duration{21 * time.Second, 46 * time.Second, 62 * time.Second, 85 * time.Second} {
		for problem := range 4 {
			m := replay(t, at, 80, 24, append(slices.Repeat([]string{"n"}, problem), "enter")...)
			key, _ := m.Tree.Selected()
			causes := m.Facts.CausesOf(key.ID)
			if len(causes) == 0 || !causes[0].Healed.IsZero() {
				continue
			}
			seen[causes[0].Code] = true
			text := strings.Join(strings.Fields(strings.Join(paneOf(t, m), " ")), " ")
			if steps := m.Facts.NextSteps(causes, key.ID); len(steps) == 0 || !strings.Contains(text, "y1 "+steps[0].Command) {
				t.Errorf("after %v, %v: no next command:\n%s", at, key.ID, text)
			}
			if !strings.Contains(text, key.ID.Kind+"/") || !strings.Contains(text, "in shop") {
				t.Errorf("after %v, %v: the head does not name it:\n%s", at, key.ID, text)
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("the demo has more causes than %v", seen)
	}
}

// The header of a group is no object: what the pane shows then is not about the first
// cause's object alone.
func TestWhyOfARowThatIsNoObjectNamesWhatItIsAbout(t *testing.T) {
	for _, keys := range [][]string{{"b", "b", "b", "b", "home"}, {"b", "b", "b", "b", "home", "tab", "j", "j"}} {
		m := replay(t, 62*time.Second, 120, 36, keys...)
		if got := paneOf(t, m); got[0] != "everything that is followed" || !strings.HasPrefix(got[1], "1 ") {
			t.Errorf("%v: the pane begins with %q", keys, got[:2])
		}
	}
}

// Two objects of the same name are told apart by their namespaces.
func TestWhyNamesTheNamespaceOfWhatIsBlockedAmongSeveral(t *testing.T) {
	for spaces, want := range map[string]bool{"shop": false, "shop shop-eu": true} {
		s := badImage(120, 36)
		s.spaces, s.selected = strings.Fields(spaces), len(s.rows)-1
		if got := strings.Join(strings.Fields(strings.Join(paneOf(t, s), " ")), " "); strings.Contains(got, "deploy/web in shop") != want {
			t.Errorf("in namespaces %s:\n%s", spaces, got)
		}
		s.selected = 0 // the head names its namespace
		if got := strings.Join(paneOf(t, s)[2:], " "); strings.Contains(got, " in shop") {
			t.Errorf("its own namespace is named twice:\n%s", got)
		}
	}
}

// Siblings differ in the end of their names.
func TestANameInACommandThatIsLongerThanALineKeepsItsEnd(t *testing.T) {
	s := badImage(110, 36)
	s.causes[0].Next = []string{"kubectl describe pod a-deployment-with-an-extraordinarily-long-name-7c88bd5f4-9qdlm -n shop"}
	if got := strings.Join(paneOf(t, s), "\n"); !strings.Contains(got, "a-deployment-with-") || !strings.Contains(got, "…") || !strings.Contains(got, "4-9qdlm") {
		t.Errorf("which Pod is it?\n%s", got)
	}
}

func TestWhyShowsAMessageOnce(t *testing.T) {
	for _, keys := range [][]string{nil, {"j", "j"}} { // the Deployment, and its Pod
		m := replay(t, 46*time.Second, 120, 36, keys...)
		text := strings.Join(paneOf(t, m), " ")
		if n := strings.Count(text, "failed to resolve ref"); n > 1 || !strings.Contains(text, "proof") {
			t.Errorf("the message stands %d times:\n%s", n, strings.Join(paneOf(t, m), "\n"))
		}
	}
	all := paneOf(t, replay(t, 46*time.Second, 120, 60, "v"))
	if text := strings.Join(all, " "); !strings.Contains(text, "PROOF") || !strings.Contains(text, "state.waiting.message") || !strings.Contains(text, "judged by rule ") {
		t.Errorf("v does not show the proof:\n%s", text)
	}
}

// The key that unfolds the proof brings its facts into sight, not its heading alone.
func TestTheFactsOfAnUnfoldedProofAreInSightOn80x24(t *testing.T) {
	for _, at := range []time.Duration{46 * time.Second, 62 * time.Second, 85 * time.Second} {
		for problem := range 3 {
			keys := append(slices.Repeat([]string{"n"}, problem), "w")
			folded := strings.Join(paneOf(t, replay(t, at, 80, 24, keys...)), "\n")
			lines := paneOf(t, replay(t, at, 80, 24, append(keys, "v")...))
			if !strings.Contains(folded, "proof") {
				continue // it waits
			}
			from := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "PROOF") })
			facts := 0
			for _, line := range lines[max(from, 0):] {
				if strings.Contains(line, markup.Dot) {
					facts++
				}
			}
			if from < 0 || facts < 1 || len(lines)-from < 4 {
				t.Errorf("after %v, problem %d: %d facts in\n%s", at, problem, facts, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestTheWhyPaneReportsWhetherOldPodsStillServe(t *testing.T) {
	if text := strings.Join(paneOf(t, replay(t, 46*time.Second, 120, 36)), " "); !strings.Contains(text, "3 old Pods still serve") {
		t.Errorf("is it an outage?\n%s", text)
	}
	if text := strings.Join(paneOf(t, replay(t, 46*time.Second, 120, 36, "n")), "\n"); !strings.Contains(text, "no Pod serves") {
		t.Errorf("is it an outage?\n%s", text)
	}
}

// A command that is copied with the mouse must not contain half a word.
func TestACommandIsBrokenAtBlanksAlone(t *testing.T) {
	command := "kubectl describe pod a-pod-with-an-extraordinarily-long-name-that-nobody-shortens-7c88bd5f4-9qdlm -n a-namespace-with-a-long-name"
	for w := 50; w <= 200; w++ {
		s := badImage(w, 60)
		if w < 110 {
			s.size, s.focus = layout.Full, model.FocusPane
		}
		s.causes[0].Next, s.causes[0].Changes = []string{command}, nil
		lines := paneOf(t, s)
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "y1 ") })
		if i < 0 {
			t.Fatalf("%d columns: no command:\n%s", w, strings.Join(lines, "\n"))
		}
		words := strings.Fields(command)
		for word := range strings.FieldsSeq(strings.TrimPrefix(strings.Join(lines[i:i+4], " "), "y1 ")) {
			begin, end, cut := strings.Cut(word, markup.Ellipsis) // of a word that is longer than a line
			if len(words) > 0 && (word == words[0] || cut && strings.HasPrefix(words[0], begin) && strings.HasSuffix(words[0], end)) {
				words = words[1:]
			}
		}
		if len(words) > 0 {
			t.Errorf("%d columns: a word is broken, %q:\n%s", w, words, strings.Join(lines, "\n"))
		}
	}
}

func TestCommandsThatChangeTheClusterAreMarked(t *testing.T) {
	text := strings.Join(paneOf(t, badImage(146, 40)), "\n")
	read, undo, mark := strings.Index(text, "y1 kubectl describe"), strings.Index(text, "y2 ▲ kubectl rollout undo"), strings.Index(text, "# changes the cluster")
	if read < 0 || undo < read || mark < undo {
		t.Errorf("commands that read come first, the other is marked:\n%s", text)
	}
}

// The head names the object however far its text is scrolled, and each object's text
// begins at its beginning.
func TestTwoObjectsNeverShowTheSameHeadlessText(t *testing.T) {
	for _, pane := range []string{"1", "2", "3", "6"} {
		for _, size := range [][2]int{{120, 18}, {160, 20}} {
			first := replay(t, 46*time.Second, size[0], size[1], pane, "v", "tab", "G")
			second := replay(t, 46*time.Second, size[0], size[1], pane, "v", "tab", "G", "tab", "j")
			a, b := paneOf(t, first), paneOf(t, second)
			if slices.Equal(a, b) || !strings.Contains(a[0], "/checkout") || !strings.Contains(b[0], "57488c46c9") {
				t.Errorf("pane %s, %v: whose text is this?\n%s\n\n%s", pane, size, strings.Join(a, "\n"), strings.Join(b, "\n"))
			}
			if second.Panes.Scroll().Top != 0 {
				t.Errorf("pane %s, %v: another object's text begins at line %d", pane, size, second.Panes.Scroll().Top)
			}
		}
	}
}

func TestEveryPaneHasATabAtEveryWidth(t *testing.T) {
	for w := 33; w <= 200; w++ {
		s := badImage(w, 24)
		s.size = layout.Full
		d := newDrawing(of(s), Look{Theme: theme(t, "dark")})
		if got := len(d.tabsIn(d.l.Tabs)); got != len(panes.Titles()) {
			t.Errorf("%d columns: %d tabs", w, got)
		}
	}
}

func TestCausesWithTheSameChangeShowItOnce(t *testing.T) {
	s := badImage(146, 50)
	s.causes = append(s.causes, s.causes[0])
	s.causes[1].Title = "another"
	if text := strings.Join(paneOf(t, s), "\n"); strings.Count(text, "CHANGED") != 1 {
		t.Errorf("twice:\n%s", text)
	}
	s.causes[1].Changed = []explain.Change{{Path: "replicas", Before: "1", After: fmt.Sprint(2)}}
	if text := strings.Join(paneOf(t, s), "\n"); strings.Count(text, "CHANGED") != 2 {
		t.Errorf("another change:\n%s", text)
	}
}

// A pane more was an index out of range at 50 columns.
func TestMorePanesHaveTheirTabsToo(t *testing.T) {
	titles := panes.Titles()
	for len(titles) < 9 {
		titles = append(titles, panes.Title{Name: "Another", Short: "Other"})
		for w := 1; w <= 200; w++ {
			for open := range titles {
				tabs := tabsOf(titles, model.Pane(open), layout.At(0, 0, w, 1))
				if len(tabs) != len(titles) || w >= 40 && tabs[len(tabs)-1].x+tabs[len(tabs)-1].w > w+2 {
					t.Fatalf("%d columns, pane %d of %d: %+v", w, open, len(titles), tabs)
				}
			}
		}
	}
}

// The way back is named by its revision, so that the command does the same when it is run
// twice; it is not offered for what the next revision is replacing already.
func TestUndoIsOfferedOnlyForTheNewestRevision(t *testing.T) {
	undo := func(after time.Duration) (found []string) {
		facts := replay(t, after, 120, 36).Facts
		for _, step := range facts.NextSteps(facts.Causes(), object.ID{}) {
			if strings.Contains(step.Command, "deployment/checkout") && strings.Contains(step.Command, "undo") {
				found = append(found, step.Command+": "+step.Does)
			}
		}
		return found
	}
	want := []string{"kubectl rollout undo deployment/checkout -n shop --to-revision=1: goes back to revision 1 (checkout:1.9)"}
	if got := undo(85 * time.Second); !slices.Equal(got, want) {
		t.Errorf("the broken revision is the newest: %q", got)
	}
	for _, after := range []time.Duration{95 * time.Second, 96 * time.Second} {
		if got := undo(after); len(got) > 0 {
			t.Errorf("after %s, a third revision is applied, then there, that repairs it: %q", after, got)
		}
	}
}

// On 80x24 the strip has what is wrong, how much still serves, and what to type, and no half
// of a message.
func TestTheStripOf80x24HasTheCauseTheServingPodsAndTheCommand(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want []string
	}{
		{nil, []string{"deploy/checkout", "blocks this Deployment; 3 old Pods still serve", "tag 2.O does not exist", "×2", "y1 kubectl describe pod", "-n shop  # one of 2 Pods", "y2 ▲ kubectl rollout undo"}},
		{[]string{"j", "j"}, []string{"po/checkout-", "blocks deploy/checkout; 3 old Pods still serve", "tag 2.O does not exist", "y1 kubectl describe pod", "y2 ▲ kubectl rollout undo"}},
		{[]string{"n", "j", "j"}, []string{"po/worker-", "blocks deploy/worker; no Pod serves", "panic: DATABASE_URL is not set", "y1 kubectl logs", "y3 ▲ kubectl rollout undo"}},
	} {
		m := replay(t, 46*time.Second, 80, 24, c.keys...)
		r := newDrawing(of(m), Look{Theme: theme(t, "dark")}).l.Strip
		head, rest, _ := strings.Cut(strings.Join(strings.Split(textOfScreen(t, m), "\n")[r.Y:r.Y+r.H], "\n"), "\n")
		strip := head + "\n" + rest
		for _, want := range c.want {
			if !strings.Contains(strip, want) {
				t.Errorf("%v: no %q in\n%s", c.keys, want, strip)
			}
		}
		if strings.Contains(rest, markup.Ellipsis) { // the row has the whole name
			t.Errorf("%v: it is cut:\n%s", c.keys, strip)
		}
	}
}

// An option and its value stay on one line.
func TestACommandIsNotBrokenBeforeAnOptionsValue(t *testing.T) {
	broken := 0
	for w := 110; w <= 170; w++ {
		for _, line := range paneOf(t, badImage(w, 40)) {
			if strings.HasSuffix(line, " -n") {
				t.Errorf("%d columns: %q", w, line)
			}
			if strings.HasPrefix(line, "-n shop") {
				broken++
			}
		}
	}
	if broken == 0 {
		t.Error("no command has two lines")
	}
}

// The count of a proof's facts is left out where it would cut the proof's words.
func TestTheCountOfAProofDoesNotCutItsWords(t *testing.T) {
	counts := map[string]bool{}
	for _, w := range []int{120, 200} {
		for _, line := range paneOf(t, replay(t, 46*time.Second, w, 40, "n", "j", "j")) {
			if words, ok := strings.CutPrefix(line, "proof"); ok {
				counts[fmt.Sprint(w, strings.Contains(words, " v: "), strings.Contains(words, markup.Ellipsis))] = true
			}
		}
	}
	if !counts["200 true false"] || counts["120 true true"] || len(counts) != 2 {
		t.Errorf("width, count and cut words are %v", counts)
	}
}

// A cause of several Pods has commands for one of them. On the row of another Pod they would
// lead an operator to the wrong one.
func TestNextNamesTheSelectedPod(t *testing.T) {
	of := func(name string) (about object.ID, steps []known.NextStep) {
		m := replay(t, 85*time.Second, 120, 36)
		for _, c := range m.Facts.Causes() {
			for _, id := range append(c.Objects, c.Blocks...) {
				if id.Name == name {
					return id, m.Facts.NextSteps(m.Facts.CausesOf(id), id)
				}
			}
		}
		t.Fatalf("no cause has an object %s", name)
		return about, nil
	}
	for _, pod := range []string{"checkout-57488c46c9-r7mcz", "checkout-57488c46c9-kxv7s", "worker-5bf86d8b7-fsj5s", "worker-5bf86d8b7-px5fg"} {
		about, steps := of(pod)
		for _, s := range steps {
			if !s.Mutates && (!strings.Contains(s.Command, " "+about.Name+" ") || s.Among != "") {
				t.Errorf("on the row of %s: %s", pod, s)
			}
		}
	}
	if _, steps := of("checkout"); len(steps) == 0 || steps[0].Among != "one of 2 Pods" {
		t.Errorf("on a Deployment's row: %v", steps)
	}
	m := replay(t, 85*time.Second, 120, 36)
	if text := strings.Join(paneOf(t, m), "\n"); !strings.Contains(text, "one of 2 Pods") {
		t.Errorf("the pane does not say that there are more:\n%s", text)
	}
}

// How long the status has lasted was left out where the clock's time had no room.
func TestThePanesHeadSaysHowLongAtEveryWidth(t *testing.T) {
	for w := layout.SideBySide; w <= 200; w++ {
		if text := textOfScreen(t, badImage(w, 36)); !strings.Contains(text, "(4m51s)") && !strings.Contains(text, "  for 4m51s") {
			t.Errorf("%d columns:\n%s", w, text)
		}
	}
}

// On 80x24, below the tree and in the pane, every cause of the demo says what it blocks, how much
// still serves, what to look at and what takes the change back.
func TestEveryCauseOfTheDemoIsWholeOn80x24(t *testing.T) {
	for _, at := range []time.Duration{21 * time.Second, 46 * time.Second, 62 * time.Second, 85 * time.Second} {
		for problem := range 4 {
			for _, pane := range []bool{false, true} {
				keys := slices.Repeat([]string{"n"}, problem)
				if pane {
					keys = append(keys, "w")
				}
				m := replay(t, at, 80, 24, keys...)
				key, _ := m.Tree.Selected()
				causes := m.Facts.CausesOf(key.ID)
				if len(causes) == 0 || !causes[0].Healed.IsZero() || causes[0].Class == explain.Waits {
					continue
				}
				l := newDrawing(of(m), Look{Theme: theme(t, "dark")}).l
				part := l.Strip
				if pane {
					part = l.Pane
				}
				text := strings.Join(strings.Split(textOfScreen(t, m), "\n")[part.Y:part.Y+part.H], "\n")
				last := -1
				wanted := []string{"blocks ", "serve", "y1 kubectl ", "▲ kubectl rollout undo "}
				if causes[0].Class == explain.Retries { // nothing is to be taken back before its deadline
					wanted = wanted[:3]
				}
				for _, want := range wanted {
					place := strings.Index(text, want)
					if place <= last {
						t.Errorf("after %v, %v, pane %v: no %q, or not in its place:\n%s", at, key.ID, pane, want, text)
					}
					last = place
				}
			}
		}
	}
}

// The end of a path says which field it is.
func TestAChangedFieldKeepsTheEndOfItsPath(t *testing.T) {
	for w := 50; w <= 200; w += 5 {
		m := replay(t, 85*time.Second, w, 40, "n", "n", "w")
		if text := strings.Join(paneOf(t, m), "\n"); !strings.Contains(text, "httpGet.port") {
			t.Errorf("%d columns: which field is it?\n%s", w, text)
		}
	}
}

// A remark on a command is a shell comment, on the screen as in a text: who selects the line with
// the mouse runs the same command.
func TestARemarkOnACommandIsAComment(t *testing.T) {
	for w := 60; w <= 240; w += 4 {
		m := replay(t, 85*time.Second, w, 36)
		text := textOfScreen(t, m)
		for line := range strings.Lines(text) {
			for _, remark := range []string{"one of 2 Pods", "changes the cluster"} {
				if before, _, ok := strings.Cut(line, remark); ok && !strings.HasSuffix(before, "# ") {
					t.Errorf("%d columns: %s", w, line)
				}
			}
		}
		if w > 130 && !strings.Contains(text, "# one of 2 Pods") {
			t.Errorf("%d columns: there is no remark:\n%s", w, text)
		}
	}
}

// A cause that is gone is shown for a while. It blocks nothing any more.
func TestTheStripDoesNotSayThatAHealedCauseBlocks(t *testing.T) {
	s := badImage(80, 24)
	for i := range s.causes {
		s.causes[i].Healed = s.now.Add(-3 * time.Second)
	}
	r := newDrawing(of(s), Look{Theme: theme(t, "dark")}).l.Strip
	strip := strings.Join(strings.Split(textOfScreen(t, s), "\n")[r.Y:r.Y+r.H], "\n")
	if !strings.Contains(strip, "gone for 3s") || strings.Contains(strip, "blocks ") || strings.Contains(strip, "serve") {
		t.Error(strip)
	}
}

// Below the tree the status and what still serves are whole at every width: what is blocked is
// counted, or left out, and the name, which is on the row, is shortened.
func TestTheStripHasTheStatusAndWhatServesAtEveryWidth(t *testing.T) {
	for w := 50; w < layout.SideBySide; w++ {
		for _, h := range []int{20, 24, 30, 40} {
			s := badImage(w, h)
			r := newDrawing(of(s), Look{Theme: theme(t, "dark")}).l.Strip
			strip := strings.Join(strings.Split(textOfScreen(t, s), "\n")[r.Y:r.Y+r.H], "\n")
			wants := []string{"qdlm", "3 old Pods still serve", "y1 kubectl describe"}
			if w >= 54 {
				wants = append(wants, " ✗ Failed")
			}
			if w >= 70 {
				wants = append(wants, "blocks ")
			}
			if h >= 24 {
				wants = append(wants, "y2 ▲ kubectl rollout undo")
			}
			for _, want := range wants {
				if !strings.Contains(strip, want) {
					t.Errorf("%dx%d: no %q in\n%s", w, h, want, strip)
				}
			}
		}
	}
}
