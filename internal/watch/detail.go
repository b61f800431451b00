package watch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/inventory"
	"github.com/kstatus-tui/kstatus-tui/internal/mask"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/resolve"
)

// Detail implements feed.Feed. Only the metadata of a Secret is fetched; what
// looks like a secret in other objects is masked.
func (e *Engine) Detail(ctx context.Context, id object.ID) (feed.Detail, error) {
	if id == inventory.HelmReleaseID(id.Namespace, id.Name) {
		o := e.object(id)
		if o == nil {
			return feed.Detail{}, fmt.Errorf("%s is known by the labels of its objects alone", id)
		}
		text, err := render(map[string]any{
			"status":   map[string]any{"conditions": o.Conditions, "release": o.Tree["status"]},
			"metadata": map[string]any{"name": id.Name, "namespace": id.Namespace},
		}, e.opts.Secrets)
		text = "# Helm keeps no object for a release: this is from its newest revision\n" + text
		return feed.Detail{ID: id, YAML: text, At: time.Now()}, err
	}
	res, ok := e.resolver.Kind(id.Group, id.Kind)
	if !ok {
		return feed.Detail{}, fmt.Errorf("%s: %w", id, resolve.ErrNotServed)
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	secret := id.Group == "" && id.Kind == "Secret"
	obj, err := e.client.Body(ctx, res, id, true)
	if err != nil {
		return feed.Detail{}, kube.GetError(id, err)
	}
	if secret {
		obj["apiVersion"], obj["kind"] = "v1", "Secret"
		delete(obj, "data") // in case the server ignores the Accept header
		delete(obj, "stringData")
	}
	text, err := render(obj, e.opts.Secrets)
	if secret {
		text += "# data: never fetched\n"
	}
	return feed.Detail{ID: id, YAML: text, At: time.Now()}, err
}

// render prints an object for people: status first, without managedFields and
// kubectl's last-applied annotation, secrets masked unless they are asked for.
func render(obj map[string]any, secrets bool) (string, error) {
	clean := object.Printable
	if !secrets {
		masked, _ := mask.Value(obj)
		obj, clean = masked.(map[string]any), object.Clean
	}
	unstructured.RemoveNestedField(obj, "metadata", "managedFields")
	unstructured.RemoveNestedField(obj, "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
	if a, ok, _ := unstructured.NestedMap(obj, "metadata", "annotations"); ok && len(a) == 0 {
		unstructured.RemoveNestedField(obj, "metadata", "annotations")
	}
	var b strings.Builder
	first := []string{"status", "apiVersion", "kind", "metadata", "spec"}
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(obj)), func(k string) bool { return slices.Contains(first, k) })
	for _, k := range append(first, rest...) {
		v, ok := obj[k]
		if !ok {
			continue
		}
		part, err := yaml.Marshal(map[string]any{k: v})
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(string(part)) {
			b.WriteString(clean(strings.TrimRight(line, "\n")) + "\n")
		}
	}
	return b.String(), nil
}
