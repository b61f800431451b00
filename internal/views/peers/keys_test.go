// Package peers measures the ready-made tree and table that this program does
// not use (charm.land/bubbles/v2) beside its own screen: one key that moves the
// selection, and the picture that follows, at 200x60. It is a module of its own,
// so that what is only compared with is no dependency.
package peers

import (
	"fmt"
	"testing"
	"time"

	"charm.land/bubbles/v2/table"
	"charm.land/bubbles/v2/tree"
	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/explain"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/views"
)

const width, height = 200, 60

// sizes are numbers of rows. The tree of bubbles is not asked for more than
// 1,000: it draws all of them twice for a key.
var sizes = []int{100, 1000, 10000}

// keys go down and up again in turn.
var keys = []tea.KeyPressMsg{{Code: tea.KeyDown}, {Code: tea.KeyUp}}

func BenchmarkKeyToPicture(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("kstatus-tui/%d", n), func(b *testing.B) { ours(b, n) })
		if n <= 1000 {
			b.Run(fmt.Sprintf("bubbles-tree/%d", n), func(b *testing.B) { bubblesTree(b, n) })
		}
		b.Run(fmt.Sprintf("bubbles-table/%d", n), func(b *testing.B) { bubblesTable(b, n) })
	}
}

// ours has n objects, none of them well, so that all have rows.
func ours(b *testing.B, n int) {
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	batch := feed.Batch{Seq: 1, At: now, Synced: true}
	for i := range n {
		o := &object.Object{
			ID:      object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: fmt.Sprintf("web-%05d", i)},
			Version: "v1", UID: fmt.Sprint("uid-", i), ResourceVersion: "1", Created: now,
			Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "False", Reason: "Starting"}, LastTransitionTime: now}},
		}
		batch.Objects = append(batch.Objects, o)
		batch.Roots = append(batch.Roots, feed.Root{ID: o.ID, Order: i + 1})
	}
	th, err := views.NewTheme("dark", true, false)
	if err != nil {
		b.Fatal(err)
	}
	look := views.Look{Theme: th}
	m, _ := model.New(model.Options{Now: now, Screen: true, Explain: func() []explain.Cause { return nil }})
	m, _ = m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m, _ = m.Update(model.BatchArrived{Batch: batch})
	canvas := views.NewCanvas(0, 0, th)
	arrows := []rune{tea.KeyDown, tea.KeyUp}
	i := 0
	for b.Loop() {
		m, _ = m.Update(tea.KeyPressMsg{Code: arrows[i%2]})
		views.Draw(canvas, views.Of(m), look)
		_ = canvas.Render()
		i++
	}
}

func bubblesTree(b *testing.B, n int) {
	root := tree.Root("shop")
	for i := 0; i < n; i += 10 {
		rs := tree.Root(fmt.Sprintf("ReplicaSet/web-%05d", i))
		for k := range 9 {
			rs.Child(fmt.Sprintf("Pod/web-%05d  InProgress  Starting", i+k))
		}
		root.Child(rs)
	}
	m := tree.New(root, width, height)
	i := 0
	for b.Loop() {
		m, _ = m.Update(keys[i%2])
		_ = m.View()
		i++
	}
}

func bubblesTable(b *testing.B, n int) {
	rows := make([]table.Row, n)
	for i := range rows {
		rows[i] = table.Row{fmt.Sprintf("Pod/web-%05d", i), "InProgress", "Starting", "5m02s"}
	}
	m := table.New(table.WithColumns([]table.Column{{Title: "RESOURCE", Width: 100}, {Title: "STATUS", Width: 20}, {Title: "REASON", Width: 50}, {Title: "SINCE", Width: 10}}),
		table.WithRows(rows), table.WithHeight(height), table.WithWidth(width), table.WithFocused(true))
	i := 0
	for b.Loop() {
		m, _ = m.Update(keys[i%2])
		_ = m.View()
		i++
	}
}
