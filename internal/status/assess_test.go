package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// TestAssessAgreesWithArgoOnBuiltInKinds holds Assess to the labelled objects
// of gitops-engine.
func TestAssessAgreesWithArgoOnBuiltInKinds(t *testing.T) {
	for _, c := range corpus(t, "gitops-engine.jsonl", noon) {
		o, err := convert.JSON(c.Object, convert.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		a := Assess(o, World{Offline: true}, noon)
		if !slices.Contains(c.Want, a.Status) {
			t.Errorf("%s: %s by %s (%s: %s), want %v", c.ID, a.Status, a.Rule, a.Reason, a.Message, c.Want)
		}
		if a.Confidence != Exact {
			t.Errorf("%s: confidence %s", c.ID, a.Confidence)
		}
	}
}

// TestAssessFollowsItsRules runs the cases of testdata/assess.txt; adding one
// needs no Go.
func TestAssessFollowsItsRules(t *testing.T) {
	for c := range caseFile(t, "assess.txt", 100) {
		_, seen, _ := strings.Cut(c.name, "@") // when it was seen first
		o, err := convert.JSON([]byte(c.object), convert.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.at, err)
		}
		var w World
		switch d, err := time.ParseDuration(seen); {
		case seen == "offline":
			w.Offline = true
		case seen != "" && err == nil:
			w.FirstSeen = noon.Add(-d)
		}
		a := Assess(o, w, noon)
		got := asCase(a, strings.Contains(c.want, " | "))
		if got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.at, c.in, got, c.want)
		}
		if steps := Explain(o, w, noon); len(steps) == 0 || !steps[len(steps)-1].Hit || steps[len(steps)-1].Rule != a.Rule {
			t.Errorf("%s: the explanation does not end with %s: %+v", c.at, a.Rule, steps)
		}
	}
}

// asCase is the form in which cases write an assessment.
func asCase(a Assessment, message bool) string {
	s := fmt.Sprintf("%s %s %s", a.Status, cmp.Or(a.Reason, "-"), a.Rule)
	if a.Terminal {
		s += " terminal"
	}
	if a.Paused {
		s += " paused"
	}
	if !a.Recheck.IsZero() {
		s += " recheck=" + a.Recheck.Sub(noon).String()
	}
	if !a.Deadline.IsZero() {
		s += " deadline=" + a.Deadline.Sub(noon).String()
	}
	if a.Confidence != Exact {
		s += " " + string(a.Confidence)
	}
	if message {
		s += " | " + a.Message
		if a.Note != "" {
			s += " (" + a.Note + ")"
		}
	}
	return s
}

// BenchmarkAssess judges the corpora's objects of built-in kinds: those that
// come in volume and have a view, and the others.
func BenchmarkAssess(b *testing.B) {
	var views, trees []*object.Object
	for _, name := range []string{"kstatus-compute.jsonl", "kubectl-status.jsonl", "gitops-engine.jsonl"} {
		for _, c := range corpus(b, name, noon) {
			o, err := convert.JSON(c.Object, convert.Options{})
			if err != nil {
				b.Fatal(err)
			}
			switch {
			case o.HasView():
				views = append(views, o)
			case rules[groupKind{o.Group, o.Kind}] != nil:
				trees = append(trees, o)
			}
		}
	}
	for name, objects := range map[string][]*object.Object{"views": views, "trees": trees} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				Assess(objects[i%len(objects)], World{Offline: true}, noon)
			}
		})
	}
}
