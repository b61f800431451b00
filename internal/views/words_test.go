package views

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/outline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func shopID(kind, name string) object.ID {
	return object.ID{Kind: kind, Namespace: "shop", Name: name}
}

// verdictOf is the line with the verdict, and what stays in the shell.
func verdictOf(t *testing.T, s *scene) (line, farewell string) {
	t.Helper()
	th := theme(t, "dark")
	return strings.Split(drawn(t, s, th).Plain(), "\n")[1], ansi.Strip(Farewell(of(s), th))
}

func TestCausesWithEqualTitlesAreOneLine(t *testing.T) {
	s := inProgress(120, 36)
	s.spaces = nil
	s.causes = nil
	for _, name := range []string{"a", "b", "c"} {
		s.causes = append(s.causes, explain.Cause{Title: "container app is being started", Count: 20, Blocks: []object.ID{shopID("Deployment", name)}})
	}
	line, farewell := verdictOf(t, s)
	for got, blocked := range map[string]string{line: "deploy/c +2", farewell: "Deployment/c +2"} {
		if strings.Count(got, "being started") != 1 || !strings.Contains(got, "×60") || !strings.Contains(got, blocked) {
			t.Errorf("want one cause that counts 60 and blocks three:\n%s", got)
		}
	}
	if strings.Contains(line, "causes") {
		t.Errorf("one cause is counted as several: %s", line)
	}
}

func TestACauseNamesTheOwnerOfItsSubject(t *testing.T) {
	s := inProgress(120, 36)
	s.spaces = nil
	pod, deploy := shopID("Pod", "web-1"), shopID("Deployment", "web")
	s.paths = map[object.ID][]object.ID{pod: {deploy, shopID("ReplicaSet", "web"), pod}}
	s.causes = []explain.Cause{{Title: "image not found", Subject: explain.Subject{ID: pod}, Blocks: []object.ID{deploy, shopID("Service", "web")}}}
	if line, _ := verdictOf(t, s); !strings.Contains(line, "→ deploy/web +1") {
		t.Errorf("the Pod belongs to the Deployment, the Service only depends on it: %s", line)
	}
}

func TestTheHeadlineNamesTheNamespaceAmongSeveral(t *testing.T) {
	line, farewell := verdictOf(t, badImage(120, 36))
	if !strings.Contains(line, "→ deploy/web in shop +1") || !strings.Contains(farewell, "→ Deployment/web in shop +1") {
		t.Errorf("whose Deployment is it?\n%s\n%s", line, farewell)
	}
}

func TestAnObjectThatTheTitleNamesIsNotNamedAgain(t *testing.T) {
	s := inProgress(120, 36)
	s.causes = []explain.Cause{{Title: "Deployment web does not exist", Blocks: []object.ID{shopID("Deployment", "web")}}}
	line, farewell := verdictOf(t, s)
	if strings.Contains(line, "→") || strings.Contains(farewell, "→") {
		t.Errorf("the same object twice:\n%s\n%s", line, farewell)
	}
}

func TestTypedTextIsVisibleOnTheSmallestScreen(t *testing.T) {
	for _, mode := range []model.Mode{model.Filtering, model.Searching} {
		s := healthy(33, 8)
		s.mode, s.focus = mode, model.FocusPane
		s.input = typing("kind=pod")
		c := NewCanvas(0, 0, nil)
		cursor := Draw(c, of(s), Look{Theme: theme(t, "dark")})
		if !strings.Contains(c.Plain(), "kind=pod") || cursor == nil || cursor.Y != 7 {
			t.Errorf("typed blindly, cursor %+v:\n%s", cursor, c.Plain())
		}
	}
}

func TestTheErrorOfALostConnectionIsShownOnce(t *testing.T) {
	s := lost(120, 36)
	s.conn.Retry = time.Time{}
	if got := drawn(t, s, theme(t, "dark")).Plain(); strings.Count(got, "connection refused") != 1 {
		t.Errorf("the error stands beside the verdict, that is enough:\n%s", got)
	}
}

