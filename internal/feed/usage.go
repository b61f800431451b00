package feed

import (
	"context"
	"errors"
)

// Meter is a Feed that can measure: a cluster, whether it serves metrics.k8s.io or not.
// What a recording or a saved cluster used then is not known.
type Meter interface {
	// Usage reads what Pods use now, with one request. The error is ErrNoMetrics if the
	// cluster does not serve it, ErrMetricsHidden if it may not be read.
	Usage(ctx context.Context, of UsageOf) ([]PodUsage, error)
}

// UsageOf names Pods of a namespace: one by its name, or those that a selector finds.
type UsageOf struct {
	Namespace string
	Pod       string
	Selector  string // as a labelSelector parameter
}

// PodUsage is what the containers of a Pod use.
type PodUsage struct {
	Pod        string
	Containers []ContainerUsage
}

// ContainerUsage is what a container uses: millicores, and bytes.
type ContainerUsage struct {
	Name     string
	MilliCPU int64
	Memory   int64
}

// Why there is no usage.
var (
	ErrNoMetrics     = errors.New("metrics-server is not installed")
	ErrMetricsHidden = errors.New("the metrics may not be read")
)
