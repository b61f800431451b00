package status

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// healGrace is how long a fault that may heal lasts before it counts as
// Failed.
const healGrace = 30 * time.Second

// silence is how long an object may be without a status before we say that no
// controller has reported.
const silence = 30 * time.Second

// assessCustom judges an object that no built-in reader knows, in this order;
// the first that speaks decides:
//
//  0. the reader of a built-in kind without a typed view
//  1. a status that describes an older generation
//  2. the curated row of the registry for the kind or its group
//  3. the conventions: all that the object says is collected as signals, and
//     the worst counts (see signals)
//
// whatever these say, Stalled=True is Failed and Reconciling=True not Current
// (see standard); then
//
//  4. no status at all: waiting, and after a while Unknown
//  5. nothing to go by: Current, and assumed
func assessCustom(o *object.Object, w *World) Assessment {
	c := custom{o: o, w: w}
	if kind := treeKinds[[2]string{o.Group, o.Kind}]; kind != notTree {
		if c.w.trace.on() {
			for i := range o.Conditions {
				c.w.trace.note(ruleID(o.Group, o.Kind, "conditions"), describe(&o.Conditions[i]), conditionPath(i)+".status")
			}
		}
		s := c.readTree(kind)
		s.rule = ruleID(o.Group, o.Kind, cmp.Or(s.rule, "status"))
		return c.finish(&s, c.standard(&s, Exact))
	}
	sure := Convention
	c.row = registry.For(o.Group, o.Kind)
	declared, _ := w.User.(UserConditions)
	if declared != nil {
		w.polarity = func(typ string) (Polarity, bool) { return declared.Polarity(o, typ) }
	}
	if s, ok := c.stale(); ok {
		return c.finish(&s, Convention)
	}
	c.w.trace.not("convention.staleness", "a condition, or a text in its status, describes an older generation")
	if declared != nil {
		if ready := declared.Ready(o); len(ready) > 0 {
			s := c.declared(ready)
			return c.finish(&s, User)
		}
	}
	if c.row != nil {
		sure = Registry
		if s, ok := c.judgeRow(); ok {
			return c.finish(&s, c.standard(&s, sure))
		}
		if c.w.trace.on() {
			c.w.trace.not(c.row.ID(), "a clause of the registry's row decides")
		}
	} else {
		c.w.trace.not("registry", "the registry has a row for the kind or its group")
	}
	s := c.conventions()
	return c.finish(&s, c.standard(&s, sure))
}

// custom is one assessment under way. It holds pointers alone, and what the
// rules hand back none of them, so that neither it nor the World goes to the
// heap (TestAnAssessmentAllocatesNothingButWhatItSays).
type custom struct {
	o      *object.Object
	w      *World
	row    *registry.Row
	fields []string // the names in status, sorted; see statusFields
}

// signal is one thing that an object says about itself.
type signal struct {
	status   Status
	reason   string
	message  string
	rule     string
	paths    []string
	cond     int       // 1 + index in Conditions; 0 for none
	since    time.Time // when it began, where the object tells
	heals    bool      // Failed only after the grace
	terminal bool
	paused   bool
	retrying bool
	assumed  bool
	silent   bool // there is no status: InProgress first, then Unknown
	root     bool // from the condition that sums up: it goes before its equals
	note     string
	recheck  time.Time // when it would be judged differently, with nothing happening
	what     string    // what is expected to happen at recheck, where it is worth a word
}

