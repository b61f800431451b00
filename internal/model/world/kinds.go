package world

// ShortKind is kubectl's short name of a kind, or a similar one; "" if there is
// none. `kubectl api-resources` of Kubernetes 1.36 lists them.
func ShortKind(kind string) string { return shortKinds[kind] }

var shortKinds = map[string]string{
	"ConfigMap": "cm", "CronJob": "cj", "CustomResourceDefinition": "crd", "DaemonSet": "ds",
	"Deployment": "deploy", "EndpointSlice": "eps", "Endpoints": "ep", "HorizontalPodAutoscaler": "hpa",
	"Ingress": "ing", "Job": "job", "Namespace": "ns", "NetworkPolicy": "netpol", "Node": "no",
	"PersistentVolume": "pv", "PersistentVolumeClaim": "pvc", "Pod": "po", "PodDisruptionBudget": "pdb",
	"ReplicaSet": "rs", "ReplicationController": "rc", "ResourceQuota": "quota", "Service": "svc",
	"ServiceAccount": "sa", "StatefulSet": "sts", "StorageClass": "sc",
}
