package watch

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// errUpgrade says that a source polls because it may not watch, and that it is
// time to see whether it may again.
var errUpgrade = errors.New("try the better mode again")

// poll asks again and again, by list or (get) by name, until the mode has to
// change.
func (s *source) poll(get bool) error {
	began := time.Now()
	every := s.e.opts.Poll
	pace := max(every, pollMin)
	var last string
	for {
		if every == 0 && time.Since(began) > upgradeAfter {
			return errUpgrade
		}
		if err := s.slot(s.ctx); err != nil {
			return err
		}
		s.overdue()
		objects, rv, err := s.fetch(get)
		s.freeSlot()
		switch c := code(err); {
		case err == nil:
			s.fails.Store(0)
			s.e.hub.replace(s, objects, rv)
			s.live()
			if every > 0 {
				pace = every
			} else if rv == last {
				pace = min(pace*3/2, pollMax)
			} else {
				pace = pollMin
			}
			last = rv
			if err := sleep(s.ctx, pace); err != nil {
				return err
			}
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case c == 403:
			verb := "list"
			if get {
				verb = "get"
			}
			return &deniedError{verb, err}
		case notFound(err) && s.notServed(s.ctx, err):
			return errNotServed
		default:
			if err := s.pause(s.ctx, err); err != nil {
				return err
			}
		}
	}
}

// fetch gets all that the source follows once.
func (s *source) fetch(get bool) ([]*object.Object, string, error) {
	if get {
		o, err := s.getOne(s.ctx)
		if says(err, s.spec.name) {
			s.heard()
			return nil, "", nil
		}
		if err != nil {
			return nil, "", err
		}
		return []*object.Object{o}, o.ResourceVersion, nil
	}
	q := s.query()
	q.Set("limit", "500")
	var all []*object.Object
	for restarts := 0; ; {
		p, err := s.list(s.ctx, q)
		if code(err) == 410 && restarts < 3 { // the continuation expired
			restarts++
			all = nil
			q.Del("continue")
			continue
		}
		if err != nil {
			return nil, "", err
		}
		all = append(all, p.items...)
		if p.cont == "" {
			return all, p.rv, nil
		}
		q.Set("continue", p.cont)
	}
}

func (s *source) getOne(ctx context.Context) (*object.Object, error) {
	if err := s.e.gate.wait(ctx, s.state.Key); err != nil {
		return nil, err
	}
	s.syncing()
	data, err := s.e.client.read(ctx, s.spec.res.path(s.spec.namespace)+"/"+s.spec.name, nil, accept(s.enc(), false))
	if err != nil {
		return nil, err
	}
	obj, err := decode(data, s.types()...)
	o, err := s.converted(&watched{obj, data, err})
	if err == nil {
		s.heard()
	}
	return o, err
}

// says reports whether a 404 is about an object, and not about its kind or a path:
// it names the object.
func says(err error, name string) bool {
	s, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil && s.ErrStatus.Details.Name == name
}

// countArea asks how many objects there are, in one tiny request.
func (c *client) countArea(ctx context.Context, a area) (int, error) {
	var l struct {
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := c.readJSON(ctx, a.res.path(a.namespace), url.Values{"limit": {"1"}}, acceptMetaListJSON, &l, partialList, a.res.list()); err != nil {
		return 0, err
	}
	n := len(l.Items)
	if l.Metadata.RemainingItemCount != nil {
		n += int(*l.Metadata.RemainingItemCount)
	}
	return n, nil
}

// mayWatch asks for a watch of an area that shows nothing of it.
func (c *client) mayWatch(ctx context.Context, a area) bool {
	ctx, cancel := context.WithTimeout(ctx, headerPatience)
	defer cancel()
	body, err := c.get(ctx, a.res.path(a.namespace), url.Values{"watch": {"true"}, "labelSelector": {"kstatus-tui/none"}, "timeoutSeconds": {"1"}}, acceptJSON)
	if err != nil {
		return false
	}
	return body.Close() == nil
}

// isDecodeError reports whether an answer came and is not what it should be.
func isDecodeError(err error) bool {
	if errors.Is(err, errFrameTooLong) || isForeign(err) {
		return true
	}
	if _, ok := errors.AsType[*boundError](err); ok {
		return true
	}
	_, ok := errors.AsType[*decodeError](err)
	return ok
}

// errorText is an error in one line for a person.
func errorText(err error) string {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Text
	}
	if s, ok := errors.AsType[*apierrors.StatusError](err); ok && s.ErrStatus.Message != "" {
		text := s.ErrStatus.Message
		if code(err) == http.StatusForbidden {
			return feed.Refusal(text)
		}
		if c := code(err); (c >= 500 || c == 429) && !strings.HasPrefix(text, strconv.Itoa(c)) {
			text += " (" + strconv.Itoa(c) + ")"
		}
		return text
	}
	switch {
	case strings.Contains(err.Error(), "client connection lost"): // a ping was not answered
		return errNoAnswer.Error()
	case strings.Contains(err.Error(), "GOAWAY"):
		return "the server closed the connection"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection broke off"
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error() // the address is long, and known
	}
	return err.Error()
}
