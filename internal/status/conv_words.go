package status

import (
	_ "embed"
	"slices"
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
	words = tableOf(map[string]wordClass{
		"bad": wordBad, "progress": wordProgress, "paused": wordPaused, "good": wordGood,
	})
	denials   = tableOf(map[string]bool{"denial": true})
	badDenied = tableOf(map[string]bool{"bad when denied": true})
	phrasal   = tableOf(map[string]wordClass{
		"under way with up": wordProgress, "progress with up": wordProgress, "bad with up": wordBad,
	})
	settled    = tableOf(map[string]bool{"not under way": true})
	ending     = tableOf(map[string]bool{"comes to an end": true})
	failedTry  = tableOf(map[string]bool{"an attempt has failed": true})
	mending    = tableOf(map[string]bool{"activity that mends": true})
	replicas   = tableOf(map[string]bool{"replicas": true})
	ofReplicas = tableOf(map[string]bool{"state of replicas": true})
	goesOn     = tableOf(map[string]bool{"condition of what goes on": true})
	atEnd      = tableOf(map[string]bool{"the end of a whole": true})
	midway     = tableOf(map[string]bool{"midway": true})
	pastWords  = tableOf(map[string]bool{"past": true})
)

// wordsOf splits CamelCase, snake_case, kebab-case and plain text into lower-case
// words of letters and digits.
func wordsOf(text string) []string {
	split := make([]byte, 0, 64)
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\'':
			continue
		case isUpper(c):
			next := i+1 < len(text) && text[i+1] >= 'a' && text[i+1] <= 'z'
			if i > 0 && (isLower(text[i-1]) || isUpper(text[i-1]) && next) {
				split = append(split, ' ')
			}
			c += 'a' - 'A'
		case !isLower(c):
			c = ' '
		}
		split = append(split, c)
	}
	return strings.Fields(string(split))
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' } // or a digit

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
	var rollback, partly bool          // RolledBack, RollbackComplete; PartialSuccess
	var before string                  // the word before
	up := wordGood                     // Up, UpToDate
	for _, w := range wordsOf(s) {
		if w == "up" {
			best = max(best, up)
			continue
		}
		rollback = rollback || w == "rollback" || w == "rolledback" || w == "back" && before == "rolled"
		before = w
		wasIn, wasOf, wasWork, wasMidway := in, of, work, mid
		up = phrasal[w] // StartUp, GaveUp, NodeUp
		in, of = w == "in", w == "of"
		if denials[w] {
			denied = true
			continue
		}
		c, known := words[w]
		if terse && !known && (w == "warning" || w == "warn") {
			c, known = wordBad, true // only in a state or reason: a message may merely warn of it
		}
		if !known && terse && len(w) > 5 && strings.HasSuffix(w, "ing") && !settled[w] {
			c = wordProgress
		}
		switch {
		case w == "sync" && wasIn: // InSync
			c, known = wordGood, true
		case w == "sync" && wasOf: // OutOfSync
			c, known = wordPending, true
		}
		if denied {
			switch {
			case badDenied[w]:
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
		if terse && (wasWork && midway[w] || wasMidway && ending[w]) { // BuildRunning, RunningWorkflow
			c = max(c, wordProgress)
		}
		if partly && c == wordGood && atEnd[w] && strings.HasPrefix(w, "succe") {
			c = wordBad // PartialSuccess: it has ended, and part of it failed
		}
		partly = w == "partial" || w == "partially"
		work, mid = ending[w], midway[w]
		best = max(best, c)
	}
	if rollback && terse && best <= wordGood {
		return wordBad // what was asked for has been given up
	}
	return best
}

// firstWord is the first word of a text, or "".
func firstWord(text string) string { return append(wordsOf(text), "")[0] }

// hasWord reports whether a name contains a word of the table.
func hasWord(name string, table map[string]bool) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool { return table[w] })
}

// bounded reports whether objects of a kind end, so that "Running" is not their
// goal. The kind's last word tells: AnalysisRun, BroadcastJob, Backup.
func bounded(kind string) bool {
	last := false
	for _, w := range wordsOf(kind) {
		last = ending[w] || last && w == "set" // JobSet
	}
	return last
}
