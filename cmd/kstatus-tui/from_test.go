package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/recording"
)

// A crash, a Pod without its ConfigMap, and a healthy Deployment.
const savedShop = `
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: u-ns, resourceVersion: "1", creationTimestamp: "2026-11-01T00:00:00Z"}, status: {phase: Active}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt, namespace: shop, uid: u-ca, resourceVersion: "2"}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop, uid: u-web, resourceVersion: "10", generation: 1, creationTimestamp: "2026-11-20T13:00:00Z"}
  spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "web:1"}]}}}
  status:
    observedGeneration: 1
    replicas: 1
    updatedReplicas: 1
    unavailableReplicas: 1
    conditions:
    - {type: Available, status: "False", reason: MinimumReplicasUnavailable, lastTransitionTime: "2026-11-20T13:00:01Z"}
    - {type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: timed out, lastTransitionTime: "2026-11-20T13:10:01Z"}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata:
    {name: web-5, namespace: shop, uid: u-web-5, resourceVersion: "11", generation: 1, creationTimestamp: "2026-11-20T13:00:00Z", labels: {app: web, pod-template-hash: "5"}, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u-web, controller: true}]}
  spec: {replicas: 1, selector: {matchLabels: {app: web, pod-template-hash: "5"}}, template: {metadata: {labels: {app: web, pod-template-hash: "5"}}, spec: {containers: [{name: app, image: "web:1"}]}}}
  status: {observedGeneration: 1, replicas: 1, fullyLabeledReplicas: 1}
- apiVersion: v1
  kind: Pod
  metadata:
    {name: web-5-a, namespace: shop, uid: u-pod, resourceVersion: "12", creationTimestamp: "2026-11-20T13:00:00Z", labels: {app: web, pod-template-hash: "5"}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-5, uid: u-web-5, controller: true}]}
  spec: {nodeName: n1, containers: [{name: app, image: "web:1", envFrom: [{configMapRef: {name: settings}}]}]}
  status:
    phase: Pending
    conditions:
    - {type: PodScheduled, status: "True", lastTransitionTime: "2026-11-20T13:00:00Z"}
    - {type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: "2026-11-20T13:00:00Z"}
    containerStatuses:
    - {name: app, image: "web:1", restartCount: 0, ready: false, state: {waiting: {reason: CreateContainerConfigError, message: 'configmap "settings" not found'}}}
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db, namespace: shop, uid: u-db, resourceVersion: "20", generation: 1, creationTimestamp: "2026-11-20T13:00:00Z"}
  spec: {replicas: 1, serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: "db:1"}]}}}
  status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, currentReplicas: 1, currentRevision: db-1, updateRevision: db-1}
- apiVersion: v1
  kind: Pod
  metadata:
    {name: db-0, namespace: shop, uid: u-db-0, resourceVersion: "21", creationTimestamp: "2026-11-20T13:00:00Z", labels: {app: db, controller-revision-hash: db-1, statefulset.kubernetes.io/pod-name: db-0}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: u-db, controller: true}]}
  spec: {nodeName: n1, containers: [{name: db, image: "db:1"}]}
  status:
    phase: Running
    conditions:
    - {type: PodScheduled, status: "True", lastTransitionTime: "2026-11-20T13:00:00Z"}
    - {type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: "2026-11-20T13:50:00Z"}
    containerStatuses:
    - {name: db, image: "db:1", restartCount: 9, ready: false, state: {waiting: {reason: CrashLoopBackOff, message: back-off}}, lastState: {terminated: {exitCode: 1, reason: Error, startedAt: "2026-11-20T14:00:00Z", finishedAt: "2026-11-20T14:00:01Z"}}}
- apiVersion: v1
  kind: Event
  metadata: {name: db-0.1, namespace: shop, uid: u-ev, resourceVersion: "30"}
  involvedObject: {kind: Pod, name: db-0, namespace: shop, uid: u-db-0}
  type: Warning
  reason: BackOff
  message: Back-off restarting failed container
  count: 5
  firstTimestamp: "2026-11-20T13:05:00Z"
  lastTimestamp: "2026-11-20T14:02:00Z"
`

