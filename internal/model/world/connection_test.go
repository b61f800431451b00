package world

import (
	"testing"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
	"github.com/kstatus-tui/kstatus-tui/internal/status"
)

func TestTheErrorWithANextStepIsShownFirst(t *testing.T) {
	var l Sources
	for _, s := range []feed.SourceState{{}, {Error: "a"}, {Error: "w", Hint: "do w"}, {Error: "b"}, {Error: "x", Hint: "do x"}, {}} {
		s.Phase = feed.Stale
		l.Trouble = append(l.Trouble, &s)
	}
	if c := l.Connection(false, nil); c.Problem() != "w; do w" {
		t.Errorf("%q", c.Problem())
	}
}

// References are always polled; they are delivered like children.
func TestTheConnectionNamesPollingForSourcesOfRoots(t *testing.T) {
	for _, c := range []struct {
		source feed.SourceState
		want   bool
	}{
		{feed.SourceState{Mode: feed.ModeWatch}, false},
		{feed.SourceState{Mode: feed.ModePollGet, Children: true}, false},
		{feed.SourceState{Mode: feed.ModePollList}, true},
		{feed.SourceState{Mode: feed.ModePollGet}, true},
		{feed.SourceState{Mode: feed.ModePollList, Phase: feed.Forbidden}, false},
	} {
		l := Sources{States: map[string]feed.SourceState{"watched": {Mode: feed.ModeWatch}, "other": c.source}}
		if got := l.Connection(false, nil).Polling; got != c.want {
			t.Errorf("polling is %v, want %v: %+v", got, c.want, c.source)
		}
	}
}

func TestASourceWithoutPingsIsNoticed(t *testing.T) {
	for _, unpinged := range []bool{false, true} {
		l := Sources{States: map[string]feed.SourceState{"a": {Mode: feed.ModeWatch}, "b": {Mode: feed.ModeWatch, Unpinged: unpinged}}}
		if got := l.Connection(false, nil).Unpinged; got != unpinged {
			t.Errorf("%v, want %v", got, unpinged)
		}
	}
}

// A green rests on what no longer comes: roots, and the children that decide, seen so
// far or not.
func TestACurrentVerdictNeedsTheSourcesThatDecideIt(t *testing.T) {
	for _, c := range []struct {
		source feed.SourceState
		want   bool
	}{
		{feed.SourceState{Kind: "ConfigMap"}, true},
		{feed.SourceState{Kind: "ConfigMap", Children: true, Objects: 1}, false},
		{feed.SourceState{Kind: "Pod", Children: true, Objects: 1}, true},
		{feed.SourceState{Kind: "Pod", Children: true}, true},
		{feed.SourceState{Kind: "Job", Children: true, Objects: 1}, true}, // a CronJob is judged by its last one
	} {
		c.source.Phase = feed.Stale
		w := New(Options{})
		w.Sources.Trouble, w.Verdict = []*feed.SourceState{&c.source}, status.Current
		if got := w.VerdictIsStale(); got != c.want {
			t.Errorf("%v, want %v: %+v", got, c.want, c.source)
		}
	}
}

// Services of one parent are read by one stream. Where it is refused, none of them has known
// endpoints: without any, they would be called unserved.
func TestARefusalCountsForEachObjectOfAMergedStream(t *testing.T) {
	l := Sources{}
	l.Trouble = []*feed.SourceState{{
		Group: "discovery.k8s.io", Kind: "EndpointSlice", Namespace: "shop", Phase: feed.Forbidden, Children: true,
		Selector: "kubernetes.io/service-name in (api,web)",
	}}
	need := edges.Need{
		Group: "discovery.k8s.io", Kind: "EndpointSlice", Namespace: "shop",
		Selector: object.Selector{Match: []object.Label{{Key: "kubernetes.io/service-name", Value: "web"}}},
	}
	if l.blind(need) == nil {
		t.Error("the endpoints of web count as known")
	}
	need.Selector.Match[0].Value = "other"
	if l.blind(need) != nil {
		t.Error("the endpoints of other count as refused")
	}
}

// If nothing of what was asked for may be read, that is the news, and not that there is nothing.
func TestNothingMayBeRead(t *testing.T) {
	refused := func(resource string) feed.SourceState {
		return feed.SourceState{
			Kind: resource, Resource: resource, Namespace: "shop", Phase: feed.Forbidden, Selects: true, OfAll: true,
			Error: resource + ` is forbidden: User "u" cannot list resource "` + resource + `" in API group "" in the namespace "shop"`,
		}
	}
	live := feed.SourceState{Kind: "Service", Resource: "services", Phase: feed.Live, Selects: true, OfAll: true}
	for _, c := range []struct {
		states []feed.SourceState
		want   string
	}{
		{[]feed.SourceState{refused("pods")}, "user u cannot list pods in shop (RBAC)"},
		{[]feed.SourceState{refused("pods"), refused("secrets"), refused("jobs")}, "user u cannot list jobs in shop (RBAC) and 2 more kinds"},
		{[]feed.SourceState{refused("pods"), live}, ""},
		{[]feed.SourceState{live}, ""},
		{nil, ""},
	} {
		l := Sources{States: map[string]feed.SourceState{}}
		for _, s := range c.states {
			l.States[s.Resource] = s
			if s.Phase != feed.Live {
				l.Trouble = append(l.Trouble, &s)
			}
		}
		if got := l.Barred(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
