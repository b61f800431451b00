package inspect

import (
	"slices"

	"github.com/kstatus-tui/kstatus-tui/internal/edges"
	"github.com/kstatus-tui/kstatus-tui/internal/kinds"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// Selected are the Pods that a Service selects, whether or not it is followed: all Pods of its
// namespace are asked for.
func Selected(in *Inspector, service *object.Object) []*object.Object {
	if len(service.Service.Selector.Match) == 0 {
		return nil
	}
	pods := in.List("", "Pod", service.Namespace).Items
	return slices.DeleteFunc(slices.Clone(pods), func(p *object.Object) bool {
		return !kinds.Selectable(p) || !edges.Selects(service.Service.Selector, p)
	})
}

// BlamePods blames the Pods behind a Service that nobody follows, if none of them is ready: what is
// wrong with them is why a webhook or an aggregated API does not answer.
func BlamePods(in *Inspector, f *Finding, service *object.Object) {
	if service == nil || service.Service == nil {
		return
	}
	pods := Selected(in, service)
	for _, p := range pods {
		if p.ConditionIs("Ready", "True") != nil {
			return
		}
	}
	for _, p := range pods[:min(len(pods), 5)] {
		f.Blame(p.ID)
	}
}