func saveShop(t *testing.T, layout string) string {
	t.Helper()
	c := dumptest.Cluster{At: time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)}
	if err := yaml.Unmarshal([]byte(savedShop), &c.Objects); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"Pod pods", "Event events", "ConfigMap configmaps", "Service services", "PersistentVolumeClaim persistentvolumeclaims"} {
		kind, plural, _ := strings.Cut(k, " ")
		c.Listed = append(c.Listed, dumptest.Namespaced("v1", kind, plural))
	}
	for _, k := range []string{"Deployment deployments", "ReplicaSet replicasets", "StatefulSet statefulsets"} {
		kind, plural, _ := strings.Cut(k, " ")
		c.Listed = append(c.Listed, dumptest.Namespaced("apps/v1", kind, plural))
	}
	c.Listed = append(c.Listed, dumptest.ClusterScoped("v1", "Namespace", "namespaces"))
	c.Logs = []dumptest.Log{{Namespace: "shop", Pod: "db-0", Container: "db", Previous: true, Text: "starting\nFATAL: data directory has wrong ownership\n"}}
	dir := filepath.Join(t.TempDir(), "shop-was-saved")
	if err := c.Write(dir, layout); err != nil {
		t.Fatal(err)
	}
	return dir
}

// document is what the tests read of -o json.
type document struct {
	Time    time.Time
	Verdict string
	Causes  []struct {
		Code, Title, Certainty string
		Subject                struct{ Name string }
	}
	Resources []struct{ Kind, Name, Status, Reason string }
}

func TestEveryLayoutIsJudgedAndExplained(t *testing.T) {
	for _, layout := range dumptest.Layouts {
		if strings.HasPrefix(layout, "cluster-info") {
			continue // has no StatefulSets
		}
		t.Run(layout, func(t *testing.T) {
			out, errs, code := printed(t, "", "why", "--from", saveShop(t, layout), "-o", "json")
			var d document
			if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitFailed {
				t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
			}
			if d.Verdict != "Failed" || !d.Time.Equal(time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)) {
				t.Errorf("%s at %s", d.Verdict, d.Time)
			}
			titles := map[string]string{}
			for _, c := range d.Causes {
				titles[c.Code] = c.Title
			}
			if !strings.Contains(titles["ConfigMissing"], "settings") {
				t.Errorf("no cause names the ConfigMap: %v", titles)
			}
			crash := titles["CrashLoop"] + titles["CrashLoopBackOff"] + titles["ContainerCrashed"]
			if layout != "kubectl" && !strings.Contains(out, "wrong ownership") {
				t.Errorf("the log is not quoted: %s %v", crash, titles)
			}
		})
	}
}

func TestAnObjectThatWasNotSavedIsUnknown(t *testing.T) {
	dir := saveShop(t, "must-gather")
	for _, x := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"status", "deploy/web"}, "Deployment/web  Failed", exitFailed},
		{[]string{"status", "deploy/nope"}, "NotFound", exitPending},
		{[]string{"status", "deploy/web", "-n", "prod"}, "deployments.apps in prod: not in the saved cluster", exitPending},
		{[]string{"status", "deploy/web", "-n", "shpo"}, "nothing in namespace shpo was saved; saved: shop", exitPending},
		{[]string{"status", "job/migrate"}, "Unknown", exitPending},
		{[]string{"status", "sts/bd"}, "sts/bd was not saved; saved: db", exitPending},
		{[]string{"why", "sts", "bd"}, "sts/bd was not saved; saved: db", exitPending},
		{[]string{"why", "deploy/web"}, "kstatus-tui: saved 2026-11-20 ", exitFailed},
		{[]string{"status", "jobs"}, "jobs.batch in shop: not in the saved cluster", exitError},
		{[]string{"status", "-n", "prod"}, "nothing in namespace prod was saved; saved: shop", exitError},
		{[]string{"status", "deploy/web", "--context", "prod", "--poll", "3s"}, "ignored, because a saved cluster has no server: --context, --poll", exitFailed},
		{[]string{"status", "jobs/migrate"}, "NotSaved: jobs.batch in shop: not in the saved cluster", exitPending},
		{[]string{"wait", "deploy/web", "--fail-fast=never"}, "not reached after 0s; a saved cluster does not change", exitFailed},
		{[]string{"status", "foxes"}, `no resource type "foxes" is in the saved cluster`, exitError},
		{[]string{"status", "web"}, "hint: a name needs its type, as in deploy/web; without a SOURCE, everything in it is shown", exitError},
		{[]string{"status", "jobs"}, "nothing to show for jobs: ", exitError},
		{[]string{"status", "all"}, "StatefulSet/db", exitFailed},
		{[]string{"status", "pods"}, "Pod/db-0", exitFailed},
		{[]string{"wait", "deploy/web"}, "0 of 1 Current", exitFailed},
		{[]string{"wait", "ns/shop"}, "1 of 1 Current", exitOK},
		{[]string{"status", "deploy,sts"}, "StatefulSet/db", exitFailed},
	} {
		out, errs, code := printed(t, "", append(x.args, "--from", dir)...)
		if code != x.code || !strings.Contains(out+errs, x.want) {
			t.Errorf("%q: exit code %d\n%s%s", x.args, code, out, errs)
		}
	}
}

