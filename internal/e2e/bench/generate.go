package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// generator writes the objects of the benchmark as their controllers would
// have left them: everything Current. It plays the controllers itself, so that
// thousands of Pods take seconds and nothing moves afterwards. Each Pod is
// written by two managers, like in life, and so carries two managedFields.
type generator struct {
	client    *http.Client
	host      string
	namespace string
	// rolled counts the rollouts of each Deployment. Only one goroutine at a
	// time writes a Deployment's.
	rolled []int
}

func newGenerator(config *rest.Config, namespace string, sets int) (*generator, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &generator{client: client, host: config.Host, namespace: namespace, rolled: make([]int, sets)}, nil
}

type m = map[string]any

// fill creates the namespace and sets Deployments with pods Pods each: the
// first one through the API server, the others as copies in etcd.
func (g *generator) fill(ctx context.Context, etcd string, sets, pods int) error {
	if _, err := g.post(ctx, "/api/v1/namespaces", "bench",
		m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": g.namespace}}); err != nil {
		return err
	}
	// The admission of Pods requires this account, and no controller creates
	// it.
	account := m{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": m{"name": "default"}}
	if _, err := g.post(ctx, g.core("serviceaccounts"), "bench", account); err != nil {
		return err
	}
	if err := g.set(ctx, pods); err != nil {
		return err
	}
	return g.clone(ctx, etcd, sets)
}

// each calls f with the numbers below n, some of them at a time, until one
// fails.
func each(ctx context.Context, n int, f func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan int) // closed below, when every number has been handed out
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for i := range work {
				if err := f(ctx, i); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
hand:
	for i := range n {
		select {
		case work <- i:
		case <-ctx.Done():
			break hand
		}
	}
	close(work)
	workers.Wait()
	return context.Cause(ctx)
}

// warm waits until the API server's watch caches are filled, so that the first
// tool does not pay for that, and returns the size of a Pod in bytes of JSON.
// The streams select nothing: a full list would leave half a gigabyte of
// garbage, which would slow down the first tool.
func (g *generator) warm(ctx context.Context) (podSize int, err error) {
	const nothing = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none&timeoutSeconds=1"
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, path := range []string{
		g.core("pods"), g.core("services"), g.core("configmaps"), g.apps("deployments"),
		g.apps("replicasets"), g.slices(),
	} {
		for {
			text, err := g.do(ctx, http.MethodGet, path+nothing, "", "", nil)
			if bytes.Contains(text, []byte(metav1.InitialEventsAnnotationKey)) {
				break
			}
			if pause(ctx, 100*time.Millisecond) != nil { // it is still reading
				return 0, fmt.Errorf("%s is not served: %w: %s", path, cmp.Or(err, ctx.Err()), text)
			}
		}
	}
	text, err := g.do(ctx, http.MethodGet, g.core("pods")+"/"+podName(0, 0, 0), "", "", nil)
	return len(text), err
}

func setName(i int) string { return fmt.Sprintf("app-%04d", i) }

// network begins the addresses of a Deployment's Pods.
func network(i int) string { return fmt.Sprintf("10.%d.%d.", 100+i/100, 100+i%100) }

// team is who made a Deployment's image.
func team(i int) string { return fmt.Sprintf("team-%04d", i) }

// hash is a ReplicaSet's, of the revision after so many rollouts.
func hash(rolled int) string { return fmt.Sprintf("6c9f8b7%02x", 0xd5+rolled) }

func podName(i, rolled, j int) string {
	return fmt.Sprintf("%s-%s-%05x", setName(i), hash(rolled), 0xa0000+j)
}

func (g *generator) core(resource string) string {
	return "/api/v1/namespaces/" + g.namespace + "/" + resource
}

func (g *generator) apps(resource string) string {
	return "/apis/apps/v1/namespaces/" + g.namespace + "/" + resource
}

func (g *generator) slices() string {
	return "/apis/discovery.k8s.io/v1/namespaces/" + g.namespace + "/endpointslices"
}

// set makes the first Deployment with everything below and beside it.
func (g *generator) set(ctx context.Context, pods int) error {
	const i = 0
	name := setName(i)
	labels := m{"app": name}
	settings := m{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": name},
		"data": m{"mode": "production", "port": "8080"},
	}
	if _, err := g.post(ctx, g.core("configmaps"), "applier", settings); err != nil {
		return err
	}
	service, err := g.post(ctx, g.core("services"), "applier", m{
		"apiVersion": "v1", "kind": "Service", "metadata": m{"name": name, "labels": labels},
		"spec": m{
			"clusterIP": "None", "selector": labels,
			"ports": []m{{"name": "http", "port": 80, "targetPort": 8080}},
		},
	})
	if err != nil {
		return err
	}
	deployment, err := g.post(ctx, g.apps("deployments"), "applier", m{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": m{"name": name, "labels": labels, "annotations": m{"deployment.kubernetes.io/revision": "1"}},
		"spec":     m{"replicas": pods, "selector": m{"matchLabels": labels}, "template": template(i)},
	})
	if err != nil {
		return err
	}
	set, err := g.replicaSet(ctx, i, 0, pods, deployment)
	if err != nil {
		return err
	}
	var endpoints []m
	for j := range pods {
		endpoint, err := g.pod(ctx, i, 0, j, set)
		if err != nil {
			return err
		}
		endpoints = append(endpoints, endpoint)
	}
	if err := g.replicas(ctx, i, 0, pods, pods); err != nil {
		return err
	}
	if err := g.deployed(ctx, i, 1, pods, pods, pods, ""); err != nil {
		return err
	}
	_, err = g.post(ctx, g.slices(), "kube-controller-manager", m{
		"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "endpoints": endpoints,
		"ports": []m{{"name": "http", "port": 8080, "protocol": "TCP"}},
		"metadata": m{
			"name": name + "-x8x2j", "ownerReferences": owner("v1", "Service", service),
			"labels": m{
				"kubernetes.io/service-name":             name,
				"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
			},
		},
	})
	return err
}

// template is the Pods' of a Deployment.
func template(i int) m {
	var t m
	if err := json.Unmarshal(fmt.Appendf(nil, podTemplate, setName(i), team(i)), &t); err != nil {
		panic(err) // the constant is not valid JSON
	}
	return t
}

func (g *generator) replicaSet(ctx context.Context, i, rolled, pods int, deployment made) (made, error) {
	hashed := m{"app": setName(i), "pod-template-hash": hash(rolled)}
	t := template(i)
	t["metadata"].(m)["labels"] = hashed
	return g.post(ctx, g.apps("replicasets"), "kube-controller-manager", m{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": m{
			"name": setName(i) + "-" + hash(rolled), "labels": hashed,
			"ownerReferences": owner("apps/v1", "Deployment", deployment),
			"annotations": m{
				"deployment.kubernetes.io/revision":         fmt.Sprint(1 + rolled),
				"deployment.kubernetes.io/desired-replicas": fmt.Sprint(pods),
			},
		},
		"spec": m{"replicas": pods, "selector": m{"matchLabels": hashed}, "template": t},
	})
}

