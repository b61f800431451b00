package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// conditions reads status.conditions. The rules, in order:
//
//   - Stalled=True: the controller has given up until somebody changes
//     something (kstatus); terminal.
//   - Reconciling=True and other activity: under way. With reason
//     ProgressingWithRetry (Flux), or with Ready=False for a bad reason, it is
//     being retried, and the fault counts after its grace.
//   - the root (Ready, Succeeded, or the first of the list in roots): True is
//     good, Unknown is under way (Knative, Tekton, operatorpkg, kro), False
//     needs a second look at severity (Knative, Cluster API), reason and
//     message.
//   - abnormal-true conditions that are True; normal-true ones that are False
//     for a bad reason, also beside a root that is True.
//
// Conditions that describe an older generation, or that a newer one of their type
// replaces, are passed over.
func (s *signals) conditions() {
	conds := s.o.Conditions
	root := s.j.root()
	if s.j.row != nil && s.j.row.Root != "" && root < 0 && !s.o.NoStatus() {
		s.progress(s.j.by("convention.root-missing", "status.conditions").progress(s.j.row.Root+"Missing",
			"Condition "+s.j.row.Root+" is not reported yet, which means Unknown"))
	}
	if len(conds) == 0 {
		return
	}
	strong := root >= 0 && (conds[root].Type == "Ready" ||
		conds[root].Type == "Succeeded" || s.j.row != nil && s.j.row.Root != "")
	s.summed = root >= 0
	s.rootTrue = strong && isTrue(&conds[root])
	s.unwanted = s.nothingWanted()
	fresh := 0
	for i := range conds {
		cond := &conds[i]
		if cond.Type == "" || s.j.row.Ignores(cond.Type) || cond.Status == "" && i != root {
			continue
		}
		if s.o.Stale(cond) {
			s.trace.note("convention.staleness", cond.Type+" describes an older generation", conditionPath(i))
			continue
		}
		if s.o.Superseded(i) {
			s.trace.note("convention.history", "a newer condition "+cond.Type+" replaces it", conditionPath(i))
			continue
		}
		fresh++
		if i == root {
			s.summary(i)
		} else {
			s.sibling(i, root >= 0)
		}
	}
	if fresh == 0 && s.rank == rankNone && s.o.Generation.Set {
		for i := range conds {
			if s.o.Stale(&conds[i]) {
				s.progress(s.j.at(i, "convention.staleness", "No condition describes this generation yet"))
				return
			}
		}
	}
}

// atRoot makes a signal of the condition that summarises the others.
func (s *signals) atRoot(i int, rule, message string) Assessment {
	sig := s.j.at(i, rule, message)
	sig.sums = true
	return sig
}

// Some controllers write true and TRUE; only Compute is strict about it.
func isTrue(c *object.Condition) bool { return strings.EqualFold(c.Status, "true") }

func isFalse(c *object.Condition) bool { return strings.EqualFold(c.Status, "false") }

// saysNo reports whether the status is a word for False that some controllers write.
func saysNo(c *object.Condition) bool {
	return strings.EqualFold(c.Status, "no") || strings.EqualFold(c.Status, "off") || c.Status == "0"
}

// describe is a condition as a sentence: its message, or its type and status.
func describe(c *object.Condition) string {
	if m := strings.TrimSpace(c.Message); m != "" {
		return m
	}
	if c.Reason != "" {
		return c.Type + " is " + c.Status + " (" + c.Reason + ")"
	}
	return c.Type + " is " + c.Status
}

func (s *signals) summary(i int) {
	cond := &s.o.Conditions[i]
	rule := "convention.root"
	if cond.Type == "Ready" {
		rule = "convention.ready"
	}
	switch {
	case polarityOfSense(s.j.sense(cond.Type)) == AbnormalTrue:
		s.sibling(i, false)
	case isTrue(cond) && ends(cond.Type) && classify(cond.Reason) == wordBad:
		// Complete=True with reason JobFailed: it has ended with an error.
		sig := s.atRoot(i, rule, describe(cond))
		sig.Terminal = true
		s.fault(sig)
	case isTrue(cond):
		if class := contradiction(cond); class != wordNone {
			s.class(class, s.atRoot(i, "convention.contradiction", describe(cond)))
			return
		}
		s.good(s.atRoot(i, rule, describe(cond)))
	case isFalse(cond):
		s.stateFalse(i, s.atRoot(i, rule, s.withCulprit(i)), true, true)
	case cond.Status == "Unknown":
		s.progress(s.atRoot(i, rule, s.withCulprit(i)))
	case cond.Status == "":
		s.unknown(s.atRoot(i, rule, "Condition "+cond.Type+" has no status"))
	default:
		s.unknown(s.atRoot(i, rule, "Condition "+cond.Type+" has the status "+
			cond.Status+", which is none of True, False and Unknown"))
	}
}

