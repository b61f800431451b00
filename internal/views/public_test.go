package views

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model/logs"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Faults that users reported of other terminal programs.

// nklmilojevic/sofka#241: a status of another length moved the columns beside it.
func TestAStatusOfAnotherLengthMovesNoColumn(t *testing.T) {
	for _, w := range []int{60, 80, 120, 180} {
		want := ""
		for _, reason := range []string{"", "Running", "ContainerCreating", "CreateContainerConfigError", "ImagePullBackOff"} {
			s := badImage(w, 36)
			s.rows[3].Cause, s.rows[3].Reason, s.rows[3].Message, s.rows[3].Status = "", reason, "", status.InProgress
			head := strings.Split(textOfScreen(t, s), "\n")[s.Layout().Head.Y]
			if want == "" {
				want = head
			}
			if head != want {
				t.Errorf("%d columns, %q:\n%s\n%s", w, reason, head, want)
			}
		}
	}
}

// charmbracelet/bubbles#511, charmbracelet/bubbletea#350: a screen that had been narrow
// showed a table twice, and stayed broken.
func TestAScreenThatWasNarrowIsTheSameAgain(t *testing.T) {
	c := NewCanvas(0, 0, nil)
	look := Look{Theme: theme(t, "dark")}
	Draw(c, of(badImage(160, 40)), look)
	was := c.Render()
	for _, size := range [][2]int{{12, 4}, {1, 1}, {300, 3}, {5, 80}} {
		Draw(c, of(badImage(size[0], size[1])), look)
		c.Render()
		Draw(c, of(badImage(160, 40)), look)
		if got := c.Render(); got != was {
			t.Errorf("after %v it is\n%s", size, c.Plain())
		}
	}
}

// logOf is a screen with the lines of a log.
func logOf(w int, lines ...string) *scene {
	s := mergedLogs(w, 24)
	s.logs.Merged, s.logs.Lines = false, nil
	s.logs.Streams = s.logs.Streams[:1]
	for i, l := range lines {
		s.logs.Lines = append(s.logs.Lines, logs.Line{LogLine: feed.LogLine{At: s.now.Add(time.Duration(i) * time.Second), Text: l}, No: uint64(i + 1)})
	}
	return s
}

// gin66/tui-logger#89: an emoji pushed the last character of each wrapped line out of view.
func TestAWrappedLogLineWithEmojisLosesNothing(t *testing.T) {
	line := "🚀 deploy 部署 " + strings.Repeat("abcdefghij🙂", 12) + " end"
	for w := 60; w <= 130; w++ {
		s := logOf(w, line)
		s.wrap = true
		var got strings.Builder
		for _, l := range paneOf(t, s)[1:] {
			got.WriteString(strings.Join(strings.Fields(strings.Trim(l, markup.Side+markup.Thumb+" ")), ""))
		}
		if want := strings.Join(strings.Fields(line), ""); !strings.Contains(got.String(), want) {
			t.Fatalf("%d columns: %q\nis not in %q", w, want, got.String())
		}
	}
}

// rainmeter/rainmeter#85: tabs in a log took no room. Shippable/support#495,
// kubeflow/pipelines#9593: the states of a progress bar, parted by carriage returns,
// ran into each other.
func TestTabsAndCarriageReturnsOfALogSeparateText(t *testing.T) {
	got := strings.Join(paneOf(t, logOf(120, "level\tmessage", "10%|#   |\r50%|##  |\r100%|####|", "dos line\r")), "\n")
	for _, want := range []string{"level message", "100%|####|", "dos line"} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "|50%") || strings.Contains(got, "|100%") {
		t.Errorf("they run into each other:\n%s", got)
	}
}

// stern/stern#347: the replicas of a workload had the same colour. stern/stern#298: red
// was among them, and looked like an error.
func TestReplicasInALogHaveDifferentColoursAndNoneIsRed(t *testing.T) {
	s := mergedLogs(160, 40)
	seen := map[markup.Token]bool{}
	content := s.written()
	for i := range 3 {
		l := content.Line(content.N - 3 + i)
		tok := l[0].Token
		for _, span := range l {
			if strings.Contains(span.Text, []string{"2xk", "9qd", "lm4"}[i]) {
				tok = span.Token
			}
		}
		if seen[tok] || slices.Contains([]markup.Token{markup.Bad, markup.Stuck}, tok) {
			t.Errorf("line %d has colour %v", i, tok)
		}
		seen[tok] = true
	}
}