func TestADetailThatTheTitleHoldsIsNotRepeated(t *testing.T) {
	s := inProgress(120, 36)
	s.causes = []explain.Cause{{Title: "app exits 1: panic: no DATABASE_URL", Detail: "panic: no DATABASE_URL"}}
	s.pane = model.PaneWhy
	got := drawn(t, s, theme(t, "dark")).Plain()
	if n := strings.Count(got, "no DATABASE_URL"); n != 2 { // in the verdict, and in the pane
		t.Errorf("said %d times, want 2:\n%s", n, got)
	}
}

// long is a pane of 60 lines of YAML, with a word in line 20 and in line 50.
func long(search panes.Search, top int) *scene {
	s := inProgress(120, 36)
	s.pane, s.focus = model.PaneYAML, model.FocusPane
	text := strings.Repeat("a: b\n", 20) + "needle: 1\n" + strings.Repeat("a: b\n", 29) + "needle: 2\n" + strings.Repeat("a: b\n", 9)
	s.detail = panes.DetailView{}
	for i, l := range strings.Split(text, "\n") {
		s.detail.Shown = append(s.detail.Shown, outline.Line{Text: l, No: i})
	}
	s.search, s.scroll = search, top
	return s
}

func TestScrollingStartsAtTheMatchOfASearch(t *testing.T) {
	topOf := func(s *scene) int {
		_, top := s.Content()
		return top
	}
	found := panes.Search{Text: "needle", Step: 1}
	at := topOf(long(found, 0))
	if at == 0 {
		t.Fatal("the second match is out of sight")
	}
	found.Left = true
	if got := topOf(long(found, 3)); got != 3 {
		t.Errorf("the user has scrolled to line 3, and sees line %d", got)
	}
}

func TestASearchWithoutMatchesShowsAMessage(t *testing.T) {
	s := long(panes.Search{Text: "nothing-like-it"}, 0)
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "no match") {
		t.Errorf("not a word of it:\n%s", got)
	}
	s.search.Text = "needle"
	if got := drawn(t, s, theme(t, "dark")).Plain(); strings.Contains(got, "no match") {
		t.Errorf("there are two:\n%s", got)
	}
}

func TestTheHelpIsWholeOnTheSmallestScreen(t *testing.T) {
	s := healthy(33, 8)
	s.mode = model.Helping
	var b strings.Builder
	lines, _ := s.Help()
	for _, l := range lines {
		if l.Width() > 29 {
			t.Errorf("%q is cut off", l.String())
		}
		b.WriteString(" " + strings.TrimSpace(l.String()))
	}
	all := strings.Join(strings.Fields(b.String()), " ")
	for _, k := range s.Keys() {
		if k.Enabled() && !strings.Contains(all, k.Help().Desc) {
			t.Errorf("%q is not in the help:\n%s", k.Help().Desc, all)
		}
	}
}

