package watch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/feed"
	"github.com/kstatus-tui/kstatus-tui/internal/object"
)

// listener receives klog's messages, which quiet sends there, with the errors and
// panics of client-go: by default those go to their context's logger, which a
// source discards. All are variables of the process.
var (
	listener atomic.Pointer[func(feed.Notice)]
	quiet    = sync.OnceFunc(func() {
		klog.SetSlogLogger(slog.New(noticeHandler{}))
		//nolint:reassign // there is no other way
		runtime.ErrorHandlers = []runtime.ErrorHandler{func(_ context.Context, err error, msg string, _ ...any) {
			klog.Errorf("%s: %v", msg, err)
		}}
		runtime.PanicHandlers = []func(context.Context, any){func(_ context.Context, r any) {
			klog.Errorf("panic: %v", r)
		}}
	})
)

// Quiet keeps client-go from writing to the terminal: logs and errors go to tell
// instead, which may be called from any goroutine. The last call wins. Call it
// before Start.
func Quiet(tell func(feed.Notice)) {
	listener.Store(&tell)
	quiet()
}

// Tell adds a notice to the next batch, and to the debug log.
func (e *Engine) Tell(n feed.Notice) {
	e.opts.Log.Info(n.Text, "from", n.From, "level", n.Level)
	e.hub.Notice(n)
}

// noticeHandler converts log records to notices, and appends their attributes.
type noticeHandler []slog.Attr

// Enabled filters by klog's -v.
func (h noticeHandler) Enabled(_ context.Context, l slog.Level) bool {
	return l >= slog.LevelInfo || klog.V(klog.Level(-l)).Enabled()
}

func (h noticeHandler) Handle(_ context.Context, r slog.Record) error {
	n := feed.Notice{At: r.Time, Level: "info", From: "client-go", Text: r.Message}
	if r.Level >= slog.LevelError { // klog's warnings come as information
		n.Level = "error"
	}
	r = r.Clone()
	r.AddAttrs(h...)
	r.Attrs(func(a slog.Attr) bool {
		n.Text += " " + a.String()
		return true
	})
	n.Text = object.Clean(n.Text)
	(*listener.Load())(n)
	return nil
}

func (h noticeHandler) WithAttrs(a []slog.Attr) slog.Handler { return slices.Concat(h, a) }
func (h noticeHandler) WithGroup(string) slog.Handler        { return h }
