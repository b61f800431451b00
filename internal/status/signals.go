package status

// signals collects what an object says, and keeps the worst of it.
type signals struct {
	trace    *trace
	best     Assessment
	rank     uint8
	rootTrue bool // Ready or Succeeded is True
	summed   bool // a condition or a word that sums the object up has spoken
	badOnly  bool // good words no longer count
	soft     *Assessment
	note     string // what deserves a look though the root is True
}

// ranks of signals: a fault beats work under way beats a pause beats an unknown word
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

func (s *signals) add(rank uint8, sig Assessment) {
	if rank > s.rank || rank == s.rank && sig.sums && !s.best.sums {
		s.best, s.rank = sig, rank
	}
	s.trace.note(sig.Rule, sig.Message, sig.Paths...)
}

// status adds a signal of a status; "" is none.
func (s *signals) status(status Status, sig Assessment) {
	switch status {
	case Current:
		s.good(sig)
	case InProgress:
		s.progress(sig)
	case Failed:
		s.fault(sig)
	}
}

func (s *signals) fault(sig Assessment) {
	sig.Status, sig.heals = Failed, !sig.Terminal
	if sig.Terminal {
		s.add(rankTerminal, sig)
		return
	}
	s.add(rankFault, sig)
}

func (s *signals) progress(sig Assessment) {
	sig.Status = InProgress
	s.add(rankProgress, sig)
}

func (s *signals) pause(sig Assessment) {
	sig.Status, sig.Paused = InProgress, true
	s.add(rankPaused, sig)
}

func (s *signals) unknown(sig Assessment) {
	sig.Status = Unknown
	s.add(rankUnknown, sig)
}

func (s *signals) clear(sig Assessment) {
	sig.Status = Current
	s.add(rankClear, sig)
}

func (s *signals) good(sig Assessment) {
	sig.Status = Current
	s.add(rankGood, sig)
}

// worst settles what decides. A root condition that is False without a telling
// reason is a fault, unless something else shows that work is under way.
func (s *signals) worst() (Assessment, bool) {
	if s.soft != nil && (s.rank < rankProgress || s.rank == rankFault && s.soft.sums) {
		s.fault(*s.soft) // of two faults the one that sums up is told
	}
	return s.best, s.rank > rankNone
}

// class adds a signal of the class of a word.
func (s *signals) class(class wordClass, sig Assessment) bool {
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
