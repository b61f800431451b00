package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kstatus-tui/kstatus-tui/internal/e2e/cluster"
)

const (
	perDeployment  = 10
	perStatefulSet = 20
	statefulSets   = 5
	configMaps     = 50
	services       = 20
	crates         = 10
)

// crate is the kind that comes and goes.
const crate = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.soak.example.com}
spec:
  group: soak.example.com
  scope: Namespaced
  names: {kind: Crate, plural: crates, singular: crate}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// fleet is the objects that change all the time.
type fleet struct {
	cluster     *cluster.Cluster
	findings    *findings
	deployments int
	rnd         *rand.Rand // of the goroutine that hands out the changes

	mu   sync.Mutex
	pods []string // as they were listed last
	// broken are the Deployments whose rollout cannot complete, oldest first.
	// Their number is bounded, so that the dashboards' memory only grows if
	// they leak.
	broken []string

	done, refused atomic.Int64
}

func deployment(name, image, fault string, replicas int) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, labels: {app: %[1]s}}
spec:
  replicas: %[4]d
  revisionHistoryLimit: 0
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata:
      labels: {app: %[1]s}
      annotations: {%[5]s: %[3]q}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: "registry.example.com/%[2]s", ports: [{containerPort: 8080}]}]
`, name, image, fault, replicas, cluster.FaultAnnotation)
}

func statefulSet(name string) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: %[1]s}
spec:
  replicas: %[2]d
  serviceName: %[1]s
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: db, image: "registry.example.com/db:1"}]
`, name, perStatefulSet)
}

func deploymentName(i int) string { return fmt.Sprintf("app-%03d", i) }

func crateOf(i int) string {
	return fmt.Sprintf("---\napiVersion: soak.example.com/v1\nkind: Crate\nmetadata: {name: crate-%d}\n", i)
}

// fill makes the objects, waits until all Pods run, and writes the manifests.
func (s *soak) fill(ctx context.Context) error {
	if _, err := s.cluster.CreateNamespace(ctx, namespace, true); err != nil {
		return err
	}
	s.fleet = &fleet{
		cluster: s.cluster, findings: s.findings,
		deployments: max(1, (*pods-statefulSets*perStatefulSet)/perDeployment),
		rnd:         rand.New(rand.NewPCG(*seed, 1)),
	}
	s.sentinels = newSentinels(s)
	var all strings.Builder
	for i := range s.fleet.deployments {
		all.WriteString(deployment(deploymentName(i), "app:1", "", perDeployment))
	}
	for i := range statefulSets {
		all.WriteString(statefulSet(fmt.Sprintf("db-%d", i)))
	}
	for i := range configMaps {
		fmt.Fprintf(&all, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings-%d}\ndata: {n: \"0\"}\n", i)
	}
	for i := range services {
		fmt.Fprintf(&all,
			"---\napiVersion: v1\nkind: Service\nmetadata: {name: %[1]s}\nspec: {selector: {app: %[1]s}, ports: [{port: 80}]}\n", deploymentName(i))
	}
	watched := s.sentinels.manifest()
	all.WriteString(watched)
	if err := s.cluster.Apply(ctx, namespace, all.String()); err != nil {
		return err
	}
	if err := s.cluster.Apply(ctx, "", crate); err != nil {
		return err
	}
	var boxes strings.Builder
	for i := range crates {
		boxes.WriteString(crateOf(i))
	}
	if err := s.cluster.Apply(ctx, namespace, boxes.String()); err != nil {
		return err
	}
	all.WriteString(boxes.String())
	s.manifest, s.sentinels.file = filepath.Join(s.cluster.Dir(), "fleet.yaml"), filepath.Join(s.cluster.Dir(),
		"sentinels.yaml")
	if err := os.WriteFile(s.manifest, []byte(all.String()), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(s.sentinels.file, []byte(watched), 0o644); err != nil {
		return err
	}
	if err := s.cluster.AllowIn(ctx, namespace, cluster.Namespaced, "get", "list", "watch"); err != nil {
		return err
	}
	for began := time.Now(); ; {
		n, err := s.fleet.list(ctx)
		if err != nil {
			return err
		}
		if n >= *pods*95/100 {
			fmt.Printf("%d Pods after %s\n", n, time.Since(began).Round(time.Second))
			return nil
		}
		if time.Since(began) > 10*time.Minute {
			return fmt.Errorf("only %d Pods", n)
		}
		time.Sleep(time.Second)
	}
}

func resource(group, version, plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
}

func (f *fleet) on(r schema.GroupVersionResource) dynamic.ResourceInterface {
	return f.cluster.Client().Resource(r).Namespace(namespace)
}

// list reads which Pods there are.
func (f *fleet) list(ctx context.Context) (int, error) {
	list, err := f.on(resource("", "v1", "pods")).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return 0, err
	}
	var names []string
	for _, o := range list.Items {
		if o.GetDeletionTimestamp() == nil && !strings.HasPrefix(o.GetName(), "sentinel") {
			names = append(names, o.GetName())
		}
	}
	f.mu.Lock()
	f.pods = names
	f.mu.Unlock()
	return len(list.Items), nil
}

func (f *fleet) pod(rnd *rand.Rand) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pods) == 0 {
		return "none"
	}
	return f.pods[rnd.IntN(len(f.pods))]
}

// population is the number of Pods and ReplicaSets: the dashboards' memory
// grows with it.
func (f *fleet) population(ctx context.Context) (n int64) {
	for _, r := range []schema.GroupVersionResource{resource("", "v1", "pods"), resource("apps", "v1", "replicasets")} {
		list, err := f.on(r).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			continue // it is restarting
		}
		n += int64(len(list.Items))
		if rest := list.GetRemainingItemCount(); rest != nil {
			n += *rest
		}
	}
	return n
}