// finish turns the signal that decided into an assessment: the grace of faults
// that may heal, and the patience with silent controllers.
func (c *custom) finish(s *signal, sure Confidence) Assessment {
	a := Assessment{
		Status: s.status, Reason: s.reason, Message: s.message, Since: s.since, Rule: s.rule,
		Paths: s.paths, Deciding: s.cond - 1, Confidence: sure, Terminal: s.terminal,
		Paused: s.paused, Note: s.note, Recheck: s.recheck,
	}
	if s.what != "" {
		a.Deadline, a.DeadlineWhat = s.recheck, s.what
	}
	if s.assumed {
		a.Confidence = Assumed
	}
	if s.retrying {
		a.Retrying = &Retry{LastError: s.message}
		if p := c.w.Prior; p != nil && p.Retrying != nil {
			a.Retrying.Count = p.Retrying.Count
			if p.Retrying.LastError != s.message {
				a.Retrying.Count++
			}
		}
	}
	switch {
	case s.silent:
		first := c.w.FirstSeen
		if first.IsZero() || c.w.Offline {
			first = c.w.now
		}
		if until := first.Add(silence); c.w.now.Before(until) {
			a.Status, a.Recheck = InProgress, until
			a.Message = cmp.Or(a.Message, "No status has been reported yet")
		} else {
			a.Status = Unknown
			a.Message = "No controller has reported a status"
			a.Since = until
		}
		a.Reason = cmp.Or(a.Reason, "NoStatus")
	case s.status == Failed && s.heals:
		a.Status, a.FaultSince, a.Recheck = graceful(c.o, c.w, c.w.now, s.since)
		if a.Status == Failed {
			a.Since = a.FaultSince.Add(healGrace)
			if s.since.IsZero() && c.w.Offline {
				a.Since = time.Time{}
			}
			a.FaultSince = time.Time{}
		}
	}
	if c.w.trace.on() {
		c.w.trace.hit(a)
	}
	return a
}

// graceful applies the grace to a fault that began at since. Where that is not
// known, it began no later than the object was last written, or else when it was
// first seen. The time it returns with Failed is when the fault began; with
// InProgress the last one is when the grace ends.
func graceful(o *object.Object, w *World, now, since time.Time) (Status, time.Time, time.Time) {
	if since.IsZero() && !w.Offline {
		since = o.Written
	}
	if p := w.Prior; p != nil && p.Status == Failed {
		// It has been Failed before, and still is: a newer date does not give
		// it another grace.
		if known := p.Since.Add(-healGrace); !p.Since.IsZero() && (since.IsZero() || since.After(known)) {
			since = known
		}
		if since.IsZero() || now.Sub(since) < healGrace {
			since = now.Add(-healGrace)
		}
		return Failed, since, time.Time{}
	}
	if w.Prior != nil && !w.Prior.FaultSince.IsZero() && (since.IsZero() || w.Prior.FaultSince.Before(since)) {
		since = w.Prior.FaultSince
	}
	if since.IsZero() || since.After(now) {
		if w.Offline && since.IsZero() {
			return Failed, now.Add(-healGrace), time.Time{}
		}
		since = now
	}
	if end := since.Add(healGrace); now.Before(end) {
		return InProgress, since, end
	}
	return Failed, since, time.Time{}
}

// generationFields are the names under which controllers report the generation
// that they have seen.
var generationFields = [...]string{
	"observedGeneration", "lastObservedGeneration", "lastEvaluatedGeneration", "lastReconciledGeneration",
	"reconciledGeneration", "lastHandledGeneration", "lastProcessedGeneration", "processedGeneration",
	"lastSyncedGeneration", "lastAppliedGeneration",
}

// stale reports a status that describes an older generation: by
// status.observedGeneration written as a string (the integer is seen to before
// this function), or by that of the condition that sums the others up.
func (c *custom) stale() (signal, bool) {
	o := c.o
	if !o.Generation.Set {
		return signal{}, false
	}
	status, _ := o.Tree["status"].(map[string]any)
	for _, field := range generationFields {
		n, ok := object.Integer(status[field])
		if field == "observedGeneration" && o.ObservedText.Set {
			n, ok = o.ObservedText.V, true
		}
		if ok && n < o.Generation.V {
			return signal{
				status: InProgress, reason: "GenerationNotObserved", rule: "convention.staleness",
				message: "Generation " + strconv.FormatInt(o.Generation.V, 10) + " is not observed yet, only " + strconv.FormatInt(n, 10),
				paths:   []string{"metadata.generation", "status." + field},
			}, true
		}
	}
	root := c.root()
	if root < 0 || !c.o.Stale(&o.Conditions[root]) {
		return signal{}, false
	}
	cond := &o.Conditions[root]
	return signal{
		status: InProgress, reason: "GenerationNotObserved", rule: "convention.staleness",
		message: "Condition " + cond.Type + " describes generation " + strconv.FormatInt(cond.ObservedGeneration.V, 10) +
			", not " + strconv.FormatInt(o.Generation.V, 10),
		paths: []string{"metadata.generation", conditionPath(root) + ".observedGeneration"},
		cond:  root + 1,
	}, true
}

