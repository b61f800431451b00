package main

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/model"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
	"github.com/kstatus-tui/kstatus-tui/internal/watch"
)

// serve returns a cluster in memory with the kinds and objects of another, at the moment
// of that one. It needs a synctest bubble, whose time begins in the year 2000. The error
// is that of an object that an API server would not take.
func serve(from dumptest.Cluster) (c *testcluster.Cluster, err error) {
	time.Sleep(time.Until(from.At))
	c = testcluster.New()
	served := map[schema.GroupVersionKind]bool{}
	for _, r := range testcluster.Builtin {
		served[schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}] = true
	}
	for _, k := range from.Listed {
		gvk := schema.FromAPIVersionAndKind(k.APIVersion, k.Kind)
		if !served[gvk] {
			served[gvk] = true
			c.Serve(testcluster.Resource{Group: gvk.Group, Version: gvk.Version, Plural: k.Plural, Kind: gvk.Kind, Cluster: k.Cluster})
		}
	}
	defer func() {
		if refused := recover(); refused != nil {
			err = fmt.Errorf("%v", refused)
		}
	}()
	for _, o := range from.Objects {
		c.Put(map[string]any(o))
	}
	return c, nil
}

// modelOptions are those of a model without a screen that follows what an engine follows.
func modelOptions(o watch.Options) model.Options {
	return model.Options{
		Now: time.Now(), Sources: inventory.Sources(o.Targets), Namespace: o.Namespace,
		StallAfter: time.Minute, Children: model.Children(o.Children),
	}
}

// followUntil follows targets in a cluster in memory, as status and wait do, until look
// ends it.
func followUntil(t *testing.T, c *testcluster.Cluster, o watch.Options, opt model.Options, look step) *model.Model {
	t.Helper()
	o.Config = c.Config()
	engine, err := watch.New(o)
	if err != nil {
		t.Fatal(err)
	}
	engine.Start(t.Context())
	defer engine.Close()
	m, err := headless{feed: engine, now: time.Now}.run(t.Context(), opt, look)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
