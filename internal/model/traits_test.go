package model

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/model/panes"
	"github.com/kstatus-tui/kstatus-tui/internal/model/rows"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// meter is a feed that measures, and counts how often.
type meter struct {
	*feedStub
	asked []feed.UsageOf
	pods  []feed.PodUsage
	err   error
}

func (m *meter) Usage(_ context.Context, of feed.UsageOf) ([]feed.PodUsage, error) {
	m.asked = append(m.asked, of)
	return m.pods, m.err
}

// measured is a screen with a Deployment, one of its Pods selected, and a meter.
func measured(t *testing.T, m *meter) (p *play, dep, one *object.Object) {
	m.feedStub = &feedStub{}
	p = newPlay(t, Options{Screen: true, Feed: m})
	m.p = p
	p.send(rowsOn(120, 20))
	dep = deployment("web", 2)
	dep.Workload.Strategy, dep.Workload.MaxSurge, dep.Workload.MaxUnavailable = "RollingUpdate", "25%", "0"
	dep.Workload.Images = []object.Image{{Container: "web", Image: "web:2"}}
	dep.Workload.PodLabels = dep.Workload.Selector.Match
	rs, old := replicaSet(dep, "2", 2), replicaSet(dep, "1", 0)
	rs.Workload.Revision, rs.Workload.Images, rs.Created = "2", dep.Workload.Images, at(time.Second)
	old.Workload.Replicas, old.Workload.StatusReplicas, old.Workload.Images = object.IntOf(0), object.IntOf(0), []object.Image{{Container: "web", Image: "web:1"}}
	one = pod(rs, "a", "")
	one.Pod.Node, one.Pod.IP = "node-7", "10.1.2.3"
	c := &one.Pod.Containers[0]
	c.ContainerSpec = &object.ContainerSpec{
		Name: "web", Image: "web:2", CPURequest: "100m", MemoryRequest: "64Mi", Memory: "128Mi", Ports: []object.Port{{Number: 8080, Name: "http"}},
	}
	c.Restarts = 2
	hpa := &object.Object{ID: id("autoscaling", "HorizontalPodAutoscaler", "web"), UID: "h", Tree: map[string]any{
		"spec":   map[string]any{"minReplicas": int64(2), "maxReplicas": int64(9), "scaleTargetRef": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
		"status": map[string]any{"currentReplicas": int64(2)},
	}}
	pdb := &object.Object{ID: id("policy", "PodDisruptionBudget", "web"), UID: "b", Tree: map[string]any{
		"spec":   map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"app": "web"}}},
		"status": map[string]any{"disruptionsAllowed": int64(1)},
	}}
	p.batch(time.Minute, feed.Batch{
		Synced: true, Roots: []feed.Root{root(dep), root(hpa), root(pdb)}, Objects: []*object.Object{dep, rs, old, one, hpa, pdb},
	})
	return p, dep, one
}

// measuredNow brings the answer of the last measurement.
func measuredNow(p *play) {
	for _, msg := range slices.Backward(p.told) {
		if _, ok := msg.(panes.UsageLoaded); ok {
			p.send(msg, rowsOn(120, 20))
			return
		}
	}
}

// whyText is the Why pane's text.
func whyText(p *play) string {
	var out []string
	c, _ := p.m.Panes.Content()
	for _, l := range c.Head {
		out = append(out, l.String())
	}
	for i := range c.N {
		out = append(out, c.Line(i).String())
	}
	return strings.Join(out, "\n")
}

func TestTheWhyPaneDescribesAHealthyObject(t *testing.T) {
	m := &meter{pods: []feed.PodUsage{{Pod: "web-2-a", Containers: []feed.ContainerUsage{{Name: "web", MilliCPU: 12, Memory: 50 << 20}}}}}
	p, dep, one := measured(t, m)
	p.m.Tree.click(rows.Key{ID: dep.ID})
	p.batch(62*time.Second, feed.Batch{})
	measuredNow(p)
	for _, want := range []string{
		"2 wanted, 2 ready, 2 available", "RollingUpdate, at most 25% more and 0 unavailable", "app=web", "web:2",
		"2 new 2/2 web:2", "1 old 0/0 web:1", "HorizontalPodAutoscaler/web: 2 to 9 replicas, now 2", "PodDisruptionBudget/web: 1 may be disrupted now",
		"cpu 12m, memory 50Mi in 1 pod",
	} {
		if text := whyText(p); !strings.Contains(spelled(text), want) {
			t.Errorf("the Deployment's pane lacks %q:\n%s", want, text)
		}
	}
	p.keys("Z")
	p.m.Tree.click(rows.Key{ID: one.ID})
	p.batch(70*time.Second, feed.Batch{})
	p.batch(72*time.Second, feed.Batch{})
	measuredNow(p)
	for _, want := range []string{
		"node-7", "10.1.2.3", "running, for", "2 restarts", "web:2", "8080 http", "12m used, 100m requested", "50Mi used, 64Mi requested, limit 128Mi", "ReplicaSet/web-2",
	} {
		if text := whyText(p); !strings.Contains(spelled(text), want) {
			t.Errorf("the Pod's pane lacks %q:\n%s", want, text)
		}
	}
}

