package watch

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// podMetrics is what is read of a PodMetrics of metrics.k8s.io/v1beta1. Its types are in
// k8s.io/metrics, which is no dependency for four fields.
type podMetrics struct {
	Metadata   struct{ Name string }
	Containers []struct {
		Name  string
		Usage map[string]string
	}
}

const metricsAPI = "/apis/metrics.k8s.io/v1beta1"

// servesMetrics reports whether metrics.k8s.io is served. The answer yes is remembered. It
// is asked for itself: a list of what is not served would look like one of Pods in the
// server's log.
func (e *Engine) servesMetrics(ctx context.Context) bool {
	if e.metrics.Load() {
		return true
	}
	_, err := e.client.Read(ctx, metricsAPI, nil, kube.AcceptJSON)
	code := kube.Code(err)
	served := code != http.StatusNotFound && code != http.StatusServiceUnavailable && !kube.IsForeign(err)
	e.metrics.Store(err == nil)
	return served
}

// Usage implements feed.Meter.
func (e *Engine) Usage(ctx context.Context, of feed.UsageOf) ([]feed.PodUsage, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	if of.Pod+of.Selector == "" {
		return nil, nil // no selector finds nothing; the server would take it for all
	}
	if !e.servesMetrics(ctx) {
		return nil, feed.ErrNoMetrics
	}
	path := metricsAPI + "/namespaces/" + url.PathEscape(of.Namespace) + "/pods"
	query := url.Values{}
	if of.Pod != "" {
		path += "/" + url.PathEscape(of.Pod)
	} else {
		query.Set("labelSelector", of.Selector)
	}
	data, err := e.client.Read(ctx, path, query, kube.AcceptJSON)
	switch code := kube.Code(err); {
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		return nil, feed.ErrMetricsHidden
	case of.Pod != "" && code == http.StatusNotFound:
		return nil, nil // a Pod has no metrics in its first seconds, and after its end
	case code == http.StatusNotFound, code == http.StatusServiceUnavailable, kube.IsForeign(err):
		return nil, feed.ErrNoMetrics
	case err != nil:
		return nil, errors.New(object.Clean(kube.ErrorText(err)))
	}
	var answer struct {
		podMetrics
		Items []podMetrics
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, err
	}
	if of.Pod != "" {
		answer.Items = []podMetrics{answer.podMetrics}
	}
	return usageOf(answer.Items), nil
}

func usageOf(items []podMetrics) (out []feed.PodUsage) {
	for _, m := range items {
		pod := feed.PodUsage{Pod: object.Clean(m.Metadata.Name)}
		for _, c := range m.Containers {
			cpu, err := resource.ParseQuantity(c.Usage["cpu"])
			memory, err2 := resource.ParseQuantity(c.Usage["memory"])
			if err == nil && err2 == nil {
				pod.Containers = append(pod.Containers,
					feed.ContainerUsage{Name: object.Clean(c.Name), MilliCPU: cpu.MilliValue(), Memory: memory.Value()})
			}
		}
		out = append(out, pod)
	}
	return out
}
