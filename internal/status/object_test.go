package status

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/convert"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

func decode(t testing.TB, data string) *object.Object {
	t.Helper()
	o, err := convert.JSON([]byte(data), convert.Options{})
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, data)
	}
	return o
}

const podJSON = `{
 "apiVersion": "v1", "kind": "Pod",
 "metadata": {"name": "web-7d", "namespace": "shop", "uid": "u1", "resourceVersion": "77", "generation": 2,
  "creationTimestamp": "2026-01-02T03:04:05Z",
  "labels": {"b": "2", "a": "1"},
  "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "kubectl.kubernetes.io/restartedAt": "now", "note": "dropped"},
  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u0", "controller": true}],
  "managedFields": [{"manager": "kubelet", "time": "2026-01-02T03:05:00Z", "fieldsV1": {"f:x": {}}}]},
 "status": {"phase": "Running", "startTime": "2026-01-02T03:04:06Z", "observedGeneration": 2,
  "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "line\nbreak", "lastTransitionTime": "2026-01-02T03:04:07Z", "observedGeneration": 2}],
  "containerStatuses": [
   {"name": "side", "ready": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-01-02T03:04:08Z"}}},
   {"name": "app", "ready": false, "started": false, "restartCount": 3, "image": "app:1@sha", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
    "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-01-02T03:04:09Z"}}}],
  "initContainerStatuses": [{"name": "mesh", "ready": true, "state": {"running": {}}}]},
 "spec": {"nodeName": "n1", "restartPolicy": "Always", "serviceAccountName": "web",
  "initContainers": [{"name": "mesh", "image": "mesh:1", "restartPolicy": "Always"}],
  "containers": [
   {"name": "app", "image": "app:1", "resources": {"limits": {"memory": "64Mi"}}, "args": ["--password=hunter2"],
    "env": [{"name": "X", "value": "hunter2"}, {"name": "Y", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": true}}}],
    "readinessProbe": {"httpGet": {"path": "/ok", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3},
    "ports": [{"containerPort": 8080, "protocol": "TCP"}]},
   {"name": "side", "image": "side:1"}],
  "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "e", "ephemeral": {}}, {"name": "p", "projected": {"sources": [{"configMap": {"name": "ca"}}]}}]}}`
