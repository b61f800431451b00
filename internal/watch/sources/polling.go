package sources

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/gate"
)

// poll lists again and again.
func (r *reading) poll(ctx context.Context) {
	pace := pollPace{changed: time.Now(), rest: pollMin}
	for ctx.Err() == nil {
		list, version, err := r.all(ctx)
		switch {
		case apierrors.IsGone(err): // the page to go on from: page has waited as long as is needed
		case err != nil:
			r.waitToRetry(ctx)
		default:
			r.note(func(p *progress) { p.fails = 0 })
			rest := pace.next(r.Stream, list)
			r.complete(list, version)
			_ = gate.Sleep(ctx, rest)
		}
	}
}

// all reads all pages of a list.
func (r *reading) all(ctx context.Context) (list []*object.Object, version string, err error) {
	for o := (metav1.ListOptions{Limit: pageSize}); ; {
		page, err := r.page(ctx, o)
		if err != nil {
			return nil, "", err
		}
		if o.Continue == "" {
			version = page.ResourceVersion
		}
		list = append(list, page.Items...)
		if o.Continue = page.Continue; o.Continue == "" {
			return list, version, nil
		}
	}
}

// A reference is read again every RefPace. One that has not changed for
// refCalm is read less often: an idle dashboard with fifty references makes 25
// requests a minute instead of 100.
const (
	RefPace = 30 * time.Second
	RefRest = 2 * time.Minute
	refCalm = 10 * time.Minute
)

// pollPace is what the pauses between lists depend on.
type pollPace struct {
	last    []*object.Object // the last list
	changed time.Time        // when that was another one than before
	rest    time.Duration    // the last pause
}

// next is how long to pause after a list.
func (p *pollPace) next(s *Stream, list []*object.Object) time.Duration {
	same := slices.EqualFunc(p.last, list, func(x, y *object.Object) bool {
		return x.ID == y.ID && x.ResourceVersion == y.ResourceVersion
	})
	if !same {
		p.last, p.changed = list, time.Now()
	}
	switch {
	case s.use == ForReferences && time.Since(p.changed) >= refCalm:
		p.rest = RefRest
	case s.use == ForReferences:
		p.rest = RefPace
	case s.Poll > 0:
		p.rest = s.Poll
	case same:
		p.rest = min(p.rest*3/2, PollMax)
	default:
		p.rest = pollMin
	}
	return p.rest
}