// contradiction is the class of a reason that mentions a failure or work in
// progress although the condition is True. A reason explains the condition's
// present status (api-conventions.md, "Typical status properties"), so the
// controller says two things at once, and the worse counts, as kstatus's
// Reconciling=True counts beside Ready=True. Only unambiguous words count: not
// a reason that ends well (ProcessingCompleted), nor a mere participle
// (Started).
func contradiction(cond *object.Condition) wordClass {
	if strings.Contains(cond.Reason, "Not"+cond.Type) {
		return wordPending
	}
	best, last := wordNone, wordNone
	all := append(wordsOf(cond.Reason), "")
	for i, w := range all[:len(all)-1] {
		if denials[w] {
			return wordNone // NoErrors
		}
		if last = words[w]; all[i+1] == "up" {
			last = phrasal[w] // SettingUp, GaveUp
		}
		if last == wordBad ||
			last == wordProgress && (strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "progress")) {
			best = max(best, last)
		}
	}
	if last == wordGood || best == wordProgress && classifyWords(cond.Message, false) == wordGood {
		return wordNone // Available=True, Reconciling, "… created successfully" (kubebuilder's deploy-image plugin)
	}
	return best
}

func ends(typ string) bool {
	return typ == "Complete" || typ == "Completed" || typ == "Finished" || typ == "Succeeded"
}

// stateFalse decides between a fault and work in progress for a False condition
// that is good when True; root says that it is the summary, rooted that there
// is one.
func (s *signals) stateFalse(i int, sig Assessment, root, rooted bool) {
	cond := &s.o.Conditions[i]
	class, mute := classify(cond.Reason), cond.Reason == ""
	if class == wordGood { // the reason only restates the condition
		class, mute = wordNone, true
	}
	if s.unwanted && lacksReplicas(cond) {
		if root { // nobody is to be ready
			s.good(s.j.by("convention.nothing-wanted", "spec.replicas status.replicas").current("0 of 0 replicas are wanted"))
		}
		return
	}
	again := reconciling(s.o)
	terminal := root && cond.Type == "Succeeded" && s.j.index("Ready") < 0
	switch {
	case cond.Severity == "Info":
		if !s.rootTrue {
			s.progress(sig)
		}
	case class == wordPaused:
		s.pause(sig)
	case class == wordProgress && words[firstWord(cond.Message)] != wordBad: // not Reconciling, "Failed to create …"
		s.progress(sig)
	case class == wordBad, class == wordProgress, terminal, root &&
		(cond.Severity != "" || again != nil && strings.Contains(again.Reason, "Retry")):
		sig.Terminal = terminal && !strings.Contains(cond.Reason, "Retry")
		sig.retries = root && again != nil
		s.fault(sig)
	case s.rootTrue: // the summary takes it into account and is True
		if slices.Contains(roots[:], cond.Type) {
			s.remark(cond)
		}
	default:
		// The reason does not tell (NotReady, or empty). Then the message may,
		// then any sign of activity; otherwise it is a fault if there is any
		// text about it.
		switch mc := classifyText(cond.Message); {
		case mc == wordBad:
			s.fault(sig)
		case mc == wordProgress, mc == wordPending, class == wordPending, rooted &&
			!root, mute && strings.TrimSpace(cond.Message) == "":
			s.progress(sig)
		case root || s.soft == nil:
			s.soft = &sig
		}
	}
}

