package convert

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Scheme knows the groups of the kinds that have a view. client-go's own registers
// every API there is: 10 MB for a handful of kinds.
var Scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, discoveryv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // two types of one name: the library is broken
		}
	}
	return s
}()

// newTyped returns an empty typed object of a kind that has a view, nil for every
// other kind. The kinds of extensions/v1beta1 became those of apps/v1, with the same
// fields.
func newTyped(groupKind string) runtime.Object {
	switch groupKind {
	case "Pod":
		return &corev1.Pod{}
	case "apps/Deployment", "extensions/Deployment":
		return &appsv1.Deployment{}
	case "apps/ReplicaSet", "extensions/ReplicaSet":
		return &appsv1.ReplicaSet{}
	case "apps/StatefulSet":
		return &appsv1.StatefulSet{}
	case "apps/DaemonSet", "extensions/DaemonSet":
		return &appsv1.DaemonSet{}
	case "ReplicationController":
		return &corev1.ReplicationController{}
	case "batch/Job":
		return &batchv1.Job{}
	case "batch/CronJob":
		return &batchv1.CronJob{}
	case "Service":
		return &corev1.Service{}
	case "discovery.k8s.io/EndpointSlice":
		return &discoveryv1.EndpointSlice{}
	case "Endpoints":
		return &endpoints{}
	case "PersistentVolumeClaim":
		return &corev1.PersistentVolumeClaim{}
	}
	return nil
}

// typed converts an object of a kind that has a view, metadata included; false, with
// nothing done, for any other.
func (c *converter) typed(obj runtime.Object) bool {
	o := c.o
	switch obj := obj.(type) {
	case *corev1.Pod:
		o.Pod = &object.Pod{}
		c.metadata(&obj.ObjectMeta)
		c.pod(obj)
	case *appsv1.Deployment:
		o.Workload = &object.Workload{}
		c.metadata(&obj.ObjectMeta)
		c.deployment(obj)
	case *appsv1.ReplicaSet:
		o.Workload = &object.Workload{}
		c.metadata(&obj.ObjectMeta)
		c.replicaSet(obj)
	case *appsv1.StatefulSet:
		o.Workload = &object.Workload{}
		c.metadata(&obj.ObjectMeta)
		c.statefulSet(obj)
	case *appsv1.DaemonSet:
		o.Workload = &object.Workload{}
		c.metadata(&obj.ObjectMeta)
		c.daemonSet(obj)
	case *corev1.ReplicationController:
		o.Workload = &object.Workload{}
		c.metadata(&obj.ObjectMeta)
		c.replicationController(obj)
	case *batchv1.Job:
		o.Job = &object.Job{}
		c.metadata(&obj.ObjectMeta)
		c.job(obj)
	case *batchv1.CronJob:
		o.CronJob = &object.CronJob{}
		c.metadata(&obj.ObjectMeta)
		c.cronJob(obj)
	case *corev1.Service:
		o.Service = &object.Service{}
		c.metadata(&obj.ObjectMeta)
		c.service(obj)
	case *discoveryv1.EndpointSlice:
		o.Endpoints = &object.Endpoints{}
		c.metadata(&obj.ObjectMeta)
		c.endpointSlice(obj)
	case *endpoints:
		o.Endpoints = &object.Endpoints{}
		c.metadata(&obj.ObjectMeta)
		c.endpoints(obj)
	case *corev1.PersistentVolumeClaim:
		o.Claim = &object.Claim{}
		c.metadata(&obj.ObjectMeta)
		c.claim(obj)
	default:
		return false
	}
	return true
}
