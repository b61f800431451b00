package watch

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/follow/find"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

// Each writer's mark keeps a member of its own sets from counting, as soon as it
// bears it, and no longer.
func TestAMemberThatItsWriterLeavesOutOfItsHealthDoesNotCount(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(ks("apps", "r1", "shop_a__ConfigMap"))
		marked := func(mark string) string {
			return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"a","annotations":{"kustomize.toolkit.fluxcd.io/ssa":"` + mark + `"}}}`
		}
		c.Put(marked("Merge"))
		f := start(t, c, Options{}, commandLine(t, "ks/apps")...)
		f.settled()
		optional := func(want bool, note string) {
			t.Helper()
			f.rest(100 * time.Millisecond)
			f.drain()
			for _, r := range f.roots {
				if r.ID.Name == "a" && (r.Optional != want || r.Note != note) {
					t.Errorf("optional %t, note %q; want %t, %q", r.Optional, r.Note, want, note)
				}
			}
		}
		optional(false, "")
		c.Put(marked("Ignore"))
		optional(true, "not reconciled (ssa: Ignore)")
		c.Delete("ConfigMap", "shop", "a")
		optional(false, "")
		c.Put(marked("Ignore"))
		optional(true, "not reconciled (ssa: Ignore)")
		c.Put(marked("Merge"))
		optional(false, "")

		// What the user named as well is what the user asked for.
		c.Put(marked("Ignore"))
		f = start(t, c, Options{}, commandLine(t, "ks/apps", "cm/a")...)
		f.settled()
		optional(false, "")
	})
}

// An inventory named without its namespace is usually in its controller's.
func TestAnInventoryThatIsInAnotherNamespaceIsPointedAt(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(applications)
		app := `{"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"namespace":"argocd","name":"web"},"spec":{},"status":{"resources":[]}}`
		c.Put(app)
		release := helmSecret(t, "web", 1, "deployed", "")
		release["metadata"].(map[string]any)["namespace"] = "prod"
		c.Put(release)
		for _, ns := range []string{"a", "b"} {
			c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"` + ns + `","name":"web","labels":{"kapp.k14s.io/is-app":""}},"data":{"spec":"{}"}}`)
		}
		f := start(t, c, Options{}, commandLine(t, "argo/web", "helm/web", "kapp/web", "argo/none")...)
		f.settled()
		f.rest(100 * time.Millisecond)
		f.wantTree(
			"Application/none (absent)",
			"Application/web (absent)",
			"ConfigMap/web (NotFound NotFound)",
			"Release/web (absent)",
		)
		for _, r := range f.roots {
			want := map[string]string{
				"Application/web": "it is in namespace argocd, not here (-n argocd)",
				"ConfigMap/web":   "it is in other namespaces, not here: a, b",
				"Release/web":     "it is in namespace prod, not here (-n prod)",
			}[r.ID.String()]
			if r.Given.Message != want {
				t.Errorf("%s: %q, want %q", r.ID, r.Given.Message, want)
			}
		}
		n := 0
		for _, r := range c.Requests() {
			if r.Verb == "list" && r.Namespace == "" && strings.Contains(r.Query, "metadata.name") {
				n++
			}
		}
		f.rest(time.Minute)
		for _, r := range c.Requests() {
			if r.Verb == "list" && r.Namespace == "" && strings.Contains(r.Query, "metadata.name") {
				n--
			}
		}
		if n != 0 {
			t.Errorf("looked for again, %d times", -n)
		}
		// It exists here now: the other namespaces are no longer mentioned.
		c.Put(strings.Replace(app, "argocd", "shop", 1))
		f.rest(100 * time.Millisecond)
		f.drain()
		for _, r := range f.roots {
			if r.ID.Name == "web" && r.ID.Kind == "Application" && r.Given.Status != "" {
				t.Errorf("%s: %+v", r.ID, r.Given)
			}
		}

		finder := &find.Finder{Client: f.e.client, Resolver: f.e.resolver, Namespace: "shop"}
		c.Delete("Application", "shop", "web")
		for arg, want := range map[string]string{"argo/web": "argocd", "helm/web": "prod", "kapp/web": "not here: a, b"} {
			_, err := finder.Members(t.Context(), commandLine(t, arg)[0])
			if p, ok := errors.AsType[*problem.Error](err); !ok || !strings.Contains(p.Next, want) {
				t.Errorf("%s: %v", arg, err)
			}
		}
	})
}

func TestASearchInOtherNamespacesThatIsForbiddenGivesNoHint(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(applications)
		c.Inject(testcluster.Fault{Status: http.StatusForbidden, Match: func(r testcluster.Request) bool { return r.Namespace == "" && r.Resource != "" }})
		f := start(t, c, Options{}, commandLine(t, "argo/web", "helm/web", "kapp/web")...)
		f.settled()
		f.wantTree("Application/web (absent)", "ConfigMap/web (NotFound NotFound)", "Release/web (absent) pending: its inventory is empty")
	})
}
