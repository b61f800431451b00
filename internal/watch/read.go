package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// fetchBody gets one object as JSON; of a Secret, with sparing, the metadata
// alone.
func (c *client) fetchBody(ctx context.Context, res resource, id object.ID, sparing bool) (map[string]any, error) {
	accept := acceptJSON
	if sparing && res.Group == "" && res.Kind == "Secret" {
		accept = acceptMetaJSON
	}
	data, err := c.read(ctx, res.path(id.Namespace)+"/"+id.Name, nil, accept)
	if err == nil {
		err = isJSON(data, res.object(), partial)
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

// listMeta lists the metadata of objects.
func (c *client) listMeta(ctx context.Context, res resource, namespace string, q url.Values) ([]metav1.PartialObjectMetadata, error) {
	if strings.Contains(namespace, "*") {
		namespace = ""
	}
	var list metav1.PartialObjectMetadataList
	err := c.readJSON(ctx, res.path(namespace), q, acceptMetaListJSON, &list, partialList, res.list())
	return list.Items, err
}

// count asks how many objects there are, in one tiny request.
func (c *client) count(ctx context.Context, res resource, namespace string) (int, error) {
	var l struct {
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := c.readJSON(ctx, res.path(namespace), url.Values{"limit": {"1"}}, acceptMetaListJSON, &l, partialList, res.list()); err != nil {
		return 0, err
	}
	n := len(l.Items)
	if l.Metadata.RemainingItemCount != nil {
		n += int(*l.Metadata.RemainingItemCount)
	}
	return n, nil
}

// mayWatch asks for a watch of an area that shows nothing of it.
func (c *client) mayWatch(ctx context.Context, res resource, namespace string) bool {
	ctx, cancel := context.WithTimeout(ctx, headerPatience)
	defer cancel()
	body, err := c.get(ctx, res.path(namespace), url.Values{"watch": {"true"}, "labelSelector": {"kstatus-tui/none"}, "timeoutSeconds": {"1"}}, acceptJSON)
	if err != nil {
		return false
	}
	return body.Close() == nil
}
