package kube

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/problem"
)

// IsDecodeError reports whether an answer arrived but is not what was
// requested.
func IsDecodeError(err error) bool {
	if errors.Is(err, errFrameTooLong) || IsForeign(err) {
		return true
	}
	if _, ok := errors.AsType[*BoundError](err); ok {
		return true
	}
	_, ok := errors.AsType[*DecodeError](err)
	return ok
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
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection broke off"
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error() // without the long address, which is known
	}
	return err.Error()
}

// GetError explains why an object could not be read.
func GetError(id object.ID, err error) error {
	if Code(err) != 0 {
		return fmt.Errorf("get %s: %s", id, object.Clean(ErrorText(err)))
	}
	return fmt.Errorf("get %s: %w", id, err)
}
