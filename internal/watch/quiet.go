package watch

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// listener receives client-go's messages; quiet installs the hooks, which are
// variables of the process, once.
var (
	listener atomic.Pointer[func(feed.Notice)]
	quiet    sync.Once
)

// Quiet keeps client-go from writing to the terminal: logs and errors go to tell
// instead, which may be called from any goroutine. It changes the process's
// state; the last call wins. Call it before Start.
func Quiet(tell func(feed.Notice)) {
	listener.Store(&tell)
	quiet.Do(func() {
		tell := func(n feed.Notice) { (*listener.Load())(n) }
		wrong := func(format string, args ...any) {
			tell(feed.Notice{Level: "error", From: "client-go", Text: object.Clean(fmt.Sprintf(format, args...))})
		}
		klog.SetSlogLogger(slog.New(noticeHandler{tell: tell}))
		//nolint:reassign // there is no other way
		runtime.ErrorHandlers = []runtime.ErrorHandler{func(_ context.Context, err error, msg string, _ ...any) {
			wrong("%s: %v", msg, err)
		}}
		runtime.PanicHandlers = []func(context.Context, any){func(_ context.Context, r any) { wrong("panic: %v", r) }}
	})
}

// Tell adds a notice to the next batch, and to the debug log.
func (e *Engine) Tell(n feed.Notice) {
	e.opts.Log.Info(n.Text, "from", n.From, "level", n.Level)
	e.hub.Notice(n)
}

// noticeHandler converts log records to notices, with their attributes
// appended.
type noticeHandler struct {
	tell  func(feed.Notice)
	attrs []slog.Attr
}

// Enabled filters by klog's -v.
func (h noticeHandler) Enabled(_ context.Context, l slog.Level) bool {
	return l >= slog.LevelInfo || klog.V(klog.Level(-l)).Enabled()
}

func (h noticeHandler) Handle(_ context.Context, r slog.Record) error {
	level := "info"
	switch {
	case r.Level >= slog.LevelError:
		level = "error"
	case r.Level >= slog.LevelWarn:
		level = "warning"
	}
	text := r.Message
	r = r.Clone()
	r.AddAttrs(h.attrs...)
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	h.tell(feed.Notice{At: r.Time, Level: level, From: "client-go", Text: object.Clean(text)})
	return nil
}

func (h noticeHandler) WithAttrs(a []slog.Attr) slog.Handler {
	h.attrs = slices.Concat(h.attrs, a)
	return h
}

func (h noticeHandler) WithGroup(string) slog.Handler { return h }