// pod makes a Pod that runs and is ready, and returns its endpoint.
func (g *generator) pod(ctx context.Context, i, rolled, j int, set made) (m, error) {
	ip := fmt.Sprintf("%s%d", network(i), 100+j)
	node := fmt.Sprintf("node-%d", 1+j%4)
	t := template(i)
	pod, err := g.post(ctx, g.core("pods"), "kube-controller-manager", m{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": m{
			"name": podName(i, rolled, j), "generateName": setName(i) + "-" + hash(rolled) + "-",
			"labels":      m{"app": setName(i), "pod-template-hash": hash(rolled)},
			"annotations": t["metadata"].(m)["annotations"], "ownerReferences": owner("apps/v1", "ReplicaSet", set),
		},
		"spec": with(t["spec"].(m), "nodeName", node),
	})
	if err != nil {
		return nil, err
	}
	if err := g.status(ctx, g.core("pods")+"/"+pod.name, "kubelet",
		fmt.Sprintf(podStatus, ip, team(i), j)); err != nil {
		return nil, err
	}
	return m{
		"addresses": []string{ip}, "conditions": m{"ready": true, "serving": true, "terminating": false},
		"nodeName": node, "targetRef": m{"kind": "Pod", "namespace": g.namespace, "name": pod.name, "uid": pod.uid},
	}, nil
}

// replicas writes a ReplicaSet's status.
func (g *generator) replicas(ctx context.Context, i, rolled, all, ready int) error {
	return g.status(ctx, g.apps("replicasets")+"/"+setName(i)+"-"+hash(rolled), "kube-controller-manager", fmt.Sprintf(
		`{"status":{"fullyLabeledReplicas":%d,"replicas":%[1]d,"readyReplicas":%[2]d,"availableReplicas":%[2]d,"observedGeneration":1}}`, all, ready))
}

