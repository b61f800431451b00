// Package workloads finds what the controllers of workloads report, and Pods that are not
// admitted.
package workloads
