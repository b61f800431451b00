// Package kube makes requests to one Kubernetes API server, by client-go, and
// checks the answers: [Client] makes a request and bounds its answer in time
// and size, [Decode] and its neighbours only accept answers of the requested
// type, [Resolver] finds the resource of a TYPE or kind, [Problem] names the
// culprit of a failure and the next step. It only reads. Package watch follows.
package kube