// nothingWanted reports whether the object is to have no replicas, and has none, and no condition says that it
// lacks anything else: the last Machine of a MachineSet leaves Ready=False behind (kubernetes-sigs/cluster-api#5453).
func (s *signals) nothingWanted() bool {
	wanted, asked := number(object.At(s.o.Tree, "spec", "replicas"))
	there, counted := number(object.At(s.o.Tree, "status", "replicas"))
	if !asked || !counted || wanted != 0 || there != 0 || !s.o.Observed.Set || s.o.Observed != s.o.Generation {
		return false
	}
	return !slices.ContainsFunc(s.o.Conditions, func(c object.Condition) bool {
		return isFalse(&c) && s.j.sense(c.Type) == registry.State && !s.o.Stale(&c) &&
			!s.j.row.Ignores(c.Type) && !lacksReplicas(&c)
	})
}

// lacksReplicas reports whether a condition that is False may mean no more than that there are no replicas: its
// reason and its message are empty or about them.
func lacksReplicas(cond *object.Condition) bool {
	reason := cond.Reason == "" || hasWord(cond.Reason, replicas) || strings.EqualFold(cond.Reason, "deleted")
	text := strings.TrimSpace(cond.Message) == "" || hasWord(cond.Message, replicas)
	return hasWord(cond.Type, ofReplicas) && reason && text &&
		classify(cond.Reason) < wordProgress && classifyText(cond.Message) < wordProgress
}

// reconciling is the condition by which the controller says that it retries, or
// nil.
func reconciling(o *object.Object) *object.Condition {
	if i := conditionIndex(o, Reconciling); i >= 0 && isTrue(&o.Conditions[i]) {
		return &o.Conditions[i]
	}
	return nil
}

// withCulprit is a summary's message, with that of the condition behind it added if it has none,
// only names dependents, or only restates that something is so: Knative and operatorpkg copy the
// worst one's message into the summary, kro and Cluster API do not.
func (s *signals) withCulprit(root int) string {
	cond := &s.o.Conditions[root]
	text := describe(cond)
	if message.Weight(cond.Message) > message.SaysThatOnly && !strings.Contains(cond.Reason, "Dependent") {
		return text
	}
	bad := func(sub *object.Condition) bool {
		waits := sub.Status == "Unknown" && cond.Status == "Unknown" && sub.Message != ""
		fails := (sub.Type == "Progressing" || sub.Type == Reconciling) && isTrue(sub) && activityFails(sub)
		return s.j.sense(sub.Type) == registry.State && (isFalse(sub) || waits) && sub.Severity != "Info" || fails
	}
	i := Behind(s.o, root, bad)
	// one with a reason alone is better than none
	if i == root && (cond.Message == "" || strings.Contains(cond.Reason, "Dependent")) {
		other := slices.IndexFunc(s.o.Conditions, func(c object.Condition) bool { return c.Type != cond.Type && bad(&c) })
		if other >= 0 {
			i = other
		}
	}
	sub := &s.o.Conditions[i]
	if i == root || sub.Message != "" && strings.Contains(text, sub.Message) {
		return text
	}
	return text + " — " + sub.Type + ": " + strings.TrimPrefix(describe(sub), sub.Type+" is ")
}

// sense is the meaning of a condition type: as declared by the user or the
// registry, otherwise by its name.
func (j *judge) sense(typ string) registry.Sense {
	if j.polarity != nil {
		if p, ok := j.polarity(typ); ok {
			switch p {
			case NormalTrue:
				return registry.State
			case AbnormalTrue:
				return registry.Fault
			}
			return registry.Other
		}
	}
	if k, ok := j.row.Sense(typ); ok {
		return k
	}
	return conditionSense(typ)
}

// sibling reads a condition that is not the summary.
func (s *signals) sibling(i int, rooted bool) {
	cond := &s.o.Conditions[i]
	sense := s.j.sense(cond.Type)
	switch {
	case isTrue(cond):
		s.siblingTrue(i, sense)
	case isFalse(cond), sense == registry.State && saysNo(cond):
		s.siblingFalse(i, sense, rooted)
	case cond.Status == "Unknown" && sense == registry.State && (s.rootTrue || !rooted) &&
		classify(cond.Reason) == wordBad && classifyText(cond.Message) == wordBad:
		// It failed before it could tell (arkmq-org/arkmq-org-broker-operator#674).
		s.fault(s.j.at(i, "convention.condition", describe(cond)))
	case sense == registry.Info && !rooted && cond.Status == "Unknown" && hasWord(cond.Type, goesOn):
		s.progress(s.j.at(i, "convention.condition", describe(cond))) // Running=Unknown, DeploymentWaiting
	case cond.Status == "Unknown" && (sense == registry.State && !rooted ||
		sense == registry.Activity && !s.rootTrue && cond.Message != ""):
		s.progress(s.j.at(i, "convention.condition", describe(cond)))
	case cond.Status != "Unknown" && !s.rootTrue:
		s.wordy(i, sense)
	}
}

