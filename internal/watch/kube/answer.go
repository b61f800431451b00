package kube

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Answers need not come from the API server. One that is neither a Status nor
// an object or list of the requested kind is evidence of nothing.

// foreignError is an answer that is not the API server's.
type foreignError struct {
	code int    // the HTTP status
	text string // a description
}

func (f *foreignError) Error() string { return f.text }

// IsForeign reports whether an answer is not the API server's: it is evidence
// of nothing.
func IsForeign(err error) bool {
	_, ok := errors.AsType[*foreignError](err)
	return ok
}

// Foreign describes an answer by its first bytes.
func Foreign(code int, contentType string, body []byte) error {
	what := "no answer of an API server"
	body = bytes.TrimSpace(body)
	line, _, _ := bytes.Cut(body, []byte("\n"))
	switch {
	case strings.HasPrefix(contentType, "text/html") || bytes.HasPrefix(body, []byte("<")):
		what = "HTML (a proxy or login page?)"
	case len(body) == 0:
		what = "an empty answer"
	case body[0] == '{':
		what = "JSON without the kind of a Kubernetes object"
	case utf8.Valid(line):
		what = strconv.Quote(string(line[:min(len(line), 60)]))
	}
	if code/100 != 2 {
		what += fmt.Sprintf(" (%d)", code)
	}
	return &foreignError{code, "not Kubernetes: " + what}
}

// blunt reports whether an HTTP error means the same from any server: it is
// about the connection, the credentials or the load, not about existence or
// permissions.
func blunt(code int) bool {
	switch code {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return code >= 500
}

// IsNotFound reports whether an object or path may not exist, whichever server
// says so. For a kind that it does not serve, an API server answers "404 page
// not found" in plain text: see Resolver.Missing.
func IsNotFound(err error) bool {
	if f, ok := errors.AsType[*foreignError](err); ok {
		return f.code == http.StatusNotFound
	}
	return Code(err) == http.StatusNotFound
}

// TypeMeta is the apiVersion and kind of an answer.
type TypeMeta struct{ apiVersion, kind string }

func (t TypeMeta) String() string { return t.kind + " (" + t.apiVersion + ")" }

// Types of answers that are not objects of a resource.
var (
	PartialMetadata     = TypeMeta{"meta.k8s.io/v1", "PartialObjectMetadata"}
	PartialMetadataList = TypeMeta{"meta.k8s.io/v1", "PartialObjectMetadataList"}
	Table               = TypeMeta{"meta.k8s.io/v1", "Table"}
	watchEvent          = TypeMeta{"v1", "WatchEvent"}
	StatusKind          = TypeMeta{"v1", "Status"}
)

// ObjectKind and ListKind are the types of a resource's objects and lists.
func (r Resource) ObjectKind() TypeMeta {
	if r.Group == "" {
		return TypeMeta{r.Version, r.Kind}
	}
	return TypeMeta{r.Group + "/" + r.Version, r.Kind}
}

func (r Resource) kind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
}

func (r Resource) ListKind() TypeMeta {
	t := r.ObjectKind()
	t.kind += "List"
	return t
}

// wrongKind is the error of an answer of another type than requested.
func wrongKind(got, want TypeMeta) error {
	return &foreignError{http.StatusOK, fmt.Sprintf("not what was asked for: %s instead of %s", got, want)}
}

// CheckKind reports whether a JSON object is one of the types.
func CheckKind(b []byte, want ...TypeMeta) error {
	var got struct{ APIVersion, Kind string }
	if err := json.Unmarshal(b, &got); err != nil && len(b) > 0 && b[0] == '{' {
		return err
	}
	return isOneOf(TypeMeta{got.APIVersion, got.Kind}, b, want...)
}

func isOneOf(got TypeMeta, b []byte, want ...TypeMeta) error {
	switch {
	case slices.Contains(want, got):
		return nil
	case got.kind == "" || got.apiVersion == "":
		return Foreign(http.StatusOK, "", b)
	}
	return wrongKind(got, want[0])
}

// Bounds of an answer. etcd accepts objects of 1.5 MB, and a page of a list has
// at most 500 of them, usually of some KB. Watch events and log lines have
// bounds of their own.
const (
	singleBound = 32 << 20
	PageBound   = 64 << 20
	listBound   = 256 << 20 // of a list that is not requested in pages
)

// BoundError is an answer that exceeds its bound.
type BoundError struct {
	path  string
	bound int64
}

func (b *BoundError) Error() string {
	return fmt.Sprintf("the answer to %s is longer than %d MiB, and was given up", b.path, b.bound>>20)
}

// bounded is a body that fails beyond its bound.
type bounded struct {
	io.ReadCloser
	left int64
	err  error
}

func newBounded(body io.ReadCloser, path string, page bool) *bounded {
	most := int64(singleBound)
	switch {
	case isCollection(path) && page:
		most = PageBound
	case isCollection(path):
		most = listBound
	}
	return &bounded{body, most, &BoundError{path, most}}
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.err
	}
	return n, err
}

// isCollection tells the path of a list from that of an object or of a
// non-resource URL.
func isCollection(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return len(parts) == 1
}

// redirectError is a redirect to another server.
type redirectError struct{ to string }

func (r *redirectError) Error() string {
	return "the server redirects to " + r.to + "; not followed, because the credentials would go there"
}

// sameOrigin refuses redirects to another scheme, host or port: client-go would
// send the credentials there.
func sameOrigin(r *http.Request, via []*http.Request) error {
	from := via[0].URL
	if r.URL.Scheme != from.Scheme || r.URL.Host != from.Host {
		return &redirectError{r.URL.Scheme + "://" + r.URL.Host}
	}
	if len(via) >= 10 {
		return errors.New("the server redirects again and again")
	}
	return nil
}
