package status

import "strings"

// wordClass is what a word that a controller wrote (a phase, a reason, the
// beginning of a message) says about the object, weakest first: of several
// words in one text the strongest counts.
type wordClass uint8

const (
	wordNone     wordClass = iota // says nothing that we understand
	wordGood                      // Ready, Bound, Succeeded
	wordPaused                    // Suspended, Hibernated
	wordPending                   // a good word denied: NotReady, not yet available
	wordProgress                  // Provisioning, Pending, Waiting
	wordBad                       // Failed, Invalid, Unreachable
)

// words is the lexicon. It holds words, never names of products: a word that
// means different things to different projects does not belong here.
var words = wordTable(map[wordClass]string{
	wordBad: `abnormal abort aborted bad backoff blocked broken cannot conflict conflicted conflicting conflicts
		corrupt corrupted crash crashed crashing crashloop crashloopbackoff critical dead deadlock
		degraded denied disallowed disconnected err erred error errored errors evicted exceeded
		exhausted expired fail failed failing fails failure failures fatal faulted faulty forbidden
		illegal inaccessible incompatible incorrect inconsistent ineligible insufficient invalid
		killed limitreached lost malformed malfunction misconfigured mismatch mismatched missing
		noncompliant notfound oomkilled orphan orphaned outofsync panic problem red refused rejected revoked
		stuck terminal terminated timed timedout timeout unable unacceptable unauthenticated unauthorized
		undeliverable unexpected unexpectedly unfulfillable unhealthy unknownerror unpermitted unprocessable
		unreachable unrecognized unrecoverable unresolved unschedulable unserviceable unsupported
		unsuccessful untrusted unusable unavailable violated violation violations vetoed wrong`,
	wordProgress: `awaiting awaits backingup beginning begun bootstrap bootstrapping building checking cloning
		configuring converging creating deferred delayed deleting deploying detaching attaching draining
		enqueued establishing evaluating expanding importing inflight init initializing initialising initiated
		inprogress installing issuing joining launching loading migrating moving ongoing partial
		partially pending planning planned preparing processing progress progressing promoting provisioning pulling
		queued rebalancing rebooting recovering reconciling recreating registering
		reloading remediating removing renewing replacing requested requesting reserving
		resizing restarting restoring retrying resolving rolling rollingback rollout scaling scheduling
		started starting stabilizing stopping submitted submitting switching switchover synchronizing
		syncing terminating transferring transitioning unbound uncommitted undeploying uninitialized uninstalling
		unpacking unreconciled unset unstarted updating upgrading uploading downloading validating
		verifying wait waiting waits yellow yet`,
	wordPaused: `disabled dormant hibernated hibernating hibernation idle idled onhold paused
		pausing passivated quiesced stopped suspended suspending shelved parked`,
	wordGood: `accepted active admitted alive allocated applied approved assigned attached available
		bound clean compliant complete completed configured connected current created delivered
		deployed discovered done enabled enforced established exists finalized finished fulfilled
		functional green healthy idempotent initialized initialised insync installed issued joined launched
		listening live mounted normal ok online open operational passed passing present processed
		programmed promoted protected provisioned published ready readytouse reachable
		reconciled registered released resolved restored running satisfied saved scheduled
		serving settled stable stored success successful successfully succeed succeeded
		supported synced synchronized synchronised trusted updated upgraded
		uptodate valid validated verified working`,
})

// denials turn the next word around.
var denials = map[string]bool{
	"not": true, "no": true, "non": true, "never": true, "without": true, "isnt": true,
	"arent": true, "hasnt": true, "havent": true, "doesnt": true, "didnt": true, "wasnt": true,
}

// badDenied are the words whose denial is a fault rather than a wait:
// NotAllowed, but not NotReady.
var badDenied = setOf(`accepted acceptable admitted allowed authorized authenticated compliant compatible
	controlled controllable enough found healthy matched matching owned permitted possible
	properly reachable recognized resolvable resolved schedulable serviceable supported trusted valid visible`)

// phrasal are what "up" makes of the verb before it: neither GaveUp nor CleanUp
// is success. After any other word it says nothing.
var phrasal = func() map[string]wordClass {
	table := map[string]wordClass{}
	for w := range setOf(`back boot bring catch clean ramp roll scale set spin start warm backing booting bringing
		catching cleaning ramping rolling scaling setting spinning starting warming winding`) {
		table[w] = wordProgress
	}
	for w := range setOf(`gave give gives given giving blew hung messed`) {
		table[w] = wordBad
	}
	return table
}()

// settled are words in -ing that are not under way.
var settled = setOf(`accepting archiving being billing binding blocking building bring during
	everything existing following holding listening logging mapping meaning monitoring networking nothing
	operating passing polling routing running scraping serving setting something streaming string
	thing tracing training warning working timing handling naming swing king ring sibling ceiling`)

func wordTable(lists map[wordClass]string) map[string]wordClass {
	table := make(map[string]wordClass, 512)
	for class, list := range lists {
		for w := range strings.FieldsSeq(list) {
			table[w] = class
		}
	}
	return table
}

func setOf(list string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// tokens cuts CamelCase, snake_case, kebab-case and plain text into lower-case
// words of letters and digits, without allocating.
type tokens struct {
	s   string
	i   int
	buf [32]byte
}

// next returns the next word, valid until the following call. A word longer
// than the buffer is cut.
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
		return wordPending // a Deployment's words, which its owner repeats: so it begins, too
	}
	return classifyWords(s, true)
}

// classifyText judges the beginning of a message, in which fewer words are
// trusted: a sentence names much that it does not say.
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
	denied, in, of := false, false, false
	up := wordGood // Up, UpToDate
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
		wasIn, wasOf := in, of
		up = phrasal[string(w)] // StartUp, GaveUp, NodeUp
		in, of = string(w) == "in", string(w) == "of"
		if denials[string(w)] {
			denied = true
			continue
		}
		c, known := words[string(w)]
		if terse && !known && (string(w) == "warning" || string(w) == "warn") {
			c, known = wordBad, true // of a state or a reason; a text warns of much
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
					continue // "NoPodsFound": the denial is about a later word
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
		best = max(best, c)
	}
}

// bounded reports whether objects of a kind come to an end, so that "Running"
// is not yet what is wanted of them. The kind's last word tells: AnalysisRun,
// BroadcastJob, Backup.
func bounded(kind string) bool {
	t := tokens{s: kind}
	last := false
	for {
		w, ok := t.next()
		if !ok {
			return last
		}
		last = boundedWords[string(w)]
	}
}

var boundedWords = setOf(`run runs job task backup restore workflow migration execution experiment test
	import export build analysis evaluation request upgrade operation rollback transfer action
	command invocation scan verification rebalance batch attempt`)
