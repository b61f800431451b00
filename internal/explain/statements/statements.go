// Package statements collects what controllers say about an object: its bad conditions and its
// recent Warning events, the most informative first. Detectors of all families quote them.
package statements

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Statement is a condition or an event.
type Statement struct {
	Condition *object.Condition // nil if it is an event
	Event     *object.Event     // nil if it is a condition
	Reason    string
	Message   string
	Weight    int       // message.Weight of the message
	began     time.Time // of an event's series
}

// Title is the reason with the decisive part of the message.
func (s Statement) Title() string {
	m := message.Short(s.Message, 160)
	if m == "" || strings.HasPrefix(m, s.Reason) {
		return cmp.Or(m, s.Reason)
	}
	return strings.TrimPrefix(s.Reason+": "+m, ": ")
}

// Since is when the statement was made first.
func (s Statement) Since() time.Time {
	if s.Event != nil {
		return s.began
	}
	return s.Condition.LastTransitionTime
}

// Prove adds the statement to a finding as evidence.
func (s Statement) Prove(f *inspect.Finding) {
	if s.Event != nil {
		f.Dated(s.began)
		f.ProveEvent(*s.Event)
		return
	}
	f.ProveCondition(f.Object, s.Condition)
}

// recent is how old a Warning may be that says something about the present: controllers back off
// to a quarter of an hour (client-go's default rate limiter ends at 1,000 s).
const recent = 20 * time.Minute

// Warnings are an object's own Warning events since a moment: of each reason the newest, or one of
// the same minute that says more; the most informative first. A lost race for an update says
// nothing about the object. An event of type Normal counts where its reason is a Warning's, too:
// Volcano says "queue resource quota insufficient" in one, and that nothing fits in the other.
func Warnings(in *inspect.Inspector, id object.ID, since time.Time) (out []Statement) {
	oldest := in.Now().Add(-recent)
	if since.After(oldest) {
		oldest = since
	}
	return warningsSince(in, id, oldest)
}

// WarningsUntil are the Warnings of an object that was there until a moment, as [Warnings] returns
// them.
func WarningsUntil(in *inspect.Inspector, id object.ID, end time.Time) []Statement {
	return warningsSince(in, id, end.Add(-recent))
}

