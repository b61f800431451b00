package views

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/markup"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/model/timeline"
	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// timelineOf is the Timeline pane on 120 columns.
func timelineOf(t *testing.T, s *scene) string {
	t.Helper()
	s.pane = model.PaneTimeline
	return drawn(t, s, theme(t, "dark")).Plain()
}

func TestTheTimelineShowsTheDayOfEachChange(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {33, 16}} {
		s := badImage(size[0], size[1])
		s.size, s.form = layout.Full, timeline.ListAlone
		s.dates = nil
		s.history[0].At = s.now.Add(-24 * time.Hour)
		got, deploy := timelineOf(t, s), "Deploy"
		if size[0] < 50 {
			deploy = "deploy"
		}
		for _, want := range []string{"03-13 " + s.now.Format("15:04") + "  " + deploy, s.history[1].At.Format("15:04:05") + "     " + deploy} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: %q is missing\n%s", size, want, got)
			}
		}
		s.moment = &timeline.Moment{Transition: s.history[0], No: 1, Of: 6}
		if got := timelineOf(t, s); !strings.Contains(got, "  03-13 "+s.now.Format("15:04")+"  "+deploy) {
			t.Errorf("%v: at what time was the moment?\n%s", size, got)
		}
	}
}

func TestALaneKeepsTheSignOfHowItBegan(t *testing.T) {
	s := badImage(120, 36)
	dep := s.rows[0].Key.ID
	from := sceneStart
	s.history = []world.Transition{
		{At: from, ID: dep, To: status.InProgress, Reason: "Created"},
		{At: from.Add(time.Millisecond), ID: dep, From: status.InProgress, To: status.InProgress, Reason: "Waiting"},
		{At: from.Add(2 * time.Millisecond), ID: dep, From: status.InProgress, To: status.InProgress, Reason: "ErrImagePull"},
		{At: from.Add(2 * time.Minute), ID: dep, From: status.InProgress, To: status.Failed, Reason: "ErrImagePull"},
	}
	if got := timelineOf(t, s); !strings.Contains(got, "deploy/web  ◌━") || !strings.Contains(got, "━✗━") {
		t.Errorf("how did it begin?\n%s", got)
	}
}

func TestTheTimelineShowsBothStatusesBesideALongName(t *testing.T) {
	s := badImage(120, 36)
	pod := s.rows[4].Key.ID
	pod.Name = "a-name-that-takes-all-the-room-7c88bd5f4-9qdlm"
	s.history = []world.Transition{{At: sceneStart, ID: pod, From: status.InProgress, To: status.Failed, Reason: "ErrImagePull"}}
	s.moment = &timeline.Moment{Transition: s.history[0], No: 1, Of: 1}
	if got := timelineOf(t, s); !strings.Contains(got, "◌ InProgress → ✗ Failed") {
		t.Errorf("what became of it?\n%s", got)
	}
}

func TestTwoMomentsOfOneSecondHaveDifferentTimes(t *testing.T) {
	s := badImage(120, 36)
	s.compared = &timeline.Comparison{From: sceneStart.Add(100 * time.Millisecond), To: sceneStart.Add(700 * time.Millisecond)}
	if got := timelineOf(t, s); !strings.Contains(got, "COMPARED 13:59:50.100 → 13:59:50.700") {
		t.Errorf("which of them is which?\n%s", got)
	}
	s.compared.To = time.Time{}
	if got := timelineOf(t, s); !strings.Contains(got, "COMPARED 13:59:50 → now (14:05:02)") {
		t.Errorf("how long after it is now?\n%s", got)
	}
}

func TestBlanksBesideTheMarkAreNotUnderlined(t *testing.T) {
	s := badImage(120, 36)
	s.moment = &timeline.Moment{Transition: s.history[2], No: 3, Of: 6}
	s.pane = model.PaneTimeline
	c := drawn(t, s, theme(t, "dark"))
	for y := range c.Height() {
		for x := range c.Width() {
			if tok, _ := c.tokenAt(x, y); tok == markup.Accent && c.CellAt(x, y).Content == " " {
				t.Errorf("a blank in the look of a link at %d,%d", x, y)
			}
		}
	}
}

