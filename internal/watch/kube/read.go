package kube

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Body gets one object as JSON; with sparing, only the metadata of a Secret.
func (c *Client) Body(ctx context.Context, res Resource, id object.ID, sparing bool) (body map[string]any, err error) {
	accept := AcceptJSON
	if sparing && res.Group == "" && res.Kind == "Secret" {
		accept = AcceptMetadata
	}
	err = c.ReadJSON(ctx, res.Path(id.Namespace)+"/"+id.Name, nil, accept, &body, res.ObjectKind(), PartialMetadata)
	return body, err
}

// ListMetadata lists the metadata of objects.
func (c *Client) ListMetadata(ctx context.Context, res Resource, namespace string, q url.Values) ([]metav1.PartialObjectMetadata, error) {
	if strings.Contains(namespace, "*") {
		namespace = ""
	}
	var list metav1.PartialObjectMetadataList
	err := c.ReadJSON(ctx, res.Path(namespace), q, AcceptMetadataList, &list, PartialMetadataList, res.ListKind())
	return list.Items, err
}

// requestsMost bounds the concurrent requests of [Each].
const requestsMost = 6

// Each calls do n times, with some concurrency, and returns the first error.
func Each(n int, do func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(requestsMost)
	for i := range n {
		g.Go(func() error { return do(i) })
	}
	return g.Wait()
}
