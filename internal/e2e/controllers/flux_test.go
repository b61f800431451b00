package controllers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	second = time.Second
	image1 = "registry.example.com/app:1"
	// guesses are sentences about a controller that has seen everything.
	guesses = "has not seen the last change|is not observed|kubectl get leases"
)

// fluxed is a GitRepository, and a Kustomization of it with more of a spec.
func fluxed(p place, url, more string) string {
	return fmt.Sprintf(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: src}
spec: {interval: 10s, timeout: 20s, url: %q, ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec: {interval: 1m, retryInterval: 20s, path: ./, prune: true, targetNamespace: %s, sourceRef: {kind: GitRepository, name: src}%s}
`, url, p.ns, more)
}

// reconcile asks a Flux object to reconcile, as `flux reconcile` does.
func (p place) reconcile(apiVersion, kind, name string) {
	p.Helper()
	p.patch(apiVersion, kind, name, fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":"%d"}}}`, time.Now().UnixNano()))
}

func (p place) patch(apiVersion, kind, name, patch string) {
	p.Helper()
	on, err := shared.Kind(p.Context(), apiVersion, kind, p.ns)
	if err == nil {
		_, err = on.Patch(p.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	}
	if err != nil {
		p.Fatal(err)
	}
}

// releaseAfterwards takes the finalizers off an object that the scenario holds.
func (p place) releaseAfterwards(apiVersion, kind, name string) {
	p.Cleanup(func() {
		ctx := context.WithoutCancel(p.Context())
		on, err := shared.Kind(ctx, apiVersion, kind, p.ns)
		if err == nil {
			_, err = on.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		}
		if err != nil {
			p.Errorf("release %s/%s: %v", kind, name, err)
		}
	})
}

const (
	sources        = "source.toolkit.fluxcd.io/v1"
	kustomizations = "kustomize.toolkit.fluxcd.io/v1"
	listing        = "resources: [web.yaml]\n"
)

// healthy has a Kustomization that is Current, and returns its repository.
func healthy(p place, more string) *Repo {
	p.Helper()
	r := p.repo(map[string]string{"web.yaml": deployment("web", image1, "", "")})
	p.apply(fluxed(p, r.URL, more))
	p.until("Current", "flux/ks/apps")
	return r
}

func TestKustomizationsAreJudgedByWhatFluxWrites(t *testing.T) {
	const both = "source-controller kustomize-controller"
	failing := func(says string) []moment {
		return []moment{
			{after: 5 * second, verdict: "InProgress|Failed", never: guesses},
			{after: 40 * second, verdict: "Failed", says: says, never: guesses},
			{after: 100 * second, verdict: "Failed", says: says, never: guesses},
		}
	}
	play(t, []scenario{
		{
			name: "healthy", source: "flux/ks/apps", needs: both,
			make: func(p place) {
				p.apply(fluxed(p, p.repo(map[string]string{"web.yaml": deployment("web", image1, "", "")}).URL, ", wait: true"))
			},
			says: []moment{{verdict: "InProgress|Unknown"}, {after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "the branch does not exist", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				p.apply(strings.Replace(fluxed(p, p.repo(map[string]string{"web.yaml": listing}).URL, ""), "branch: main", "branch: nope", 1))
			},
			says: failing(`couldn't find remote ref`),
		},
		{
			name: "the path does not exist", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				p.apply(strings.Replace(fluxed(p, p.repo(map[string]string{"web.yaml": listing}).URL, ""), "path: ./", "path: ./nope", 1))
			},
			says: failing(`nope`),
		},
		{
			name: "what the API server refuses", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				p.apply(fluxed(p, p.repo(map[string]string{"web.yaml": strings.Replace(deployment("web", image1, "", ""), "replicas: 1", "replicas: -1", 1)}).URL, ""))
			},
			says: failing(`spec\.replicas|greater than or equal to 0`),
		},
		{
			name: "there is no such source", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				p.apply(strings.Replace(fluxed(p, p.repo(map[string]string{"web.yaml": listing}).URL, ""), "kind: GitRepository, name: src", "kind: GitRepository, name: gone", 1))
			},
			says: failing(`GitRepository.*gone|gone.*not found`),
		},
		{
			name: "a later commit cannot be built", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				r := healthy(p, ", wait: true")
				p.push(r, map[string]string{"web.yaml": deployment("web", image1, "", ""), "kustomization.yaml": "resources: [web.yaml, nope.yaml]\n"})
				p.reconcile(sources, "GitRepository", "src")
			},
			says: failing(`nope\.yaml`),
		},
		{
			name: "a later change of the spec fails", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				healthy(p, "")
				p.patch(kustomizations, "Kustomization", "apps", `{"spec":{"path":"./nope"}}`)
			},
			says: failing(`nope`),
		},
		{
			name: "a bad image comes with a later commit", source: "flux/ks/apps", needs: both, waits: 2,
			make: func(p place) {
				r := healthy(p, ", wait: true, timeout: 30s")
				p.push(r, map[string]string{"web.yaml": deployment("web", "registry.example.com/app:2", "image-not-found", "")})
				p.reconcile(sources, "GitRepository", "src")
			},
			says: failing(`app:2`),
		},
		{
			name: "it fails, is tried again, and a second push mends it", source: "flux/ks/apps", needs: both, waits: 4,
			make: func(p place) {
				r := p.repo(map[string]string{"kustomization.yaml": "resources: [nope.yaml]\n"})
				p.apply(fluxed(p, r.URL, ""))
				time.AfterFunc(50*second, func() { p.push(r, map[string]string{"web.yaml": deployment("web", image1, "", "")}) })
			},
			says: []moment{{after: 40 * second, verdict: "Failed", says: `nope\.yaml`, never: guesses}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "suspended before anything was applied", source: "flux/ks/apps", needs: both, waits: 3,
			make: func(p place) {
				p.apply(fluxed(p, p.repo(map[string]string{"web.yaml": listing}).URL, ", suspend: true"))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "suspend"}, {after: 40 * second, verdict: "InProgress", says: "suspend", never: guesses}},
		},
		{
			name: "suspended with nothing left to do", source: "flux/ks/apps", needs: both, waits: 0,
			make: func(p place) {
				healthy(p, "")
				p.patch(kustomizations, "Kustomization", "apps", `{"spec":{"suspend":true}}`)
			},
			says: []moment{{after: 5 * second, verdict: "Current"}, {after: 40 * second, verdict: "Current"}},
		},
		{
			name: "a slow start", source: "flux/ks/apps", needs: both, waits: 0,
			make: func(p place) {
				p.apply(fluxed(p, p.repo(map[string]string{"web.yaml": deployment("web", image1, "", "minReadySeconds: 60")}).URL, ", wait: true, timeout: 3m"))
			},
			says: []moment{{after: 5 * second, verdict: "InProgress"}, {after: 40 * second, verdict: "InProgress", never: guesses}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "a pruned object that a finalizer holds", source: "flux/ks/apps", needs: both, waits: 0,
			make: func(p place) {
				held := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old, finalizers: [lab.example.org/hold]}\n"
				r := p.repo(map[string]string{"web.yaml": deployment("web", image1, "", ""), "old.yaml": held})
				p.apply(fluxed(p, r.URL, ", wait: true"))
				p.until("Current", "flux/ks/apps")
				p.releaseAfterwards("v1", "ConfigMap", "old")
				p.push(r, map[string]string{"web.yaml": deployment("web", image1, "", "")})
				p.reconcile(sources, "GitRepository", "src")
			},
			says: []moment{{after: 40 * second, verdict: "Current"}, {after: 100 * second, verdict: "Current"}},
		},
		{
			name: "deleted while it fails", source: "flux/ks/apps", needs: both, waits: notWaited,
			make: func(p place) {
				p.apply(fluxed(p, p.repo(map[string]string{"kustomization.yaml": "resources: [nope.yaml]\n"}).URL, ""))
				p.until("Failed", "flux/ks/apps")
				p.patch(kustomizations, "Kustomization", "apps", `{"metadata":{"finalizers":["finalizers.fluxcd.io","lab.example.org/hold"]}}`)
				p.releaseAfterwards(kustomizations, "Kustomization", "apps")
				if err := shared.Delete(p.Context(), p.ns, strings.Split(fluxed(p, "x", ""), "---")[1]); err != nil {
					p.Fatal(err)
				}
			},
			says: []moment{{after: 5 * second, verdict: "InProgress", says: "lab.example.org/hold"}, {after: 40 * second, verdict: "InProgress", says: "lab.example.org/hold", never: "is it running"}},
		},
	})
}