// deployed writes a Deployment's status. Unless rolling names a ReplicaSet, its
// rollout is complete.
func (g *generator) deployed(ctx context.Context, i, generation, all, updated, ready int, rolling string) error {
	why := `"reason": "NewReplicaSetAvailable", "message": "ReplicaSet has successfully progressed."`
	if rolling != "" {
		why = fmt.Sprintf(`"reason": "ReplicaSetUpdated", "message": "ReplicaSet %s is progressing."`, rolling)
	}
	return g.status(ctx, g.apps("deployments")+"/"+setName(i), "kube-controller-manager",
		fmt.Sprintf(deploymentStatus, generation, all, updated, ready, why))
}

// rollout replaces all Pods of a Deployment one by one, as its controllers
// would: a surge of one, none unavailable, the old ReplicaSet thrown away.
func (g *generator) rollout(ctx context.Context, i, pods int) error {
	name, old := setName(i), g.rolled[i]
	path := g.apps("deployments") + "/" + name
	var deployment made
	text, err := g.do(ctx, http.MethodPatch, path, "applier", "application/merge-patch+json",
		fmt.Appendf(nil, `{"spec":{"template":{"metadata":{"annotations":{"rollout":"%d"}}}}}`, old+1))
	if err == nil {
		deployment, err = identity(text)
	}
	if err != nil {
		return err
	}
	set, err := g.replicaSet(ctx, i, old+1, pods, deployment)
	if err != nil {
		return err
	}
	endpoints := make([]m, pods)
	for j := range pods {
		if endpoints[j], err = g.pod(ctx, i, old+1, j, set); err != nil {
			return err
		}
		slice, err := json.Marshal(m{"endpoints": endpoints[:j+1]})
		if err != nil {
			return err
		}
		_, err = g.do(ctx, http.MethodPatch, g.slices()+"/"+name+"-x8x2j", "kube-controller-manager",
			"application/merge-patch+json", slice)
		if err != nil {
			return err
		}
		if err := g.replicas(ctx, i, old+1, j+1, j+1); err != nil {
			return err
		}
		if err := g.deployed(ctx, i, old+2, pods+1, j+1, pods, set.name); err != nil {
			return err
		}
		if _, err := g.do(ctx, http.MethodDelete,
			g.core("pods")+"/"+podName(i, old, j)+"?gracePeriodSeconds=0", "", "", nil); err != nil {
			return err
		}
		if err := g.replicas(ctx, i, old, pods-j-1, pods-j-1); err != nil {
			return err
		}
	}
	if _, err := g.do(ctx, http.MethodDelete, g.apps("replicasets")+"/"+name+"-"+hash(old), "", "", nil); err != nil {
		return err
	}
	g.rolled[i]++
	return g.deployed(ctx, i, old+2, pods, pods, pods, "")
}

// available sets how many of a Deployment's replicas are available: one too
// few makes it InProgress for every judge, all of them Current again.
func (g *generator) available(ctx context.Context, i, pods, missing int) error {
	patch := fmt.Sprintf(`{"status":{"availableReplicas":%d,"unavailableReplicas":%d}}`, pods-missing, missing)
	return g.status(ctx, g.apps("deployments")+"/"+setName(i), "kube-controller-manager", patch)
}

type made struct{ name, uid string }

func owner(apiVersion, kind string, of made) []m {
	return []m{{
		"apiVersion": apiVersion, "kind": kind, "name": of.name, "uid": of.uid, "controller": true,
		"blockOwnerDeletion": true,
	}}
}

func with(of m, key string, value any) m {
	copied := m{key: value}
	maps.Copy(copied, of)
	return copied
}

func (g *generator) post(ctx context.Context, path, manager string, obj m) (made, error) {
	body, err := json.Marshal(obj)
	if err != nil {
		return made{}, err
	}
	text, err := g.do(ctx, http.MethodPost, path, manager, "application/json", body)
	if err != nil {
		return made{}, err
	}
	return identity(text)
}

func identity(text []byte) (made, error) {
	var got struct{ Metadata struct{ Name, UID string } }
	err := json.Unmarshal(text, &got)
	return made{got.Metadata.Name, got.Metadata.UID}, err
}

