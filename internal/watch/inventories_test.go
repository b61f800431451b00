package watch

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

var kustomizations = testcluster.Resource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Plural: "kustomizations", Kind: "Kustomization", Short: []string{"ks"}}

// ks is a Kustomization that has applied some objects.
func ks(name, revision string, ids ...string) map[string]any {
	entries := []any{}
	for _, id := range ids {
		entries = append(entries, map[string]any{"id": id, "v": "v1"})
	}
	return map[string]any{
		"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
		"metadata": map[string]any{"name": name, "namespace": "shop", "generation": 1},
		"spec":     map[string]any{},
		"status": map[string]any{
			"observedGeneration": 1, "lastAppliedRevision": revision, "lastAttemptedRevision": revision,
			"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "ReconciliationSucceeded", "observedGeneration": 1}},
			"inventory":  map[string]any{"entries": entries},
		},
	}
}

func configMap(name string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"` + name + `"}}`
}

// commandLine reads a command line as the program does.
func commandLine(t *testing.T, args ...string) []inventory.Target {
	t.Helper()
	targets, err := inventory.Parse(t.Context(), inventory.Request{Args: args, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return targets
}

// tree is the followed objects as text: every root with its parent and its
// remarks.
func (f *follower) tree() []string {
	var out []string
	for _, r := range f.roots {
		line := r.ID.String()
		if !r.In.IsZero() {
			line = r.In.String() + " > " + line
		}
		switch o := f.objects[r.ID]; {
		case o != nil && !o.Deleted.IsZero():
			line += " (terminating)"
		case o == nil && f.absent[r.ID]:
			line += " (absent)"
		case o == nil && r.Given.Status != "":
			line += " (" + string(r.Given.Status) + " " + r.Given.Reason + ")"
		case o == nil:
			line += " (?)"
		}
		if r.Kept {
			line += " kept"
		}
		if r.Pending != "" {
			line += " pending: " + r.Pending
		}
		if r.Note != "" {
			line += " [" + r.Note + "]"
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func (f *follower) wantTree(want ...string) {
	f.t.Helper()
	slices.Sort(want)
	f.drain()
	if diff := cmp.Diff(want, f.tree()); diff != "" {
		f.t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMembersOfAKustomizationComeAndGoWithItsInventory(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(configMap("a"))
		c.Put(configMap("b"))
		c.Put(ks("apps", "main@sha1:0123456789abcdef", "shop_a__ConfigMap", "shop_b__ConfigMap", "odd"))
		f := start(t, c, Options{}, commandLine(t, "flux/ks/apps")...)
		f.settled()
		f.wantTree(
			"Kustomization/apps [main@sha1:0123456]",
			"Kustomization/apps > ConfigMap/a", "Kustomization/apps > ConfigMap/b",
			"Kustomization/apps > Entry/odd (Unknown UnreadableEntry)",
		)

		// b is pruned, c comes.
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"b","deletionTimestamp":"2000-01-01T00:00:00Z","finalizers":["x/y"]}}`)
		c.Put(ks("apps", "main@sha1:fedcba9876543210", "shop_a__ConfigMap", "shop_c__ConfigMap"))
		f.within(time.Second, "c", func() bool { return f.roots[object.ID{Kind: "ConfigMap", Namespace: "shop", Name: "c"}].Source != "" })
		f.rest(1100 * time.Millisecond)
		f.wantTree(
			"Kustomization/apps [main@sha1:fedcba9]",
			"Kustomization/apps > ConfigMap/a", "Kustomization/apps > ConfigMap/c (absent)",
			"Kustomization/apps > ConfigMap/b (terminating) [being pruned]",
		)
		c.Delete("ConfigMap", "shop", "b")
		c.Put(configMap("c"))
		f.rest(time.Second)
		f.wantTree(
			"Kustomization/apps [main@sha1:fedcba9]",
			"Kustomization/apps > ConfigMap/a", "Kustomization/apps > ConfigMap/c",
			"Kustomization/apps > ConfigMap/b (absent) kept [pruned]",
		)
		f.rest(6 * time.Second)
		f.wantTree("Kustomization/apps [main@sha1:fedcba9]",
			"Kustomization/apps > ConfigMap/a", "Kustomization/apps > ConfigMap/c")

		// c leaves the set, and stays.
		c.Put(ks("apps", "main@sha1:fedcba9876543210", "shop_a__ConfigMap"))
		f.rest(7 * time.Second)
		f.wantTree(
			"Kustomization/apps [main@sha1:fedcba9]", "Kustomization/apps > ConfigMap/a",
			"Kustomization/apps > ConfigMap/c kept [no longer in the set, but kept]",
		)
	})
}