func TestAChangeHasRoomForItsReason(t *testing.T) {
	s := badImage(132, 36)
	if got := timelineOf(t, s); !strings.Contains(got, "✗ ProgressDeadlin") || !strings.Contains(got, "✗ ErrImagePull  m") {
		t.Errorf("half a word says nothing:\n%s", got)
	}
	s = badImage(200, 60)
	if got := timelineOf(t, s); !strings.Contains(got, "✗ Failed  ErrImagePull") {
		t.Errorf("there is room for the word:\n%s", got)
	}
}

func TestALaneEndsWithItsObject(t *testing.T) {
	dep := badImage(120, 36).rows[0].Key.ID
	gone := func(at time.Duration, reason string) world.Transition {
		return world.Transition{At: sceneStart.Add(at), ID: dep, From: status.Current, To: status.NotFound, Reason: reason}
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		for word, end := range map[string]world.Transition{
			"deleted":      gone(30*time.Second, world.ReasonDeleted),
			"pruned":       gone(30*time.Second, world.ReasonPruned),
			"not followed": gone(30*time.Second, world.ReasonNotFollowed),
		} {
			s := badImage(size[0], size[1])
			s.size = layout.Full
			s.history = []world.Transition{{At: sceneStart, ID: dep, To: status.Current}, end}
			got := timelineOf(t, s)
			if !strings.Contains(got, "━┤ "+word) || strings.Contains(got, "▶") {
				t.Errorf("%v, 30s after its beginning: the lane does not end with %q\n%s", size, word, got)
			}
			// For an object that has just ended the word is before the sign.
			s.history[1].At = s.now
			if got := timelineOf(t, s); !strings.Contains(got, "━ "+word+" ┤") {
				t.Errorf("%v, just now: the lane does not end with %q\n%s", size, word, got)
			}
		}
	}
	// What comes again begins anew.
	s := badImage(120, 36)
	s.history = []world.Transition{
		{At: sceneStart, ID: dep, To: status.Current},
		gone(10*time.Second, world.ReasonDeleted),
		{At: sceneStart.Add(time.Minute), ID: dep, From: status.NotFound, To: status.InProgress},
	}
	if got := timelineOf(t, s); !strings.Contains(got, "┤") || !strings.Contains(got, " ◌━") || !strings.Contains(got, "▶") {
		t.Errorf("its second life is not shown\n%s", got)
	}
}

func TestAlternatingReasonsAreOneLine(t *testing.T) {
	s := badImage(200, 60)
	pod := s.history[len(s.history)-1].ID
	s.history = nil
	for i, reason := range []string{"Pulling", "ErrImagePull", "ImagePullBackOff", "ErrImagePull", "ImagePullBackOff", "ErrImagePull"} {
		s.history = append(s.history, world.Transition{At: sceneStart.Add(time.Duration(i) * time.Minute), ID: pod, To: status.Failed, Reason: reason})
	}
	got := timelineOf(t, s)
	if n := strings.Count(got, "ErrImagePull"); n != 1 || !strings.Contains(got, "✗ Failed  ×5 ErrImagePull/ImagePullBackOff") || !strings.Contains(got, "Pulling") {
		t.Errorf("%d lines:\n%s", n, got)
	}
	s.moment = &timeline.Moment{Transition: s.history[2], No: 3, Of: 6}
	if got := timelineOf(t, s); strings.Contains(got, "×5") {
		t.Errorf("the moment that is looked at is hidden:\n%s", got)
	}
}

// A reference may be to an object that is not followed.
func TestPanesSayWhenTheyAreNotAboutTheSelectedRow(t *testing.T) {
	s := badImage(120, 36)
	s.rows[s.selected].Key = rows.Key{Kind: rows.Reference, ID: object.ID{Kind: "ServiceAccount", Namespace: "shop", Name: "nobody"}}
	if got := timelineOf(t, s); !strings.Contains(got, "everything that is followed") {
		t.Errorf("of what is this the timeline?\n%s", got)
	}
	s.pane = model.PaneWhy
	if got := drawn(t, s, theme(t, "dark")).Plain(); !strings.Contains(got, "Nothing is known of sa/nobody.") {
		t.Errorf("whose causes are these?\n%s", got)
	}
}
