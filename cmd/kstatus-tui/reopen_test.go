package main

import (
	"slices"
	"testing"
)

func TestAnotherSourceIsReadAsTheCommandLineWould(t *testing.T) {
	f := followFlags{connection: newConnectionFlags()}
	*f.connection.Namespace = "shop"
	f.files, f.selector = []string{"app.yaml"}, "app=web"
	g, args, err := otherSource(f, "deploy -l tier=front -n stage")
	if err != nil || !slices.Equal(args, []string{"deploy"}) || g.selector != "tier=front" || *g.connection.Namespace != "stage" || len(g.files) != 0 {
		t.Errorf("%v: %v, %q in %q, files %v", err, args, g.selector, *g.connection.Namespace, g.files)
	}
	g, args, err = otherSource(f, "helm/shop")
	if err != nil || !slices.Equal(args, []string{"helm/shop"}) || g.selector != "" || *g.connection.Namespace != "shop" {
		t.Errorf("%v: %v, %q in %q", err, args, g.selector, *g.connection.Namespace)
	}
	for _, line := range []string{"-n stage", "-f -", "--frob x", "  "} {
		if _, _, err := otherSource(f, line); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
	if f.files[0] != "app.yaml" || *f.connection.Namespace != "shop" {
		t.Error("the flags of what is followed now have changed")
	}
}
