package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/codes"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/inspect"
	"github.com/kstatus-tui/kstatus-tui/internal/explain/revision"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

// The cases in testdata/cases are small clusters as text, and what is to be
// said of them. Each begins with "== name"; then come YAML documents, then the
// causes wanted, one a line:
//
//	-> Code class Kind/name[container] ×count: words of the title
//
// or "-> nothing", which allows ordinary progress alone. What is left out after
// the code is not compared. Documents take short cuts: namespace, uid and
// creationTimestamp (an hour ago) are filled in; "owner: Kind/name" makes an
// owner reference; "event:" makes an event about Kind/name, a minute ago; and
// a line of its own may say
//
//	absent: Kind/name      a GET has said that it does not exist
//	complete: Kind …       all objects of these kinds are known
//	member: Kind/name Kind/root   the inventory with that root lists it
//	manifest: -f file      where the roots were read from
//	hidden: Kind why       not permitted to see the kind
//	log: pod/container …   the decisive line of its log
//	lost: Kind/name n      it stopped being Current n times in the last minute
//	written: Kind/name n   its spec was changed n times in the last minute
//	gone: Kind/name -40s   it was deleted while we watched
//	trouble: Kind error    the source of the kind fails
//	template: Kind/name {…} the pod template of a revision, as YAML in one line
//	respec: Kind/name path before after   a field of its spec was changed
//	changed: path: before → after         wanted, of all causes, in this order
//	shown: Kind/name …      wanted among the proof of the causes
//	unshown: Kind/name …    not wanted there
//	certainty: likely       wanted of all causes
//	missing: kinds: why     wanted among what causes say could not be read
//	verdict: Kind/name Failed …   what it is judged to be, one of these
//	roots: Kind/name …     what was asked for (else: what nothing owns)
//
// Moments are written as "-90s": before now.
func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	found, quiet := map[string]bool{}, 0
	commands, titles := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split("\n"+string(data), "\n== ") {
			if i == 0 {
				continue
			}
			name, body, _ := strings.Cut(text, "\n")
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				want, ok := runCase(t, body, commands, titles)
				if !ok {
					return
				}
				for _, x := range want {
					code, _, _ := strings.Cut(x, " ")
					code = strings.TrimSuffix(code, ":")
					if code == "nothing" {
						quiet++
					}
					found[code] = true
				}
			})
		}
	}
	// The commands to copy, for people to read and for internal/e2e, which runs those
	// of kubectl and knows the form of the others; and the titles, from which
	// docs/causes.md takes its examples.
	sameList(t, "testdata/commands.txt", commands)
	sameList(t, titlesFile, titles)
	if quiet < 35 {
		t.Errorf("only %d cases stay silent: a detector needs a neighbour that must not fire", quiet)
	}
	for _, e := range codes.All() {
		// Progress is left out of what cases compare, and the echo of a backend is
		// never a cause of its own. Only a detector that panics finds an internal
		// error: see TestAPanicInADetectorHidesNoOtherCause.
		if !found[e.Name] && e != codes.Progressing && e != codes.BackendNotReady && e != codes.InternalError {
			t.Errorf("no case finds %s", e)
		}
	}
}

// sameList compares a list with the file that holds it.
func sameList(t *testing.T, file string, set map[string]bool) {
	t.Helper()
	text := strings.Join(slices.Sorted(maps.Keys(set)), "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != text {
		t.Errorf("%s is not what the cases say; run: go test ./internal/explain -update", file)
	}
}

// reads reports whether a command is one of those that change nothing.
func reads(command string) bool {
	verbs := strings.Fields(command)
	if verbs[0] == "helm" {
		return verbs[1] == "history"
	}
	switch verbs[1] {
	case "get", "describe", "logs", "top", "events", "api-resources", "port-forward":
		return true
	case "auth":
		return verbs[2] == "can-i"
	case "rollout":
		return verbs[2] == "history" || verbs[2] == "status"
	}
	return false
}