// What is waited for right after a push is what was pushed, every time.
func TestFluxEveryPushIsWaitedFor(t *testing.T) {
	play(t, []scenario{{
		name: "good and bad ones", source: "flux/ks/apps", needs: "source-controller kustomize-controller", waits: notWaited,
		make: func(p place) {
			r := healthy(p, ", wait: true, timeout: 20s")
			for i := range 30 {
				image := fmt.Sprintf("registry.example.com/app:good-%d", i)
				p.push(r, map[string]string{"web.yaml": deployment("web", image, "", "")})
				p.reconcile(sources, "GitRepository", "src")
				code, out := p.ktui("wait", "flux/ks/apps", "--timeout=90s")
				if now := p.image("web"); code != 0 || now != image {
					p.Errorf("good push %d: exit %d, and %s runs\n%s", i, code, now, out)
				}
				p.push(r, map[string]string{"web.yaml": deployment("web", image, "", ""), "kustomization.yaml": "resources: [nope.yaml]\n"})
				p.reconcile(sources, "GitRepository", "src")
				if code, out := p.ktui("wait", "flux/ks/apps", "--timeout=8s"); code == 0 || code == 4 {
					p.Errorf("bad push %d: exit %d\n%s", i, code, out)
				}
			}
		},
	}})
}