// A name that is as long as its column does not touch its value, and where images have no room
// they lose their registries and not the first of them.
func TestTraitsAreReadAtEveryWidth(t *testing.T) {
	p, dep, _ := measured(t, &meter{})
	svc := &object.Object{ID: id("", "Service", "web"), UID: "s", Service: &object.Service{
		Type: "ClusterIP", ClusterIP: "10.96.251.102", Ports: []object.Port{{Name: "http", Number: 80}},
	}}
	two := []object.Image{{Container: "web", Image: "registry.example.com/team/web:2"}, {Container: "proxy", Image: "envoyproxy/envoy:v1.3"}}
	dep.Workload.Images = two
	rs := replicaSet(dep, "2", 2)
	rs.Workload.Revision, rs.Workload.Images, rs.Created = "2", two, at(time.Second)
	p.batch(62*time.Second, feed.Batch{Roots: []feed.Root{root(svc)}, Objects: []*object.Object{svc, dep, rs}})
	for _, c := range []struct {
		id   object.ID
		want []string
	}{
		{svc.ID, []string{"IP 10.96.251.102", "type ClusterIP"}},
		{dep.ID, []string{"2 new 2/2 …web:2, …envoy:v1.3"}},
		{id("autoscaling", "HorizontalPodAutoscaler", "web"), []string{"scales deploy/web: 2 to 9 replicas, now 2"}},
		{id("policy", "PodDisruptionBudget", "web"), []string{"budget 1 may be disrupted now"}},
	} {
		p.m.Tree.click(rows.Key{ID: c.id})
		p.batch(63*time.Second, feed.Batch{})
		for _, want := range c.want {
			if text := strings.Join(strings.Fields(whyText(p)), " "); !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", c.id, want, whyText(p))
			}
		}
	}
}

// spelled has the kinds of a narrow screen in full.
func spelled(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("hpa/", "HorizontalPodAutoscaler/", "pdb/", "PodDisruptionBudget/", "rs/", "ReplicaSet/").Replace(text)
}

// One request every 15 seconds while the pane is open and the cursor rests; hardly any
// to a cluster without metrics.
func TestUsageIsReadWhileThePaneIsOpen(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int    // requests within 31 seconds
		says string // of the usage
	}{
		{nil, 3, ""},
		{feed.ErrNoMetrics, 1, "not available: metrics-server is not installed"},
		{feed.ErrMetricsHidden, 1, ""},
		{errors.New("it broke"), 3, ""},
	} {
		m := &meter{err: c.err}
		p, dep, one := measured(t, m)
		p.m.Tree.click(rows.Key{ID: dep.ID})
		p.send(ClockTicked{at(60500 * time.Millisecond)})
		if len(m.asked) > 0 {
			t.Errorf("%v: asked when the cursor moved: %v", c.err, m.asked)
		}
		for s := range 31 {
			p.send(ClockTicked{at(time.Duration(62+s) * time.Second)})
			for _, msg := range p.told {
				p.send(msg)
			}
			p.told = nil
		}
		if len(m.asked) != c.want || m.asked[0].Pod != "" || m.asked[0].Selector != "app=web" {
			t.Errorf("%v: %d requests, want %d: %v", c.err, len(m.asked), c.want, m.asked)
		}
		if text := spelled(whyText(p)); c.says != "" && !strings.Contains(text, c.says) || c.says == "" && strings.Contains(text, "not available") {
			t.Errorf("%v: the pane says\n%s", c.err, text)
		}
		m.asked = nil
		p.m.Tree.click(rows.Key{ID: one.ID})
		p.keys("5")
		for s := range 31 {
			p.send(ClockTicked{at(time.Duration(100+s) * time.Second)})
		}
		if len(m.asked) > 0 {
			t.Errorf("%v: asked while another pane was open: %v", c.err, m.asked)
		}
	}
}
