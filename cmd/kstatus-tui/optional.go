package main

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/watch/kube"
)

// optionalFeed marks the roots named by --optional.
type optionalFeed struct {
	feed.Feed
	named []string
	met   *sync.Map // the values of --optional that matched a root
}

func (f optionalFeed) Next(ctx context.Context, since uint64) (feed.Batch, error) {
	b, err := f.Feed.Next(ctx, since)
	for i := range b.Roots {
		for _, arg := range f.named {
			if kube.Named(arg, b.Roots[i].ID) {
				b.Roots[i].Optional = true
				f.met.Store(arg, true)
			}
		}
	}
	return b, err
}

// tellUnmet warns of values that matched no root: a typing error would leave
// the intended root in the verdict.
func (f optionalFeed) tellUnmet(w io.Writer) {
	for _, arg := range f.named {
		if _, ok := f.met.Load(arg); !ok {
			fmt.Fprintf(w, "kstatus-tui: --optional %s: nothing of that name was asked for\n", arg)
		}
	}
}

// Remember and Mark pass a recording's state on to the feed.
func (f optionalFeed) Remember(m feed.Memory) {
	if n, ok := f.Feed.(feed.Notebook); ok {
		n.Remember(m)
	}
}

func (f optionalFeed) Mark(m feed.Mark) {
	if n, ok := f.Feed.(feed.Notebook); ok {
		n.Mark(m)
	}
}
