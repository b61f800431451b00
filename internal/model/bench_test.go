package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// city is n Deployments of ten pods each, with their ReplicaSets, and a
// Service with its EndpointSlice for each: 14 n objects, 2 n of them roots.
func city(n int) (b feed.Batch, pods []*object.Object) {
	b.Synced = true
	for i := range n {
		d := deployment(fmt.Sprintf("web-%04d", i), 10)
		d.Workload.Replicas, d.Workload.Updated, d.Workload.StatusReplicas = object.IntOf(10), object.IntOf(10), object.IntOf(10)
		rs := replicaSet(d, "7c88b", 10)
		rs.Workload.Replicas, rs.Workload.StatusReplicas, rs.Workload.FullyLabeled = object.IntOf(10), object.IntOf(10), object.IntOf(10)
		svc := &object.Object{
			ID: id("", "Service", d.Name), UID: "uid-svc-" + d.Name, Created: t0,
			Service: &object.Service{Type: "ClusterIP", ClusterIP: "10.0.0.1", Selector: d.Workload.Selector},
		}
		slice := &object.Object{
			ID: id("discovery.k8s.io", "EndpointSlice", d.Name+"-x"), UID: "uid-slice-" + d.Name, Created: t0,
			Owners: owner(svc), Endpoints: &object.Endpoints{Service: d.Name},
		}
		b.Roots = append(b.Roots, root(d), root(svc))
		b.Objects = append(b.Objects, d, svc, rs, slice)
		for j := range 10 {
			p := pod(rs, fmt.Sprintf("p%d", j), "")
			slice.Endpoints.Endpoints = append(slice.Endpoints.Endpoints,
				object.Endpoint{Target: p.ID, TargetUID: p.UID, Ready: true})
			b.Objects = append(b.Objects, p)
			pods = append(pods, p)
		}
	}
	return b, pods
}

// 14,000 objects at once, as the first batch brings them.
func BenchmarkFirstBatch(b *testing.B) {
	batch, _ := city(1000)
	for b.Loop() {
		p := newPlay(b, Options{Screen: true})
		p.send(rowsOn(200, 50))
		p.batch(0, batch)
	}
	b.ReportMetric(float64(len(batch.Objects)), "objects")
}

// One pod of ten thousand changes, and its status with it.
func BenchmarkOneChange(b *testing.B) {
	for _, screen := range []bool{false, true} {
		b.Run(fmt.Sprintf("screen=%v", screen), func(b *testing.B) {
			batch, pods := city(1000)
			p := newPlay(b, Options{Screen: screen})
			p.send(rowsOn(200, 50))
			p.batch(0, batch)
			p.keys("down")
			bad := make([]*object.Object, len(pods))
			for i := range pods {
				bad[i] = pod(&object.Object{ID: id("apps", "ReplicaSet", pods[i].Owners[0].Name), UID: pods[i].Owners[0].UID},
					pods[i].Name[len(pods[i].Owners[0].Name)+1:], "ImagePullBackOff")
			}
			i := 0
			for b.Loop() {
				o := bad[i/2%len(pods)]
				if i%2 == 1 {
					o = pods[i/2%len(pods)]
				}
				i++
				p.batch(time.Duration(i)*16*time.Millisecond, feed.Batch{Objects: []*object.Object{o}, Answered: p.wants.Gen})
			}
		})
	}
}

// What a frame asks: fifty rows out of ten thousand.
func BenchmarkRowsOfAFrame(b *testing.B) {
	batch, _ := city(1000)
	p := newPlay(b, Options{Screen: true})
	p.send(rowsOn(200, 50))
	p.batch(0, batch)
	p.keys("Z")
	b.ReportMetric(float64(p.m.Tree.RowCount()), "rows")
	for b.Loop() {
		p.keys("down")
		if len(p.m.Tree.Rows(p.m.Tree.Top(), 50)) != 50 {
			b.Fatal("rows are missing")
		}
	}
}

// What explaining ten thousand Pods off the loop costs the loop.
func BenchmarkStill(b *testing.B) {
	batch, _ := city(1000)
	p := newPlay(b, Options{Screen: true})
	p.send(rowsOn(200, 50))
	p.batch(0, batch)
	b.ReportAllocs()
	for b.Loop() {
		p.m.Facts.World.Explainable()
	}
}

// The same, explained.
func BenchmarkExplanation(b *testing.B) {
	batch, _ := city(1000)
	p := newPlay(b, Options{Screen: true})
	p.send(rowsOn(200, 50))
	p.batch(0, batch)
	b.ReportAllocs()
	for b.Loop() {
		p.m.Facts.World.Explanation()
	}
}