// helmSecret is a revision as Helm stores it.
func helmSecret(t *testing.T, release string, version int, word, manifest string, hooks ...any) map[string]any {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"name": release, "namespace": "shop", "version": version, "manifest": manifest, "hooks": hooks,
		"info":  map[string]any{"status": word, "description": word + " it", "first_deployed": "1999-12-31T23:00:00Z", "last_deployed": "1999-12-31T23:30:00Z"},
		"chart": map[string]any{"metadata": map[string]any{"name": "web", "version": "1.2.3"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1",
		"metadata": map[string]any{
			"name": fmt.Sprintf("sh.helm.release.v1.%s.v%d", release, version), "namespace": "shop",
			"labels": map[string]any{"owner": "helm", "name": release, "version": fmt.Sprint(version), "status": word},
		},
		"data": map[string]any{"release": twice(data)},
	}
}

func TestAHelmReleaseIsFollowedFromRevisionToRevision(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		cm := func(name string) string {
			return "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
		}
		f := start(t, c, Options{}, commandLine(t, "helm/web")...)
		f.settled()
		f.wantTree("Release/web (absent) pending: its inventory is empty")

		c.Put(helmSecret(t, "web", 9, "deployed", cm("a")))
		c.Put(configMap("a"))
		f.rest(200 * time.Millisecond)
		f.wantTree("Release/web [revision 9]", "Release/web > ConfigMap/a")

		c.Put(helmSecret(t, "web", 10, "pending-upgrade", cm("a")+cm("b")))
		f.rest(200 * time.Millisecond)
		f.wantTree("Release/web pending: Helm: pending-upgrade [revision 10]",
			"Release/web > ConfigMap/a", "Release/web > ConfigMap/b (absent)")
		c.Put(configMap("b"))
		c.Put(helmSecret(t, "web", 9, "superseded", cm("a")))
		c.Put(helmSecret(t, "web", 10, "deployed", cm("a")+cm("b")))
		f.rest(200 * time.Millisecond)
		f.wantTree("Release/web [revision 10]", "Release/web > ConfigMap/a", "Release/web > ConfigMap/b")
		c.Delete("Secret", "shop", "sh.helm.release.v1.web.v9") // pruned from the history
		f.rest(200 * time.Millisecond)
		f.wantTree("Release/web [revision 10]", "Release/web > ConfigMap/a", "Release/web > ConfigMap/b")

		gets := 0
		for _, r := range c.Requests() {
			if r.Resource == "secrets" && strings.HasPrefix(r.Name, "sh.helm") {
				gets++
			}
		}
		if gets != 3 {
			t.Errorf("%d payloads were read, want one for each state that counted: 3", gets)
		}
	})
}

func twice(data []byte) string {
	once := base64.StdEncoding.EncodeToString(data)
	return base64.StdEncoding.EncodeToString([]byte(once))
}

// untwice takes one of the two layers of base64 off.
func untwice(t *testing.T, s string) string {
	t.Helper()
	once, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(once)
}

// A selection has listed all of the kind before the inventory names another of it:
// no list comes that could tell that it does not exist.
func TestAMemberThatASelectionDoesNotHoldIsAbsent(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(kustomizations)
		c.Put(configMap("a"))
		c.Put(ks("apps", "main@sha1:0123456789abcdef", "shop_a__ConfigMap"))
		f := start(t, c, Options{}, append(commandLine(t, "flux/ks/apps"), inventory.Target{Source: "cm", Type: "cm", All: true})...)
		f.settled()
		c.Put(ks("apps", "main@sha1:fedcba9876543210", "shop_a__ConfigMap", "shop_c__ConfigMap"))
		f.rest(2 * time.Second)
		f.wantTree("Kustomization/apps [main@sha1:fedcba9]",
			"Kustomization/apps > ConfigMap/a", "Kustomization/apps > ConfigMap/c (absent)")
		c.Put(configMap("c"))
		f.rest(time.Second)
		f.wantTree("Kustomization/apps [main@sha1:fedcba9]",
			"Kustomization/apps > ConfigMap/a", "Kustomization/apps > ConfigMap/c")
	})
}
