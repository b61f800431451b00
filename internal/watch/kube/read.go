package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

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

// Count returns the number of objects, by a request with limit=1.
func (c *Client) Count(ctx context.Context, res Resource, namespace string) (int, error) {
	var l struct {
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := c.ReadJSON(ctx, res.Path(namespace), url.Values{"limit": {"1"}}, AcceptMetadataList, &l, PartialMetadataList, res.ListKind()); err != nil {
		return 0, err
	}
	n := len(l.Items)
	if l.Metadata.RemainingItemCount != nil {
		n += int(*l.Metadata.RemainingItemCount)
	}
	return n, nil
}

// MayWatch reports whether an area may be watched, by a watch that matches
// nothing.
func (c *Client) MayWatch(ctx context.Context, res Resource, namespace string) bool {
	ctx, cancel := context.WithTimeout(ctx, HeaderPatience)
	defer cancel()
	body, err := c.Get(ctx, res.Path(namespace), url.Values{"watch": {"true"}, "labelSelector": {"kstatus-tui/none"}, "timeoutSeconds": {"1"}}, AcceptJSON)
	if err != nil {
		return false
	}
	return body.Close() == nil
}

// requestsMost bounds the concurrent requests of [Each].
const requestsMost = 6

// Each calls do n times, with some concurrency, and returns the first error.
func Each(n int, do func(i int) error) error {
	limit := make(chan struct{}, requestsMost)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			errs[i] = do(i)
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}
