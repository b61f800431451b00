package main

import (
	"slices"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestAnotherSourceIsReadAsTheCommandLineWould(t *testing.T) {
	o := newFollowOptions(genericiooptions.IOStreams{}, newConnectionFlags())
	*o.connection.Namespace = "shop"
	o.Files, o.Selector = []string{"app.yaml"}, "app=web"
	g, err := o.withSource("deploy -l tier=front -n stage")
	if err != nil || !slices.Equal(g.Args, []string{"deploy"}) ||
		g.Selector != "tier=front" || *g.connection.Namespace != "stage" || len(g.Files) != 0 {
		t.Errorf("%v: %v, %q in %q, files %v", err, g.Args, g.Selector, *g.connection.Namespace, g.Files)
	}
	g, err = o.withSource("helm/shop")
	if err != nil || !slices.Equal(g.Args, []string{"helm/shop"}) ||
		g.Selector != "" || *g.connection.Namespace != "shop" {
		t.Errorf("%v: %v, %q in %q", err, g.Args, g.Selector, *g.connection.Namespace)
	}
	for _, line := range []string{"-n stage", "-f -", "--frob x", "  "} {
		if _, err := o.withSource(line); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
	if o.Files[0] != "app.yaml" || *o.connection.Namespace != "shop" {
		t.Error("the flags of what is followed now have changed")
	}
}
