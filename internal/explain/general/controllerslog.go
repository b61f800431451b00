package general

import (
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/logline"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// silence is how long a custom object may be without a reason before its controller's log is read.
const silence = 30 * time.Second

// ControllersLog finds ControllerLogsError: a custom object is not Current, neither its status nor an
// event says why, and the log of its controller does. Nothing is read where a reason is known, or
// where the object is explained by another one.
func ControllersLog(in *inspect.Inspector) {
	o := in.Object
	if inspect.BuiltinGroup(o.Group) || o.Tree == nil || o.GroupKind() == "helm.sh/Release" ||
		in.Assessment.Status == "" || in.Assessment.Status == status.Current || !in.Assessment.Child.IsZero() {
		return
	}
	f := withoutReason(in)
	if f == nil || !in.Older(silentSince(in), silence) {
		return
	}
	var found inspect.Controllers
	in.ForCause(func() { found = in.FindControllers() })
	ready, unreadLog := false, ""
	best, at := said{}, inspect.Controller{}
	for _, c := range found.Pods {
		ready = ready || c.Pod.ConditionIs("Ready", "True") != nil
		in.Need(inspect.Need{ID: c.Pod.ID, Log: c.Container, Complaints: true, ForCause: true})
		list, unseen, _ := in.Snapshot.Complaints(c.Pod.ID, c.Container)
		if unseen != "" && unreadLog == "" && c.Called {
			unreadLog = "the log of pod " + c.Pod.Name + " in " + c.Pod.Namespace +
				", which may run its controller: " + unseen
		}
		if x := lastSaid(in, list); x.times > 0 && (best.times == 0 || x.At.After(best.At)) {
			best, at = x, c
		}
	}
	switch {
	case best.times > 0 && saysMore(f, best.Says):
		in.Keep()
		quoteController(in, f, best, at)
	case best.times > 0:
		return
	case found.Stopped != nil:
		w := found.Stopped
		f.Also("%s of namespace %s, which may run its controller, is scaled to 0", w.ID.String(), w.Namespace)
		f.ProveOn(w.ID, "spec.replicas", "0")
		f.Class, f.Certainty = codes.Action, inspect.Likely
	default:
		couldNotRead(in, f, found, unreadLog)
	}
	if !ready { // what keeps it from running is the cause
		for _, c := range found.Pods {
			if c.Called {
				in.Keep()
				f.Blame(c.Pod.ID)
			}
		}
	}
}

// saysMore reports whether a line of a log says more than a finding.
func saysMore(f *inspect.Finding, line string) bool {
	switch f.Code {
	case codes.NoController, codes.NotObserved, codes.Progressing, codes.FinalizerBlocks:
		return true
	}
	words, low := strings.ToLower(f.Title()+" "+f.Detail), strings.ToLower(line)
	weight := message.Weight(line)
	if message.Bare(line) {
		weight = message.SaysThatOnly
	}
	return !strings.Contains(words, low) && weight >= message.SaysWhy
}

// couldNotRead adds to a finding what hides its controller or the controller's log.
func couldNotRead(in *inspect.Inspector, f *inspect.Finding, found inspect.Controllers, log string) {
	if log != "" {
		f.Unread = append(f.Unread, log)
	}
	if len(found.Pods) > 0 || len(found.Unread) == 0 {
		return
	}
	id := found.Unread[0]
	what := wording.PluralOf(id.Kind)
	if id.Namespace != "" {
		what += " in " + id.Namespace
	}
	in.CouldNotRead(f, what, id)
}

// silentSince is when the object began to be as it is.
func silentSince(in *inspect.Inspector) time.Time {
	since := in.Object.Created
	if in.Assessment.Since.After(since) {
		since = in.Assessment.Since
	}
	return since
}

// withoutReason is the finding of an object of which nothing says why it is not Current; nil if
// something does.
func withoutReason(in *inspect.Inspector) (main *inspect.Finding) {
	for _, f := range in.Found {
		switch {
		case f.Remark:
		case !slices.Contains(silent, f.Code), saysWhy(f), main != nil:
			return nil
		default:
			main = f
		}
	}
	return main
}

// silent are the codes of findings that may have no reason.
var silent = []*codes.Code{
	codes.NoController, codes.NotObserved, codes.Progressing, codes.NotReady, codes.Reconciling, codes.ConditionFalse,
	codes.Stalled, codes.FinalizerBlocks, codes.CertificateNotReady, codes.IssuerNotReady, codes.CrossplaneNotReady,
	codes.ClusterAPINotReady, codes.KnativeNotReady, codes.ExternalSecretFailed, codes.SecretStoreNotReady,
	codes.PackageUnhealthy, codes.KroNotReady, codes.NodeClaimNotReady, codes.SourceNotReady,
}

// saysWhy reports whether a finding has a reason.
func saysWhy(f *inspect.Finding) bool {
	if f.Code == codes.NoController || f.Code == codes.NotObserved {
		return false
	}
	if f.Code == codes.FinalizerBlocks && f.Detail != "" {
		return true
	}
	for _, text := range [...]string{f.Title(), f.Detail} {
		if strings.Contains(text, " ") && message.Weight(text) >= message.SaysWhy && !isPath(text) && !message.Bare(text) &&
			!pointsToLog(text) {
			return true
		}
	}
	return slices.ContainsFunc(f.Evidence, func(e inspect.Evidence) bool {
		absent := e.Type == inspect.AbsenceEvidence && e.Path == ""
		return absent || e.Type == inspect.EventEvidence && message.Weight(e.Value) >= message.SaysWhy
	})
}

// pointsToLog reports whether a message says that the reason is in a log.
func pointsToLog(text string) bool {
	low := strings.ToLower(text)
	return wording.HasAny(low, "check ", "see ", "refer to ", "look at ", "consult ") &&
		wording.HasAny(low, " log", "logs")
}

// burst is how long a controller takes to log all that it has to say of one attempt.
const burst = 5 * time.Second

// said is what a log says of an object.
type said struct {
	logline.Complaint
	times int
	named []logline.Field // of all lines of the attempt
}

// lastSaid is what a log says last of the inspected object: of the lines of the last attempt the one
// that says most. What is older than the object or its spec does not count, nor what has succeeded
// since.
func lastSaid(in *inspect.Inspector, list []logline.Complaint) (x said) {
	o := in.Object
	named := logline.Named{
		Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name, Plural: wording.PluralOf(o.Kind),
	}
	since := o.Created
	if o.SpecWritten.After(since) {
		since = o.SpecWritten
	}
	var about []logline.Complaint
	for _, c := range list {
		if !c.At.IsZero() && c.At.Before(since.Add(-time.Second)) || !c.About(named) {
			continue
		}
		if !c.Success {
			about = append(about, c)
			continue
		}
		about = slices.DeleteFunc(about, func(before logline.Complaint) bool { return before.By == c.By })
	}
	if len(about) == 0 {
		return x
	}
	newest := about[len(about)-1]
	for _, c := range about {
		if newest.At.Sub(c.At) > burst {
			continue
		}
		x.named = append(x.named, c.Fields...)
		more := message.Weight(c.Says) - message.Weight(x.Says)
		if more > 0 || more == 0 && len(c.Says) >= len(x.Says) {
			x.Complaint = c
		}
	}
	what := wording.Normal(x.Says)
	for _, c := range about {
		if wording.Normal(c.Says) == what {
			x.times++
		}
	}
	return x
}

// quoteController gives a finding the words of the controller's log.
func quoteController(in *inspect.Inspector, f *inspect.Finding, c said, at inspect.Controller) {
	title := f.Title()
	switch f.Code {
	case codes.NoController, codes.NotObserved, codes.Progressing, codes.NotReady, codes.Reconciling, codes.ConditionFalse:
		if f.Detail == "" && f.Code != codes.NoController {
			f.Detail = title
		}
		f.Become(codes.ControllerLogsError, "its controller logs: %s", c.Says)
		f.Class = codes.Retries
		if in.Assessment.Terminal {
			f.Class = codes.Terminal
		} else if in.Older(silentSince(in), repeatedFor) {
			f.Class = codes.Action
		}
	default:
		f.Also("its controller logs: %s", c.Says)
	}
	f.Certainty = inspect.Likely
	f.Key, f.Shared = in.Object.GroupKind()+" "+wording.Normal(c.Says), true
	f.QuoteLog(at.Pod.ID, at.Container, c.Says)
	if !c.At.IsZero() {
		ago := wording.Span(in.Now().Sub(c.At)) + " ago"
		if c.times > 1 {
			f.Note("%d times, last %s", c.times, ago)
		} else {
			f.Note("%s", ago)
		}
	}
	logs := wording.Command(at.Pod.Namespace, "logs", at.Pod.Name, "-c", at.Container)
	f.Next = append([]string{logs}, f.Next...)
	if message.Weight(c.Says) >= message.SaysWhyOfWhat {
		named(in, f)
		return
	}
	for _, x := range c.named { // eventBusName: default
		for _, id := range edges.NamedInField(in.Object, x.Key, x.Value, registry.KindsNamed) {
			if o := in.Get(id); o != nil && !slices.Contains(f.Because, o.ID) && !ancestor(in, o.ID) {
				because(f, o.ID)
			}
		}
	}
}
