// Package network finds why a Service, an Ingress, a Gateway or a route serves nothing.
package network