// derailed/k9s#964: a log does not say whether its Pod lives.
func TestALogShowsThatItHasEnded(t *testing.T) {
	for _, w := range []int{60, 80, 120, 200} {
		s := logOf(w, "bye")
		s.logs.Ended, s.logs.Follow = true, true
		if got := strings.Join(paneOf(t, s), "\n"); !strings.Contains(got, "ended") || strings.Contains(got, "following") {
			t.Errorf("%d columns:\n%s", w, got)
		}
	}
}

// charmbracelet/bubbletea#1737: Hindi, and emojis joined by U+200D, shifted everything to
// their right. anthropics/claude-code#84986: an arrow with U+FE0F took another width than
// was reckoned, and what stood below was drawn a line too low.
func TestScriptsAndJoinedEmojisMoveNothing(t *testing.T) {
	for _, text := range []string{"नमस्ते दुनिया विफल", "👨‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 failed", "➡️ image ➡️ not ❤️ found", "क्षि" + strings.Repeat("ा", 9) + " x"} {
		for _, w := range []int{60, 80, 120, 200} {
			s := badImage(w, 36)
			plain := strings.Split(textOfScreen(t, s), "\n")
			s.rows[3].Cause, s.rows[4].Message, s.causes[0].Title = text, text, text
			s.logs = logOf(w, text, text).logs
			for y, line := range strings.Split(textOfScreen(t, s), "\n") { // drawn compares with a terminal
				if w < 110 || y < 4 || y >= len(plain)-3 {
					continue
				}
				if was, is := strings.LastIndex(plain[y], markup.Side), strings.LastIndex(line, markup.Side); markup.Width(plain[y][:max(was, 0)]) != markup.Width(line[:max(is, 0)]) && was >= 0 {
					t.Errorf("%d columns, %q: the frame has moved:\n%s\n%s", w, text, plain[y], line)
				}
			}
		}
	}
}

// kubetail-org/kubetail#195: wrapped stack traces showed lines of others after scrolling back.
func TestAWrappedLogIsTheSameTextAtEveryScrollPosition(t *testing.T) {
	var lines []string
	for i := range 40 {
		lines = append(lines, "line "+strings.Repeat(string(rune('a'+i%26)), 1+(i*37)%260)+" end")
	}
	for _, w := range []int{60, 80, 120} {
		s := logOf(w, lines...)
		s.wrap, s.logs.Follow = true, false
		content := s.written()
		for top := 0; top < content.N; top += 7 {
			s.scroll = top
			c, at := s.Content()
			for i, got := range paneOf(t, s)[len(c.Head):] {
				if at+i >= c.N {
					break
				}
				want := strings.TrimSpace(c.Line(at + i).String())
				if got = strings.TrimSpace(strings.TrimRight(got, markup.Thumb)); got != want {
					t.Fatalf("%d columns, from line %d: line %d is %q, want %q", w, top, i, got, want)
				}
			}
		}
	}
}

// jesseduffield/lazygit#3811, #3514, #3711: an emoji with a variation selector or a joiner
// in a text, whose width terminals do not agree on, moved the borders beside it and left
// letters of the frame before.
func TestEmojisOfDisputedWidthAreShownWithoutWhatIsDisputed(t *testing.T) {
	s := badImage(200, 36)
	s.rows[0].Cause, s.rows[0].Carried = object.Clean("⚡️ zap 🏷️ tag 🧑‍💻 dev 部署"), 0
	if got := textOfScreen(t, s); !strings.Contains(got, "⚡ zap 🏷 tag 🧑💻 dev 部署") || strings.ContainsAny(got, "\ufe0f\u200d") {
		t.Errorf("the screen:\n%s", got)
	}
}

// jesseduffield/lazydocker#235: what moves the cursor in a log ("[2;K[1;G") was shown.
func TestAControlSequenceIsNoText(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[2;K\x1b[1;Gyarn install v1.22.5":                "yarn install v1.22.5",
		"\x1b[1;G\x1b[0;K\x1b[2;K\x1b[1;Gsuccess Up-to-date.": "success Up-to-date.",
		"a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b":          "alinkb",
	} {
		if got := object.Clean(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