// A name that no object can have is one mistake: it is not missing from the saved cluster, too.
func TestANameThatCannotBeIsNotMissing(t *testing.T) {
	_, errs, code := printed(t, "", "status", "deploy/Web", "--from", saveShop(t, "must-gather"))
	want := "kstatus-tui: deploy/Web: \"Web\" cannot be the name of any Deployment\n" +
		"hint: did you mean web? such names have lower-case letters, digits, - and .\n"
	if code != exitError || errs != want {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestTheDashboardShowsADump(t *testing.T) {
	s := startScreen(t, "--from", saveShop(t, "must-gather"))
	s.wait(t, "saved 2026-11-20")
	s.wait(t, "exits 1 after 1s: FATAL")
	for _, x := range []struct{ keys, wants string }{{"/db\r5", "currentRevision: db-1"}, {"3", "Back-off restarting"}, {"4", "FATAL"}} { // YAML, events, the log of the run that crashed
		if _, err := s.tty.WriteString(x.keys); err != nil {
			t.Fatal(err)
		}
		s.wait(t, x.wants)
	}
	for _, word := range []string{" live", "unknown transport"} {
		if strings.Contains(s.output(), word) {
			t.Errorf("the screen says %q", word)
		}
	}
	if _, err := s.tty.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

const savedFlux = `
- apiVersion: kustomize.toolkit.fluxcd.io/v1
  kind: Kustomization
  metadata: {name: apps, namespace: flux-system, uid: u-k, resourceVersion: "1", generation: 1, creationTimestamp: "2026-11-20T12:02:00Z"}
  spec: {prune: true}
  status:
    observedGeneration: 1
    lastAppliedRevision: main@sha1:0123456789
    conditions: [{type: Ready, status: "True", reason: ReconciliationSucceeded, message: Applied, lastTransitionTime: "2026-11-20T12:03:00Z"}]
    inventory: {entries: [{id: shop_web_apps_Deployment, v: v1}, {id: shop_db_apps_StatefulSet, v: v1}, {id: shop_settings__ConfigMap, v: v1}, {id: shop_migrate_batch_Job, v: v1}]}
`

func TestInventoriesOfADump(t *testing.T) {
	dir := saveShop(t, "must-gather")
	if err := os.WriteFile(filepath.Join(dir, "flux.yaml"), []byte(savedFlux), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		args  []string
		wants []string
		code  int
	}{
		{[]string{"inventories", "-A"}, []string{"flux/ks/", "apps", "main@sha1:0123456", "4", "Failed", "120m"}, exitOK},
		{[]string{"members", "flux/ks/apps", "-n", "flux-system"}, []string{"Deployment", "web", "migrate"}, exitOK},
		// A member that cannot be seen is unknown, one that is proved to be absent is not found.
		{[]string{"status", "flux/ks/flux-system/apps", "-o", "wide"}, []string{"Deployment/web", "ConfigMap/settings", "NotFound", "jobs.batch in shop: not in the saved cluster"}, exitFailed},
		{[]string{"status", "--owner", "deploy/web", "-n", "shop"}, []string{"does not say of which inventory"}, exitError},
		{[]string{"why", "sts/db", "-o", "markdown"}, []string{"wrong ownership"}, exitFailed},
		{[]string{"rbac", "deploy/web"}, []string{"kind: Role", "deployments", "pods/log"}, exitOK},
		{[]string{"rbac", "deploy/web", "--check"}, []string{"does not know"}, exitError},
		{[]string{"status", "--replay", "x"}, []string{"exclude each other"}, exitError},
		{[]string{"status", "pods", "-l", "app=db"}, []string{"Pod/db-0"}, exitFailed},
		{[]string{"status", "pods", "--field-selector", "status.phase=Pending"}, []string{"Pod/web-5-a"}, exitFailed},
		{[]string{"status", "deploy/web", "--children=all", "-o", "tree"}, []string{"Pod/web-5-a"}, exitFailed},
	} {
		out, errs, code := printed(t, "", append(x.args, "--from", dir)...)
		if code != x.code {
			t.Errorf("%q: exit code %d\n%s%s", x.args, code, out, errs)
		}
		for _, want := range x.wants {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%q does not say %q:\n%s%s", x.args, want, out, errs)
			}
		}
	}
}

func TestDiffOfDumpsAndRecordings(t *testing.T) {
	dir, file := saveShop(t, "support-bundle"), filepath.Join(t.TempDir(), "saved.rec.gz")
	if _, errs, code := printed(t, "", "status", "--from", dir, "--record", file); code != exitFailed {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	healed := filepath.Join(t.TempDir(), "healed")
	if err := os.MkdirAll(healed, 0o755); err != nil {
		t.Fatal(err)
	}
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, uid: u-ns, resourceVersion: \"1\"}\nstatus: {phase: Active}\n"
	if err := os.WriteFile(filepath.Join(healed, "ns.yaml"), []byte(namespace), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, code := printed(t, "", "diff", dir, healed)
	if code != exitOK || !strings.Contains(out, "Failed") || !strings.Contains(out, "Current") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if out, errs, code := printed(t, "", "diff", dir, file); code != exitOK || !strings.Contains(out, "Nothing that was asked for differs") {
		t.Errorf("a dump and its recording differ: exit code %d\n%s%s", code, out, errs)
	}
}

func TestADumpBecomesARecording(t *testing.T) {
	dir, file := saveShop(t, "support-bundle"), filepath.Join(t.TempDir(), "saved.rec.gz")
	before, errs, code := printed(t, "", "status", "--from", dir, "--record", file)
	if code != exitFailed {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, flag := range []string{"--replay", "--from"} {
		after, errs, code := printed(t, "", "status", flag, file)
		if code != exitFailed || after != before {
			t.Errorf("%s: exit code %d\n%s%s\nbefore:\n%s", flag, code, after, errs, before)
		}
	}
	p, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if at := time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC); !p.Start().Equal(at) || !p.End().Equal(at) {
		t.Errorf("the recording begins at %s and ends at %s, the cluster was saved at %s", p.Start(), p.End(), at)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A Pod without an address is in no EndpointSlice. Its Service waits for it all the same, for
// status and why alike, though nobody asked for the Pod.
func TestAServiceWaitsForThePodsThatItSelects(t *testing.T) {
	dir := t.TempDir()
	const list = "apiVersion: v1\nkind: List\nitems:\n"
	pod := func(name, label, phase string) string {
		return fmt.Sprintf("- {apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: shop, uid: u-%[1]s, labels: {app: %s}, creationTimestamp: \"2026-11-20T13:00:00Z\"}, spec: {containers: [{name: a, image: b}]}, status: {phase: %s, conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no, lastTransitionTime: \"2026-11-20T13:00:00Z\"}]}}\n", name, label, phase)
	}
	for name, text := range map[string]string{
		"services.yaml":                        `- {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, uid: u-svc, creationTimestamp: "2026-11-20T13:00:00Z"}, spec: {clusterIP: 10.0.0.1, selector: {app: web}, ports: [{port: 80}]}}` + "\n- " + `{apiVersion: v1, kind: Service, metadata: {name: done, namespace: shop, uid: u-done, creationTimestamp: "2026-11-20T13:00:00Z"}, spec: {clusterIP: 10.0.0.2, selector: {app: done}, ports: [{port: 80}]}}`,
		"endpointslices.discovery.k8s.io.yaml": `- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [], ports: [], metadata: {name: web-x, namespace: shop, uid: u-sl, labels: {kubernetes.io/service-name: web}}}`,
		"events.yaml":                          "",
		"pods.yaml":                            pod("web-1", "web", "Pending") + pod("other", "other", "Pending") + pod("done", "done", "Succeeded"),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "shop"), 0o755), os.WriteFile(filepath.Join(dir, "shop", name), []byte(list+text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := printed(t, "", "status", "svc/web", "svc/done", "--from", dir)
	if code != exitPending || !strings.Contains(out, "NoReadyEndpoints") || !strings.Contains(out, "its selector matches no pod") {
		t.Errorf("exit code %d:\n%s%s", code, out, errs)
	}
	if out, errs, _ := printed(t, "", "why", "svc/web", "--from", dir); !strings.Contains(out, "has no endpoints: 1 pod matched, none with an address: web-1") || strings.Contains(out, "no pod matches") {
		t.Errorf("%s%s", out, errs)
	}
}

// The DaemonSet that brings a CSI driver to the nodes is in a namespace that nobody asked for, and the event that says why
// it has no Pod is known for nobody either (democratic-csi/democratic-csi#270).
func TestADriverThatIsMissingIsTracedToItsDaemonSet(t *testing.T) {
	dir := t.TempDir()
	const saved = `
apiVersion: v1
kind: Pod
metadata: {name: jellyfin, namespace: media, uid: u-pod, creationTimestamp: "2026-11-20T13:00:00Z"}
spec: {nodeName: n1, containers: [{name: a, image: b}], volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "True", lastTransitionTime: "2026-11-20T13:00:00Z"}]
  containerStatuses: [{name: a, image: b, imageID: "", state: {waiting: {reason: ContainerCreating}}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: csi-nfs-node, namespace: storage, uid: u-ds, generation: 1, creationTimestamp: "2026-11-20T12:00:00Z"}
spec:
  selector: {matchLabels: {app: csi-nfs}}
  template:
    metadata: {labels: {app: csi-nfs}}
    spec: {containers: [{name: p, image: e}], volumes: [{name: d, hostPath: {path: /var/lib/kubelet/plugins/nfs.lab.io}}]}
status: {observedGeneration: 1, desiredNumberScheduled: 1, currentNumberScheduled: 0, numberUnavailable: 1}
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: media, uid: u-e1, creationTimestamp: "2026-11-20T13:01:00Z"}
involvedObject: {apiVersion: v1, kind: Pod, name: jellyfin, namespace: media, uid: u-pod}
type: Warning
reason: FailedMount
message: 'MountVolume.MountDevice failed for volume "pv" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name nfs.lab.io not found in the list of registered CSI drivers'
count: 17
firstTimestamp: "2026-11-20T13:01:00Z"
lastTimestamp: "2026-11-20T13:20:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: e2, namespace: storage, uid: u-e2, creationTimestamp: "2026-11-20T12:01:00Z"}
involvedObject: {apiVersion: apps/v1, kind: DaemonSet, name: csi-nfs-node, namespace: storage, uid: u-ds}
type: Warning
reason: FailedCreate
message: 'Error creating: pods "csi-nfs-node-x" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'
count: 24
firstTimestamp: "2026-11-20T12:01:00Z"
lastTimestamp: "2026-11-20T13:15:00Z"
`
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(saved), 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, _ := printed(t, "", "why", "pod/jellyfin", "-n", "media", "--from", dir)
	const cause = "pod security level baseline:latest forbids: host namespaces (hostNetwork=true)  (DaemonSet/csi-nfs-node; action)"
	if !strings.Contains(out, cause) {
		t.Errorf("the cause is not the DaemonSet's:\n%s%s", out, errs)
	}
}

func TestASavedClusterHasAReport(t *testing.T) {
	dir := saveShop(t, "must-gather")
	for _, ending := range []string{".md", ".json", ".html", ".svg"} {
		file := filepath.Join(t.TempDir(), "report"+ending)
		if _, errs, code := printed(t, "", "why", "--from", dir, "--report", file); code != exitFailed {
			t.Fatalf("%s: exit code %d: %s", ending, code, errs)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "settings") || !strings.Contains(string(text), "2026-11-20") {
			t.Errorf("%s: %v: it does not say what is missing, or not when that was:\n%.600s", ending, err, text)
		}
	}
}
