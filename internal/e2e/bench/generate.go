package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"

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
}

func newGenerator(config *rest.Config, namespace string) (*generator, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &generator{client: client, host: config.Host, namespace: namespace}, nil
}

type m = map[string]any

// fill makes the namespace and sets Deployments with pods Pods each, and
// returns the mean size of a Pod in bytes of JSON.
func (g *generator) fill(ctx context.Context, sets, pods int) (podSize int, err error) {
	if _, err := g.post(ctx, "/api/v1/namespaces", "bench", m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": g.namespace}}); err != nil {
		return 0, err
	}
	// No controller makes the account that the admission of Pods asks for.
	account := m{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": m{"name": "default"}}
	if _, err := g.post(ctx, g.core("serviceaccounts"), "bench", account); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan int) // closed below, when every set has been handed out
	var workers sync.WaitGroup
	for range 16 {
		workers.Go(func() {
			for i := range work {
				if err := g.set(ctx, i, pods); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
hand:
	for i := range sets {
		select {
		case work <- i:
		case <-ctx.Done():
			break hand
		}
	}
	close(work)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	text, err := g.do(ctx, http.MethodGet, g.core("pods")+"/"+podName(0, 0), "", "", nil)
	return len(text), err
}

func setName(i int) string    { return fmt.Sprintf("app-%04d", i) }
func podName(i, j int) string { return fmt.Sprintf("%s-6c9f8b7d5-%05x", setName(i), 0xa0000+j) }

func (g *generator) core(resource string) string {
	return "/api/v1/namespaces/" + g.namespace + "/" + resource
}

func (g *generator) apps(resource string) string {
	return "/apis/apps/v1/namespaces/" + g.namespace + "/" + resource
}

// set makes one Deployment with everything below and beside it.
func (g *generator) set(ctx context.Context, i, pods int) error {
	name := setName(i)
	labels := m{"app": name}
	settings := m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": name}, "data": m{"mode": "production", "port": "8080"}}
	if _, err := g.post(ctx, g.core("configmaps"), "applier", settings); err != nil {
		return err
	}
	service, err := g.post(ctx, g.core("services"), "applier", m{
		"apiVersion": "v1", "kind": "Service", "metadata": m{"name": name, "labels": labels},
		"spec": m{"selector": labels, "ports": []m{{"name": "http", "port": 80, "targetPort": 8080}}},
	})
	if err != nil {
		return err
	}
	var template m
	if err := json.Unmarshal(fmt.Appendf(nil, podTemplate, name, i), &template); err != nil {
		return fmt.Errorf("the Pod's template: %w", err)
	}
	deployment, err := g.post(ctx, g.apps("deployments"), "applier", m{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": m{"name": name, "labels": labels, "annotations": m{"deployment.kubernetes.io/revision": "1"}},
		"spec":     m{"replicas": pods, "selector": m{"matchLabels": labels}, "template": template},
	})
	if err != nil {
		return err
	}
	hashed := m{"app": name, "pod-template-hash": "6c9f8b7d5"}
	template["metadata"].(m)["labels"] = hashed
	set, err := g.post(ctx, g.apps("replicasets"), "kube-controller-manager", m{
		"apiVersion": "apps/v1", "kind": "ReplicaSet",
		"metadata": m{
			"name": name + "-6c9f8b7d5", "labels": hashed, "ownerReferences": owner("apps/v1", "Deployment", deployment),
			"annotations": m{"deployment.kubernetes.io/revision": "1", "deployment.kubernetes.io/desired-replicas": fmt.Sprint(pods)},
		},
		"spec": m{"replicas": pods, "selector": m{"matchLabels": hashed}, "template": template},
	})
	if err != nil {
		return err
	}
	var endpoints []m
	for j := range pods {
		ip := fmt.Sprintf("10.%d.%d.%d", 20+i/250, i%250, 1+j%250)
		pod, err := g.post(ctx, g.core("pods"), "kube-controller-manager", m{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": m{
				"name": podName(i, j), "generateName": name + "-6c9f8b7d5-", "labels": hashed,
				"annotations": template["metadata"].(m)["annotations"], "ownerReferences": owner("apps/v1", "ReplicaSet", set),
			},
			"spec": with(template["spec"].(m), "nodeName", fmt.Sprintf("node-%d", 1+j%4)),
		})
		if err != nil {
			return err
		}
		if err := g.status(ctx, g.core("pods")+"/"+podName(i, j), "kubelet", fmt.Sprintf(podStatus, ip, i, j)); err != nil {
			return err
		}
		endpoints = append(endpoints, m{
			"addresses": []string{ip}, "conditions": m{"ready": true, "serving": true, "terminating": false},
			"nodeName": fmt.Sprintf("node-%d", 1+j%4), "targetRef": m{"kind": "Pod", "namespace": g.namespace, "name": pod.name, "uid": pod.uid},
		})
	}
	counts := fmt.Sprintf(`"replicas":%d,"readyReplicas":%[1]d,"availableReplicas":%[1]d,"observedGeneration":1`, pods)
	if err := g.status(ctx, g.apps("replicasets")+"/"+set.name, "kube-controller-manager", `{"status":{"fullyLabeledReplicas":`+fmt.Sprint(pods)+`,`+counts+`}}`); err != nil {
		return err
	}
	if err := g.status(ctx, g.apps("deployments")+"/"+name, "kube-controller-manager", fmt.Sprintf(deploymentStatus, pods, counts)); err != nil {
		return err
	}
	_, err = g.post(ctx, "/apis/discovery.k8s.io/v1/namespaces/"+g.namespace+"/endpointslices", "kube-controller-manager", m{
		"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "endpoints": endpoints,
		"ports": []m{{"name": "http", "port": 8080, "protocol": "TCP"}},
		"metadata": m{
			"name": name + "-x8x2j", "ownerReferences": owner("v1", "Service", service),
			"labels": m{"kubernetes.io/service-name": name, "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"},
		},
	})
	return err
}

// available sets how many of a Deployment's replicas are available: one too
// few makes it InProgress for every judge, all of them Current again.
func (g *generator) available(ctx context.Context, i, pods, missing int) error {
	patch := fmt.Sprintf(`{"status":{"availableReplicas":%d,"unavailableReplicas":%d}}`, pods-missing, missing)
	return g.status(ctx, g.apps("deployments")+"/"+setName(i), "kube-controller-manager", patch)
}

type made struct{ name, uid string }

func owner(apiVersion, kind string, of made) []m {
	return []m{{"apiVersion": apiVersion, "kind": kind, "name": of.name, "uid": of.uid, "controller": true, "blockOwnerDeletion": true}}
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
	var got struct{ Metadata struct{ Name, UID string } }
	err = json.Unmarshal(text, &got)
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

// podTemplate takes the application's name and number.
const podTemplate = `{
  "metadata": {"labels": {"app": %[1]q}, "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "checksum/config": "5f2d1c0b9a8e7f6d5c4b3a29181706f5e4d3c2b1a09f8e7d6c5b4a3928171605"}},
  "spec": {
    "serviceAccountName": "default", "terminationGracePeriodSeconds": 45, "priority": 0, "enableServiceLinks": false,
    "securityContext": {"runAsNonRoot": true, "runAsUser": 10001, "fsGroup": 10001, "seccompProfile": {"type": "RuntimeDefault"}},
    "containers": [
      {"name": "app", "image": "registry.example.com/team-%[2]d/app:1.27.3", "imagePullPolicy": "IfNotPresent", "args": ["--listen=:8080", "--metrics=:9090", "--log-format=json"],
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

// podStatus takes an address and the numbers of the set and the Pod.
const podStatus = `{"status": {
  "phase": "Running", "hostIP": "192.168.0.11", "hostIPs": [{"ip": "192.168.0.11"}], "podIP": %[1]q, "podIPs": [{"ip": %[1]q}], "qosClass": "Burstable", "startTime": "2026-01-05T08:00:00Z",
  "conditions": [
    {"type": "PodReadyToStartContainers", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:02Z"},
    {"type": "Initialized", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:00Z"},
    {"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:14Z"},
    {"type": "ContainersReady", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:14Z"},
    {"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-01-05T08:00:00Z"}],
  "containerStatuses": [
    {"name": "app", "image": "registry.example.com/team-%[2]d/app:1.27.3", "imageID": "registry.example.com/team-%[2]d/app@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1", "containerID": "containerd://%064[3]x", "ready": true, "started": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-05T08:00:03Z"}}, "lastState": {}},
    {"name": "proxy", "image": "registry.example.com/mesh/proxy:2.9.0", "imageID": "registry.example.com/mesh/proxy@sha256:9c7a54a9a43cca047013b82af109fe963fde787f63f9e016fdc3384500c2823d", "containerID": "containerd://%064[3]x", "ready": true, "started": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-05T08:00:04Z"}}, "lastState": {}}]
}}`

// deploymentStatus takes the replicas and the counts that it shares with the
// ReplicaSet's.
const deploymentStatus = `{"status": {"updatedReplicas": %d, %s, "conditions": [
  {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": "Deployment has minimum availability.", "lastUpdateTime": "2026-01-05T08:00:20Z", "lastTransitionTime": "2026-01-05T08:00:20Z"},
  {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable", "message": "ReplicaSet has successfully progressed.", "lastUpdateTime": "2026-01-05T08:00:20Z", "lastTransitionTime": "2026-01-05T08:00:00Z"}]}}`