// mostBroken is how many rollouts may be stuck at a time.
const mostBroken = 12

// breaks notes that a Deployment is rolled out with or without a fault, and
// returns another one to mend in exchange.
func (f *fleet) breaks(name, fault string) (mend string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = slices.DeleteFunc(f.broken, func(s string) bool { return s == name })
	if fault == "" {
		return ""
	}
	if f.broken = append(f.broken, name); len(f.broken) > mostBroken {
		mend, f.broken = f.broken[0], f.broken[1:]
	}
	return mend
}

// change makes changes until ctx ends, as fast as the rate and the API server
// allow.
func (f *fleet) change(ctx context.Context) {
	work := make(chan uint64) // closed when ctx has ended
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for n := range work {
				rnd := rand.New(rand.NewPCG(n, 2))
				ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
				err := f.one(ctx, rnd)
				cancel()
				// Deleted objects and conflicts are normal.
				if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
					f.refused.Add(1)
				} else {
					f.done.Add(1)
				}
			}
		})
	}
	tick := time.NewTicker(time.Second / time.Duration(*rate))
	defer tick.Stop()
	listed := time.Now()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			continue
		}
		select {
		case work <- f.rnd.Uint64():
		case <-ctx.Done():
		}
		if time.Since(listed) > 15*time.Second {
			listed = time.Now()
			workers.Go(func() { _, _ = f.list(ctx) })
		}
	}
	close(work)
	workers.Wait()
}

// one makes one change.
func (f *fleet) one(ctx context.Context, rnd *rand.Rand) error {
	patch := func(r schema.GroupVersionResource, kind types.PatchType, name, text string, sub ...string) error {
		_, err := f.on(r).Patch(ctx, name, kind, []byte(text), metav1.PatchOptions{}, sub...)
		return err
	}
	pods, deployments := resource("", "v1", "pods"), resource("apps", "v1", "deployments")
	name := deploymentName(rnd.IntN(f.deployments))
	switch n := rnd.IntN(1000); {
	case n < 450:
		return patch(pods, types.MergePatchType, f.pod(rnd),
			fmt.Sprintf(`{"metadata":{"annotations":{"seen":"%d"}}}`, rnd.IntN(1e9)))
	case n < 600: // its kubelet reports it as ready, or not
		ready := []string{"True", "False"}[min(rnd.IntN(4)/3, 1)]
		now := time.Now().UTC().Format(time.RFC3339)
		return patch(pods, types.StrategicMergePatchType, f.pod(rnd), fmt.Sprintf(
			`{"status":{"conditions":[{"type":"Ready","status":%[1]q,"lastTransitionTime":%[2]q},{"type":"ContainersReady","status":%[1]q,"lastTransitionTime":%[2]q}]}}`, ready, now), "status")
	case n < 700:
		return patch(resource("", "v1", "configmaps"), types.MergePatchType,
			fmt.Sprintf("settings-%d", rnd.IntN(configMaps)), fmt.Sprintf(`{"data":{"n":"%d"}}`, rnd.IntN(1e9)))
	case n < 800:
		return patch(deployments, types.MergePatchType, name,
			fmt.Sprintf(`{"metadata":{"labels":{"touched":"%d"}}}`, rnd.IntN(1e9)))
	case n < 860:
		return patch(resource("", "v1", "services"), types.MergePatchType, deploymentName(rnd.IntN(services)),
			fmt.Sprintf(`{"metadata":{"labels":{"touched":"%d"}}}`, rnd.IntN(1e9)))
	case n < 930:
		i := rnd.IntN(crates)
		if rnd.IntN(4) == 0 {
			_, err := f.on(resource("soak.example.com", "v1", "crates")).Create(ctx,
				&unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "soak.example.com/v1", "kind": "Crate",
					"metadata": map[string]any{"name": fmt.Sprintf("crate-%d", i)},
				}}, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		}
		state, now := []string{"True", "True", "False"}[rnd.IntN(3)], time.Now().UTC().Format(time.RFC3339)
		return patch(resource("soak.example.com", "v1", "crates"),
			types.MergePatchType, fmt.Sprintf("crate-%d", i), fmt.Sprintf(
				`{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":%q,"reason":"Packed","lastTransitionTime":%q}]}}`, state, now), "status")
	case n < 970:
		return f.on(pods).Delete(ctx, f.pod(rnd), metav1.DeleteOptions{})
	case n < 985:
		return patch(deployments, types.MergePatchType, name,
			fmt.Sprintf(`{"spec":{"replicas":%d}}`, perDeployment-1+rnd.IntN(3)))
	case n < 995:
		fault := []string{"", "", cluster.ImageNotFound, cluster.NeverReady, cluster.ConfigMissing}[rnd.IntN(5)]
		f.findings.happened("roll out %s, fault %q", name, fault)
		if old := f.breaks(name, fault); old != "" {
			if err := f.cluster.Apply(ctx, namespace, deployment(old, "app:1", "", perDeployment)); err != nil {
				return err
			}
		}
		return f.cluster.Apply(ctx, namespace,
			deployment(name, fmt.Sprintf("app:%d", rnd.IntN(100)), fault, perDeployment))
	default:
		f.findings.happened("recreate %s", name)
		background := metav1.DeletePropagationBackground
		if err := f.on(deployments).Delete(ctx, name,
			metav1.DeleteOptions{PropagationPolicy: &background}); err != nil &&
			!apierrors.IsNotFound(err) {
			return err
		}
		return f.cluster.Apply(ctx, namespace, deployment(name, "app:1", "", perDeployment))
	}
}
