package status

import (
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func TestPolarityFollowsTheTellingWord(t *testing.T) {
	for typ, want := range map[string]Polarity{
		"Ready": NormalTrue, "PodsReady": NormalTrue, "ControlPlaneReady": NormalTrue, "Synced": NormalTrue,
		"platform.example.org/statefulset-available": NormalTrue, "RemoteSynced": NormalTrue, "EveryNodeReady": NormalTrue,
		"Established": NormalTrue, "ResolvedRefs": NormalTrue, "Upgradeable": NormalTrue, "Active": NormalTrue,
		"FetchFailed": AbnormalTrue, "Degraded": AbnormalTrue, "MemoryPressure": AbnormalTrue, "NotReady": AbnormalTrue,
		"NonStructuralSchema": AbnormalTrue, "InvalidSpec": AbnormalTrue, "Progressing": AbnormalTrue, "Reconciling": AbnormalTrue,
		"Stalled": AbnormalTrue, "ConfigurationError": AbnormalTrue, "NoMatchingInstances": AbnormalTrue, "Paused": AbnormalTrue,
		"VersionMismatch": AbnormalTrue, "EKSControlPlaneCreating": AbnormalTrue, "PartiallyReady": AbnormalTrue,
		"Wobbly": UnknownPolarity, "notification": UnknownPolarity, "": UnknownPolarity,
	} {
		if got := PolarityByName(typ); got != want {
			t.Errorf("%s is %s, want %s", typ, got, want)
		}
	}
}

func TestAPhaseIsJudgedByItsStrongestWord(t *testing.T) {
	for word, want := range map[string]wordClass{
		"Ready": wordGood, "RUNNING": wordGood, "in-sync": wordGood, "UpToDate": wordGood, "Bound": wordGood,
		"NotReady": wordPending, "DEPLOYED_NOT_READY": wordPending, "StatefulSetNotReady": wordPending,
		"PENDING_RERUN": wordProgress, "WaitingForInfrastructure": wordProgress, "ImportInProgress": wordProgress,
		"MigratingData": wordProgress, "Frobnicating": wordProgress, "ScalingDown": wordProgress,
		"UpdateFailed": wordBad, "FailedToConfigure": wordBad, "NotAllowed": wordBad, "NonCompliant": wordBad,
		"DependencyNotFound": wordBad, "ErrRegisterAccount": wordBad, "red": wordBad, "Down": wordBad,
		"MinimumReplicasUnavailable": wordPending, "Unavailable": wordBad,
		"Suspended": wordPaused, "Hibernated": wordPaused, "NoErrors": wordGood,
		"Leader": wordNone, "": wordNone, "v1.2.3": wordNone,
	} {
		if got := classify(word); got != want {
			t.Errorf("%q is of class %d, want %d", word, got, want)
		}
	}
}

// declaredRules are rules of a user that say what condition types mean.
type declaredRules struct {
	polarity map[string]Polarity
	ready    []string
}

func (r declaredRules) Judge(*object.Object, time.Time) (Assessment, bool) {
	return Assessment{}, false
}
func (r declaredRules) Ready(*object.Object) []string { return r.ready }
func (r declaredRules) Polarity(_ *object.Object, typ string) (Polarity, bool) {
	p, ok := r.polarity[typ]
	return p, ok
}

func TestThePolarityOfAConditionIsThatByWhichItIsJudged(t *testing.T) {
	user := declaredRules{polarity: map[string]Polarity{"Leaking": AbnormalTrue}, ready: []string{"Sealed", "Leaking"}}
	widget, claim := &object.Object{ID: object.ID{Group: "example.org", Kind: "Widget"}}, &object.Object{ID: object.ID{Group: "karpenter.sh", Kind: "NodeClaim"}}
	for _, c := range []struct {
		o    *object.Object
		user UserRules
		typ  string
		want Polarity
		by   Confidence
	}{
		{widget, nil, "Leaking", UnknownPolarity, Convention},
		{widget, user, "Leaking", AbnormalTrue, User},
		{widget, user, "Sealed", NormalTrue, User},
		{widget, user, "Degraded", AbnormalTrue, Convention},
		{claim, nil, "Disrupting", AbnormalTrue, Registry},
	} {
		if p, by := PolarityFor(c.o, c.user, c.typ); p != c.want || by != c.by {
			t.Errorf("%s of %s: %s, known by %s; want %s by %s", c.typ, c.o.Kind, p, by, c.want, c.by)
		}
	}
}