// wordy reads a condition whose status is a word, none of True, False and Unknown: Install, Completed. A word that
// nobody knows (KMS-Status, k8s) is no statement beside a phase.
func (s *signals) wordy(i int, sense registry.Sense) {
	cond := &s.o.Conditions[i]
	sig := s.j.at(i, "convention.condition", cmp.Or(strings.TrimSpace(cond.Message), cond.Type+" is "+cond.Status))
	class, doubtful := statusWord(cond, sense)
	switch {
	case sense == registry.Fault || sense == registry.Soft:
		s.unknown(sig) // what does Failure=Ready mean?
	case class != wordNone:
		s.class(class, sig)
	case doubtful || phrase(s.o) == "":
		s.unknown(sig)
	}
}

// statusWord is the class of a condition's status that is a word. A good one beside a reason or a message that
// names an error is bad, and one of an activity or a pause is good only if it ends that: nobody knows what
// "Upgrading is Active" means. A word without a class is doubtful where that is so.
func statusWord(cond *object.Condition, sense registry.Sense) (class wordClass, doubtful bool) {
	class = classify(cond.Status)
	doubtful = classify(cond.Reason) == wordBad || classifyText(cond.Message) == wordBad
	switch {
	case class != wordGood:
	case doubtful:
		class = wordBad
	case (sense == registry.Activity || sense == registry.Pause) && !hasWord(cond.Status, atEnd):
		class, doubtful = wordNone, true
	}
	return class, doubtful
}

// phrase is the phase or the state of an object, or "".
func phrase(o *object.Object) string {
	for _, field := range phaseFields {
		if word, ok := o.Map("status")[field].(string); ok && classify(word) != wordNone {
			return word
		}
	}
	return ""
}

// withdrawn reports whether a fault is what was so until its opposite became true:
// Scheduled is True since Unschedulable is (volcano-sh/volcano#153).
func (s *signals) withdrawn(fault *object.Condition) bool {
	state, negated := strings.CutPrefix(strings.ToLower(fault.Type), "un")
	if !negated {
		state, negated = strings.CutPrefix(state, "not")
	}
	if !negated || fault.LastTransitionTime.IsZero() { // without a date nothing says which is newer
		return false
	}
	return slices.ContainsFunc(s.o.Conditions, func(c object.Condition) bool {
		return isTrue(&c) && !s.o.Stale(&c) && stem(strings.ToLower(c.Type)) == stem(state) &&
			c.LastTransitionTime.After(fault.LastTransitionTime)
	})
}

// stem is a word without the ending that makes a state of a verb: scheduled and schedulable.
func stem(word string) string {
	for _, ending := range [...]string{"able", "ed"} {
		if base, found := strings.CutSuffix(word, ending); found {
			return base
		}
	}
	return word
}

