package panes

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/model/world"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

var sceneStart = time.Date(2026, 3, 14, 13, 59, 50, 0, time.UTC)

func TestTimesAboveTheLanesKeepApart(t *testing.T) {
	touching := regexp.MustCompile(`\d[:-]?\d\d \d|\d{3}`)
	for w := 12; w <= 180; w += 7 {
		for _, total := range []time.Duration{9 * time.Second, 52 * time.Second, 101 * time.Second, 7 * time.Minute, 95 * time.Minute, 9 * time.Hour, 90 * time.Hour, 1000 * time.Hour} {
			for _, off := range []time.Duration{0, 7 * time.Second, 29 * time.Second} {
				start := sceneStart.Add(off)
				if got := (&Page{W: w}).scale(Track{W: w, Start: start, End: start.Add(total)}).Text; touching.MatchString(got) {
					t.Errorf("%v on %d cells: %q", total, w, got)
				}
			}
		}
	}
}

func TestTimesAboveTheLanesTellDaysApart(t *testing.T) {
	zone := time.FixedZone("west", -8*60*60)
	for _, x := range []struct {
		w     int
		total time.Duration
		zone  *time.Location
		want  string
	}{
		{60, 24 * time.Hour, time.UTC, "18:00 03-15 06:00 12:00"},
		{60, 24 * time.Hour, zone, "06:00 12:00 18:00 03-15"},
		{60, 5 * 24 * time.Hour, time.UTC, "03-15 03-16 03-17 03-18 03-19"},
		{60, 5 * 24 * time.Hour, zone, "03-15 03-16 03-17 03-18"},
		{30, 30 * 24 * time.Hour, time.UTC, "03-15 03-22 03-29 04-05"},
	} {
		got := (&Page{W: x.w, Zone: x.zone}).scale(Track{W: x.w, Start: sceneStart, End: sceneStart.Add(x.total)}).Text
		if strings.Join(strings.Fields(got), " ") != x.want {
			t.Errorf("%v on %d cells, %s: %q, want %s", x.total, x.w, x.zone, got, x.want)
		}
	}
}

func TestAlternationsCostTheSameForEachChange(t *testing.T) {
	changes := make([]world.Transition, 4096)
	for i := range changes {
		changes[i] = world.Transition{To: status.InProgress, Reason: []string{"ErrImagePull", "ImagePullBackOff"}[i%2]}
	}
	if got := alternations(changes); len(got[0]) != len(changes) || len(got[4095]) != len(changes) {
		t.Fatalf("an alternation of %d changes is one of %d", len(changes), len(got[0]))
	}
	if n := testing.AllocsPerRun(1, func() { alternations(changes) }); n > 500 {
		t.Errorf("%d changes take %v allocations", len(changes), n)
	}
}
