package panes

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/known"
)

// Usage is what the selected object's Pods use, and why it is not known.
type Usage struct {
	Pods []feed.PodUsage
	Err  error // nil before the first answer
}

// UsageLoaded is the message with what Pods use. One with an older Gen is dropped.
type UsageLoaded struct {
	Gen  uint64
	Pods []feed.PodUsage
	Err  error
}

const (
	// usageRests is how long an object stays selected before it is measured: moving the
	// cursor makes no request.
	usageRests = time.Second
	// usageEvery is how often it is measured. metrics-server measures every 15 s.
	usageEvery = 15 * time.Second
	// usageAbsent is how long a cluster that does not serve metrics is left alone.
	usageAbsent = 5 * time.Minute
)

// usage reads what the selected object's Pods use, while the pane is open.
type usage struct {
	Usage

	of      feed.UsageOf
	gen     uint64
	next    time.Time // when to read
	reading bool
	rest    time.Time // before which nothing is read, whatever is selected
}

// load requests what is due.
func (u *usage) load(on Selection) tea.Cmd {
	of := measured(on)
	now := on.Ask.Clock()
	if of != u.of {
		unavailable := u.Err
		if now.After(u.rest) {
			unavailable = nil
		}
		*u = usage{Usage: Usage{Err: unavailable}, of: of, gen: u.gen + 1, next: now.Add(usageRests), rest: u.rest}
	}
	if !on.Open || on.Frozen || of.Namespace == "" || u.reading || now.Before(u.next) || now.Before(u.rest) {
		return nil
	}
	u.reading = true
	return on.Ask.Usage(of, u.gen)
}

// measured names the selected object's Pods.
func measured(on Selection) (of feed.UsageOf) {
	if on.Node == nil || on.Node.Object == nil {
		return of
	}
	switch o := on.Node.Object; {
	case o.Pod != nil:
		of.Namespace, of.Pod = o.Namespace, o.Name
	case o.Workload != nil && o.Workload.HasSelector:
		of.Namespace, of.Selector = o.Namespace, known.SelectorText(o.Workload.Selector)
	}
	return of
}

// take takes in an answer.
func (u *usage) take(msg UsageLoaded, now time.Time) {
	if msg.Gen != u.gen {
		return
	}
	u.reading, u.next, u.Usage = false, now.Add(usageEvery), Usage{msg.Pods, msg.Err}
	if errors.Is(msg.Err, feed.ErrNoMetrics) || errors.Is(msg.Err, feed.ErrMetricsHidden) {
		u.rest = now.Add(usageAbsent)
	}
}

func (u *usage) shown() Usage { return u.Usage }
