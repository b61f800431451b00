package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// patience is for what a server, or a controller after the server's restart,
// does at once on an idle machine.
const patience = 2 * time.Minute

func newMapper(config *rest.Config) (*restmapper.DeferredDiscoveryRESTMapper, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client)), nil
}

// Objects reads a manifest: YAML documents or JSON, Lists taken apart.
func Objects(manifest []byte) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		obj := &unstructured.Unstructured{}
		err := decoder.Decode(&obj.Object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		if len(obj.Object) == 0 {
			continue
		}
		if obj.IsList() {
			list, err := obj.ToList()
			if err != nil {
				return nil, err
			}
			for i := range list.Items {
				all = append(all, &list.Items[i])
			}
			continue
		}
		all = append(all, obj)
	}
}

// Apply server-side-applies a manifest as the admin, objects without a
// namespace into namespace. Kinds that the manifest itself defines are waited
// for.
func (c *Cluster) Apply(ctx context.Context, namespace, manifest string) error {
	return c.ApplyAs(ctx, "kstatus-tui-e2e", namespace, manifest)
}

// ApplyAs is [Cluster.Apply] with a field manager of the caller's choosing.
func (c *Cluster) ApplyAs(ctx context.Context, manager, namespace, manifest string) error {
	objs, err := Objects([]byte(manifest))
	if err != nil {
		return err
	}
	for _, obj := range objs {
		to, err := c.resource(ctx, obj.GroupVersionKind(), namespace, obj.GetNamespace())
		if err != nil {
			return err
		}
		// A kind just defined is in the discovery a moment before it is served.
		deadline := time.Now().Add(patience)
		err = poll(ctx, func() (bool, error) {
			_, err := to.Apply(ctx, obj.GetName(), obj, metav1.ApplyOptions{FieldManager: manager, Force: true})
			if apierrors.IsNotFound(err) && time.Now().Before(deadline) {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
	return nil
}

// Established waits until the kinds of all CustomResourceDefinitions are served. A
// controller that asks for one before that ends.
func (c *Cluster) Established(ctx context.Context) error {
	definitions, err := c.Kind(ctx, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "")
	if err != nil {
		return err
	}
	deadline := time.Now().Add(patience)
	return poll(ctx, func() (bool, error) {
		list, err := definitions.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, d := range list.Items {
			if !established(&d) {
				if time.Now().After(deadline) {
					return false, fmt.Errorf("%s is not served", d.GetName())
				}
				return false, nil
			}
		}
		return true, nil
	})
}

func established(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["type"] == "Established" && condition["status"] == "True"
	})
}

// Delete deletes what a manifest names, in the background as kubectl does. What
// is gone already is fine.
func (c *Cluster) Delete(ctx context.Context, namespace, manifest string) error {
	objs, err := Objects([]byte(manifest))
	if err != nil {
		return err
	}
	for _, obj := range objs {
		from, err := c.resource(ctx, obj.GroupVersionKind(), namespace, obj.GetNamespace())
		if err != nil {
			return err
		}
		err = from.Delete(ctx, obj.GetName(),
			metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
	return nil
}

// Kind is the client for all objects of a kind in a namespace ("" for kinds
// without), such as apps/v1 Deployment.
func (c *Cluster) Kind(ctx context.Context, apiVersion, kind, namespace string) (dynamic.ResourceInterface, error) {
	return c.resource(ctx, schema.FromAPIVersionAndKind(apiVersion, kind), namespace, "")
}

// PatchStatus merges a JSON patch into an object's status, in place of a
// controller that does not run here.
func (c *Cluster) PatchStatus(ctx context.Context, apiVersion, kind, namespace, name, patch string) error {
	on, err := c.Kind(ctx, apiVersion, kind, namespace)
	if err != nil {
		return err
	}
	_, err = on.Patch(ctx, name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "controller"}, "status")
	return err
}

// resource finds the client for a kind, waiting a while for one that has just
// been defined.
func (c *Cluster) resource(
	ctx context.Context, kind schema.GroupVersionKind, fallback, own string,
) (dynamic.ResourceInterface, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var mapping *meta.RESTMapping
	err := poll(ctx, func() (bool, error) {
		var err error
		mapping, err = c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) {
			c.mapper.Reset()
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", kind, err)
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return c.client.Resource(mapping.Resource), nil
	}
	if own == "" {
		own = fallback
	}
	return c.client.Resource(mapping.Resource).Namespace(own), nil
}

// CreateNamespace makes a namespace and waits until Pods can be made in it.
// The name is prefix and a random end; an exact name is kept where exact.
func (c *Cluster) CreateNamespace(ctx context.Context, name string, exact bool) (string, error) {
	namespaces := c.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	if exact {
		obj.SetName(name)
	} else {
		obj.SetGenerateName(name + "-")
	}
	made, err := namespaces.Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("create namespace: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	accounts := c.client.Resource(
		schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}).Namespace(made.GetName())
	err = poll(ctx, func() (bool, error) {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return "", fmt.Errorf("wait for the default account of namespace %s: %w", made.GetName(), err)
	}
	return made.GetName(), nil
}

// DeleteNamespace starts the deletion of a namespace and does not wait.
func (c *Cluster) DeleteNamespace(ctx context.Context, name string) error {
	namespaces := c.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	return namespaces.Delete(ctx, name, metav1.DeleteOptions{})
}

// CreateVolume makes a PersistentVolume of a gibibyte of storage class "manual",
// to which a claim of that class in any namespace gets bound.
func (c *Cluster) CreateVolume(ctx context.Context, name string) error {
	return c.Apply(ctx, "", fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Delete
  storageClassName: manual
  hostPath: {path: /var/lib/none}
`, name))
}

func (c *Cluster) createNode(ctx context.Context, name string) error {
	return c.Apply(ctx, "", fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata:
  name: %[1]s
  labels: {kubernetes.io/hostname: %[1]s, kubernetes.io/os: linux, kubernetes.io/arch: amd64}
status:
  allocatable: {cpu: "640", memory: 2560Gi, pods: "30000"}
  capacity: {cpu: "640", memory: 2560Gi, pods: "30000"}
`, name))
}

func (c *Cluster) waitForNode(ctx context.Context, name string) error {
	nodes := c.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
	return poll(ctx, func() (bool, error) {
		for _, program := range []string{"kube-controller-manager", "kube-scheduler", "kwok"} {
			if c.process(program).ended() {
				return false, fmt.Errorf("%s ended", program)
			}
		}
		node, err := nodes.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		// The taint of a node that is not ready is taken off a moment after
		// the condition turned.
		taints, _, _ := unstructured.NestedSlice(node.Object, "spec", "taints")
		conditions, _, _ := unstructured.NestedSlice(node.Object, "status", "conditions")
		for _, condition := range conditions {
			if m, ok := condition.(map[string]any); ok && m["type"] == "Ready" && m["status"] == "True" {
				return len(taints) == 0, nil
			}
		}
		return false, nil
	})
}
