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

// kind is a kind that has a view: its type, and how an object of it is converted; false,
// with nothing done, for an object of another type.
type kind struct {
	empty   runtime.Object
	convert func(c *converter, obj runtime.Object) bool
}

func viewOf[T runtime.Object](empty T, view func(*converter, T)) *kind {
	return &kind{empty, func(c *converter, obj runtime.Object) bool {
		typed, ok := obj.(T)
		if ok {
			c.metadata(metaOf(obj))
			view(c, typed)
		}
		return ok
	}}
}

// kinds are those that have a view. The kinds of extensions/v1beta1 became those of
// apps/v1, with the same fields.
var kinds = map[string]*kind{
	"Pod":                            viewOf(&corev1.Pod{}, (*converter).pod),
	"Service":                        viewOf(&corev1.Service{}, (*converter).service),
	"Endpoints":                      viewOf(&endpoints{}, (*converter).endpoints),
	"PersistentVolumeClaim":          viewOf(&corev1.PersistentVolumeClaim{}, (*converter).claim),
	"ReplicationController":          viewOf(&corev1.ReplicationController{}, (*converter).replicationController),
	"apps/Deployment":                viewOf(&appsv1.Deployment{}, (*converter).deployment),
	"apps/ReplicaSet":                viewOf(&appsv1.ReplicaSet{}, (*converter).replicaSet),
	"apps/StatefulSet":               viewOf(&appsv1.StatefulSet{}, (*converter).statefulSet),
	"apps/DaemonSet":                 viewOf(&appsv1.DaemonSet{}, (*converter).daemonSet),
	"extensions/Deployment":          viewOf(&appsv1.Deployment{}, (*converter).deployment),
	"extensions/ReplicaSet":          viewOf(&appsv1.ReplicaSet{}, (*converter).replicaSet),
	"extensions/DaemonSet":           viewOf(&appsv1.DaemonSet{}, (*converter).daemonSet),
	"batch/Job":                      viewOf(&batchv1.Job{}, (*converter).job),
	"batch/CronJob":                  viewOf(&batchv1.CronJob{}, (*converter).cronJob),
	"discovery.k8s.io/EndpointSlice": viewOf(&discoveryv1.EndpointSlice{}, (*converter).endpointSlice),
}

// typed converts an object of a kind that has a view, metadata included; false, with
// nothing done, for any other.
func (c *converter) typed(obj runtime.Object) bool {
	k := kinds[c.o.GroupKind()]
	return k != nil && k.convert(c, obj)
}

// metaOf is the metadata of a typed object.
func metaOf(obj runtime.Object) *metav1.ObjectMeta {
	return obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}
