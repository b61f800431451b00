package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// PolarityOf infers from its name whether a condition type is good when True.
// According to Kubernetes's API conventions that cannot be known in general;
// the names in use follow a few conventions closely enough. A name that follows
// none has UnknownPolarity: it is shown and never judged.
func PolarityOf(typ string) Polarity {
	return polarityOfSense(conditionSense(typ))
}

// PolarityFor is the polarity by which a condition type of an object is judged,
// and how it is known: User if the user's rules declare it, Registry if the
// kind's row does, otherwise Convention, by its name.
func PolarityFor(o *object.Object, user UserRules, typ string) (Polarity, Confidence) {
	if declared, ok := user.(UserConditions); ok {
		if p, ok := declared.Polarity(o, typ); ok {
			return p, User
		}
		if PolarityOf(typ) == UnknownPolarity && slices.Contains(declared.Ready(o), typ) {
			return NormalTrue, User // it is judged as one that is good when True
		}
	}
	if k, ok := registry.For(o.Group, o.Kind).Sense(typ); ok {
		return polarityOfSense(k), Registry
	}
	return PolarityOf(typ), Convention
}

var (
	// conditionNames are the types whose words would mislead.
	conditionNames = tableOf(map[string]registry.Sense{
		"type state": registry.State, "type fault": registry.Fault, "type activity": registry.Activity,
		"type info": registry.Info, "type soft": registry.Soft, "type other": registry.Other,
	})
	// conditionWords maps the last decisive word of a condition type to its
	// sense.
	conditionWords = tableOf(map[string]registry.Sense{
		"condition state": registry.State, "condition fault": registry.Fault, "condition activity": registry.Activity,
		"condition info": registry.Info, "condition other": registry.Other, "condition soft": registry.Soft, "condition pause": registry.Pause,
	})
	// conditionPhrases are the senses of such a word with "up" after it.
	conditionPhrases = tableOf(map[string]registry.Sense{"under way with up": registry.Activity, "progress with up": registry.Other, "bad with up": registry.Fault})
)

// The words by which a condition type is about a failure (FailedSync), and by which it is about what was done
// about one (FailedOver).
var (
	hasFailed = tableOf(map[string]bool{"what has failed": true})
	doneAbout = tableOf(map[string]bool{"done about what has failed": true})
	takesBack = tableOf(map[string]bool{"takes that back": true})
)

// endings are purposes that mean the end of an object.
var endings = tableOf(map[string]bool{"purpose that ends": true})

func polarityOfSense(s registry.Sense) Polarity {
	switch s {
	case registry.State, registry.Info:
		return NormalTrue
	case registry.Other:
		return UnknownPolarity
	}
	return AbnormalTrue
}

// conditionSense judges a condition type by its words: the last known word
// decides (PodsReady, FetchFailed), and a negation before it inverts it
// (NotReady, NonCompliant).
func conditionSense(typ string) registry.Sense {
	if k, ok := conditionNames[typ]; ok {
		return k
	}
	all := wordsOf(typ)
	if len(all) > 0 && hasFailed[all[0]] {
		if doneAbout[all[len(all)-1]] && !hasWord(typ, takesBack) {
			return registry.Other
		}
		return registry.Fault
	}
	return senseOfWords(all)
}

// failedState reports whether a condition type is about a failure by its first word, and its last is one of a
// state: that FailedSync is False is not yet a sync.
func failedState(typ string) bool {
	all := wordsOf(typ)
	return len(all) > 0 && hasFailed[all[0]] && senseOfWords(all) == registry.State
}

// senseOfWords is the sense of the last known word of a condition type.
func senseOfWords(all []string) registry.Sense {
	k := registry.Other
	denied, partial, occasion, purpose, before := false, false, false, false, ""
	for _, w := range all {
		if occasion {
			occasion = false
			continue
		}
		switch w {
		case "not", "non", "no", "un":
			denied = true
			continue
		case "partially", "partial":
			partial = true
			continue
		case "on": // OnFailureX, "on failure": names an occasion
			occasion = true
			continue
		case "for": // ScheduledForDeletion, WaitForPodsReady: a purpose
			purpose = true
			continue
		}
		if purpose {
			if endings[w] {
				return registry.Activity
			}
			continue
		}
		c, known := conditionWords[w]
		if phrase, ok := conditionPhrases[before]; ok && w == "up" {
			c = phrase // ScalingUp, GaveUp
		}
		before = w
		if !known && words[w] == wordBad {
			c, known = registry.Fault, true // LicenseExpired
		}
		if known {
			k = c
			if denied {
				switch c {
				case registry.State:
					k = registry.Fault
				case registry.Fault, registry.Soft:
					k = registry.State
				}
			}
		}
	}
	switch {
	case k == registry.Other && denied:
		return registry.Fault // NoMatchingInstances
	case partial && k == registry.State:
		return registry.Soft
	}
	return k
}
