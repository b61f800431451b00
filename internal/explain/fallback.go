package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/cluster"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/custom"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/general"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/wording"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// absent is the finding on a followed object that does not exist.
func absent(in *inspect.Inspector) {
	f := in.Find(codes.NotFound, "%s %s does not exist", in.Object.Kind, in.Object.Name)
	f.Key, f.Shared = in.Object.Namespace, true // before the first apply one line for all is enough
	if in.Snapshot.Absent(in.Object.ID) {
		f.ProveAbsent(in.Object.ID)
	} else { // there may be an object of that name, which is no inventory
		f.ProveObserved(in.Object.ID, "observed", "no inventory was found")
	}
	if a, ok := in.Snapshot.Assessment(in.Object.ID); ok {
		f.Since = a.Since
		if a.Rule == "inventory" && a.Reason == "NotFound" { // the inventory's follower knows more
			f.Say("%s %s: %s", in.Object.Kind, in.Object.Name, a.Message)
			f.Key, f.Shared = in.Object.GroupKind()+" "+in.Object.Namespace+" "+in.Object.Name, false
		}
	}
	notApplied(in, f)
	f.Next = []string{in.Kubectl("get", wording.Resource(in.Object.ID))} // it may have another name
	if in.Object.GroupKind() == "helm.sh/Release" {
		// It has no history, and may be in another namespace.
		f.Next = []string{"helm list -A"}
	}
	if file := in.Snapshot.Manifest(in.Object.ID); file != nil {
		f.Offer(wording.Command("", append([]string{"apply"}, file...)...),
			"creates or updates what the manifest holds")
	}
	if at := in.Snapshot.Gone(in.Object.ID); !at.IsZero() {
		f.Key = in.Object.GroupKind() + " " + in.Object.Namespace + " " + in.Object.Name
		f.Become(codes.Disappeared, "%s %s was there and has been deleted, not by this program",
			in.Object.Kind, in.Object.Name)
		f.Since = at
		f.ProveObserved(in.Object.ID, "observed", "deleted at "+wording.Stamp(at))
		f.Next = []string{in.Kubectl("get", "events", "--field-selector", "involvedObject.name="+in.Object.Name)}
	}
}

// notApplied makes the absence of an inventory's member a consequence: of what
// its writer reports about the whole, unless that names the member, and of the
// inventory's own deletion. What has not been applied is not missing.
func notApplied(in *inspect.Inspector, f *inspect.Finding) {
	for _, p := range in.Snapshot.Parents(in.Object.ID) {
		writer, a := in.Snapshot.Object(p), status.Assessment{}
		if writer != nil {
			a, _ = in.Snapshot.Assessment(p)
		}
		if a.Status == "" || a.Status == status.Current {
			continue
		}
		named := slices.ContainsFunc(writer.Conditions, func(c object.Condition) bool {
			return custom.Bad(&c) && strings.Contains(c.Message, in.Object.Kind+"/") &&
				strings.Contains(c.Message, "/"+in.Object.Name)
		})
		if !writer.Deleted.IsZero() || !named {
			f.OfParent = true
			f.Blame(p)
		}
	}
}

// fallback is the finding without a detector: the object's own reason, for the
// deepest object.
func fallback(in *inspect.Inspector) {
	var f *inspect.Finding
	switch in.Assessment.Status {
	case status.Current, "": // or not judged
		return
	case status.NotFound:
		f = in.Find(codes.NotFound, "")
	case status.Terminating:
		f = in.Find(codes.Deleting, "")
	case status.InProgress:
		if in.Assessment.FaultSince.IsZero() {
			f = in.Find(codes.Progressing, "")
			f.Until, f.UntilWhat = in.Assessment.Deadline, in.Assessment.DeadlineWhat
		} else {
			f = in.Find(codes.NotReady, "")
			f.Class = codes.Retries
		}
	default:
		f = in.Find(codes.NotReady, "")
		switch {
		case in.Assessment.Terminal:
			f.Class = codes.Terminal
		case in.Assessment.Status == status.Failed:
			f.Class = codes.Retries // for a while; see general.Patience
		}
	}
	f.Symptom = true
	f.Certainty = inspect.Likely
	f.Since = in.Assessment.Since
	f.Say("%s", in.Assessment.Message)
	if len(in.Assessment.Message) > inspect.TitleMost { // rather its end than its beginning
		f.Say("%s", custom.Tail(in, in.Assessment.Message, inspect.TitleMost))
	}
	if f.Title() == "" {
		f.Say("%s is %s", in.Object.Kind, string(in.Assessment.Status))
	}
	// Of "status.error.message is TEXT" the text is the title.
	path, text, _ := strings.Cut(in.Assessment.Message, " is ")
	isPath := strings.HasPrefix(path, "status.") && !strings.Contains(path, " ")
	if isPath && strings.Contains(text, " ") && message.Weight(text) > message.SaysThatOnly {
		f.Say("%s", message.Short(text, 200))
	}
	// The object's own reason says more than a rule's.
	if i := in.Assessment.Deciding; i >= 0 && i < len(in.Object.Conditions) && in.Assessment.Reason != "" &&
		in.Assessment.Reason == in.Object.Conditions[i].Reason && in.Assessment.Status != status.InProgress {
		f.Say("%s: %s", in.Assessment.Reason, f.Title())
	}
	f.Key = in.Assessment.Reason + " " + wording.Normal(in.Assessment.Message)
	if f.Code == codes.NotReady && in.Object.Tree != nil {
		custom.Part(in, f, f.Title())
	}
	for _, kind := range [...]string{"Event", "Pod"} {
		in.CouldNotRead(f, strings.ToLower(kind)+"s", in.ID("", kind, ""))
	}
	if i := in.Assessment.Deciding; i >= 0 && i < len(in.Object.Conditions) {
		f.ProveCondition(in.Object.ID, &in.Object.Conditions[i])
	} else {
		for _, p := range in.Assessment.Paths {
			general.ProvePath(in, f, status.NamedPath(in.Object, p))
		}
	}
}

