package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Body gets one object as JSON; with sparing, only the metadata of a Secret.
func (c *Client) Body(ctx context.Context, res Resource, id object.ID, sparing bool) (map[string]any, error) {
	accept := AcceptJSON
	if sparing && res.Group == "" && res.Kind == "Secret" {
		accept = AcceptMetadata
	}
	data, err := c.Read(ctx, res.Path(id.Namespace)+"/"+id.Name, nil, accept)
	if err == nil {
		err = CheckKind(data, res.ObjectKind(), PartialMetadata)
	}
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return body, nil
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
