package views

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// screenshots are the pictures of the documentation: moments of the embedded
// recording, and of two others that show what it has not. They are compared like
// goldens, so they cannot go stale; -update draws them anew.
var screenshots = []struct {
	name, title, theme string
	dark               bool
	scene              func(t *testing.T) State
}{
	{"healthy", "Everything is Current", "dark", true, func(t *testing.T) State { return Of(replay(t, time.Second, 120, 32)) }},
	{"in-progress", "A rollout on its way", "dark", true, func(t *testing.T) State { return Of(replay(t, 21*time.Second, 120, 32)) }},
	{"bad-image", "A rollout that fails, and why", "dark", true, func(t *testing.T) State {
		return failing(t, 120, 39)
	}},
	{"recovered", "Repaired: what happened, as lanes and as a list", "dark", true, func(t *testing.T) State {
		return Of(replay(t, 108*time.Second, 120, 32, "j", "j", "j", "j", "j", "6", "+"))
	}},
	{"terminating", "A deletion that a finalizer holds up", "dark", true, func(t *testing.T) State {
		return Of(replayOf(t, "testdata/terminating.rec.gz", 78*time.Second, 120, 32))
	}},
	{"lost", "The server has gone away: what was known stays", "dark", true, func(t *testing.T) State {
		return Of(replayOf(t, "testdata/lost.rec.gz", 26*time.Second, 120, 32))
	}},
	{"inventory", "A Helm release with its members: one of them fails", "dark", true, func(t *testing.T) State {
		return Of(replayOf(t, "testdata/inventory.rec.gz", 3*time.Second, 120, 28))
	}},
	{"light", "On a light background", "light", false, func(t *testing.T) State { return failing(t, 120, 34) }},
	{"mono", "Without colours: nothing is lost", "mono", true, func(t *testing.T) State { return failing(t, 120, 34) }},
	{"ascii", "Without colours, and with ASCII alone", "ascii", true, func(t *testing.T) State { return failing(t, 120, 34) }},
	{"deuteranopia", "For eyes that do not tell red from green", "deuteranopia", true, func(t *testing.T) State { return failing(t, 120, 34) }},
	{"wide", "200 columns", "dark", true, func(t *testing.T) State { return failing(t, 200, 40) }},
	{"80x24", "80 columns: a strip instead of the pane", "dark", true, func(t *testing.T) State { return failing(t, 80, 24) }},
	{"60x15", "60 columns", "dark", true, func(t *testing.T) State { return failing(t, 60, 15) }},
	{"tiny", "33 columns by 8 lines", "dark", true, func(t *testing.T) State { return failing(t, 33, 8) }},
	{"conditions", "Conditions: polarity, age, generation, and the rule that decided", "dark", true, func(t *testing.T) State {
		return failing(t, 120, 32, "2", "+")
	}},
	{"help", "Every key, from the table that defines them", "dark", true, func(t *testing.T) State { return failing(t, 120, 36, "?") }},
}

// failing is the embedded recording while three rollouts fail, each in its way.
func failing(t *testing.T, w, h int, keys ...string) State {
	return Of(replay(t, 85*time.Second, w, h, keys...))
}

func TestScreenshotsAreFresh(t *testing.T) {
	p := newPainter(t)
	for _, shot := range screenshots {
		th, err := NewTheme(shot.theme, shot.dark, false)
		if err != nil {
			t.Fatal(err)
		}
		c := drawn(t, shot.scene(t), th)
		golden(t, filepath.Join("../../screenshots", shot.name+".svg"), c.SVG(shot.title))
		file, img := filepath.Join("../../screenshots", shot.name+".png"), p.picture(c, th)
		have, err := os.ReadFile(file)
		if err == nil {
			var bad int
			if bad, err = differs(have, img); bad > 0 {
				err = fmt.Errorf("%d pixels are others", bad)
			}
		}
		switch {
		case err == nil:
		case *update:
			if err := os.WriteFile(file, encoded(t, img), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is stale: %v; -update draws it anew", file, err)
		}
	}
	if len(p.lacks) > 0 {
		t.Errorf("nothing draws %q", p.lacks)
	}
}