func TestASignIsFoundInTheHelp(t *testing.T) {
	s := healthy(120, 36)
	s.mode = model.Helping
	s.input = typing("condition:")
	var got []string
	lines, _ := s.Help()
	for _, l := range lines {
		got = append(got, strings.Join(strings.Fields(l.String()), " "))
	}
	for _, want := range []string{"SIGNS", "✓ condition: good", "✗ condition: bad"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestTheMessageOfAChildIsShownOnceAsItsCause(t *testing.T) {
	s := badImage(120, 36)
	key, _ := s.Selected()
	res := s.resources[key.ID]
	s.causes[0].Objects = []object.ID{shopID("Pod", "web-1")}
	res.Assessment.Message = "2 of 4 replicas updated; Pod/web-1: container app: Back-off pulling"
	s.resources[key.ID] = res
	got := drawn(t, s, theme(t, "dark")).Plain()
	if !strings.Contains(got, "2 of 4 replicas updated") || strings.Contains(got, "Pod/web-1: container") {
		t.Errorf("the message of the Pod stands above the causes, which tell it better:\n%s", got)
	}
}

func TestAnAssumedCurrentLooksDifferent(t *testing.T) {
	for _, name := range []string{"dark", "mono", "ascii"} {
		s := inProgress(120, 36)
		s.rows = []rows.Row{
			{Key: rows.Key{ID: shopID("Widget", "proven")}, Name: "Widget/proven", Status: status.Current, Matched: true},
			{Key: rows.Key{ID: shopID("Widget", "assumed")}, Name: "Widget/assumed", Status: status.Current, Assumed: true, Matched: true},
		}
		for l := range strings.SplitSeq(drawn(t, s, theme(t, name)).Plain(), "\n") {
			tree, _, _ := strings.Cut(l[min(1, len(l)):], "│")
			switch {
			case strings.Contains(l, "Widget/proven") && strings.Contains(tree, "?"):
				t.Errorf("%s: a proven green looks doubtful: %s", name, l)
			case strings.Contains(l, "Widget/assumed") && !strings.Contains(l, "Current ?"):
				t.Errorf("%s: an assumed green looks proven: %s", name, l)
			}
		}
	}
}

// An object without conditions is advised all the same, and its pane says what
// was judged by in their place.
func TestTheConditionsPaneWithoutConditionsShowsTheFieldsThatDecided(t *testing.T) {
	s := badImage(120, 36)
	key, _ := s.Selected()
	o, err := convert.JSON([]byte(`{"apiVersion":"acme.io/v1","kind":"Widget","metadata":{"name":"w","generation":1},"status":{"url":"x"}}`), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res := s.resources[key.ID]
	res.Object, res.Assessment = o, status.Assess(o, status.World{FirstSeen: s.now}, s.now)
	s.resources[key.ID] = res
	s.conds, s.pane, s.focus, s.size = nil, model.PaneConditions, model.FocusPane, layout.Half
	got := drawn(t, s, theme(t, "mono")).Plain()
	for _, text := range []string{"Current ?", "Nothing in the status is known", "assumed: nothing proves it", "It has no conditions", "ADVICE", "no observedGeneration"} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is not said:\n%s", text, got)
		}
	}
}

func TestSignsInSentencesAreSpelledWhereOnlyASCIIIsWanted(t *testing.T) {
	s := inProgress(120, 36)
	s.causes = []explain.Cause{{Title: "web is not ready (http :8081/ready → refused) “twice”", Detail: "×3 … and on · and on"}}
	th := theme(t, "ascii")
	for what, text := range map[string]string{"screen": drawn(t, s, th).Plain(), "farewell": ansi.Strip(Farewell(of(s), th))} {
		if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
			t.Errorf("%s: %q is not ASCII in:\n%s", what, text[i:i+4], text)
		}
		if !strings.Contains(text, `/ready > refused) "twice"`) {
			t.Errorf("%s: the sentence is not told:\n%s", what, text)
		}
	}
}

// Where the locale is not UTF-8, the letters of a message would be drawn as other
// ones, and more of them.
func TestADeafTerminalGetsNothingButASCIIAndNothingMoves(t *testing.T) {
	s := inProgress(120, 36)
	s.causes = []explain.Cause{{Title: "Zugriff verweigert für mu\u0308ller: 権限がありません (×3)", Detail: "нет доступа · 😀"}}
	th := theme(t, "ascii")
	utf8 := strings.Split(drawn(t, s, th).Plain(), "\n")
	th.ASCIILocale = true
	ascii := strings.Split(drawn(t, s, th).Plain(), "\n")
	if len(utf8) != len(ascii) {
		t.Fatalf("%d lines, were %d", len(ascii), len(utf8))
	}
	for i := range ascii {
		if markup.Width(ascii[i]) != markup.Width(utf8[i]) {
			t.Errorf("line %d takes %d cells, took %d:\n%s\n%s", i, markup.Width(ascii[i]), markup.Width(utf8[i]), utf8[i], ascii[i])
		}
	}
	for what, text := range map[string]string{"screen": strings.Join(ascii, "\n"), "farewell": ansi.Strip(Farewell(of(s), th))} {
		if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' }); i >= 0 {
			t.Errorf("%s: %q is not ASCII in:\n%s", what, text[i:i+4], text)
		}
	}
	if want := "verweigert f?r muller: ???????????????? (x3)"; !strings.Contains(ascii[1], want) {
		t.Errorf("want %q in: %s", want, ascii[1])
	}
}

func TestTheVerdictsLineHoldsWholeCountsOnTheSmallestScreens(t *testing.T) {
	th := theme(t, "dark")
	for w := 20; w <= 60; w++ {
		s := inProgress(w, 5)
		s.opt.Recording = "demo"
		line := strings.TrimRight(strings.Split(drawn(t, s, th).Plain(), "\n")[0], " ")
		if strings.HasSuffix(line, "…") || !strings.Contains(line, "REC") {
			t.Errorf("%d columns: %q", w, line)
		}
	}
}

