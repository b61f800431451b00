// Package kube asks one Kubernetes API server, by client-go's requests, and checks what
// comes back: [Client] makes a request and bounds its answer in time and size, [Decode]
// and its neighbours take nothing for the API's that does not say so, [Resolver] knows
// which resource a TYPE or kind means, [Problem] names the culprit of what fails, and the
// next step. It only reads, and it follows nothing: that is package watch.
package kube
