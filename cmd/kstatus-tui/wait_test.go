package main

import (
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
)

var begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// newWaiter waits for one condition, for a minute at most.
func newWaiter(what wait.Kind) *wait.Waiter {
	c, err := wait.ParseCondition(string(what))
	if err != nil {
		panic(err)
	}
	return &wait.Waiter{Conditions: []wait.Condition{c}, FailFast: wait.Terminal, Deadline: begin.Add(time.Minute)}
}

// look returns the end of a wait as it is reported, or nil and when to look again.
func look(w *wait.Waiter, v wait.View) (*report.End, time.Time) {
	outcome, wake := w.Observe(v)
	if outcome == nil {
		return nil, wake
	}
	return endOf(w, outcome), wake
}

func TestOptionalNamesThatMatchNothingAreReported(t *testing.T) {
	web := object.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	named := []string{"deploy/web", "deploy/wbe"}
	if o := (followOptions{optional: named}); !o.isOptional(web) {
		t.Error("deploy/web is not optional")
	}
	var warning strings.Builder
	tellUnmet([]object.ID{web}, named, &warning)
	if want := "kstatus-tui: --optional deploy/wbe: nothing of that name was asked for\n"; warning.String() != want {
		t.Errorf("printed %q, want %q", warning.String(), want)
	}
}