func warningsSince(in *inspect.Inspector, id object.ID, oldest time.Time) (out []Statement) {
	events := slices.Clone(in.Snapshot.Events(id))
	events = slices.DeleteFunc(events, func(e object.Event) bool { return e.Last.Before(oldest) })
	byReason := map[string][]Statement{}
	for _, e := range events {
		if warns(in, id, e) {
			byReason[e.Reason] = append(byReason[e.Reason], statementOf(in, id, e))
		}
	}
	for _, e := range events {
		if byReason[e.Reason] != nil && !e.Warns() && speaks(in, id, e) {
			byReason[e.Reason] = append(byReason[e.Reason], statementOf(in, id, e))
		}
	}
	for _, list := range byReason {
		if s, ok := mostTelling(list); ok {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Statement) int {
		return cmp.Or(b.Weight-a.Weight, b.Event.Last.Compare(a.Event.Last), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

func statementOf(in *inspect.Inspector, id object.ID, e object.Event) Statement {
	m := message.WithoutLog(e.Message)
	return Statement{Event: &e, Reason: e.Reason, Message: m, Weight: message.Weight(m), began: in.Began(id, e)}
}

// mostTelling is the newest Warning of one reason, or what says more in its minute or later. There
// is none where the controller has since said with that reason that it goes on: a Normal event that
// says itself what is wrong does not end a Warning.
func mostTelling(list []Statement) (Statement, bool) {
	goesOn := func(s Statement) bool { return !s.Event.Warns() && s.Weight < message.SaysWhy }
	var newest time.Time
	for _, s := range list {
		if (goesOn(s) || s.Event.Warns()) && s.Event.Last.After(newest) {
			newest = s.Event.Last
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s Statement) bool {
		return newest.Sub(s.Event.Last) > time.Minute || goesOn(s)
	})
	if !slices.ContainsFunc(list, func(s Statement) bool { return s.Event.Warns() }) {
		return Statement{}, false
	}
	return slices.MinFunc(list, func(a, b Statement) int {
		return cmp.Or(
			b.Weight-a.Weight, b.Event.Last.Compare(a.Event.Last),
			cmp.Compare(a.Event.Type, b.Event.Type), cmp.Compare(a.Event.UID, b.Event.UID),
		)
	}), true
}

// warns reports whether an event says that something is wrong, and nothing that came after it
// denies that.
func warns(in *inspect.Inspector, id object.ID, e object.Event) bool {
	return e.Warns() && speaks(in, id, e)
}

// speaks reports whether an event is about the present.
func speaks(in *inspect.Inspector, id object.ID, e object.Event) bool {
	return !e.Gone && !strings.Contains(e.Message, "the object has been modified") && !in.Ended(id, e)
}

// Last is the object's newest event, if that is a Warning and nothing has happened since: what a
// controller said when it began to wait holds until it says something else. An API server keeps
// events for an hour (--event-ttl); a saved cluster may hold those from which something ended that
// is not tried again.
func Last(in *inspect.Inspector) (out []Statement) {
	var last object.Event
	for _, e := range in.Snapshot.Events(in.Object.ID) {
		if e.Last.After(last.Last) {
			last = e
		}
	}
	since := in.Assessment.Since
	began := !since.IsZero() && !since.After(last.Last.Add(2*time.Minute))
	if !began || !warns(in, in.Object.ID, last) {
		return nil
	}
	if in.Assessment.Terminal {
		return warningsSince(in, in.Object.ID, last.Last.Add(-untilTheEnd))
	}
	if !last.Last.After(in.Now().Add(-time.Hour)) {
		return nil
	}
	return []Statement{statementOf(in, in.Object.ID, last)}
}

// untilTheEnd is how long before the last event of what has ended its reason may have been said: an
// analysis says what it measured, and then that it rolls back.
const untilTheEnd = 2 * time.Minute

// Bad are an object's conditions that report a problem, the most telling first. Of one that is
// being deleted those do not count that only say so.
func Bad(o *object.Object) (out []Statement) {
	for i := range o.Conditions {
		c := &o.Conditions[i]
		bad := c.Status == "False"
		if status.PolarityByName(c.Type) == status.AbnormalTrue {
			bad = c.Status == "True"
		}
		deleting := !o.Deleted.IsZero() &&
			(c.Type == "Deleting" || c.Type == "Terminating" || c.Reason == "Deleting" || c.Reason == "Terminating" ||
				c.Reason == "Deleted")
		w := message.Weight(c.Message)
		known := status.PolarityByName(c.Type) != status.UnknownPolarity || !o.Deleted.IsZero() && w >= message.SaysWhy
		if bad && known && !deleting && c.Severity != "Info" && !o.Superseded(i) {
			out = append(out, Statement{Condition: c, Reason: c.Reason, Message: c.Message, Weight: w})
		}
	}
	slices.SortStableFunc(out, func(a, b Statement) int { return b.Weight - a.Weight })
	return out
}

// Deletion are the statements about why an object that is being deleted still exists: its bad
// conditions, and its Warnings since the deletion, the most telling first. Of a condition and an
// event that say the same the condition is kept.
func Deletion(in *inspect.Inspector) []Statement {
	var out []Statement
	if in.Object.Pod == nil { // whose conditions are about its containers, which have ended
		out = Bad(in.Object)
	}
	// Events are dated by another clock, and the last of a series may be the one before.
	since := inspect.DeletionRequested(in.Object).Add(-2 * time.Minute)
	for _, w := range Warnings(in, in.Object.ID, since) {
		if !slices.ContainsFunc(out, func(s Statement) bool { return Same(s.Message, w.Message) }) {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b Statement) int { return b.Weight - a.Weight })
	return slices.DeleteFunc(out, func(s Statement) bool { return s.Weight < message.SaysWhat })
}

// Same reports whether one of two messages contains the other.
func Same(a, b string) bool {
	a, b = message.Fold(a), message.Fold(b)
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}
