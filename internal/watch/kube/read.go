package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Encoding is the encoding in which a resource is requested.
type Encoding uint8

const (
	// JSON is for custom kinds, and built-in kinds whose rules read the tree.
	JSON Encoding = iota
	// Protobuf is for other built-in kinds.
	Protobuf
	// Metadata is PartialObjectMetadata in protobuf, for kinds whose only
	// status is to exist. No Secret's payload enters the process this way.
	Metadata
)

// Resource is a served resource. It is comparable.
type Resource struct {
	Group, Version, Plural, Kind string
	Namespaced                   bool
	Enc                          Encoding
}

// Path is the URL path of its objects in a namespace or, for "", of all.
func (r Resource) Path(namespace string) string {
	p := "/apis/" + r.Group + "/" + r.Version
	if r.Group == "" {
		p = "/api/" + r.Version
	}
	if r.Namespaced && namespace != "" {
		p += "/namespaces/" + namespace
	}
	return p + "/" + r.Plural
}

// ID returns the ID of an object, without the namespace if the resource has none.
func (r Resource) ID(namespace, name string) object.ID {
	if !r.Namespaced {
		namespace = ""
	}
	return object.ID{Group: r.Group, Kind: r.Kind, Namespace: namespace, Name: name}
}

// String is kubectl's form: deployments.apps.
func (r Resource) String() string {
	return schema.GroupResource{Group: r.Group, Resource: r.Plural}.String()
}

// Accept headers. JSON is the second choice everywhere, because aggregated API
// servers and custom resources need not support protobuf.
const (
	AcceptText = "*/*" // for logs alone
	AcceptJSON = "application/json"
	// The table of kubectl get: a Secret's type, number of keys and metadata, no values.
	AcceptTable = AcceptJSON + ";as=Table;g=meta.k8s.io;v=v1," + acceptMetadata

	acceptMetadata = AcceptJSON + asMetadata
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
		return acceptProtobuf + asMetadata + "," + acceptMetadata
	}
	return AcceptJSON
}

// Get returns an answer once its headers have arrived. A status other than 2xx
// is an error: an *apierrors.StatusError, or a *foreignError if it is not the
// API server's. The caller must close the answer, which also ends the request.
func (c *Client) Get(ctx context.Context, path string, query url.Values, accept string) (io.ReadCloser, error) {
	r := rest.NewRequestWithClient(c.base, "", rest.ClientContentConfig{}, &http.Client{Transport: c}).
		Verb(http.MethodGet).RequestURI((&url.URL{Path: path, RawQuery: query.Encode()}).String()).
		SetHeader("Accept", accept).WarningHandler(c).MaxRetries(0) // sources retry, visibly
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

// Watch opens a watch. The objects of its events are *runtime.Unknown; the Tap
// says why it ended.
func (c *Client) Watch(
	ctx context.Context, path string, query url.Values, accept string,
) (kwatch.Interface, *Tap, error) {
	body, err := c.Get(ctx, path, query, accept)
	if err != nil {
		return nil, nil, err
	}
	t := &Tap{body: body}
	return kwatch.NewStreamWatcher(t,
		apierrors.NewClientErrorReporter(http.StatusInternalServerError, http.MethodGet, "")), t, nil
}

// Body gets one object as JSON; with sparing, only the metadata of a Secret.
func (c *Client) Body(ctx context.Context, res Resource, id object.ID, sparing bool) (body map[string]any, err error) {
	accept, form := AcceptJSON, res.ObjectKind()
	if sparing && res.Group == "" && res.Kind == "Secret" {
		accept, form = acceptMetadata, PartialMetadata
	}
	data, err := c.Read(ctx, res.Path(id.Namespace)+"/"+id.Name, nil, accept)
	if err == nil {
		err = cmp.Or(CheckKind(data, res.ObjectKind(), form), json.Unmarshal(data, &body))
	}
	name, _ := object.At(body, "metadata", "name").(string)
	namespace, _ := object.At(body, "metadata", "namespace").(string)
	if got := res.ID(namespace, name); err == nil && got != res.ID(id.Namespace, id.Name) {
		return nil, Another(got.String(), id.String())
	}
	return body, err
}

// List lists objects, or their metadata.
func (c *Client) List(ctx context.Context, res Resource, namespace string, q url.Values, whole bool) (Page, error) {
	accept := AcceptJSON
	if !whole {
		res.Enc = Metadata
		accept = AcceptJSON + asMetadataList + "," + AcceptJSON
	}
	data, err := c.Read(ctx, res.Path(namespace), q, accept)
	if err != nil {
		return Page{}, err
	}
	return DecodeList(data, res, convert.Options{Whole: whole})
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
