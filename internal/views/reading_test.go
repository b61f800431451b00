package views

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/textinput"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// What was wrong when the goldens were read one by one with an operator's eyes.

// The headline and the strip spelled "Deployment/web" beside rows of "deploy/web".
func TestAScreenSpellsAKindInOneWay(t *testing.T) {
	for w := 50; w <= 240; w++ {
		for name, make := range situations {
			s := make(w, 36)
			text := textOfScreen(t, s)
			for _, kind := range []struct{ long, short string }{{"Deployment", "deploy"}, {"StatefulSet", "sts"}, {"Pod", "po"}, {"ReplicaSet", "rs"}} {
				if strings.Contains(text, " "+kind.long+"/") && strings.Contains(text, " "+kind.short+"/") {
					t.Fatalf("%s, %d columns: two spellings of %s:\n%s", name, w, kind.long, text)
				}
			}
		}
	}
}

// At 60x15 the clock took the cells that the end of the cause needed.
func TestTheCauseGoesBeforeTheClock(t *testing.T) {
	cut := 0
	for w := 50; w <= 109; w++ {
		s := badImage(w, 15)
		s.spaces, s.causes = nil, s.causes[:1]
		line, _, _ := strings.Cut(textOfScreen(t, s), "\n")
		if !strings.Contains(line, "not found") {
			cut++
			if strings.Contains(line, "for 05:12") {
				t.Errorf("%d columns: %s", w, line)
			}
		} else if w >= 100 && !strings.Contains(line, "for 05:12") {
			t.Errorf("%d columns, no clock: %s", w, line)
		}
	}
	if cut == 0 {
		t.Error("the cause was whole everywhere: nothing is tested")
	}
}

// At 60x15 nothing said how to leave, or how to get help.
func TestALowScreenNamesItsKeys(t *testing.T) {
	for w := 60; w <= 140; w += 10 {
		for _, full := range []bool{false, true} {
			s := badImage(w, 15)
			if full {
				s.size = layout.Full
			}
			if text := textOfScreen(t, s); !strings.Contains(text, "? help") || !strings.Contains(text, "q ") {
				t.Errorf("%d columns:\n%s", w, text)
			}
		}
	}
}

// The message of a lost connection was cut beside words that the header has already.
func TestALostConnectionSaysItsReason(t *testing.T) {
	for _, w := range []int{60, 80, 100} {
		for _, h := range []int{15, 24} {
			if text := textOfScreen(t, lost(w, h)); !strings.Contains(text, "connection refused") {
				t.Errorf("%dx%d:\n%s", w, h, text)
			}
		}
	}
}

// A condition's reason was cut to "Containe…" above an empty line.
func TestAConditionsReasonIsWhole(t *testing.T) {
	for w := 50; w <= 200; w++ {
		s := badImage(w, 36)
		if s.pane = model.PaneConditions; w < 110 {
			s.size = layout.Full
		}
		if text := textOfScreen(t, s); !strings.Contains(text, "ContainersNotReady") {
			t.Fatalf("%d columns:\n%s", w, text)
		}
	}
}

// The name of a log's Pod was cut to 8 cells to leave room for words that were not there.
// Two Pods of a name in two namespaces had the same head.
func TestALogsHeadHasItsWholeNameAndNamespace(t *testing.T) {
	for w := 50; w <= 200; w++ {
		for name, make := range map[string]func(w, h int) *scene{"logs": badImage, "merged": mergedLogs} {
			s := make(w, 36)
			if s.pane = model.PaneLogs; w < 110 {
				s.size = layout.Full
			}
			head := paneOf(t, s)[0]
			room := s.Layout().Pane.W
			if whole := "web-7c88bd5f4-9qdlm › web  previous instance"; name == "logs" && room >= markup.Width(whole) && !strings.Contains(head, whole) {
				t.Errorf("%d columns, %d of the pane: %q", w, room, head)
			}
			if room >= 70 && !strings.Contains(head, "in shop") {
				t.Errorf("%s, %d columns: no namespace: %q", name, w, head)
			}
		}
	}
}

// What a command does was cut in a window narrower than the screen.
func TestThePaletteIsAsWideAsItsWords(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		if text := textOfScreen(t, paletteOpen(w, 24)); !strings.Contains(text, "applied only, with generated, with references") {
			t.Errorf("%d columns:\n%s", w, text)
		}
	}
}

// By HTTP/1.1 a server may have been silent for a while: B13 of an audit.
func TestAConnectionWithoutPingsIsNotCalledLive(t *testing.T) {
	for _, w := range []int{60, 80, 120} {
		s := inProgress(w, 24)
		s.conn.Unpinged = true
		if text := textOfScreen(t, s); strings.Contains(text, "live") || !strings.Contains(text, "● watching") {
			t.Errorf("%d columns:\n%s", w, text)
		}
	}
}

