package known

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// What a tool applies is taken back by the tool, also where only the object names it.
func TestTheApplyingToolIsFoundFromTheObject(t *testing.T) {
	label := func(key, value string) object.Label { return object.Label{Key: key, Value: value} }
	for _, c := range []struct {
		name   string
		object object.Object
		want   string
	}{
		{
			"Flux's kustomize-controller",
			object.Object{Labels: []object.Label{
				label("kustomize.toolkit.fluxcd.io/name", "apps"), label("kustomize.toolkit.fluxcd.io/namespace", "flux-system"),
			}},
			"flux reconcile kustomization apps -n flux-system --with-source",
		},
		{
			"Flux's helm-controller, whose objects are Helm's, too",
			object.Object{
				Labels: []object.Label{
					label("helm.toolkit.fluxcd.io/name", "web"), label("helm.toolkit.fluxcd.io/namespace", "shop"),
				},
				Annotations: []object.Label{label("meta.helm.sh/release-name", "shop-web")},
			},
			"flux reconcile helmrelease web -n shop --with-source",
		},
		{
			"Helm",
			object.Object{
				ID:          object.ID{Kind: "Deployment", Namespace: "shop", Name: "web"},
				Annotations: []object.Label{label("meta.helm.sh/release-name", "web")},
			},
			"helm rollback web -n shop",
		},
		{
			"Argo CD, which does not say in which namespace",
			object.Object{Annotations: []object.Label{label("argocd.argoproj.io/tracking-id", "shop:apps/Deployment:shop/web")}},
			"",
		},
		{"nobody", object.Object{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, _ := toolStep(managerOf(&c.object))
			if step.Command != c.want {
				t.Errorf("%q, want %q", step.Command, c.want)
			}
		})
	}
}