// image is that of a Deployment's first container.
func (p place) image(name string) string {
	on, err := shared.Kind(p.Context(), "apps/v1", "Deployment", p.ns)
	if err != nil {
		p.Fatal(err)
	}
	o, err := on.Get(p.Context(), name, metav1.GetOptions{})
	if err != nil {
		p.Fatal(err)
	}
	template := o.Object["spec"].(map[string]any)["template"].(map[string]any)
	return template["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["image"].(string)
}

// Charts are source-controller's; releases are helm-controller's, which the proxy
// does not serve.
func TestChartsAreJudgedByWhatFluxWrites(t *testing.T) {
	chart := func(version string) func(place) {
		return func(p place) {
			if err := server.AddChart(p.ns, "1.0.0", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"); err != nil {
				p.Fatal(err)
			}
			p.apply(fmt.Sprintf(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts}
spec: {interval: 10s, url: "%s/charts/"}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmChart
metadata: {name: app}
spec: {interval: 20s, chart: %s, version: %q, sourceRef: {kind: HelmRepository, name: charts}}
`, server.URL, p.ns, version))
		}
	}
	play(t, []scenario{
		{
			name: "healthy", source: "helmchart/app helmrepository/charts", needs: "source-controller", make: chart("1.0.0"),
			says: []moment{{after: 40 * second, verdict: "Current"}},
		},
		{
			name: "no such version", source: "helmchart/app", needs: "source-controller", make: chart("9.9.9"), waits: 2,
			says: []moment{{after: 5 * second, verdict: "InProgress|Failed", never: guesses}, {after: 40 * second, verdict: "Failed", says: `9\.9\.9`, never: guesses}},
		},
	})
}
