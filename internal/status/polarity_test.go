package status

import "testing"

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
		if got := PolarityOf(typ); got != want {
			t.Errorf("%s is %s, want %s", typ, got, want)
		}
	}
}

func TestWordsAreJudgedByTheStrongest(t *testing.T) {
	for word, want := range map[string]wordClass{
		"Ready": wordGood, "RUNNING": wordGood, "in-sync": wordGood, "UpToDate": wordGood, "Bound": wordGood,
		"NotReady": wordPending, "DEPLOYED_NOT_READY": wordPending, "StatefulSetNotReady": wordPending,
		"PENDING_RERUN": wordProgress, "WaitingForInfrastructure": wordProgress, "ImportInProgress": wordProgress,
		"MigratingData": wordProgress, "Frobnicating": wordProgress, "ScalingDown": wordProgress,
		"UpdateFailed": wordBad, "FailedToConfigure": wordBad, "NotAllowed": wordBad, "NonCompliant": wordBad,
		"DependencyNotFound": wordBad, "ErrRegisterAccount": wordBad, "red": wordBad, "Down": wordBad,
		"Suspended": wordPaused, "Hibernated": wordPaused, "NoErrors": wordGood,
		"Leader": wordNone, "": wordNone, "v1.2.3": wordNone,
	} {
		if got := classify(word); got != want {
			t.Errorf("%q is of class %d, want %d", word, got, want)
		}
	}
}
