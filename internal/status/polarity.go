package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// PolarityByName infers from its name whether a condition type is good when True.
// According to Kubernetes's API conventions that cannot be known in general;
// the names in use follow a few conventions closely enough. A name that follows
// none has UnknownPolarity: it is shown and never judged.
func PolarityByName(typ string) Polarity {
	return polarityOfSense(conditionSense(typ))
}

// PolarityFor returns the polarity of a condition type of an object. The user's rules decide first,
// then the registry's row, then the type's name. Confidence says which of them did.
func PolarityFor(o *object.Object, user UserRules, typ string) (Polarity, Confidence) {
	if declared, ok := user.(UserConditions); ok {
		if p, ok := declared.Polarity(o, typ); ok {
			return p, User
		}
		if PolarityByName(typ) == UnknownPolarity && slices.Contains(declared.Ready(o), typ) {
			return NormalTrue, User // it is judged as one that is good when True
		}
	}
	if k, ok := registry.For(o.Group, o.Kind).Sense(typ); ok {
		return polarityOfSense(k), Registry
	}
	return PolarityByName(typ), Convention
}

// The tables below are read from words.txt. A key here is the heading of a list in that file. tableOf
// gives every word of the list the value.
var (
	// conditionNames gives the sense of a whole condition type. Its words would give a wrong one:
	// ContinuousArchiving is a state, not an activity.
	conditionNames = tableOf(map[string]registry.Sense{
		"type state": registry.State, "type fault": registry.Fault, "type activity": registry.Activity,
		"type info": registry.Info, "type soft": registry.Soft, "type other": registry.Other,
	})
	// conditionWords gives the sense of a word. The last word of a type that is in the table
	// decides: FetchFailed is a fault.
	conditionWords = tableOf(map[string]registry.Sense{
		"condition state": registry.State, "condition fault": registry.Fault, "condition activity": registry.Activity,
		"condition info": registry.Info, "condition other": registry.Other, "condition soft": registry.Soft, "condition pause": registry.Pause,
	})
	// conditionPhrases gives the sense of a verb with "up" after it: ScalingUp, GaveUp.
	conditionPhrases = tableOf(map[string]registry.Sense{"under way with up": registry.Activity, "progress with up": registry.Other, "bad with up": registry.Fault})
)

// A type whose first word is in failureFirst is a fault (FailedSync). It is none if its last word is
// in remedyLast (FailedOver). It is a fault again if it has a word of noRemedy (FailedToBeReplaced).
var (
	failureFirst = tableOf(map[string]bool{"what has failed": true})
	remedyLast   = tableOf(map[string]bool{"done about what has failed": true})
	noRemedy     = tableOf(map[string]bool{"takes that back": true})
)

// deletionWords are the words after "for" that mean that the object is being deleted
// (ScheduledForDeletion).
var deletionWords = tableOf(map[string]bool{"purpose that ends": true})

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
	if len(all) > 0 && failureFirst[all[0]] {
		if remedyLast[all[len(all)-1]] && !hasWord(typ, noRemedy) {
			return registry.Other
		}
		return registry.Fault
	}
	return senseOfWords(all)
}

// failedState reports whether a condition type begins with a word of failure and ends with a state, as
// FailedSync does. FailedSync=False does not mean that the sync is done.
func failedState(typ string) bool {
	all := wordsOf(typ)
	return len(all) > 0 && failureFirst[all[0]] && senseOfWords(all) == registry.State
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
			if deletionWords[w] {
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
