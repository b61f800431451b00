package main

import (
	"path/filepath"
	"testing"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// corpora loads every labelled object, decoded for both.
func corpora(b *testing.B) ([]*object.Object, []*unstructured.Unstructured) {
	b.Helper()
	var ours []*object.Object
	var theirs []*unstructured.Unstructured
	for _, file := range []string{"kstatus-compute.jsonl", "kubectl-status.jsonl", "gitops-engine.jsonl", "argo-lua.jsonl"} {
		var list []labelled
		if err := readLines(filepath.Join("..", "..", "..", "shared", "corpora", file), &list); err != nil {
			b.Skipf("the labelled corpora are not here: %v", err)
		}
		for _, c := range list {
			o, err := convert.JSON(c.Object, convert.Options{})
			u := &unstructured.Unstructured{}
			if err != nil || u.UnmarshalJSON(c.Object) != nil {
				continue
			}
			ours, theirs = append(ours, o), append(theirs, u)
		}
	}
	return ours, theirs
}

// The figures are for one object, on average over the corpora.

func BenchmarkComputeOurs(b *testing.B) {
	objects, _ := corpora(b)
	now := time.Now()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_, _ = status.Compute(objects[i%len(objects)], now)
		i++
	}
}

func BenchmarkComputeKstatus(b *testing.B) {
	_, objects := corpora(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		func() {
			defer func() { _ = recover() }() // it panics on malformed container statuses
			_, _ = kstatus.Compute(objects[i%len(objects)])
		}()
		i++
	}
}

func BenchmarkAssessEveryKind(b *testing.B) {
	objects, _ := corpora(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_ = status.Assess(objects[i%len(objects)], status.World{Offline: true}, judgedAt)
		i++
	}
}

func BenchmarkAssessBuiltinKinds(b *testing.B) {
	all, _ := corpora(b)
	var objects []*object.Object
	for _, o := range all {
		if o.Pod != nil || o.Workload != nil || o.Job != nil || o.CronJob != nil || o.Service != nil || o.Claim != nil {
			objects = append(objects, o)
		}
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_ = status.Assess(objects[i%len(objects)], status.World{Offline: true}, judgedAt)
		i++
	}
}

// treeKinds are the objects of Kubernetes's own kinds and the Gateway API's
// that are read from a tree, having no view of their own.
func treeKinds(b *testing.B) (ours []*object.Object, theirs []*unstructured.Unstructured) {
	b.Helper()
	all, other := corpora(b)
	for i, o := range all {
		if o.Tree != nil && status.Assess(o, status.World{Offline: true}, judgedAt).Confidence == status.Exact {
			ours, theirs = append(ours, o), append(theirs, other[i])
		}
	}
	return ours, theirs
}

func BenchmarkAssessKindsWithoutView(b *testing.B) {
	objects, _ := treeKinds(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_ = status.Assess(objects[i%len(objects)], status.World{Offline: true}, judgedAt)
		i++
	}
}

func BenchmarkComputeKindsWithoutViewKstatus(b *testing.B) {
	_, objects := treeKinds(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_, _ = kstatus.Compute(objects[i%len(objects)])
		i++
	}
}
