package sources

import (
	"context"
	"errors"
	"net/http"
	"slices"
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

// A reference is read again every RefPace. One that has not changed for
// refCalm is read less often: an idle dashboard with fifty references makes 25
// requests a minute instead of 100.
const (
	RefPace = 30 * time.Second
	RefRest = 2 * time.Minute
	refCalm = 10 * time.Minute
)

// poll repeats a list, or a GET by name, until the mode changes.
func (s *Source) poll(verb string) error {
	began := time.Now()
	every := s.Poll
	pace := max(every, pollMin)
	var last []*object.Object
	changed := began
	for {
		if every == 0 && !s.spec.Ref && time.Since(began) > UpgradeAfter {
			return errUpgrade
		}
		if err := s.Turns.take(s.ctx, s); err != nil {
			return err
		}
		s.overdue()
		objects, rv, err := s.fetch(verb == "get")
		s.Turns.give(s)
		switch {
		case err == nil:
			s.fails.Store(0)
			s.sink.Replace(objects, rv)
			s.live()
			same := slices.EqualFunc(last, objects, func(a, b *object.Object) bool { return a.ID == b.ID && a.ResourceVersion == b.ResourceVersion })
			if !same {
				last, changed = objects, time.Now()
			}
			switch {
			case s.spec.Ref && time.Since(changed) >= refCalm:
				pace = RefRest
			case s.spec.Ref:
				pace = RefPace
			case every > 0:
				pace = every
			case same:
				pace = min(pace*3/2, PollMax)
			default:
				pace = pollMin
			}
			if err := gate.Sleep(s.ctx, pace); err != nil {
				return err
			}
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		default:
			if why := s.refused(s.ctx, err, verb); why != nil {
				return why
			}
			if err := s.pause(s.ctx, err); err != nil {
				return err
			}
		}
	}
}

// fetch reads all objects of the source once.
func (s *Source) fetch(get bool) ([]*object.Object, string, error) {
	if !get {
		return s.list(s.ctx, metav1.ListOptions{})
	}
	o, err := s.getOne(s.ctx)
	gone := says(err, s.spec.Name)
	if err != nil && !gone {
		return nil, "", err
	}
	s.heard()
	if gone {
		return nil, "", nil
	}
	return []*object.Object{o}, o.ResourceVersion, nil
}

// getOne reads the object; of a Secret that is a reference its metadata, its
// type and the number of its keys, where the server has tables.
func (s *Source) getOne(ctx context.Context) (*object.Object, error) {
	if err := s.Gate.Wait(ctx); err != nil {
		return nil, err
	}
	s.syncing()
	path := s.spec.Resource.Path(s.spec.Namespace) + "/" + s.spec.Name
	if s.spec.Ref && s.spec.Resource == kube.Builtin("", "Secret") {
		data, err := s.Client.Read(ctx, path, nil, kube.AcceptTable)
		if err == nil {
			return kube.DecodeTable(data, s.spec.Resource)
		}
		if kube.Code(err) != http.StatusNotAcceptable {
			return nil, err
		}
	}
	data, err := s.Client.Read(ctx, path, nil, kube.Accept(s.enc(), false))
	if err != nil {
		return nil, err
	}
	return kube.DecodeObject(data, s.spec.Resource, s.opts)
}

// says reports whether a 404 is about the object: it contains its name.
func says(err error, name string) bool {
	s, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && s.ErrStatus.Reason == metav1.StatusReasonNotFound && s.ErrStatus.Details != nil && s.ErrStatus.Details.Name == name
}
