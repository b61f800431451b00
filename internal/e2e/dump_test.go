package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/dump/dumptest"
	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

// wrongs is a namespace in which much is wrong.
const wrongs = `
apiVersion: v1
kind: Service
metadata: {name: nobody}
spec: {selector: {app: nobody}, ports: [{port: 80}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: no-such-class, resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: claims}
spec:
  selector: {matchLabels: {app: claims}}
  template:
    metadata: {labels: {app: claims}}
    spec:
      containers: [{name: app, image: "registry.example.com/shop/claims:1", volumeMounts: [{name: data, mountPath: /data}]}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: not-there}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: huge}
spec:
  selector: {matchLabels: {app: huge}}
  template:
    metadata: {labels: {app: huge}}
    spec: {containers: [{name: app, image: "registry.example.com/shop/huge:1", resources: {requests: {cpu: "4000"}}}]}
`

// savedKinds are what the layouts of other tools hold.
var savedKinds = []dumptest.Kind{
	dumptest.Namespaced("v1", "Pod", "pods"), dumptest.Namespaced("v1", "Event", "events"), dumptest.Namespaced("v1", "Service", "services"),
	dumptest.Namespaced("v1", "ConfigMap", "configmaps"), dumptest.Namespaced("v1", "Secret", "secrets"),
	dumptest.Namespaced("v1", "PersistentVolumeClaim", "persistentvolumeclaims"), dumptest.Namespaced("v1", "ServiceAccount", "serviceaccounts"),
	dumptest.Namespaced("v1", "ResourceQuota", "resourcequotas"), dumptest.Namespaced("discovery.k8s.io/v1", "EndpointSlice", "endpointslices"),
	dumptest.Namespaced("apps/v1", "Deployment", "deployments"), dumptest.Namespaced("apps/v1", "ReplicaSet", "replicasets"),
	dumptest.Namespaced("apps/v1", "StatefulSet", "statefulsets"), dumptest.Namespaced("apps/v1", "DaemonSet", "daemonsets"),
	dumptest.ClusterScoped("v1", "Node", "nodes"), dumptest.ClusterScoped("v1", "PersistentVolume", "persistentvolumes"),
	dumptest.ClusterScoped("storage.k8s.io/v1", "StorageClass", "storageclasses"),
}

// A dump that is made while things are broken gives the verdict and the causes that
// the cluster gave, in every layout.
func TestADumpIsExplainedAsTheClusterWas(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("there is no kubectl to save a cluster with")
	}
	ns := namespace(t, "dump")
	manifest := wrongs
	for _, fault := range []string{cluster.ImageNotFound, cluster.CrashLoop, cluster.NeverReady, cluster.Mount} {
		manifest += "---" + strings.ReplaceAll(fmt.Sprintf(worker, fault), "worker", fault)
	}
	apply(t, ns, manifest)

	kubectl := func(args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Env = environment(t, shared.Kubeconfig(cluster.Admin))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("kubectl %q: %v", args, err)
		}
		return out
	}
	explain := func(args ...string) string {
		var e explanation
		got := ktui(t, cluster.ReadOnly, append([]string{"why", "--all", "-n", ns, "-o", "json"}, args...)...)
		if err := json.Unmarshal([]byte(got.stdout), &e); err != nil {
			t.Fatalf("why %q: %v\n%s", args, err, got)
		}
		lines := []string{"verdict " + e.Verdict}
		for _, c := range e.Causes {
			// Which of two Pods leads a cause of both is settled by the times of their events.
			name, _, _ := strings.Cut(c.Subject.Name, "-")
			lines = append(lines, fmt.Sprintf("%s %s %s/%s", c.Code, c.Class, c.Subject.Kind, name))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	// save saves the cluster in every layout, and returns the folders.
	save := func() map[string]string {
		root := t.TempDir()
		folders := map[string]string{}
		c := dumptest.Cluster{At: time.Now().UTC(), Listed: savedKinds}
		for _, k := range savedKinds {
			var list struct{ Items []dumptest.Object }
			if err := json.Unmarshal(kubectl("get", k.Plural, "-n", ns, "-o", "json"), &list); err != nil {
				t.Fatal(err)
			}
			c.Objects = append(c.Objects, list.Items...)
		}
		for _, layout := range []string{"kubectl-folder", "must-gather", "support-bundle", "old-support-bundle"} {
			folders[layout] = filepath.Join(root, layout)
			if err := c.Write(folders[layout], layout); err != nil {
				t.Fatal(err)
			}
		}
		// What kubectl itself writes. Of cluster-info dump, what it does not have is got besides.
		folders["kubectl"], folders["cluster-info"] = filepath.Join(root, "kubectl"), filepath.Join(root, "cluster-info")
		kubectl("cluster-info", "dump", "--namespaces", ns, "--output-directory", folders["cluster-info"])
		for _, x := range []struct{ file, types, output string }{
			{"kubectl/namespaced.yaml", "all,configmaps,endpointslices,events,persistentvolumeclaims,serviceaccounts", "yaml"},
			{"kubectl/cluster.yaml", "nodes,persistentvolumes,storageclasses", "yaml"},
			{"cluster-info/more.json", "configmaps,endpointslices,persistentvolumeclaims,statefulsets", "json"},
		} {
			name := filepath.Join(root, filepath.FromSlash(x.file))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, kubectl("get", x.types, "-n", ns, "-o", x.output), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return folders
	}

	// The cluster is asked before it is saved and after: what has changed meanwhile
	// cannot be compared.
	var live string
	var folders map[string]string
	for deadline := time.Now().Add(patience); ; {
		before := explain()
		folders = save()
		live = explain()
		settled := strings.Contains(live, "verdict Failed")
		for _, code := range []string{"ImageNotFound", "ContainerCrashing", "ReadinessProbeFailing", "ClaimMissing", "NotEnoughResources"} {
			settled = settled && strings.Contains(live, code)
		}
		if before == live && settled {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it has not settled:\n%s", live)
		}
	}
	t.Logf("live:\n%s", live)
	for layout, folder := range folders {
		if offline := explain("--from", folder); offline != live {
			t.Errorf("%s:\n%s\nlive:\n%s", layout, offline, live)
		}
	}
}
