package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/report"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/wait"
)

func TestEveryGoalHasItsOwnLastLine(t *testing.T) {
	id := object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	for _, c := range []struct {
		what             wait.Kind
		state, want, not string
	}{
		{wait.Current, "Current", "1 of 1 Current after", "NAME"},
		{wait.Deleted, "", "1 of 1 gone after", "NAME"},
		{wait.Exists, "InProgress", "1 of 1 there after", "0 of"},
		{wait.Known, "", "1 of 1 known after", "0 of"},
	} {
		m, _ := model.New(model.Options{
			Now: begin, Namespace: "shop", Explain: func() []explain.Cause { return nil },
			Judge: func(*object.Object, status.World, time.Time) status.Assessment {
				return status.Assessment{Status: status.Status(c.state), Message: "it is so", Rule: "x", Deciding: -1}
			},
		})
		b := feed.Batch{Seq: 1, At: begin.Add(time.Second), Synced: true, Answered: 9, EventsAnswered: 9, Roots: []feed.Root{{ID: id, Source: "cm/a", Order: 1}}}
		if c.state == "" {
			b.Absent = []object.ID{id}
		} else {
			b.Objects = []*object.Object{{ID: id, UID: "u", ResourceVersion: "2"}}
		}
		m, _ = m.Update(model.BatchArrived{Batch: b})
		g := newWaiter(c.what)
		o, _ := look(g, seenOf(m))
		if o == nil || o.Code != exitOK {
			t.Errorf("--for=%s: %+v", c.what, o)
			continue
		}
		var out bytes.Buffer
		if err := report.NewProgress(&out, &out, "text", nil).End(m.Facts, *o); err != nil || !strings.Contains(out.String(), "\n"+c.want) || strings.Contains(out.String(), c.not) {
			t.Errorf("--for=%s:\n%s", c.what, &out)
		}
	}
}
