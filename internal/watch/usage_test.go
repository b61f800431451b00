package watch

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/testcluster"
)

func TestUsageOfPods(t *testing.T) {
	const web = "app=web"
	onMetrics := func(r testcluster.Request) bool { return strings.Contains(r.Path, "metrics.k8s.io") }
	inBubble(t, func(t *testing.T, c *testcluster.Cluster) {
		c.Put(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"shop"}}`)
		f := start(t, c, Options{}, named("cm", "web"))
		ask := func(of feed.UsageOf) ([]feed.PodUsage, error) {
			of.Namespace = "shop"
			return f.e.Usage(t.Context(), of)
		}
		if _, err := ask(feed.UsageOf{Pod: "web-1"}); !errors.Is(err, feed.ErrNoMetrics) {
			t.Errorf("without metrics-server: %v", err)
		}
		for _, r := range c.Requests() {
			if strings.Contains(r.Path, "metrics.k8s.io") && strings.HasSuffix(r.Path, "/pods/web-1") {
				t.Errorf("asked of a server that does not serve it: %v", r)
			}
		}
		c.Serve(testcluster.Resource{Group: "metrics.k8s.io", Version: "v1beta1", Plural: "pods", Kind: "PodMetrics"})
		for _, name := range []string{"web-1", "web-2"} {
			c.Put(`{"apiVersion":"metrics.k8s.io/v1beta1","kind":"PodMetrics","metadata":{"name":"` + name + `","namespace":"shop","labels":{"app":"web"}},
				"containers":[{"name":"app","usage":{"cpu":"12345678n","memory":"51200Ki"}},{"name":"odd","usage":{"cpu":"many"}}]}`)
		}
		c.Put(`{"apiVersion":"metrics.k8s.io/v1beta1","kind":"PodMetrics","metadata":{"name":"other","namespace":"shop"},"containers":[]}`)
		app := feed.ContainerUsage{Name: "app", MilliCPU: 13, Memory: 50 << 20} // 12.3 m, rounded up as by kubectl top
		one, err := ask(feed.UsageOf{Pod: "web-1"})
		if err != nil || len(one) != 1 || !slices.Equal(one[0].Containers, []feed.ContainerUsage{app}) {
			t.Errorf("of one: %+v, %v", one, err)
		}
		if both, err := ask(feed.UsageOf{Selector: web}); err != nil || len(both) != 2 || both[1].Pod != "web-2" {
			t.Errorf("of a selector: %+v, %v", both, err)
		}
		if none, err := ask(feed.UsageOf{Pod: "young"}); err != nil || len(none) != 0 {
			t.Errorf("of a Pod that has not been measured: %+v, %v", none, err)
		}
		before := len(c.Requests())
		if none, err := ask(feed.UsageOf{}); err != nil || len(none) != 0 || len(c.Requests()) != before {
			t.Errorf("without a selector: %+v, %v", none, err)
		}
		for status, want := range map[int]error{http.StatusForbidden: feed.ErrMetricsHidden, http.StatusServiceUnavailable: feed.ErrNoMetrics} {
			lift := c.Inject(testcluster.Fault{Match: onMetrics, Status: status})
			if _, err := ask(feed.UsageOf{Selector: web}); !errors.Is(err, want) {
				t.Errorf("%d: %v, want %v", status, err, want)
			}
			lift()
		}
	})
}