var caseNow = time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)

// runCase runs one case, and adds the titles of its causes and the commands that
// they offer.
func runCase(t *testing.T, body string, commands, titles map[string]bool) (want []string, ok bool) {
	t.Helper()
	w := newWorld(caseNow)
	var roots []object.ID
	var changes []string
	var certainty inspect.Certainty
	missing := ""
	shown := map[object.ID]bool{}
	verdicts := map[object.ID][]string{}
	var doc strings.Builder
	flush := func() {
		text := doc.String()
		doc.Reset()
		if strings.TrimSpace(text) == "" {
			return
		}
		var m map[string]any
		if err := yaml.Unmarshal([]byte(text), &m); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		w.addDoc(t, m)
	}
	for l := range strings.Lines(body) {
		l = strings.TrimRight(l, "\n")
		key, rest, _ := strings.Cut(l, ": ")
		switch {
		case strings.HasPrefix(l, "-> "):
			flush()
			want = append(want, l[3:])
		case l == "---":
			flush()
		case key == "absent":
			flush()
			w.absent[w.ref(rest)] = true
		case key == "certainty":
			flush()
			certainty = inspect.Certainty(rest)
		case key == "missing":
			flush()
			missing = rest
		case key == "member":
			flush()
			member, root, _ := strings.Cut(rest, " ")
			w.members[w.ref(member)] = w.ref(root)
		case key == "manifest":
			flush()
			w.manifest = strings.Fields(rest)
		case key == "complete":
			flush()
			for k := range strings.FieldsSeq(rest) {
				w.complete[object.ID{Group: groupOf[k], Kind: k}] = true
			}
		case key == "hidden":
			flush()
			k, why, _ := strings.Cut(rest, " ")
			w.hidden[k] = why
		case key == "log":
			flush()
			k, line, _ := strings.Cut(rest, " ")
			w.logs[k] = line
		case key == "template":
			flush()
			ref, text, _ := strings.Cut(rest, " ")
			var m map[string]any
			if err := yaml.Unmarshal([]byte(text), &m); err != nil {
				t.Fatal(err)
			}
			w.template[w.ref(ref)] = revision.New(m)
		case key == "respec":
			flush()
			f := strings.Fields(rest)
			w.respecs[w.ref(f[0])] = append(w.respecs[w.ref(f[0])], Change{Path: f[1], Before: f[2], After: f[3]})
		case key == "changed":
			flush()
			changes = append(changes, rest)
		case key == "lost":
			flush()
			var n int
			ref, times, _ := strings.Cut(rest, " ")
			if _, err := fmt.Sscan(times, &n); err != nil {
				t.Fatal(err)
			}
			w.lost[w.ref(ref)] = n
		case key == "written":
			flush()
			var n int
			ref, times, _ := strings.Cut(rest, " ")
			if _, err := fmt.Sscan(times, &n); err != nil {
				t.Fatal(err)
			}
			w.written[w.ref(ref)] = n
		case key == "gone":
			flush()
			ref, when, _ := strings.Cut(rest, " ")
			w.gone[w.ref(ref)] = moment(when)
		case key == "trouble":
			flush()
			k, why, _ := strings.Cut(rest, " ")
			w.trouble[k] = why
		case key == "shown" || key == "unshown":
			flush()
			for r := range strings.FieldsSeq(rest) {
				shown[w.ref(r)] = key == "shown"
			}
		case key == "verdict":
			flush()
			f := strings.Fields(rest)
			verdicts[w.ref(f[0])] = f[1:]
		case key == "roots":
			flush()
			for r := range strings.FieldsSeq(rest) {
				roots = append(roots, w.ref(r))
			}
		case strings.HasPrefix(l, "#"):
		default:
			doc.WriteString(l + "\n")
		}
	}
	flush()
	if len(want) == 0 {
		t.Fatal("the case wants neither a cause nor nothing")
	}
	if roots == nil {
		roots = append(w.roots("a"), w.roots("")...)
		roots = slices.DeleteFunc(roots, func(id object.ID) bool { return clusterKind[id.Kind] || id.Kind == "Event" })
	}
	if len(roots) == 0 {
		roots = append(w.roots("a"), w.roots("")...)
	}
	s := w.snapshot()
	causes := Explain(s, roots).Causes
	for _, x := range contradictions(s, roots, causes) {
		t.Error(x)
	}
	causes = slices.DeleteFunc(causes, func(c Cause) bool { return c.Code == codes.Progressing.Name })
	for _, c := range causes {
		checkCause(t, c)
		w.resolves(t, c)
		titles[c.Code+"\t"+c.Title] = true
		for i, n := range c.Steps() {
			commands[c.Code+"\t"+n.String()] = true
			if i == 0 && n.Mutates || n.Mutates == reads(n.Command) || n.Mutates == (n.Does == "") {
				t.Errorf("%s: command %d: %+v", c.Code, i, n)
			}
		}
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf(format+"\n%s", append(args, describe(causes))...)
	}
	var changed []string
	for _, c := range causes {
		for _, x := range c.Changed {
			changed = append(changed, x.Path+": "+x.Before+" → "+x.After)
		}
	}
	if !slices.Equal(changed, changes) {
		fail("changed %q, want %q:", changed, changes)
	}
	for _, c := range causes {
		if certainty != "" && c.Certainty != certainty || missing != "" && !slices.Contains(c.Missing, missing) {
			fail("%s %s, missing %q; want %s, missing %q:", c.Code, c.Certainty, c.Missing, certainty, missing)
		}
	}
	for ref, wanted := range shown {
		if wanted != slices.ContainsFunc(causes, func(c Cause) bool {
			return slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Ref == ref })
		}) {
			fail("%s among the proof: %v, want %v:", ref, !wanted, wanted)
		}
	}
	for ref, wanted := range verdicts {
		if got := w.judged[ref]; !slices.Contains(wanted, string(got.Status)) {
			fail("%s is %s (%s), want %v:", ref, got.Status, got.Message, wanted)
		}
	}
	if want[0] == "nothing" {
		if len(causes) > 0 {
			fail("wanted nothing, found:")
		}
		return want, true
	}
	if len(causes) != len(want) {
		fail("%d causes, want %d:", len(causes), len(want))
		return want, true
	}
	for _, x := range want {
		head, title, _ := strings.Cut(x, ": ")
		if !slices.ContainsFunc(causes, func(c Cause) bool {
			s := c.Subject.String()
			if c.Subject.Container != "" {
				s += "[" + c.Subject.Container + "]"
			}
			full := fmt.Sprintf("%s %s %s ×%d", c.Code, c.Class, s, c.Count)
			return (head == full || strings.HasPrefix(full, head+" ")) && strings.Contains(c.Title, title)
		}) {
			fail("no cause %q in", x)
		}
	}
	return want, true
}

