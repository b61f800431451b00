package status

import (
	_ "embed"
	"strings"
)

// wordClass is the meaning of a controller's word (a phase, a reason, the
// beginning of a message), weakest first: of several words in a text the
// strongest counts.
type wordClass uint8

const (
	wordNone     wordClass = iota // unknown words
	wordGood                      // Ready, Bound, Succeeded
	wordPaused                    // Suspended, Hibernated
	wordPending                   // a negated good word: NotReady, not yet available
	wordProgress                  // Provisioning, Pending, Waiting
	wordBad                       // Failed, Invalid, Unreachable
)

// lexicon holds the lists of words, see its comments.
//
//go:embed words.txt
var lexicon string

// wordLists are the lists of the lexicon, by name.
var wordLists = func() map[string][]string {
	lists, name := map[string][]string{}, ""
	for line := range strings.Lines(lexicon) {
		if head, ok := strings.CutSuffix(strings.TrimSpace(line), ":"); ok && line[0] >= 'a' {
			name = head
		} else if line[0] == ' ' {
			lists[name] = append(lists[name], strings.Fields(line)...)
		}
	}
	return lists
}()

// tableOf maps each word to the list that it is in.
func tableOf[T comparable](lists map[string]T) map[string]T {
	table := map[string]T{}
	for name, meaning := range lists {
		for _, w := range wordLists[name] {
			table[w] = meaning
		}
	}
	return table
}

var (
	words     = tableOf(map[string]wordClass{"bad": wordBad, "progress": wordProgress, "paused": wordPaused, "good": wordGood})
	denials   = tableOf(map[string]bool{"denial": true})
	badDenied = tableOf(map[string]bool{"bad when denied": true})
	phrasal   = tableOf(map[string]wordClass{"progress with up": wordProgress, "bad with up": wordBad})
	settled   = tableOf(map[string]bool{"not under way": true})
	ending    = tableOf(map[string]bool{"comes to an end": true})
	midway    = tableOf(map[string]bool{"midway": true})
	pastWords = tableOf(map[string]bool{"past": true})
)

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// tokens splits CamelCase, snake_case, kebab-case and plain text into
// lower-case words of letters and digits, without allocating.
type tokens struct {
	s   string
	i   int
	buf [32]byte
}

// next returns the next word, valid until the next call. A word longer than the
// buffer is cut.
func (t *tokens) next() ([]byte, bool) {
	n := 0
	for t.i < len(t.s) {
		c := t.s[t.i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		case c >= 'A' && c <= 'Z':
			if n > 0 {
				prev := t.s[t.i-1]
				lowerBefore := prev >= 'a' && prev <= 'z' || prev >= '0' && prev <= '9'
				lowerAfter := t.i+1 < len(t.s) && t.s[t.i+1] >= 'a' && t.s[t.i+1] <= 'z'
				if lowerBefore || prev >= 'A' && prev <= 'Z' && lowerAfter {
					return t.buf[:n], true
				}
			}
			c += 'a' - 'A'
		case c == '\'':
			t.i++
			continue
		default:
			t.i++
			if n > 0 {
				return t.buf[:n], true
			}
			continue
		}
		if n < len(t.buf) {
			t.buf[n] = c
			n++
		}
		t.i++
	}
	return t.buf[:n], n > 0
}

// classify judges a phase, a state or a reason: a few words without grammar.
func classify(s string) wordClass {
	if strings.EqualFold(s, "down") || strings.HasSuffix(s, "BackOff") { // ImagePullBackOff
		return wordBad
	}
	if s == "MinimumReplicasUnavailable" {
		return wordPending // Deployment's MinimumReplicasUnavailable, which owners repeat: normal at first
	}
	return classifyWords(s, true)
}

// classifyText judges the beginning of a message, in which fewer words count: a
// sentence mentions much that it does not claim.
func classifyText(s string) wordClass {
	if len(s) > 240 {
		s = s[:240]
	}
	c := classifyWords(s, false)
	if c == wordGood || c == wordPaused {
		return wordNone
	}
	return c
}

func classifyWords(s string, terse bool) wordClass {
	best := wordNone
	var denied, in, of, work, mid bool // of the words before
	up := wordGood                     // Up, UpToDate
	t := tokens{s: s}
	for {
		w, ok := t.next()
		if !ok {
			return best
		}
		if string(w) == "up" {
			best = max(best, up)
			continue
		}
		wasIn, wasOf, wasWork, wasMidway := in, of, work, mid
		up = phrasal[string(w)] // StartUp, GaveUp, NodeUp
		in, of = string(w) == "in", string(w) == "of"
		if denials[string(w)] {
			denied = true
			continue
		}
		c, known := words[string(w)]
		if terse && !known && (string(w) == "warning" || string(w) == "warn") {
			c, known = wordBad, true // only in a state or reason: a message may merely warn of it
		}
		if !known && terse && len(w) > 5 && string(w[len(w)-3:]) == "ing" && !settled[string(w)] {
			c = wordProgress
		}
		switch {
		case string(w) == "sync" && wasIn: // InSync
			c, known = wordGood, true
		case string(w) == "sync" && wasOf: // OutOfSync
			c, known = wordPending, true
		}
		if denied {
			switch {
			case badDenied[string(w)]:
				c = wordBad
			case c == wordGood:
				c = wordPending
			case c == wordNone:
				if terse {
					continue // "NoPodsFound": the negation is about a later word
				}
			default:
				c = wordNone // "NoErrors"
				if terse {
					c = wordGood
				}
			}
			if c != wordNone || known {
				denied = false
			}
		}
		if terse && (wasWork && midway[string(w)] || wasMidway && ending[string(w)]) { // BuildRunning, RunningWorkflow
			c = max(c, wordProgress)
		}
		work, mid = ending[string(w)], midway[string(w)]
		best = max(best, c)
	}
}

// hasWord reports whether a name contains a word of the table.
func hasWord(name string, table map[string]bool) bool {
	t := tokens{s: name}
	for w, ok := t.next(); ok; w, ok = t.next() {
		if table[string(w)] {
			return true
		}
	}
	return false
}

// bounded reports whether objects of a kind end, so that "Running" is not their
// goal. The kind's last word tells: AnalysisRun, BroadcastJob, Backup.
func bounded(kind string) bool {
	last := false
	t := tokens{s: kind}
	for w, ok := t.next(); ok; w, ok = t.next() {
		last = ending[string(w)] || last && string(w) == "set" // JobSet
	}
	return last
}
