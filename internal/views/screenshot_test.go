package views

import (
	"path/filepath"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
)

// screenshots are the pictures of the documentation. They are compared like
// goldens, so they cannot go stale; -update draws them anew.
var screenshots = []struct {
	name, title, theme string
	dark               bool
	scene              func() *scene
}{
	{"healthy", "Everything is Current", "dark", true, func() *scene { return healthy(120, 32) }},
	{"in-progress", "A rollout on its way", "dark", true, func() *scene { return inProgress(120, 32) }},
	{"bad-image", "A rollout that fails, and why", "dark", true, func() *scene { return badImage(120, 32) }},
	{"bad-image-light", "The same on a light background", "light", false, func() *scene { return badImage(120, 32) }},
	{"bad-image-mono", "The same without colours", "mono", true, func() *scene { return badImage(120, 32) }},
	{"bad-image-ascii", "The same without colours and with ASCII alone", "ascii", true, func() *scene { return badImage(120, 32) }},
	{"bad-image-ansi", "ansi", "ansi", true, func() *scene { return badImage(120, 32) }},
	{"bad-image-deut", "deut", "deuteranopia", true, func() *scene { return badImage(120, 32) }},
	{"bad-image-trit", "trit", "tritanopia", true, func() *scene { return badImage(120, 32) }},
	{"bad-image-hc", "hc", "high-contrast", true, func() *scene { return badImage(120, 32) }},
	{"wide", "w", "dark", true, func() *scene { return badImage(200, 40) }},
	{"lost", "The server has gone away", "dark", true, func() *scene { return lost(120, 32) }},
	{"stacked", "Eighty columns", "dark", true, func() *scene { return badImage(80, 24) }},
	{"narrow", "Sixty columns", "dark", true, func() *scene { return badImage(60, 15) }},
	{"tiny", "Thirty-three columns", "dark", true, func() *scene { return badImage(33, 8) }},
	{"timeline", "What has happened", "dark", true, func() *scene {
		s := badImage(120, 32)
		s.pane, s.focus, s.size = model.PaneTimeline, model.FocusPane, model.PaneFull
		return s
	}},
	{"conditions", "c", "dark", true, func() *scene {
		s := badImage(120, 32)
		s.pane, s.focus = model.PaneConditions, model.FocusPane
		return s
	}},
	{"logs", "c", "dark", true, func() *scene {
		s := badImage(120, 32)
		s.pane, s.focus = model.PaneLogs, model.FocusPane
		return s
	}},
	{"events", "c", "dark", true, func() *scene {
		s := badImage(120, 32)
		s.pane = model.PaneEvents
		return s
	}},
	{"yaml", "c", "dark", true, func() *scene {
		s := badImage(120, 32)
		s.pane, s.focus = model.PaneYAML, model.FocusPane
		s.search.Value = "web"
		return s
	}},
	{"help", "Every key", "dark", true, func() *scene {
		s := badImage(120, 36)
		s.mode = model.Helping
		return s
	}},
}

func TestScreenshotsAreFresh(t *testing.T) {
	for _, shot := range screenshots {
		th, err := NewTheme(shot.theme, shot.dark, false)
		if err != nil {
			t.Fatal(err)
		}
		c := drawn(t, shot.scene(), th)
		golden(t, filepath.Join("../../screenshots", shot.name+".svg"), c.SVG(th, shot.title))
	}
}