func TestANoteOnTheConnectionLeavesVerdictAndCauseOnTheirLine(t *testing.T) {
	for _, w := range []int{40, 60, 80, 100, 120, 200} {
		s := badImage(w, 24)
		s.spaces = nil
		s.verdict.Lost = true
		s.conn = world.Connection{
			Link: world.LinkStale, LastData: s.now.Add(-14 * time.Second), Ready: 7, Sources: 7,
			Error: "not Kubernetes: HTML (a proxy or login page?), and more that somebody before the server may say",
			Hint:  "check the server in /home/me/.kube/config",
		}
		got := drawn(t, s, theme(t, "dark")).Plain()
		top, _, _ := strings.Cut(got[strings.Index(got, "LOST CONTACT"):], "\n")
		known, cause, note := strings.Index(top, "FAILED"), strings.Index(top, s.causes[0].Title), strings.Index(top, "not Kubernetes")
		if w >= 60 && known < 0 || w >= 100 && cause < known || note >= 0 && (note < known || note < cause) {
			t.Errorf("%d cells: %s", w, top)
		}
		if w >= 80 && !strings.Contains(got, "not Kubernetes: HTML (a proxy or login page?)") {
			t.Errorf("%d cells: it does not say what answers:\n%s", w, got)
		}
	}
}

func TestACompletionIsShownBehindTheTypedText(t *testing.T) {
	s := badImage(120, 36)
	s.mode, s.filter = model.Filtering, "status=f"
	s.input = typing(s.filter)
	s.input.ShowSuggestions = true
	s.input.SetSuggestions([]string{"status=Failed"})
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "filter status=failed ") {
		t.Errorf("no completion behind the text:\n%s", got)
	}
}

func TestTheHeadlineNamesTheBlockedObjectWholeBesideManyCauses(t *testing.T) {
	deploy := func(name string) []object.ID { return []object.ID{shopID("Deployment", name)} }
	causes := []explain.Cause{
		{Title: "tag 2.O does not exist in localhost:5000/shop/checkout", Count: 2, Blocks: deploy("checkout")},
		{Title: "worker exits 1 after 1s: panic: DATABASE_URL is not set (3 restarts)", Blocks: deploy("worker")},
		{Title: "was Current and stopped being so 3 times", Blocks: deploy("web")},
		{Title: "the Service selects nothing"},
	}
	for w := 50; w <= 240; w++ {
		s := badImage(w, 24)
		s.causes = causes
		blocks := func(name string) string { return spell(shopID("Deployment", name), s.Layout().ShortKinds) }
		_, got, _ := strings.Cut(strings.Split(textOfScreen(t, s), "\n")[1]+" ", "FAILED ")
		if w >= 80 && (!strings.Contains(got, "4 causes, first: tag 2.O ") || !strings.Contains(got, " ×2 → "+blocks("checkout")+" ")) ||
			w >= 60 && !strings.Contains(got, "tag 2.O") {
			t.Errorf("%d columns: the first cause and what it blocks: %s", w, got)
		}
		got = strings.ReplaceAll(got, "×2 → "+blocks("checkout"), "")
		for _, c := range causes[1:3] {
			got = strings.ReplaceAll(got, "· "+c.Title+" → "+blocks(c.Blocks[0].Name), "")
		}
		if strings.ContainsAny(got, "·→") {
			t.Errorf("%d columns: half of one: %s", w, got)
		}
	}
}

