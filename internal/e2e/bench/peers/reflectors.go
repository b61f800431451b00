package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// reflectors follows all objects with client-go alone and keeps a small record
// of each: the least that a program built on client-go needs. Only the
// Deployments' counters are judged, and nothing is displayed.
func reflectors(ctx context.Context, config *rest.Config, namespace string, out io.Writer) error {
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	p := &printer{out: out}
	var listed sync.WaitGroup
	for _, kind := range []struct {
		from     rest.Interface
		resource string
		of       runtime.Object
	}{
		{clients.CoreV1().RESTClient(), "pods", &corev1.Pod{}},
		{clients.CoreV1().RESTClient(), "services", &corev1.Service{}},
		{clients.CoreV1().RESTClient(), "configmaps", &corev1.ConfigMap{}},
		{clients.AppsV1().RESTClient(), "deployments", &appsv1.Deployment{}},
		{clients.AppsV1().RESTClient(), "replicasets", &appsv1.ReplicaSet{}},
		{clients.DiscoveryV1().RESTClient(), "endpointslices", &discoveryv1.EndpointSlice{}},
	} {
		listed.Add(1)
		s := &records{known: map[string]*record{}, printer: p, listed: sync.OnceFunc(listed.Done)}
		source := cache.NewListWatchFromClient(kind.from, kind.resource, namespace, fields.Everything())
		r := cache.NewReflectorWithOptions(source, kind.of, s, cache.ReflectorOptions{})
		go r.RunWithContext(ctx)
	}
	listed.Wait()
	p.print("all")
	<-ctx.Done()
	return nil
}

// printer prints a line at a time; "first" once.
type printer struct {
	out   io.Writer
	mu    sync.Mutex
	begun bool
}

func (p *printer) print(words ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, words...)
}

func (p *printer) first() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun {
		p.begun = true
		fmt.Fprintln(p.out, "first")
	}
}

// record is what is kept of an object.
type record struct {
	metav1.ObjectMeta
	phase      corev1.PodPhase
	conditions []corev1.PodCondition
	containers []corev1.ContainerStatus
	deployment bool
	missing    bool // replicas of a Deployment
}

func recordOf(obj any) *record {
	if r, ok := obj.(*record); ok {
		return r
	}
	m := obj.(metav1.Object)
	r := &record{ObjectMeta: metav1.ObjectMeta{
		Name: m.GetName(), Namespace: m.GetNamespace(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion(),
		OwnerReferences: m.GetOwnerReferences(), Labels: m.GetLabels(), Generation: m.GetGeneration(),
	}}
	switch obj := obj.(type) {
	case *corev1.Pod:
		r.phase, r.conditions, r.containers = obj.Status.Phase, obj.Status.Conditions, obj.Status.ContainerStatuses
	case *appsv1.Deployment:
		r.deployment, r.missing = true, obj.Spec.Replicas != nil && obj.Status.AvailableReplicas < *obj.Spec.Replicas
	}
	return r
}

// records is a Reflector's store of them.
type records struct {
	*printer
	known  map[string]*record // by namespace and name; the Reflector's goroutine alone uses it
	live   bool
	listed func()
}

// Transformer implements cache.TransformingStore: a whole object lives for a moment.
func (s *records) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		s.first()
		return recordOf(obj), nil
	}
}

func (s *records) put(obj any) error {
	r := recordOf(obj)
	s.known[r.Namespace+"/"+r.Name] = r
	if r.deployment && s.live {
		word := "Current"
		if r.missing {
			word = "InProgress"
		}
		s.print("status", "Deployment", r.Name, word)
	}
	return nil
}

func (s *records) Add(obj any) error    { return s.put(obj) }
func (s *records) Update(obj any) error { return s.put(obj) }

func (s *records) Delete(obj any) error {
	r := recordOf(obj)
	delete(s.known, r.Namespace+"/"+r.Name)
	return nil
}

func (s *records) Replace(list []any, _ string) error {
	clear(s.known)
	for _, obj := range list {
		_ = s.put(obj)
	}
	s.live = true
	s.listed()
	return nil
}

func (s *records) Resync() error { return nil }
