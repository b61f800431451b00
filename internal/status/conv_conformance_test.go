package status

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// exceptions reads the labels that we deliberately differ from: the end of the
// case's id → why ours is the truer answer.
func exceptions(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), " | "); ok && !strings.HasPrefix(line, "#") {
			list[id] = reason
		}
	}
	return list
}

// judgedAt is the moment at which the corpora are judged: after all of their
// dates.
var judgedAt = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

// TestTheCorporaAgree guards the figures that "make conformance" prints.
func TestTheCorporaAgree(t *testing.T) {
	for _, c := range []struct {
		file               string
		agreement, falsely int // in tenths of a percent
	}{
		{"argo-lua.jsonl", 998, 3},
		{"gitops-engine.jsonl", 980, 0},
	} {
		t.Run(c.file, func(t *testing.T) { agrees(t, c.file, c.agreement, c.falsely) })
	}
}

func agrees(t *testing.T, file string, atLeast, atMost int) {
	excused := exceptions(t)
	agree, green, excepted, n := 0, 0, 0, 0
	for _, c := range corpus(t, file, judgedAt) {
		o, err := convert.JSON(c.Object, convert.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		n++
		a := Assess(o, World{Offline: true}, judgedAt)
		exception := slices.ContainsFunc(slices.Collect(maps.Keys(excused)),
			func(end string) bool { return strings.HasSuffix(c.ID, end) })
		switch {
		case slices.Contains(c.Want, a.Status):
			agree++
			if exception {
				t.Errorf("%s is listed as an exception, but agrees", c.ID)
			}
			continue
		case exception:
			agree++
			excepted++
			continue
		case a.Status == Current:
			green++
		}
		if os.Getenv("CONFORMANCE") != "" {
			t.Logf("%s: %s is %s by %s, want %v (%s): %s %s", c.ID, o.GroupKind(),
				a.Status, a.Rule, c.Want, c.Native, a.Reason, a.Message)
		}
	}
	t.Logf("%d objects: %d agree (%d exceptions), %d falsely green", n, agree, excepted, green)
	if agree*1000 < atLeast*n || green*1000 > atMost*n || excepted*100 > 3*n {
		t.Errorf("%d of %d agree (at least %d ‰ wanted), %d falsely green (at most %d ‰), %d exceptions (at most 3 %%)",
			agree, n, atLeast, green, atMost, excepted)
	}
}

// TestConventionsWithoutTheRegistryJudgeMostKinds judges the same objects without the registry: what
// an unknown kind may expect.
func TestConventionsWithoutTheRegistryJudgeMostKinds(t *testing.T) {
	agree, green, n := 0, 0, 0
	for _, c := range corpus(t, "argo-lua.jsonl", judgedAt) {
		o, err := convert.JSON(c.Object, convert.Options{})
		if err != nil || !o.Deleted.IsZero() || o.Observed.Set && o.Observed.V < o.Generation.V || builtinGroup(o.Group) {
			continue
		}
		n++
		a := conventionsAlone(o, judgedAt)
		if slices.Contains(c.Want, a.Status) {
			agree++
			continue
		}
		if a.Status == Current {
			green++
		}
		if os.Getenv("CONFORMANCE") != "" {
			t.Logf("%s: %s is %s by %s, want %v (%s): %s %s", c.ID, o.GroupKind(),
				a.Status, a.Rule, c.Want, c.Native, a.Reason, a.Message)
		}
	}
	t.Logf("%d objects: %d agree, %d falsely green", n, agree, green)
	if agree*100 < 90*n || green > 12 {
		t.Errorf("%d of %d agree, %d falsely green", agree, n, green)
	}
}

// conventionsAlone judges an object as if the registry had no row for it.
func conventionsAlone(o *object.Object, now time.Time) Assessment {
	j := judge{o: o, w: World{Offline: true}, now: now}
	a, stale := j.staleness().stale()
	if !stale {
		a = j.conventions(everything)
	}
	return j.completion().finish(a)
}

// TestStatusesOfManyProjects judges objects that are in no corpus. The bounds
// are what was reached, for the rules to get no worse.
func TestStatusesOfManyProjects(t *testing.T) {
	for _, by := range []struct {
		name         string
		judge        func(*object.Object, time.Time) Assessment
		wrong, green int
	}{
		{"all rules", func(o *object.Object, now time.Time) Assessment { return Assess(o, World{Offline: true}, now) }, 12, 3},
		{"the conventions alone", conventionsAlone, 29, 12},
	} {
		wrong, green, notCurrent, n := 0, 0, 0, 0
		caseLines(t, "project-cases.txt", func(line int, want []string, o *object.Object) {
			o.Created = caseTime.Add(-time.Hour)
			a := by.judge(o, caseTime)
			n++
			accepted := strings.Split(want[0], "|")
			if !slices.Contains(accepted, string(Current)) {
				notCurrent++
			}
			if slices.Contains(accepted, string(a.Status)) {
				return
			}
			wrong++
			if a.Status == Current {
				green++
			}
			if os.Getenv("CONFORMANCE") != "" {
				t.Logf("line %d: %s is %s by %s, want %s: %s", line, o.GroupKind(), a.Status, a.Rule, want[0], a.Message)
			}
		})
		t.Logf("%s: %d objects: %d agree, %d of %d falsely green", by.name, n, n-wrong, green, notCurrent)
		if wrong > by.wrong || green > by.green {
			t.Errorf("%s: %d wrong, at most %d wanted; %d falsely green, at most %d", by.name, wrong, by.wrong, green, by.green)
		}
	}
}