// A long name leaves room for the cause's words, and is never missing for its length.
func TestTheHeadlineNamesWhatIsBlockedHoweverLongItsNameIs(t *testing.T) {
	id := object.ID{Group: "apps", Kind: "Deployment", Namespace: "payments-production", Name: "ledger-reconciliation-service"}
	for w := 80; w <= 240; w++ {
		s := badImage(w, 24)
		s.causes = []explain.Cause{{Title: "main exits 1 after 1s (1234 restarts)", Count: 10, Blocks: []object.ID{id}}, {Title: "x"}, {Title: "y"}}
		s.spaces = []string{"shop", id.Namespace}
		_, got, _ := strings.Cut(strings.Split(textOfScreen(t, s), "\n")[1]+" ", "FAILED ")
		for _, want := range []string{"main exits 1 after", "×10 → ", "/ledg", "ice"} {
			if !strings.Contains(got, want) {
				t.Errorf("%d columns: no %q in %s", w, want, got)
			}
		}
		if w >= 110 && (!strings.Contains(got, "3 causes, first: ") || !strings.Contains(got, " in pay")) {
			t.Errorf("%d columns: how many causes are there, and in which namespace? %s", w, got)
		}
	}
}

func TestTheMessageOfAnActionIsNotShortened(t *testing.T) {
	for _, said := range []string{"grouped by namespace", "showing generated objects and references", "will notify you when it is done or failed"} {
		for w := 50; w <= 200; w++ {
			s := badImage(w, 24)
			s.notifying, s.following, s.grouping, s.flash = true, true, rows.GroupNamespace, said
			lines := strings.Split(textOfScreen(t, s), "\n")
			got := strings.TrimRight(lines[22], " ")
			if _, facts, whole := strings.Cut(got, " "+said); !whole || facts != "" && !strings.HasPrefix(facts, "  ") || strings.Contains(facts, markup.Ellipsis) {
				t.Errorf("%d columns: %q", w, got)
			}
			if w == 80 && !strings.Contains(got, "● live") {
				t.Errorf("there is room for more: %q", got)
			}
		}
	}
}

func TestTheMessageOfAnActionIsVisibleOnTheSmallestScreen(t *testing.T) {
	for _, size := range [][2]int{{33, 8}, {49, 20}, {24, 4}, {10, 1}} {
		s := badImage(size[0], size[1])
		s.flash = "copied Deployment/web"
		lines := strings.Split(strings.TrimRight(drawn(t, s, theme(t, "dark")).Plain(), "\n"), "\n")
		if last := lines[size[1]-1]; !strings.Contains(last, markup.Truncate(s.flash, size[0]-2)) {
			t.Errorf("%v: not a word of it: %q", size, last)
		}
	}
}

func TestTheTimelineOfOneObjectNamesItOnce(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {33, 14}} {
		s := badImage(size[0], size[1])
		s.pane, s.focus, s.size = model.PaneTimeline, model.FocusPane, layout.Full
		key, _ := s.Selected()
		pod := spell(object.ID{Kind: "Pod"}, s.Layout().ShortKinds)
		s.history = slices.DeleteFunc(s.history, func(tr world.Transition) bool { return tr.ID != key.ID })
		s.dates = []timeline.Date{{At: s.now.Add(-time.Hour), ID: key.ID, What: "created"}}
		got := drawn(t, s, theme(t, "dark")).Plain()
		if len(s.history) < 2 || strings.Count(got, pod) != 1 || !strings.Contains(got, "  created") || !strings.Contains(got, "◌━") {
			t.Errorf("%v: %v is named again on every line:\n%s", size, key.ID, got)
		}
		s.history[0].ID.Name = "another"
		if got := drawn(t, s, theme(t, "dark")).Plain(); strings.Count(got, pod) < 4 {
			t.Errorf("%v: whose lines are these?\n%s", size, got)
		}
	}
}

func TestTheSignOfAStallNeverCutsTheCause(t *testing.T) {
	const title = "image registry.local/web:2.4.1 not found"
	for w := 50; w <= 200; w++ {
		for _, h := range []int{15, 24} {
			s := badImage(w, h)
			s.spaces = nil
			whole := *s
			whole.verdict.Stalled = false
			line := func(s *scene) string {
				return strings.Split(textOfScreen(t, s), "\n")[map[int]int{15: 0, 24: 1}[h]]
			}
			with, without := line(s), line(&whole)
			if !strings.Contains(with, title) && strings.TrimRight(with, " ") != strings.TrimRight(without, " ") {
				t.Errorf("%dx%d:\n%s\n%s", w, h, with, without)
			}
			if w >= 120 && !strings.Contains(with, "▲ stalled 2m40s") {
				t.Errorf("%dx%d: there is room for it: %s", w, h, with)
			}
		}
	}
}

