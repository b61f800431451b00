package cluster

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// grantStandingRights writes the roles of the users and binds those that have
// theirs everywhere and from the start.
func (c *Cluster) grantStandingRights(ctx context.Context) error {
	role := func(name, verbs string) string {
		return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "kstatus-tui:%s"}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [%s]}
`, name, verbs)
	}
	bind := func(name string, u User) string {
		return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "kstatus-tui:%s"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "kstatus-tui:%s"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]
`, u, name, u)
	}
	return c.Apply(ctx, "",
		role("view", "get, list, watch")+role("get", "get")+bind("view", ReadOnly)+bind("get", GetOnly))
}

// AllowIn gives u the named verbs on every resource in a namespace, instead of
// what an earlier AllowIn gave there. It returns when the API server knows of them.
func (c *Cluster) AllowIn(ctx context.Context, namespace string, u User, verbs ...string) error {
	err := c.Apply(ctx, namespace, fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "%[1]s"}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [%[2]s]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: "%[1]s"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: "%[1]s"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: "%[1]s"}]
`, u, strings.Join(verbs, ", ")))
	for _, verb := range verbs {
		if err == nil {
			err = c.WaitAllowed(ctx, namespace, u, verb, "", "pods", "")
		}
	}
	return err
}

// WaitAllowed returns when u may do something in a namespace. A role and its
// binding are written a moment before the API server judges by them.
func (c *Cluster) WaitAllowed(ctx context.Context, namespace string, u User, verb, group, resource, name string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reviews := c.client.Resource(
		schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"})
	err := poll(ctx, func() (bool, error) {
		review, err := reviews.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
			"spec": map[string]any{"user": string(u), "resourceAttributes": map[string]any{
				"namespace": namespace, "verb": verb, "group": group, "resource": resource, "name": name,
			}},
		}}, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		allowed, _, _ := unstructured.NestedBool(review.Object, "status", "allowed")
		return allowed, nil
	})
	if err != nil {
		return fmt.Errorf("wait until %s may %s %s in %s: %w", u, verb, resource, namespace, err)
	}
	return nil
}

// Forbid takes back what [Cluster.AllowIn] gave. The API server goes on serving
// watches that are open; it refuses the next request.
func (c *Cluster) Forbid(ctx context.Context, namespace string, u User) error {
	bindings := c.client.Resource(schema.GroupVersionResource{
		Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings",
	}).Namespace(namespace)
	err := bindings.Delete(ctx, string(u), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
