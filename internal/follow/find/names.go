package find

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// Types lists the resources that can be followed: what the cluster serves or, if
// it does not answer, the built-in ones.
func (f *Finder) Types(ctx context.Context) (out []kube.Resource) {
	all, err := f.resolver.Discover(ctx)
	if err != nil {
		for word, res := range kube.BuiltinNames {
			if word == res.Plural {
				out = append(out, res)
			}
		}
	}
	for _, d := range all {
		if d.Can("list") && d.Can("watch") {
			out = append(out, d.Resource)
		}
	}
	return out
}

// Names lists the objects of a TYPE, with their creation times.
func (f *Finder) Names(ctx context.Context, typ, namespace string) (map[string]time.Time, error) {
	res, err := f.resolver.Type(ctx, typ)
	if err != nil {
		return nil, err
	}
	list, err := f.client.ListMetadata(ctx, res, namespace, url.Values{"limit": {strconv.Itoa(findPage)}})
	out := map[string]time.Time{}
	for _, o := range list {
		out[o.Name] = o.CreationTimestamp.Time
	}
	return out, err
}