func (g *generator) status(ctx context.Context, path, manager, patch string) error {
	_, err := g.do(ctx, http.MethodPatch, path+"/status", manager, "application/merge-patch+json", []byte(patch))
	return err
}

func (g *generator) do(ctx context.Context, method, path, manager, contentType string, body []byte) ([]byte, error) {
	url := g.host + path
	if manager != "" {
		url += "?fieldManager=" + manager
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	return text, err
}

// podTemplate takes the name of the application and of its team.
const podTemplate = `{
  "metadata": {"labels": {"app": %[1]q}, "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "checksum/config": "5f2d1c0b9a8e7f6d5c4b3a29181706f5e4d3c2b1a09f8e7d6c5b4a3928171605"}},
  "spec": {
    "serviceAccountName": "default", "terminationGracePeriodSeconds": 45, "priority": 0, "enableServiceLinks": false,
    "securityContext": {"runAsNonRoot": true, "runAsUser": 10001, "fsGroup": 10001, "seccompProfile": {"type": "RuntimeDefault"}},
    "containers": [
      {"name": "app", "image": "registry.example.com/%[2]s/app:1.27.3", "imagePullPolicy": "IfNotPresent", "args": ["--listen=:8080", "--metrics=:9090", "--log-format=json"],
       "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
       "env": [
         {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
         {"name": "DATABASE_HOST", "value": "postgres-primary.databases.svc.cluster.local"},
         {"name": "DATABASE_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "database", "key": "password"}}},
         {"name": "CACHE_URL", "value": "redis://cache.platform.svc.cluster.local:6379/0"},
         {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://collector.observability.svc.cluster.local:4317"},
         {"name": "LOG_LEVEL", "value": "info"}
       ],
       "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}},
       "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "initialDelaySeconds": 10, "periodSeconds": 10, "failureThreshold": 6},
       "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5, "failureThreshold": 3},
       "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}},
       "volumeMounts": [{"name": "settings", "mountPath": "/etc/app", "readOnly": true}, {"name": "scratch", "mountPath": "/tmp"}]},
      {"name": "proxy", "image": "registry.example.com/mesh/proxy:2.9.0", "imagePullPolicy": "IfNotPresent", "args": ["proxy", "sidecar"],
       "ports": [{"name": "mesh", "containerPort": 15090}],
       "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}}
    ],
    "volumes": [{"name": "settings", "configMap": {"name": %[1]q}}, {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}}]
  }
}`

// podStatus takes an address, the team and the number of the Pod.
const podStatus = `{"status": {
  "phase": "Running", "hostIP": "192.168.0.11", "hostIPs": [{"ip": "192.168.0.11"}], "podIP": %[1]q, "podIPs": [{"ip": %[1]q}], "qosClass": "Burstable", "startTime": "2026-01-05T08:00:00Z",
  "conditions": [
    {"type": "PodReadyToStartContainers", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:02Z"},
    {"type": "Initialized", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:00Z"},
    {"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:14Z"},
    {"type": "ContainersReady", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:14Z"},
    {"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:00Z"}],
  "containerStatuses": [
    {"name": "app", "image": "registry.example.com/%[2]s/app:1.27.3", "imageID": "registry.example.com/%[2]s/app@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1", "containerID": "containerd://%064[3]x", "ready": true, "started": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-05T08:00:03Z"}}, "lastState": {}},
    {"name": "proxy", "image": "registry.example.com/mesh/proxy:2.9.0", "imageID": "registry.example.com/mesh/proxy@sha256:9c7a54a9a43cca047013b82af109fe963fde787f63f9e016fdc3384500c2823d", "containerID": "containerd://%064[3]x", "ready": true, "started": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-05T08:00:04Z"}}, "lastState": {}}]
}}`

// deploymentStatus takes the generation, how many replicas there are, are updated
// and are ready, and why it progresses.
const deploymentStatus = `{"status": {"observedGeneration": %d, "replicas": %d, "updatedReplicas": %d, "readyReplicas": %d, "availableReplicas": %[4]d, "unavailableReplicas": null, "conditions": [
  {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.", "lastUpdateTime": "2026-01-05T08:00:20Z", "lastTransitionTime": "2026-01-05T08:00:20Z"},
  {"type": "Progressing", "status": "True", %[5]s, "lastUpdateTime": "2026-01-05T08:00:20Z", "lastTransitionTime": "2026-01-05T08:00:00Z"}]}}`
