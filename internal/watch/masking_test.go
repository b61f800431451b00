package watch

import (
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

const withSecrets = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"web","namespace":"shop","annotations":{
	"example.com/original":"{\"spec\":{\"password\":\"canary\"}}","example.com/api-key":"canary"}},
	"spec":{"adminPassword":"canary","nested":[{"credentials":{"x":["canary"]}}],"automountServiceAccountToken":true,
	"template":{"spec":{"imagePullSecrets":[{"name":"registry"}],"containers":[{"name":"a","args":["--db-password=canary"],
	"env":[{"name":"DB_PASSWORD","value":"canary"},{"name":"COLOUR","value":"red"},{"name":"T","valueFrom":{"secretKeyRef":{"name":"db","key":"word"}}}]}]}}},
	"status":{"token":"canary"}}`

// The YAML that is opened goes to the pane, the clipboard, reports and recordings.
func TestSecretFieldsAreMaskedInTheYAML(t *testing.T) {
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Serve(testcluster.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget"})
		widgetID := object.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "web"}
		c.Put(withSecrets)
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"shop"},"data":{"app.yaml":"db:\n  password: canary\n","colour":"red"}}`)
		f := start(t, c, Options{}, named("widget", "web"), named("cm", "web"))
		for _, id := range []object.ID{widgetID, {Kind: "ConfigMap", Namespace: "shop", Name: "web"}} {
			d, err := f.e.Detail(t.Context(), id)
			if err != nil || strings.Contains(d.YAML, "canary") || !strings.Contains(d.YAML, mask.Placeholder) || !strings.Contains(d.YAML, "red") {
				t.Errorf("%v\n%s", err, d.YAML)
			}
			for _, kept := range []string{"automountServiceAccountToken: true", "- name: registry", "key: word"} {
				if id == widgetID && !strings.Contains(d.YAML, kept) {
					t.Errorf("%q is gone:\n%s", kept, d.YAML)
				}
			}
		}
		f = start(t, c, Options{Secrets: true}, named("widget", "web"))
		if d, err := f.e.Detail(t.Context(), widgetID); err != nil || strings.Count(d.YAML, "canary") != 7 {
			t.Errorf("who asks for them sees them: %v\n%s", err, d.YAML)
		}
	})
}