// flapping finds Flapping: it becomes ready and not ready again and again. It
// is a last resort.
func flapping(in *inspect.Inspector) {
	times, since := in.Snapshot.ReadyLost(in.Object.ID)
	changes, _ := in.Snapshot.Rewritten(in.Object.ID)
	if times-changes < 3 { // each change of the spec may cost it its readiness once
		return
	}
	f := in.Find(codes.Flapping, "was Current and stopped being so %d times", times)
	f.Symptom = true
	f.Since = since
	f.ProveObserved(in.Object.ID, "observed", fmt.Sprintf("%d× since %s", times, wording.Stamp(since)))
	if !since.IsZero() {
		in.Recheck(in.Now().Add(time.Minute))
	}
}

// unseen finds KindNotServed and NotVisible: a followed object whose kind is
// not served, or that may not be read.
func unseen(in *inspect.Inspector) {
	if cluster.Conversion(in) {
		return
	}
	id := in.Object.ID
	why := in.Snapshot.Hidden(id.Group, id.Kind, id.Namespace)
	switch why {
	case "":
		return
	case string(feed.NotServed):
		f := in.Find(codes.KindNotServed,
			"the cluster does not serve kind %s: its definition is not installed or not established yet",
			strings.TrimSuffix(id.Kind+" of "+id.Group, " of "))
		f.Key, f.Shared = id.GroupKind(), true
		f.ProveObserved(in.Object.ID, "kind", why)
		for _, d := range inspect.Definitions(in, id.Group, id.Kind) {
			f.Because = append(f.Because, d.ID)
			f.Symptom = true
		}
		if id.Group != "" {
			f.Next = append(f.Next, wording.Command("", "api-resources", "--api-group="+id.Group))
		}
		f.Next = append(f.Next, "kubectl get crd")
	default:
		text, next := "not permitted: "+why, wording.Command(id.Namespace, "auth", "can-i", "get", wording.Resource(id))
		if feed.IsUnsaved(why) {
			text, next = why, wording.Command(id.Namespace, "get", wording.Resource(id), id.Name, "-o", "yaml")
		}
		f := in.Find(codes.NotVisible, "%s", text)
		f.Key, f.Shared = id.GroupKind()+" "+id.Namespace, true
		f.Unread = []string{id.Kind + ": " + why}
		f.ProveObserved(in.Object.ID, "kind", why)
		f.Next = []string{next}
	}
}

// fought finds SpecFought: the spec is rewritten again and again. It is a last
// resort.
func fought(in *inspect.Inspector) {
	times, since := in.Snapshot.Rewritten(in.Object.ID)
	if times < 5 {
		return
	}
	f := in.Find(codes.SpecFought, "its spec was changed %d times in %s", times, wording.Span(in.Now().Sub(since)))
	f.Symptom = true
	f.Certainty = inspect.Possible
	var who []string
	for _, w := range in.Object.Writers {
		if !w.Status && !slices.Contains(who, w.Manager) {
			who = append(who, w.Manager)
		}
	}
	if len(who) > 1 {
		f.Why("%s may disagree", wording.Names(who, 4))
	}
	f.Since = since
	f.ProveObserved(in.Object.ID, "observed",
		fmt.Sprintf("generation %d, %d changes since %s", in.Object.Generation.Or(0), times, wording.Stamp(since)))
	f.Next = []string{in.Kubectl("get", wording.Resource(in.Object.ID), in.Object.Name,
		"--show-managed-fields", "-o", "yaml")}
	in.Recheck(in.Now().Add(time.Minute))
}
