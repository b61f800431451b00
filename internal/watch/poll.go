package watch

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// errUpgrade says that a source that polls for lack of permission should try to
// watch again.
var errUpgrade = errors.New("try the better mode again")

// poll repeats a list, or with get a GET by name, until the mode changes.
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
		switch c := kube.Code(err); {
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
			if err := gate.Sleep(s.ctx, pace); err != nil {
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
		case kube.IsNotFound(err) && s.notServed(s.ctx, err):
			return kube.ErrNotServed
		default:
			if err := s.pause(s.ctx, err); err != nil {
				return err
			}
		}
	}
}

// fetch reads all objects of the source once.
func (s *source) fetch(get bool) ([]*object.Object, string, error) {
	if get {
		o, err := s.getOne(s.ctx)
		if says(err, s.spec.Name) {
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
		if kube.Code(err) == 410 && restarts < 3 { // the continue token expired
			restarts++
			all = nil
			q.Del("continue")
			continue
		}
		if err != nil {
			return nil, "", err
		}
		all = append(all, p.Items...)
		if p.Continue == "" {
			return all, p.ResourceVersion, nil
		}
		q.Set("continue", p.Continue)
	}
}

func (s *source) getOne(ctx context.Context) (*object.Object, error) {
	if err := s.e.gate.Wait(ctx, s.state.Key); err != nil {
		return nil, err
	}
	s.syncing()
	data, err := s.e.client.Read(ctx, s.spec.Resource.Path(s.spec.Namespace)+"/"+s.spec.Name, nil, kube.Accept(s.enc(), false))
	if err != nil {
		return nil, err
	}
	o, err := s.converted(kube.DecodeEvent(data, s.types()...))
	if err == nil {
		s.heard()
	}
	return o, err
}

// says reports whether a 404 is about the object: it contains its name.
func says(err error, name string) bool {
	s, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil && s.ErrStatus.Details.Name == name
}