// NamedPath is a path that a judgement names, for a person: a condition by its
// type, where the rules count ("status.conditions[0].status").
func NamedPath(o *object.Object, path string) string {
	const list = "status.conditions["
	rest, ok := strings.CutPrefix(path, list)
	if !ok || o == nil {
		return path
	}
	n, tail, _ := strings.Cut(rest, "]")
	if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(o.Conditions) && o.Conditions[i].Type != "" {
		return list + o.Conditions[i].Type + "]" + tail
	}
	return path
}

func conditionPath(i int) string { return "status.conditions[" + strconv.Itoa(i) + "]" }

// conditionFields are the paths that a signal of a condition names, for the
// first so many conditions: nearly every judgement names some.
var conditionFields = func() (table [24][2]string) {
	for i := range table {
		p := conditionPath(i)
		table[i] = [2]string{p + ".status", p + ".reason"}
	}
	return table
}()

// ruleIDs holds the ids of rules that are named after a kind, once they have
// been put together. Kinds and rules are few.
var ruleIDs struct {
	sync.RWMutex
	of map[[3]string]string
}

// ruleID is GROUP/KIND.rule.
func ruleID(group, kind, rule string) string {
	key := [3]string{group, kind, rule}
	ruleIDs.RLock()
	id, ok := ruleIDs.of[key]
	ruleIDs.RUnlock()
	if ok {
		return id
	}
	id = object.ID{Group: group, Kind: kind}.GroupKind() + "." + rule
	ruleIDs.Lock()
	defer ruleIDs.Unlock()
	if ruleIDs.of == nil || len(ruleIDs.of) >= 4096 { // somebody makes up kinds
		ruleIDs.of = map[[3]string]string{}
	}
	ruleIDs.of[key] = id
	return id
}

// roots are the condition types that sum an object up, best first.
var roots = [...]string{
	"Ready", "Succeeded", "Available", "Healthy", "Complete", "Completed", "Established", "Programmed",
	"Accepted", "Synced", "Deployed", "Valid", "Reconciled", "Installed",
}

// root returns the index of the condition that sums the others up, or -1.
func (c *custom) root() int {
	if c.row != nil && c.row.Root != "" {
		return c.index(c.row.Root)
	}
	if len(c.o.Conditions) == 0 {
		return -1
	}
	for _, typ := range roots {
		if i := c.index(typ); i >= 0 {
			return i
		}
	}
	for i := range c.o.Conditions { // ready, READY
		if strings.EqualFold(c.o.Conditions[i].Type, roots[0]) {
			return i
		}
	}
	return -1
}

func (c *custom) index(typ string) int {
	for i := range c.o.Conditions {
		if c.o.Conditions[i].Type == typ {
			return i
		}
	}
	return -1
}

// declared judges the object by the conditions that the user says count, and
// by no others.
func (c *custom) declared(ready []string) signal {
	var s signals
	s.t = c.w.trace
	for _, typ := range ready {
		i := c.index(typ)
		switch {
		case i < 0:
			s.progress(signal{
				rule: "user.conditions", reason: typ + "Missing", paths: []string{"status.conditions"},
				message: "Condition " + typ + " is not reported yet, which means Unknown",
			})
			continue
		case c.o.Stale(&c.o.Conditions[i]):
			s.progress(c.at(i, "user.conditions", "Condition "+typ+" describes an older generation"))
			continue
		}
		cond := &c.o.Conditions[i]
		sig := c.at(i, "user.conditions", describe(cond))
		_, polarity := c.sense(typ)
		switch good := "True"; {
		case polarity == AbnormalTrue && cond.Status == "False", polarity != AbnormalTrue && cond.Status == good:
			s.good(sig)
		case cond.Status != "True" && cond.Status != "False", cond.Severity == "Info":
			s.progress(sig)
		default:
			switch classify(cond.Reason) {
			case wordProgress, wordPending:
				s.progress(sig)
			default:
				s.fault(sig)
			}
		}
	}
	best, _ := s.worst()
	return best
}

