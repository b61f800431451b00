// Package convert makes an [object.Object] of what Kubernetes' own decoders
// return: typed objects of k8s.io/api, PartialObjectMetadata, Unstructured. It is
// the boundary of Kubernetes' types: besides it only the engine imports
// k8s.io/api.
//
// Every string is cleaned here, once ([object.Clean]), and values that many
// objects have in common are shared. A malformed field becomes a flaw of the
// object; an error means that there is no Kubernetes object at all. Of Secrets
// and ConfigMaps only the metadata is read.
package convert
