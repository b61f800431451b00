// Package general finds what holds for every kind: what a controller says in
// Warning events, the objects that messages and specs name, and how long a wait
// may last. Detectors of the other families come first and say more.
package general

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/statements"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// Warnings reads the object's own recent Warning events: as further proof of what
// has been found, instead of it where that only summarises, and as a cause of
// their own where nothing has been found. The detectors of Pods and of the
// kinds that make them read their events themselves.
func Warnings(in *inspect.Inspector) {
	o := in.Object
	if !o.Deleted.IsZero() { // see cluster.Finalizers
		return
	}
	main := mainFinding(in)
	readsEvents := o.Pod != nil || o.Workload != nil || o.Job != nil || o.CronJob != nil || o.Claim != nil
	if main != nil && (replaceTimeout(in, main, readsEvents) || readsEvents) {
		return
	}
	if main != nil {
		// nobody else asks for the events of an object that is only looked up
		in.Need(inspect.Need{ID: o.ID, Events: true})
	}
	list := statements.Warnings(in, o.ID, time.Time{})
	if main != nil && slices.Contains(summarising, main.Code) {
		list = append(list, statements.Bad(o)...)
		slices.SortStableFunc(list, func(a, b statements.Statement) int { return b.Weight - a.Weight })
	}
	if readsEvents {
		list = slices.DeleteFunc(list, func(s statements.Statement) bool {
			return slices.Contains(readElsewhere, s.Reason)
		})
	}
	if len(list) == 0 && !readsEvents && in.Assessment.Status != status.Current {
		list = statements.Last(in)
	}
	if len(list) == 0 {
		return
	}
	best := list[0]
	switch {
	case main == nil && in.Assessment.Status == "": // the object was only looked up: it has no status
		return
	case main == nil:
		f := in.FindEvent(codes.WarningEvent, *best.Event, "%s", best.Title())
		f.Detail, f.Key = message.Fold(best.Message), best.Reason+" "+best.Message
		// That the API server refuses something follows from no other object's fault: what was not
		// made has no endpoints.
		f.Symptom = !strings.Contains(best.Message, " is forbidden: ")
		classify(in, f, best)
		return
	case main.Code.Family != "custom" && !slices.Contains(summarising, main.Code):
		return
	case slices.ContainsFunc(main.Evidence, func(e inspect.Evidence) bool {
		return strings.Contains(message.Fold(e.Value), message.Fold(best.Message))
	}):
		best.Prove(main)
		return
	}
	quoted, more := 0, false
	for _, e := range main.Evidence {
		// An event that goes on where the condition ends: "could not get secret data: access
		// denied".
		more = more || len(e.Value) > 20 && strings.Contains(message.Fold(best.Message), message.Fold(e.Value))
		if strings.HasSuffix(e.Path, ".message") || e.Type == inspect.EventEvidence {
			quoted = max(quoted, message.Weight(e.Value))
		}
	}
	// Of two that say as much, the one that wraps an error says more than a bare sentence.
	more = more || best.Weight == quoted && best.Weight >= message.SaysWhy && strings.Contains(best.Message, ": ") &&
		!strings.Contains(main.Detail, ": ")
	if best.Weight > quoted || more {
		if !strings.Contains(main.Title(), main.Detail) {
			main.Add(". %s", main.Detail)
		}
		main.Detail = main.Title()
		main.Say("%s", best.Title())
		if slices.Contains(summarising, main.Code) {
			main.Say("%s%s", subjectOf(main.Code), best.Title())
		}
		main.Certainty = inspect.Proven
		if main.Class == codes.Waits {
			classify(in, main, best)
		}
	}
	if !strings.Contains(main.Title()+main.Detail, message.Fold(best.Message)) {
		main.Detail = strings.TrimPrefix(main.Detail+"⏎"+best.Reason+": "+message.Fold(best.Message), "⏎")
	}
	best.Prove(main)
}

// replaceTimeout gives a finding whose event only reports that time ran out the reason of another
// Warning of the object: what was tried is reported there, and its caller saw only a timeout.
func replaceTimeout(in *inspect.Inspector, f *inspect.Finding, readsEvents bool) bool {
	i := slices.IndexFunc(f.Evidence, func(e inspect.Evidence) bool {
		return e.Type == inspect.EventEvidence && e.Ref == in.Object.ID && message.OnlyRanOutOfTime(e.Value)
	})
	if i < 0 {
		return false
	}
	timeout := f.Evidence[i]
	newest, ok := in.Event(timeout.Ref, strings.TrimPrefix(timeout.Path, "event:"))
	if !ok {
		return false
	}
	for _, s := range statements.Warnings(in, timeout.Ref, newest.Last.Add(-attempt)) {
		known := s.Reason == newest.Reason || readsEvents && slices.Contains(readElsewhere, s.Reason)
		if known || s.Weight < message.SaysWhy || message.OnlyRanOutOfTime(s.Message) {
			continue
		}
		what, _, _ := strings.Cut(f.Title(), ": "+message.Reason(timeout.Value))
		f.Say("%s", what)
		f.Why("%s", message.Short(s.Message, 160))
		f.Detail = strings.TrimPrefix(f.Detail+"⏎"+s.Reason+": "+message.Fold(s.Message), "⏎")
		s.Prove(f)
		return true
	}
	return false
}

// attempt is how long before a timeout the Warning may be that explains it: controllers give a
// cloud a few minutes before they give an attempt up.
const attempt = 5 * time.Minute

// readElsewhere are the reasons that the detectors of Pods, of what makes them and of
// claims read, and found no cause in.
var readElsewhere = []string{
	"BackOff", "BackoffLimitExceeded", "DNSConfigForming", "DeadlineExceeded", "ErrImageNeverPull", "Evicted",
	"Failed", "FailedAttachVolume",
	"FailedBinding", "FailedCreate", "FailedCreatePodSandBox", "FailedDelete", "FailedMapVolume", "FailedMount",
	"FailedPostStartHook", "FailedPreStopHook",
	"FailedScheduling", "FailedToRetrieveImagePullSecret", "InspectFailed", "NodeNotReady", "Preempted",
	"ProbeWarning", "ProvisioningFailed",
	"RecreatingFailedPod", "RecreatingTerminatedPod", "TooManyActivePods", "Unhealthy", "VolumeMismatch",
}

// summarising are the codes of built-in kinds that only say that something is not
// there yet.
var summarising = []*codes.Code{codes.IngressAddressPending, codes.LoadBalancerPending, codes.GatewayNotReady}

func subjectOf(code *codes.Code) string {
	if code == codes.GatewayNotReady {
		return ""
	}
	return "has no address: "
}

// mainFinding is the finding that a Warning belongs to: the first that is no
// remark.
func mainFinding(in *inspect.Inspector) *inspect.Finding {
	for _, f := range in.Found {
		if !f.Remark && f.Code != codes.Progressing && f.Code != codes.Deleting && !f.NeverCause {
			return f
		}
	}
	return nil
}

// classify takes a Warning for one that is retried, until it has been repeated
// for longer than controllers need to get over each other. What has ended is not
// tried again.
func classify(in *inspect.Inspector, f *inspect.Finding, s statements.Statement) {
	f.Class = codes.Retries
	switch {
	case in.Assessment.Terminal:
		f.Class = codes.Terminal
	case in.Older(s.Since(), repeatedFor):
		f.Class = codes.Action
	}
}

// repeatedFor is how long a controller may repeat a Warning before somebody has
// to act: five minutes are some ten attempts of client-go's default back-off.
const repeatedFor = 5 * time.Minute
