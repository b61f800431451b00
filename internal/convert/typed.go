package convert

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Scheme contains the groups of the kinds with a typed view. Kinds of other
// groups are decoded as unstructured objects.
var Scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme,
		discoveryv1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(s); err != nil {
			panic(err) // two types of one name: a defect of the library
		}
	}
	return s
}()

// kind is a kind with a typed view: its type, and its conversion, which returns
// false for another type.
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

// kinds are the kinds with a typed view. Those of extensions/v1beta1 became
// those of apps/v1, with the same fields.
var kinds = map[string]*kind{
	"Pod":                            viewOf(&corev1.Pod{}, (*converter).pod),
	"Service":                        viewOf(&corev1.Service{}, (*converter).service),
	"Endpoints":                      viewOf(&endpoints{}, (*converter).endpoints),
	"Event":                          viewOf(&corev1.Event{}, (*converter).event),
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

// typed converts an object of a kind with a typed view, including its metadata;
// false for other kinds.
func (c *converter) typed(obj runtime.Object) bool {
	k := kinds[c.o.GroupKind()]
	return k != nil && k.convert(c, obj)
}

// metaOf is the metadata of a typed object.
func metaOf(obj runtime.Object) *metav1.ObjectMeta {
	return obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
}