func (s *signals) siblingTrue(i int, sense registry.Sense) {
	cond := &s.o.Conditions[i]
	sig := s.j.at(i, "convention.abnormal-true", describe(cond))
	switch sense {
	case registry.State:
		if ends(cond.Type) && classify(cond.Reason) == wordBad {
			sig.Terminal = true
			s.fault(sig)
			return
		}
		if !s.rootTrue {
			sig.Rule = "convention.condition"
			s.good(sig)
		}
	case registry.Fault:
		if s.withdrawn(cond) {
			s.trace.note("convention.history", "a newer condition says the opposite of "+cond.Type, conditionPath(i))
			return
		}
		if cond.Type == Stalled {
			sig.Rule = "convention.stalled"
		}
		sig.Terminal = cond.Type == Stalled || cond.Type == "Failed" && bounded(s.o.Kind) || cond.Type == "ACK.Terminal"
		s.fault(sig)
	case registry.Soft:
		if !s.rootTrue {
			s.fault(sig)
		} else {
			s.remark(cond)
		}
	case registry.Activity:
		sig.retries = strings.Contains(cond.Reason, "WithRetry")
		switch class := classify(cond.Reason); {
		case cond.Type == Reconciling: // whatever the reason: as in kstatus
			sig.Rule = "convention.reconciling"
			s.progress(sig)
		case rolledOut(cond), s.rootTrue && s.milestone(cond):
		case class == wordPaused:
			s.pause(sig)
		case failedAttempt(cond.Type, cond.Reason, cond.Message):
			s.fault(sig) // Pending=True, Error: it goes on, and fails
		default:
			s.progress(sig)
		}
	case registry.Pause:
		s.pause(sig)
	case registry.Info:
		// Ansible operators: Running with reason Running during a run,
		// afterwards with reason Successful
		// (operator-framework/ansible-operator-plugins,
		// internal/ansible/controller/status/types.go).
		if cond.Type == "Running" && cond.Reason == "Running" && s.j.index("Successful") < 0 &&
			strings.Contains(strings.ToLower(cond.Message), "reconcil") {
			s.progress(sig)
		}
	}
}

// failedAttempt reports whether an activity is under way, and its reason and its message say that it has failed
// so far. A fault may also be what the activity is for: Remediating, HealthCheckFailed.
func failedAttempt(activity, reason, text string) bool {
	return !hasWord(activity, mending) && hasWord(reason, failedTry) && classify(reason) == wordBad &&
		message.Weight(text) >= message.SaysWhy
}

// milestone recognises a stage that is over: a word without a reason that was True when
// the summary became True, or before. Rancher's Pending=True says that nothing is
// pending any more (pkg/controllers/management/clusterprovisioner, v2.11).
func (s *signals) milestone(cond *object.Condition) bool {
	root := s.j.root()
	if root < 0 || cond.Reason != "" {
		return false
	}
	reached, ready := touched(cond), touched(&s.o.Conditions[root])
	return !reached.IsZero() && !ready.IsZero() && !reached.After(ready)
}

// rolledOut recognises the one activity whose reason says that it is complete:
// Progressing=True of a Deployment, or in its style, whose newest replicas are
// all available (kubernetes v1.33, pkg/controller/deployment/util,
// NewRSAvailableReason; OpenShift's NewReplicationControllerAvailable).
func rolledOut(cond *object.Condition) bool {
	return cond.Type == "Progressing" && strings.HasPrefix(cond.Reason, "New") &&
		strings.HasSuffix(cond.Reason, "Available")
}

// remark notes a condition that does not decide.
func (s *signals) remark(cond *object.Condition) {
	if s.note == "" {
		s.note = cond.Type + ": " + describe(cond)
	}
}

func (s *signals) siblingFalse(i int, sense registry.Sense, rooted bool) {
	cond := &s.o.Conditions[i]
	sig := s.j.at(i, "convention.condition", describe(cond))
	switch sense {
	case registry.Activity:
		// It has stopped: Progressing=False with reason
		// ProgressDeadlineExceeded.
		if cond.Type == "Progressing" && classify(cond.Reason) == wordBad {
			sig.Rule = "convention.progressing"
			s.fault(sig)
		}
	case registry.Fault, registry.Soft, registry.Pause:
		_, known := s.j.row.Sense(cond.Type)
		switch {
		case rooted:
		case !known && failedState(cond.Type):
			s.doubt = &sig
		default:
			sig.Rule, sig.Message = "convention.abnormal-true", cond.Type+" is False"
			s.clear(sig)
		}
		return
	case registry.State:
		s.stateFalse(i, sig, false, rooted)
	case registry.Info: // no fault by itself, but Running=False (Crash) is one
		_, known := s.j.row.Sense(cond.Type)
		switch class := classify(cond.Reason); {
		case known || rooted:
		case class == wordBad:
			s.fault(sig)
		case hasWord(cond.Type, goesOn) && (class == wordProgress || class == wordPending): // ClusterRunning=False, Resuming
			s.progress(sig)
		}
	case registry.Other: // whatever the type means, its reason and its message name an error: Tokens=False, TokenError
		if _, known := s.j.row.Sense(cond.Type); !known && !rooted &&
			failedAttempt(cond.Type, cond.Reason, cond.Message) {
			s.fault(sig)
		}
	}
}
