package sources

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/plan"
)

// errUpgrade says that a source that polls for lack of permission should try to
// watch again.
var errUpgrade = errors.New("try the better mode again")

// poll repeats a list, or with get a GET by name, until the mode changes.
func (s *Source) poll(get bool) error {
	began := time.Now()
	every := s.Poll
	pace := max(every, pollMin)
	var last string
	for {
		if every == 0 && time.Since(began) > UpgradeAfter {
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
			s.replace(objects, rv)
			s.live()
			if every > 0 {
				pace = every
			} else if rv == last {
				pace = min(pace*3/2, PollMax)
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

// Read reads what a source would deliver once.
func (v *Server) Read(ctx context.Context, spec plan.Spec) ([]*object.Object, error) {
	s := v.New(ctx, spec, nil, convert.Options{}, nobody{})
	objects, _, err := s.fetch(spec.Name != "")
	return objects, err
}

// nobody is the sink of who reads once.
type nobody struct{ Sink }

func (nobody) Upsert(*object.Object)         {}
func (nobody) State(func(*feed.SourceState)) {}

// fetch reads all objects of the source once.
func (s *Source) fetch(get bool) ([]*object.Object, string, error) {
	if get {
		o, err := s.getOne(s.ctx)
		if Says(err, s.spec.Name) {
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

func (s *Source) getOne(ctx context.Context) (*object.Object, error) {
	if err := s.Gate.Wait(ctx, s.key); err != nil {
		return nil, err
	}
	s.syncing()
	data, err := s.Client.Read(ctx, s.spec.Resource.Path(s.spec.Namespace)+"/"+s.spec.Name, nil, kube.Accept(s.enc(), false))
	if err != nil {
		return nil, err
	}
	o, err := s.converted(kube.DecodeEvent(data, s.types()...))
	if err == nil {
		s.heard()
	}
	return o, err
}

// Says reports whether a 404 is about the object: it contains its name.
func Says(err error, name string) bool {
	s, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil && s.ErrStatus.Details.Name == name
}
