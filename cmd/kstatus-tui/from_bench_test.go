//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
)

// BenchmarkASavedCluster is the time from the start of the program, once built, until
// its screen has all of 10,000 saved Pods, and the most memory that it took meanwhile.
func BenchmarkASavedCluster(b *testing.B) {
	c := savedCity(b, 100, 100)
	for _, layout := range []string{"kubectl-folder-json"} { // to write YAML of this size takes a minute
		b.Run(layout, func(b *testing.B) {
			dir := b.TempDir()
			if err := c.Write(dir, layout); err != nil {
				b.Fatal(err)
			}
			peak := int64(0)
			for b.Loop() {
				s := startScreen(b, "--children", "all", "--from", dir)
				s.wait(b, "10100 generated") // Pods and ReplicaSets
				b.StopTimer()
				peak = max(peak, peakOf(b, s.cmd.Process.Pid))
				if _, err := io.WriteString(s.tty, "q"); err != nil {
					b.Fatal(err)
				}
				s.exit(b)
				b.StartTimer()
			}
			b.ReportMetric(float64(peak)/1024, "MB-peak")
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/op")
		})
	}
}

// peakOf is the most memory that a process has had, in kB. (That of its rusage counts
// what this test had when it started the process.)
func peakOf(b *testing.B, pid int) (kB int64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(after, &kB); err != nil {
		b.Fatal(err)
	}
	return kB
}

// savedCity is a namespace with so many Deployments of so many Pods each. A Pod is about
// as large as those of real clusters.
func savedCity(t testing.TB, deployments, each int) *dumptest.Cluster {
	t.Helper()
	c := &dumptest.Cluster{At: time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)}
	add := func(text string) {
		var o dumptest.Object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		c.Objects = append(c.Objects, o)
	}
	kinds := map[string]string{"v1": "Pod pods", "apps/v1": "Deployment deployments", " apps/v1": "ReplicaSet replicasets"}
	for version, names := range kinds {
		kind, plural, _ := strings.Cut(names, " ")
		c.Listed = append(c.Listed, dumptest.Namespaced(strings.TrimSpace(version), kind, plural))
	}
	const date = `"2026-11-20T12:00:00Z"`
	fields := func(manager string) string { // as long as those of a Pod that the kubelet has written
		return fmt.Sprintf(`{"manager":%q,"operation":"Update","apiVersion":"v1","time":%s,"fieldsType":"FieldsV1","fieldsV1":{%s}}`,
			manager, date, fieldsOf(8))
	}
	managed := fields("kube-controller-manager") + "," + fields("kubelet")
	for d := range deployments {
		name := fmt.Sprintf("app-%03d", d)
		env, port := make([]string, 5), 8080
		for i := range env {
			env[i] = fmt.Sprintf(`{"name":"SETTING_%02d_OF_THE_PROGRAM","value":"a value as long as they are: %s"}`, i, name)
		}
		spec := fmt.Sprintf(`{"containers":[{"name":"app","image":"registry.example/%[1]s:1","env":[%[2]s],"ports":[{"containerPort":%[3]d}],
			"resources":{"requests":{"cpu":"100m","memory":"128Mi"}},"readinessProbe":{"httpGet":{"path":"/ready","port":%[3]d},"periodSeconds":10},
			"volumeMounts":[{"name":"token","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}],
			"volumes":[{"name":"token","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}}],"serviceAccountName":"default","dnsPolicy":"ClusterFirst",
			"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`, name, strings.Join(env, ","), port)
		template := fmt.Sprintf(`{"metadata":{"labels":{"app":%q}},"spec":%s}}`, name, spec)
		meta := `"metadata":{"name":%q,"namespace":"city","uid":"u-%[1]s","resourceVersion":"1","generation":1,"creationTimestamp":` + date
		add(fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment",`+meta+`},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":%[1]q}},"template":%[3]s},
			"status":{"observedGeneration":1,"replicas":%[2]d,"updatedReplicas":%[2]d,"readyReplicas":%[2]d,"availableReplicas":%[2]d,
			"conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"}]}}`, name, each, template))
		owner := `,"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":"u-%[2]s","controller":true}]`
		add(fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"ReplicaSet",`+meta+`,"labels":{"app":%q,"pod-template-hash":"1"}`, name+"-1", name) +
			fmt.Sprintf(owner, "Deployment", name) + fmt.Sprintf(`},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":%q,"pod-template-hash":"1"}},"template":%s},
			"status":{"observedGeneration":1,"replicas":%[1]d,"fullyLabeledReplicas":%[1]d,"readyReplicas":%[1]d,"availableReplicas":%[1]d}}`, each, name, template))
		for i := range each {
			pod := fmt.Sprintf("%s-1-%03d", name, i)
			add(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod",`+meta+`,"labels":{"app":%q,"pod-template-hash":"1"},"managedFields":[%s]`, pod, name, managed) +
				fmt.Sprintf(owner, "ReplicaSet", name+"-1") + fmt.Sprintf(`},"spec":%s,"nodeName":"node-%03d"},"status":{"phase":"Running","podIP":"10.1.%d.%d",
				"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":%[5]s},{"type":"Initialized","status":"True","lastTransitionTime":%[5]s},
				{"type":"ContainersReady","status":"True","lastTransitionTime":%[5]s},{"type":"Ready","status":"True","lastTransitionTime":%[5]s}],
				"containerStatuses":[{"name":"app","image":"registry.example/%[6]s:1","imageID":"registry.example/%[6]s@sha256:%064[3]d","containerID":"containerd://%064[4]d",
				"ready":true,"started":true,"restartCount":0,"state":{"running":{"startedAt":%[5]s}}}]}}`, spec, i, d, i, date, name))
		}
	}
	return c
}

// fieldsOf are the names of so many fields, as fieldsV1 has them.
func fieldsOf(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(`"f:field%02d":{".":{},"f:name":{},"f:value":{}}`, i)
	}
	return strings.Join(names, ",")
}