var groupOf = map[string]string{
	"Deployment": "apps", "ReplicaSet": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "Job": "batch", "CronJob": "batch",
	"EndpointSlice": "discovery.k8s.io", "Ingress": "networking.k8s.io", "IngressClass": "networking.k8s.io",
	"NetworkPolicy": "networking.k8s.io",
	"Lease":         "coordination.k8s.io", "ControllerRevision": "apps", "StorageClass": "storage.k8s.io", "VolumeAttachment": "storage.k8s.io", "CSINode": "storage.k8s.io", "CSIDriver": "storage.k8s.io", "HorizontalPodAutoscaler": "autoscaling", "PodDisruptionBudget": "policy",
	"APIService": "apiregistration.k8s.io", "CustomResourceDefinition": "apiextensions.k8s.io",
	"ValidatingWebhookConfiguration": "admissionregistration.k8s.io", "ValidatingAdmissionPolicy": "admissionregistration.k8s.io",
	"PriorityClass": "scheduling.k8s.io", "RuntimeClass": "node.k8s.io",
	"Gateway": "gateway.networking.k8s.io", "GatewayClass": "gateway.networking.k8s.io", "HTTPRoute": "gateway.networking.k8s.io",
	"PgCluster": "postgresql.cnpg.io", "Backup": "velero.io", "MachinePool": "cluster.x-k8s.io", "RabbitmqCluster": "rabbitmq.com", "RuleGroups": "prometheusservice.services.k8s.aws",
	"VolumeSnapshot": "snapshot.storage.k8s.io", "VirtualMachine": "kubevirt.io", "SparkApplication": "sparkoperator.k8s.io",
	"postgresql": "acid.zalan.do", "OpenStackCluster": "infrastructure.cluster.x-k8s.io", "RancherCluster": "provisioning.cattle.io",
	"ScaledObject": "keda.sh", "TriggerAuthentication": "keda.sh", "VPC": "ec2.aws.crossplane.io", "CephCluster": "ceph.rook.io", "CephBlockPool": "ceph.rook.io",
	"ConstraintTemplate": "templates.gatekeeper.sh", "Elasticsearch": "elasticsearch.k8s.elastic.co", "Prometheus": "monitoring.coreos.com", "TargetGroupBinding": "elbv2.k8s.aws", "Release": "helm.sh",
	"Kafka": "kafka.strimzi.io", "Workload": "kueue.x-k8s.io", "Volume": "longhorn.io",
	"Widget": "lab.io", "Kustomization": "kustomize.toolkit.fluxcd.io", "HelmRelease": "helm.toolkit.fluxcd.io", "HelmChart": "source.toolkit.fluxcd.io", "GitRepository": "source.toolkit.fluxcd.io",
	"Application": "argoproj.io", "Rollout": "argoproj.io", "Certificate": "cert-manager.io", "CertificateRequest": "cert-manager.io", "Issuer": "cert-manager.io",
	"Order": "acme.cert-manager.io", "Challenge": "acme.cert-manager.io",
	"ClusterIssuer": "cert-manager.io", "ExternalSecret": "external-secrets.io", "SecretStore": "external-secrets.io",
	"Bucket": "s3.aws.upbound.io", "XDatabase": "example.crossplane.io", "Provider": "pkg.crossplane.io", "Machine": "cluster.x-k8s.io", "MachineDeployment": "cluster.x-k8s.io",
	"AWSMachine": "infrastructure.cluster.x-k8s.io",
	"KService":   "serving.knative.dev", "KRoute": "serving.knative.dev", "Configuration": "serving.knative.dev", "Revision": "serving.knative.dev", "TaskRun": "tekton.dev", "PipelineRun": "tekton.dev", "NodeClaim": "karpenter.sh", "WebApp": "kro.run",
}

