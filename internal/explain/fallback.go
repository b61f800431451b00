package explain

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// absent is the finding on a followed object that does not exist.
func absent(l *look) {
	f := l.find("NotFound", "%s %s does not exist", l.o.Kind, l.o.Name)
	f.Key, f.Shared = l.o.Namespace, true // before the first apply one line for all is enough
	if l.s.Absent(l.o.ID) {
		f.proveAbsent(l.o.ID)
	} else { // there may be an object of that name, which is no inventory
		f.proveObserved(l.o.ID, "observed", "no inventory was found")
	}
	if a, ok := l.s.Assessment(l.o.ID); ok {
		f.Since = a.Since
		if a.Rule == "inventory" && a.Reason == "NotFound" { // the inventory's follower knows more
			f.Title = l.o.Kind + " " + l.o.Name + ": " + a.Message
			f.Key, f.Shared = l.o.GroupKind()+" "+l.o.Namespace+" "+l.o.Name, false
		}
	}
	l.notApplied(f)
	f.Next = []string{l.kubectl("get", resource(l.o.ID))} // it may have another name
	if file := l.s.Manifest(l.o.ID); file != nil {
		f.offer(command("", append([]string{"apply"}, file...)...), "creates or updates what the manifest holds")
	}
	if at := l.s.Gone(l.o.ID); !at.IsZero() {
		f.Code, f.Key = "Disappeared", l.o.GroupKind()+" "+l.o.Namespace+" "+l.o.Name
		f.Title = l.o.Kind + " " + l.o.Name + " was there and has been deleted, not by this program"
		f.Since = at
		f.proveObserved(l.o.ID, "observed", "deleted at "+stamp(at))
		f.Next = []string{l.kubectl("get", "events", "--field-selector", "involvedObject.name="+l.o.Name)}
	}
}

// notApplied makes the absence of an inventory's member a consequence: of what
// its writer reports about the whole, unless that names the member, and of the
// inventory's own deletion. What has not been applied is not missing.
func (l *look) notApplied(f *Finding) {
	for _, p := range l.s.Parents(l.o.ID) {
		writer, a := l.s.Object(p), status.Assessment{}
		if writer != nil {
			a, _ = l.s.Assessment(p)
		}
		if a.Status == "" || a.Status == status.Current {
			continue
		}
		named := slices.ContainsFunc(writer.Conditions, func(c object.Condition) bool {
			return bad(&c) && strings.Contains(c.Message, l.o.Kind+"/") && strings.Contains(c.Message, "/"+l.o.Name)
		})
		if !writer.Deleted.IsZero() || !named {
			f.after = true
			f.blame(p)
		}
	}
}

// fallback is the finding without a detector: the object's own reason, for the
// deepest object.
func fallback(l *look) {
	var f *Finding
	switch l.a.Status {
	case status.Current, "": // or not judged
		return
	case status.NotFound:
		f = l.find("NotFound", "")
	case status.Terminating:
		f = l.find("Deleting", "")
	case status.InProgress:
		if l.a.FaultSince.IsZero() {
			f = l.find(codeProgressing, "")
			f.Until, f.UntilWhat = l.a.Deadline, l.a.DeadlineWhat
		} else {
			f = l.find(codeNotReady, "")
			f.Class = Retries
		}
	default:
		f = l.find(codeNotReady, "")
		if l.a.Terminal {
			f.Class = Terminal
		}
	}
	f.Symptom = true
	f.Certainty = Likely
	f.Since = l.a.Since
	f.Title = l.a.Message
	if f.Title == "" {
		f.Title = l.o.Kind + " is " + string(l.a.Status)
	}
	// The object's own reason says more than a rule's.
	if i := l.a.Deciding; i >= 0 && i < len(l.o.Conditions) && l.a.Reason != "" && l.a.Reason == l.o.Conditions[i].Reason && l.a.Status != status.InProgress {
		f.Title = l.a.Reason + ": " + f.Title
	}
	f.Key = l.a.Reason + " " + normal(l.a.Message)
	if f.Code == codeNotReady && l.o.Tree != nil {
		l.part(f, f.Title)
	}
	for _, kind := range [...]string{"Event", "Pod"} {
		l.lacks(f, strings.ToLower(kind)+"s", l.id("", kind, ""))
	}
	if i := l.a.Deciding; i >= 0 && i < len(l.o.Conditions) {
		f.proveCondition(l.o.ID, &l.o.Conditions[i])
	} else {
		for _, p := range l.a.Paths {
			l.proof(f, status.NamedPath(l.o, p), "")
		}
	}
}

// rejected reports whether the kubelet rejected or evicted the Pod: its
// containers then tell nothing.
func rejected(p *object.Pod) bool {
	return p.Phase == "Failed" && p.Reason != "" && p.Reason != "DeadlineExceeded"
}