// conventions judges the object by the habits that controllers share.
func (c *custom) conventions() signal {
	var s signals
	s.t = c.w.trace
	wantsPause, pausePath := c.pausedBySpec()
	c.conditionSignals(&s)
	c.fieldSignals(&s)
	c.nestedSignals(&s)
	c.nestedWords(&s)
	c.weakSignals(&s)

	best, found := s.worst()
	if young, until := c.young(); young && !s.summed && len(c.o.Conditions) > 0 && (!found || s.rank <= rankGood && best.cond > 0) {
		return signal{
			status: InProgress, rule: "convention.young", reason: "SummaryMissing", recheck: until, paths: []string{"status.conditions"},
			message: "No condition sums it up yet, which means Unknown",
		}
	}
	switch {
	case wantsPause && found && best.status == Current:
		best.note = "suspended; nothing is left to do"
		best.paths = append(best.paths, pausePath)
		return best
	case wantsPause:
		return signal{
			status: InProgress, paused: true, reason: "Suspended", rule: "convention.suspended",
			message: pauseMessage(best), paths: []string{pausePath},
		}
	case found:
		if best.status == Current && best.note == "" {
			best.note = s.note
		}
		return best
	case c.emptyStatus():
		return c.noStatus()
	}
	return signal{
		status: Current, assumed: true, rule: "assumed",
		message: "Nothing in the status is known to mean ready or not",
	}
}

// young reports whether an object is so new that its controller may not have
// written all its conditions, and until when.
func (c *custom) young() (bool, time.Time) {
	born := c.o.Created
	if born.IsZero() {
		born = c.o.Changed
	}
	if born.IsZero() && !c.w.Offline {
		born = c.w.FirstSeen
	}
	if born.IsZero() {
		born = c.w.now
	}
	until := born.Add(silence)
	return c.w.now.Before(until), until
}

func pauseMessage(s signal) string {
	if s.message == "" {
		return "Suspended"
	}
	return "Suspended: " + s.message
}

// noStatus judges an object whose controller has said nothing. Kinds that
// carry no status at all are Current, where that can be known.
func (c *custom) noStatus() signal {
	if c.w.Reports != nil {
		if reports, known := c.w.Reports(c.o.Group, c.o.Kind); known && !reports {
			return signal{
				status: Current, assumed: true, rule: "convention.no-status-expected",
				message: "Objects of this kind carry no status: its definition has none", paths: []string{"status"},
			}
		}
	}
	if c.serves() {
		return signal{silent: true, rule: "convention.no-status", paths: []string{"status"}, since: c.o.Created}
	}
	if c.o.MetadataOnly {
		return signal{status: Current, assumed: true, rule: "assumed", message: "Only the metadata is known"}
	}
	if builtinGroup(c.o.Group) {
		return signal{status: Current, assumed: true, rule: "assumed", message: "The object exists, and has no status"}
	}
	return signal{silent: true, rule: "convention.no-status", paths: []string{"status"}, since: c.o.Created}
}

// serves reports whether objects of the kind have a status to be written: the
// server's discovery names the subresource, or somebody has written it.
func (c *custom) serves() bool {
	return c.w.Serves != nil && c.w.Serves(c.o.Group, c.o.Kind) ||
		slices.ContainsFunc(c.o.Writers, func(w object.Writer) bool { return w.Status })
}

// builtinGroup reports whether a group belongs to Kubernetes itself. Not every
// group that ends in k8s.io does: snapshots and gateways are custom kinds.
func builtinGroup(group string) bool {
	return !strings.Contains(group, ".") || builtinGroups[group]
}

