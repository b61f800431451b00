package explain

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// recorded is when each set was taken.
var recorded = map[string]time.Time{
	"t1":            time.Date(2026, 11, 20, 23, 51, 50, 0, time.UTC),
	"t2-nodes-down": time.Date(2026, 11, 20, 23, 54, 0, 0, time.UTC),
}

func fixture(t testing.TB, set, scenario string) *world {
	dir := sharedDir(t, "fixtures")
	w := newWorld(time.Time{})
	w.load(t, filepath.Join(dir, set, "_cluster.json"))
	for _, o := range w.order {
		w.complete[object.ID{Group: o.Group, Kind: o.Kind}] = true
	}
	w.load(t, filepath.Join(dir, set, scenario+".json"))
	w.now = recorded[set]
	return w
}

func describe(causes []Cause) string {
	var b strings.Builder
	for _, c := range causes {
		fmt.Fprintf(&b, "%s %s %s ×%d | %s | %s", c.Code, c.Class, c.Certainty, c.Count, c.Subject.ID, c.Title)
		if c.Subject.Container != "" {
			fmt.Fprintf(&b, " [%s]", c.Subject.Container)
		}
		fmt.Fprintf(&b, " | blocks %v", c.Blocks)
		if len(c.Symptoms) > 0 {
			b.WriteString(" | folds")
			for i, s := range c.Symptoms {
				if i < 4 {
					fmt.Fprintf(&b, " %s(%s)", s.Code, s.Ref)
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// wanted is what the recordings are to be explained by: the codes of the causes
// that are not ordinary progress, in order, each with what it is about and how
// many show it.
var wanted = map[string][]string{
	"dep":         {"ImageNotFound Pod/ok-7469fc5d64-n2f9x[app] ×1 blocks Deployment/ok", "Paused Deployment/paused ×1 blocks Deployment/paused"},
	"ds":          {"ImageNotFound Pod/some-5hnt4[app] ×2 blocks DaemonSet/some", "NoNodesTargeted DaemonSet/zero ×1"},
	"kconfig":     {"ConfigMissing Pod/d-59b6dbcf9b-q9675[app] ×3 blocks Deployment/d"},
	"kcrash":      {"ContainerCrashing Pod/d-5b4c6bdf7f-4k52t[app] ×3 blocks Deployment/d"},
	"kimage":      {"ImageNotFound Pod/d-7b96c8d68b-47shc[app] ×3 blocks Deployment/d"},
	"kinit":       {"InitContainerFailing Pod/d-54475674df-scz75[fetch] ×2 blocks Deployment/d"},
	"kmount":      {"VolumeSourceMissing Pod/d-56f97987c7-gqtlx ×3 blocks Deployment/d"},
	"koom":        {"OutOfMemory Pod/d-6755bbd65c-6cwns[app] ×3 blocks Deployment/d"},
	"ksandbox":    {"PodNetworkFailed Pod/d-79bf8c6bc5-jwdbb ×3 blocks Deployment/d"},
	"kunready":    {"ReadinessProbeFailing Pod/d-84fd76b948-9l54n[app] ×3 blocks Deployment/d"},
	"limitrange":  {"LimitRangeViolated LimitRange/lr ×1 blocks Deployment/d"},
	"noprio":      {"PriorityClassMissing ReplicaSet/d-5c488c5998 ×1 blocks Deployment/d"},
	"nosa":        {"ServiceAccountMissing ReplicaSet/d-77579dd7c6 ×1 blocks Deployment/d"},
	"quota":       {"QuotaExceeded ResourceQuota/q ×1 blocks Deployment/d"},
	"quotamust":   {"QuotaNeedsFields ResourceQuota/compute ×1 blocks Deployment/d"},
	"vap":         {"PolicyDenied ValidatingAdmissionPolicy/no-nope ×1 blocks Deployment/d"},
	"wh":          {"WebhookUnreachable ValidatingWebhookConfiguration/lab ×1 blocks Deployment/d"},
	"xanti":       {"PodAffinity Pod/d-67b4cdf868-lhm8b ×2 blocks Deployment/d"},
	"xcpu":        {"NotEnoughResources Pod/d-779647fcb6-4gj26 ×3 blocks Deployment/d"},
	"xext":        {"ProvisionerSilent PersistentVolumeClaim/data ×1 blocks Deployment/d PersistentVolumeClaim/data"},
	"xgate":       {"SchedulingGated Pod/d-5d4f8ccfb7-b4k8c ×1 blocks Deployment/d"},
	"xhostport":   {"HostPortTaken Pod/d-7fdfc74b8-2njl2 ×1 blocks Deployment/d"},
	"xpvcclass":   {"StorageClassMissing PersistentVolumeClaim/data ×1 blocks Deployment/d PersistentVolumeClaim/data"},
	"xpvcmissing": {"ClaimMissing Pod/d-586fd578f6-flxd4 ×1 blocks Deployment/d"},
	"xpvcnoclass": {"NoStorageClass PersistentVolumeClaim/data ×1 blocks Deployment/d PersistentVolumeClaim/data"},
	"xsel":        {"NoMatchingNode Pod/d-7f4558f64b-8hml5 ×3 blocks Deployment/d"},
	"xspread":     {"TopologySpread Pod/d-59bdb648dc-w6phk ×2 blocks Deployment/d"},
	"xtaint":      {"TaintNotTolerated Pod/d-d8cbd695-tsljs ×3 blocks Deployment/d"},
	"_cluster":    {"DefinitionNamesTaken CustomResourceDefinition/gadgets.lab.io ×1 blocks CustomResourceDefinition/gadgets.lab.io", "APIServiceUnavailable APIService/v1.broken.lab ×1 blocks APIService/v1.broken.lab"},
	"hpa": {
		"MetricsMissing HorizontalPodAutoscaler/nometrics ×1 blocks HorizontalPodAutoscaler/nometrics",
		"ScaleTargetMissing HorizontalPodAutoscaler/notarget ×1 blocks HorizontalPodAutoscaler/notarget",
		"BudgetIneffective PodDisruptionBudget/none ×1",
	},
	"job": {
		"JobDeadlineExceeded Job/dl ×1 blocks Job/dl",
		"JobBackoffLimitExceeded Job/bo ×1 blocks Job/bo",
		"Suspended Job/sus ×1 blocks Job/sus",
	},
	"psa": {
		"PodSecurityViolated StatefulSet/sts ×1 blocks StatefulSet/sts",
		"PodSecurityViolated ReplicaSet/d-7f4bfb5c64 ×1 blocks Deployment/d",
		"PodSecurityViolated DaemonSet/ds ×1 blocks DaemonSet/ds",
		"PodSecurityViolated Job/j ×1 blocks Job/j",
	},
	"svc": {
		"ReadinessProbeFailing Pod/bad-7f6857fb77-tm44w[app] ×2 blocks Deployment/bad Service/unready",
		"PortNameMissing Service/badport ×1 blocks Service/badport",
		"SelectorMatchesNothing Service/nomatch ×1",
		"LoadBalancerPending Service/lb ×1 blocks Service/lb",
	},
	"term": {
		"APIServiceUnavailable APIService/v1.broken.lab ×1 blocks Namespace/term",
		"FinalizerBlocks Widget/w ×1 blocks Namespace/term Widget/w",
	},
	"xwfc": {"WaitsForConsumer PersistentVolumeClaim/data ×1"},
	"sts": {
		"RollbackTrap StatefulSet/ok ×1 blocks StatefulSet/ok",
		"ReadinessProbeFailing Pod/ord-0[app] ×1 blocks StatefulSet/ord",
		"OnDelete StatefulSet/ondel ×1",
		"Partitioned StatefulSet/part ×1",
	},
}

func TestEveryRecordedScenarioIsExplained(t *testing.T) {
	dir := sharedDir(t, "fixtures")
	files, _ := filepath.Glob(filepath.Join(dir, "t1", "*.json"))
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		t.Run(name, func(t *testing.T) {
			want := wanted[name]
			if want == nil {
				t.Fatal("nothing is said about this scenario")
			}
			w := fixture(t, "t1", name)
			s, asked := w.snapshot(), w.asked(name)
			causes := Explain(s, asked).Causes
			for _, x := range contradictions(s, asked, causes) {
				t.Error(x)
			}
			var got []string
			for _, c := range causes {
				if c.Code != codes.Progressing.Name {
					got = append(got, line(c))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("causes (-want +got):\n%s\n%s", diff, describe(causes))
			}
			for _, c := range causes {
				checkCause(t, c)
			}
		})
	}
}

// asked is what a recorded scenario is followed by.
func (w *world) asked(name string) []object.ID {
	switch name {
	case "_cluster":
		return w.roots("")
	case "term":
		return append(w.roots(name), object.ID{Kind: "Namespace", Name: name})
	}
	return w.roots(name)
}

// checkCause verifies what holds for every cause.
func checkCause(t *testing.T, c Cause) {
	t.Helper()
	e := codes.Named(c.Code)
	switch {
	case e == nil:
		t.Errorf("%s is not a published code", c.Code)
	case c.Title == "" || strings.Contains(c.Title, "\n"):
		t.Errorf("%s: title %q is not one line", c.Code, c.Title)
	case len(c.Evidence) == 0:
		t.Errorf("%s: no evidence", c.Code)
	case c.Count < 1 || len(c.Objects) == 0:
		t.Errorf("%s: shown by nothing", c.Code)
	case c.Class == "" || c.Certainty == "" || c.ID == "":
		t.Errorf("%s: incomplete: %+v", c.Code, c)
	}
	for _, n := range c.Next {
		if !strings.HasPrefix(n, "kubectl ") && !strings.HasPrefix(n, "helm history ") && !strings.HasPrefix(n, "helm list ") {
			t.Errorf("%s: next command %q", c.Code, n)
		}
	}
}

// Once all nodes are lost, that is the root of what was well before, and the
// old causes stay with the rest.
func TestLostNodesAreTheCauseForObjectsThatWereCurrent(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"hpa", []string{"NodeLost Node/n1 ×1 blocks Deployment/d", "MetricsMissing", "ScaleTargetMissing", "BudgetIneffective"}},
		{"kcrash", []string{"NodeLost Node/n1 ×2 blocks Deployment/d", "NodeLost Node/n0 ×1 blocks Deployment/d"}},
		{"kimage", []string{"ImageNotFound Pod/d-7b96c8d68b-47shc[app] ×3 blocks Deployment/d"}},
		{"xcpu", []string{"NotEnoughResources Pod/d-779647fcb6-4gj26 ×3 blocks Deployment/d"}},
		{"xsel", []string{"NoMatchingNode Pod/d-7f4558f64b-8hml5 ×3 blocks Deployment/d"}},
		{"xtaint", []string{"TaintNotTolerated Pod/d-d8cbd695-tsljs ×3 blocks Deployment/d"}},
		{"quota", []string{"QuotaExceeded ResourceQuota/q ×1 blocks Deployment/d", "NodeLost Node/n0 ×1 blocks Deployment/d", "NodeLost Node/n1 ×1 blocks Deployment/d"}},
		{"svc", []string{
			"ReadinessProbeFailing Pod/bad-7f6857fb77-tm44w[app] ×2 blocks Deployment/bad",
			"NodeLost Node/n0 ×1 blocks Deployment/ok", "NodeLost Node/n1 ×1 blocks Deployment/ok",
			"SelectorMatchesNothing", "LoadBalancerPending",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fixture(t, "t2-nodes-down", c.name)
			s, asked := w.snapshot(), w.asked(c.name)
			causes := Explain(s, asked).Causes
			for _, x := range contradictions(s, asked, causes) {
				t.Error(x)
			}
			if len(causes) != len(c.want) {
				t.Fatalf("%d causes, want %d:\n%s", len(causes), len(c.want), describe(causes))
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(causes, func(x Cause) bool { return strings.HasPrefix(line(x), want) }) {
					t.Errorf("no cause %s in\n%s", want, describe(causes))
				}
			}
		})
	}
}

func line(c Cause) string {
	var s strings.Builder
	s.WriteString(c.Code + " " + c.Subject.String())
	if c.Subject.Container != "" {
		s.WriteString("[" + c.Subject.Container + "]")
	}
	s.WriteString(fmt.Sprintf(" ×%d", c.Count))
	for i, b := range c.Blocks {
		if i == 0 {
			s.WriteString(" blocks")
		}
		s.WriteString(" " + b.String())
	}
	return s.String()
}
