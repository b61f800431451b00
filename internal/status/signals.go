package status

import (
	"github.com/kstatus-tui/kstatus-tui/internal/message"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// signals reads an object's statements (conditions in conv_conditions.go, fields in
// the other conv_ files), and keeps the worst.
type signals struct {
	j        *judge
	o        *object.Object
	trace    *trace // nil unless what is read is to be noted
	best     Assessment
	rank     uint8
	rootTrue bool // the summary condition is True
	summed   bool // a summary condition or word exists
	unwanted bool // the object is to have no replicas, has none, and lacks nothing else
	soft     *Assessment
	doubt    *Assessment // what means nothing if there is no other statement
	note     string      // a remark although the summary is True
}

func newSignals(j *judge) signals { return signals{j: j, o: j.o, trace: j.trace} }

// Ranks of signals: fault, work in progress, pause, unknown word, success,
// absence of faults.
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

func (s *signals) add(rank uint8, status Status, sig Assessment) {
	sig.Status = status
	if rank > s.rank || rank == s.rank && (sig.sums && !s.best.sums || rank == rankFault && s.saysMore(sig)) {
		s.best, s.rank = sig, rank
	}
	s.trace.note(sig.Rule, sig.Message, sig.Paths...)
}

// saysMore reports whether a fault says why and the one before it, which is no summary and as
// grave, does not: an Ansible operator's Running is False, and its Failure has the error.
func (s *signals) saysMore(sig Assessment) bool {
	return !s.best.sums && sig.condition > 0 && s.best.condition > 0 && saysWhyOver(&sig, &s.best)
}

// saysWhyOver reports whether a says what is wrong, and b does not.
func saysWhyOver(a, b *Assessment) bool {
	return message.Weight(b.Message) < message.SaysWhy && message.Weight(a.Message) >= message.SaysWhy
}

// take adds the worst of weaker signals: all if there is no other, otherwise
// only what is not good.
func (s *signals) take(weaker *signals) {
	if s.rank == rankNone || s.rank <= rankGood && weaker.rank > rankGood {
		s.best, s.rank = weaker.best, weaker.rank
	}
}

func (s *signals) fault(sig Assessment) {
	sig.heals = !sig.Terminal
	rank := rankFault
	if sig.Terminal {
		rank = rankTerminal
	}
	s.add(rank, Failed, sig)
}

func (s *signals) pause(sig Assessment) {
	sig.Paused = true
	s.add(rankPaused, InProgress, sig)
}

func (s *signals) progress(sig Assessment) { s.add(rankProgress, InProgress, sig) }
func (s *signals) unknown(sig Assessment)  { s.add(rankUnknown, Unknown, sig) }
func (s *signals) good(sig Assessment)     { s.add(rankGood, Current, sig) }
func (s *signals) clear(sig Assessment)    { s.add(rankClear, Current, sig) }

// worst decides. A False summary without a clear reason is a fault, unless
// another signal shows work in progress.
func (s *signals) worst() (Assessment, bool) {
	if s.doubt != nil && s.rank == rankNone && s.soft == nil {
		s.add(rankClear, Unknown, *s.doubt)
	}
	if s.soft != nil && (s.rank < rankProgress || s.rank == rankFault && s.soft.sums && !saysWhyOver(&s.best, s.soft)) {
		s.fault(*s.soft) // of two faults the summary is reported
	}
	return s.best, s.rank > rankNone
}

// class adds the signal of a word's class.
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
