package status

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
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
	if k, ok := rowFor(o.Group, o.Kind).sense(typ); ok {
		return polarityOfKind(k), Registry
	}
	return PolarityOf(typ), Convention
}

// conditionKind refines the polarity.
type conditionKind uint8

const (
	kindOther    conditionKind = iota
	kindState                  // a plain normal-true condition
	kindInfo                   // normal-true, but False is a fact and no fault: Active, Upgradeable
	kindFault                  // abnormal-true: something is wrong
	kindSoft                   // abnormal-true: worth a look while the object works
	kindActivity               // abnormal-true: something is under way
	kindPause                  // abnormal-true: somebody stopped it
)

// conditionNames holds the types whose words would mislead.
var conditionNames = map[string]conditionKind{
	"Active": kindInfo, "Upgradeable": kindInfo, "Upgradable": kindInfo, "Scalable": kindInfo,
	"DisruptionAllowed": kindInfo, "RemediationAllowed": kindInfo, "LoadBalancerManaged": kindInfo,
	"DNSManaged": kindInfo, "ScalingActive": kindInfo, "Consolidatable": kindInfo, "Drifted": kindSoft, "Expired": kindSoft, "Empty": kindInfo,
	"Running": kindInfo, "Scheduled": kindState, "Warning": kindSoft, "Fallback": kindSoft,
	"Stalled": kindFault, "NonStructuralSchema": kindFault, "ACK.Terminal": kindFault,
	"ACK.Recoverable": kindFault, "ACK.Advisory": kindSoft, "ACK.LateInitialized": kindInfo,
	"Terminal": kindFault, "ContinuousArchiving": kindState, "LastBackupSucceeded": kindInfo,
	"Promoted": kindState, "In-progress": kindActivity, "InProgress": kindActivity,
	"ErrorOccurred": kindFault, "Orphan": kindFault, "DeadlineExceeded": kindFault,
	"Remediated": kindInfo, "Released": kindState, "TestSuccess": kindState, "SecretsEncrypted": kindInfo,
	"ControllerVersionMismatch": kindSoft, "Disrupted": kindInfo, "PendingPods": kindActivity,
	"InstanceTerminating": kindActivity, "VolumesDetached": kindInfo, "HibernationPossible": kindInfo,
	"ConstraintsSatisfied": kindInfo, "CRDsUpgradeable": kindInfo, "LatestGenerationObserved": kindState,
	"BackendTLSPolicyValid": kindState, "TerminationGracePeriodExpired": kindInfo,
	"CatalogSourcesUnhealthy": kindFault, "ContainerRecreateRequest": kindOther,
}

// conditionWords maps the last telling word of a condition type to its kind.
var conditionWords = func() map[string]conditionKind {
	table := make(map[string]conditionKind, 256)
	add := func(k conditionKind, list string) {
		for w := range setOf(list) {
			table[w] = k
		}
	}
	add(kindState, `ready readiness available healthy succeeded succeeding success successful complete completed
		established synced synchronized sync accepted programmed admitted valid validated verified reconciled
		deployed configured installed initialized initialised bound registered launched created resolved applied
		provisioned satisfied compliant scheduled normal attached connected joined up bootstrapped
		issued authenticated authorized reachable resized finished saved published discoverable advertised
		adopted loaded built pushed signed finalized approved enabled supported exists attested
		acknowledged assigned downloaded imported renewed completion uptodate current passed alive live
		running serving operational achieved met ok generated instantiated inherited updated matched
		formed converged consistent functional mounted allocated trusted balanced replicated fulfilled
		delivered responding responsive usable populated prepared activated`)
	add(kindFault, `failed failure failures failing error errors errored unhealthy invalid exceeded mismatch
		degraded pressure unavailable problem hung missing flapping corrupt stalled unschedulable conflict
		conflicted conflicting unreachable unresolved rejected denied broken lost stuck blocked
		orphaned unsupported timeout crashed deadlock unsynced outofsync inconsistent unknown exhausted
		insufficient misconfigured`)
	add(kindSoft, `warning warnings deprecated deprecation drift drifted overlap partially`)
	add(kindActivity, `progressing reconciling updating upgrading creating provisioning installing deleting
		terminating issuing scaling rolling rollout migrating restarting initializing rebalancing resizing
		pending restoring remediating disrupting evicting draining syncing processing deploying starting
		stopping collecting refreshing renewing importing recovering rollingupdate reloading bootstrapping`)
	add(kindPause, `paused pausing suspended hibernated hibernating stopped disabled`)
	return table
}()

// conditionSense judges a condition type by its words: the last word that is
// known decides (PodsReady, FetchFailed), and a denial before it turns it
// around (NotReady, NonCompliant).
func conditionSense(typ string) (conditionKind, Polarity) {
	k, ok := conditionNames[typ]
	if !ok {
		k = inferSense(typ)
	}
	switch k {
	case kindState, kindInfo:
		return k, NormalTrue
	case kindFault, kindSoft, kindActivity, kindPause:
		return k, AbnormalTrue
	}
	return k, UnknownPolarity
}

func inferSense(typ string) conditionKind {
	k := kindOther
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
		if string(w) == "up" && k == kindActivity {
			continue // ScalingUp
		}
		if !known && words[string(w)] == wordBad {
			c, known = kindFault, true // LicenseExpired
		}
		if known {
			k = c
			if denied {
				switch c {
				case kindState:
					k = kindFault
				case kindFault:
					k = kindState
				}
			}
		}
	}
	switch {
	case k == kindOther && denied:
		return kindFault // NoMatchingInstances
	case partial && k == kindState:
		return kindSoft
	}
	return k
}