func TestADeletedResourceIsGreenWhenDeletionIsTheGoal(t *testing.T) {
	for _, w := range []int{33, 80, 120} {
		s := badImage(w, 24)
		s.verdict = known.Verdict{Status: status.NotFound, Gone: true}
		got := drawn(t, s, theme(t, "dark")).Plain()
		if !strings.Contains(got, "✓ GONE") || w >= 80 && !strings.Contains(got, "everything asked for was deleted") {
			t.Errorf("%d columns:\n%s", w, got)
		}
	}
	for _, w := range []int{33, 80, 120} {
		s := badImage(w, 24)
		s.verdict = known.Verdict{Status: status.NotFound, Gone: true, Remains: 2}
		got := drawn(t, s, theme(t, "dark")).Plain()
		if strings.Contains(got, "GONE") || !strings.Contains(got, "⊘ DELETING") || w >= 80 && !strings.Contains(got, "everything asked for was deleted; 2 Pods still there") {
			t.Errorf("%d columns:\n%s", w, got)
		}
	}
	s := badImage(120, 36)
	s.verdict = known.Verdict{Status: status.Unknown, Empty: true}
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "? NOTHING YET") {
		t.Errorf("nothing was there:\n%s", got)
	}
	s.verdict.Barred, s.causes = "user u cannot list jobs in shop (RBAC) and 2 more kinds", nil
	if got := drawn(t, s, theme(t, "dark")).Plain(); strings.Contains(got, "NOTHING YET") || !strings.Contains(got, s.verdict.Barred) {
		t.Errorf("nothing may be read:\n%s", got)
	}
}

// One more pane does not take the names of the others.
func TestAsManyTabsAreNamedAsHaveRoom(t *testing.T) {
	titles := append(panes.Titles(), panes.Title{Name: "Owners", Short: "Owners"})
	for w := 32; w <= 60; w++ {
		var text []string
		end := 0
		for _, tab := range tabsOf(titles, model.PaneLogs, layout.Rect{W: w, H: 1}) {
			text = append(text, tab.text)
			end = tab.x + tab.w
		}
		all := strings.Join(text, "│")
		if named := strings.HasPrefix(all, "1 Why│2 Conds│3 Events│4 Logs│5 YAML│6 Time"); end > w || named != (w >= 45) {
			t.Errorf("%d cells: %s", w, all)
		}
		if !strings.Contains(all, "4 Logs") {
			t.Errorf("%d cells: the open pane is not named: %s", w, all)
		}
	}
}

func TestTabsAreNamedWhereverAPaneIsBesideTheTree(t *testing.T) {
	for w := 110; w <= 200; w++ {
		got := strings.Split(textOfScreen(t, badImage(w, 36)), "\n")[3]
		for i, name := range []string{"Why", "Cond", "Events", "Logs", "YAML", "Time"} {
			if want := strconv.Itoa(i+1) + " " + name; !strings.Contains(got, want) {
				t.Errorf("%d columns: no %q: %s", w, want, got)
			}
		}
	}
}

func TestTheErrorOfAFilterIsShownWhole(t *testing.T) {
	for _, keys := range []string{"/ s t a t u s = b e g i n n i n g", "/ s t a t u s = b e g i n n i n g enter"} {
		m := replay(t, 85*time.Second, 80, 24, strings.Fields(keys)...)
		why := m.Tree.Settings().Filter.Err
		if text := drawn(t, m, theme(t, "dark")).Plain(); why == nil || !strings.Contains(text, why.Error()) {
			t.Errorf("%v is not said:\n%s", why, text)
		}
	}
}

// "2 of what was asked for do not exist: a, b" has the count and the names already.
func TestACauseThatCountsItsBlockedObjectsNamesThemOnce(t *testing.T) {
	s := badImage(120, 36)
	c := s.causes[0]
	c.Title, c.Count, c.Blocks = "2 of what was asked for do not exist: ConfigMap/a, Secret/b", 2, []object.ID{{Kind: "ConfigMap", Name: "a"}, {Kind: "Secret", Name: "b"}}
	if text := causeLine(s, false, []explain.Cause{c}, 1, 200).String(); text != c.Title {
		t.Errorf("the headline is %q", text)
	}
}
