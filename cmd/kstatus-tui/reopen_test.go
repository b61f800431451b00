package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kstatus-tui/kstatus-tui/internal/model"
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

// The session of another context is still on the screen when one cannot be reached.
func TestAContextThatCannotBeReachedIsNamed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(`{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],
"contexts":[{"name":"stage","context":{"cluster":"c"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := newFollowOptions(genericiooptions.IOStreams{ErrOut: io.Discard}, newConnectionFlags())
	o.connection.KubeConfig = &file
	o.Args, o.conf = []string{"deploy/web"}, &configuration{}
	d := &dashboard{dashboardOptions: dashboardOptions{followOptions: o}, shown: &session{}}
	_, err := d.reopen(t.Context(), model.Other{Context: "stage"})
	if err == nil || !strings.HasPrefix(err.Error(), "context stage: cannot reach https://127.0.0.1:1: ") {
		t.Errorf("got %v", err)
	}
}
