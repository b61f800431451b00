package status

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// exceptions are the labels that we deliberately differ from, each with the
// reason why ours is the truer answer. They count as agreement, and there may
// be few of them.
var exceptions = map[string]string{
	"apps.kruise.io/DaemonSet/testdata/no-update-strategy-partition.yaml": "no node is to run the pod, so that nothing is left to do",
	"pkg.crossplane.io/Provider/testdata/degraded_healthy.yaml":           "a package that is being unpacked is under way, not broken",
	"projectcontour.io/HTTPProxy/testdata/parent_child.yaml":              "Contour itself says that the proxy is invalid, and routes nothing",
}

func exception(id string) bool {
	for suffix := range exceptions {
		if strings.HasSuffix(id, suffix) {
			return true
		}
	}
	return false
}

// judgedAt is the moment at which the corpora are judged: after all of their
// dates.
var judgedAt = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func TestCustomKindsAgreeWithTheLabels(t *testing.T) {
	agree, green, excepted, n := 0, 0, 0, 0
	for _, c := range corpus(t, "argo-lua.jsonl", judgedAt) {
		o, err := DecodeJSON(c.Object, DecodeOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		n++
		a := Assess(o, World{Offline: true}, judgedAt)
		switch {
		case slices.Contains(c.Want, a.Status):
			agree++
			if exception(c.ID) {
				t.Errorf("%s is an exception, but agrees", c.ID)
			}
			continue
		case exception(c.ID):
			agree++
			excepted++
			continue
		case a.Status == Current:
			green++
		}
		if os.Getenv("CONFORMANCE") != "" {
			t.Logf("%s: %s is %s by %s, want %v (%s): %s %s", c.ID, o.GroupKind(), a.Status, a.Rule, c.Want, c.Native, a.Reason, a.Message)
		}
	}
	t.Logf("%d objects: %d agree (%d exceptions), %d falsely green", n, agree, excepted, green)
	if agree*100 < 95*n || green*100 > 2*n || excepted*100 > 3*n {
		t.Errorf("%d of %d agree (at least 95 %% wanted), %d falsely green (at most 2 %%), %d exceptions (at most 3 %%)", agree, n, green, excepted)
	}
}

// TestConventionsAloneGoFar judges the same objects without the registry: what
// an object of a kind that nobody has heard of may expect.
func TestConventionsAloneGoFar(t *testing.T) {
	agree, green, n := 0, 0, 0
	for _, c := range corpus(t, "argo-lua.jsonl", judgedAt) {
		o, err := DecodeJSON(c.Object, DecodeOptions{})
		if err != nil || !o.Deleted.IsZero() || o.Observed.Set && o.Observed.V < o.Generation.V || builtinGroup(o.Group) {
			continue
		}
		n++
		cc := custom{o: o, w: World{Offline: true}, now: judgedAt, confidence: Convention}
		s, stale := cc.stale()
		if !stale {
			s = cc.conventions()
		}
		a := cc.finish(s)
		if slices.Contains(c.Want, a.Status) {
			agree++
			continue
		}
		if a.Status == Current {
			green++
		}
		if os.Getenv("CONFORMANCE") != "" {
			t.Logf("%s: %s is %s by %s, want %v (%s): %s %s", c.ID, o.GroupKind(), a.Status, a.Rule, c.Want, c.Native, a.Reason, a.Message)
		}
	}
	t.Logf("%d objects: %d agree, %d falsely green", n, agree, green)
	if agree*100 < 80*n || green*100 > 15*n {
		t.Errorf("%d of %d agree, %d falsely green", agree, n, green)
	}
}