var builtinGroups = setOf(`admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io
	authentication.k8s.io authorization.k8s.io certificates.k8s.io coordination.k8s.io discovery.k8s.io
	events.k8s.io flowcontrol.apiserver.k8s.io internal.apiserver.k8s.io metrics.k8s.io
	networking.k8s.io node.k8s.io rbac.authorization.k8s.io resource.k8s.io scheduling.k8s.io
	storage.k8s.io storagemigration.k8s.io`)

// pausedBySpec reports whether the spec asks for a pause, and where.
func (c *custom) pausedBySpec() (bool, string) {
	spec, _ := c.o.Tree["spec"].(map[string]any)
	for _, field := range [...]string{"paused", "suspend", "suspended", "pause"} {
		if v, ok := spec[field].(bool); ok && v {
			return true, "spec." + field
		}
	}
	return false, ""
}

// signals collects what an object says, and keeps the worst of it.
type signals struct {
	t        *trace
	best     signal
	rank     uint8
	rootTrue bool // Ready or Succeeded is True
	spoke    bool // a condition or a well-named field is there at all
	summed   bool // a condition or a word that sums the object up has spoken
	badOnly  bool // good words no longer count
	soft     *signal
	note     string // what deserves a look though the root is True
}

// ranks of signals: a fault beats work under way beats a pause beats a riddle
// beats success beats the absence of faults.
const (
	rankNone  uint8 = iota
	rankClear       // nothing bad is reported
	rankGood
	rankUnknown
	rankPaused
	rankProgress
	rankFault
	rankTerminal
)

func (s *signals) add(rank uint8, sig signal) {
	if rank > s.rank || rank == s.rank && sig.root && !s.best.root {
		s.best, s.rank = sig, rank
	}
	s.spoke = true
	if t := s.t; t.on() {
		t.note(sig.rule, sig.message, sig.paths...)
	}
}

// wants reports whether a signal of that rank would count, so that it is put
// together only then.
func (s *signals) wants(rank uint8) bool { return rank > s.rank || rank != rankNone && s.t.on() }

// ranked adds a signal of one of the ranks from success to a fault that may
// heal.
func (s *signals) ranked(rank uint8, sig signal) {
	switch rank {
	case rankGood:
		s.good(sig)
	case rankProgress:
		s.progress(sig)
	case rankFault:
		s.fault(sig)
	}
}

func (s *signals) fault(sig signal) {
	sig.status, sig.heals = Failed, !sig.terminal
	if sig.terminal {
		s.add(rankTerminal, sig)
		return
	}
	s.add(rankFault, sig)
}

func (s *signals) progress(sig signal) {
	sig.status = InProgress
	s.add(rankProgress, sig)
}

func (s *signals) pause(sig signal) {
	sig.status, sig.paused = InProgress, true
	s.add(rankPaused, sig)
}

func (s *signals) unknown(sig signal) {
	sig.status = Unknown
	s.add(rankUnknown, sig)
}

func (s *signals) clear(sig signal) {
	sig.status = Current
	s.add(rankClear, sig)
}

func (s *signals) good(sig signal) {
	sig.status = Current
	s.add(rankGood, sig)
}

// worst settles what decides. A root condition that is False without a telling
// reason is a fault, unless something else shows that work is under way.
func (s *signals) worst() (signal, bool) {
	if s.soft != nil && (s.rank < rankProgress || s.rank == rankFault && s.soft.root) {
		s.fault(*s.soft) // of two faults the one that sums up is told
	}
	return s.best, s.rank > rankNone
}

// class adds a signal of the class of a word.
func (s *signals) class(class wordClass, sig signal) bool {
	switch class {
	case wordBad:
		s.fault(sig)
	case wordProgress, wordPending:
		s.progress(sig)
	case wordPaused:
		s.pause(sig)
	case wordGood:
		s.good(sig)
	default:
		return false
	}
	return true
}
