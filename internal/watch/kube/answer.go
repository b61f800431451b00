package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializerjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/discovery"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// foreignError is an answer that is not the API server's: it is neither a Status
// nor of the requested kind.
type foreignError struct {
	code int                     // the HTTP status
	text string                  // a description
	got  schema.GroupVersionKind // what it is instead, if it says so
}

func (f *foreignError) Error() string { return f.text }

// IsForeign reports whether an answer is not the API server's: it is evidence
// of nothing.
func IsForeign(err error) bool {
	_, ok := errors.AsType[*foreignError](err)
	return ok
}

// IsListOf reports whether a list of a resource was the answer to another request. A server that
// does not watch may ignore that it was asked to.
func IsListOf(err error, res Resource) bool {
	f, ok := errors.AsType[*foreignError](err)
	return ok && (f.got == res.ListKind() || f.got == PartialMetadataList && res.Enc == Metadata)
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
	return &foreignError{code: code, text: "not Kubernetes: " + what}
}

// blunt reports whether an HTTP error means the same from any server: it is
// about the connection, the credentials or the load, not about existence or
// permissions.
func blunt(code int) bool {
	return code >= 500 || slices.Contains([]int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge,
	}, code)
}

// IsNotFound reports whether an object or path may not exist, whichever server
// says so. For a kind that it does not serve, an API server answers "404 page
// not found" in plain text: see resolve.Resolver.Missing.
func IsNotFound(err error) bool {
	if f, ok := errors.AsType[*foreignError](err); ok {
		return f.code == http.StatusNotFound
	}
	return Code(err) == http.StatusNotFound
}

// Types of answers that are not objects of a resource.
var (
	PartialMetadata     = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	PartialMetadataList = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList")
	Table               = metav1.SchemeGroupVersion.WithKind("Table")
	watchEvent          = metav1.Unversioned.WithKind("WatchEvent")
)

// ObjectKind and ListKind are the types of a resource's objects and lists.
func (r Resource) ObjectKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
}

func (r Resource) ListKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind + "List"}
}

// answers are the types of an answer: metadata is none for what is wanted whole.
func (r Resource) answers(opts convert.Options, own, metadata schema.GroupVersionKind) []schema.GroupVersionKind {
	if r.Enc != Metadata || opts.Whole {
		return []schema.GroupVersionKind{own}
	}
	return []schema.GroupVersionKind{own, metadata}
}

// wrongKind is the error of an answer of another type than requested.
func wrongKind(got, want schema.GroupVersionKind) error {
	text := fmt.Sprintf("not what was asked for: %s (%s) instead of %s (%s)", got.Kind, got.GroupVersion(),
		want.Kind, want.GroupVersion())
	return &foreignError{code: http.StatusOK, text: text, got: got}
}

// Another is the error of an answer that is another object than requested.
func Another(got, want string) error {
	return &foreignError{
		code: http.StatusOK,
		text: fmt.Sprintf("not what was asked for: %q instead of %q", object.Clean(got), want),
	}
}

// CheckKind reports whether a JSON object is one of the types.
func CheckKind(b []byte, want ...schema.GroupVersionKind) error {
	got, err := serializerjson.DefaultMetaFactory.Interpret(b)
	if err != nil {
		return undecodable(b, err)
	}
	return isOneOf(*got, b, want...)
}

func isOneOf(got schema.GroupVersionKind, b []byte, want ...schema.GroupVersionKind) error {
	switch {
	case slices.Contains(want, got):
		return nil
	case got.Kind == "" || got.Version == "":
		return Foreign(http.StatusOK, "", b)
	}
	return wrongKind(got, want[0])
}

// Bound is the most that is read of an answer. etcd accepts objects of 1.5 MB,
// and a page of a list has at most 500 of them, usually of some KB. Watch events
// and log lines have bounds of their own.
const Bound = 64 << 20

// BoundError is an answer that exceeds the bound.
type BoundError struct{ path string }

func (b *BoundError) Error() string {
	return fmt.Sprintf("the answer to %s is longer than %d MiB, and was given up", b.path, Bound>>20)
}

// statusError converts an error answer, which need not come from an API server.
func statusError(resp *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		data = nil // the text is incomplete
	}
	st, ok := asStatus(data)
	switch {
	case ok:
		return &apierrors.StatusError{ErrStatus: st}
	case blunt(resp.StatusCode):
		text := strings.TrimSpace(string(data[:min(len(data), 200)]))
		if strings.HasPrefix(text, "<") || text == "" {
			text = resp.Status
		}
		retry, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		g := apierrors.NewGenericServerResponse(resp.StatusCode, "get", schema.GroupResource{}, "", text, retry, true)
		g.ErrStatus.Message = text
		return g
	case err != nil:
		return err
	}
	return Foreign(resp.StatusCode, resp.Header.Get("Content-Type"), data)
}

// IsDecodeError reports whether an answer arrived but is not what was
// requested.
func IsDecodeError(err error) bool {
	_, undecodable := errors.AsType[*DecodeError](err)
	_, tooLong := errors.AsType[*BoundError](err)
	return undecodable || tooLong || IsForeign(err) || errors.Is(err, &discovery.ErrGroupDiscoveryFailed{})
}

// ErrorText is an error in one line for people.
func ErrorText(err error) string {
	if p, ok := errors.AsType[*problem.Error](err); ok {
		return p.Text
	}
	if s, ok := errors.AsType[*apierrors.StatusError](err); ok && s.ErrStatus.Message != "" {
		text := s.ErrStatus.Message
		if Code(err) == http.StatusForbidden {
			return feed.Refusal(text)
		}
		if c := Code(err); (c >= 500 || c == 429) && !strings.HasPrefix(text, strconv.Itoa(c)) {
			text += " (" + strconv.Itoa(c) + ")"
		}
		return text
	}
	switch {
	case strings.Contains(err.Error(), "client connection lost"): // an unanswered HTTP/2 ping
		return ErrNoAnswer.Error()
	case strings.Contains(err.Error(), "GOAWAY"):
		return "the server closed the connection"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return "the connection broke off"
	}
	return withoutURL(err).Error()
}

// GetError explains why an object could not be read.
func GetError(id object.ID, err error) error {
	if Code(err) != 0 {
		return fmt.Errorf("get %s: %s", id, object.Clean(ErrorText(err)))
	}
	return fmt.Errorf("get %s: %w", id, err)
}

// withoutURL removes the URL from a transport's error: it is long, known, and
// may hold confidential parameters.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// Code is the HTTP status of an error; 0 if it is not an API server's answer.
func Code(err error) int {
	if s, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return int(s.ErrStatus.Code)
	}
	return 0
}

// RetryAfterMax bounds Retry-After: a maintenance page may ask for an hour.
const RetryAfterMax = time.Minute

// RetryAfter is the delay that a server asks for, or def.
func RetryAfter(err error, def time.Duration) time.Duration {
	if s, ok := apierrors.SuggestsClientDelay(err); ok && s > 0 {
		return min(time.Duration(s)*time.Second, RetryAfterMax)
	}
	return def
}