// derailed/k9s#415, derailed/k9s#473: of contexts as EKS names them only the beginning was
// seen, which is the same for all clusters.
func TestALongContextKeepsItsEnd(t *testing.T) {
	for _, w := range []int{80, 100, 120, 146} {
		s := badImage(w, 36)
		s.opt.Context = "arn:aws:eks:eu-west-1:123456789012:cluster/shop-production"
		s.spaces = nil
		line, _, _ := strings.Cut(textOfScreen(t, s), "\n")
		if !strings.Contains(line, "production/") && !strings.Contains(line, "production ") || !strings.Contains(line, "shop-release") {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}

// "worker exits 1 after 1…" on Deployment/worker: what it ended with was cut, and its name
// stood twice on the row.
func TestAReasonDoesNotRepeatTheNameOfItsRow(t *testing.T) {
	for _, c := range []struct{ row, cause, short string }{
		{"Deployment/worker", "worker exits 1 after 1s: panic: DATABASE_URL is not set", "» exits 1 after 1s: pa"},
		{"Pod/worker-5bf86d8b7-2pqxl", "worker: readiness probe failing: GET :8081/ready: connection refused", "» readiness probe"},
		{"Deployment/worker", "proxy exits 1 after 1s: panic: DATABASE_URL is not set", "» proxy exits 1 after 1s"},
		{"Deployment/worker-two", "work exits 1 after 1s: panic: DATABASE_URL is not set", "» work exits 1 after 1s"},
	} {
		for _, w := range []int{120, 300} {
			s := badImage(w, 36)
			s.spaces = nil
			s.rows[0].Name, s.rows[0].Cause = c.row, c.cause
			if text, want := textOfScreen(t, s), map[int]string{120: c.short, 300: c.cause}[w]; !strings.Contains(text, want) {
				t.Errorf("%d columns: no %q in\n%s", w, want, text)
			}
		}
	}
}

// A command of the user's is read to its end before it runs, however long it is.
func TestACommandIsShownWholeBeforeItRuns(t *testing.T) {
	var words []string
	for i := range 30 {
		words = append(words, fmt.Sprintf("--option-%02d", i))
	}
	for _, w := range []int{60, 80, 120, 200} {
		s := paletteOpen(w, 24)
		s.palette = model.Palette{Suggestions: []model.Suggestion{{Text: "run short", Hint: "true"}, {Text: "run long", Hint: strings.Join(words, " "), Whole: true}}, Chosen: 1}
		text := textOfScreen(t, s)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("at %d columns %s cannot be read:\n%s", w, word, text)
				break
			}
		}
	}
}

// While a theme is chosen, the screen behind the list shows it.
func TestTheScreenKeepsItsColoursWhileAThemeIsChosen(t *testing.T) {
	bad := func(previews bool) bool {
		s := paletteOpen(120, 36)
		s.palette = model.Palette{Suggestions: []model.Suggestion{{Text: "theme dark", Hint: "now"}}, Previews: previews}
		c := NewCanvas(0, 0, nil)
		Draw(c, of(s), Look{Theme: theme(t, "dark")})
		found := false
		c.each(c.whole(), func(cell *uv.Cell) { found = found || cell.Style.Equal(&c.th.cells[markup.Bad]) })
		return found
	}
	if !bad(true) || bad(false) {
		t.Errorf("a failure has its colour: %v while a theme is chosen, %v otherwise", bad(true), bad(false))
	}
}

// A row that does not count for the verdict says so at every size, also without colours; one
// that is Current has nothing to say.
func TestAMutedRowSaysSoAtEverySize(t *testing.T) {
	for _, w := range []int{76, 80, 110, 120, 146, 200} {
		s := badImage(w, 36)
		failed := 0
		for i := range s.rows {
			s.rows[i].Muted = s.rows[i].Status == status.Failed || s.rows[i].Status == status.Current
			if s.rows[i].Status == status.Failed {
				failed++
			}
		}
		if text := textOfScreen(t, s); failed == 0 || strings.Count(text, "muted: ") != failed {
			t.Errorf("%d columns: %d rows do not count:\n%s", w, failed, text)
		}
	}
}

// What helps with a filter is read to its end: what it may be, and what is wrong with it.
func TestAFiltersHelpIsReadToItsEnd(t *testing.T) {
	const wrong = `"n" is none of status, kind, ns, name, reason, message`
	for _, w := range []int{72, 80, 120} {
		s := badImage(w, 24)
		s.mode, s.input = model.Filtering, textinput.New()
		if text := textOfScreen(t, s); !strings.Contains(text, "age<10m -l app=web") {
			t.Errorf("%d columns: what a filter may be:\n%s", w, text)
		}
		s.input.SetValue("n=1")
		s.filter, s.filterErr = "n=1", errors.New(wrong)
		if text := textOfScreen(t, s); !strings.Contains(text, wrong) {
			t.Errorf("%d columns: what is wrong:\n%s", w, text)
		}
	}
}
