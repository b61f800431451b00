package e2e

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

const worker = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker}
spec:
  replicas: 2
  selector: {matchLabels: {app: worker}}
  template:
    metadata:
      labels: {app: worker}
      annotations: {kstatus-tui.test/fault: "%s"}
    spec:
      containers: [{name: worker, image: "registry.example.com/shop/worker:1"}]
`

func TestStatusOfMissingObjects(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "status")
	doc, got := status(t, cluster.ReadOnly, "-n", ns, "-f", manifest(t, pair))
	if got.code != 3 || doc.Verdict != "InProgress" {
		t.Errorf("verdict %q, want InProgress and exit 3\n%s", doc.Verdict, got)
	}
	if doc.Schema != "kstatus-tui/v1" || doc.Counts["NotFound"] != 2 || len(doc.Resources) != 2 {
		t.Errorf("want two NotFound resources of schema kstatus-tui/v1\n%s", got)
	}
	if got := ktui(t, cluster.ReadOnly, "status", "-n", ns, "deploy/front"); got.code != 3 {
		t.Errorf("a named object that is absent: want exit 3\n%s", got)
	}
}

func TestStatusOfHealthyObjects(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "status")
	apply(t, ns, pair)
	doc, _ := statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "--children=all", "-f", manifest(t, pair)}, func(doc document, got outcome) string {
		if got.code != 0 {
			return "exit code not 0"
		}
		return ""
	})
	front := doc.resource("Deployment", "front")
	if doc.Verdict != "Current" || front == nil || front.Status != "Current" || front.Confidence != "exact" || front.Generation != 1 || front.ObservedGeneration != 1 {
		t.Fatalf("front: %+v in %+v", front, doc)
	}
	if len(front.Children) != 1 || front.Children[0].Kind != "ReplicaSet" || !front.Children[0].Generated || len(front.Children[0].Children) != 2 {
		t.Errorf("want a generated ReplicaSet with two Pods below the Deployment: %+v", front.Children)
	}
	if settings := doc.resource("ConfigMap", "front-settings"); settings == nil || settings.Status != "Current" {
		t.Errorf("settings: %+v", settings)
	}
	// However much is shown, the verdict is the same.
	for _, children := range []string{"auto", "all", "none"} {
		if doc, got := status(t, cluster.ReadOnly, "-n", ns, "--children="+children, "deploy/front"); got.code != 0 || doc.Verdict != "Current" {
			t.Errorf("--children=%s: verdict %q\n%s", children, doc.Verdict, got)
		}
	}
}

func TestStatusNamesTheCauseAtOnceAndFailsAfterTheGrace(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "status")
	began := time.Now() // before the fault
	apply(t, ns, fmt.Sprintf(worker, cluster.ConfigMissing))
	args := []string{"-n", ns, "deploy/worker"}
	doc, got := statusUntil(t, cluster.ReadOnly, args, func(doc document, got outcome) string {
		if !slices.ContainsFunc(doc.Causes, func(c cause) bool { return c.Code == "ConfigMissing" }) {
			return "no cause ConfigMissing"
		}
		return ""
	})
	if early := time.Since(began) < 30*time.Second; early && (got.code != 3 || doc.Verdict != "InProgress") {
		t.Errorf("within the grace of 30s: verdict %q, want InProgress and exit 3\n%s", doc.Verdict, got)
	}
	if !strings.Contains(got.stdout, "CreateContainerConfigError") {
		t.Errorf("the container's reason is not told\n%s", got)
	}
	doc, got = statusUntil(t, cluster.ReadOnly, args, func(doc document, got outcome) string {
		if got.code != 2 {
			return "not Failed"
		}
		return ""
	})
	if took := time.Since(began); took < 29*time.Second { // the server's dates are whole seconds
		t.Errorf("Failed %s after what fails was applied, want 30s after the fault began", took.Round(time.Second))
	}
	if r := doc.resource("Deployment", "worker"); doc.Verdict != "Failed" || r == nil || r.Terminal {
		t.Errorf("want a Failed Deployment that has not given up\n%s", got)
	}
}

func TestAFailedJobIsFailedWithoutAGrace(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "status")
	apply(t, ns, fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kstatus-tui.test/fault: %s}}
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "registry.example.com/shop/migrate:1"}]
`, cluster.JobFailed))
	doc, _ := statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "job/migrate"}, func(doc document, got outcome) string {
		if got.code != 2 {
			return "not Failed"
		}
		return ""
	})
	if r := doc.resource("Job", "migrate"); r == nil || r.Status != "Failed" || !r.Terminal {
		t.Errorf("want a terminal failure: %+v", r)
	}
}

