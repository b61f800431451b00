package object

import (
	"testing"
	"time"
)

func TestTreeValuesAreReadAsTextNumberOrBool(t *testing.T) {
	tree := map[string]any{"status": map[string]any{
		"ready": int64(2), "wanted": "3", "half": 0.5, "whole": 4.0, "ok": false, "none": nil, "list": []any{}, "deep": map[string]any{"x": "", "y": int64(0)},
	}}
	for field, want := range map[string]struct {
		text    string
		isText  bool
		n       int64
		isN     bool
		nothing bool
	}{
		"ready":  {"2", true, 2, true, false},
		"wanted": {"3", true, 3, true, false},
		"half":   {"0.5", true, 0, false, false},
		"whole":  {"4", true, 4, true, false},
		"ok":     {"false", true, 0, false, false},
		"none":   {"", false, 0, false, true},
		"list":   {"", false, 0, false, true},
		"deep":   {"", false, 0, false, true},
		"absent": {"", false, 0, false, true},
	} {
		v := At(tree, "status", field)
		if text, ok := Text(v); text != want.text || ok != want.isText {
			t.Errorf("%s as text: %q, %v", field, text, ok)
		}
		if n, ok := Integer(v); n != want.n || ok != want.isN {
			t.Errorf("%s as an integer: %d, %v", field, n, ok)
		}
		if Empty(v) != want.nothing {
			t.Errorf("%s is empty: %v", field, Empty(v))
		}
	}
	if At(tree, "status", "ready", "x") != nil {
		t.Error("something stands below a number")
	}
}

func TestAConditionOutsideOfTheStatusIsReadInFull(t *testing.T) {
	c := ConditionOf(map[string]any{
		"type": "Accepted", "status": "False", "reason": "Conflicted", "message": "taken", "severity": "Warning",
		"observedGeneration": int64(2), "lastTransitionTime": "2026-01-02T12:00:00Z",
	})
	if c.Type != "Accepted" || c.Status != "False" || c.Reason != "Conflicted" || c.Message != "taken" || c.Severity != "Warning" ||
		c.ObservedGeneration != IntOf(2) || !c.LastTransitionTime.Equal(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v since %v", *c.Statement, c.LastTransitionTime)
	}
	for generation, want := range map[int64]bool{2: false, 3: true} {
		o := Object{Generation: IntOf(generation)}
		if o.Stale(&c) != want {
			t.Errorf("stale at generation %d: %v", generation, !want)
		}
	}
	if c := ConditionOf(map[string]any{"lastTransitionTime": "1970-01-01T00:00:00Z", "status": true}); !c.LastTransitionTime.IsZero() || c.Status != "" {
		t.Errorf("got %+v since %v", *c.Statement, c.LastTransitionTime)
	}
}

func TestTheDateOfAStateStandsBesideIt(t *testing.T) {
	for _, c := range []struct {
		fields map[string]any
		want   string
	}{
		{map[string]any{"message": "no room", "time": "2026-01-02T12:00:00Z"}, "2026-01-02T12:00:00Z"},
		{map[string]any{"finishedAt": "2026-01-02T12:00:00Z", "lastTransitionTime": "2026-01-02T13:00:00Z"}, "2026-01-02T13:00:00Z"},
		{map[string]any{"startedAt": "2026-01-02T12:00:00Z", "time": "noon", "timestamp": int64(5)}, "0001-01-01T00:00:00Z"},
		{nil, "0001-01-01T00:00:00Z"},
	} {
		if got := DateAmong(c.fields).Format(time.RFC3339); got != c.want {
			t.Errorf("%v: %s, want %s", c.fields, got, c.want)
		}
	}
	if !DateAmong("text").IsZero() {
		t.Error("a text has a date")
	}
}
