package views

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/model/layout"
)

func TestTheEventsPaneNamesTheUserWhoMayNotListEvents(t *testing.T) {
	const text = "user dev cannot list events in shop (RBAC)"
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		s := badImage(size[0], size[1])
		s.pane, s.size = model.PaneEvents, layout.Half
		s.events, s.refused = nil, []string{text}
		got := drawn(t, s, theme(t, "dark")).Plain()
		if !strings.Contains(got, text) || strings.Contains(got, "No events") {
			t.Errorf("%v:\n%s", size, got)
		}
	}
}