func TestAlone_ChildrenAreWatchedAndNeverListed(t *testing.T) {
	since(t, 34, "streamed lists")
	ns := namespace(t, "audit")
	apply(t, ns, pair)
	mark := shared.Mark()
	status(t, cluster.ReadOnly, "-n", ns, "--children=all", "-f", manifest(t, pair))
	ui := dashboard(t, cluster.ReadOnly, "-n", ns, "--children=all", "-f", manifest(t, pair))
	ui.shows("DONE")
	watched := map[string]bool{}
	requests := asked(t, mark, cluster.ReadOnly, func(requests []cluster.Request) string {
		for _, r := range requests {
			watched[r.Resource] = watched[r.Resource] || r.Verb == "watch"
		}
		for _, want := range []string{"pods", "replicasets", "deployments"} {
			if !watched[want] {
				return want + " were not watched"
			}
		}
		return ""
	})
	for _, r := range requests {
		switch r.Verb {
		case "list":
			if slices.Contains([]string{"pods", "replicasets", "endpointslices"}, r.Resource) {
				t.Errorf("children were listed: %s", r)
			}
		case "watch":
			if r.Namespace != ns {
				t.Errorf("watched beyond the namespace: %s", r)
			}
		case "get":
		default:
			t.Errorf("something else than reading was asked for: %s", r)
		}
	}
	ui.quit()
}

var secretURI = regexp.MustCompile(`/secrets(/|\?|$)`)

// A Secret's payload must not reach the program, whatever is followed.
func TestThePayloadOfASecretIsNeverRequested(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "payload")
	const canary = "canary-5up3rs3cr3t"
	secret := fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {name: database}
stringData: {password: %s}
`, canary)
	apply(t, ns, secret)
	tap := tap(t)
	through := []string{"--server", tap.URL(), "-n", ns}
	for _, args := range [][]string{
		append([]string{"status", "-o", "json", "secret/database"}, through...),
		append([]string{"status", "-f", manifest(t, secret)}, through...),
		append([]string{"status", "--all"}, through...),
	} {
		got := ktui(t, cluster.ReadOnly, args...)
		if !strings.Contains(got.stdout, "database") {
			t.Errorf("%v does not show the Secret\n%s", args, got)
		}
	}
	ui := dashboard(t, cluster.ReadOnly, append([]string{"secret/database"}, through...)...)
	ui.shows("DONE")
	// The pane that shows the whole object.
	if err := ui.Type("5"); err != nil {
		t.Fatal(err)
	}
	ui.shows("kind: Secret")
	ui.quit()
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	for _, word := range []string{canary, encoded, strings.TrimRight(encoded, "=")} {
		if tap.Passed(word) {
			t.Errorf("the Secret's payload (%s) came through the wire", word)
		}
		if strings.Contains(string(ui.Output()), word) {
			t.Errorf("the Secret's payload (%s) was shown", word)
		}
	}
	// The tap would have seen it: the whole Secret does carry the payload.
	if len(tap.Exchanges()) == 0 {
		t.Error("nothing went through the tap")
	}
	for _, e := range tap.Exchanges() {
		if secretURI.MatchString(e.URI) && !strings.Contains(e.Accept, "PartialObjectMetadata") {
			t.Errorf("%s %s asks for more than metadata: %s", e.Method, e.URI, e.Accept)
		}
	}
}

func TestARightToGetIsEnoughToJudge(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "rights")
	apply(t, ns, pair)
	statusUntil(t, cluster.ReadOnly, []string{"-n", ns, "deploy/front"}, func(_ document, got outcome) string {
		if got.code != 0 {
			return "exit code not 0"
		}
		return ""
	})
	doc, got := status(t, cluster.GetOnly, "-n", ns, "deploy/front")
	if r := doc.resource("Deployment", "front"); r == nil || r.Status != "Current" || got.code != 0 {
		t.Errorf("for a user who may only get: want Current\n%s", got)
	}
}

func TestWithoutAnyRightTheAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	ns := namespace(t, "rights")
	apply(t, ns, pair)
	doc, got := status(t, cluster.Nobody, "-n", ns, "deploy/front")
	if r := doc.resource("Deployment", "front"); r == nil || r.Status != "Unknown" || got.code != 3 {
		t.Errorf("for a user without rights: want Unknown and exit 3\n%s", got)
	}
	if want := "cannot get deployments.apps in " + ns + " (RBAC)"; !strings.Contains(got.stdout, want) {
		t.Errorf("nothing says %q\n%s", want, got)
	}
}
