package views

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/viewstest"
)

// fleet is n Deployments, each with a ReplicaSet and ten Pods, of which one in
// a hundred waits for its image.
func fleet(n int, now time.Time) feed.Batch {
	b := feed.Batch{Seq: 1, At: now, Synced: true}
	for i := range n {
		name, broken := fmt.Sprintf("web-%04d", i), i%10 == 0
		ready := int64(10)
		if broken {
			ready = 9
		}
		id := func(group, kind, name string) object.ID {
			return object.ID{Group: group, Kind: kind, Namespace: "shop", Name: name}
		}
		owned := func(by *object.Object) []object.Owner {
			return []object.Owner{{Group: "apps", Kind: by.Kind, Name: by.Name, UID: by.UID, Controller: true}}
		}
		work := func(kind, name string, owners []object.Owner) *object.Object {
			return &object.Object{
				ID: id("apps", kind, name), Version: "v1", UID: kind + name, ResourceVersion: "1", Created: now.Add(-time.Hour),
				Generation: object.IntOf(1), Observed: object.IntOf(1), Owners: owners,
				Workload: &object.Workload{
					Replicas: object.IntOf(10), StatusReplicas: object.IntOf(10),
					Updated: object.IntOf(10), FullyLabeled: object.IntOf(10),
					Ready: object.IntOf(ready), Available: object.IntOf(ready), HasSelector: true, Revision: "1",
				},
			}
		}
		d := work("Deployment", name, nil)
		rs := work("ReplicaSet", name+"-7c88b", owned(d))
		b.Roots = append(b.Roots, feed.Root{ID: d.ID, Order: i + 1})
		b.Objects = append(b.Objects, d, rs)
		for k := range 10 {
			p := &object.Object{
				ID: id("", "Pod", fmt.Sprintf("%s-%05d", rs.Name, k)), Version: "v1",
				UID: fmt.Sprint(name, k), ResourceVersion: "1", Created: now.Add(-time.Hour),
				Owners: owned(rs),
				Pod: &object.Pod{PodTemplate: &object.PodTemplate{}, Phase: "Running", Node: "n1", Containers: []object.Container{{
					ContainerSpec: &object.ContainerSpec{Name: "web", Image: "web:1"},
					State:         object.ContainerState{Kind: "running", Started: now.Add(-time.Hour)},
				}}},
				Conditions: []object.Condition{{Statement: &object.Statement{Type: "Ready", Status: "True"}, LastTransitionTime: now.Add(-time.Hour)}},
			}
			if broken && k == 0 {
				p.Pod.Phase, p.Conditions[0].Statement = "Pending", &object.Statement{Type: "Ready", Status: "False", Reason: "ContainersNotReady"}
				p.Pod.Containers[0].State = object.ContainerState{Kind: "waiting", Reason: "ImagePullBackOff"}
			}
			b.Objects = append(b.Objects, p)
		}
	}
	return b
}

// BenchmarkKeys is what a key costs in Update, View and the renderer at 10,000
// Pods under 1,000 Deployments, every row open.
func BenchmarkKeys(b *testing.B) {
	now := time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)
	look := Look{Theme: theme(b, "dark")}
	m, _ := model.New(model.Options{Now: now, Screen: true, Children: model.ChildrenAll})
	send := func(msgs ...model.Msg) {
		for _, msg := range msgs {
			m, _ = m.Update(msg)
		}
	}
	send(tea.WindowSizeMsg{Width: 200, Height: 60}, model.BatchArrived{Batch: fleet(1000, now)}, viewstest.Press("Z"))
	if n := m.Tree.RowCount(); n < 10000 {
		b.Fatalf("%d rows", n)
	}
	c, tty := NewCanvas(0, 0, nil), viewstest.NewTerminalWriter()
	keys := []string{"j", "k", "pgdown", "pgup", "end", "home", "left", "right", "enter", "esc", "tab", "shift+tab", "G", "g"}
	took := map[string][]time.Duration{}
	var all []time.Duration
	for b.Loop() {
		for _, key := range keys {
			began := time.Now()
			send(viewstest.Press(key))
			Draw(c, of(m), look)
			tty.Show(c.Render(), 200, 60)
			d := time.Since(began)
			took[key], all = append(took[key], d), append(all, d)
		}
	}
	p := func(d []time.Duration, q int) float64 {
		slices.Sort(d)
		return float64(d[len(d)*q/100].Microseconds()) / 1000
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(p(took[y], 99), p(took[x], 99)) })
	for _, key := range keys {
		b.Logf("%-10s p50 %.2f ms, p99 %.2f ms", key, p(took[key], 50), p(took[key], 99))
	}
	b.ReportMetric(p(all, 50), "p50-ms")
	b.ReportMetric(p(all, 99), "p99-ms")
}