// knative are kinds whose names Kubernetes has too.
var knative = map[string]string{"KService": "Service", "KRoute": "Route"}

var clusterKind = map[string]bool{
	"Node": true, "StorageClass": true, "CSIDriver": true, "CSINode": true, "IngressClass": true, "VolumeAttachment": true, "APIService": true, "CustomResourceDefinition": true,
	"ValidatingWebhookConfiguration": true, "ValidatingAdmissionPolicy": true, "PriorityClass": true, "RuntimeClass": true, "Namespace": true,
	"ClusterIssuer": true, "GatewayClass": true, "NodeClaim": true, "PersistentVolume": true, "Provider": true,
}

// ref is the ID of Kind/name: of an object of the case, where a kind is not among
// those of the table.
func (w *world) ref(s string) object.ID {
	kind, name, _ := strings.Cut(s, "/")
	for _, o := range w.order {
		if o.Kind == kind && o.Name == name && groupOf[kind] == "" {
			return o.ID
		}
	}
	id := object.ID{Group: groupOf[kind], Kind: kind, Namespace: "a", Name: name}
	if clusterKind[kind] {
		id.Namespace = ""
	}
	return id
}

// addDoc adds one document of a case, short cuts resolved.
func (w *world) addDoc(t *testing.T, m map[string]any) {
	t.Helper()
	if e, ok := m["event"].(map[string]any); ok {
		get := func(k, def string) string {
			if s, ok := e[k].(string); ok {
				return s
			}
			return def
		}
		about := w.ref(get("about", ""))
		count := 1
		if first := get("first", ""); first != "" && first != get("last", "-60s") {
			count = 7 // a controller that repeats itself
		}
		w.events[about] = append(w.events[about], object.Event{
			UID: fmt.Sprint("e", len(w.events[about])), About: about, Type: get("type", "Warning"), Reason: get("reason", ""), Message: get("message", ""),
			First: moment(get("first", get("last", "-60s"))), Last: moment(get("last", "-60s")), Field: get("field", ""), Count: count,
		})
		return
	}
	times(m)
	kind, _ := m["kind"].(string)
	if kind == "" {
		t.Fatalf("a document without a kind: %v", m)
	}
	if m["apiVersion"] == nil {
		m["apiVersion"] = strings.TrimPrefix(groupOf[kind]+"/v1", "/")
	}
	if k, ok := knative[kind]; ok {
		m["kind"] = k
	}
	meta, _ := m["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		m["metadata"] = meta
	}
	if n, ok := m["name"]; ok {
		meta["name"] = n
		delete(m, "name")
	}
	if l, ok := m["labels"]; ok {
		meta["labels"] = l
		delete(m, "labels")
	}
	fill := func(k string, v any) {
		if meta[k] == nil {
			meta[k] = v
		}
	}
	if kind == "Lease" {
		fill("namespace", "kube-system")
	}
	fill("uid", "u-"+kind+"-"+fmt.Sprint(meta["name"]))
	fill("creationTimestamp", caseNow.Add(-time.Hour).Format(time.RFC3339))
	if !clusterKind[kind] {
		fill("namespace", "a")
	}
	if o, ok := m["owner"].(string); ok {
		k, n, _ := strings.Cut(o, "/")
		meta["ownerReferences"] = []any{map[string]any{"apiVersion": strings.TrimPrefix(w.ref(o).Group+"/v1", "/"), "kind": k, "name": n, "uid": "u-" + k + "-" + n, "controller": true}}
		delete(m, "owner")
	}
	judged, _ := m["judged"].(string)
	delete(m, "judged")
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	o, err := convert.JSON(raw, convert.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	if typ, ok := m["type"].(string); ok && kind == "Secret" { // as the table has it
		keys, _ := m["data"].(map[string]any)
		o.Tree = map[string]any{"type": typ, "keys": int64(len(keys))}
	}
	w.put(o)
	w.raw[o.ID] = m
	if judged != "" {
		st, msg, _ := strings.Cut(judged, " ")
		a := status.Assessment{Status: status.Status(st), Message: msg, Deciding: -1, Paths: []string{"status"}}
		if st == "Stuck" {
			a.Status, a.Terminal = status.Failed, true
		}
		w.judged[o.ID] = a
	}
}

// moment reads "-90s" as a moment before now.
func moment(s string) time.Time {
	d, err := time.ParseDuration(s)
	if err != nil {
		return time.Time{}
	}
	return caseNow.Add(d)
}

// times turns "-90s" into moments, throughout a document.
func times(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k := range t {
			t[k] = times(t[k])
		}
	case []any:
		for i := range t {
			t[i] = times(t[i])
		}
	case string:
		if len(t) > 2 && (t[0] == '-' || t[0] == '+') {
			if d, err := time.ParseDuration(t); err == nil {
				return caseNow.Add(d).Format(time.RFC3339)
			}
		}
	}
	return v
}
