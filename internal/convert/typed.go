package convert

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Scheme knows the groups of the kinds that have a view. client-go's own registers
// every API there is: 10 MB for a handful of kinds.
var Scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, discoveryv1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(s); err != nil {
			panic(err) // two types of one name: the library is broken
		}
	}
	return s
}()

// kinds are those that have a view. The kinds of extensions/v1beta1 became those of
// apps/v1, with the same fields.
var kinds = map[string]runtime.Object{
	"Pod":                            &corev1.Pod{},
	"Service":                        &corev1.Service{},
	"Endpoints":                      &endpoints{},
	"PersistentVolumeClaim":          &corev1.PersistentVolumeClaim{},
	"ReplicationController":          &corev1.ReplicationController{},
	"apps/Deployment":                &appsv1.Deployment{},
	"apps/ReplicaSet":                &appsv1.ReplicaSet{},
	"apps/StatefulSet":               &appsv1.StatefulSet{},
	"apps/DaemonSet":                 &appsv1.DaemonSet{},
	"extensions/Deployment":          &appsv1.Deployment{},
	"extensions/ReplicaSet":          &appsv1.ReplicaSet{},
	"extensions/DaemonSet":           &appsv1.DaemonSet{},
	"batch/Job":                      &batchv1.Job{},
	"batch/CronJob":                  &batchv1.CronJob{},
	"discovery.k8s.io/EndpointSlice": &discoveryv1.EndpointSlice{},
}

// newTyped returns an empty typed object of a kind that has a view, nil for every
// other kind.
func newTyped(groupKind string) runtime.Object {
	if kind := kinds[groupKind]; kind != nil {
		return kind.DeepCopyObject()
	}
	return nil
}

// typed converts an object of a kind that has a view, metadata included; false, with
// nothing done, for any other.
func (c *converter) typed(obj runtime.Object) bool {
	var view func()
	switch obj := obj.(type) {
	case *corev1.Pod:
		view = func() { c.pod(obj) }
	case *appsv1.Deployment:
		view = func() { c.deployment(obj) }
	case *appsv1.ReplicaSet:
		view = func() { c.replicaSet(obj) }
	case *appsv1.StatefulSet:
		view = func() { c.statefulSet(obj) }
	case *appsv1.DaemonSet:
		view = func() { c.daemonSet(obj) }
	case *corev1.ReplicationController:
		view = func() { c.replicationController(obj) }
	case *batchv1.Job:
		view = func() { c.job(obj) }
	case *batchv1.CronJob:
		view = func() { c.cronJob(obj) }
	case *corev1.Service:
		view = func() { c.service(obj) }
	case *discoveryv1.EndpointSlice:
		view = func() { c.endpointSlice(obj) }
	case *endpoints:
		view = func() { c.endpoints(obj) }
	case *corev1.PersistentVolumeClaim:
		view = func() { c.claim(obj) }
	default:
		return false
	}
	c.metadata(metaOf(obj))
	view()
	return true
}

// metaOf is the metadata of a typed object.
func metaOf(obj runtime.Object) *metav1.ObjectMeta {
	return obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}
