package views

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The moving picture: the embedded recording as the dashboard shows it while f
// keeps the newest problem selected, faster than it was.
const (
	frames     = 40
	frameEvery = 500 * time.Millisecond
	playedPer  = 2750 * time.Millisecond // of the recording, in each frame
)

func TestTheMovingPictureIsFresh(t *testing.T) {
	var shots []*Canvas
	for i := range frames {
		shots = append(shots, drawn(t, replay(t, time.Second+time.Duration(i)*playedPer, 100, 27, "f"), theme(t, "dark")))
	}
	golden(t, filepath.Join("../../screenshots", "demo.svg"),
		animation(shots, frameEvery, "A rollout that fails three times, and its repair"))
}

// animation is one picture of many: what a line shows is in it once, and visible
// in its frames. Where nothing moves the last frame is seen.
func animation(shots []*Canvas, every time.Duration, title string) []byte {
	var b strings.Builder
	shots[0].openSVG(&b, title)
	for y := range shots[0].Height() {
		var order []string
		shown := map[string][]bool{}
		for i, c := range shots {
			var line strings.Builder
			c.row(&line, y)
			s := line.String()
			if shown[s] == nil {
				order = append(order, s)
				shown[s] = make([]bool, len(shots))
			}
			shown[s][i] = true
		}
		for _, s := range order {
			switch at := shown[s]; {
			case s == "":
			case !slices.Contains(at, false):
				b.WriteString(s)
			default:
				fmt.Fprintf(&b, "<g visibility=%q>%s%s</g>\n", visibility(at[len(at)-1]), visible(at, every), s)
			}
		}
	}
	b.WriteString(closeSVG)
	return []byte(b.String())
}

// visible makes a group appear in its frames, again and again.
func visible(at []bool, every time.Duration) string {
	var values, times []string
	for i, on := range at {
		if i == 0 || on != at[i-1] {
			values = append(values, visibility(on))
			times = append(times, fmt.Sprintf("%.4g", float64(i)/float64(len(at))))
		}
	}
	return fmt.Sprintf(`<animate attributeName="visibility" calcMode="discrete" dur="%gs" repeatCount="indefinite" values="%s" keyTimes="%s"/>`,
		(every * time.Duration(len(at))).Seconds(), strings.Join(values, ";"), strings.Join(times, ";"))
}

func visibility(on bool) string {
	if on {
		return "visible"
	}
	return "hidden"
}
