package main

import (
	"io"
	"log/slog"
	goruntime "runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kstatus-tui/kstatus-tui/internal/problem"
	"github.com/kstatus-tui/kstatus-tui/internal/spool"
)

// logTo sends the default log and the libraries' to a handler: they must not
// reach the screen. While an engine follows, [watch.Quiet] turns the libraries'
// into notices.
func logTo(h slog.Handler) {
	slog.SetDefault(slog.New(h))
	klog.SetSlogLogger(slog.Default())
	rest.SetDefaultWarningHandler(rest.NoWarnings{}) // the engine shows warnings as notices
	// A panic in a library's goroutine is logged; it must not end the dashboard
	// while the terminal is in raw mode.
	runtime.ReallyCrash = false
}

// openLog makes a file the debug log, with memory and goroutines every 10 s: a
// leak can be seen there.
func openLog(name string) (io.Closer, error) {
	file, err := spool.Create(name, 0o600)
	if err != nil {
		return nil, problem.New("choose another file for --log", "cannot write the log: %w", err)
	}
	logTo(slog.NewTextHandler(file, &slog.HandlerOptions{Level: min(slog.LevelDebug, -mostVerbose)}))
	go func() { // it ends with the process
		for range time.Tick(10 * time.Second) {
			live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
			metrics.Read(live)
			slog.Debug("usage", "goroutines", goruntime.NumGoroutine(), "liveHeap", live[0].Value.Uint64())
		}
	}()
	return file, nil
}

// mostVerbose is the highest -v. Above it klog logs response bodies, and a Helm
// release is stored in a Secret.
const mostVerbose = 7

// verbosity is klog's -v.
type verbosity int

func (v *verbosity) String() string { return strconv.Itoa(int(*v)) }
func (v *verbosity) Type() string   { return "int" }

func (v *verbosity) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostVerbose {
		return problem.New("as in -v 6",
			"it takes a number from 0 to %d; higher levels would show response bodies, which may hold secrets",
			mostVerbose)
	}
	*v = verbosity(n)
	return new(klog.Level).Set(text)
}
