package kube

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Accept headers. JSON is the second choice everywhere, because aggregated API
// servers and custom resources need not support protobuf.
const (
	AcceptText         = "*/*" // for logs alone
	AcceptJSON         = "application/json"
	AcceptMetadata     = AcceptJSON + asMetadata
	AcceptMetadataList = AcceptJSON + asMetadataList + "," + AcceptJSON
	// The table that kubectl get prints: for a Secret its type and number of
	// keys, with its metadata, and no values.
	AcceptTable = AcceptJSON + ";as=Table;g=meta.k8s.io;v=v1," + AcceptMetadata

	acceptProtobuf = "application/vnd.kubernetes.protobuf"
	asMetadata     = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asMetadataList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// Accept returns the header for objects or lists in an encoding.
func Accept(e Encoding, list bool) string {
	switch {
	case e == Protobuf:
		return acceptProtobuf + "," + AcceptJSON
	case e == Metadata && list:
		return acceptProtobuf + asMetadataList + "," + AcceptJSON + asMetadataList
	case e == Metadata:
		return acceptProtobuf + asMetadata + "," + AcceptMetadata
	}
	return AcceptJSON
}

// Get returns an answer once its headers have arrived. A status other than 2xx
// is an error: an *apierrors.StatusError, or a *foreignError if it is not the
// API server's. The caller must close the answer, which also ends the request.
func (c *Client) Get(ctx context.Context, path string, query url.Values, accept string) (io.ReadCloser, error) {
	r := rest.NewRequestWithClient(c.base, "", rest.ClientContentConfig{}, &http.Client{Transport: c}).
		Verb(http.MethodGet).AbsPath(path).SetHeader("Accept", accept).WarningHandler(c).
		MaxRetries(0) // sources retry, visibly
	for key, values := range query {
		for _, v := range values {
			r.Param(key, v)
		}
	}
	body, err := r.Stream(ctx)
	return body, withoutURL(err)
}

// Read returns a whole answer.
func (c *Client) Read(ctx context.Context, path string, query url.Values, accept string) ([]byte, error) {
	body, err := c.Get(ctx, path, query, accept)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// ReadJSON reads a JSON answer of one of the types.
func (c *Client) ReadJSON(ctx context.Context, path string, query url.Values, accept string, v any, want ...schema.GroupVersionKind) error {
	data, err := c.Read(ctx, path, query, accept)
	if err != nil {
		return err
	}
	if err := CheckKind(data, want...); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// Watch opens a watch. The objects of its events are *runtime.Unknown; the Tap
// says why it ended.
func (c *Client) Watch(ctx context.Context, path string, query url.Values, accept string) (kwatch.Interface, *Tap, error) {
	body, err := c.Get(ctx, path, query, accept)
	if err != nil {
		return nil, nil, err
	}
	t := &Tap{body: body}
	return kwatch.NewStreamWatcher(t, apierrors.NewClientErrorReporter(http.StatusInternalServerError, http.MethodGet, "")), t, nil
}

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

// Each calls do n times, up to six at once, and returns the first error.
func Each(n int, do func(i int) error) error {
	var g errgroup.Group
	g.SetLimit(6)
	for i := range n {
		g.Go(func() error { return do(i) })
	}
	return g.Wait()
}
