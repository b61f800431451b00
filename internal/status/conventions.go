package status

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// roots are the condition types that summarise an object, in order of
// precedence.
var roots = [...]string{
	"Ready", "Succeeded", "Available", "Healthy", "Complete", "Completed", "Established", "Programmed",
	"Accepted", "Synced", "Deployed", "Valid", "Reconciled", "Installed", "ready", "READY",
}

// root returns the index of the summary condition, or -1.
func (j *judge) root() int {
	if j.row != nil && j.row.Root != "" {
		return j.index(j.row.Root)
	}
	for _, typ := range roots {
		if i := j.index(typ); i >= 0 {
			return i
		}
	}
	return -1
}

// declared judges the object by the conditions that the user has declared to
// count, and no others.
func (j *judge) declared(ready []string) Assessment {
	s := newSignals(j)
	for _, typ := range ready {
		i := j.index(typ)
		switch {
		case i < 0:
			s.progress(j.by("user.conditions", "status.conditions").progress(typ+"Missing",
				"Condition "+typ+" is not reported yet, which means Unknown"))
			continue
		case j.o.Stale(&j.o.Conditions[i]):
			s.progress(j.at(i, "user.conditions", "Condition "+typ+" describes an older generation"))
			continue
		}
		cond := &j.o.Conditions[i]
		sig := j.at(i, "user.conditions", describe(cond))
		good := "True"
		if polarityOfSense(j.sense(typ)) == AbnormalTrue {
			good = "False"
		}
		word := classify(cond.Reason)
		switch {
		case cond.Status == good:
			s.good(sig)
		case cond.Status != "True" && cond.Status != "False", cond.Severity == "Info",
			word == wordProgress, word == wordPending:
			s.progress(sig)
		default:
			s.fault(sig)
		}
	}
	best, _ := s.worst()
	return best
}

// extent is which statements conventions read.
type extent uint8

const (
	faults      extent = iota // conditions and fields that are clearly faults
	brokenParts               // also parts that are called failing
	statements                // also counters, revisions and parts
	everything                // also hints
)

// conventions judges the object by the conventions that controllers share.
func (j *judge) conventions(read extent) Assessment {
	s := newSignals(j)
	pausePath := kinds.Paused(j.o)
	s.conditions()
	if status := asMap(j.o.Tree["status"]); len(status) > 0 {
		s.failures(status)
		s.fields("status", status, whole)
		if read == brokenParts {
			s.failingParts(status)
		}
		if read >= statements {
			s.counters(status)
			s.revisions(status)
			s.nestedConditions(status)
			s.parts(status)
		}
		if read == everything {
			s.hints(status)
		}
	}

	if read < statements {
		s.soft = nil // it may be none
	}
	best, found := s.worst()
	if young, until := j.young(); young && !s.summed && len(j.o.Conditions) > 0 &&
		(!found || s.rank <= rankGood && best.condition > 0) {
		a := j.by("convention.young", "status.conditions").progress("SummaryMissing",
			"No condition sums it up yet, which means Unknown")
		a.Recheck = until
		return a
	}
	switch {
	case pausePath != "" && found && best.Status == Current:
		best.Note = "suspended; nothing is left to do"
		best.Paths = append(best.Paths, pausePath)
		return best
	case pausePath != "":
		a := j.by("convention.suspended", pausePath).progress("Suspended",
			strings.TrimSuffix("Suspended: "+best.Message, ": "))
		a.Paused = true
		return a
	case found:
		if best.Status == Current && best.Note == "" {
			best.Note = s.note
		}
		return best
	case j.o.NoStatus():
		return j.noStatus()
	}
	return Assessment{
		Status: Current, Confidence: Assumed, Rule: "assumed",
		Message: "Nothing in the status is known to mean ready or not",
	}
}

// young reports whether an object is so new that its controller may not have
// written all conditions yet, and until when.
func (j *judge) young() (bool, time.Time) {
	born := j.w.FirstSeen
	if t := cmp.Or(j.o.Created, j.o.Changed); !t.IsZero() || j.w.Offline {
		born = t.Add(j.w.Ahead)
	}
	until := cmp.Or(born, j.now).Add(silence)
	return j.now.Before(until), until
}

// noStatus judges an object without a status. Kinds known to have none are
// Current.
func (j *judge) noStatus() Assessment {
	reports, known := true, false
	if j.w.Reports != nil {
		reports, known = j.w.Reports(j.o.Group, j.o.Kind)
	}
	a := Assessment{Status: Current, Confidence: Assumed, Rule: "assumed"}
	switch {
	case known && !reports:
		a.Rule, a.Paths = "convention.no-status-expected", []string{"status"}
		a.Message = "Objects of this kind carry no status: its definition has none"
	case !j.serves() && (j.o.MetadataOnly || builtinGroup(j.o.Group)):
		a.Message = "The object exists, and no status of it is known"
	case template(j):
		a.Rule, a.Paths = "convention.template", []string{"status"}
		a.Message = "A template only describes other objects: nobody has to report about it"
	default:
		return j.by("convention.no-status", "status").silent("").since(j.o.Created)
	}
	return a
}

// template reports whether the object is a template that is old enough for a controller to
// have reported, if one does about templates (some validate theirs). Cluster API copies
// each of its *Template kinds for every machine and writes none a status.
func template(j *judge) bool {
	young, _ := j.young()
	return !young && strings.HasSuffix(j.o.Kind, "Template")
}

// serves reports whether objects of the kind can have a status: discovery lists
// the subresource, or it has been written.
func (j *judge) serves() bool {
	return j.w.Serves != nil && j.w.Serves(j.o.Group, j.o.Kind) ||
		slices.ContainsFunc(j.o.Writers, func(w object.Writer) bool { return w.Status })
}

// builtinGroup reports whether a group belongs to Kubernetes itself. Not every
// group in k8s.io does: snapshots and gateways are custom kinds.
func builtinGroup(group string) bool {
	return !strings.Contains(group, ".") || slices.Contains(builtinGroups, group)
}

var builtinGroups = strings.Fields(`admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io
	authentication.k8s.io authorization.k8s.io certificates.k8s.io coordination.k8s.io discovery.k8s.io
	events.k8s.io flowcontrol.apiserver.k8s.io internal.apiserver.k8s.io metrics.k8s.io
	networking.k8s.io node.k8s.io rbac.authorization.k8s.io resource.k8s.io scheduling.k8s.io
	storage.k8s.io storagemigration.k8s.io`)
