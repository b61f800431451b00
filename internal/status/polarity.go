package status

import (
	"slices"
	"strings"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status/registry"
)

// PolarityOf infers from its name whether a condition type is good when True.
// Kubernetes's API conventions say that this cannot be known without further
// knowledge; the names in use follow a few habits closely enough, and a name
// that follows none is UnknownPolarity, which is shown and never judged.
func PolarityOf(typ string) Polarity {
	_, p := conditionSense(typ)
	return p
}

// PolarityFor is the polarity of a condition type of an object as its judgement
// takes it, and by what it is known: User where the user's rules declare it,
// Registry where the kind's row does, else Convention, by its name.
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

// conditionNames holds the types whose words would mislead.
var conditionNames = senseTable(map[registry.Sense]string{
	registry.Info: `Active Upgradeable Upgradable Scalable DisruptionAllowed RemediationAllowed LoadBalancerManaged
		DNSManaged ScalingActive Consolidatable Empty Running ACK.LateInitialized LastBackupSucceeded
		Remediated SecretsEncrypted Disrupted VolumesDetached HibernationPossible ConstraintsSatisfied
		CRDsUpgradeable TerminationGracePeriodExpired`,
	registry.Soft: `Drifted Expired Warning Fallback ACK.Advisory ControllerVersionMismatch`,
	registry.State: `Scheduled ContinuousArchiving Promoted Released TestSuccess LatestGenerationObserved
		BackendTLSPolicyValid`,
	registry.Fault: `Stalled NonStructuralSchema ACK.Terminal ACK.Recoverable Terminal ErrorOccurred Orphan
		DeadlineExceeded CatalogSourcesUnhealthy`,
	registry.Activity: `In-progress InProgress PendingPods InstanceTerminating`,
	registry.Other:    `ContainerRecreateRequest`,
})

// conditionWords maps the last telling word of a condition type to its sense.
var conditionWords = senseTable(map[registry.Sense]string{
	registry.State: `ready readiness available healthy succeeded succeeding success successful complete completed
		established synced synchronized sync accepted programmed admitted valid validated verified reconciled
		deployed configured installed initialized initialised bound registered launched created resolved applied
		provisioned satisfied compliant scheduled normal attached connected joined up bootstrapped
		issued authenticated authorized reachable resized finished saved published discoverable advertised
		adopted loaded built pushed signed finalized approved enabled supported exists attested
		acknowledged assigned downloaded imported renewed completion uptodate current passed alive live
		running serving operational achieved met ok generated instantiated inherited updated matched
		formed converged consistent functional mounted allocated trusted balanced replicated fulfilled
		delivered responding responsive usable populated prepared activated`,
	registry.Fault: `failed failure failures failing error errors errored unhealthy invalid exceeded mismatch
		degraded pressure unavailable problem hung missing flapping corrupt stalled unschedulable conflict
		conflicted conflicting unreachable unresolved rejected denied broken lost stuck blocked
		orphaned unsupported timeout crashed deadlock unsynced outofsync inconsistent unknown exhausted
		insufficient misconfigured`,
	registry.Soft: `warning warnings deprecated deprecation drift drifted overlap partially`,
	registry.Activity: `progressing reconciling updating upgrading creating provisioning installing deleting
		terminating issuing scaling rolling rollout migrating restarting initializing rebalancing resizing
		pending restoring remediating disrupting evicting draining syncing processing deploying starting
		stopping collecting refreshing renewing importing recovering rollingupdate reloading bootstrapping`,
	registry.Pause: `paused pausing suspended hibernated hibernating stopped disabled`,
})

func senseTable(lists map[registry.Sense]string) map[string]registry.Sense {
	table := make(map[string]registry.Sense, 256)
	for sense, list := range lists {
		for w := range strings.FieldsSeq(list) {
			table[w] = sense
		}
	}
	return table
}

// conditionSense judges a condition type by its words: the last word that is
// known decides (PodsReady, FetchFailed), and a denial before it turns it
// around (NotReady, NonCompliant).
func conditionSense(typ string) (registry.Sense, Polarity) {
	k, ok := conditionNames[typ]
	if !ok {
		k = inferSense(typ)
	}
	return k, polarityOfSense(k)
}

func polarityOfSense(s registry.Sense) Polarity {
	switch s {
	case registry.State, registry.Info:
		return NormalTrue
	case registry.Other:
		return UnknownPolarity
	}
	return AbnormalTrue
}

func inferSense(typ string) registry.Sense {
	k := registry.Other
	denied, partial := false, false
	t := tokens{s: typ}
	for {
		w, ok := t.next()
		if !ok {
			break
		}
		switch string(w) {
		case "not", "non", "no", "un":
			denied = true
			continue
		case "partially", "partial":
			partial = true
			continue
		case "on": // OnFailureX, "on failure": names an occasion
			t.next()
			continue
		}
		c, known := conditionWords[string(w)]
		if string(w) == "up" && k == registry.Activity {
			continue // ScalingUp
		}
		if !known && words[string(w)] == wordBad {
			c, known = registry.Fault, true // LicenseExpired
		}
		if known {
			k = c
			if denied {
				switch c {
				case registry.State:
					k = registry.Fault
				case registry.Fault:
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
