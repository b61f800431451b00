package convert

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// event reads both conventions: firstTimestamp, lastTimestamp and count of the
// core API; eventTime and series of events.k8s.io, which leaves the others
// empty.
func (c *converter) event(from *corev1.Event) {
	first := cmp.Or(from.FirstTimestamp.Time, from.EventTime.Time, from.CreationTimestamp.Time)
	last, count := []time.Time{first, from.LastTimestamp.Time, from.EventTime.Time}, from.Count
	if from.Series != nil {
		last, count = append(last, from.Series.LastObservedTime.Time), max(count, from.Series.Count)
	}
	about := from.InvolvedObject
	group, _, versioned := strings.Cut(about.APIVersion, "/")
	if !versioned {
		group = "" // v1
	}
	c.o.Event = &object.Event{
		About: object.ID{
			Group: c.word(group), Kind: c.word(about.Kind),
			Namespace: c.word(about.Namespace), Name: c.text(about.Name),
		},
		UID: c.o.UID, AboutUID: c.text(string(from.InvolvedObject.UID)), Field: c.word(from.InvolvedObject.FieldPath),
		Type: c.word(from.Type), Reason: c.word(from.Reason), Message: c.text(from.Message),
		From: c.word(cmp.Or(from.Source.Component, from.ReportingController)), Count: int(max(count, 1)),
		First: first.UTC(), Last: slices.MaxFunc(last, time.Time.Compare).UTC(),
	}
}
