// Package convert makes an [object.Object] of what Kubernetes' own decoders
// return: typed objects of k8s.io/api, PartialObjectMetadata, Unstructured. It is
// where Kubernetes' types end: nothing else but the engine imports k8s.io/api.
//
// Every string is cleaned here, once ([object.Clean]), and what many objects have
// in common is shared. What is malformed within an object becomes one of its
// flaws; an error means that there is no Kubernetes object at all. Of Secrets and
// ConfigMaps nothing but metadata is read.
package convert
